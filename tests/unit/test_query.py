"""Athena's tables asked on the lake: what is answered, what is read, and what is refused."""

import datetime as dt
import decimal
import io
import json
import os
import signal
import subprocess

import duckdb
import pytest

from rowgate.adapters.lake import open_lake
from rowgate.commands import plain_table, query_output
from rowgate.contract.checks import Between, NotBlank, Typed
from rowgate.contract.model import Column, Contract, FieldRule
from rowgate.contract.types import Decimal, Integer, Text, Timestamp
from rowgate.errors import RowgateError, UnusableError
from rowgate.stages.ingest import Source, ingest
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.query import _Reader, asked
from rowgate.stages.query_sql import translated
from rowgate.stages.query_views import files
from rowgate.stages.run import Run
from rowgate.targets import athena_tables

TOY = Contract(
    "toy",
    "1.0.0",
    "us",
    (
        Column("Full Name", Text(), required=True),
        Column("n", Integer(32)),
        Column("sum", Decimal(10, 2)),
        Column("at", Timestamp()),
    ),
    (
        FieldRule("Full Name", NotBlank(), "Name_missing"),
        FieldRule("n", Between(0, 9), "n_wrong"),
        FieldRule("sum", Typed(), "sum_wrong"),
        FieldRule("at", Typed(), "at_wrong"),
    ),
)
TABLES = {table.name: table for table in athena_tables.tables(TOY)}
DAYS = [dt.datetime(2026, 3, day, 12, tzinfo=dt.UTC) for day in (1, 2, 3)]


@pytest.fixture(scope="module")
def lake(tmp_path_factory):
    """Three runs, a day each, of one good and one bad row."""
    found = open_lake(f"file://{tmp_path_factory.mktemp('lake')}/a lake, it's λίμνη")
    for number, day in enumerate(DAYS, 1):
        run = Run("toy", f"manual__{number}", day)
        content = f"Full Name,n,sum,at\nx{number},{number},1.5,2026-01-01T01:00:00+02:00\n,99,,\n".encode()
        ingest(TOY, run, Source("toy.csv", lambda content=content: io.BytesIO(content)), found)
        transform_duckdb(TOY, run, found, now=day)
    return found


def answer(lake, sql, *values, tables=TABLES):
    with asked(sql, tables, lake, values=values) as found:
        return found.columns, list(found.rows)


def rows(lake, sql, *values):
    return answer(lake, sql, *values)[1]


def test_a_clean_row_has_the_tables_columns_typed(lake):
    assert answer(lake, "SELECT * FROM toy_clean WHERE n = 2") == (
        ("full_name", "n", "sum", "at", "record_number", "run_id", "dt"),
        [("x2", 2, decimal.Decimal("1.50"), dt.datetime(2025, 12, 31, 23), 1, "manual__2", "2026-03-02")],  # noqa: DTZ001 - Athena's timestamps have no zone
    )


def test_a_reject_has_its_reasons_as_a_list(lake):
    found = rows(lake, "SELECT rejection_reasons, rejected_at FROM toy_rejects WHERE dt = '2026-03-01'")
    assert found == [(["Name_missing", "n_wrong"], dt.datetime(2026, 3, 1, 12))]  # noqa: DTZ001 - the same


@pytest.mark.parametrize("table", ["rowgate.toy_clean", "awsdatacatalog.rowgate.toy_clean", "TOY_CLEAN", '"toy_clean"'])
def test_a_table_has_the_names_that_athena_gives_it(lake, table):
    assert rows(lake, f"SELECT count(*) FROM {table}") == [(3,)]


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT date_format(date '2026-03-01', '%d.%m.%Y')", "01.03.2026"),
        ("SELECT date_parse('2026-03-01', '%Y-%m-%d') = timestamp '2026-03-01 00:00:00'", True),
        ("SELECT 7 / 2", 3),
        ("SELECT 7e0 / 2", 3.5),
        ("SELECT cardinality(filter(ARRAY['a', 'b'], x -> x <> 'a'))", 1),
        ("SELECT element_at(violations_by_reason, 'Name_missing') FROM toy_quality LIMIT 1", 1),
        ("SELECT sum(v) FROM toy_quality CROSS JOIN UNNEST(violations_by_reason) AS t (k, v)", 6),
        ("SELECT sum(v) FROM toy_quality q, UNNEST(q.violations_by_reason) AS t (k, v) WHERE k = 'n_wrong'", 3),
        ("SELECT max(r) FROM toy_rejects CROSS JOIN UNNEST(rejection_reasons) AS t (r)", "n_wrong"),
        ("WITH toy_clean AS (SELECT n FROM toy_clean) SELECT sum(n) FROM toy_clean", 6),
        ("SELECT max(date(from_iso8601_timestamp(started_at))) FROM toy_quality", dt.date(2026, 3, 3)),
    ],
)
def test_athenas_sql_means_what_it_means_in_athena(lake, sql, expected):
    assert rows(lake, sql) == [(expected,)]


