"""Every kind of violation, each triggered by one change to a well-formed program."""

from __future__ import annotations

from dataclasses import replace

import pytest

from threadwise.ir.check.validate import Violation, validate
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Const,
    FieldPlace,
    Read,
    Scope,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import FailureProperty, InvariantProperty, PropertyKind
from threadwise.ir.text.reader import read_program
from threadwise.ir.types import INT, EnumType, MachineType

BASE = """
program "base"
enum colour {red, green}
record node {value: int, next: pointer}
global m: mutex
global x: int = 3
global b: bool
global c: colour
global t: tid
global p: pointer
global a: array[2] of int = [4, 5]
global per: array[client] of bool
global r: node
thread client[2] runs client
  variable mine: int
procedure client() {
  local i: int
  local k: int[0..3]
  entry 0
  location 0: start
    edge 0: 0 -> 1: when (x > 0): x := x + 1 as acquire m.owner
    edge 1: 0 -> 2: skip as join t
    edge 2: 0 -> 3: i := call get(i)
  location 1 atomic
    edge 3: 1 -> 0: skip as assert
  location 2 failure assertion check "no"
  location 3 final
}
procedure get(n: int): int {
  entry 4
  location 4
    edge 4: 4 -> 4: return n
}
property assertion check default
property mutex owning
property race races on (x)
property invariant inv: forall i in client: i::mine >= 0
"""
GUARD = "x > 0"
EFFECT = "x := x + 1"
FORMULA = "i::mine >= 0"


def violations(text: str) -> list[str]:
    return [violation.message for violation in validate(read_program(text))]


def test_base_is_well_formed() -> None:
    assert violations(BASE) == []


STRUCTURE = [
    ("location 1 atomic", "location 7 atomic", "expected location 1"),
    ("edge 3: 1", "edge 5: 1", "expected edge 3"),
    ("edge 3: 1 -> 0", "edge 3: 1 -> 4", "its target 4 is not a location of the procedure"),
    ("edge 3: 1 -> 0", "edge 3: 4 -> 0", "its source 4 is not a location of the procedure"),
    ("entry 0", "entry 4", "its entry 4 is not one of its locations"),
    ("entry 0", "entry 1", "its entry is inside an atomic region"),
    ("edge 3: 1 -> 0", "edge 3: 2 -> 0", "an edge leaves a failure location"),
    ("location 2 failure", "location 2 final failure", "both final and a failure"),
    ("location 2 failure", "location 2 atomic failure", "cannot rest inside an atomic"),
    ("location 1 atomic", "location 1 atomic final", "cannot rest inside an atomic"),
    ('assertion check "no"', 'assertion checks "no"', "violates checks, which is no such"),
    ('assertion check "no"', 'assertion races "no"', "violates races, which is no such"),
    ('assertion check "no"', 'assertion owning "no"', "but owning is about mutex"),
    ("0: start", "0: start, start", "two labels are named start"),
    ("edge 2: 0 -> 3: i", "edge 2: 0 -> 1: i", "a call or return at an atomic region"),
    ("1 -> 0: skip as assert", "1 -> 0: call get(i)", "a call or return at an atomic region"),
    ("location 4\n", "location 4 atomic\n", "a call or return at an atomic region"),
]

NAMES = [
    ("global b", "global x", "two globals are named x"),
    ("local k", "local i", "two parameters or locals are named i"),
    ("{red, green}", "{red, red}", "two members are named red"),
    ("{red, green}", "{}", "no members"),
    ("enum colour", "enum colour {red}\nenum colour", "two enumerations are named colour"),
    ("property mutex owning", "property mutex check", "two properties are named check"),
    ("procedure get(", "procedure client(", "two procedures are named client"),
    (
        "thread client[2]",
        "thread client[1] runs client\nthread client[2]",
        "two templates are named client",
    ),
    (
        "variable mine: int",
        "variable mine: int\n  variable mine: int",
        "two variables are named mine",
    ),
    ("on (x)", "on (y)", "no global variable y"),
    ("call get(", "call put(", "calls put, which is no procedure"),
    ("runs client", "runs clients", "its body clients is no procedure"),
    ("array[client]", "array[server]", "no thread template server"),
    ("start\n", "begin\n", "no label start in a procedure client"),
    (GUARD, "instance(t, server)", "no thread template server"),
    (GUARD, "thread(server, 0) == t", "no thread template server"),
]

