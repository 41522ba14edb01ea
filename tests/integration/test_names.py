"""Odd column names from a file to the warehouse: blanks, dots, quotes, other alphabets and words of SQL's own."""

import datetime as dt
import os
import shutil

import pytest

from rowgate.contract.checks import Between, Expression, Matches, NotBlank, OneOf, Typed, Unique
from rowgate.contract.model import Column, Contract, DatasetRule, FieldRule, NaturalKey
from rowgate.contract.types import Date, Decimal, Integer, Text
from rowgate.stages import dbt
from rowgate.stages.ingest import ingest, open_source
from rowgate.stages.judge_duckdb import transform_duckdb
from rowgate.stages.load import load
from rowgate.stages.run import Run
from rowgate.targets import artifacts, postgres

NOW = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
ODD = Contract(
    "odd",
    "1.0.0",
    "us",
    (
        Column("order id", Integer(32), required=True),
        Column("a.b;c{d}(e)=f", Text(), required=True),
        Column("Ηλικία", Integer(32), required=True),
        Column("select", Text()),
        Column("q'u`o'te|,", Date()),
        Column("%s/{x}", Decimal(4, 1)),
    ),
    (
        FieldRule("order id", Typed(), "bad_id"),
        FieldRule("order id", Unique(), "twice"),
        FieldRule("a.b;c{d}(e)=f", NotBlank(), "no_letters"),
        FieldRule("Ηλικία", Between(18, 99), "bad_age"),
        FieldRule("Ηλικία", Expression("`Ηλικία` + `order id` < 100"), "bad_sum"),
        FieldRule("select", Matches("[a-z]+"), "bad_select"),
        FieldRule("q'u`o'te|,", OneOf((dt.date(2026, 1, 1),)), "bad_day"),
        FieldRule("%s/{x}", Between(0), "bad_share"),
    ),
    key=NaturalKey(("order id", "a.b;c{d}(e)=f")),
    on_conflict="update",
    dataset_rules=(DatasetRule("oldest", "SELECT max(`Ηλικία`) FROM {table}", 99),),
)
FILE = """\
order id,a.b;c{d}(e)=f,Ηλικία,select,"q'u`o'te|,",%s/{x}
1,x,20,abc,2026-01-01,1.5
2,y,17,abc,2026-01-01,1.5
1,z,20,abc,2026-01-01,1.5
3,x,98,abc,2026-01-01,1.5
4,x,20,ABC,2026-01-02,-1
5,z,21,,,
"""


@pytest.fixture
def loaded(lake, warehouse, tmp_path):
    """The good rows of the file in the warehouse; the report of the run."""
    source = tmp_path / "odd.csv"
    source.write_text(FILE, encoding="utf-8")
    run = Run("odd", "one", NOW)
    ingest(ODD, run, open_source(str(source)), lake)
    report = transform_duckdb(ODD, run, lake, now=NOW)
    load(ODD, run, lake, warehouse, now=NOW)
    return report


def test_columns_of_any_name_are_judged_and_loaded(loaded, ask):
    assert {reason: rows for reason, rows in loaded.rejected_by_reason.items() if rows} == {
        "bad_age": 1,
        "twice": 1,
        "bad_sum": 1,
        "bad_select": 1,
    }
    assert ask('SELECT "order id", "a.b;c{d}(e)=f", "Ηλικία", "select" FROM warehouse.odd ORDER BY 1') == [
        (1, "x", 20, "abc"),
        (5, "z", 21, None),
    ]


@pytest.mark.usefixtures("loaded")
def test_constraints_on_columns_of_any_name_refuse_what_the_contract_refuses(insert):
    stamps = {"first_run_id": "x", "last_run_id": "x", "loaded_at": NOW}
    good = {"order id": 7, "a.b;c{d}(e)=f": "x", "Ηλικία": 20} | stamps
    assert insert("odd", good) is None
    assert insert("odd", good | {"Ηλικία": 17}) == "bad_age"
    assert insert("odd", good | {"Ηλικία": 95}) == "bad_sum"
    assert insert("odd", good | {"select": "A"}) == "bad_select"


@pytest.mark.usefixtures("loaded")
def test_dbt_builds_and_tests_columns_of_any_name(settings, project, tmp_path):
    own = tmp_path / "project"
    shutil.copytree(project / "dbt", own / "dbt", ignore=shutil.ignore_patterns("target", "logs", "users"))
    artifacts.write(own, [ODD])

    def run(command: dbt.Command) -> int:
        return dbt.run(
            ODD,
            settings,
            project=own / "dbt",
            state=tmp_path / "state",
            dbt=project / ".venv" / "bin" / "dbt",
            environ={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            command=command,
            log=tmp_path / "dbt.log",
        ).passed

    assert run("run") == 1
    assert run("test") > len(ODD.rules)


def test_a_table_may_be_called_like_a_reason_or_its_own_index(ask):
    """Postgres finds another name for the index where a constraint has it already."""
    rules = (FieldRule("toy", Matches("[a-z]+"), "toy_pkey"),)
    toy = Contract("toy", "1.0.0", "us", (Column("toy", Text(), required=True),), rules, key=NaturalKey(("toy",)))
    ask(postgres.render(toy))
    assert ask("SELECT conname FROM pg_constraint WHERE conrelid = 'warehouse.toy'::regclass AND contype = 'c'") == [
        ("toy_pkey",)
    ]
