"""The text form: a golden sample, parentheses, quoting, and what the hash depends on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.ir.text.samples import TEXT, sample
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Allocate, Assignment, Call, Command, Free, Return
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    PointerAdd,
    Quantified,
    Read,
    Scope,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import number, rebuild
from threadwise.ir.program import Declaration, Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.text.printer import (
    print_action,
    print_expr,
    print_place,
    print_program,
    print_type,
    program_hash,
)
from threadwise.ir.text.reader import read_program
from threadwise.ir.types import (
    BOOL,
    INT,
    MUTEX,
    POINTER,
    TID,
    ArrayType,
    EnumType,
    MachineType,
    Overflow,
    PerThread,
    RangeType,
    RecordType,
    Type,
)


def read(name: str, held: Type = INT) -> Read:
    return Read(VariablePlace(Variable(name, held, Scope.GLOBAL)))


a, b, c = read("a"), read("b"), read("c")


def test_golden_sample() -> None:
    program = sample()
    assert validate(program) == []
    assert print_program(program) == TEXT
    assert read_program(TEXT) == program


def test_text_without_spans_has_no_trace_of_the_source() -> None:
    text = print_program(sample(), spans=False)
    assert "@" not in text
    assert "acquire(m)" not in text
    assert "sample" not in text
    assert "out of range" not in text
    assert 'new node at "site.0"' in text
    assert "failure range `range.0`\n" in text
    assert "property range `range.0` default" in text


def test_hash_survives_reformatting() -> None:
    moved = TEXT.replace("@6:1-6:2", "@16:1-17:2").replace("range:6", "range:16")
    moved = moved.replace("sample.tw:9", "other.tw:19").replace("acquire(m);", "acquire( m );")
    moved = moved.replace('source "sample.tw"', 'source "other.tw"')
    assert program_hash(read_program(moved)) == program_hash(sample())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x + i <= 3", "x + i < 3"),
        ("client[3]", "client[2]"),
        ("x: int[0..3] = 1", "x: int[0..3] = 2"),
        (" sync", ""),
        ("as acquire m.owner", ""),
        (": use\n", ": used\n"),
        (" atomic", ""),
        (" final", ""),
        ("!= j::r", "== j::r"),
        ("property deadlock `deadlock`", ""),
        ("on *", "on (x)"),
    ],
)
def test_hash_notices_every_change_of_meaning(old: str, new: str) -> None:
    assert old in TEXT
    assert program_hash(read_program(TEXT.replace(old, new))) != program_hash(sample())


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (Binary(BinaryOp.ADD, Binary(BinaryOp.ADD, a, b), c), "a + b + c"),
        (Binary(BinaryOp.SUB, a, Binary(BinaryOp.SUB, b, c)), "a - (b - c)"),
        (Binary(BinaryOp.MUL, Binary(BinaryOp.ADD, a, b), c), "(a + b) * c"),
        (Binary(BinaryOp.ADD, Binary(BinaryOp.MUL, a, b), c), "a * b + c"),
        (Binary(BinaryOp.BIT_AND, a, Binary(BinaryOp.ADD, b, c)), "a & (b + c)"),
        (Binary(BinaryOp.SHL, Binary(BinaryOp.ADD, a, b), c), "(a + b) << c"),
        (Binary(BinaryOp.BIT_OR, Binary(BinaryOp.BIT_OR, a, b), c), "a | b | c"),
        (Binary(BinaryOp.SUB, a, number(-1)), "a - -1"),
        (Unary(UnaryOp.NEG, number(1)), "-(1)"),
        (Unary(UnaryOp.NEG, Unary(UnaryOp.NEG, a)), "--a"),
        (Unary(UnaryOp.NOT, Binary(BinaryOp.LT, a, b)), "!(a < b)"),
        (Conditional(TRUE, Conditional(TRUE, a, b), c), "true ? (true ? a : b) : c"),
        (
            Binary(BinaryOp.IMPLIES, Binary(BinaryOp.IMPLIES, TRUE, TRUE), TRUE),
            "(true ==> true) ==> true",
        ),
        (Const(1, EnumType("e", ("no", "yes"))), "yes"),
        (Const(-1, TID), "none"),
        (Const(2, TID), "2"),
        (Const(None, POINTER), "null"),
        (Const(3, MachineType(8, signed=False)), "3"),
        (PointerAdd(read("p", POINTER), number(1), INT), "(p + 1)"),
    ],
)
def test_expressions_for_people(expr: Expr, text: str) -> None:
    assert print_expr(expr) == text


def test_places_for_people() -> None:
    node = RecordType("node", (("next", POINTER),))
    target = DerefPlace(read("p", POINTER), node)
    assert print_place(FieldPlace(target, "next")) == "(*p).next"
    assert print_place(DerefPlace(Read(FieldPlace(target, "next")), INT)) == "*(*p).next"
    lock = VariablePlace(Variable("m", MUTEX, Scope.GLOBAL))
    assert print_place(FieldPlace(lock, "owner")) == "m.owner"


@pytest.mark.parametrize(
    ("held", "text"),
    [
        (RangeType(-1, 3, Overflow.WRAP), "int[-1..3] wrap"),
        (MachineType(64, signed=False), "uint64"),
        (ArrayType(ArrayType(BOOL, 2), PerThread("client")), "array[client] of array[2] of bool"),
        (RecordType("node", ()), "node"),
    ],
)
def test_types_for_people(held: Type, text: str) -> None:
    assert print_type(held) == text


def test_actions_for_people() -> None:
    x = a.place
    less = Binary(BinaryOp.LT, a, b)
    assert print_action(Command()) == "skip"
    assert print_action(Command(less)) == "when (a < b)"
    assert print_action(Command(less, (Assignment(x, b),), (b.place,))) == (
        "when (a < b): a := b, havoc b"
    )
    assert print_action(Call("f", (a, b), x, less)) == "when (a < b): a := call f(a, b)"
    assert print_action(Return()) == "return"
    assert print_action(Return(a)) == "return a"
    assert print_action(Free(TRUE, read("p", POINTER))) == "free p"
    assert print_action(Allocate(TRUE, x, INT, "here")) == "a := new int"


def test_field_is_not_mistaken_for_a_variable_with_a_dot() -> None:
    lock = Variable("m", MUTEX, Scope.GLOBAL)
    dotted = Variable("m.owner", TID, Scope.GLOBAL)
    text = print_program(sample())
    program = read_program(text.replace("global m: mutex", "global m: mutex\nglobal m.owner: tid"))
    field = Read(FieldPlace(VariablePlace(lock), "owner"))
    guard = Binary(BinaryOp.EQ, field, Read(VariablePlace(dotted)))
    first = program.procedures[0]
    edges = (replace(first.edges[0], action=Command(guard)), *first.edges[1:])
    changed = replace(program, procedures=(replace(first, edges=edges), *program.procedures[1:]))
    printed = print_program(changed)
    assert "when ((m).owner == m.owner)" in printed
    assert read_program(printed) == changed


def test_records_of_the_same_name_are_told_apart() -> None:
    one, two = (RecordType("node", (("value", held),)) for held in (INT, BOOL))
    variables = [Variable(name, held, Scope.GLOBAL) for name, held in (("a", one), ("b", two))]
    program = Program("p", (), tuple(map(Declaration, variables)), (), (), ())
    text = print_program(program)
    assert "global b: record node {value: bool}" in text
    assert read_program(text) == program


def test_one_command_is_printed_as_each_procedure_needs_it() -> None:
    text = "".join(
        f"procedure {name}() {{\n  local i: {held}\n  entry {at}\n  location {at}\n"
        f"    edge {at // 2}: {at} -> {at + 1}: i := 1\n  location {at + 1} final\n}}\n"
        for name, held, at in (("a", "int", 0), ("b", "int", 2), ("c", "int8", 4))
    )
    program = read_program(f'program "alike"\nthread t[1] runs a\n{text}')
    a, b, c = program.procedures
    first = a.edges[0].action
    b, c = (replace(each, edges=(replace(each.edges[0], action=first),)) for each in (b, c))
    printed = print_program(replace(program, procedures=(a, b, c)))
    lines = [line.split(": ", 2)[2] for line in printed.splitlines() if " edge " in line]
    assert lines == ["i := 1", "i := 1", "local::i := 1"]


def test_deep_expressions_are_printed() -> None:
    deep: Expr = a
    for _ in range(50_000):
        deep = Binary(BinaryOp.ADD, a, deep)
    assert print_expr(deep).endswith("a" + ")" * 49_999)


def test_edges_may_be_in_any_order() -> None:
    text = """
