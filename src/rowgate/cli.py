"""The command line. Each command reads its arguments here and does its work in `rowgate.commands`."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from rowgate.errors import RowgateError, UnusableError
from rowgate.settings import Settings, read_settings

UNUSABLE = 2

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="Judge a file by its data contract, and run the pipeline that does so.",
)


def main() -> None:
    """Run the command line; every error that a user can act on is one sentence on stderr."""
    try:
        app()
    except RowgateError as error:
        typer.echo(f"rowgate: {error}", err=True)
        sys.exit(UNUSABLE)  # 1 is kept for what a command found out about the data
    except OSError as error:
        # A path that no command could even ask about: a name too long, a folder in which this user may not look.
        where = f"{error.filename} cannot be used" if error.filename else "The system refused something"
        typer.echo(f"rowgate: {where}: {(error.strerror or type(error).__name__).lower()}.", err=True)
        sys.exit(UNUSABLE)
    except KeyboardInterrupt:
        typer.echo("rowgate: stopped.", err=True)
        sys.exit(130)


def settings() -> Settings:
    """The places of the project: the folder named by `ROWGATE_PROJECT`, or the nearest one above that has contracts."""
    named = os.environ.get("ROWGATE_PROJECT")
    if named:
        return read_settings(Path(named), os.environ)
    here = Path.cwd().resolve()
    for folder in (here, *here.parents, Path(__file__).resolve().parents[2]):
        if (folder / "contracts").is_dir() and (folder / "dags").is_dir():
            return read_settings(folder, os.environ)
    raise UnusableError(f"No project was found in {here} or above it; go to its folder, or name it in ROWGATE_PROJECT.")


@app.command()
def run(
    contract: Annotated[str, typer.Argument(help="A contract's name.")] = "users",
    rows: Annotated[int | None, typer.Option(min=0, max=100_000_000, help="Rows to generate (1000).")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same file.")] = None,
    source: Annotated[Path | None, typer.Option(help="Run this file in place of a generated one.")] = None,
    engine: Annotated[str, typer.Option(help="What judges: spark or duckdb.")] = "spark",
) -> None:
    """Run a contract's whole DAG on embedded defaults, then print a summary."""
    from rowgate.commands.run import run_dag  # noqa: PLC0415 - only this command needs it

    sys.exit(run_dag(settings(), os.environ, contract, rows=rows, seed=seed, source=source, engine=engine))


@app.command()
def check(
    contract: Annotated[str, typer.Argument(help="A contract's name in contracts/, or a path.")],
    file: Annotated[Path, typer.Argument(help="A CSV file, also gzip.")],
    engine: Annotated[str, typer.Option(help="duckdb or spark.")] = "duckdb",
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as one line of JSON.")] = False,
    clean: Annotated[Path | None, typer.Option(help="Write the accepted rows: .jsonl, .csv or .parquet.")] = None,
    rejects: Annotated[Path | None, typer.Option(help="Write the rejected rows: .jsonl, .csv or .parquet.")] = None,
) -> None:
    """Judge a file and load nothing. Exit 0: it meets the contract; 1: it does not; 2: something cannot be used."""
    from rowgate.commands.check import check_file  # noqa: PLC0415 - only this command needs it

    sys.exit(
        check_file(settings(), os.environ, contract, file, engine=engine, as_json=as_json, clean=clean, rejects=rejects)
    )


@app.command()
def generate(
    contract: Annotated[str, typer.Argument(help="A contract's name in contracts/, or a path.")],
    rows: Annotated[int, typer.Option(min=0, max=100_000_000, help="Rows to write.")] = 1000,
    dirty: Annotated[
        float | None, typer.Option(min=0, max=1, help="The share of rows that break a rule; users has dirt of its own.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same file on one day.")] = None,
    out: Annotated[str, typer.Option(help="A file, compressed if it ends in .gz; - is standard output.")] = "-",
) -> None:
    """Write a file of plausible rows for a contract, some of them broken if asked for."""
    from rowgate.commands.generate import generate_file  # noqa: PLC0415 - only this command needs it

    sys.exit(generate_file(settings(), contract, rows=rows, dirty=dirty, seed=seed, out=out))


@app.command()
def init(
    file: Annotated[Path, typer.Argument(help="A CSV file, also gzip.")],
    name: Annotated[str | None, typer.Option(help="The contract's name; made of the file's if left out.")] = None,
    out: Annotated[
        str | None, typer.Option(help="Where the draft goes (contracts/NAME.yaml); - is standard output.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a contract that is there.")] = False,
) -> None:
    """Draft a contract from a file; lines to confirm are marked."""
    from rowgate.commands.init import init_contract  # noqa: PLC0415 - only this command needs it

    sys.exit(init_contract(settings(), file, name=name, out=out, force=force))


@app.command()
def render(
    contract: Annotated[str | None, typer.Argument(help="A contract's name; every contract if left out.")] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Compare, and write nothing; exit 1 when a file is stale.")
    ] = False,
) -> None:
    """Write every file that comes from a contract."""
    from rowgate.commands.render import render_artifacts  # noqa: PLC0415 - only this command needs it

    sys.exit(render_artifacts(settings(), contract, check=check))


