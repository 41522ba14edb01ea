"""Every benchmark, one after the other; arguments go to each of them."""

import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = sorted(file.name for file in FOLDER.glob("*.py") if file.name != Path(__file__).name)


def main() -> int:
    """Run them in turn: two at once would measure each other."""
    status = 0
    for name in NAMES:
        print(f"\n{name}", flush=True)
        status |= subprocess.run([sys.executable, str(FOLDER / name), *sys.argv[1:]], check=False).returncode
    return status


if __name__ == "__main__":
    sys.exit(main())
