"""What an order of locks asks of a program, whatever the order: (1), (3), (4), (6), (7), (9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache

from threadwise.ir.commands import HANDLER, Call, Command, OperationKind
from threadwise.ir.expr import (
    Expr,
    FieldPlace,
    Read,
    SelfId,
    ThreadAt,
    VariablePlace,
)
from threadwise.ir.fold import action_places, conjunction, conjuncts, root, subexpressions
from threadwise.ir.layout import NO_THREADS, cells_of, has_static_size, initial_choices
from threadwise.ir.operations import NOBODY, holds, is_free
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import AnyValue, Edge, Procedure, Program
from threadwise.ir.types import NONE, MutexType, TidType, parts_of
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.lock_order.certificate import Known
from threadwise.proofs.lock_order.covering import MOST_REMEMBERED, one_always_holds
from threadwise.proofs.lock_order.facts import lock_of, rest_of_guard
from threadwise.proofs.lock_order.limits import check_limits
from threadwise.proofs.lock_order.locks import is_owner
from threadwise.proofs.toolbox.intervals import assumed
from threadwise.proofs.toolbox.loops import comes_to_end

LOCKING = (
    OperationKind.ACQUIRE,
    OperationKind.RELEASE,
    OperationKind.TRY_ACQUIRE,
    OperationKind.AWAIT,
    OperationKind.JOIN,
)
"""What handlers of signals may not do."""


def check_conditions(
    program: Program, bounds: Mapping[str, Mapping[int, Known]], tick: Callable[[], object]
) -> None:
    """Raises Refuted if the program is not of the kind that orders of locks are about.

    `bounds` of the locals of some procedures have been verified.
    """
    conditions = _Conditions(program)
    conditions.check_owners()
    conditions.check_statuses()
    check_limits(program)
    conditions.check_regions()
    conditions.check_handlers()
    for procedure in program.procedures:
        tick()
        claims = bounds.get(procedure.name)
        check_enabled(program, procedure, claims)


def check_enabled(
    program: Program, procedure: Procedure, bounds: Mapping[int, Known] | None
) -> None:
    """(3): raises Refuted unless one can go on everywhere, if all that is waited for is there."""
    for location in procedure.locations:
        here = location.id
        if location.failure is not None or location.final:
            continue
        if bounds is not None and here not in bounds:  # it is never reached
            continue
        known = {} if bounds is None else bounds[here]
        rest = [rest_of_guard(program, edge) for edge in program.outgoing[here]]
        guards = tuple(_within(guard, known) if known else _anywhere(guard) for guard in rest)
        if not one_always_holds(guards):
            raise Refuted(f"a thread may wait at location {here} for something else")


def _within(guard: Expr, known: Known) -> Expr:
    """A guard without those of its parts that are true within bounds."""
    parts = conjuncts(guard)
    return conjunction([part for part in parts if assumed(part, known, holds=False) is not None])


@lru_cache(maxsize=MOST_REMEMBERED)
def _anywhere(guard: Expr) -> Expr:
    """A guard without those of its parts that are true for all values of their types."""
    return _within(guard, {})


def _different(program: Program) -> Iterable[Edge]:
    """Edges that do all that edges do, and say what it is for."""
    return {(edge.action, edge.operation): edge for edge in program.edges}.values()


class _Conditions:
    def __init__(self, program: Program) -> None:
        self.program = program

    # -- (1), (4), (6) ---------------------------------------------------------------------------

    def check_owners(self) -> None:
        for declaration in self.program.globals:
            held = declaration.variable.type
            if not any(isinstance(part, MutexType) for part in parts_of(held)):
                continue
            if not has_static_size(held):
                raise Refuted("a mutex for each thread")
            cells = cells_of(declaration.variable, NO_THREADS)
            for cell, choices in zip(cells, initial_choices(declaration, NO_THREADS), strict=True):
                if isinstance(cell.type, TidType) and choices != (NONE,):
                    raise Refuted(f"{cell.name} may have an owner from the start")
        for edge in _different(self.program):
            self._check_writes(edge)

    def _check_writes(self, edge: Edge) -> None:
        for place in action_places(edge.action):
            if not isinstance(place.type, TidType):
                continue
            if is_owner(place):
                self._check_owner(edge)
        havocs = edge.action.havocs if isinstance(edge.action, Command) else ()
        if any(isinstance(place.type, TidType) for place in havocs):
            raise Refuted(f"edge {edge.id} chooses any thread")

    def _check_owner(self, edge: Edge) -> None:
        assert isinstance(edge.action, Command)
        written = [each for each in edge.action.assignments if is_owner(each.target)]
        if edge.operation is None:
            if any(each.value != NOBODY for each in written):
                raise Refuted(f"edge {edge.id} changes the owner of a mutex without saying so")
            return
        lock_of(edge)
        if len(written) != 1 or edge.operation.subject != Read(written[0].target):
            raise Refuted(f"edge {edge.id} changes the owner of another mutex")
        (target,) = (each.target for each in written)
        assert isinstance(target, FieldPlace)
        asked: dict[Expr, Expr] = {SelfId(): is_free(target.base), NOBODY: holds(target.base)}
        if asked.get(written[0].value) not in tuple(conjuncts(edge.action.guard)):
            raise Refuted(f"edge {edge.id} changes the owner of a mutex as nobody may")

    def check_statuses(self) -> None:
        statuses = {PoolCells(t.name).status for t in self.program.templates if t.pool}
        for edge in _different(self.program):
            kind = None if edge.operation is None else edge.operation.kind
            for place in action_places(edge.action):
                base = root(place)
                status = isinstance(base, VariablePlace) and base.variable.name in statuses
                if status and kind not in (OperationKind.SPAWN, OperationKind.FINISH):
                    raise Refuted(f"edge {edge.id} changes the status of a thread")
            if kind is not OperationKind.SPAWN and isinstance(edge.action, Command):
                values = [each.value for each in edge.action.assignments]
                parts = [part for value in values for part in subexpressions(value)]
                if any(isinstance(part, ThreadAt) for part in parts):
                    raise Refuted(f"edge {edge.id} makes up a thread")
        for declaration in self.program.globals:
            tids = any(isinstance(part, TidType) for part in parts_of(declaration.variable.type))
            if tids and isinstance(declaration.initial, AnyValue):
                raise Refuted(f"{declaration.variable.name} may be any thread")
        for template in self.program.templates:
            if template.pool:
                self._check_end(template.body)

    def _check_end(self, body: str) -> None:
        procedure = self.program.procedure[body]
        for edge in procedure.edges:
            target = self.program.locations[edge.target]
            ends = target.final and not self.program.outgoing[target.id]
            kind = None if edge.operation is None else edge.operation.kind
            if ends and kind is not OperationKind.FINISH:
                raise Refuted(f"a thread of {body} ends and does not say so")

    # -- (7) -------------------------------------------------------------------------------------

    def check_regions(self) -> None:
        inside = {location.id for location in self.program.locations if location.atomic}
        edges = [edge for edge in self.program.edges if edge.source in inside]
        for edge in edges:
            if not isinstance(edge.action, Command):
                raise Refuted(f"a call or return inside an atomic block at location {edge.source}")
        staying = [edge for edge in edges if edge.target in inside]
        if not comes_to_end(inside, staying, conjuncts):
            raise Refuted("an atomic block may loop")

    # -- (9) -------------------------------------------------------------------------------------

    def check_handlers(self) -> None:
        bodies = [template.body for template in self.program.templates if template.name == HANDLER]
        for name in bodies:  # which grow
            for edge in self.program.procedure[name].edges:
                action, operation = edge.action, edge.operation
                if isinstance(action, Call) and action.procedure not in bodies:
                    bodies.append(action.procedure)
                if operation is not None and operation.kind in LOCKING:
                    line = "" if edge.span is None else f" (line {edge.span.line})"
                    raise Refuted(f"a handler of signals uses locks{line}")
