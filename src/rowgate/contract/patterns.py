r"""Patterns that mean the same in every engine.

A pattern is parsed here and written again for each engine, with everything in which Python, Java, RE2 and Postgres
differ taken out: it always matches the whole value, `.` is any character but a newline, and `\d`, `\w` and `\s` are
their ASCII sets. What the engines cannot all do (look-around, back-references, flags, word borders) is refused.
"""

from functools import lru_cache
from typing import NoReturn

from rowgate.contract.pattern_nodes import (
    Characters,
    Choice,
    Node,
    Pattern,
    Range,
    Repeat,
    Sequence,
    complement,
    held,
    merge,
    repeats,
)
from rowgate.errors import ContractError

_MOST_DEPTH = 100  # groups inside groups; no pattern that a person reads has more
_MOST_REPEATS = 1000  # RE2's limit, also for repeats inside repeats (re2/syntax)
_SETS: dict[str, tuple[Range, ...]] = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 13), (32, 32)),
}
_LONGEST_SHOWN = 200  # characters of a pattern in a sentence
_CONTROLS = {"t": 9, "n": 10, "v": 11, "f": 12, "r": 13}


@lru_cache(maxsize=512)
def parse(text: str) -> Pattern:
    """Read a pattern.

    Raises:
        ContractError: it is not a pattern, or the engines cannot all do what it asks; the sentence says why.
    """
    return Pattern(_Parser(text).pattern())


