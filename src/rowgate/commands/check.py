"""`rowgate check`: one file judged, nothing loaded."""

import os
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.abc import MetaPathFinder
from pathlib import Path

from rowgate.contract import catalog
from rowgate.settings import Settings


def check_file(
    settings: Settings,
    environ: Mapping[str, str],
    contract_name: str,
    file: Path,
    *,
    engine: str,
    as_json: bool,
    clean: Path | None,
    rejects: Path | None,
) -> int:
    """Judge a file and print the report.

    Returns:
        0 when the file meets the contract (warnings aside), 1 when a row or the file breaches it.

    Raises:
        UnusableError: the contract, the file or an argument cannot be used.
        RowgateError: the engine failed.
    """
    contract = catalog.find(contract_name, settings.contracts)
    if engine == "spark":
        settings.make_state()  # for its log, and a Java
        from rowgate.embedded.java import java_home  # noqa: PLC0415 - only Spark needs it

        os.environ["JAVA_HOME"] = str(java_home(settings.state, environ))
    else:
        _leave_pandas_out()
    from rowgate.stages.check import check  # noqa: PLC0415 - Arrow, which a misspelt name need not wait for

    shown: dict[str, list[str]] = {}

    def look(files: list[Path]) -> None:
        from rowgate.stages.examples import examples  # noqa: PLC0415 - DuckDB

        shown.update(examples(contract, files))

    report = check(
        contract,
        file,
        engine=engine,
        now=datetime.now(UTC),
        clean=clean,
        rejects=rejects,
        clock=lambda: datetime.now(UTC),
        log=settings.logs / "check-spark.log",
        look=None if as_json else look,
        loaded=settings.open_lake,
    )
    if as_json:
        print(report.to_json())  # noqa: T201 - what the command is for
    else:
        from rowgate.commands.check_report import show  # noqa: PLC0415 - Rich

        show(contract, report, shown)
    return 1 if report.rejected or report.breaches else 0


def _leave_pandas_out() -> None:
    """Let Arrow find that there is no pandas, which it would import (half a second) to look at the first Python value.

    It looks once in the life of a process, and this one makes no data frames.
    """
    if "pandas" in sys.modules:
        return
    import pyarrow as pa  # noqa: PLC0415 - takes a while

    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.scalar(0)
    finally:
        sys.meta_path.remove(finder)


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == "pandas":
            raise ImportError(fullname)
