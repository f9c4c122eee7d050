"""Inputs that are only compared: a few values stand for all.

`x = nondet()` may take any of 2^32 values. If they are only copied, compared with constants, and
compared with each other for equality, then all that matters of a value is which constants it
lies between, and which other values it equals. One value from each gap between the constants does
for all others (with equality: as many as there are cells that could hold different ones). So the
havoc becomes a choice between them.

Cells that values are copied between form one class (flow-insensitively). A class that is used
in any other way - in arithmetic, as an index, by a call, through a pointer - keeps its havocs.
That the values are enough is verified in `threadwise.proofs.simplified.inputs`, with the classes
as claims.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from threadwise.analyses.graphs import numbered_again
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    COMPARISONS,
    AddressOf,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    IsWritten,
    Read,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_places, children, number, place_expressions, root
from threadwise.ir.input_classes import InputClass, Member, member_of
from threadwise.ir.mentions import edge_expressions
from threadwise.ir.program import Edge, Procedure, Program
from threadwise.ir.types import IntType, MachineType
from threadwise.transforms.simplify.input_cells import Cells

NAME = "few inputs"
COUNTED = "few inputs of counted threads"
_VALUES_LIMIT = 64
"""More values than this are not listed."""
_NARROW = 6
"""Inputs of so few bits are left as they are."""


def list_inputs(program: Program, uses: Uses | None = None) -> Program:
    """The program with choices in place of havocs where a few values stand for all."""
    return _list_inputs(program, uses or Uses(), NAME, pools=False)


def list_counted_inputs(program: Program, uses: Uses | None = None) -> Program:
    """The same, if no more threads are created than there is room for."""
    return _list_inputs(program, uses or Uses(), COUNTED, pools=True)


def _list_inputs(program: Program, uses: Uses, name: str, *, pools: bool) -> Program:
    inputs = {edge.id: _wide_input(program, edge) for edge in program.edges}
    wide = {edge: found for edge, found in inputs.items() if found is not None}
    if not wide or (pools and not any(template.pool for template in program.templates)):
        return program
    flow = _Flow(program)
    cells = Cells(program, uses, pools=pools)
    classes: dict[Member, InputClass | None] = {}
    chosen: dict[int, list[int]] = {}
    for edge, (member, held) in wide.items():
        first = flow.find(member)
        if first not in classes:
            classes[first] = _listed(flow, member, cells)
        listed = classes[first]
        if listed is not None:
            chosen[edge] = sorted(v for v in listed.values if held.low <= v <= held.high)
    if not chosen:
        return program
    program.found[name] = tuple(found for found in classes.values() if found is not None)
    procedures = [_with_choices(procedure, chosen) for procedure in program.procedures]
    return replace(program, procedures=numbered_again(procedures))


def _wide_input(program: Program, edge: Edge) -> tuple[Member, MachineType] | None:
    """The only input of an edge, and its type, if that has many values."""
    command = edge.action
    if not isinstance(command, Command) or len(command.havocs) != 1:
        return None
    (place,) = command.havocs
    member = member_of(place, program.procedure_of[edge.source].name)
    held = place.type
    if member is None or not isinstance(held, MachineType) or held.width <= _NARROW:
        return None
    return member, held


def _with_choices(procedure: Procedure, chosen: dict[int, list[int]]) -> Procedure:
    edges: list[Edge] = []
    for edge in procedure.edges:
        if edge.id not in chosen:
            edges.append(edge)
            continue
        command = edge.action
        assert isinstance(command, Command)
        (place,) = command.havocs
        for value in chosen[edge.id]:
            given = Assignment(place, number(value))
            action = Command(command.guard, (*command.assignments, given))
            edges.append(replace(edge, action=action))
    return replace(procedure, edges=tuple(edges))


# -- classes -------------------------------------------------------------------------------------


@dataclass
class _Class:
    """What is known about cells whose values flow into each other."""

    constants: set[int] = field(default_factory=set)
    assigned: set[int] = field(default_factory=set)
    """Constants that they are set to, which matter where they are compared with each other."""
    equated: bool = False
    computed: bool = False
    """Whether values arrive that are neither inputs nor constants."""
    other: bool = False
    """Whether something else happens to the values."""
    members: set[Member] = field(default_factory=set)

    def take(self, of: _Class) -> None:
        self.constants |= of.constants
        self.assigned |= of.assigned
        self.equated |= of.equated
        self.computed |= of.computed
        self.other |= of.other
        self.members |= of.members


class _Flow:
    """Where the values of a program flow."""

    def __init__(self, program: Program) -> None:
        self._parent: dict[Member, Member] = {}
        self._classes: dict[Member, _Class] = {}
        self.addressed: set[Variable] = set()
        """Globals that pointers may lead to."""
        for procedure in program.procedures:
            for parameter in procedure.parameters:
                self.of((procedure.name, parameter, ())).computed = True
            for edge in procedure.edges:
                self._edge(edge, procedure.name)

    def find(self, member: Member) -> Member:
        """The one that stands for the class of a member."""
        while self._parent.setdefault(member, member) != member:
            self._parent[member] = self._parent[self._parent[member]]
            member = self._parent[member]
        return member

    def of(self, member: Member) -> _Class:
        """The class of a member."""
        found = self._classes.setdefault(self.find(member), _Class())
        found.members.add(member)
        return found

    def _join(self, one: Member, other: Member) -> None:
        kept, gone = self.of(one), self.of(other)
        first, second = self.find(one), self.find(other)
        if first != second:
            self._parent[second] = first
            kept.take(gone)

    def _edge(self, edge: Edge, body: str) -> None:
        action = edge.action
        if not isinstance(action, Command):
            for place in action_places(action):
                member = member_of(place, body)
                if member is not None:
                    self.of(member).computed = True
            self._uses(edge_expressions(edge), body)
            return
        self._use(action.guard, body)
        for assignment in action.assignments:
            self._uses(place_expressions(assignment.target), body)
            member = member_of(assignment.target, body)
            if member is None:
                self._use(assignment.value, body)
            else:
                self._assigned(member, assignment.value, body)
        for place in action.havocs:
            self._uses(place_expressions(place), body)
        if edge.operation is not None and edge.operation.subject is not None:
            self._use(edge.operation.subject, body)

    def _assigned(self, member: Member, value: Expr, body: str) -> None:
        match value:
            case Const(known, _):
                if type(known) is int:
                    self.of(member).assigned.add(known)
            case Read(place):
                source = member_of(place, body)
                self._uses(place_expressions(place), body)
                if source is None:
                    self.of(member).computed = True
                else:
                    self._join(member, source)
            case Conditional(condition, then, otherwise):
                self._use(condition, body)
                self._assigned(member, then, body)
                self._assigned(member, otherwise, body)
            case _:
                self.of(member).computed = True
                self._use(value, body)

    def _uses(self, exprs: Iterable[Expr], body: str) -> None:
        for expr in exprs:
            self._use(expr, body)

    def _use(self, expr: Expr, body: str) -> None:
        """An expression that is evaluated for anything but copying."""
        match expr:
            case Binary(op, left, right) if op in COMPARISONS:
                self._compared(op, left, right, body)
            case Read(place):
                member = member_of(place, body)
                if member is not None:
                    self.of(member).other = True
                self._uses(place_expressions(place), body)
            case AddressOf(place):
                base = root(place)
                if isinstance(base, VariablePlace):
                    self.addressed.add(base.variable)
                self._uses(place_expressions(place), body)
            case IsWritten(place):
                self._uses(place_expressions(place), body)
            case _:
                self._uses(children(expr), body)

    def _compared(self, op: BinaryOp, left: Expr, right: Expr, body: str) -> None:
        one, other = _read(left, body), _read(right, body)
        for side in (left, right):
            if isinstance(side, Read):
                self._uses(place_expressions(side.place), body)
            else:
                self._use(side, body)
        if one is not None and other is not None and op in (BinaryOp.EQ, BinaryOp.NE):
            self._join(one, other)
            self.of(one).equated = True
            return
        for member, opposite in ((one, right), (other, left)):
            if member is None:
                continue
            if isinstance(opposite, Const) and type(opposite.value) is int:
                self.of(member).constants.add(opposite.value)
            else:
                self.of(member).other = True


def _read(expr: Expr, body: str) -> Member | None:
    return member_of(expr.place, body) if isinstance(expr, Read) else None


# -- values --------------------------------------------------------------------------------------


def _listed(flow: _Flow, member: Member, cells: Cells) -> InputClass | None:
    """The class of an input, if a few values stand for all."""
    found = flow.of(member)
    held = {cells.held(each) for each in found.members}
    if found.other or not all(isinstance(each, MachineType | IntType) for each in held):
        return None
    if any(variable in flow.addressed for _, variable, _ in found.members):
        return None
    machine = [each for each in held if isinstance(each, MachineType)]
    constants, room = set(found.constants), 1
    if found.equated:
        count, initial = cells.count(found.members), cells.initial(found.members)
        if found.computed or count is None or initial is None or count > _VALUES_LIMIT:
            return None
        constants |= found.assigned | initial
        room = count
        if len(held) > 1:
            constants |= {bound for each in machine for bound in (each.low, each.high)}
    values = set[int]().union(*(_representatives(constants, room, each) for each in machine))
    if len(values) > _VALUES_LIMIT:
        return None
    members, known = frozenset(found.members), frozenset(constants)
    return InputClass(members, known, found.equated, frozenset(values))


def _representatives(constants: set[int], each: int, held: MachineType) -> set[int]:
    """The constants, and so many values from each gap between them."""
    inside = sorted(c for c in constants if held.low <= c <= held.high)
    if not inside:
        return set(range(each))
    found = set(inside)
    edges = [held.low - 1, *inside, held.high + 1]
    for low, high in pairwise(edges):
        gap = range(high - 1, low, -1) if low < held.low else range(low + 1, high)
        found.update(gap[:each])
    return found
