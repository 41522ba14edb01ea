"""Where things are: read once from the environment by whoever starts the work, then handed on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rowgate.adapters.lake import Lake


@dataclass(frozen=True)
class Settings:
    """The places of one project.

    Attributes:
        project: the folder that holds `contracts/`, `dags/` and `dbt/`.
        state: the one folder for everything that is made while running.
        lake: the lake's URI.
        aws: the connection `aws_default`, as Airflow's environment has it; empty where it has none. It may hold keys.
    """

    project: Path
    state: Path
    lake: str
    aws: str = field(default="", repr=False)

    def open_lake(self) -> "Lake":
        """Open the lake, for who is not a task of Airflow's, which resolves its connections itself.

        Raises:
            UnusableError: the lake's address, or the connection, cannot be used.
        """
        from rowgate.adapters.lake import open_lake  # noqa: PLC0415 - most of those who read settings open no lake

        if not (self.aws and self.lake.startswith("s3://")):
            return open_lake(self.lake)
        from rowgate.adapters.aws_connection import aws_of  # noqa: PLC0415 - boto3, which a folder does not need

        aws = aws_of(self.aws)
        return open_lake(self.lake, aws.session(), aws.endpoint or None)

    def make_state(self) -> None:
        """Make the state folder, for its owner alone, where there is none.

        Raises:
            OSError: it cannot be made.
        """
        self.state.mkdir(mode=0o700, parents=True, exist_ok=True)

    @property
    def contracts(self) -> Path:
        """The folder of the contracts."""
        return self.project / "contracts"

    @property
    def logs(self) -> Path:
        """The folder of the logs."""
        return self.state / "logs"


def read_settings(project: Path, environ: Mapping[str, str]) -> Settings:
    """The settings of a project: `ROWGATE_STATE` and `ROWGATE_LAKE`, or what lies in the project's `.rowgate/`.

    Who reaches a lake on S3 is said by `AIRFLOW_CONN_AWS_DEFAULT`, or by what boto3 finds.
    """
    project = project.resolve()
    state = Path(environ.get("ROWGATE_STATE") or project / ".rowgate").resolve()
    lake = environ.get("ROWGATE_LAKE") or f"file://{state / 'lake'}"
    return Settings(project, state, lake, environ.get("AIRFLOW_CONN_AWS_DEFAULT", ""))
