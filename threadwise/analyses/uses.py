"""What edges read, write and mention, found once for each.

Most edges pass through most transformations unchanged. A `Uses` caches what it computed
about the action and the operation of an edge, so that only changed edges are walked through again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import chain
from typing import get_args

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Action, Call, Free
from threadwise.ir.expr import (
    AddressOf,
    Const,
    DerefPlace,
    Expr,
    IsWritten,
    Place,
    PointerExpr,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_places, root, subexpressions
from threadwise.ir.mentions import Step, edge_expressions
from threadwise.ir.program import Program
from threadwise.ir.types import Address

Names = frozenset[str]
_ABOUT_MEMORY = frozenset(get_args(PointerExpr))


@dataclass(frozen=True, slots=True, eq=False)
class EdgeUses:
    """What one edge does with variables; the subject of its operation counts as read."""

    read: Names
    """Locals; one of which a part is written is read, for its other parts are kept."""
    written: Names
    """Locals, whole or in part."""
    overwritten: Names
    """Locals as a whole; not by the result of a call, which arrives with its return."""
    read_globals: Names
    written_globals: Names
    addressed: Names
    """Globals whose address is taken."""
    addresses: frozenset[Address]
    """Addresses that occur as constants."""
    follows: bool
    """Whether it goes through a pointer, or frees what one points to."""
    computes: bool
    """Whether it does more with pointers and memory than copying and comparing addresses."""


class Uses:
    """The cache, by edge."""

    def __init__(self) -> None:
        self._known: dict[tuple[Action, Expr], EdgeUses] = {}
        """Of edges whose operation has a subject; the actions of others remember it."""
        self.settled: set[EdgeUses] = set()
        """What constant propagation leaves as it is wherever it knows nothing."""
        self._program: Program | None = None
        self._by_procedure: dict[str, dict[EdgeUses, None]] = {}

    def of(self, edge: Step) -> EdgeUses:
        """What an edge does with variables."""
        operation = edge.operation
        if operation is not None and operation.subject is not None:
            key = edge.action, operation.subject
            known = self._known.get(key)
            if known is None:
                known = self._known[key] = _uses(edge)
            return known
        told = edge.action.told
        known = told.get("uses")
        if known is None:
            known = told["uses"] = _uses(edge)
        return known

    def by_procedure(self, program: Program) -> Mapping[str, Collection[EdgeUses]]:
        """What the edges of each procedure do, each thing once; found once for a program."""
        if self._program is not program:
            self._program = program
            self._by_procedure = {
                procedure.name: dict.fromkeys(map(self.of, procedure.edges))
                for procedure in program.procedures
            }
        return self._by_procedure

    def in_program(self, program: Program) -> Iterator[EdgeUses]:
        """What the edges of a program do, each thing once for each procedure."""
        return chain.from_iterable(self.by_procedure(program).values())


class _Names:
    """Variables, sorted by where they live."""

    def __init__(self) -> None:
        self.local: set[str] = set()
        self.shared: set[str] = set()

    def add(self, variable: Variable) -> None:
        if variable.scope is Scope.LOCAL:
            self.local.add(variable.name)
        elif variable.scope is Scope.GLOBAL:
            self.shared.add(variable.name)


def _uses(edge: Step) -> EdgeUses:
    read, written, addressed = _Names(), _Names(), _Names()
    overwritten: set[str] = set()
    addresses: set[Address] = set()
    follows, computes = isinstance(edge.action, Free), False

    def note(place: Place, names: _Names) -> None:
        nonlocal follows
        base = root(place)
        if isinstance(base, DerefPlace):
            follows = True
        else:
            names.add(base.variable)

    for place in action_places(edge.action):
        note(place, written)
        if not isinstance(place, VariablePlace):
            note(place, parts := _Names())
            read.local |= parts.local
        elif place.variable.scope is Scope.LOCAL and not isinstance(edge.action, Call):
            overwritten.add(place.variable.name)
    for expr in edge_expressions(edge):
        for part in subexpressions(expr):
            if isinstance(part, Const):
                if isinstance(part.value, Address):
                    addresses.add(part.value)
            elif isinstance(part, Read):
                note(part.place, read)
            elif type(part) in _ABOUT_MEMORY:
                computes = True
                if isinstance(part, IsWritten | AddressOf):
                    note(part.place, read if isinstance(part, IsWritten) else addressed)
    return EdgeUses(
        frozenset(read.local),
        frozenset(written.local),
        frozenset(overwritten),
        frozenset(read.shared),
        frozenset(written.shared),
        frozenset(addressed.shared),
        frozenset(addresses),
        follows,
        computes,
    )
