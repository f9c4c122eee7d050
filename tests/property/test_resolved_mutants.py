"""Programs without pointers, changed at random: what the checker accepts loses no violation.

Most changes are refused. Accepted ones change what no run takes, or are the same; explicit search
of the changed program decides: it proves nothing that fails in the program with pointers.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from tests.regressions.test_c_memory_as_variables import PROGRAMS, _found, _simplified
from tests.unit.proofs.simplified.test_resolved import _changed, _check
from threadwise.analyses.uses import Uses
from threadwise.core.errors import Unsupported
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import FALSE, Binary, BinaryOp, Const, Expr, Read
from threadwise.ir.fold import conjunction, conjuncts, uses_memory
from threadwise.ir.program import Edge
from threadwise.proofs.base.answer import Refuted
from threadwise.transforms.memory import PASS
from threadwise.transforms.pipeline import applied

EDGES = 15
OPPOSITE = {BinaryOp.EQ: BinaryOp.NE, BinaryOp.NE: BinaryOp.EQ}


def _mutants(edge: Edge) -> Iterator[Edge | None]:
    """An edge with one thing wrong; None: it is left out."""
    yield None
    action = edge.action
    if not isinstance(action, Command):
        return
    for stores in _other_stores(action.assignments):
        yield replace(edge, action=replace(action, assignments=stores))
    parts = list(conjuncts(action.guard))
    for number, part in enumerate(parts):
        for other in _other_conditions(part):
            guard = conjunction([*parts[:number], other, *parts[number + 1 :]])
            yield replace(edge, action=replace(action, guard=guard))
    yield replace(edge, action=replace(action, guard=FALSE))


def _other_stores(stores: tuple[Assignment, ...]) -> Iterator[tuple[Assignment, ...]]:
    for number, store in enumerate(stores):
        before, after = stores[:number], stores[number + 1 :]
        yield (*before, *after)
        value = store.value
        if isinstance(value, Const) and type(value.value) is int:
            for change in (1, -1):
                changed = Const(value.value + change, value.type)
                yield (*before, Assignment(store.target, changed), *after)
        if isinstance(value, Read):
            yield (*before, Assignment(store.target, Read(store.target)), *after)


def _other_conditions(part: Expr) -> Iterator[Expr]:
    if isinstance(part, Binary):
        right = part.right
        if isinstance(right, Const) and type(right.value) is int:
            yield replace(part, right=Const(right.value + 1, right.type))
        if part.op in OPPOSITE:
            yield replace(part, op=OPPOSITE[part.op])


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_no_violation_is_lost(number: int) -> None:
    before = _simplified(*PROGRAMS[number])
    if not uses_memory(before):
        pytest.skip("all pointers were resolved before")
    try:
        after = applied(before, PASS, Uses())
    except Unsupported:
        pytest.skip("not treated")
    _check(before, after)
    violated, _, _ = _found(before)
    draw = random.Random(number)
    refused = 0
    for edge in draw.sample(after.edges, min(EDGES, len(after.edges))):
        for wrong in _mutants(edge):
            changed = _changed(after, {edge.id: wrong})
            try:
                _check(before, changed)
            except Refuted:
                refused += 1
                continue
            if validate(changed):
                continue
            try:
                _, proved, limits = _found(changed)
            except IndexError:
                continue  # it does more, beyond an array: nothing is proved
            assert limits or not violated & proved, (edge.text, wrong)
    assert refused > EDGES
