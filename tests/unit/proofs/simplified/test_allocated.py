"""Local variables that others know end at the end of their function, and nothing else ends."""

from __future__ import annotations

from dataclasses import replace

import pytest

from threadwise.analyses.uses import Uses
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.ir.commands import Allocate, Assignment, Command, Free
from threadwise.ir.expr import Const, Expr, Read, Variable, VariablePlace
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import NULL, POINTER, Address, Value
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.resolved.allocated import Allocated
from threadwise.proofs.simplified.resolved.check import check_resolved
from threadwise.transforms.memory import PASS
from threadwise.transforms.pipeline import applied

SOURCE = """
#include <assert.h>
#include <pthread.h>
#include <unistd.h>
int count, other, *where;
char kept[4];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void put(const char *from, int size)
{
    pthread_mutex_lock(&m);
    for (int i = 0; i < size; i++)
        kept[i] = from[i];
    if (count < 3)
        count++;
    assert(count <= 3);
    pthread_mutex_unlock(&m);
}
void *work(void *argument)
{
    char line[4];
    while (read(0, line, sizeof line) > 0)
        put(line, sizeof line);
    return 0;
}
int main(void)
{
    pthread_t t[3];
    where = &other;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, where);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
}
"""


@pytest.fixture
def program() -> Program:
    return load_c_sources([SourceFile("m.c", SOURCE)], LoadOptions()).program


def _end(program: Program) -> tuple[Edge, str]:
    """The edge with which `line` ends, and its procedure."""
    found = [
        (edge, procedure.name)
        for procedure in program.procedures
        for edge in procedure.edges
        if isinstance(edge.action, Free) and "line" in str(edge.action.pointer)
    ]
    return found[0]


def _line(program: Program) -> Variable:
    action = _end(program)[0].action
    assert isinstance(action, Free)
    assert isinstance(action.pointer, Read)
    assert isinstance(action.pointer.place, VariablePlace)
    return action.pointer.place.variable


def _with_store(program: Program, value: Expr) -> Program:
    """The program with one more assignment to the pointer to `line`."""
    name = _end(program)[1]
    body = program.procedure[name]
    old = next(e for e in body.edges if isinstance(e.action, Command) and e.action.assignments)
    assert isinstance(old.action, Command)
    stores = (*old.action.assignments, Assignment(VariablePlace(_line(program)), value))
    new = replace(old, action=replace(old.action, assignments=stores))
    edges = tuple(new if edge is old else edge for edge in body.edges)
    procedures = tuple(replace(p, edges=edges) if p is body else p for p in program.procedures)
    return replace(program, procedures=procedures)


def test_a_local_variable_comes_from_its_own_allocation(program: Program) -> None:
    edge, procedure = _end(program)
    assert isinstance(edge.action, Free)
    sites = Allocated(program).sites(edge.action.pointer, procedure)
    allocations = {e.action.site for e in program.edges if isinstance(e.action, Allocate)}
    assert sites is not None
    assert len(sites) == 1
    assert sites <= allocations


@pytest.mark.parametrize(
    ("value", "known"),
    [
        (NULL, True),
        (Address(0, 0), False),
        (Address(-1, 7), False),
    ],
)
def test_another_value_is_another_origin(program: Program, value: Value, known: bool) -> None:
    changed = _with_store(program, Const(value, POINTER))
    edge, procedure = _end(changed)
    assert isinstance(edge.action, Free)
    assert (Allocated(changed).sites(edge.action.pointer, procedure) is not None) == known


def test_a_copy_of_a_shared_pointer_is_another_origin(program: Program) -> None:
    shared = next(d.variable for d in program.globals if d.variable.type == POINTER)
    changed = _with_store(program, Read(VariablePlace(shared)))
    edge, procedure = _end(changed)
    assert isinstance(edge.action, Free)
    assert Allocated(changed).sites(edge.action.pointer, procedure) is None


def test_the_program_without_pointers_is_accepted(program: Program) -> None:
    after = applied(program, PASS, Uses())
    check_resolved(program, after, program.found[PASS])  # type: ignore[arg-type]  # the claims


def test_the_end_of_something_else_is_refused(program: Program) -> None:
    """The program made of one in which the pointer never leads to a global variable."""
    after = applied(program, PASS, Uses())
    changed = _with_store(program, Const(Address(0, 0), POINTER))
    with pytest.raises(Refuted):
        check_resolved(changed, after, program.found[PASS])  # type: ignore[arg-type]  # the claims
