"""For each feature of programs, a program with it that is right and one of the same shape that
is wrong.
"""

from __future__ import annotations

from tests.unit.semantics.heap_programs import A, P, X, at, new, set_
from tests.unit.semantics.running import model
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.commands import Action, Command
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
)
from threadwise.ir.fold import conjunction, negation, number, place_definedness
from threadwise.ir.program import Failure, FailureKind, ListedValues, Program, Template
from threadwise.ir.properties import FailureProperty, PropertyKind
from threadwise.ir.types import INT, POINTER, ArrayType
from threadwise.proofs.toolbox.features import Feature

MODELS = {
    Feature.ANY_NUMBER: """
mutex m; int[0..2] x;
thread t[*] { acquire(m); x = 1; assert(x == RIGHT[1,2]); x = 0; release(m); }
""",
    Feature.CALLS: """
int[0..3] x;
int[0..3] f(int[0..3] p) { return p; }
thread t[2] { int[0..3] r; r = f(1); assert(r == RIGHT[1,2]); }
""",
    Feature.CREATION: """
int[0..3] x;
thread worker(int[0..3] p) { x = p; }
thread main { tid h; h = spawn worker(2); join h; assert(x == RIGHT[2,1]); }
""",
    Feature.THREAD_IDS: """
tid o; int[0..1] zero;
thread t[2] { atomic { if (o == none) o = self; } assert((o == none) == RIGHT[false,true]); }
""",
    Feature.UNBOUNDED: """
int x;
thread t { x = 1000000; }
thread u { assert(x <= RIGHT[1000000,999999]); }
""",
    Feature.OWN_VARIABLES: """
int[0..3] x;
thread t[2] { int[0..3] r; r = 2; assert(r == RIGHT[2,1]); }
invariant small: forall i: t. i.r <= 2;
""",
    Feature.LIMITS: """
int[0..3] x;
thread worker(int[0..3] p) { x = p; }
thread main { int[0..9] i; while (i < RIGHT[2,3]) { spawn worker(1); i = i + 1; } assert(x < 2); }
""",
    Feature.ATOMIC_REGIONS: """
int[0..3] x;
thread t[2] { atomic { x = 1; x = 0; } }
thread u { assert(x == RIGHT[0,1]); }
""",
}
"""`RIGHT[a,b]` is a in the right program and b in the wrong one; the last but one is wrong because
the model ends."""


def pair(feature: Feature) -> tuple[Program, Program]:
    """The right program and the wrong one."""
    if feature is Feature.HEAP:
        return _heap(5), _heap(6)
    if feature is Feature.POINTERS:
        return _pointers(11), _pointers(12)
    return _model(MODELS[feature], 0), _model(MODELS[feature], 1)


def _model(text: str, choice: int) -> Program:
    before, _, rest = text.partition("RIGHT[")
    inside, _, after = rest.partition("]")
    return model(before + inside.split(",")[choice] + after)


def _heap(wanted: int) -> Program:
    """p = malloc; p->value = 5; assert(p->value == wanted); beside it x = 1."""
    value = FieldPlace(at(P), "value")
    return _asserting([new(P), set_(value, number(5), place_definedness(value))], value, wanted)


def _pointers(wanted: int) -> Program:
    """p = &a[1]; assert(*p == wanted); beside it x = 1."""
    return _asserting([set_(P, AddressOf(IndexPlace(A, number(1))))], at(P, INT), wanted)


def _asserting(actions: list[Action], place: Place, wanted: int) -> Program:
    builder = ProgramBuilder("memory")
    builder.shared("x", INT)
    builder.shared("a", ArrayType(INT, 3), ListedValues((10, 11, 12)))
    builder.shared("p", POINTER)
    body = builder.procedure("t")
    here = body.node()
    for action in actions:
        after = body.node()
        body.edge(here, after, action)
        here = after
    wrong = body.failure(Failure(FailureKind.ASSERTION, "holds", "assertion fails"), None)
    ready = conjunction([place_definedness(place), IsWritten(place)])
    equal = Binary(BinaryOp.EQ, Read(place), number(wanted))
    body.edge(here, wrong, Command(conjunction([ready, negation(equal)])))
    body.edge(here, body.node(final=True), Command(conjunction([ready, equal])))
    builder.template(Template("t", 1, "t"))
    other = builder.procedure("u")
    start = other.node()
    other.edge(start, other.node(final=True), set_(X, number(1)))
    builder.template(Template("u", 1, "u"))
    builder.property(FailureProperty("holds", PropertyKind.ASSERTION))
    return builder.build()
