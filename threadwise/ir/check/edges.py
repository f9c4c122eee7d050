"""Well-formedness of edges: what an action may do, and where.

Calls and returns push and pop frames, unobservable by other threads, so they may read the
thread's own variables only, and they happen outside atomic regions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from threadwise.ir.beyond import BEYOND, UNKNOWN, is_beyond
from threadwise.ir.check.terms import TermChecker
from threadwise.ir.check.types import BOOL_KIND, INT_KIND, POINTER_KIND, TID_KIND, kind_of
from threadwise.ir.commands import (
    Action,
    Allocate,
    Call,
    Command,
    Free,
    Operation,
    OperationKind,
    Return,
)
from threadwise.ir.expr import Expr, FieldPlace, Place, Read, Variable, VariablePlace
from threadwise.ir.fold import (
    action_places,
    is_shared,
    mentions_shared,
    place_expressions,
    read_places,
    root,
)
from threadwise.ir.program import Edge, Location, LocId, Procedure, Program
from threadwise.ir.types import MutexType

_LOCK_OPERATIONS = (
    OperationKind.ACQUIRE,
    OperationKind.RELEASE,
    OperationKind.TRY_ACQUIRE,
    OperationKind.AWAIT,
)
_THREAD_OPERATIONS = (OperationKind.SPAWN, OperationKind.JOIN)


_Key = tuple[Action, Operation | None, tuple[str, ...] | None]


class EdgeChecker:
    """Checks the edges of one program; the term checker knows where."""

    def __init__(self, program: Program, terms: TermChecker) -> None:
        self._terms = terms
        self._procedures = {procedure.name: procedure for procedure in program.procedures}
        self._correct: dict[_Key, frozenset[Variable]] = {}
        """Commands without a fault, and the locals that they mention.

        Whose threads come there is part of the key if that was looked at.
        """

    def is_known(
        self,
        edge: Edge,
        declared: Mapping[str, Variable],
        templates: tuple[str, ...],
        locations: Mapping[LocId, Location],
    ) -> bool:
        """Whether an edge does what was correct elsewhere, with locals like those of there."""
        mentioned = self._correct.get((edge.action, edge.operation, None))
        if mentioned is None:
            mentioned = self._correct.get((edge.action, edge.operation, templates))
        return (
            mentioned is not None
            and edge.source in locations
            and edge.target in locations
            and all(declared.get(variable.name) == variable for variable in mentioned)
        )

    def check(self, edge: Edge, procedure: Procedure, locations: Mapping[LocId, Location]) -> None:
        """Check an edge of a procedure with the given locations."""
        complain = self._terms.complain
        before = self._terms.complaints
        self._terms.locals.clear()
        self._terms.looked_at_threads = False
        for end, name in ((edge.source, "source"), (edge.target, "target")):
            if end not in locations:
                complain(f"its {name} {end} is not a location of the procedure")
        action = edge.action
        self._terms.expect(action.guard, BOOL_KIND, "the guard")
        if isinstance(action, Call | Return):
            ends = [locations[end] for end in (edge.source, edge.target) if end in locations]
            if any(location.atomic for location in ends):
                complain("a call or return at an atomic region")
            self._private([action.guard])
        match action:
            case Command():
                self._command(action)
            case Allocate(_, target, held, _, count):
                self._terms.types.check(held)
                if count is not None:
                    self._terms.expect(count, INT_KIND, "the number of elements")
                self._pointer_target(target)
            case Free(_, pointer):
                self._terms.expect(pointer, POINTER_KIND, "what is freed")
            case Call():
                self._call(action)
            case Return(value, _):
                self._return(edge, value, procedure)
            case _:
                assert_never(action)
        if edge.operation is not None:
            self._operation(edge.operation)
        self._beyond(edge)
        if isinstance(action, Command) and self._terms.complaints == before:
            templates = self._terms.site.templates if self._terms.looked_at_threads else None
            self._correct[action, edge.operation, templates] = frozenset(self._terms.locals)

    def _beyond(self, edge: Edge) -> None:
        """No run takes an edge that says what may lie behind a limit, and no other one lets it."""
        if is_beyond(edge):
            if not any(map(_is_beyond, read_places(edge.action.guard))):
                self._terms.complain("what lies behind a limit can be reached")
        elif any(map(_is_beyond, action_places(edge.action))):
            self._terms.complain("what lies behind limits is made reachable")

    def _command(self, command: Command) -> None:
        for assignment in command.assignments:
            kind = self._terms.target(assignment.target, "the target of an assignment")
            self._terms.expect(assignment.value, kind, "the assigned value")
        for place in command.havocs:
            self._terms.target(place, "the target of a havoc")

    def _pointer_target(self, target: Place) -> None:
        kind = self._terms.target(target, "the target of an allocation")
        if kind not in (POINTER_KIND, None):
            self._terms.complain("the target of an allocation is no pointer")

    def _call(self, call: Call) -> None:
        complain = self._terms.complain
        self._private(call.arguments)
        result_kind = None
        if call.result is not None:
            result_kind = self._terms.target(call.result, "where the result goes")
            if is_shared(call.result):
                complain("the result of a call goes to shared memory")
            self._private(place_expressions(call.result))
        callee = self._procedures.get(call.procedure)
        if callee is None:
            complain(f"calls {call.procedure}, which is no procedure")
            return
        if len(call.arguments) != len(callee.parameters):
            complain(
                f"calls {callee.name} with {len(call.arguments)} arguments instead of "
                f"{len(callee.parameters)}"
            )
        for argument, parameter in zip(call.arguments, callee.parameters, strict=False):
            self._terms.expect(argument, kind_of(parameter.type), f"argument {parameter.name}")
        if call.result is not None:
            if callee.result is None:
                complain(f"takes a result from {callee.name}, which has none")
            elif result_kind is not None and result_kind != kind_of(callee.result):
                complain(f"the result of {callee.name} does not fit where it goes")

    def _return(self, edge: Edge, value: Expr | None, procedure: Procedure) -> None:
        complain = self._terms.complain
        if edge.target != edge.source:
            complain("the target of a return is not its source")
        if (value is None) != (procedure.result is None):
            complain("a value is returned iff the procedure has a result")
        if value is not None:
            self._private([value])
            wanted = None if procedure.result is None else kind_of(procedure.result)
            self._terms.expect(value, wanted, "the returned value")

    def _private(self, exprs: list[Expr] | tuple[Expr, ...]) -> None:
        if any(map(mentions_shared, exprs)):
            self._terms.complain("a call or return looks at shared memory")

    def _operation(self, operation: Operation) -> None:
        subject, kind = operation.subject, operation.kind
        if kind in _LOCK_OPERATIONS:
            if subject is None or not _is_owner(subject):
                self._terms.complain(f"the subject of {kind.value} is no owner of a mutex")
        elif kind in _THREAD_OPERATIONS or kind is OperationKind.HELD:
            if subject is None:
                self._terms.complain(f"{kind.value} has no subject")
        elif subject is not None and kind not in UNKNOWN:
            self._terms.complain(f"{kind.value} has a subject")
        if subject is not None and kind is OperationKind.HELD:
            self._terms.expr(subject)  # a pointer, or what stands for one in a simpler program
        elif subject is not None:
            wanted = POINTER_KIND if kind in UNKNOWN else TID_KIND
            self._terms.expect(subject, wanted, f"the subject of {kind.value}")


def _is_owner(subject: Expr) -> bool:
    if not isinstance(subject, Read) or not isinstance(subject.place, FieldPlace):
        return False
    place = subject.place
    try:
        return place.field == "owner" and isinstance(place.base.type, MutexType)
    except (TypeError, KeyError):
        return False


def _is_beyond(place: Place) -> bool:
    return root(place) == VariablePlace(BEYOND)
