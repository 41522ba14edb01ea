"""Finding contracts: by name in a folder, or by path."""

import difflib
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType

from rowgate.contract.model import Contract
from rowgate.contract.references import references_of, verify_references
from rowgate.errors import ContractError, UnusableError

SUFFIXES = (".py", ".yaml", ".yml")
"""What a contract's file can end in."""


def find(name_or_path: str, folder: Path) -> Contract:
    """The contract at a path (it has a slash or an ending), or the one in `folder` whose file or self has that name.

    What it refers to is looked for in `folder`, and for a contract at a path beside that as well.

    Raises:
        UnusableError: there is none, or its file cannot be read.
        ContractError: the contract cannot be, or refers to what is not there.
    """
    if "/" in name_or_path or os.sep in name_or_path or Path(name_or_path).suffix:
        path = Path(name_or_path)
        contract = load(path)
        _verify(contract, path, lambda: {**_beside(contract, path), **_readable(folder)})
        return contract
    files = _files(folder)
    named = [file for file in files if file.stem == name_or_path]
    if len(named) > 1:
        raise UnusableError(f"{named[0]} and {named[1]} are both called {name_or_path}; say which by its path.")
    path, contract = (named[0], load(named[0])) if named else _find_by_own_name(name_or_path, files, folder)
    _verify(contract, path, lambda: _readable(folder))
    return contract


def names(folder: Path) -> list[str]:
    """The names of the contracts' files in a folder, without their endings, in alphabetical order.

    Raises:
        UnusableError: there is no such folder.
    """
    return sorted({file.stem for file in _files(folder)})


def load_all(folder: Path) -> list[Contract]:
    """Every contract in a folder, by name.

    Raises:
        UnusableError: a file cannot be read, two contracts have one name, or there is no such folder.
        ContractError: a contract cannot be, or refers to what is not there.
    """
    found: dict[str, tuple[Path, Contract]] = {}
    for file in _files(folder):
        contract = load(file)
        if contract.name in found:
            raise UnusableError(f"{found[contract.name][0]} and {file} both hold a contract called {contract.name}.")
        found[contract.name] = file, contract
    contracts = {name: contract for name, (_, contract) in sorted(found.items())}
    for contract in contracts.values():
        _verify(contract, found[contract.name][0], lambda: contracts)
    return list(contracts.values())


def load(path: Path) -> Contract:
    """The contract in a file; whether what it refers to is there, a file alone cannot tell.

    Raises:
        UnusableError: there is no such file, or it cannot be read.
        ContractError: the contract cannot be.
    """
    if path.suffix not in SUFFIXES:
        raise UnusableError(f"{path} is no contract: a contract's file ends in {', '.join(SUFFIXES)}.")
    if not path.is_file():
        raise UnusableError(f"There is no contract file {path}.")
    return _load_python(path) if path.suffix == ".py" else _load_yaml(path)


def _verify(contract: Contract, path: Path, others: Callable[[], dict[str, Contract]]) -> None:
    """See that what a contract refers to fits; the sentence says where the file says it."""
    try:
        verify_references(contract, others)
    except ContractError as error:
        place = str(path)
        if path.suffix != ".py":
            from rowgate.contract.yaml_reader import place_of  # noqa: PLC0415 - PyYAML, as below

            place = place_of(path, str(error))
        raise ContractError(f"{place}: {error}") from None


def _beside(contract: Contract, path: Path) -> dict[str, Contract]:
    """The contracts beside a file that it may refer to, by their own names.

    A file in Python is run to be read, so that in a folder that may hold anything only those are that are called like
    what is referred to.
    """
    wanted = {check.contract for _, check in references_of(contract)}
    files = [file for file in _files(path.parent) if file.suffix != ".py" or file.stem in wanted]
    return _contracts(files)


def _load_python(path: Path) -> Contract:
    module = ModuleType(f"_rowgate_contract_{path.stem}")
    module.__file__ = str(path)
    # What the file defines may look its own module up (dataclasses do); nobody else finds it there afterwards.
    sys.modules[module.__name__] = module
    try:
        # Not an import: that would leave a compiled file behind, and read it where an edit falls into one second.
        exec(compile(path.read_bytes(), path, "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - a contract is code
    except ContractError as error:
        raise ContractError(f"{path}: {error}") from None
    except (Exception, SystemExit) as error:
        raise UnusableError(f"{path} cannot be loaded: {_told(error, path)}.") from error
    finally:
        del sys.modules[module.__name__]
    contract = getattr(module, "CONTRACT", None)
    if not isinstance(contract, Contract):
        why = "has no CONTRACT" if contract is None else f"has a CONTRACT that is a {type(contract).__name__}"
        raise UnusableError(f"{path} {why}; it must define CONTRACT = Contract(...).")
    return contract


def _load_yaml(path: Path) -> Contract:
    from rowgate.contract.yaml_reader import read  # noqa: PLC0415 - PyYAML, which a contract in Python does not need

    return read(path)


def _told(error: BaseException, path: Path) -> str:
    """The error in one line, with the line of the file where it arose."""
    line = getattr(error, "lineno", None)
    trace = error.__traceback__
    while trace is not None and line is None:
        if trace.tb_frame.f_code.co_filename == str(path):
            line = trace.tb_lineno
        trace = trace.tb_next
    text = (str(error).splitlines() or [""])[0].rstrip(".")
    return f"{type(error).__name__}{f' in line {line}' if line else ''}{f': {text}' if text else ''}"


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        raise UnusableError(f"There is no folder of contracts {folder}.")
    return sorted(file for file in folder.iterdir() if file.suffix in SUFFIXES and not file.name.startswith(("_", ".")))


def _readable(folder: Path) -> dict[str, Contract]:
    """The contracts of a folder that can be read, by their own names; none where there is no folder."""
    return _contracts(_files(folder) if folder.is_dir() else [])


def _contracts(files: list[Path]) -> dict[str, Contract]:
    found = {}
    for file in files:
        with suppress(UnusableError):  # it is told when that contract is asked for; here others are
            contract = load(file)
            found[contract.name] = contract
    return found


def _find_by_own_name(name: str, files: list[Path], folder: Path) -> tuple[Path, Contract]:
    for file in files:
        try:
            contract = load(file)
        except UnusableError:
            continue  # it is told when that contract is asked for; here another one is
        if contract.name == name:
            return file, contract
    raise UnusableError(_unknown(name, folder))


def _unknown(name: str, folder: Path) -> str:
    known = names(folder)
    near = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {near[0]}? " if near else ""
    there = f"the contracts there are: {', '.join(known)}" if known else "the folder holds none"
    return f"There is no contract {name} in {folder}; {hint}{there}."
