"""Prepares what Airflow's parts share: the page's one user, and Airflow's database in this version's shape.

It runs before each of them, and a second time changes nothing but the password, to what the environment says.
"""

import json
import os
import sys
from pathlib import Path

# Where there is no such file, Airflow writes one with every default of its version, which would outlive an upgrade.
CONFIG = "# Airflow reads this file; what it needs is set in the environment, which wins.\n"


def main() -> None:
    """Write the files, then become `airflow db migrate`."""
    os.umask(0o077)
    config = Path(os.environ["AIRFLOW_HOME"], "airflow.cfg")
    config.parent.mkdir(parents=True, exist_ok=True)
    if not config.exists():
        config.write_text(CONFIG, encoding="utf-8")
    # Airflow keeps this file open for writing, so it cannot be a read-only secret of the container's.
    passwords = Path(os.environ["AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"])
    made = passwords.with_suffix(".new")
    made.write_text(json.dumps({"admin": os.environ["AIRFLOW_ADMIN_PASSWORD"]}) + "\n", encoding="utf-8")
    made.replace(passwords)
    airflow = str(Path(sys.prefix) / "bin" / "airflow")
    os.execv(airflow, [airflow, "db", "migrate"])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