TEMPLATES = [
    ("client[2]", "client[-1]", "-1 threads"),
    ("runs client", "runs get", "its body get has parameters"),
    ("runs client", "runs get", "its body get has a result"),
    ("runs client", "runs get", "its body get returns"),
]

CALLS = [
    ("call get(i)", "call get()", "calls get with 0 arguments instead of 1"),
    ("call get(i)", "call get(true)", "argument n is of kind bool, expected int"),
    ("call get(i)", "call get(x)", "looks at shared memory"),
    ("call get(i)", "call get(valid(null) ? 1 : 0)", "looks at shared memory"),
    ("i := call", "x := call", "goes to shared memory"),
    ("i := call", "when (b): i := call", "looks at shared memory"),
    ("get(n: int): int", "get(n: int)", "takes a result from get, which has none"),
    ("get(n: int): int", "get(n: int)", "a value is returned iff the procedure has a result"),
    ("get(n: int): int", "get(n: int): bool", "the result of get does not fit"),
    ("get(n: int): int", "get(n: int): bool", "the returned value is of kind int, expected bool"),
    ("get(n: int): int", "get(n: int): node", "its result is not scalar"),
    ("get(n: int)", "get(n: node)", "a parameter is not scalar"),
    ("return n", "return", "a value is returned iff"),
    ("return n", "return x", "looks at shared memory"),
    ("return n", "when (b): return n", "looks at shared memory"),
    (
        "location 4\n    edge 4: 4 -> 4",
        "location 4\n  location 5\n    edge 4: 4 -> 5",
        "the target of a return is not its source",
    ),
]

TYPES = [
    ("int[0..3]", "int[3..0]", "empty range 3..0"),
    ("array[2] of int = [4, 5]", "array[-2] of int", "array of -2 elements"),
    ("{value: int, next: pointer}", "{value: int, value: int}", "two fields named value"),
    ("{value: int,", "{v: int, v: int, w: int, w: int,", "two fields named v"),
    ("{value: int,", "{v: int, v: int, w: int, w: int,", "two fields named w"),
    ("next: pointer}", "next: int[3..0]}", "empty range 3..0"),
    ("array[2] of int = [4, 5]", "array[2] of int[3..0]", "empty range 3..0"),
    ("c: colour", "c: enum colour {red}", "colour is not declared like this"),
    ("r: node", "r: record node {value: int}\nglobal s: node", "two different records are named"),
    ("= [4, 5]", "= [4]", "1 initial values for 2 cells"),
    ("= [4, 5]", "= [4, true]", "true is no value of int"),
    ("x: int = 3", "x: int[0..2] = 3", "3 is no value of int[0..2]"),
    ("x: int = 3", "x: int8 = 300", "300 is no value of int8"),
    ("c: colour", "c: colour = 2", "2 is no value of colour"),
    ("t: tid", "t: tid = 2", "there is no thread 2"),
    ("m: mutex", "m: mutex = 2", "there is no thread 2"),
    ("p: pointer", "p: pointer = address(9, 0)", "address(9, 0) is in no global variable"),
    ("r: node", "r: node = 0", "0 is no value of pointer"),
    ("local i: int", "local i: int = *", "a local variable starts with any value"),
]

