"""A YAML file as a tree of texts with line numbers.

YAML's own guesses at types are not made: `NO`, `2.1` and `2020-01-01` are texts; what reads a key says what they are.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import yaml

from rowgate.errors import ContractError, UnusableError

MOST_BYTES = 1 << 20
MOST_DEPTH = 32
MOST_NODES = 50_000
"""Aliases counted as often as they stand, so that a few lines cannot become millions of values."""

_MOST_SHOWN = 20
_LONGEST_SHOWN = 60
_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_LINE_END = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A text; `plain` when it stands without quotes. Lines count from 1."""

    text: str
    line: int
    plain: bool

    @property
    def empty(self) -> bool:
        """Whether YAML calls it null: nothing, `~` or `null` without quotes."""
        return self.plain and self.text in _NULLS


@dataclass(frozen=True, slots=True)
class Items:
    """A list."""

    items: "tuple[Node, ...]"
    line: int


@dataclass(frozen=True, slots=True)
class Entries:
    """A mapping: each key with the line it stands on, and its value."""

    entries: "dict[str, tuple[int, Node]]"
    line: int


Node = Scalar | Items | Entries


class Problems:
    """Everything that is wrong with one file, so that it is told together.

    Attributes:
        where: the file, as messages name it.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self._found: dict[tuple[int, str], None] = {}

    def add(self, line: int, sentence: str) -> None:
        """Keep one problem; the same one is kept once."""
        self._found[line, sentence] = None

    def names(self, path: str) -> bool:
        """Whether a problem with this path was kept already."""
        return any(sentence.startswith(f"{path} ") for _, sentence in self._found)

    def __bool__(self) -> bool:
        return bool(self._found)

    def raise_any(self) -> None:
        """Tell all of them, one a line, in the order of the file.

        Raises:
            ContractError: there is one.
        """
        if not self._found:
            return
        lines = [f"{self.where}:{line}: {sentence}" for line, sentence in sorted(self._found)]
        hidden = len(lines) - _MOST_SHOWN
        raise ContractError(
            "\n".join(lines[:_MOST_SHOWN] + [f"{self.where}: and {hidden} more problems."] * (hidden > 0))
        )

    def fatal(self, line: int, sentence: str) -> NoReturn:
        """Tell this one and what was found before it.

        Raises:
            ContractError: always.
        """
        self.add(line, sentence)
        self.raise_any()
        raise AssertionError(sentence)  # not reached: a problem was just added


def shown(text: str) -> str:
    """A text of the file as a message shows it: on one line, cut when long."""
    escaped = "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
    return escaped if len(escaped) <= _LONGEST_SHOWN else escaped[: _LONGEST_SHOWN - 1] + "…"


def read_text(path: Path) -> str:
    """A contract file's text.

    Raises:
        UnusableError: there is no such file, or it cannot be read.
        ContractError: it is too large, or not UTF-8.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnusableError(f"The contract {path} cannot be read: {error.strerror or error}.") from None
    if len(content) > MOST_BYTES:
        raise ContractError(f"{path}:1: The file is larger than 1 MiB, which no contract needs.")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ContractError(f"{path}:{line}: The file is not UTF-8; save it as UTF-8.") from None


def parse(text: str, problems: Problems) -> Entries:
    """The one mapping that the text holds.

    Raises:
        ContractError: the text is no YAML, is empty or holds something else than one mapping.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        return _Builder(list(yaml.parse(text, Loader=loader)), problems).document()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        source = [*_LINE_END.split(text), ""][line - 1 : line]
        if source and "\t" in source[0][: len(source[0]) - len(source[0].lstrip())]:
            problems.fatal(line, "The line is indented with a tab; YAML takes blanks only.")
        problems.fatal(line, f"The file is not YAML: {shown(error.problem or error.context or 'it cannot be read')}.")
    except yaml.YAMLError:  # a character that YAML does not allow
        problems.fatal(_forbidden_line(text), "The file holds a control character, which YAML does not allow.")


def _forbidden_line(text: str) -> int:
    found = yaml.reader.Reader.NON_PRINTABLE.search(text)
    return text.count("\n", 0, found.start()) + 1 if found else 1


class _Builder:
    """Makes the tree from YAML's events; the depth is bounded before anything recurses."""

    def __init__(self, events: list[Any], problems: Problems) -> None:
        self.events = iter(events)
        self.problems = problems
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.named = {
            event.anchor for event in events if isinstance(event, (yaml.ScalarEvent, yaml.CollectionStartEvent))
        }
        self.nodes = 0

    def document(self) -> Entries:
        root: Node | None = None
        for event in self.events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    self.problems.fatal(_line(event), "The file holds a second document; keep one contract a file.")
                root = self.node(next(self.events), 1)
        if root is None or (isinstance(root, Scalar) and root.empty):
            self.problems.fatal(1, "The file is empty.")
        if not isinstance(root, Entries):
            self.problems.fatal(root.line, "The file must be a mapping of keys, such as `name: orders`.")
        return root

    def node(self, event: Any, depth: int) -> Node:  # noqa: ANN401 - PyYAML's events have no types
        line = _line(event)
        if depth > MOST_DEPTH:
            self.problems.fatal(line, f"The file is nested deeper than {MOST_DEPTH} levels.")
        if isinstance(event, yaml.AliasEvent):
            return self.alias(event.anchor or "", line)
        before = self.nodes
        self.count(1, line)
        if event.tag is not None:
            self.problems.add(line, f"The tag {shown(event.tag)} is not read; write the value without it.")
        node: Node
        if isinstance(event, yaml.ScalarEvent):
            node = Scalar(event.value, line, plain=not event.style)
        elif isinstance(event, yaml.SequenceStartEvent):
            node = Items(self.items(depth), line)
        else:
            node = Entries(self.entries(depth), line)
        if event.anchor is not None:
            self.anchors[event.anchor] = (node, self.nodes - before)
        return node

    def alias(self, name: str, line: int) -> Node:
        if name not in self.anchors:
            if name in self.named:
                self.problems.fatal(line, f"The alias *{shown(name)} stands before the end of what it names.")
            what = f"The alias *{shown(name)} names nothing: no value has the anchor &{shown(name)}"
            self.problems.fatal(line, f"{what}; a text that begins with * needs quotes.")
        node, size = self.anchors[name]
        self.count(size, line)
        return node

    def items(self, depth: int) -> tuple[Node, ...]:
        found = []
        while not isinstance(event := next(self.events), yaml.SequenceEndEvent):
            found.append(self.node(event, depth + 1))
        return tuple(found)

    def entries(self, depth: int) -> dict[str, tuple[int, Node]]:
        found: dict[str, tuple[int, Node]] = {}
        while not isinstance(event := next(self.events), yaml.MappingEndEvent):
            key, line = self.node(event, depth + 1), _line(event)
            value = self.node(next(self.events), depth + 1)
            if not isinstance(key, Scalar):
                self.problems.add(line, "A key is a list or a mapping; keys are words.")
            elif key.text == "<<" and key.plain:
                self.problems.add(line, "The merge key << is not read; repeat the keys.")
            elif key.text in found:
                self.problems.add(line, f"The key {shown(key.text)} stands twice, first on line {found[key.text][0]}.")
            else:
                found[key.text] = (line, value)
        return found

    def count(self, more: int, line: int) -> None:
        self.nodes += more
        if self.nodes > MOST_NODES:
            self.problems.fatal(line, f"The file holds more than {MOST_NODES} values, aliases counted.")


def _line(event: Any) -> int:  # noqa: ANN401 - PyYAML's events have no types
    return int(event.start_mark.line) + 1
