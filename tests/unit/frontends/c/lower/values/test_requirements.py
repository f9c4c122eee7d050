"""What actions need to have a meaning: of each part that is evaluated."""

from __future__ import annotations

from threadwise.frontends.c.lower.values.requirements import Requirements
from threadwise.ir.commands import Action, Allocate, Assignment, Call, Command, Free, Return
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    DerefPlace,
    Expr,
    IsValid,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.types import BOOL, INT, POINTER

P, Q = (Read(VariablePlace(Variable(name, POINTER, Scope.LOCAL))) for name in "pq")
TARGET = VariablePlace(Variable("t", POINTER, Scope.LOCAL))
GUARD = Read(DerefPlace(P, BOOL))
VALUE = Read(DerefPlace(Q, INT))

ACTIONS: dict[str, tuple[Action, set[Expr]]] = {
    "a guard": (Command(GUARD), {P}),
    "a value": (Command(TRUE, (Assignment(DerefPlace(P, INT), VALUE),)), {P, Q}),
    "a choice": (Command(havocs=(DerefPlace(Q, INT),)), {Q}),
    "the guard of an allocation": (Allocate(GUARD, TARGET, INT, "s"), {P}),
    "where an allocation is noted": (Allocate(TRUE, DerefPlace(P, POINTER), INT, "s"), {P}),
    "the size of an allocation": (Allocate(TRUE, TARGET, INT, "s", VALUE), {Q}),
    "the guard of a free": (Free(GUARD, Q), {P}),
    "what is freed": (Free(TRUE, Read(DerefPlace(Q, POINTER))), {Q}),
    "the guard of a call": (Call("f", (number(1),), None, GUARD), {P}),
    "an argument": (Call("f", (VALUE,), None, TRUE), {Q}),
    "the guard of a return": (Return(None, GUARD), {P}),
    "what is returned": (Return(VALUE, TRUE), {Q}),
}


def followed(action: Action) -> set[Expr]:
    """The pointers of which something is required."""
    found = Requirements(set()).of_action(action)
    assert len(set(found)) == len(found)
    return {c.pointer for c, _ in found if isinstance(c, IsValid)}


def test_each_part_that_is_evaluated_needs_something() -> None:
    assert {name: followed(action) for name, (action, _) in ACTIONS.items()} == {
        name: pointers for name, (_, pointers) in ACTIONS.items()
    }


def test_what_is_not_evaluated_needs_nothing() -> None:
    first = Binary(BinaryOp.EQ, VALUE, number(0))
    second = Binary(BinaryOp.EQ, Read(DerefPlace(P, INT)), number(0))
    both = Requirements(set()).of_action(Command(Binary(BinaryOp.AND, first, second)))
    unconditional = {c.pointer for c, _ in both if isinstance(c, IsValid)}
    assert unconditional == {Q}
    assert any(isinstance(c, Binary) for c, _ in both)