EXPRESSIONS = [
    (GUARD, "x", "the guard is of kind int, expected bool: x"),
    (GUARD, "!x", "operand of kind int, expected bool: !x"),
    (GUARD, "-b == 0", "operand of kind bool, expected int: -b"),
    (GUARD, "x && b", "operand of kind int, expected bool"),
    (GUARD, "t < t", "operand of kind tid, expected int"),
    (GUARD, "c <= c", "operand of kind colour, expected int"),
    (GUARD, "p == t", "operands of kinds pointer and tid"),
    (GUARD, "x == b", "operands of kinds int and bool"),
    (GUARD, "(b ? x : b) == 0", "operands of kinds int and bool"),
    (GUARD, "x ? b : b", "operand of kind int, expected bool"),
    (GUARD, "wrap[3..0](x) == 0", "empty range 3..0"),
    (GUARD, "clamp[0..3](b) == 0", "operand of kind bool, expected int"),
    (GUARD, "valid(x)", "operand of kind int, expected pointer"),
    (GUARD, "shift(x, 1, int) == p", "operand of kind int, expected pointer"),
    (GUARD, "shift(p, b, int) == p", "operand of kind bool, expected int"),
    (GUARD, "allocated(x)", "operand of kind int, expected pointer"),
    (GUARD, "no_address(t)", "operand of kind tid, expected pointer"),
    (GUARD, "same_object(p, x)", "operand of kind int, expected pointer"),
    (GUARD, "same_object(b, p)", "operand of kind bool, expected pointer"),
    (GUARD, "difference(x, p, int) == 0", "operand of kind int, expected pointer"),
    (GUARD, "difference(p, t, int) == 0", "operand of kind tid, expected pointer"),
    (GUARD, "difference(p, p, int[3..0]) == 0", "empty range 3..0"),
    (GUARD, "shift(p, 1, int[3..0]) == p", "empty range 3..0"),
    (GUARD, "to_pointer(b) == p", "operand of kind bool, expected int"),
    (GUARD, "to_pointer(p) == p", "operand of kind pointer, expected int"),
    (GUARD, "to_int(x) == 0", "operand of kind int, expected pointer"),
    (GUARD, "valid(p, int[3..0])", "empty range 3..0"),
    (GUARD, "written(r)", "r"),
    (GUARD, "instance(x, client)", "operand of kind int, expected tid"),
    (GUARD, "thread(client, b) == t", "operand of kind bool, expected int"),
    (GUARD, "&i == p", "address of a variable that is not global: &i"),
    (GUARD, "deref(x, int) == 0", "dereference of kind int"),
    (GUARD, "300#uint8 == x", "300 is no value of uint8"),
    (GUARD, "true#int == x", "True is no value of int"),
    (GUARD, "1#mutex == x", "a literal has an aggregate type"),
    (GUARD, "a == a", "a array[2] of int is read as a whole: a"),
    (GUARD, "m == none", "a mutex is read as a whole: m"),
    (GUARD, "a[b] == 0", "index of kind bool, expected int"),
    (GUARD, "a[t] == 0", "index of kind tid, expected int"),
    (GUARD, "per[0]", "index of kind int, expected tid"),
    (GUARD, "x[0] == 0", "index into a int"),
    (GUARD, "r.other == 0", "node has no field other"),
    (GUARD, "x.value == 0", "field value of a int"),
    (EFFECT, "x := b", "the assigned value is of kind bool, expected int: b"),
    (EFFECT, "c := 0", "the assigned value is of kind int, expected colour: 0"),
    (EFFECT, "a := 0", "the target of an assignment is not scalar: a"),
    (EFFECT, "havoc r", "the target of a havoc is not scalar: r"),
    (EFFECT, 'x := new int at "s"', "the target of an allocation is no pointer"),
    (EFFECT, "free x", "what is freed is of kind int, expected pointer: x"),
    ("acquire m.owner", "acquire t", "the subject of acquire is no owner of a mutex"),
    ("acquire m.owner", "acquire", "the subject of acquire is no owner of a mutex"),
    ("acquire m.owner", "release x.owner", "the subject of release is no owner of a mutex"),
    ("join t", "join", "join has no subject"),
    ("join t", "spawn x", "the subject of spawn is of kind int, expected tid: x"),
    ("as assert", "as assert t", "assert has a subject"),
]

