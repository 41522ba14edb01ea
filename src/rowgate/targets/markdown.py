"""The data dictionary of a contract in Markdown, for people."""

from collections.abc import Iterator

from rowgate.contract import words
from rowgate.contract.model import MALFORMED, Contract, NaturalKey, Pii, Policy, SurrogateKey
from rowgate.targets import postgres
from rowgate.targets.markdown_text import block, code, table, text
from rowgate.targets.support import rendered_from, sentence


def render(contract: Contract) -> str:
    """The page: what a file must hold, which rules judge it, and what becomes of it."""
    parts = [
        f"<!-- {rendered_from(contract)} -->",
        f"# {text(contract.name)}",
        text(sentence(contract.description)),
        "\n".join(f"- **{fact}**: {told}" for fact, told in _facts(contract)),
        "## Columns of the file",
        table(
            ("column", "type", "required", "personal data", "goes to the warehouse", "description"), _columns(contract)
        ),
        _missing(contract),
        "## Rules",
        _order(contract),
        table(("column", "the value", "reason", "policy", "description"), _rules(contract)),
        *_dataset(contract),
        *_key(contract),
        "## Where the rows are",
        table(("place", "what it holds"), _places(contract)),
        "## Columns that are added",
        table(("column", "where", "description"), _added(contract)),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _facts(contract: Contract) -> Iterator[tuple[str, str]]:
    levels = contract.service_levels
    yield "version", text(contract.version)
    yield "owner", text(contract.owner)
    yield "policy", f"{code(contract.policy.value)}: {words.policy_in_words(contract.policy)}"
    for policy in Policy:
        if policy is not contract.policy and any(contract.policy_of(rule) is policy for rule in contract.rules):
            yield "policy of some rules", f"{code(policy.value)}: {words.policy_in_words(policy)}"
    yield "key", _key_of(contract)
    if contract.key is not None:
        again = "its row is updated" if contract.on_conflict == "update" else "its row stays as it is"
        yield "a key that is loaded already", again
    if contract.max_reject_rate is not None:
        yield "most rejected rows", f"{contract.max_reject_rate * 100:.10g}% of a file; more stop the load"
    if contract.min_rows is not None:
        yield "fewest accepted rows", f"{contract.min_rows}; fewer stop the load"
    if levels.freshness is not None:
        yield "freshness", f"at most {words.duration_in_words(levels.freshness)} between two good runs"
    if levels.availability:
        yield "availability", text(levels.availability)
    if levels.arrives:
        yield "files arrive", text(levels.arrives)


def _key_of(contract: Contract) -> str:
    match contract.key:
        case None:
            return "none: files are judged, and not loaded"
        case SurrogateKey(name):
            return f"{code(name)}, made of other columns; see [the key](#the-key)"
        case NaturalKey(columns):
            return words.listed([code(name) for name in columns])


def _columns(contract: Contract) -> Iterator[tuple[str, ...]]:
    for column in contract.columns:
        yield (
            code(column.name),
            words.type_in_words(column.type),
            "yes" if column.required else "no",
            _class(column.pii),
            "yes" if column.loaded else "no, only to the rejects",
            text(column.description),
        )


def _class(pii: Pii) -> str:
    return "no" if pii is Pii.NONE else pii.value


def _missing(contract: Contract) -> str:
    markers = words.listed([code(marker) for marker in contract.null_markers], "or")
    said = "A file's header is these columns in this order. White space around a value is taken off; a value is missing"
    return f"{said} when nothing is left{f', or {markers}' if markers else ''}."


def _order(contract: Contract) -> str:
    said = (
        "A row is given the reasons of all the rules it breaks; the first in this order is its rejection reason. "
        "A missing value passes every rule of a column that is not required."
    )
    if all(map(contract.rejects, contract.rules)):
        return said
    return f"{said} Where a rule only warns, a value that is not of its type loads as NULL."


def _rules(contract: Contract) -> Iterator[tuple[str, ...]]:
    read = "can be read: as many fields as the header has, UTF-8, every quote closed"
    stops = contract.policy is Policy.FAIL
    yield "the record", read, code(MALFORMED), code((Policy.FAIL if stops else Policy.QUARANTINE).value), ""
    for rule in contract.rules:
        yield (
            code(rule.field),
            words.rule_in_words(contract, rule, code),
            code(rule.reason),
            code(contract.policy_of(rule).value),
            text(rule.description),
        )


def _dataset(contract: Contract) -> Iterator[str]:
    if not contract.dataset_rules:
        return
    yield "## Rules about all rows of a run"
    yield (
        "Each is a query over the rows that would load. A value that is not right, or none, breaks the contract under "
        f"its policy, {code(contract.policy.value)}. Where no row would load, the rule is not evaluated."
    )
    for rule in contract.dataset_rules:
        yield f"**{text(rule.name)}** {text(sentence(rule.description))}".strip()
        yield block(rule.sql, "sql")
        yield f"Right is {rule.allowed}."


def _key(contract: Contract) -> Iterator[str]:
    key = contract.key
    if not isinstance(key, SurrogateKey):
        return
    yield "## The key"
    yield text(sentence(key.description))
    separator = "'" + key.separator.replace("'", "''") + "'"
    joined = f" || {separator} || ".join(key.sources)
    yield (
        f"{code(key.name)} (personal data: {Pii.PSEUDONYM.value}) is the MD5 of the columns' texts, without the white "
        "space around them, in UTF-8, as 32 lower-case hex digits:"
    )
    yield block(f"{key.name} = lower(hex(md5({joined})))")
    if len(key.sources) > 1:
        yield "At most one of these columns can hold the separator: two different rows are never joined to one text."
    known = words.listed([code(name) for name in key.sources])
    if any(contract.column(name).pii is not Pii.NONE for name in key.sources):
        yield (
            "**It is a pseudonym, not anonymisation.** There is no secret in it: whoever knows a person's "
            f"{known} can compute it, and whoever holds a list of people can look each of them up. A person has the "
            "same key in every file and every table, so that rows can be joined to that person. It remains personal "
            "data (GDPR, article 4(5) and recital 26)."
        )


def _places(contract: Contract) -> Iterator[tuple[str, str]]:
    day = f"{contract.name}/dt=<day>"
    key = [code(contract.key.name)] if isinstance(contract.key, SurrogateKey) else []
    loaded = words.listed([*key, "the columns that go to the warehouse"])
    yield code(f"raw/{day}/<run>.csv"), "the file's bytes as they came; never changed, never deleted"
    yield code(f"records/{day}/<run>/"), "every record, all columns of the file, as text"
    yield code(f"rejects/{day}/<run>/"), "the rejected rows, all columns of the file, as text, with their reasons"
    yield code(f"clean/{day}/<run>/"), f"the accepted rows: {loaded}, with their types"
    yield code(f"quality/{day}/<run>.json"), "the run's report: counts by reason, no values; never deleted"
    if contract.key is not None:
        keys = words.listed([code(name) for name in contract.key_columns])
        yield code(f"keys/{day}/<run>.parquet"), f"{keys} of the rows that were loaded, for rules that refer to them"
        yield code(f"{postgres.SCHEMA}.{contract.name}"), f"one row for each key: {loaded}"
        yield code(f"staging.stg_{contract.name}"), "a view of that table, of which the marts are made"


def _added(contract: Contract) -> Iterator[tuple[str, ...]]:
    yield code("record_number"), "records, rejects, clean", "Which record of the file it was, from 1."
    yield code("raw_record"), "records, rejects", "The text of a record that cannot be read; else null."
    yield code("rejection_reason"), "rejects", "The reason of the first rule that the row breaks."
    yield code("rejection_reasons"), "rejects", "The reasons of all of them."
    yield code("rejected_at"), "rejects", "When the run judged it, UTC."
    yield code("run_id"), "rejects, clean", "The run that judged the row."
    yield code("dt"), "every zone, as a folder", "The day of the run, UTC."
    if contract.key is not None:
        made = postgres.table(contract)
        for column in made.columns[len(made.loaded) :]:
            yield code(column.name), "the warehouse", text(column.description)