@app.command()
def dictionary(
    contract: Annotated[
        str | None, typer.Argument(help="A contract's name, or a path; the personal data of all if left out.")
    ] = None,
) -> None:
    """Print a contract's data dictionary, or where the personal data of all contracts is, in Markdown."""
    from rowgate.commands.dictionary import print_dictionary  # noqa: PLC0415 - only this command needs it

    sys.exit(print_dictionary(settings(), contract))


@app.command()
def query(
    sql: Annotated[str | None, typer.Argument(help="A query in Athena's SQL; also SHOW TABLES and DESCRIBE.")] = None,
    saved: Annotated[str | None, typer.Option(help="The name of a saved query.")] = None,
    listed: Annotated[bool, typer.Option("--list", help="List the saved queries.")] = False,
    value: Annotated[list[str] | None, typer.Option(help="A text for a ? of the query; one for each.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print each row as one line of JSON.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
) -> None:
    """Ask Athena's tables on the lake, without an account. It only reads."""
    from rowgate.commands.query import query as ask  # noqa: PLC0415 - only this command needs it

    sys.exit(ask(settings(), sql, saved=saved, listed=listed, values=value or [], as_json=as_json, as_csv=as_csv))


@app.command()
def runs(
    contract: Annotated[str | None, typer.Argument(help="A contract's name; every contract if left out.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many runs at most.")] = 20,
    as_json: Annotated[bool, typer.Option("--json", help="Print each report as one line of JSON.")] = False,
) -> None:
    """List the runs, newest first, with what became of their records."""
    from rowgate.commands.runs import list_runs  # noqa: PLC0415 - only this command needs it

    sys.exit(list_runs(settings(), contract, limit=limit, as_json=as_json))


@app.command()
def report(
    contract: Annotated[str | None, typer.Argument(help="A contract's name; every contract if left out.")] = None,
    run: Annotated[str | None, typer.Option(help="The run's id; the newest run if left out.")] = None,
    out: Annotated[
        str | None, typer.Option(help="The HTML file; - is standard output (.rowgate/reports/CONTRACT/RUN.html).")
    ] = None,
) -> None:
    """Make one run's page again: what was rejected and why, the trend, the tasks, the zones."""
    from rowgate.commands.report import make_report  # noqa: PLC0415 - only this command needs it

    sys.exit(make_report(settings(), contract, run, out))


@app.command()
def diff(
    old: Annotated[
        str | None, typer.Argument(help="A path, a name in contracts/, or one in a revision: main:contracts/users.py.")
    ] = None,
    new: Annotated[str | None, typer.Argument(help="The same.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Compare every contract with what it was where this branch left a revision.")
    ] = None,
    removed: Annotated[list[str] | None, typer.Option(help="With --since: a contract that is to be gone.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the changes as one line of JSON.")] = False,
) -> None:
    """Say what changed in a contract and whom it can break. Exit 1: the version does not say so; 2: unusable."""
    from rowgate.commands.diff import diff_contracts, diff_since  # noqa: PLC0415 - only this command needs it

    if since is not None and old is None:
        sys.exit(diff_since(settings(), since, removed or [], as_json=as_json))
    if old is None or new is None or since is not None or removed:
        raise UnusableError("Name two contracts, OLD and NEW; or none, and --since REVISION.")
    sys.exit(diff_contracts(settings(), old, new, as_json=as_json))


@app.command()
def airflow() -> None:
    """Start Airflow with its web page, on the same embedded defaults as `run`. Ctrl-C ends it."""
    from rowgate.embedded.standalone import standalone  # noqa: PLC0415 - only this command needs it

    sys.exit(standalone(settings().project, os.environ, progress=lambda line: typer.echo(line, err=True)))


@app.command()
def dashboard(
    demo: Annotated[bool, typer.Option("--demo", help="Show made-up data, gone when it ends.")] = False,
    host: Annotated[
        str,
        typer.Option(help="The address it listens on; whoever reaches 0.0.0.0 sees the page, though no personal data."),
    ] = "127.0.0.1",
    port: Annotated[
        int | None, typer.Option(min=1, max=65535, help="Where it listens; the first free one from 8501 if left out.")
    ] = None,
) -> None:
    """Show runs, rejections and marts in the browser, on this machine alone by default. Ctrl-C ends it."""
    from rowgate.commands.dashboard import open_dashboard  # noqa: PLC0415 - only this command needs it

    sys.exit(open_dashboard(settings(), os.environ, made_up=demo, host=host, port=port))


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def psql(context: typer.Context) -> None:
    """Open psql on the embedded warehouse; what follows is handed to psql (`rowgate psql -c 'select 1'`)."""
    from rowgate.commands.psql import open_psql  # noqa: PLC0415 - only this command needs it

    open_psql(settings(), os.environ, context.args)


@app.command()
def stop() -> None:
    """Stop the embedded Postgres. Its data stays."""
    from rowgate.embedded import postgres  # noqa: PLC0415 - only this command needs it

    stopped = postgres.stop(settings().state / "postgres")
    typer.echo("Postgres is stopped; its data stays." if stopped else "Postgres was not running.")
