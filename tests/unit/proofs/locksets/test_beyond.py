"""Steps behind limits, as proofs read them: what is cleared there stays cleared."""

from __future__ import annotations

import pytest

from tests.every_engine import loaded
from threadwise.core.quick_dataclass import replace
from threadwise.ir.beyond import BEYOND, is_beyond
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import Const, IntToPointer, Read, Scope, Variable, VariablePlace
from threadwise.ir.program import DEFAULT, Declaration, Edge, Program
from threadwise.ir.types import INT, NULL, POINTER
from threadwise.proofs.locksets.beyond import readable

CALL = """
void unknown(int *);
int x;
int main(void) { unknown(&x); return x; }
"""
OWN = Variable("own", POINTER, Scope.LOCAL)


def read_with(*more: Assignment) -> Command:
    """What is read in the step of an unknown call that writes more than its result."""
    program = loaded(CALL).worked_on
    [found] = filter(is_beyond, program.edges)
    [main] = (p for p in program.procedures if found in p.edges)
    assert isinstance(found.action, Command)
    action = replace(found.action, assignments=(*found.action.assignments, *more))
    edges = tuple(replace(e, action=action) if e is found else e for e in main.edges)
    own = (*main.locals, Declaration(OWN, DEFAULT))
    procedures = tuple(
        replace(p, edges=edges, locals=own) if p is main else p for p in program.procedures
    )
    return _command(readable(replace(program, procedures=procedures)), found)


def _command(program: Program, edge: Edge) -> Command:
    action = program.edges[edge.id].action
    assert isinstance(action, Command)
    return action


def test_what_is_cleared_stays_cleared() -> None:
    cleared = Assignment(VariablePlace(OWN), Const(NULL, POINTER))
    assert [a for a in read_with(cleared).assignments if a.target == cleared.target] == [cleared]


@pytest.mark.parametrize(
    "value", [IntToPointer(Read(VariablePlace(BEYOND))), Read(VariablePlace(OWN))]
)
def test_what_gets_a_value_gets_any(value: IntToPointer | Read) -> None:
    stored = Assignment(VariablePlace(OWN), value)
    [found] = (a for a in read_with(stored).assignments if a.target == stored.target)
    assert found.value not in (value, Const(NULL, POINTER))


def test_numbers_are_chosen() -> None:
    number = VariablePlace(Variable("number", INT, Scope.LOCAL))
    command = read_with(Assignment(number, Read(number)))
    assert number in command.havocs
    assert number not in read_with(Assignment(number, Const(0, INT))).havocs
