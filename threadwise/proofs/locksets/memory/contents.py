"""What every folded cell may hold, flow-insensitively: the claim and its rules.

A value is a constant of the program or a `Target`; `None` in place of a set of values stands for
any value. The rules (inclusion-based points-to analysis, Andersen 1994, with constants):

    what a cell holds initially           is among its values
    x := e, with e's values               are among the values of every cell that x may be
    call, return                          likewise for parameters and results
    a fresh object                        its cells hold defaults, or nothing if not cleared

Memory may be used otherwise than as cells of one type: a pointer that leads to no part of the type
it is used with, or that was moved by something else than elements, leads to any byte of its object
(`INSIDE`), and one with unknown values to any byte of any object that has an address. What is read
there is any number, or a pointer that is there or was made of bytes; what is written leaves in all
cells of the object any number, or a pointer made of bytes. `bytes$` holds the pointers that were
ever read or written as bytes, or turned into numbers.

A pointer that was made of an element of an array of bytes (`&r->name[i]`, `r->name`) stays in that
array, also where a record begins with it. One to the record goes on to all of its bytes. No type
tells one from the other where such a pointer is turned into one to the record; but if any pointer
to that element is ever followed or moved as one to a record, `recast$` holds it, and then all that
are made there count as pointers to the record.

A pointer to a variable may be used as one to a record of which the variable is only the first
member: code that follows a list does so with its head. Members that both have are where they are;
the others lie behind the end of the variable (`PAST_END`), where no access is: that memory is used
as C requires is assumed, and a variable has the size of its type. A pointer to such a member may
be turned into any other one to the same variable.

An unknown function that is given a pointer uses the largest part of the object that begins there:
of a member that is not the first one that member, or else the object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    AddressOf,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    PointerToInt,
    Read,
    Unary,
    UnaryOp,
    VariablePlace,
)
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    Edge,
    FillValue,
    ListedValues,
)
from threadwise.ir.types import (
    BOOL,
    INTEGER_OBJECT,
    NULL,
    UNSET,
    Address,
    ArrayType,
    PointerType,
    RecordType,
    Type,
    Value,
    default_value,
)
from threadwise.proofs.locksets.beyond import DATA, ESCAPED, FREED, WHOLE, WHOLES
from threadwise.proofs.locksets.memory.cells import (
    INSIDE,
    PAST_END,
    UNKNOWN,
    Target,
    Values,
    among_bytes,
    astray,
    begins_with,
    field_start,
    folded_size,
    is_among_bytes,
    is_byte,
    is_site,
    kept_cells,
    leaves,
    led_astray,
    parts_at,
    pointed,
    stays_among,
    unfolded,
)
from threadwise.proofs.locksets.memory.inner import is_first_member, is_inner
from threadwise.proofs.locksets.memory.objects import BYTES, RECAST, Objects
from threadwise.proofs.locksets.memory.recast import used_as_records

NO_VALUES: Values = frozenset()
_ESCAPED = Target(ESCAPED.name, 0)
ANY_INTEGER = Address(INTEGER_OBJECT, 1 << 70)
"""Stands for every integer that a pointer may hold."""


class Unresolved(Exception):  # noqa: N818 - the answer of an analysis, not a fault
    """A pointer may lead to where the rules cannot follow it."""


class Area(NamedTuple):
    """Some cells of an object that lie together."""

    object: str
    first: int
    end: int


class Begun(NamedTuple):
    """Where a place may begin."""

    exact: list[Target]
    coarse: list[Area]
    short: list[Target]
    """Counted from the start of a record whose first member is all that the object has."""


@dataclass(frozen=True)
class Memory:
    """A claim: what the folded cells of every object may hold."""

    objects: Objects
    values: Mapping[Target, Values]

    # -- evaluation ------------------------------------------------------------------------------

    def targets(self, place: Place, procedure: str) -> list[Target]:
        """Every cell that a place may begin at, or that it may be a part of."""
        exact, coarse = self.located(place, procedure)
        return [*exact, *self.cells(coarse, place)]

    def cells(self, areas: Sequence[Area], place: Place) -> Iterator[Target]:
        """All cells of some areas that an access to a place may touch."""
        data = place.type == DATA
        for area in areas:
            kept = kept_cells(self.objects.types[area.object]) if data else frozenset()
            yield from (cell for cell in self._in_area(area) if cell.cell not in kept)

    def _in_area(self, area: Area) -> tuple[Target, ...]:
        known = self._areas.get(area)
        if known is None:
            name, first, end = area
            known = self._areas[area] = tuple(Target(name, cell) for cell in range(first, end))
        return known

    @cached_property
    def _areas(self) -> dict[Area, tuple[Target, ...]]:
        return {}

    def located(self, place: Place, procedure: str) -> tuple[list[Target], list[Area]]:
        """The cells that a place may begin at, and the areas that it may be any part of."""
        exact, coarse, short = self._begun(place, procedure)
        if not short:
            return exact, coarse
        there = [target for target in short if not self._is_past_end(target)]
        fit = [target for target in there if self.has_type(target, place.type)]
        rest = {self._whole(target.object) for target in there if target not in fit}
        return sorted({*exact, *fit}), sorted({*coarse, *rest})

    def _begun(self, place: Place, procedure: str) -> Begun:
        """Where a place may begin; `short`: in a record that is larger than the object there."""
        match place:
            case VariablePlace(variable):
                return Begun([Target(self.objects.of(variable, procedure), 0)], [], [])
            case IndexPlace(base, _):
                return self._begun(base, procedure)
            case FieldPlace(base, field):
                held = base.type
                start = field_start(held, field)
                exact, coarse, short = self._begun(base, procedure)
                return Begun(_later(exact, start), coarse, _later(short, start))
            case DerefPlace(pointer, held):
                return self._pointed(pointer, held, procedure)

    def _is_past_end(self, target: Target) -> bool:
        """Whether a cell lies behind the end of its object."""
        return target.cell == PAST_END or target.cell >= self._whole(target.object).end

    def _addressed(self, place: Place, procedure: str) -> Values:
        """The pointers to a place."""
        exact, coarse, short = self._begun(place, procedure)
        if isinstance(place, IndexPlace) and is_byte(place.type):
            exact = [self._element(target, place.type) for target in exact]
        found = {*exact, *(Target(area.object, INSIDE) for area in coarse)}
        for target in short:
            found.add(Target(target.object, PAST_END) if self._is_past_end(target) else target)
        return frozenset(found)

    def _element(self, target: Target, held: Type) -> Target:
        """A pointer to an element of an array at a cell, which stays in it where it is moved."""
        if self._stays(target, held) or not self._stays(target, held, in_array=True):
            return target
        if target in (self.values.get(RECAST, NO_VALUES) or ()):
            return target
        return Target(target.object, among_bytes(target.cell))

    def is_exact(self, place: Place, procedure: str) -> bool:
        """Whether a place is surely a part of its type wherever it is, of an object we know."""
        exact, coarse = self.located(place, procedure)
        return not coarse and all(target.object != UNKNOWN for target in exact)

    def _pointed(self, pointer: Expr, held: Type, procedure: str) -> Begun:
        values = self.of(pointer, procedure)
        if values is None:
            return Begun([], self._exposed, [])
        exact: list[Target] = []
        short: list[Target] = []
        coarse: set[Area] = set()
        given, freed, whole = held == DATA, held == FREED, held in WHOLES
        for value in values:
            if not isinstance(value, Target):
                continue
            value = pointed(value)
            if value.object == UNKNOWN:
                exact.append(Target(UNKNOWN, 0))
            elif given:
                coarse.add(self._given(value))
            elif freed and self._is_no_start(value):
                continue
            elif whole or value.cell == INSIDE:
                coarse.add(self._whole(value.object))
            elif value.cell >= 0:
                if self.has_type(value, held) or self._is_row(value, held):
                    exact.append(value)
                elif self._is_short(value, held):
                    short.append(value)
                else:
                    coarse.add(self._whole(value.object))
            elif value.cell == PAST_END:
                short.append(value)
        return Begun(sorted(exact), sorted(coarse), sorted(short))

    def _is_short(self, target: Target, held: Type) -> bool:
        """Whether a variable that a pointer leads to is only the first member of a record."""
        name, cell = target
        return cell == 0 and not is_site(name) and is_first_member(self.objects.types[name], held)

    def _is_no_start(self, target: Target) -> bool:
        """Whether a pointer surely leads elsewhere than to the start of an object of the heap."""
        name, cell = target
        return not is_site(name) or (cell > 0 and is_inner(self.objects.types[name], cell))

    @cached_property
    def _exposed(self) -> list[Area]:
        return [self._whole(name) for name in self.objects.exposed]

    def _whole(self, name: str) -> Area:
        known = self._wholes.get(name)
        if known is None:
            known = self._wholes[name] = Area(name, 0, folded_size(self.objects.types[name]))
        return known

    @cached_property
    def _wholes(self) -> dict[str, Area]:
        return {}

    def _given(self, target: Target) -> Area:
        """What a function may use that is given a pointer: the largest part that begins there."""
        name, cell = pointed(target)
        part = next(iter(parts_at(self.objects.types[name], cell)), None) if cell > 0 else None
        return self._whole(name) if part is None else Area(name, cell, cell + folded_size(part))

    def has_type(self, target: Target, held: Type) -> bool:
        """Whether a part of that type surely begins at a cell."""
        return target.object != UNKNOWN and held in parts_at(
            self.objects.types[target.object], target.cell
        )

    def _is_row(self, target: Target, held: Type) -> bool:
        """Whether a place is some elements of an array that begin at a cell.

        A matrix may be allocated as one array of its elements.
        """
        return isinstance(held, ArrayType) and self._stays(target, held)

    def of(self, expr: Expr, procedure: str) -> Values:
        """The values an expression may have."""
        match expr:
            case Const(Address() as address, PointerType()):
                return self._constant(address)
            case Const(value, _):
                return frozenset({value})
            case Read(place):
                return self._read(place, procedure)
            case AddressOf(place):
                return self._addressed(place, procedure)
            case Conditional(_, then, otherwise):
                first, second = self.of(then, procedure), self.of(otherwise, procedure)
                return None if first is None or second is None else first | second
            case PointerAdd(pointer, Const(1 | -1 as by, _), RecordType() as element) if (
                element in self.objects.before
            ):
                values = self.of(pointer, procedure)
                return None if values is None else self._across(values, by, element)
            case PointerAdd(pointer, _, element):
                return self._moved(pointer, element, procedure)
            case IntToPointer(operand):
                return self._from_integers(self.of(operand, procedure))
            case Unary(UnaryOp.NOT):
                return frozenset({False, True})
            case _ if expr.type == BOOL:
                return frozenset({False, True})
            case _:
                return None

    def _read(self, place: Place, procedure: str) -> Values:
        """What may be read: of bytes that are no cell of the type, any number or pointer."""
        exact, coarse = self.located(place, procedure)
        pointer = isinstance(place.type, PointerType)
        if not pointer and (coarse or any(target.object == UNKNOWN for target in exact)):
            return None
        found = _union(self.values.get(target, NO_VALUES) for target in exact)
        if not coarse or found is None:
            return found
        return _union((found, self.from_bytes, self._pointers_in(coarse)))

    @property
    def from_bytes(self) -> Values:
        """The pointers that may come from numbers or bytes."""
        return _union((self.values.get(BYTES, NO_VALUES), frozenset({ANY_INTEGER, NULL})))

    def _pointers_in(self, areas: Iterable[Area]) -> Values:
        """The pointers that are in the cells of areas."""
        get = self.values.get
        return _union(get(cell, NO_VALUES) for area in areas for cell in self._pointer_cells(area))

    def _pointer_cells(self, area: Area) -> tuple[Target, ...]:
        """The cells of an area that hold pointers."""
        known = self._of_pointers.get(area)
        if known is None:
            known = self._of_pointers[area] = tuple(
                cell for cell in self._in_area(area) if isinstance(self._leaf(cell), PointerType)
            )
        return known

    @cached_property
    def _of_pointers(self) -> dict[Area, tuple[Target, ...]]:
        return {}

    def _constant(self, address: Address) -> Values:
        if address == UNSET:
            return NO_VALUES
        if address.number == INTEGER_OBJECT:
            return frozenset({address})
        target = self.objects.target_of(address)
        return None if target is None else frozenset({target})

    def _moved(self, pointer: Expr, element: Type, procedure: str) -> Values:
        """A pointer into an array stays in the array; others stay somewhere in the object."""
        values = self.of(pointer, procedure)
        if values is None:
            return None
        return frozenset(
            v
            if not isinstance(v, Target)
            or self._stays(pointed(v), element, in_array=is_among_bytes(v.cell))
            else Target(v.object, INSIDE)
            for v in values
        )

    def _stays(self, target: Target, element: Type, *, in_array: bool = False) -> bool:
        held = self.objects.types[target.object]
        return target.object == UNKNOWN or stays_among(
            held, target.cell, element, in_array=in_array
        )

    def _across(self, values: frozenset[Value | Target], by: int, element: RecordType) -> Values:
        """Pointers moved by the members of a record before one of them.

        Back from what is no such member, a pointer is *astray*: it may be moved forward again, and
        compared, but not followed.
        """
        found: set[Value | Target] = set()
        size, code = folded_size(element), self.objects.before[element]
        for value in values:
            if not isinstance(value, Target):
                found.add(value)
                continue
            name, cell = pointed(value)
            held = self.objects.types[name]
            if name == UNKNOWN:
                found.add(value)
            elif by < 0 and cell >= 0:
                inside = begins_with(held, cell - size, element)
                found.add(Target(name, cell - size if inside else astray(cell, code)))
            elif by > 0 and cell >= 0 and begins_with(held, cell, element):
                found.add(Target(name, cell + size))
            elif by > 0 and (origin := led_astray(cell, code)) is not None:
                found.add(Target(name, origin))
            else:
                found.add(Target(name, INSIDE))
        return frozenset(found)

    def _from_integers(self, values: Values) -> Values:
        """Pointers made of integers: known ones point to no object, others as bytes may."""
        if values is None:
            return self.from_bytes
        found: set[Value | Target] = set()
        for value in values:
            assert isinstance(value, int)
            found.add(Address(INTEGER_OBJECT, value) if value else NULL)
        return frozenset(found)

    # -- the rules -------------------------------------------------------------------------------

    def initial(self) -> Iterator[tuple[Target, Values]]:
        """What cells hold before the first step."""
        program = self.objects.program
        for declaration in program.globals:
            yield from self._declared(declaration.variable.name, declaration)
        for template in program.templates:
            for declaration in template.variables:
                yield from self._declared(f"{declaration.variable.name}@", declaration)
        for procedure in program.procedures:
            for declaration in procedure.locals:
                name = self.objects.local(declaration.variable, procedure.name)
                yield from self._declared(name, declaration)

    def _declared(self, name: str, declaration: Declaration) -> Iterator[tuple[Target, Values]]:
        held = declaration.variable.type
        match declaration.initial:
            case AnyValue():
                for cell in range(folded_size(held)):
                    yield Target(name, cell), None
            case FillValue(value):
                for cell in range(folded_size(held)):
                    yield Target(name, cell), self._held(value)
            case ListedValues(values):
                cells = unfolded(held)
                if cells is None:
                    for cell in range(folded_size(held)):
                        yield Target(name, cell), None
                    return
                for cell, value in zip(cells, values, strict=True):
                    yield Target(name, cell), self._held(value)
            case DefaultValue():
                for cell, scalar in enumerate(leaves(held)):
                    yield Target(name, cell), frozenset({default_value(scalar)})

    def _held(self, value: Value) -> Values:
        if value == UNSET and not isinstance(value, bool | int):
            return NO_VALUES
        return self._constant(value) if isinstance(value, Address) else frozenset({value})

    def stored(self, edge: Edge, procedure: str) -> Iterator[tuple[Target, Values]]:
        """What an edge may put where."""
        yield from self._made_bytes(edge, procedure)
        yield from self._made_records(edge, procedure)
        program = self.objects.program
        match edge.action:
            case Command(_, assignments, havocs):
                for assignment in assignments:
                    values = self.of(assignment.value, procedure)
                    yield from self._put(assignment.target, values, procedure)
                for place in havocs:
                    yield from self._put(place, None, procedure)
            case Allocate() as action:
                yield from self._allocated(action, procedure)
            case Call(name, arguments, _, _):
                called = program.procedure[name]
                for parameter, argument in zip(called.parameters, arguments, strict=True):
                    target = Target(self.objects.local(parameter, name), 0)
                    yield target, self.of(argument, procedure)
                for declaration in called.locals:
                    yield from self._declared(
                        self.objects.local(declaration.variable, name), declaration
                    )
            case Return(value, _):
                if value is not None:
                    yield from self._returned(self.of(value, procedure), procedure)
            case Free():
                pass

    def _put(
        self, place: Place, values: Values, procedure: str
    ) -> Iterator[tuple[Target, Values]]:
        """A value is written to a place; what is no cell of its type is written as bytes."""
        exact, coarse = self.located(place, procedure)
        pointer = isinstance(place.type, PointerType)
        for target in exact:
            if target.object != UNKNOWN or pointer:
                yield target, values
        if not coarse and place.type != DATA:
            return
        written = _union((self.from_bytes, values)) if pointer else self.from_bytes
        if place.type == DATA:
            written = _union((written, self.values.get(_ESCAPED, NO_VALUES)))
            yield from self._escaping(coarse)
        elif place.type == WHOLE:
            yield BYTES, _inside(self._pointers_in(coarse))
        for target in self.cells(coarse, place):
            if isinstance(self._leaf(target), PointerType):
                yield target, written
            else:
                yield target, None
                if pointer:
                    yield BYTES, _inside(values)

    def _escaping(self, areas: Sequence[Area]) -> Iterator[tuple[Target, Values]]:
        """What unknown functions have leads them to more, and may become numbers and back."""
        escaped = self.values.get(_ESCAPED, NO_VALUES)
        yield _ESCAPED, frozenset({Target(UNKNOWN, 0)})
        yield _ESCAPED, self._pointers_in((*areas, self._whole(UNKNOWN)))
        yield _ESCAPED, self.values.get(BYTES, NO_VALUES)
        yield BYTES, self._about(escaped)
        yield Target(UNKNOWN, 0), escaped

    def _about(self, values: Values) -> Values:
        """Pointers, and those to anything else that a function may use that is given them."""
        if values is None:
            return None
        found: set[Value | Target] = set()
        for value in values:
            if not isinstance(value, Target):
                continue
            area = self._given(value)
            if area == self._whole(value.object):
                found |= {value, Target(value.object, INSIDE)}
            else:
                found |= {Target(value.object, cell) for cell in range(area.first, area.end)}
        return frozenset(found)

    def _made_bytes(self, edge: Edge, procedure: str) -> Iterator[tuple[Target, Values]]:
        """The pointers that an edge turns into numbers, or reads as bytes."""
        for part in self.objects.views(edge):
            if isinstance(part, PointerToInt):
                yield BYTES, _inside(self.of(part.pointer, procedure))
            elif isinstance(part, Read):
                _, coarse = self.located(part.place, procedure)
                if coarse:
                    yield BYTES, _inside(self._pointers_in(coarse))

    def _made_records(self, edge: Edge, procedure: str) -> Iterator[tuple[Target, Values]]:
        """The pointers to elements of arrays of bytes that an edge uses as ones to records."""
        for pointer in used_as_records(edge.action):
            values = self.of(pointer, procedure)
            elements = (
                v for v in values or () if isinstance(v, Target) and is_among_bytes(v.cell)
            )
            if found := frozenset(map(pointed, elements)):
                yield RECAST, found

    def _leaf(self, target: Target) -> Type:
        name = target.object
        if name not in self.objects.leaves:
            self.objects.leaves[name] = tuple(leaves(self.objects.types[name]))
        return self.objects.leaves[name][target.cell]

    def _allocated(self, action: Allocate, procedure: str) -> Iterator[tuple[Target, Values]]:
        site = self.objects.site(action)
        if action.cleared:
            for cell, scalar in enumerate(leaves(action.object_type)):
                yield Target(site, cell), frozenset({default_value(scalar)})
        yield from self._put(action.target, frozenset({Target(site, 0)}), procedure)

    def _returned(self, values: Values, procedure: str) -> Iterator[tuple[Target, Values]]:
        for action, caller in self.objects.calls.get(procedure, ()):
            if action.result is not None:
                yield from self._put(action.result, values, caller)


def _union(sets: Iterable[Values]) -> Values:
    found: set[Value | Target] = set()
    for values in sets:
        if values is None:
            return None
        found |= values
    return frozenset(found)


def _later(targets: list[Target], start: int) -> list[Target]:
    """Cells so many further on, in objects that we know."""
    return [
        t if t.object == UNKNOWN or t.cell == PAST_END else Target(t.object, t.cell + start)
        for t in targets
    ]


def _inside(values: Values) -> Values:
    """Pointers, and those to any other byte of the same objects."""
    if values is None:
        return None
    targets = {value for value in values if isinstance(value, Target)}
    return frozenset({*targets, *(Target(target.object, INSIDE) for target in targets)})


def includes(claimed: Values, values: Values) -> bool:
    """Whether a claim covers values."""
    if claimed is None:
        return True
    if values is None:
        return False
    rest = values - claimed
    return not rest or (ANY_INTEGER in claimed and all(map(_is_number, rest)))


def _is_number(value: Value | Target) -> bool:
    """Whether a pointer holds a number other than null."""
    return isinstance(value, Address) and value.number == INTEGER_OBJECT
