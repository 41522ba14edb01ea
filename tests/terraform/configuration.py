"""The Terraform configuration as parsed text, and copies of it with one change."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2] / "infra" / "terraform"
_HELD_BACK = ("rendered/", "examples/", "tests/", ".terraform/")


@dataclass(frozen=True)
class Property:
    """One property, what proves it, and a change that takes it away.

    Attributes:
        file: the file that says it, below `infra/terraform`.
        old: a text that is in the file exactly once.
        new: what the change puts in its place.
        holds: whether a configuration has the property; a `LookupError` says no as well.
    """

    file: str
    old: str
    new: str
    holds: Callable[["Configuration"], bool]

    def proved(self, configuration: "Configuration") -> bool:
        """Whether the configuration has the property."""
        try:
            return self.holds(configuration)
        except LookupError:
            return False

    def changed(self) -> "Configuration":
        """The configuration after the change."""
        texts = read()
        assert texts[self.file].count(self.old) == 1, f"{self.file} holds this {texts[self.file].count(self.old)} times"
        return Configuration(texts | {self.file: texts[self.file].replace(self.old, self.new)})


@dataclass(frozen=True)
class Configuration:
    """Texts by their path below `infra/terraform`."""

    texts: dict[str, str]

    def resources(self, folder: str) -> dict[str, dict[str, Any]]:
        """Every resource of a folder's files, by its address."""
        return {
            f"{kind}.{name}": body
            for block in self._blocks(folder, "resource")
            for kind, named in block.items()
            for name, body in named.items()
        }

    def named(self, folder: str, kind: str, name: str) -> dict[str, Any]:
        """One variable, output or module."""
        return dict(next(block[name] for block in self._blocks(folder, kind) if name in block))

    def locals(self, folder: str) -> dict[str, Any]:
        """Every local value of a folder."""
        return {name: value for block in self._blocks(folder, "locals") for name, value in block.items()}

    def tags(self, folder: str) -> str:
        """The tags that the provider puts on everything, as an expression."""
        return str(self.named(folder, "provider", "aws")["default_tags"][0]["tags"])

    def settings(self, folder: str) -> dict[str, Any]:
        """The block `terraform`."""
        return dict(self._blocks(folder, "terraform")[0])

    def statements(self, file: str) -> list[dict[str, Any]]:
        """The statements of a policy's template."""
        return list(json.loads(self.texts[file])["Statement"])

    def types(self) -> set[str]:
        """The types of the resources of the main configuration and its module."""
        folders = (".", "modules/private-bucket")
        return {address.split(".")[0] for folder in folders for address in self.resources(folder)}

    def skips(self) -> list[str]:
        """What follows the number of each check that is left out."""
        return [reason for text in self.texts.values() for reason in re.findall(r"#checkov:skip=\w+(.*)", text)]

    def _blocks(self, folder: str, kind: str) -> list[dict[str, Any]]:
        files = [name for name in self.texts if name.endswith(".tf") and str(Path(name).parent) == folder]
        return [block for name in files for block in _parsed(self.texts[name]).get(kind, [])]


def wholes(name: str, holds: Callable[[Configuration], bool], *changes: tuple[str, str, str]) -> dict[str, Property]:
    """One property for each change (file, old text, new text) that must be seen."""
    return {f"{name} ({number})": Property(*change, holds) for number, change in enumerate(changes, start=1)}


@cache
def read() -> dict[str, str]:
    """The texts as they are."""
    paths = (path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*") if path.is_file())
    wanted = (name for name in paths if name.endswith((".tf", ".json")) and not name.startswith(_HELD_BACK))
    return {name: (ROOT / name).read_text(encoding="utf-8") for name in sorted(wanted)}


@cache
def _parsed(text: str) -> dict[str, Any]:
    import hcl2
    from hcl2.utils import SerializationOptions

    options = SerializationOptions(with_comments=False, explicit_blocks=False, strip_string_quotes=True)
    return dict(hcl2.loads(text, serialization_options=options))