INVARIANTS = [
    (GUARD, "forall i in client: b", "only an invariant may speak about other threads"),
    (FORMULA, "x", "operand of kind int, expected bool"),
    (FORMULA, "self == i", "an invariant mentions self"),
    (FORMULA, "self.index == 0", "an invariant mentions self.index"),
    (FORMULA, "forall j in server: b", "no thread template server"),
    (FORMULA, "forall i in client: b", "two quantified threads are named i"),
    (FORMULA, "(forall i in client: b)", "two quantified threads are named i"),
    ("forall i in client", "forall i in client, i in client", "two quantified threads"),
]


CHANGES = [*STRUCTURE, *NAMES, *TEMPLATES, *CALLS, *TYPES, *EXPRESSIONS, *INVARIANTS]


@pytest.mark.parametrize(("old", "new", "message"), CHANGES)
def test_one_change_is_reported(old: str, new: str, message: str) -> None:
    text = BASE
    if "label start" in message:
        text = BASE.replace(FORMULA, "at(i, client, start)")
    assert old in text
    found = violations(text.replace(old, new, 1))
    assert any(message in violation for violation in found), found


def test_any_number_of_threads_restricts() -> None:
    text = BASE.replace("client[2]", "client[*]")
    assert violations(text) == []
    found = violations(
        text.replace(GUARD, "self.index == 0")
        .replace("forall", "exists")
        .replace("array[client] of bool", "array[client] of bool = [true]")
    )
    assert found == [
        "a list of initial values for any number of threads",
        "self.index, but there is any number of client",
        "exists, but there is any number of client",
    ]


def test_no_threads_have_no_cells() -> None:
    text = BASE.replace("client[2]", "client[0]")
    assert violations(text.replace("of bool", "of bool = []")) == []
    (found,) = violations(text.replace("of bool", "of bool = [true]"))
    assert "1 initial values for 0 cells" in found


def test_failure_of_kind_limit_needs_no_property() -> None:
    assert violations(BASE.replace("failure assertion check", "failure limit bound")) == []


def base() -> Program:
    return read_program(BASE)


def with_guard(program: Program, variable: Variable) -> Program:
    """The program whose first edge waits for `variable == 0`."""
    guard = Binary(BinaryOp.EQ, Read(VariablePlace(variable)), Const(0, INT))
    first = program.procedures[0]
    edges = (replace(first.edges[0], action=Command(guard)), *first.edges[1:])
    return replace(program, procedures=(replace(first, edges=edges), *program.procedures[1:]))


@pytest.mark.parametrize(
    "variable",
    [
        Variable("x", INT, Scope.GLOBAL, sync=True),
        Variable("x", INT, Scope.LOCAL),
        Variable("x", INT, Scope.THREAD),
        Variable("a", INT, Scope.GLOBAL),
        Variable("n", INT, Scope.LOCAL),
        Variable("unknown", INT, Scope.GLOBAL),
    ],
)
def test_variable_must_be_used_as_declared(variable: Variable) -> None:
    (violation,) = validate(with_guard(base(), variable))
    assert violation.where == "procedure client, edge 0"
    assert violation.message.endswith(f"variable {variable.name} is not declared like this")


def test_thread_variable_must_belong_to_every_template_that_comes_here() -> None:
    mine = Variable("mine", INT, Scope.THREAD)
    program = with_guard(base(), mine)
    assert validate(program) == []
    text = "thread other[1] runs client\nprocedure client()"
    shared = with_guard(read_program(BASE.replace("procedure client()", text)), mine)
    assert [violation.where for violation in validate(shared)] == ["procedure client, edge 0"]


ALIKE = """
program "alike"
thread one[1] runs one
  variable mine: int
thread two[1] runs two
procedure one() {
  local i: int
  entry 0
  location 0
    edge 0: 0 -> 1: i := 1
  location 1 final
}
procedure two() {
  local i: int
  entry 2
  location 2
    edge 1: 2 -> 3: i := 1
  location 3 final
}
"""


