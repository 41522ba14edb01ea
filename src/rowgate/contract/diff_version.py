"""Whether a contract's version says what changed (Semantic Versioning 2.0.0, semver.org)."""

from rowgate.contract.diff_kinds import Step

EARLY = "before 1.0.0 a minor step is enough for a breaking change (semver.org, item 4: anything may change)"
"""What is told where the old version is 0.y.z. That breaking changes then step the minor is what Cargo and npm read."""


def least(old: str, step: Step) -> str:
    """The lowest version that may follow `old`, a version like `1.0.0`, after changes that need the step."""
    major, minor, patch = parts(old)
    if step is Step.NONE:
        return old
    if major == 0:
        return f"0.{minor + 1}.0" if step is Step.MAJOR else f"0.{minor}.{patch + 1}"
    if step is Step.MAJOR:
        return f"{major + 1}.0.0"
    return f"{major}.{minor + 1}.0" if step is Step.MINOR else f"{major}.{minor}.{patch + 1}"


def parts(version: str) -> tuple[int, int, int]:
    """The three numbers of a version, in the order by which versions are compared."""
    major, minor, patch = map(int, version.split("."))
    return major, minor, patch


def early(version: str) -> bool:
    """Whether the version is one of initial development, 0.y.z."""
    return parts(version)[0] == 0
