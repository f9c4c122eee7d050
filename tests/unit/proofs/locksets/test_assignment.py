"""One assignment at a time says what assignments by way of shadows say."""

from __future__ import annotations

from itertools import product

import pytest

from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.program import EdgeId
from threadwise.ir.types import INT, POINTER, RecordType
from threadwise.proofs.locksets.assignment import Assigned, assign, assign_by_shadows
from threadwise.proofs.locksets.knowledge import Event, Knowledge, mentions, overlap
from threadwise.proofs.locksets.retelling import without

RECORD = RecordType("r", (("a", INT), ("b", INT)))


def _own(name: str, held: object = INT) -> VariablePlace:
    return VariablePlace(Variable(name, held, Scope.LOCAL))  # type: ignore[arg-type]


X, Y, Z, P, Q, R = (
    _own("x"),
    _own("y"),
    _own("z"),
    _own("p", POINTER),
    _own("q", POINTER),
    _own("r", RECORD),
)
ONE = Const(1, INT)
LOCK = FieldPlace(DerefPlace(Read(P), RECORD), "a")


def _plus(place: Place) -> Expr:
    return Binary(BinaryOp.ADD, Read(place), ONE)


KNOWN = [
    Knowledge(),
    Knowledge(
        known={Y: Read(X), Z: _plus(X)}, facts=frozenset({Binary(BinaryOp.LT, Read(X), Read(Z))})
    ),
    Knowledge(held=frozenset({LOCK}), known={Q: Read(P)}, owned={P: "site"}, homes={Q: LOCK}),
    Knowledge(known={FieldPlace(R, "a"): Read(X), X: ONE}, handles={Y: Event(EdgeId(3), 0)}),
    Knowledge(lost=frozenset({P}), clean=frozenset({P, Q}), identity=Read(X)),
    Knowledge(taken=frozenset({P}), whole=frozenset({P, Q}), same={Q: LOCK}),
]
CHANGES = [
    Assigned(X),
    Assigned(X, ONE),
    Assigned(X, Read(Y)),
    Assigned(X, _plus(X)),
    Assigned(Y, _plus(X), event=Event(EdgeId(4), 1)),
    Assigned(P, Read(Q), site="other", clean=True),
    Assigned(P, None, site="other"),
    Assigned(FieldPlace(R, "b"), Read(X)),
    Assigned(R),
]


@pytest.mark.parametrize(("knowledge", "change"), list(product(KNOWN, CHANGES)))
def test_one_assignment(knowledge: Knowledge, change: Assigned) -> None:
    assert assign(knowledge, [change]) == assign_by_shadows(knowledge, [change])


def test_parts_of_one_variable_overlap_if_their_fields_do() -> None:
    assert overlap(R, FieldPlace(R, "a"))
    assert not overlap(FieldPlace(R, "a"), FieldPlace(R, "b"))
    assert not overlap(X, Y)
    assert mentions(_plus(FieldPlace(R, "a")), R)
    assert not mentions(_plus(FieldPlace(R, "a")), FieldPlace(R, "b"))


@pytest.mark.parametrize("name", ["taken", "whole", "clean", "lost"])
def test_nothing_is_left_of_a_place_that_is_told_once(name: str) -> None:
    """Also where a claim says it without what usually comes with it."""
    known = Knowledge(**{name: frozenset({P})})  # type: ignore[arg-type]
    assert getattr(without(known, P), name) == frozenset()
    assert getattr(without(known, Q), name) == frozenset({P})
