"""Reading: what people write by hand, and what is refused where."""

from __future__ import annotations

import pytest

from tests.unit.ir.text.samples import TEXT, sample
from threadwise.core.errors import InputError
from threadwise.ir.commands import Command
from threadwise.ir.expr import Expr
from threadwise.ir.text.printer import print_expr, print_program
from threadwise.ir.text.reader import read_program
from threadwise.ir.text.syntax import (
    NESTING_LIMIT,
    RESERVED,
    quote_field,
    quote_name,
    unquote_name,
)


def guard(text: str) -> Expr:
    """The guard of the only edge."""
    program = read_program(
        f"""program "p"
        global x: int global y: int global a: array[2] of int global p: pointer
        procedure f() {{ entry 0 location 0 edge 0: 0 -> 0: when ({text}) }}"""
    )
    action = program.edges[0].action
    assert isinstance(action, Command)
    return action.guard


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("x-1", "x - 1"),
        ("x - -1", "x - -1"),
        ("-x*y", "-x * y"),
        ("-1", "-1"),
        ("x<y==true", "x < y == true"),
        ("x ==> y ==> x", "x ==> (y ==> x)"),
        ("x&y|x^y", "(x & y) | (x ^ y)"),
        ("x<<1>>2", "(x << 1) >> 2"),
        ("x ? y : x ? y : x", "x ? y : (x ? y : x)"),
        ("((x))", "x"),
        ("(a)[(x)]", "a[x]"),
        ("x // a comment\n + y", "x + y"),
        ("!~-x", "!~-x"),
        ("&a[0] == p", "&a[0] == p"),
    ],
)
def test_operators_bind_as_in_c(text: str, meaning: str) -> None:
    assert print_expr(guard(text)) == meaning


def test_layout_does_not_matter() -> None:
    assert read_program(" ".join(TEXT.split())) == sample()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("x + i <= 3", "x + u <= 3", "unknown variable `u`"),
        ("colour = colour::green", "colour = colour::blue", "`colour` has no member `blue`"),
        ("colour::red", "colours::red", "unknown enumeration or thread `colours`"),
        ("light: colour", "light: color", "unknown type `color`"),
        ("at(i,", "at(k,", "`k` is no quantified thread"),
        ("as acquire", "as aquire", "unknown word `aquire`"),
        ("failure range", "failure rang", "unknown word `rang`"),
        ("havoc x", "havoc x + 1", "unexpected `+`"),
        ("free head", "5 := 3", "expected a place, found an expression"),
        ("thread::r", "thread(server)::r", "unknown thread template `server`"),
        ("{red, green}", "{red green}", "unexpected `green`"),
        ("x: int[0..3]", "x: int[0...3]", "unexpected `.`"),
        ("i != j", "i ¬ j", "unexpected `¬`"),
        ("`call`", "`\\call`", "malformed quoted name"),
        ('"x out of range"', '"\\x"', "malformed string"),
        ("7#uint8", "9" * 5000 + "#uint8", "number too long"),
    ],
)
def test_errors_say_where(old: str, new: str, message: str) -> None:
    text = TEXT.replace(old, new, 1)
    assert text != TEXT
    with pytest.raises(InputError) as caught:
        read_program(text, "dump.ir")
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == message
    assert diagnostic.span is not None
    assert diagnostic.span.path == "dump.ir"
    line = text.splitlines()[diagnostic.span.line - 1]
    assert new.split()[0][:5] in line


@pytest.mark.parametrize("length", [0, 5, 20, 60, 200, 600, len(TEXT) - 30])
def test_truncated_text_is_refused_at_its_end(length: int) -> None:
    text = TEXT[:length]
    with pytest.raises(InputError) as caught:
        read_program(text)
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert span.line <= text.count("\n") + 1


def test_what_is_missing_at_the_end_is_reported_behind_the_last_character() -> None:
    with pytest.raises(InputError) as caught:
        read_program('program "p"\nglobal x:  ')
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.message == "unexpected end of text"
    assert diagnostic.span is not None
    assert (diagnostic.span.line, diagnostic.span.column) == (2, 12)


def test_expected_words_are_listed() -> None:
    with pytest.raises(InputError) as caught:
        read_program('program "p" global x int')
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.hint == "expected `:`"


@pytest.mark.parametrize(
    "text",
    [
        "!" * 5_000 + "x",
        "x" + " + x" * 5_000,
        "a" + "[0]" * 5_000,
        "a" + ".f" * 5_000,
        "x ? y : " * 5_000 + "x",
        "wrap[0..1](" * 5_000 + "x" + ")" * 5_000,
        f"deref(p, {'array[1] of ' * 5_000}int)",
        f"deref(p, {'record r {first: ' * 5_000}int{', last: int}' * 5_000})",
        f"deref(p, {'record r {first: int, last: ' * 5_000}int{'}' * 5_000})",
    ],
)
def test_deep_nesting_is_refused_not_crashed(text: str) -> None:
    with pytest.raises(InputError, match=f"nesting limit of {NESTING_LIMIT} exceeded"):
        guard(text)


def test_parentheses_are_no_nesting() -> None:
    assert print_expr(guard("(" * 5_000 + "x" + ")" * 5_000)) == "x"


def test_nesting_below_the_limit_can_be_compared() -> None:
    text = "x" + " + x" * (NESTING_LIMIT - 3)
    assert guard(text) == guard(text)
    assert hash(guard(text)) == hash(guard(text))


def test_reader_forgets_what_it_read_before() -> None:
    assert print_program(read_program(TEXT)) == TEXT
    with pytest.raises(InputError, match="unknown variable"):
        read_program('program "q" property invariant i: x == 0')
    assert print_program(read_program(TEXT)) == TEXT


def test_reserved_words_are_those_of_the_grammar() -> None:
    from threadwise.ir.text.reader import _parser

    patterns = (terminal.pattern for terminal in _parser()._lark.terminals)
    words = {p.value for p in patterns if p.type == "str" and p.value[0].isalpha()}
    assert words == RESERVED


@pytest.mark.parametrize(
    "name", [*sorted(RESERVED), "x", "a.b", "a b", "`", "\\", "", "ä", "int8"]
)
def test_quoting_can_be_undone(name: str) -> None:
    assert unquote_name(quote_name(name)) == name
    assert unquote_name(quote_field(name)) == name
    assert quote_name(name).isascii()
