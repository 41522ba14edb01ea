"""Write the dashboards of Grafana, or compare them with what is in the tree (`--check`).

They are made by the types of Grafana's Foundation SDK and written as the JSON that Grafana provisions.
"""

import argparse
import json
import sys
from pathlib import Path

import data_quality
import pipeline
from grafana_foundation_sdk.builders.dashboard import Dashboard
from grafana_foundation_sdk.cog.encoder import JSONEncoder

FOLDER = Path(__file__).resolve().parent / "dashboards"


def render() -> dict[str, str]:
    """Every dashboard: file name in `dashboards/` -> JSON."""
    return {"data-quality.json": _json(data_quality.build()), "pipeline.json": _json(pipeline.build())}


def _json(builder: Dashboard) -> str:
    made = builder.build()
    for number, panel in enumerate(made.panels or [], start=1):
        panel.id_val = number
    return json.dumps(made, cls=JSONEncoder, indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def main() -> int:
    """Write or compare. The exit status: 1 where a file is not as the code makes it."""
    parser = argparse.ArgumentParser(description="Write the dashboards of Grafana.")
    parser.add_argument("--check", action="store_true", help="write nothing, and name the files that are stale")
    check = parser.parse_args().check
    rendered = render()
    stale = [name for name, text in rendered.items() if not _holds(FOLDER / name, text)]
    left_over = sorted(file.name for file in FOLDER.glob("*.json") if file.name not in rendered)
    for name in stale:
        if not check:
            (FOLDER / name).write_text(rendered[name], encoding="utf-8", newline="\n")
        print(f"{'stale' if check else 'written'}: monitoring/grafana/dashboards/{name}")
    for name in left_over:
        if not check:
            (FOLDER / name).unlink()
        print(f"{'left over' if check else 'removed'}: monitoring/grafana/dashboards/{name}")
    return int(check and bool(stale or left_over))


def _holds(file: Path, text: str) -> bool:
    return file.is_file() and file.read_text(encoding="utf-8") == text


if __name__ == "__main__":
    sys.exit(main())
