"""Markdown as a reader of it shows it: whatever stands in a contract comes out as it is."""

import re

from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from rowgate.targets.markdown_text import block, code, table, text

READER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
SIGNS = st.text(st.sampled_from(list("ab1 \t\n|\\`*_[]()<>&#~!$-+=.:;'\"{}^?/@άß")), max_size=12)


def shown(token) -> str:
    """What a reader sees of a line, tags left out."""
    kinds = {"text", "code_inline", "text_special"}
    breaks = {"softbreak": "\n", "hardbreak": "\n"}
    return "".join(each.content if each.type in kinds else breaks.get(each.type, "") for each in token.children)


def cells(markdown: str) -> list[str]:
    tokens = READER.parse(markdown)
    return [shown(tokens[at + 1]) for at, token in enumerate(tokens) if token.type in ("td_open", "th_open")]


@given(SIGNS, SIGNS)
def test_code_in_a_table_is_shown_as_it_is_and_stays_in_its_cell(first, second):
    assert cells(table(("a", "b"), [(code(first), code(second))])) == ["a", "b", first, second]


@given(SIGNS, SIGNS)
def test_text_in_a_table_is_shown_as_it_is_but_for_white_space(first, second):
    found = cells(table(("a", "b"), [(text(first), text(second))]))
    assert found == ["a", "b", " ".join(first.split()), " ".join(second.split())]


@given(SIGNS)
def test_text_is_a_paragraph_whatever_it_begins_with(plain):
    tokens = READER.parse(text(plain))
    line = " ".join(plain.split())
    assert [token.type for token in tokens] == (["paragraph_open", "inline", "paragraph_close"] if line else [])
    assert "".join(shown(token) for token in tokens if token.type == "inline") == line


@given(SIGNS)
def test_a_block_of_code_ends_where_it_should(plain):
    [token] = READER.parse(block(plain, "sql"))
    assert (token.type, token.info) == ("fence", "sql")
    assert token.content.strip() == plain.strip()


def test_usual_text_is_written_as_it_is():
    plain = "E-mail of user_id 1.0.0, in full (see the 2nd page): 50% + 1; a/b."
    assert text(plain) == plain


def test_usual_code_is_a_code_span():
    assert code(r"^[A-Z]{3}\d<x>$") == r"`^[A-Z]{3}\d<x>$`"


def test_no_tag_of_a_description_is_one():
    assert re.search(r"<(?!code>|/code>)", text("<script>alert(1)</script>") + code("<b>|</b>")) is None
