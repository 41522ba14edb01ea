"""`rowgate check` from start to end, and its verdicts beside DuckDB's SQL written by hand.

A small file shows what a process costs (`rowgate` beside a bare DuckDB script), a large one what judging costs. By hand
there are two: the plain one trims blanks alone and trusts DuckDB's CSV reader, which loses rows of some files; the
equal one reads in file order and trims what the contract does, which gives the same verdicts. Ratios are of medians,
of runs in turn; a busy machine spreads them.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

PROJECT = Path(__file__).parents[1]

BY_HAND = r"""
import sys, duckdb
options, trim = sys.argv[2], sys.argv[3]
fields = ", ".join(f"{trim.format(name)} AS {name}" for name in ("name", "email", "phone", "zip_code", "age", "city"))
query = rf'''
WITH typed AS (SELECT {fields} FROM read_csv('{sys.argv[1]}', all_varchar=true, header=true{options})),
judged AS (SELECT concat_ws('|',
    CASE WHEN coalesce(name, '') = '' THEN 'invalid_name' END,
    CASE WHEN NOT coalesce(regexp_full_match(email, '[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{{2,}}'), false)
        THEN 'invalid_email' END,
    CASE WHEN NOT coalesce(regexp_full_match(phone, '69[0-9]{{8}}'), false) THEN 'invalid_phone' END,
    CASE WHEN NOT coalesce(regexp_full_match(zip_code, '[0-9]{{5}}'), false) THEN 'invalid_zip_code' END,
    CASE WHEN NOT coalesce(regexp_full_match(age, '[+-]?[0-9]+') AND TRY_CAST(age AS INT) BETWEEN 18 AND 99, false)
        THEN 'invalid_age' END,
    CASE WHEN coalesce(city, '') = '' THEN 'invalid_city' END) AS reasons FROM typed)
SELECT reasons, count(*) FROM judged GROUP BY reasons'''
rows = dict(duckdb.connect().execute(query).fetchall())
print(sum(rows.values()), rows.get("", 0))
"""


def commands(file: Path) -> dict[str, list[str]]:
    """The ways to judge a file, each a process of its own."""
    from rowgate.contract.values import WHITE_SPACE  # noqa: PLC0415 - not needed for --help

    blanks = " || ".join(f"chr({ord(each)})" for each in WHITE_SPACE)
    hand = [sys.executable, "-c", BY_HAND, str(file)]
    return {
        "rowgate": [str(PROJECT / ".venv/bin/rowgate"), "check", "users", str(file), "--json"],
        "by hand, plain": [*hand, "", "trim({0})"],
        "by hand, equal": [*hand, ", parallel=false", f"trim({{0}}, {blanks})"],
    }


def timed(command: list[str]) -> tuple[float, float]:
    """Seconds that a command took by the clock and of processors."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(command, capture_output=True, check=False)
    taken = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(done.stderr.decode())
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def table(rows: int, times: int, folder: Path) -> None:
    """Measure on a file of so many rows, and print a table."""
    from rowgate.stages.generate import write_users  # noqa: PLC0415 - Faker

    file = folder / f"users-{rows}.csv"
    with file.open("wb") as out:
        write_users(out, rows=rows, seed=1)
    ways = commands(file)
    taken: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
    for command in ways.values():
        timed(command)  # the first one fills caches
    for _ in range(times):
        for way, command in ways.items():
            taken[way].append(timed(command))
    base = median(wall for wall, _ in taken["rowgate"])
    print(f"\n{rows:,} rows, {file.stat().st_size / 1e6:.1f} MB, medians of {times}")
    print(f"{'':<16}{'seconds':>9}{'processor':>11}{'rowgate is':>12}")
    for way, figures in taken.items():
        wall, processor = (median(each[at] for each in figures) for at in (0, 1))
        print(f"{way:<16}{wall:>9.2f}{processor:>11.2f}{base / wall:>11.2f}x")


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--times", type=int, default=5)
    args = parser.parse_args()
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # compiled modules belong to every run but the first
    with tempfile.TemporaryDirectory() as name:
        table(1000, 2 * args.times, Path(name))
        table(args.rows, args.times, Path(name))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"\nhighest memory of any of them: {peak / 1e3:.0f} MB")


if __name__ == "__main__":
    main()