program "edges"
thread t[1] runs t
procedure t() {
  entry 0
  location 0
  location 1
    edge 0: 1 -> 0: skip
    edge 1: 0 -> 1: skip
    edge 2: 0 -> 0: skip
}
"""
    program = read_program(text)
    printed = print_program(program)
    assert [line for line in printed.splitlines() if line] == text.strip().splitlines()
    assert read_program(printed) == program


def test_names_of_all_declarations_count() -> None:
    """A dot in a name is one of a field, unless such a name is declared."""
    text = """
program "dots"
record r {b: int}
global a: r
thread t[1] runs t
  variable a.b: int
procedure t() {
  local a.c: int
  entry 0
  location 0
    edge 0: 0 -> 0: a.b := a.c
}
"""
    program = read_program(text)
    assert [d.variable.name for d, _ in program.declarations] == ["a", "a.b", "a.c"]
    assert [where for _, where in program.declarations] == ["", "", "t"]
    assert read_program(print_program(program)) == program


def test_a_variable_of_another_template_is_named_with_it() -> None:
    text = """
program "templates"
thread a[1] runs a
  variable v: int
thread b[1] runs b
  variable v: bool
procedure a() {
  entry 0
  location 0
    edge 0: 0 -> 0: thread(a)::v := 1
}
procedure b() {
  entry 1
  location 1
    edge 1: 1 -> 1: thread(b)::v := true
}
"""
    program = read_program(text)
    printed = print_program(program)
    assert "thread(a)::v := 1" in printed
    assert "thread(b)::v := true" in printed
    assert read_program(printed) == program


BOUND = """
program "bound"
enum colour {red, green}
global c: colour
thread client[2] runs client
  variable mine: colour
