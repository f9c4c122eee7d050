"""Proofs by all interleavings of programs with calls: no way on is left out of the formula.

Two ways from different points once had the same constant, so that neither was ever taken.
"""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.interleavings.check import check_interleavings

DOWN = "void f(int[0..2] p) { if (p > 0) { f(p - 1); } return; }"
RESULT = "int[0..2] f(int[0..2] p) { if (p > 0) { p = f(p - 1); } return p; }"
EITHER = """
void f(int[0..2] p) { either { f(p); } or { skip; } or { g(p); } return; }
void g(int[0..2] p) { return; }
"""
TWICE = """
void f(int[0..2] p) {
    if (p > 1) { f(p - 1); f(p - 1); } else { if (p > 0) { f(0); } } return;
}
"""
LOOP = "void f(int[0..2] p) { while (p > 0) { p = p - 1; f(p); } return; }"
MAIN = """
%s
thread t {
    int[0..2000] s; int[0..2] r;
    havoc s; if (s == 1234) { havoc r; f(r); assert(%s); }
}
"""


def accepted(program: Program, length: int) -> bool:
    names = [each.name for each in program.properties if each.name.startswith("assert")]
    found = InterleavingsCertificate(program_hash(program), tuple(names), (length,))
    try:
        check_interleavings(program, found, lambda: None)
    except Refuted:
        return False
    return True


@pytest.mark.parametrize("procedure", [DOWN, RESULT, TWICE, LOOP])
@pytest.mark.parametrize("condition", ["false", "s != 1234"])
def test_what_follows_a_call_is_reached(procedure: str, condition: str) -> None:
    """Once valid: nobody returned from the procedure."""
    program = model(MAIN % (procedure, condition))
    assert not any(accepted(program, length) for length in (5, 12))


def test_endless_recursion() -> None:
    program = model(MAIN % (EITHER, "false"))
    assert not any(accepted(program, length) for length in (5, 9))


@pytest.mark.parametrize("procedure", [DOWN, RESULT])
def test_proofs_are_valid(procedure: str) -> None:
    """Once refuted, and an internal error: runs were not among the interleavings."""
    assert accepted(model(MAIN % (procedure, "s == 1234")), 16)