def test_a_column_without_a_name_is_called_by_its_place_as_in_athena(lake):
    columns, _ = answer(lake, "SELECT n, n + 1, count(*) FROM toy_clean GROUP BY n UNION ALL SELECT 1, 2, 3")
    assert columns == ("n", "_col1", "_col2")


def test_a_value_is_given_apart_from_the_query(lake):
    assert rows(lake, "SELECT n FROM toy_clean WHERE full_name = ?", "x3") == [(3,)]


def test_values_that_are_not_as_many_as_asked_for_are_an_error(lake):
    with pytest.raises(UnusableError, match="--value"):
        rows(lake, "SELECT n FROM toy_clean WHERE full_name = ?")


def damage(lake, tmp_path, place):
    """A copy of the lake in which one file is damaged, so that whoever opens it fails."""
    copy = open_lake(f"file://{tmp_path}/copy")
    for zone in ("clean", "quality"):
        for key in lake.list(zone):
            copy.write_bytes(key, b"damaged" if place in key and "_SUCCESS" not in key else lake.read_bytes(key))
    return copy


@pytest.mark.parametrize(
    "where",
    [
        "dt >= '2026-03-02'",
        "dt = '2026-03-03'",
        "dt BETWEEN '2026-03-02' AND '2026-03-09'",
        "dt > date_format(date '2026-03-31' - INTERVAL '30' DAY, '%Y-%m-%d')",
        "dt IN ('2026-03-02', '2026-03-03') AND n > 0",
    ],
)
def test_files_of_days_that_a_query_leaves_out_are_not_opened(lake, tmp_path, where):
    damaged = damage(lake, tmp_path, "clean/toy/dt=2026-03-01")
    assert rows(damaged, f"SELECT count(*) > 0 FROM toy_clean WHERE {where}") == [(True,)]


def test_reports_of_days_that_a_query_leaves_out_are_not_opened(lake, tmp_path):
    damaged = damage(lake, tmp_path, "quality/toy/dt=2026-03-01")
    assert rows(damaged, "SELECT count(*) FROM toy_quality WHERE dt >= '2026-03-02' AND total = 2") == [(2,)]


def test_a_damaged_file_that_is_read_is_an_error_in_one_sentence(lake, tmp_path):
    damaged = damage(lake, tmp_path, "clean/toy/dt=2026-03-01")
    with pytest.raises(RowgateError, match="failed while it ran") as raised:
        rows(damaged, "SELECT sum(n) FROM toy_clean")
    assert "\n" not in str(raised.value)


def test_zones_that_a_query_does_not_name_are_not_listed(lake):
    class Listed:
        def __init__(self):
            self.zones = []

        def entries(self, prefix):
            self.zones.append(prefix)
            return lake.entries(prefix)

        def local(self, key):
            return lake.local(key)

    seen = Listed()
    rows(seen, "SELECT count(*) FROM toy_clean")
    assert seen.zones == ["clean/toy"]


def test_a_folder_that_is_not_whole_is_not_read(lake, tmp_path):
    copy = damage(lake, tmp_path, "nothing")
    lake_copy = copy.local("clean/toy/dt=2026-03-02/manual____2/_SUCCESS")
    lake_copy.unlink()
    assert rows(copy, "SELECT n FROM toy_clean ORDER BY n") == [(1,), (3,)]


