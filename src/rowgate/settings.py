"""Where things are: read once from the environment by whoever starts the work, then handed on."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Settings:
    """The places of one project.

    Attributes:
        project: the folder that holds `contracts/`, `dags/` and `dbt/`.
        state: the one folder for everything that is made while running.
        lake: the lake's URI.
    """

    project: Path
    state: Path
    lake: str

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
    """The settings of a project: `ROWGATE_STATE` and `ROWGATE_LAKE`, or what lies in the project's `.rowgate/`."""
    project = project.resolve()
    state = Path(environ.get("ROWGATE_STATE") or project / ".rowgate").resolve()
    return Settings(project, state, environ.get("ROWGATE_LAKE") or f"file://{state / 'lake'}")
