"""Names and strings in the text form: what was quoted is read back."""

from __future__ import annotations

import pytest

from threadwise.ir.text.reader import read_program
from threadwise.ir.text.syntax import (
    agreed_variables,
    quote_field,
    quote_name,
    quote_string,
    unquote_name,
    unquote_string,
)
from threadwise.ir.types import BOOL, INT

NAMES = {
    "x": "x",
    "a.b": "a.b",
    "t$1": "t$1",
    "int": "`int`",
    "int32": "`int32`",
    "two words": "`two words`",
    "": "``",
    'ü`\n"': None,
}


def test_names_are_quoted_where_they_must_be() -> None:
    for name, quoted in NAMES.items():
        text = quote_name(name)
        assert quoted is None or text == quoted
        assert unquote_name(text) == name
        assert unquote_name(quote_field(name)) == name
    assert quote_field("a.b") == "`a.b`"


def test_strings_are_read_back() -> None:
    for text in ("", "x", 'a "b"', "ü\n\\"):
        assert unquote_string(quote_string(text)) == text
    for text in ("3", "null", "[]"):
        with pytest.raises(ValueError, match="not a string"):
            unquote_string(text)


TEMPLATES = """
program "p"
thread a[1] runs body
  variable both: bool
  variable own: int
thread b[1] runs body
  variable both: bool
  variable other: int
thread c[1] runs body
  variable other: bool
  variable last: bool
procedure body() {
  entry 0
  location 0 final
}
"""


def test_a_name_denotes_what_all_templates_agree_on() -> None:
    found = agreed_variables(read_program(TEMPLATES).templates)
    assert {name: variable.type for name, variable in found.items()} == {
        "both": BOOL,
        "own": INT,
        "last": BOOL,
    }
