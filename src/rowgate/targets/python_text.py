"""Texts as Python writes them."""


def python(text: str) -> str:
    """The text as a string literal that ruff's formatter leaves as it is; raw where it holds a backslash."""
    if "\\" in text and text.isprintable() and '"' not in text and not text.endswith("\\"):
        return f'r"{text}"'
    inside = repr(f'"{text}')[2:-1]  # a double quote in front, so that `repr` takes single ones
    if text.count('"') > text.count("'"):
        return f"'{inside}'"
    return '"' + inside.replace("\\'", "'").replace('"', '\\"') + '"'
