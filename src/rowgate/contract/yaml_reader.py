"""Contracts written in YAML: the compact form, and the Open Data Contract Standard v3."""

from pathlib import Path

from rowgate.contract.compact import read_compact
from rowgate.contract.draft import Draft
from rowgate.contract.model import Contract
from rowgate.contract.yaml_document import Entries, Problems, Scalar, parse, read_text


def read(path: Path) -> Contract:
    """The contract in a YAML file.

    Raises:
        UnusableError: there is no such file, or it cannot be read.
        ContractError: the file is no contract. The message has a line `file:line: sentence` for each problem.
    """
    return read_yaml(read_text(path), str(path))


def read_yaml(text: str, where: str) -> Contract:
    """The contract in a text of YAML; `where` is how messages name it.

    Raises:
        ContractError: as `read` says.
    """
    return _drafted(text, where).contract()


def place_of(path: Path, sentence: str) -> str:
    """`file:line` of what a sentence about the file's contract names; the file alone where it names nothing there.

    Raises:
        UnusableError: the file cannot be read.
        ContractError: it is no contract.
    """
    draft = _drafted(read_text(path), str(path))
    draft.contract()
    line = draft.line_of(sentence)
    return f"{path}:{line}" if line else str(path)


def _drafted(text: str, where: str) -> Draft:
    problems = Problems(where)
    root = parse(text, problems)
    draft = Draft(problems)
    if _is_odcs(root):
        from rowgate.contract.odcs import read_odcs  # noqa: PLC0415 - pydantic, which the compact form does not need

        read_odcs(root, draft)
    elif "dataContractSpecification" in root.entries:
        line = root.entries["dataContractSpecification"][0]
        problems.fatal(
            line, "This is a Data Contract Specification; turn it into the Open Data Contract Standard v3 first."
        )
    else:
        read_compact(root, draft)
    return draft


def _is_odcs(root: Entries) -> bool:
    _, kind = root.entries.get("kind", (0, None))
    return "apiVersion" in root.entries or (isinstance(kind, Scalar) and kind.text == "DataContract")