def test_the_same_step_is_looked_at_again_where_it_is_not_the_same() -> None:
    """Edges that do what was correct elsewhere are not checked again; each of these has to be."""
    assert violations(ALIKE) == []
    program = read_program(ALIKE)
    one, two = program.procedures
    (edge,) = two.edges
    wrong = "local variable i is not declared like this"
    without = replace(two, locals=())
    other = Variable("i", MachineType(8, signed=True), Scope.LOCAL)
    narrow = replace(two, locals=(replace(two.locals[0], variable=other),))
    lost = replace(two, edges=(replace(edge, target=LocId(7)),))
    mine = Command(Binary(BinaryOp.EQ, Read(_MINE), Const(0, INT)))
    own = [replace(each, edges=(replace(each.edges[0], action=mine),)) for each in (one, two)]
    for procedures, message in (
        ((one, without), wrong),
        ((one, narrow), wrong),
        ((one, lost), "its target 7 is not a location of the procedure"),
        (own, "thread variable mine is not declared like this"),
    ):
        (found,) = validate(replace(program, procedures=tuple(procedures)))
        assert found == Violation(message, "procedure two, edge 1")


_MINE = VariablePlace(Variable("mine", INT, Scope.THREAD))


def test_declared_scope_must_fit() -> None:
    program = base()
    declaration = program.globals[1]
    moved = replace(declaration, variable=replace(declaration.variable, scope=Scope.LOCAL))
    broken = replace(program, globals=(program.globals[0], moved, *program.globals[2:]))
    found = [violation for violation in validate(broken) if violation.where == "global x"]
    assert found == [Violation("declared as global, but its scope is local", "global x")]


def test_undeclared_enumeration() -> None:
    program = with_guard(base(), Variable("x", INT, Scope.GLOBAL))
    enum = EnumType("ghost", ("one",))
    first = program.procedures[0]
    guard = Binary(BinaryOp.EQ, Const(0, enum), Const(0, enum))
    edges = (replace(first.edges[0], action=Command(guard)), *first.edges[1:])
    broken = replace(program, procedures=(replace(first, edges=edges), *program.procedures[1:]))
    assert "enumeration ghost is not declared like this" in [v.message for v in validate(broken)]


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (
            Binary(BinaryOp.EQ, ThreadVariable("j", "client"), ThreadVariable("j", "client")),
            "thread j of client is not quantified",
        ),
        (
            Read(VariablePlace(Variable("mine", INT, Scope.THREAD))),
            "an invariant reads mine without saying whose",
        ),
        (
            ThreadRead(
                ThreadVariable("j", "client"), VariablePlace(Variable("x", INT, Scope.GLOBAL))
            ),
            "global variable x is not declared like this",
        ),
    ],
)
def test_invariants_say_whose_variables_they_read(
    formula: Binary | Read | ThreadRead, message: str
) -> None:
    broken = replace(base(), properties=(InvariantProperty("inv", formula),))
    assert message in [violation.message for violation in validate(broken)]


def test_failure_property_of_another_kind() -> None:
    broken = replace(base(), properties=(FailureProperty("check", PropertyKind.RACE),))
    assert "no failure is of kind race" in [violation.message for violation in validate(broken)]


def test_violations_say_where() -> None:
    text = BASE.replace("x := x + 1 as acquire m.owner", "x := b @7:3-7:9")
    text = text.replace("enum colour", 'source "base.tw" enum colour', 1)
    (violation,) = validate(read_program(text))
    assert str(violation).startswith("procedure client, edge 0 (base.tw:7:3): the assigned value")


def test_deep_terms_do_not_raise() -> None:
    deep = TRUE
    for _ in range(100_000):
        deep = Binary(BinaryOp.AND, deep, TRUE)  # type: ignore[assignment]  # any expression
    place: VariablePlace | FieldPlace = VariablePlace(Variable("x", INT, Scope.GLOBAL))
    for _ in range(100_000):
        place = FieldPlace(place, "next")
    program = base()
    first = program.procedures[0]
    command = Command(deep, (Assignment(place, Const(0, INT)),))
    edges = (replace(first.edges[0], action=command), *first.edges[1:])
    broken = replace(program, procedures=(replace(first, edges=edges), *program.procedures[1:]))
    assert validate(broken)
