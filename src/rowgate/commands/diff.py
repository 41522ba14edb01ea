"""`rowgate diff`: what changed in a contract, whom it can break, and whether the version says so."""

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rowgate.commands.diff_git import Repository, repository
from rowgate.contract import catalog
from rowgate.contract.diff import Diff, diff
from rowgate.contract.model import Contract
from rowgate.errors import ContractError, UnusableError
from rowgate.settings import Settings

_SHORT = 10  # characters of a commit's hash


def diff_contracts(settings: Settings, old: str, new: str, *, as_json: bool) -> int:
    """Compare two contracts and print the changes.

    Args:
        settings: where the project's contracts and its repository are.
        old: a path, a name in `contracts/`, or either of them in a git revision: `main:contracts/users.py`.
        new: the same.
        as_json: print one line of JSON.

    Returns:
        0 when the version of the new one says what changed, 1 when it does not.

    Raises:
        UnusableError: one of the two cannot be had, or cannot be.
    """
    found = diff(_contract(settings, old), _contract(settings, new))
    if as_json:
        print(json.dumps(_as_json(found), ensure_ascii=False))  # noqa: T201 - what the command is for
    else:
        from rowgate.commands.diff_report import show  # noqa: PLC0415 - Rich

        show(found)
    return 0 if found.said else 1


def diff_since(settings: Settings, revision: str, removed: Collection[str], *, as_json: bool) -> int:
    """Compare every contract of the project with what it was where this branch left a revision.

    Args:
        settings: where the project's contracts and its repository are.
        revision: a git revision.
        removed: names of contracts that are removed on purpose.
        as_json: print one line of JSON.

    Returns:
        0 when each version says what changed; 1 when one does not, or a contract is gone that `removed` leaves out.

    Raises:
        UnusableError: there is no such revision, or a contract cannot be read on either side.
    """
    git = repository(settings.project)
    commit = git.fork(revision)
    after = _by_file(settings.contracts)
    with _revision(git, commit, f"{git.prefix}contracts", label=commit[:_SHORT]) as root:
        folder = root / git.prefix / "contracts"
        before = _by_file(folder) if folder.is_dir() else {}
    pairs = _pairs(before, after)
    found = [diff(old, new) for old, new in pairs]
    added = sorted({each.name for each in after.values()} - {new.name for _, new in pairs})
    gone = sorted({each.name for each in before.values()} - {old.name for old, _ in pairs})
    unsaid = [name for name in gone if name not in removed]
    if as_json:
        parts = {"contracts": [_as_json(each) for each in found], "added": added, "removed": gone}
        print(json.dumps({"since": commit, **parts}, ensure_ascii=False))  # noqa: T201 - what the command is for
    else:
        from rowgate.commands.diff_report import show_all  # noqa: PLC0415 - Rich

        show_all(f"{revision} ({commit[:_SHORT]})", found, added, gone, unsaid)
    return 0 if all(each.said for each in found) and not unsaid else 1


def _contract(settings: Settings, told: str) -> Contract:
    """The contract at a path, of a name, or of a revision; a path that is there is one, whatever it holds."""
    revision, colon, path = told.partition(":")
    if not colon or Path(told).exists():
        return catalog.find(told, settings.contracts)
    git = repository(settings.project)
    commit = git.commit(revision)
    contracts = f"{git.prefix}contracts"
    named = "/" not in path and not Path(path).suffix
    place = path if named else git.place(commit, path)
    if not path or place is None:
        raise UnusableError(f"In the revision {revision} there is no contract {path or 'without a name'}.")
    folders = [contracts] if named else [contracts, str(Path(place).parent).removeprefix(".")]
    with _revision(git, commit, *folders, label=revision) as root:
        return catalog.find(path if named else str(root / place), root / contracts)


@contextmanager
def _revision(git: Repository, commit: str, *folders: str, label: str) -> Iterator[Path]:
    """Folders of a revision; an error about a file in them names the revision instead of the private folder."""
    with git.laid_out(commit, *folders) as root:
        try:
            yield root
        except UnusableError as error:
            kind = ContractError if isinstance(error, ContractError) else UnusableError
            raise kind(str(error).replace(f"{root}/", f"{label}:")) from None


def _by_file(folder: Path) -> dict[str, Contract]:
    """The contracts of a folder, by the names of their files without the endings."""
    return {name: catalog.find(name, folder) for name in catalog.names(folder)}


def _pairs(before: Mapping[str, Contract], after: Mapping[str, Contract]) -> list[tuple[Contract, Contract]]:
    """The contracts that are one: of one name, wherever the file; or in one file, and then the name changed."""
    old = {contract.name: contract for contract in before.values()}
    new = {contract.name: contract for contract in after.values()}
    pairs = [(old[name], new[name]) for name in sorted(old) if name in new]
    pairs += [
        (before[file], after[file])
        for file in sorted(before)
        if file in after and before[file].name not in new and after[file].name not in old
    ]
    return pairs


def _as_json(found: Diff) -> dict[str, object]:
    return {
        "contract": found.contract,
        "old_version": found.old_version,
        "new_version": found.new_version,
        "step": found.step.name.lower(),
        "least_version": found.least_version,
        "version_says_so": found.said,
        "changes": [
            {
                "kind": each.kind.name.lower(),
                "where": each.where,
                "what": each.what,
                "breaks": [who for who in ("producers", "consumers") if getattr(each, who)],
                "step": each.step.name.lower(),
            }
            for each in found.changes
        ],
    }
