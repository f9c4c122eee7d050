"""What the engine forgets about locals that nobody reads any more."""

from __future__ import annotations

from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_model_source
from threadwise.engines.locksets.needed import Needed
from threadwise.ir.expr import Binary, BinaryOp, Const, Expr, Place, Read, VariablePlace
from threadwise.ir.program import LocId, Program
from threadwise.proofs.locksets.entailment import implies
from threadwise.proofs.locksets.knowledge import Knowledge

TEXT = """
int[0..9] g = 0;
thread main {
    int[0..9] a = 1;
    int[0..9] b = 2;
    int[0..9] c = 3;
    g = a;
    g = b;
    g = c;
}
"""


def _program() -> Program:
    return load_model_source(SourceFile("t.tw", TEXT), LoadOptions())


def _before_the_write_of(program: Program, name: str) -> LocId:
    place = _place(program, name)
    for edge in program.edges:
        for each in getattr(edge.action, "assignments", ()):
            if each.value == Read(place):
                return edge.source
    raise AssertionError(name)


def _place(program: Program, name: str) -> Place:
    (procedure,) = program.procedures
    found = [d.variable for d in procedure.locals if d.variable.name == name]
    return VariablePlace(found[0])


def _plus(place: Place) -> Expr:
    return Binary(BinaryOp.ADD, Read(place), Const(1, place.type))


def test_values_of_locals_that_nobody_reads_are_forgotten() -> None:
    program = _program()
    a, b, c = (_place(program, name) for name in "abc")
    at = _before_the_write_of(program, "c")
    one = Const(1, a.type)
    known = Knowledge(known={a: one, b: one, c: one}, facts=frozenset({_less(a, b), _less(c, c)}))
    left = Needed(program).of(at, known)
    assert left.known == {c: one}
    assert left.facts == {_less(c, c)}
    assert implies(known, left)


def test_what_others_are_told_with_is_kept() -> None:
    program = _program()
    a, b, c = (_place(program, name) for name in "abc")
    at = _before_the_write_of(program, "c")
    known = Knowledge(known={c: _plus(b), b: _plus(a)}, owned={a: "site"})
    assert Needed(program).of(at, known) == known


def test_everything_is_kept_where_all_is_read() -> None:
    program = _program()
    a, b, c = (_place(program, name) for name in "abc")
    at = _before_the_write_of(program, "a")
    known = Knowledge(known={a: _plus(b), c: _plus(b)})
    assert Needed(program).of(at, known) is known


def _less(one: Place, other: Place) -> Expr:
    return Binary(BinaryOp.LT, Read(one), Read(other))
