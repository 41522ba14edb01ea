"""Writes `.env` for docker-compose.yml: every name of `.env.example`, with a random value where it has none.

Standard library only. What `.env` says already stays as it is, so a second time adds what is new and no more.
"""

import base64
import os
import re
import secrets
import string
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent
_SETTING = re.compile(r"([A-Z][A-Z0-9_]*)=(.*)")
_CAPITALS = string.ascii_uppercase + string.digits


def value_for(name: str) -> str:
    """A random value: letters and digits, since values stand in addresses and in JSON as they are."""
    if name.endswith("_FERNET_KEY"):  # https://cryptography.io/en/latest/fernet/: 32 bytes in URL-safe base64
        return base64.urlsafe_b64encode(secrets.token_bytes(32)).decode()
    if name.startswith("LAKE_") and name.endswith("_KEY"):
        return "LK" + "".join(secrets.choice(_CAPITALS) for _ in range(18))
    return secrets.token_hex(24)


def completed(example: str, present: str) -> str:
    """The text of `.env`: the present one, then what it lacks of the example."""
    known = dict(found.groups() for line in present.splitlines() if (found := _SETTING.fullmatch(line.strip())))
    lines = [] if present else example.splitlines()
    if present:
        lines = present.splitlines()
        lines += [line for line in example.splitlines() if _name(line) and _name(line) not in known]
    return "\n".join(f"{_name(line)}={value_for(_name(line))}" if _empty(line) else line for line in lines) + "\n"


def _name(line: str) -> str:
    found = _SETTING.fullmatch(line.strip())
    return found[1] if found else ""


def _empty(line: str) -> bool:
    found = _SETTING.fullmatch(line.strip())
    return found is not None and not found[2]


def main() -> int:
    """Write the file for its owner's eyes alone."""
    file = PROJECT / ".env"
    present = file.read_text(encoding="utf-8") if file.exists() else ""
    text = completed((PROJECT / ".env.example").read_text(encoding="utf-8"), present)
    if text == present:
        print("env: .env has everything")
        return 0
    made = file.with_name(f".env.{os.getpid()}")
    with os.fdopen(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as output:
        output.write(text)
    made.replace(file)
    print("env: wrote .env, with passwords that nobody knows; it is for this machine, and git does not see it")
    return 0


if __name__ == "__main__":
    sys.exit(main())