def test_a_table_whose_zone_is_empty_has_its_columns_and_no_row(tmp_path):
    nothing = open_lake(f"file://{tmp_path}/none")
    assert answer(nothing, "SELECT * FROM toy_quality WHERE total > 0")[0][:3] == ("contract", "version", "run_id")
    assert rows(nothing, "SELECT * FROM toy_rejects WHERE cardinality(rejection_reasons) > 1") == []


def test_a_file_from_before_a_column_was_there_has_null_in_it(lake):
    wider = Contract(
        "toy",
        "1.1.0",
        "us",
        (*TOY.columns, Column("later", Integer(64))),
        (*TOY.rules, FieldRule("later", Typed(), "later_wrong")),
    )
    tables = {table.name: table for table in athena_tables.tables(wider)}
    found = answer(lake, "SELECT DISTINCT later, dt > '2026' FROM toy_clean", tables=tables)
    assert found[1] == [(None, True)]


class Elsewhere:
    """The lake as one that is not on this machine; what is opened is noted."""

    def __init__(self, lake):
        self._lake = lake
        self.opened = set()

    def local(self, key):  # noqa: ARG002 - the protocol's
        return None

    def entries(self, prefix):
        return self._lake.entries(prefix)

    def open(self, key):
        self.opened.add(key.split("/")[2])
        return self._lake.open(key)


def test_a_lake_elsewhere_gives_the_same_answer(lake):
    sql = "SELECT c.full_name, c.n, q.total FROM toy_clean c JOIN toy_quality q ON q.run_id = c.run_id ORDER BY c.n"
    assert rows(Elsewhere(lake), sql) == rows(lake, sql) == [("x1", 1, 2), ("x2", 2, 2), ("x3", 3, 2)]


@pytest.mark.parametrize("table", ["toy_clean", "toy_quality"])
def test_of_a_lake_elsewhere_only_the_days_that_are_asked_for_are_opened(lake, table):
    far = Elsewhere(lake)
    rows(far, f"SELECT run_id FROM {table} WHERE dt >= '2026-03-03'")
    assert far.opened == {"dt=2026-03-03"}


def test_what_a_lake_elsewhere_says_when_it_fails_is_what_is_told(lake):
    class Down(Elsewhere):
        def open(self, key):  # noqa: ARG002 - the protocol's
            raise RowgateError("The store is down; wait.")

    with pytest.raises(RowgateError, match="The store is down"):
        rows(Down(lake), "SELECT count(n) FROM toy_clean")


