"""The keys of one mapping, each read as what stands under it; what does not fit becomes a problem with its line."""

import difflib
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TypeVar

from rowgate.contract.yaml_document import Entries, Items, Node, Problems, Scalar, shown
from rowgate.errors import ContractError

T = TypeVar("T")

_FLAGS = {"true": True, "yes": True, "false": False, "no": False}
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_NUMBER = re.compile(r"[+-]?[0-9]{1,30}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?")


def near(word: str, words: Iterable[str]) -> str | None:
    """The word that was meant, None where none is near."""
    known = {each.casefold().replace("_", ""): each for each in words}
    found = difflib.get_close_matches(word.casefold().replace("_", ""), known, n=1)
    return known[found[0]] if found else None


def nearest(word: str, words: Collection[str]) -> str:
    """A hint at the word that was meant: `did you mean …?`, or all of them where none is near."""
    meant = near(word, words)
    return f"did you mean {meant}?" if meant else f"it is one of: {', '.join(words)}."


class Fields:
    """One mapping of the file.

    Attributes:
        path: how messages name it, such as `columns.amount`; empty for the whole file.
        line: where it begins.
        problems: where what is wrong is kept.
    """

    def __init__(self, node: Entries, path: str, problems: Problems, keys: Collection[str] | None = None) -> None:
        """Look at a mapping; `keys` are the ones it may have, None lets all pass."""
        self.path, self.line, self.problems = path, node.line, problems
        self._entries = node.entries
        unknown = [key for key in node.entries if keys is not None and key not in keys]
        self._meant = {near(key, keys or ()) for key in unknown}
        for key in unknown:
            problems.add(self.line_of(key), f"{self.at(key)} is no key here; {nearest(key, keys or ())}")

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def at(self, key: str) -> str:
        """The path of a key."""
        return f"{self.path}.{shown(key)}" if self.path else shown(key)

    def line_of(self, key: str) -> int:
        """The line of a key, or the mapping's where there is no such key."""
        return self._entries[key][0] if key in self._entries else self.line

    def problem(self, key: str, sentence: str) -> None:
        """Keep a problem with a key; the sentence goes on after the key's path."""
        self.problems.add(self.line_of(key), f"{self.at(key)} {sentence}")

    def node(self, key: str) -> Node | None:
        """What stands under a key; nothing there is a problem."""
        if key not in self._entries:
            return None
        node = self._entries[key][1]
        if isinstance(node, Scalar) and node.empty:
            self.problem(key, "has no value; give it one, or leave the key out.")
            return None
        return node

    def first_of(self, *keys: str) -> str:
        """The one of several names of a thing that is there (the first one when none is); two are a problem."""
        there = [key for key in keys if key in self]
        if len(there) > 1:
            self.problem(there[1], f"says the same as {there[0]}; keep one of them.")
        return there[0] if there else keys[0]

    def scalar(self, key: str) -> Scalar | None:
        """The single value under a key."""
        node = self.node(key)
        if node is None or isinstance(node, Scalar):
            return node
        self.problem(key, f"must be a single value, not a {_kind(node)}.")
        return None

    def text(self, key: str) -> str | None:
        """The text under a key, without white space at its ends."""
        scalar = self.scalar(key)
        return None if scalar is None else scalar.text.strip()

    def lacks(self, key: str) -> bool:
        """Whether a key is not there, nor another one that is told to mean it."""
        return key not in self and key not in self._meant

    def needed(self, key: str, what: str) -> str:
        """The text under a key that must be there; empty, and a problem, where it is not."""
        if self.lacks(key):
            whole = f"{self.path} has" if self.path else "The contract has"
            self.problems.add(self.line, f"{whole} no {key}; name {what}.")
        return self.text(key) or ""

    def flag(self, key: str) -> bool | None:
        """A true or false."""
        return self.choice(key, _FLAGS, "true or false")

    def choice(self, key: str, options: Mapping[str, T], what: str = "") -> T | None:
        """One of some words, in any case."""
        text = self.text(key)
        if text is None:
            return None
        if text.casefold() in options:
            return options[text.casefold()]
        hint = f"it is {what}." if what else nearest(text, options)
        self.problem(key, f"is {shown(text)!r}; {hint}")
        return None

    def whole(self, key: str) -> int | None:
        """A whole number."""
        text = self.text(key)
        if text is not None and not _WHOLE.fullmatch(text):
            self.problem(key, f"is {shown(text)!r}; it must be a whole number.")
            return None
        return None if text is None else int(text)

    def number(self, key: str, *, percent: bool = False) -> float | None:
        """A finite number; with `percent` also a share as `5%`."""
        text = self.text(key)
        if text is None:
            return None
        share = percent and text.endswith("%")
        value = number_of(text[:-1].rstrip() if share else text)
        if value is None:
            self.problem(key, f"is {shown(text)!r}; it must be a number.")
            return None
        return value / 100 if share else value

    def scalars(self, key: str, *, alone: bool = False) -> tuple[Scalar, ...] | None:
        """A list of single values; with `alone` also one that is not in a list."""
        node = self.node(key)
        if alone and isinstance(node, Scalar):
            return (node,)
        found = []
        for item in self.items(key):
            if isinstance(item, Scalar):
                found.append(item)
            else:
                self.problems.add(item.line, f"{self.at(key)} must hold single values, not a {_kind(item)}.")
        return tuple(found) if isinstance(node, Items) else None

    def items(self, key: str) -> tuple[Node, ...]:
        """A list; empty where the key is left out."""
        node = self.node(key)
        if node is None or isinstance(node, Items):
            return node.items if node else ()
        self.problem(key, f"must be a list, not a {_kind(node)}.")
        return ()

    def mappings(self, key: str, keys: Collection[str] | None, name: str = "name") -> "list[Fields]":
        """A list of mappings, each with its path: by its `name` where it has one, else by its place from 1."""
        found = []
        for place, item in enumerate(self.items(key), start=1):
            if isinstance(item, Entries):
                _, named = item.entries.get(name, (0, None))
                label = shown(named.text) if isinstance(named, Scalar) and named.text else str(place)
                found.append(Fields(item, f"{self.at(key)}.{label}", self.problems, keys))
            else:
                self.problems.add(item.line, f"{self.at(key)}.{place} must be a mapping of keys, not a {_kind(item)}.")
        return found

    def mapping(self, key: str, keys: Collection[str] | None) -> "Fields | None":
        """A mapping."""
        node = self.node(key)
        if node is None or isinstance(node, Entries):
            return Fields(node, self.at(key), self.problems, keys) if node else None
        self.problem(key, f"must be a mapping of keys, not a {_kind(node)}.")
        return None

    def made(self, key: str, make: Callable[[str], T]) -> T | None:
        """What `make` makes of the text under a key; the sentence of its ContractError becomes a problem."""
        text = self.text(key)
        if text is None:
            return None
        try:
            return make(text)
        except ContractError as error:
            self.problem(key, f"is {shown(text)!r}: {error}")
            return None


def number_of(text: str) -> float | None:
    """The finite number that a text is, or None."""
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    return value if math.isfinite(value) else None


def _kind(node: Node) -> str:
    return {Scalar: "single value", Items: "list", Entries: "mapping"}[type(node)]
