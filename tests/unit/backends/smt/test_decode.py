"""Terms of the solver about members of enumerations, which have no order in the program."""

from __future__ import annotations

import pytest
import z3

from threadwise.backends.smt.decode import Decoder
from threadwise.backends.smt.logic import Term
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import (
    FALSE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.types import EnumType

STATUS = EnumType("status", ("unborn", "running", "ended"))
MEANING = Read(VariablePlace(Variable("s", STATUS, Scope.GLOBAL)))
S = z3.Int("s")


def decoded(term: Term) -> Expr:
    decoder = Decoder()
    decoder.name(S, MEANING)
    return decoder.expression(term)


def member(position: int) -> Expr:
    return Binary(BinaryOp.EQ, MEANING, Const(position, STATUS))


@pytest.mark.parametrize(
    ("term", "members"),
    [(S > 1, [2]), (S >= 1, [1, 2]), (S < 1, [0]), (z3.IntVal(1) >= S, [0, 1]), (S == 2, [2])],
)
def test_members_are_listed(term: Term, members: list[int]) -> None:
    expected = member(members[0])
    for position in members[1:]:
        expected = Binary(BinaryOp.OR, expected, member(position))
    assert decoded(term) == expected


@pytest.mark.parametrize("term", [S > 2, S == 7])
def test_no_member(term: Term) -> None:
    assert decoded(term) == FALSE


def test_no_arithmetic() -> None:
    with pytest.raises(Unsupported):
        decoded(S + S == 2)