@pytest.mark.parametrize(
    "sql",
    [
        "COPY (SELECT 1) TO '/tmp/rowgate-query-out.csv'",
        "ATTACH '/tmp/rowgate-query-out.db'",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET memory_limit = '9GB'",
        "PRAGMA database_list",
        "CREATE TABLE mine AS SELECT 1",
        "INSERT INTO toy_clean SELECT * FROM toy_clean",
        "UPDATE toy_clean SET n = 1",
        "DELETE FROM toy_clean",
        "DROP TABLE toy_clean",
        "EXPLAIN ANALYZE SELECT 1",
        "CALL something()",
        "SELECT 1; DROP TABLE toy_clean",
        "SELECT n INTO mine FROM toy_clean",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM toy_clean, LATERAL read_text('/etc/passwd')",
        "SELECT * FROM TABLE(read_text('/etc/passwd'))",
        "SELECT (SELECT count(*) FROM read_text('/etc/passwd'))",
        "SELECT * FROM '/etc/passwd'",
        'SELECT * FROM "/etc/passwd"',
        "SELECT * FROM information_schema.tables",
        "SELECT * FROM duckdb_settings()",
        "",
        ";",
        "-- nothing",
    ],
)
def test_what_does_more_than_read_the_tables_is_refused_in_one_sentence(lake, sql):
    with pytest.raises(UnusableError) as raised:
        rows(lake, sql)
    assert "\n" not in str(raised.value)
    assert str(raised.value).endswith(".")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM read_text('/etc/passwd')",
        "COPY (SELECT 1) TO '/tmp/rowgate-query-out.csv'",
        "ATTACH '/tmp/rowgate-query-out.db'",
        "INSTALL httpfs",
        "SET enable_external_access = true",
    ],
)
def test_duckdb_itself_refuses_what_would_get_past_the_translation(lake, tmp_path, sql):
    question = translated("SELECT n FROM toy_clean", TABLES)
    with duckdb.connect() as connection:
        reader = _Reader(connection, question, (), lake, None)
        reader.prepare({table: files(lake, table) for table in question.tables}, str(tmp_path))
        assert connection.execute(question.sql).fetchall() != []
        with pytest.raises((duckdb.PermissionException, duckdb.InvalidInputException)):
            connection.execute(sql)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("SELECT * FROM toy_claen", "no table toy_claen; did you mean toy_clean?"),
        ("SELECT nn FROM toy_clean", "no column nn here; toy_clean has full_name, n, sum, at"),
        ("SELECT t.nn FROM toy_clean t", "no column nn here"),
        ("SELECT n FROM toy_clean WHERE", "cannot be read as Athena's SQL"),
        ("SELECT 'a", "cannot be read as Athena's SQL"),
        ("SELECT nofunction(n) FROM toy_clean", "nofunction"),
        ("SELECT * FROM other.toy_clean", "database rowgate"),
    ],
)
def test_what_cannot_be_asked_is_one_sentence_that_says_what_there_is(lake, sql, said):
    with pytest.raises(UnusableError) as raised:
        rows(lake, sql)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_error_while_rows_are_read_quotes_no_value(lake):
    with pytest.raises(UnusableError) as raised:
        rows(lake, "SELECT CAST(full_name AS integer) FROM toy_clean")
    assert "x1" not in str(raised.value)


def test_a_big_answer_is_read_as_it_is_asked_for(lake):
    crossed = " CROSS JOIN ".join(f"toy_records r{at}" for at in range(20))  # 6 to the power of 20 rows
    with asked(f"SELECT r0.n FROM {crossed}", TABLES, lake) as found:
        assert next(found.rows) is not None


VALUES = [None, "", "a,b", 'say "x"\n', decimal.Decimal("1.50"), True, float("nan"), ["a", "b"], {"k": [1, None]}]
MOMENTS = [dt.date(2026, 3, 1), dt.datetime(2026, 3, 1, 1, 2, 3, 40, tzinfo=dt.timezone(dt.timedelta(hours=2)))]


def written(write, columns, found):
    out = io.StringIO()
    write(columns, iter(found), out)
    return out.getvalue()


def test_json_is_one_object_in_a_line_with_decimals_and_moments_as_text():
    names = [f"c{at}" for at in range(len(VALUES + MOMENTS))]
    [line] = written(query_output.json_lines, names, [VALUES + MOMENTS]).splitlines()
    assert list(json.loads(line).values()) == [
        *(None, "", "a,b", 'say "x"\n', "1.50", True, "nan", ["a", "b"], {"k": [1, None]}),
        *("2026-03-01", "2026-02-28T23:02:03.000040Z"),
    ]


def test_json_keeps_both_of_two_columns_with_one_name():
    assert written(query_output.json_lines, ["a", "a", "a_2"], [(1, 2, 3)]) == '{"a": 1, "a_2": 2, "a_2_2": 3}\n'


def test_csv_tells_null_from_an_empty_text_and_joins_reasons():
    names = [f"c{at}" for at in range(len(VALUES))]
    _, text = written(query_output.csv_lines, names, [VALUES]).split("\n", 1)
    assert text == ',"","a,b","say ""x""\n",1.50,true,nan,a|b,"{""k"": [1, null]}"\n'


def test_a_table_is_aligned_by_the_places_of_a_terminal_and_numbers_stand_at_the_right():
    assert written(plain_table.write, ["name", "n"], [("日本", 1), ("x", 200)]).splitlines() == [
        "name    n",
        "----  ---",
        "日本    1",
        "x     200",
    ]


def test_a_table_cannot_steer_a_terminal():
    assert written(plain_table.write, ["x"], [("\x1b[2J\na",)]).splitlines()[2] == r"\x1b[2J\na"


