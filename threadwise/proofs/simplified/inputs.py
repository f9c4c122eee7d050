"""A few values stand for all values of an input: verified by how the values are used.

The pass claims classes of cells (`threadwise.ir.input_classes`). A class has constants, which cut
the integers into *gaps*: each constant is a gap of its own, and so is what lies between two
neighbours. Its inputs become choices between some values. Obligations:

    (1) the programs differ in nothing but edges with one input, a member of a class: they became
        one edge for each value of the class that the input's type has
    (2) members of a class are integers, of variables that no pointer leads to; no cell is a
        member of two classes
    (3) what a member holds is copied to members of its class only, whose types have all values
        of its own; compared with constants of the class; compared with another member for
        equality, if the class says so (`equated`); and used for nothing else: not in arithmetic,
        as an index, as argument or result of a call, behind a pointer, or by an operation
    (4) the values of a class are integers of which every gap has one, as far as it lies inside a
        type of a member
    (5) if it is equated, every gap has as many as there are members' cells in a state, or all it
        has; members begin with constants of the class, or with what nobody reads; nothing else is
        assigned to them but constants of the class and what members hold; and if members have
        several types, the bounds of these are constants of the class

Let s be a state of the program before, and s' one of the program after. They are related if they
are equal but for members; if a member is unset in both or in neither; if what it holds in s and
in s' is in one gap; and if, where the class is equated, two members hold the same in s if and only
if they do in s'. (Locals that were not written yet and are not read before they are do not count.)

They are so at the start, where both are the same: by (5) what equated members hold is constants.
By (2) and (3) every guard, index, pointer and argument has the same value in both, so that the
same edges can be taken; they access the same cells, fail, block, and hold locks alike. Copies,
constants, and what is computed from other variables, which is the same in both, lead to related
states. There remains an input v of s. Where one with all values is left, s' may choose what it
would choose from the values, or outside all types of machine integers v itself. By (4) some value
is in the gap of v: that does if the class is not equated. If it is, and another member holds v,
then s' takes what that one holds: by (5) a gap is inside the type of the input or outside, and all
inputs of a gap choose from the same values. If no other member holds v, then at most one cell less
than there are holds a value of this gap, and all of these differ from v, so that by (5) one value
of the gap is held by none in s'.

So every run of the program before is one of the program after, step by step; and each of the
latter is one of the former, for the values are some that the input may have. Whatever fails,
races, leaves memory or is stuck in one does so in the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from threadwise.core.quick_dataclass import replace
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
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import action_places, children, place_expressions, root
from threadwise.ir.input_classes import InputClass, Member, member_of
from threadwise.ir.layout import has_static_size
from threadwise.ir.mentions import edge_expressions
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    Edge,
    EdgeId,
    Program,
    stated_values,
)
from threadwise.ir.types import (
    INT,
    UNSET,
    ArrayType,
    IntType,
    MachineType,
    MutexType,
    PerThread,
    RecordType,
    Type,
    Value,
    fields_of,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.created import Threads
from threadwise.proofs.simplified.flow import Live
from threadwise.proofs.simplified.shared import Shared


def check_inputs(
    before: Program, after: Program, shared: Shared, claims: Sequence[InputClass] | None
) -> None:
    """Raises Refuted unless the values that are left of inputs stand for all."""
    for template in before.templates:
        pool = PoolCells(template.name)
        if {pool.next, pool.status} & shared.taken:
            raise Refuted("pointers may create threads")
    classes: dict[Member, InputClass] = {}
    threads = Threads(before)
    for each in claims or ():
        for member in each.members:
            if classes.setdefault(member, each) is not each:  # (2)
                raise Refuted(f"`{member[1].name}` belongs to two classes")
            if member[1].scope is Scope.GLOBAL and member[1].name in shared.taken:
                raise Refuted(f"a pointer may lead to `{member[1].name}`")
        _check_class(before, threads, each)
    for procedure in before.procedures:
        uses = _Uses(classes, procedure.name)
        for edge in procedure.edges:
            uses.check(edge)
    _check_programs(before, after, classes)


# -- (1) -----------------------------------------------------------------------------------------


def _check_programs(before: Program, after: Program, classes: dict[Member, InputClass]) -> None:
    if replace(after, procedures=before.procedures) != before:
        raise Refuted("more than edges is different")
    if len(after.procedures) != len(before.procedures):
        raise Refuted("other procedures")
    if any(edge.id != number for number, edge in enumerate(after.edges)):
        raise Refuted("edges are numbered otherwise")
    for old, new in zip(before.procedures, after.procedures, strict=True):
        same = all(here.origin == here.id for here in new.locations)
        if not same or replace(new, edges=old.edges) != old:
            raise Refuted(f"procedure `{old.name}` is another one")
        made: dict[EdgeId, list[Edge]] = {edge.id: [] for edge in old.edges}
        for edge in new.edges:
            origin = edge.origin[0] if len(edge.origin) == 1 else ()
            if len(origin) != 1 or origin[0] not in made:
                raise Refuted(f"edge {edge.id} comes from nowhere")
            made[origin[0]].append(edge)
        for edge in old.edges:
            _check_edge(edge, made[edge.id], old.name, classes)


def _check_edge(
    old: Edge, made: list[Edge], procedure: str, classes: dict[Member, InputClass]
) -> None:
    if any(replace(new, id=old.id, action=old.action) != old for new in made):
        raise Refuted(f"edge {old.id} is another one")
    if [new.action for new in made] == [old.action]:
        return
    command = old.action
    if not isinstance(command, Command) or len(command.havocs) != 1:
        raise Refuted(f"edge {old.id} has no input, or several")
    (place,) = command.havocs
    member, held = member_of(place, procedure), place.type
    if member is None or member not in classes or not isinstance(held, MachineType):
        raise Refuted(f"edge {old.id}: nothing is claimed of its input")
    wanted = {
        Command(command.guard, (*command.assignments, Assignment(place, Const(value, INT))))
        for value in classes[member].values
        if held.low <= value <= held.high
    }
    if {new.action for new in made} != wanted:
        raise Refuted(f"edge {old.id} has other values")


# -- (2), (4) and (5) ----------------------------------------------------------------------------


def _check_class(program: Program, threads: Threads, claimed: InputClass) -> None:
    types: set[Type] = set()
    cells = 0
    for member in claimed.members:
        held, extents = _held(member[1].type, member[2])
        types.add(held)
        if claimed.equated:
            cells += _cells(threads, member, extents)
            _check_beginning(program, member, claimed.constants)
    machine = [held for held in types if isinstance(held, MachineType)]
    if not all(isinstance(held, MachineType | IntType) for held in types):
        raise Refuted("an input is no integer")
    if not all(type(value) is int for value in (*claimed.values, *claimed.constants)):
        raise Refuted("values are integers")
    if claimed.equated and len(types) > 1:
        bounds = {bound for held in machine for bound in (held.low, held.high)}
        if not bounds <= claimed.constants:
            raise Refuted("a gap is in one type and in another it is not")
    for held in machine:
        _check_gaps(claimed, held, cells if claimed.equated else 1)


def _check_gaps(claimed: InputClass, held: MachineType, wanted: int) -> None:
    inside = sorted(c for c in claimed.constants if held.low <= c <= held.high)
    if not claimed.values.issuperset(inside):
        raise Refuted("a constant is not among the values")
    for low, high in pairwise([held.low - 1, *inside, held.high + 1]):
        found = sum(low < value < high for value in claimed.values)
        if found < min(wanted, high - low - 1):
            raise Refuted(f"too few values between {low} and {high}")


def _held(held: Type, path: tuple[str, ...]) -> tuple[Type, list[int | PerThread]]:
    """The type of a field of a type, and the extents of the arrays that it is in."""
    extents: list[int | PerThread] = []
    left = list(path)
    while True:
        match held:
            case ArrayType(element, extent):
                extents.append(extent)
                held = element
            case RecordType() | MutexType() if left:
                held = dict(fields_of(held))[left.pop(0)]
            case _:
                return held, extents


def _cells(threads: Threads, member: Member, extents: Iterable[int | PerThread]) -> int:
    """How many cells of a member there can be in a state."""
    procedure, variable, _ = member
    factors: list[int | None] = []
    if variable.scope is Scope.LOCAL:
        factors.append(threads.activations(procedure))
    elif variable.scope is Scope.THREAD:
        factors += [_all_threads(threads, member)]
    for extent in extents:
        if isinstance(extent, PerThread):
            factors.append(threads.most(threads.program.template[extent.template]))
        else:
            factors.append(extent)
    total = 1
    for factor in factors:
        if factor is None:
            raise Refuted(f"there may be any number of `{variable.name}`")
        total *= factor
    return total


def _all_threads(threads: Threads, member: Member) -> int | None:
    total = 0
    for template in threads.program.templates:
        if any(declared.variable == member[1] for declared in template.variables):
            most = threads.most(template)
            if most is None:
                return None
            total += most
    return total


def _check_beginning(program: Program, member: Member, constants: frozenset[int]) -> None:
    name, variable, path = member
    if name:
        procedure = program.procedure[name]
        if variable in procedure.parameters:
            raise Refuted(f"`{variable.name}` is given anything")
        if not Live(procedure).at(procedure.entry, variable.name):
            return
    for declaration, owner in program.declarations:
        if declaration.variable == variable and owner == name:
            for value in _first(declaration, path):
                if value != UNSET and value not in constants:
                    raise Refuted(f"`{variable.name}` begins with {value!r}")


def _first(declaration: Declaration, path: tuple[str, ...]) -> Iterator[Value]:
    """What the cells of a field begin with."""
    match declaration.initial:
        case AnyValue():
            raise Refuted(f"`{declaration.variable.name}` begins with anything")
        case DefaultValue():
            yield 0
        case initial:
            held, values = declaration.variable.type, stated_values(initial)
            fields = list(_fields(held)) if has_static_size(held) else []
            if len(fields) != len(values):
                yield from values
            else:
                yield from (v for v, at in zip(values, fields, strict=True) if at == path)


def _fields(held: Type) -> Iterator[tuple[str, ...]]:
    """The field that each cell of a type of static size is in, in memory order."""
    match held:
        case ArrayType(element, int(extent)):
            yield from [*_fields(element)] * extent
        case RecordType() | MutexType():
            for name, part in fields_of(held):
                yield from ((name, *inner) for inner in _fields(part))
        case _:
            yield ()


# -- (3) and (5) ---------------------------------------------------------------------------------


class _Uses:
    """What happens to members of classes in a procedure."""

    def __init__(self, classes: dict[Member, InputClass], procedure: str) -> None:
        self.classes = classes
        self.procedure = procedure
        self.variables = {variable for _, variable, _ in classes}

    def check(self, edge: Edge) -> None:
        """Raises Refuted if an edge does something else with them."""
        action = edge.action
        if not isinstance(action, Command):
            for place in action_places(action):
                found = self._class(place)
                if found is not None and found.equated:
                    raise Refuted(f"edge {edge.id} gives a member what is no constant")
            self._used(edge_expressions(edge))
            return
        self._used([action.guard])
        for assignment in action.assignments:
            self._used(place_expressions(assignment.target))
            found = self._class(assignment.target)
            if found is None:
                self._used([assignment.value])
            else:
                self._copied(found, assignment.target.type, assignment.value)
        for place in action.havocs:
            self._used(place_expressions(place))
        if edge.operation is not None and edge.operation.subject is not None:
            self._used([edge.operation.subject])

    def _class(self, place: object) -> InputClass | None:
        member = member_of(place, self.procedure)  # type: ignore[arg-type]  # a place
        return None if member is None else self.classes.get(member)

    def _copied(self, target: InputClass, held: Type, value: Expr) -> None:
        """A value that is assigned to a member."""
        match value:
            case Conditional(condition, then, otherwise):
                self._used([condition])
                self._copied(target, held, then)
                self._copied(target, held, otherwise)
            case Const(constant, _) if constant == UNSET or constant in target.constants:
                return
            case Read(place) if self._class(place) is target:
                self._used(place_expressions(place))
                if not _has_all(held, place.type):
                    raise Refuted("what is copied may not fit")
            case _ if target.equated:
                raise Refuted("something else is assigned to what is compared for equality")
            case _:
                self._used([value])

    def _used(self, exprs: Iterable[Expr]) -> None:
        for expr in exprs:
            match expr:
                case Binary(op, left, right) if op in COMPARISONS:
                    self._compared(op, left, right)
                case Read(place):
                    if self._class(place) is not None:
                        raise Refuted(f"{place} is used for something else")
                    self._used(place_expressions(place))
                case AddressOf(place):
                    base = root(place)
                    if isinstance(base, VariablePlace) and base.variable in self.variables:
                        raise Refuted(f"a pointer may lead to `{base.variable.name}`")
                    self._used(place_expressions(place))
                case IsWritten(place):
                    self._used(place_expressions(place))
                case _:
                    self._used(children(expr))

    def _compared(self, op: BinaryOp, left: Expr, right: Expr) -> None:
        one, other = self._read(left), self._read(right)
        if one is None and other is None:
            self._used([left, right])
            return
        for side in (left, right):
            self._used(place_expressions(side.place) if isinstance(side, Read) else [side])
        if one is not None and other is not None:
            if one is not other or not one.equated or op not in (BinaryOp.EQ, BinaryOp.NE):
                raise Refuted("inputs are compared with each other")
            return
        found, opposite = (one, right) if one is not None else (other, left)
        assert found is not None
        if not isinstance(opposite, Const) or opposite.value not in found.constants:
            raise Refuted("an input is compared with what is no constant of its class")

    def _read(self, expr: Expr) -> InputClass | None:
        return self._class(expr.place) if isinstance(expr, Read) else None


def _has_all(target: Type, source: Type) -> bool:
    """Whether a type has all values of another one."""
    if isinstance(target, IntType):
        return True
    return (
        isinstance(target, MachineType)
        and isinstance(source, MachineType)
        and target.low <= source.low
        and source.high <= target.high
    )
