"""The quality rules of the standard: of rows where a contract can say them of a row, of the whole file otherwise."""

import re
from collections.abc import Iterator

from rowgate.contract import checks
from rowgate.contract.draft import Draft, Said, safe
from rowgate.contract.model import Column, DatasetRule, Policy
from rowgate.contract.odcs_fields import OdcsFields
from rowgate.contract.odcs_library import LibraryRule, policy, read_library, refuse_others
from rowgate.contract.odcs_options import allowed, scalars_of
from rowgate.contract.odcs_own import is_own, read_own_dataset_rule, read_own_rule
from rowgate.contract.odcs_threshold import Threshold, read_threshold
from rowgate.contract.spark_text import name_in_sql, value_in_sql
from rowgate.contract.types import Text
from rowgate.contract.yaml_document import Scalar, shown
from rowgate.errors import ContractError

_TABLE = re.compile(r"\$?\{\s*(?:object|table|model|schema)\s*\}")
_VARIABLE = re.compile(r"\$\{[^}]*\}")
_NO_ALIAS = (
    r"(?=\s*($|[),;]|(WHERE|GROUP|ORDER|HAVING|LIMIT|JOIN|INNER|LEFT|RIGHT|FULL|CROSS|SEMI|ANTI|NATURAL|ON|USING|UNION"
    r"|EXCEPT|INTERSECT|MINUS|LATERAL|TABLESAMPLE|PIVOT|WINDOW|QUALIFY|SORT|CLUSTER|DISTRIBUTE)\b))"
)
"""What stands behind a table that is given no other name (the clauses of Spark's SELECT)."""

_COLUMN = re.compile(r"\$?\{\s*(?:property|column|field)\s*\}")


def read_column_quality(fields: OdcsFields, column: Column, table: OdcsFields, draft: Draft) -> Iterator[Said]:
    """The rules of a property of an object: what each row must be; what the whole file must be goes to the draft."""
    for quality in fields.listed("quality"):
        if is_own(quality):
            own = read_own_rule(quality, column)
            yield from [own] if own else []
            continue
        if _is_sql(quality):
            _sql(quality, column, table, draft)
            continue
        rule = read_library(quality, "column")
        if rule is not None:
            yield from _column_rule(rule, column, draft)


def read_object_quality(table: OdcsFields, names: dict[str, Column], draft: Draft) -> None:
    """The rules of an object; `names` are its columns by the names that the file calls them."""
    for quality in table.listed("quality"):
        if is_own(quality):
            read_own_dataset_rule(quality, draft)
            continue
        if _is_sql(quality):
            _sql(quality, None, table, draft)
            continue
        rule = read_library(quality, "object")
        if rule is not None and rule.metric == "rowCount":
            _row_count(rule, draft)
        elif rule is not None:
            _duplicates(rule, names, draft)


def _is_sql(fields: OdcsFields) -> bool:
    return fields.text("type") == "sql"


def _column_rule(rule: LibraryRule, column: Column, draft: Draft) -> Iterator[Said]:
    name = name_in_sql(column.name)
    if rule.metric == "nullValues":
        if rule.threshold.zero:
            yield rule.said(checks.NotBlank())
        else:
            _count(rule, f"{name} IS NULL", column, draft)
    elif rule.metric == "duplicateValues":
        if rule.threshold.zero:
            yield rule.said(checks.Unique())
        else:
            _whole_file(rule, f"(COUNT({name}) - COUNT(DISTINCT {name}))", column, draft)
    elif rule.metric == "missingValues":
        yield from _missing(rule, column, draft)
    else:
        yield from _invalid(rule, column, draft)


def _missing(rule: LibraryRule, column: Column, draft: Draft) -> Iterator[Said]:
    """Words that count as missing, beside nothing at all."""
    name, words = name_in_sql(column.name), _words(rule, "missingValues")
    if words and not isinstance(column.type, Text):
        if rule.threshold.zero:  # such a word is no value of the column's type, and breaks that rule
            words = []
        else:
            rule.fields.problem("arguments", "is not supported for a column that is not text: its words are no values.")
            return
    listed = ", ".join(value_in_sql(word) for word in words)
    if not rule.threshold.zero:
        _count(rule, f"{name} IS NULL" + (f" OR {name} IN ({listed})" if listed else ""), column, draft)
        return
    yield rule.said(checks.NotBlank())
    if listed:
        yield Said(
            "checks",
            checks.Expression(f"{name} NOT IN ({listed})"),
            rule.fields.line,
            rule.fields.path,
            policy=policy(rule.fields),
            description=rule.fields.text("description") or "",
        )


def _words(rule: LibraryRule, key: str) -> list[str]:
    arguments = rule.fields.inner("arguments")
    scalars = scalars_of(arguments, key) if arguments else []
    return [scalar.text.strip() for scalar in scalars if not scalar.empty and scalar.text.strip()]


def _invalid(rule: LibraryRule, column: Column, draft: Draft) -> Iterator[Said]:
    """A list of values, or a pattern. A missing value is not an invalid one."""
    fields = rule.fields
    arguments = fields.inner("arguments") or fields
    scalars = [each for each in scalars_of(arguments, "validValues") if not each.empty and each.text.strip()]
    pattern = arguments.text("pattern")
    if not scalars and pattern is None:
        fields.problem("arguments", "must have validValues or a pattern.")
    if scalars:
        yield from _listed(rule, arguments, scalars, column, draft)
    if pattern is not None:
        if not rule.threshold.zero:
            arguments.problem("pattern", "is supported with mustBe: 0 alone.")
            return
        try:
            yield rule.said(checks.Matches(pattern))
        except ContractError as error:
            arguments.problem("pattern", f"cannot be: {error}")