def test_a_table_that_does_not_fit_a_terminal_has_a_line_for_each_value(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    monkeypatch.setenv("COLUMNS", "20")
    out = Terminal()
    plain_table.write(["first", "b"], [("x" * 20, 1)], out)
    assert out.getvalue().splitlines() == ["-[ 1 ]-", f"first  {'x' * 20}", "b      1"]


@pytest.fixture
def run(run_cli, project, tmp_path):
    env = dict(os.environ) | {"ROWGATE_PROJECT": str(project), "ROWGATE_LAKE": f"file://{tmp_path}/lake"}
    return lambda *arguments: run_cli("query", *arguments, env=env)


def test_the_command_prints_a_table(run):
    assert run("SELECT 1 AS one, 'x' AS letter").stdout == "one  letter\n---  ------\n  1  x\n"


def test_the_command_prints_json_and_csv(run):
    sql = "SELECT CAST(1.5 AS decimal(5, 2)) AS d, NULL AS nothing"
    assert (run(sql, "--json").stdout, run(sql, "--csv").stdout) == (
        '{"d": "1.50", "nothing": null}\n',
        "d,nothing\n1.50,\n",
    )


def test_a_saved_query_is_asked_by_its_name(run):
    assert run("--saved", "users_rejections_by_reason", "--csv").stdout == "reason,stopped_first,broken_in_all\n"


def test_the_saved_queries_are_listed(run):
    names = [json.loads(line)["name"] for line in run("--list", "--json").stdout.splitlines()]
    assert {"users_raw_sample", "till_orders_trend_by_source", "transactions_why_not_in_warehouse"} <= set(names)


def test_tables_and_columns_are_told_without_a_lake(run):
    assert "transactions_rejects" in run("SHOW TABLES").stdout
    told = {
        line["col_name"]: line["data_type"]
        for line in map(json.loads, run("DESCRIBE rowgate.users_clean", "--json").stdout.splitlines())
    }
    assert (told["user_id"], told["age"], told["dt"]) == ("string", "int", "string")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "--list"),
        (["SELECT 1", "--list"], "one thing"),
        (["SELECT 1", "--json", "--csv"], "not both"),
        (["--saved", "nothing"], "--list"),
        (["--saved", "raw_sample"], "users_raw_sample"),
        (["--saved", "users_why_not_in_warehouse"], "asks for the id"),
        (["DESCRIBE users_claen"], "did you mean users_clean?"),
        (["EXPLAIN SELECT 1"], "begins with EXPLAIN"),
    ],
)
def test_wrong_arguments_are_one_sentence_and_exit_2(run, arguments, said):
    done = run(*arguments)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert said in done.stderr


PROGRAM = """
import os
import signal
import sys
from rowgate.adapters.lake import open_lake
from rowgate.contract import catalog
from rowgate.stages.query import asked
from rowgate.targets import athena_tables

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in a shell's background

class Elsewhere:
    def __init__(self, lake):
        self.lake, self.entries, self.local = lake, lake.entries, lambda key: None

    def open(self, key):
        os.write(1, b"at work\\n")  # DuckDB reads, in several threads, so the signal will find it in the middle
        return self.lake.open(key)

tables = {table.name: table for table in athena_tables.tables(catalog.find(sys.argv[2], None))}
crossed = " CROSS JOIN ".join(f"toy_records r{at}" for at in range(20))
try:
    lake = Elsewhere(open_lake(sys.argv[1]))
    with asked(f"SELECT count(*) FROM {crossed} WHERE r0.run_id > r19.run_id", tables, lake):
        pass
except KeyboardInterrupt:
    sys.exit(130)
"""
YAML = """
name: toy
version: 1.0.0
owner: us
columns:
  - {name: Full Name, type: string}
"""


def test_ctrl_c_ends_a_query_at_work(project, lake, tmp_path):
    (tmp_path / "toy.yaml").write_text(YAML)
    command = [project / ".venv" / "bin" / "python", "-c", PROGRAM, lake.uri, tmp_path / "toy.yaml"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "at work\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
