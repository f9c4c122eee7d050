"""What a guard says of a local that it compares with another, known to hold a constant."""

from __future__ import annotations

from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.ir.expr import Binary, BinaryOp, Const, Expr, Read, Scope, Variable, VariablePlace
from threadwise.ir.types import INT
from threadwise.proofs.simplified.facts import _pinned

EQUAL = """
int input(void), shared;
int main(void)
{
    int got = input(), wanted = 5;
    if (got == wanted)
        shared = got;
    return 0;
}
"""
ONE, OTHER = (Variable(name, INT, Scope.LOCAL) for name in ("one", "other"))
FIVE = Const(5, INT)


def test_the_pass_is_accepted() -> None:
    simpler = load_c([SourceFile("x.c", EQUAL)], COptions()).simpler
    assert "constants" not in simpler.refused
    assert "constants" in simpler.names


def _equal(left: Expr, right: Expr) -> Expr:
    return Binary(BinaryOp.EQ, left, right)


def test_only_what_is_known_is_told() -> None:
    one, other = Read(VariablePlace(ONE)), Read(VariablePlace(OTHER))
    assert _pinned(_equal(one, FIVE), {}) == {"one": FIVE}
    assert _pinned(_equal(one, other), {"other": FIVE}) == {"one": FIVE}
    assert _pinned(_equal(one, other), {}) == {}
    assert _pinned(Binary(BinaryOp.LE, one, other), {"other": FIVE}) == {}


def test_a_global_variable_is_no_local() -> None:
    one = Read(VariablePlace(ONE))
    other = Read(VariablePlace(Variable("other", INT, Scope.GLOBAL)))
    assert _pinned(_equal(one, other), {"other": FIVE}) == {}