class _Parser:
    """A recursive-descent reader of the syntax that RE2 and Python share."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    def pattern(self) -> Node:
        if not self.text:
            self.fail("is empty, and would match no value that is there")
        node = self.choice()
        if self.at < len(self.text):
            self.fail("has a ')' that closes nothing")
        if repeats(node) > _MOST_REPEATS:
            self.fail(f"repeats more than {_MOST_REPEATS} times, which not every engine can")
        return node

    def choice(self) -> Node:
        options = [self.sequence()]
        while self.take("|"):
            options.append(self.sequence())
        return options[0] if len(options) == 1 else Choice(tuple(options))

    def sequence(self) -> Node:
        parts: list[Node] = []
        if self.depth == 0:
            self.take("^")
        while self.at < len(self.text) and self.text[self.at] not in "|)":
            if self.depth == 0 and self.text[self.at] == "$" and self.text[self.at + 1 : self.at + 2] in ("", "|"):
                self.at += 1
                break
            parts.append(self.repeated())
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self) -> Node:
        node = self.atom()
        bounds = self.bounds()
        if bounds is None:
            return node
        self.take("?")  # lazy or greedy is the same for a whole match
        if self.at < len(self.text) and (self.text[self.at] in "*+?" or self.counted()):
            self.fail("repeats a repeat ('++', '**'), which the engines read differently")
        return Repeat(node, *bounds)

    def bounds(self) -> tuple[int, int | None] | None:
        for sign, found in (("*", (0, None)), ("+", (1, None)), ("?", (0, 1))):
            if self.take(sign):
                return found
        counted = self.counted()
        if counted is None:
            return None
        body, self.at = counted
        first, comma, last = body.partition(",")
        low, high = int(first), int(last) if last else None if comma else int(first)
        if high is not None and high < low:
            self.fail(f"has a repeat upside down: {{{body}}}")
        return low, high

    def counted(self) -> tuple[str, int] | None:
        """The inside of a `{n,m}` that begins here, and where it ends."""
        if self.text[self.at : self.at + 1] != "{":
            return None
        end = self.text.find("}", self.at)
        body = self.text[self.at + 1 : end] if end > 0 else ""
        first, _, last = body.partition(",")
        if not (first.isascii() and first.isdigit() and (not last or (last.isascii() and last.isdigit()))):
            self.fail("has a '{' that is no repeat; write '\\{' for the character")
        return body, end + 1

    def atom(self) -> Node:
        character = self.text[self.at]
        self.at += 1
        match character:
            case "(":
                return self.group()
            case "[":
                return self.character_class()
            case ".":
                return self.characters(complement(((10, 10),)))
            case "\\":
                return self.characters(self.escape())
            case "*" | "+" | "?" | "{":
                self.fail(f"has a '{character}' with nothing to repeat")
            case "^" | "$":
                self.fail(f"has a '{character}' in its middle; anchors may stand at the ends only")
        return self.characters(((ord(character), ord(character)),))

    def group(self) -> Node:
        if self.text.startswith("?", self.at) and not self.take("?:"):
            kinds = {"?=": "look-ahead", "?!": "look-ahead", "?<=": "look-behind", "?<!": "look-behind"}
            kind = next((kind for sign, kind in kinds.items() if self.text.startswith(sign, self.at)), None)
            self.fail(f"uses {kind or 'flags or a named group'}, which not every engine has")
        self.depth += 1
        if self.depth > _MOST_DEPTH:
            self.fail(f"has more than {_MOST_DEPTH} groups inside one another")
        node = self.choice()
        self.depth -= 1
        if not self.take(")"):
            self.fail("has a '(' that is never closed")
        return node

    def character_class(self) -> Node:
        negated = self.take("^")
        ranges: list[Range] = []
        first = True
        while first or not self.text.startswith("]", self.at):
            first = False
            if self.text.startswith(("[:", "[=", "[."), self.at):
                self.fail("uses a POSIX class, which not every engine has")
            ranges += self.class_item()
        self.at += 1
        merged = merge(ranges)
        return self.characters(complement(merged) if negated else merged)

    def characters(self, ranges: tuple[Range, ...]) -> Characters:
        possible = held(ranges)
        if not possible:
            self.fail("has a place where no character can stand")
        return Characters(possible)

    def class_item(self) -> tuple[Range, ...]:
        low = self.class_character()
        dash = self.text.startswith("-", self.at) and not self.text.startswith("-]", self.at)
        if not dash:
            return low
        self.at += 1
        high = self.class_character()
        if len(low) != 1 or len(high) != 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1]:
            self.fail("has a range of which one end is a set")
        if high[0][0] < low[0][0]:
            self.fail("has a range of characters upside down")
        return ((low[0][0], high[0][0]),)

    def class_character(self) -> tuple[Range, ...]:
        if self.at >= len(self.text):
            self.fail("has a '[' that is never closed")
        character = self.text[self.at]
        self.at += 1
        return self.escape() if character == "\\" else ((ord(character), ord(character)),)

    def escape(self) -> tuple[Range, ...]:
        if self.at >= len(self.text):
            self.fail("ends in a backslash")
        letter = self.text[self.at]
        self.at += 1
        if letter in _CONTROLS:
            return ((_CONTROLS[letter],) * 2,)
        if letter.lower() in _SETS:
            found = _SETS[letter.lower()]
            return found if letter.islower() else complement(found)
        if letter in "xu":
            digits = self.text[self.at : self.at + (2 if letter == "x" else 4)]
            if len(digits) == (2 if letter == "x" else 4) and all(
                digit in "0123456789abcdefABCDEF" for digit in digits
            ):
                self.at += len(digits)
                return ((int(digits, 16),) * 2,)
        if letter.isalnum():
            kind = "a back-reference" if letter.isdigit() else f"'\\{letter}'"
            self.fail(f"uses {kind}, which the engines do not have or read differently")
        return ((ord(letter), ord(letter)),)

    def take(self, sign: str) -> bool:
        if self.text.startswith(sign, self.at):
            self.at += len(sign)
            return True
        return False

    def fail(self, why: str) -> NoReturn:
        shown = self.text if len(self.text) <= _LONGEST_SHOWN else f"{self.text[:_LONGEST_SHOWN]}…"
        raise ContractError(f"The pattern {shown!r} {why}.")
