"""What the reader has seen to in every text that is there: it is not empty, and no white space stands at its ends."""

import re
from typing import assert_never

from rowgate.contract import checks, patterns
from rowgate.contract.model import Contract
from rowgate.contract.values import WHITE_SPACE

WHOLE = patterns.parse(f"[^{WHITE_SPACE}](?:[\\s\\S]*[^{WHITE_SPACE}])?")
"""The pattern of a normalised text."""


def implied(contract: Contract, check: checks.Check) -> bool:
    """Whether a text that passes the check is normalised, so that nobody has to see to it again."""
    match check:
        case checks.OneOf(values):
            return not set(contract.null_markers) & set(values)
        case checks.Matches(pattern):
            parsed = patterns.parse(pattern)
            matches = re.compile(parsed.render("python")).search
            return not parsed.may_hold(WHITE_SPACE) and not any(map(matches, ("", *contract.null_markers)))
        case checks.NotBlank() | checks.Typed() | checks.Between() | checks.LengthBetween():
            return False
        case checks.References() | checks.Unique() | checks.Expression():
            return False
        case _:
            assert_never(check)
