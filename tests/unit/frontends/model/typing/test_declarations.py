"""Constants, types and initial values, and what the command line may replace."""

from __future__ import annotations

import pytest

from tests.unit.frontends.model.loading import edges, errors, load
from threadwise.ir.program import (
    AnyValue,
    DefaultValue,
    FillValue,
    Initial,
    ListedValues,
)
from threadwise.ir.properties import DeadlockProperty, RaceProperty
from threadwise.ir.types import (
    BOOL,
    INT,
    MUTEX,
    TID,
    ArrayType,
    EnumType,
    Overflow,
    RangeType,
    Type,
)

COLOUR = EnumType("E", ("red", "green"))


@pytest.mark.parametrize(
    ("declaration", "held", "initial"),
    [
        ("bool v;", BOOL, DefaultValue()),
        ("bool v = true;", BOOL, FillValue(True)),
        ("int v = -3;", INT, FillValue(-3)),
        ("int[1..N] v = N;", RangeType(1, 4), FillValue(4)),
        ("int[0..3] wrap v = 5;", RangeType(0, 3, Overflow.WRAP), FillValue(1)),
        ("int[0..3] saturate v = 5;", RangeType(0, 3, Overflow.SATURATE), FillValue(3)),
        ("int[-2..-1] v;", RangeType(-2, -1), DefaultValue()),
        ("int[0..3] v = *;", RangeType(0, 3), AnyValue()),
        ("E v = green;", COLOUR, FillValue(1)),
        ("tid v = none;", TID, FillValue(-1)),
        ("mutex v;", MUTEX, DefaultValue()),
        ("mutex v = none;", MUTEX, FillValue(-1)),
        ("mutex v[N];", ArrayType(MUTEX, 4), DefaultValue()),
        ("bool v[2] = true;", ArrayType(BOOL, 2), FillValue(True)),
        ("int v[2] = {N, N * 2};", ArrayType(INT, 2), ListedValues((4, 8))),
        (
            "int v[2][3] = {{1, 2, 3}, {4, 5, 6}};",
            ArrayType(ArrayType(INT, 3), 2),
            ListedValues((1, 2, 3, 4, 5, 6)),
        ),
        ("int v[2] = *;", ArrayType(INT, 2), AnyValue()),
        ("bool v = N > 3 && B;", BOOL, FillValue(False)),
    ],
)
def test_shared_variables(declaration: str, held: Type, initial: Initial) -> None:
    program = load(
        "const int N = 4; const bool B = false; enum E { red, green }"
        f"{declaration} thread t {{ }}"
    )
    (found,) = program.globals
    assert found.variable.type == held
    assert found.initial == initial


def test_several_names_in_one_declaration() -> None:
    program = load("int a = 1, b[2], c; thread t { int d = 2, e = 3; d = e; }")
    assert [d.variable.name for d in program.globals] == ["a", "b", "c"]
    assert edges(program, "t") == ["0->1 d := e"]


def test_constants_depend_on_each_other() -> None:
    text = "const int N = 2; const int M = N * 3; const bool B = M > 5; int a[M]; thread t[N] { }"
    assert load(text).globals[0].variable.type == ArrayType(INT, 6)
    assert load(text, {"N": 3}).globals[0].variable.type == ArrayType(INT, 9)
    assert load(text, {"M": "0x10"}).globals[0].variable.type == ArrayType(INT, 16)
    assert load(text, {"N": "5"}).template["t"].count == 5


def test_definitions_have_the_type_of_the_constant() -> None:
    text = (
        "enum E { p, q } const bool B = true; const int[0..9] N = 1; const E C = p; thread t { }"
    )
    load(text, {"B": "false", "N": "9", "C": "q"})
    assert errors(text, {"B": "3"}) == ["-D B=3: expected bool"]
    assert errors(text, {"N": "10"}) == ["-D N=10: expected int[0..9]"]
    assert errors(text, {"N": "many"}) == ["-D N=many: expected int[0..9]"]
    assert errors(text, {"C": "r"}) == ["-D C=r: expected E"]


def test_unknown_definition_or_thread() -> None:
    text = "const int SIZE = 2; thread client[2] { }"
    assert errors(text, {"SIZ": 1}) == [
        "-D SIZ: the model has no such constant (did you mean `SIZE`?)"
    ]
    assert errors(text, threads={"cleint": 1}) == [
        "--threads cleint: there is no such thread (did you mean `client`?)"
    ]
    assert errors(text, threads={"client": -1}) == [
        "--threads client=-1: a count cannot be negative"
    ]
    assert errors("thread w() { }", threads={"w": None}) == [
        "--threads w=*: a spawned thread needs a number"
    ]


def test_properties() -> None:
    program = load("int a; bool b[2]; mutex m; thread t { } race_free a, b;")
    assert [checked.name for checked in program.properties] == [
        "range",
        "mutex",
        "race_free a",
        "race_free b",
        "races",
        "deadlocks",
    ]
    races = [c for c in program.properties if isinstance(c, RaceProperty)]
    assert [(c.variables, c.default) for c in races] == [
        (("a",), True),
        (("b",), True),
        (None, False),
    ]
    assert not program.properties[-1].default


def test_deadlock_free() -> None:
    last = load("thread t { } deadlock_free;").properties[-1]
    assert isinstance(last, DeadlockProperty)
    assert last.default


def test_name_of_the_program_is_that_of_the_file() -> None:
    assert load("thread t { }").name == "m"


def test_same_text_same_program() -> None:
    text = (
        "int x; mutex m; thread t[2] { acquire(m); either { x = 1; } or { x = 2; } release(m); }"
    )
    assert load(text) == load(text)