procedure client() {
  entry 0
  location 0 final
}
property invariant inv: forall i in client: i::mine == colour::red ==> c != colour::green
"""


def test_members_are_read_back_where_a_thread_has_the_name_of_their_type() -> None:
    """Then `colour::red` would be a variable of that thread."""
    program = read_program(BOUND)
    (invariant,) = program.properties
    assert isinstance(invariant, InvariantProperty)
    assert isinstance(invariant.formula, Quantified)
    named = ThreadVariable("colour", "client")
    inner = rebuilt(invariant.formula.body, invariant.formula.variables[0], named)
    formula = replace(invariant.formula, variables=(named,), body=inner)
    renamed = replace(program, properties=(replace(invariant, formula=formula),))
    assert "#colour" in print_program(renamed)
    assert read_program(print_program(renamed)) == renamed


def rebuilt(expr: Expr, old: ThreadVariable, new: ThreadVariable) -> Expr:
    if isinstance(expr, ThreadRead):
        return replace(expr, thread=new)
    return new if expr == old else rebuild(expr, lambda part: rebuilt(part, old, new))


def test_programs_with_other_properties_share_the_text_of_their_code() -> None:
    """The hash is that of a program that was made with these properties."""
    program = sample()
    for properties in ((), program.properties[:1], program.properties[::-1]):
        other = program.with_properties(properties)
        assert other == replace(program, properties=properties)
        assert program_hash(other) == program_hash(replace(program, properties=properties))
        assert other.edges is program.edges
        assert print_program(other) == print_program(replace(program, properties=properties))
