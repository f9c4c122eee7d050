"""Threads that get an object each that was allocated for them, whoever else knows it.

    c = malloc(sizeof *c);
    c->next = conns; conns = c;                others find c in a list
    pthread_create(&t, 0, serve, c);

The argument of a start is *new* if, on every way back from the start through its procedure, the
variable that is passed was made by an allocation, perhaps copied, and no thread was started since:
not there, and not in procedures that are called meanwhile. Then no other thread was given the
object before. The same thread did not since it allocated the object. Another thread that did had
either allocated it itself, or owned it, so that nobody else had a pointer to it: but this variable
is one. And whoever passes what it owns, later, cannot own this object, as the argument of the new
thread leads to it. So the arguments of all threads whose starts pass what is new, or owned, lead
to different objects. A null pointer leads to none.
"""

from __future__ import annotations

from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Allocate, Call
from threadwise.ir.expr import Const, Expr, Read, Scope, Variable, VariablePlace
from threadwise.ir.fold import root
from threadwise.ir.program import Edge, LocId
from threadwise.ir.types import NULL
from threadwise.ir.writes import written
from threadwise.proofs.locksets.threads.creation import Threads


@dataclass(frozen=True)
class NewObjects:
    """The starts of a program that pass what is new."""

    threads: Threads

    def passed(self, edge: Edge) -> bool:
        """Whether the only argument that a start passes is new."""
        if edge.id not in self._known:
            self._known[edge.id] = self._passed(edge)
        return self._known[edge.id]

    @cached_property
    def _known(self) -> dict[int, bool]:
        return {}

    def _passed(self, edge: Edge) -> bool:
        names = self.threads.arguments[self.threads.starts[edge.id]]
        values = [
            value
            for target, value in written(edge)
            if isinstance(base := root(target), VariablePlace) and base.variable.name in names
        ]
        if len(names) != 1 or len(values) != 1:
            return False
        variable = _local(values[0])
        return variable is not None and self._is_new(variable, edge.source)

    def _is_new(self, variable: Variable, at: LocId) -> bool:
        """Whether, on every way to a location, a variable was allocated after the last start."""
        entry = self.threads.program.procedure_of[at].entry
        seen, pending = {(at, variable)}, [(at, variable)]
        while pending:
            location, held = pending.pop()
            if location == entry:
                return False
            for edge in self.threads.incoming[location]:
                before = self._before(edge, held)
                if before is None:
                    return False
                for known in before:
                    if (edge.source, known) not in seen:
                        seen.add((edge.source, known))
                        pending.append((edge.source, known))
        return True

    def _before(self, edge: Edge, variable: Variable) -> tuple[Variable, ...] | None:
        """What must be new before an edge for a variable to be new after it; None: it is not."""
        if edge.id in self.threads.starts:
            return None
        action = edge.action
        if isinstance(action, Call):
            called = {action.procedure, *self.threads.calls[action.procedure]}
            if not called.isdisjoint(self._starting):
                return None
        values = [
            value for place, value in written(edge) if root(place) == VariablePlace(variable)
        ]
        if not values:
            return (variable,)
        if isinstance(action, Allocate):
            return () if action.target == VariablePlace(variable) else None
        if len(values) > 1:
            return None
        if isinstance(values[0], Const) and values[0].value == NULL:
            return ()
        copied = _local(values[0])
        return None if copied is None else (copied,)

    @cached_property
    def _starting(self) -> frozenset[str]:
        """The procedures that start threads themselves."""
        program = self.threads.program
        sources = (program.edges[edge].source for edge in self.threads.starts)
        return frozenset(program.procedure_of[source].name for source in sources)


def _local(value: Expr | None) -> Variable | None:
    """The local variable that an expression reads, if it is one."""
    match value:
        case Read(VariablePlace(variable)) if variable.scope is Scope.LOCAL:
            return variable
        case _:
            return None