def _listed(
    rule: LibraryRule, arguments: OdcsFields, scalars: list[Scalar], column: Column, draft: Draft
) -> Iterator[Said]:
    values = allowed(arguments, "validValues", scalars, column.type)
    if values is None:
        return
    if not rule.threshold.zero:
        listed = ", ".join(value_in_sql(value) for value in values)
        _count(rule, f"{name_in_sql(column.name)} NOT IN ({listed})", column, draft)
        return
    try:
        yield rule.said(checks.OneOf(values))
    except ContractError as error:
        arguments.problem("validValues", f"cannot be: {error}")


def _count(rule: LibraryRule, condition: str, column: Column, draft: Draft) -> None:
    _whole_file(rule, f"COUNT(*) FILTER (WHERE {condition})", column, draft)


def _whole_file(rule: LibraryRule, measure: str, column: Column | None, draft: Draft) -> None:
    name = f"{safe(column.name)}_{rule.metric}" if column else rule.metric
    _add(rule.fields, rule.threshold.over_table(measure), rule.threshold, name, draft)


def _add(fields: OdcsFields, sql: str, threshold: Threshold, name: str, draft: Draft) -> None:
    """Add a rule of the whole file, or several where its operators leave more than one range."""
    if policy(fields) is Policy.WARN:
        fields.problem("severity", "is not supported here: a rule of the whole file has the contract's policy.")
    name = safe(fields.text("name") or name)
    for limits in threshold.limits():
        taken = {rule.name.casefold() for rule in draft.dataset_rules}
        numbered = (name, *(f"{name}_{number}" for number in range(2, len(taken) + 3)))
        free = next(each for each in numbered if each.casefold() not in taken)
        for words in (f"dataset rule {free}:", f"dataset rule {free!r}"):
            draft.lines[words] = fields.line
        draft.dataset_rules.append(DatasetRule(free, sql, description=fields.text("description") or "", **limits))


def _sql(fields: OdcsFields, column: Column | None, table: OdcsFields, draft: Draft) -> None:
    refuse_others(fields)
    query = (fields.text("query") or "").rstrip("; \n")
    threshold = read_threshold(fields)
    if not query:
        fields.problem("query", "is not there; write the query over {object}.")
        return
    if column is not None:
        query = _COLUMN.sub(lambda _: name_in_sql(column.name), query)
    query = _over_table(_TABLE.sub("{table}", query), table)
    left = _VARIABLE.search(query)
    if left is not None:
        fields.problem("query", f"holds {shown(left[0])}, which nothing here replaces.")
    elif "{table}" not in query:
        fields.problem("query", "does not read {object}, the rows that would load.")
    elif threshold is not None:
        _add(fields, query, threshold, f"{safe(column.name)}_sql" if column else "sql", draft)


def _over_table(query: str, table: OdcsFields) -> str:
    """The query with the object, where it reads that by its own name, as `{table}`, and still called so."""
    for name in filter(None, (table.text("name"), table.text("physicalName"))):
        written = re.escape(name)
        called = re.search(rf"(?i)(?<![\w.])`?{written}`?\s*\.", query) is not None
        own = rf"(?i)\b(?P<word>FROM|JOIN)\s+(`{written}`|{written}(?![\w.(]))(?P<bare>{_NO_ALIAS})?"
        alias = f" AS {name_in_sql(name)}" if called else ""
        parts, end = [], 0
        for found in re.finditer(own, query):
            parts += [query[end : found.start()], f"{found['word']} {{table}}", "" if found["bare"] is None else alias]
            end = found.end()
        query = "".join([*parts, query[end:]])
    return query


def _row_count(rule: LibraryRule, draft: Draft) -> None:
    """The least number of rows is the contract's `min_rows`; other limits are a rule of the whole file."""
    fields = rule.fields
    if rule.threshold.percent:
        fields.problem("unit", "is not supported for rowCount, which counts rows.")
        return
    least, rest = rule.threshold.split_least()
    if least is not None:
        if draft.min_rows is not None:
            fields.problem("metric" if "metric" in fields else "rule", "gives a least number of rows a second time.")
        if policy(fields) is Policy.WARN:
            fields.problem("severity", "is not supported here: a least number of rows has the contract's policy.")
        draft.min_rows = max(0, least)
    if rest is not None:
        _add(fields, rest.over_table("COUNT(*)"), rest, "rowCount", draft)


def _duplicates(rule: LibraryRule, names: dict[str, Column], draft: Draft) -> None:
    fields = rule.fields
    arguments = fields.inner("arguments")
    listed = [scalar.text for scalar in scalars_of(arguments, "properties")] if arguments else []
    unknown = [name for name in listed if name not in names]
    if unknown or not listed:
        what = (
            f"names {shown(unknown[0])!r}, which is no property."
            if unknown
            else "must have properties, a list of columns."
        )
        fields.problem("arguments", what)
        return
    columns = [names[name] for name in listed]
    if rule.threshold.zero:
        check = checks.Unique(tuple(column.name for column in columns[1:]))
        reason = f"duplicate_{'_'.join(safe(column.name) for column in columns)}"
        draft.add_rule(columns[0].name, columns[0].type, rule.said(check), reason)
        return
    quoted = [name_in_sql(column.name) for column in columns]
    present = " AND ".join(f"{name} IS NOT NULL" for name in quoted)
    _whole_file(rule, f"(COUNT(*) FILTER (WHERE {present}) - COUNT(DISTINCT {', '.join(quoted)}))", None, draft)
