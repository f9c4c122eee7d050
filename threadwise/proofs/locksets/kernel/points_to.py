"""Points-to: which cells a place may be, and where a pointer may lead to; INIT and STORE.

Integers in pointers, and null, lead nowhere: in the reference semantics only what was made from
the address of an object is one. A pointer that is moved stays in its object (`Shape.moved`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import threadwise.ir.expr as ir
import threadwise.ir.types as types
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Action, Allocate, Call, Command, Free, Return
from threadwise.ir.layout import NO_THREADS, field_offset
from threadwise.ir.program import AnyValue, Edge, stated_values
from threadwise.proofs.locksets.kernel.claims import Cell, Refused
from threadwise.proofs.locksets.kernel.objects import LARGEST, Objects, size

NOWHERE: frozenset[Cell] = frozenset()
Spots = frozenset[tuple[str, int]]  # objects and offsets
Flow = tuple[types.Type, frozenset[Cell], ir.Expr | None, str]
"""A type, the cells that get a value of it, the value, and the procedure that evaluates it."""


@dataclass(frozen=True)
class Memory:
    """The claim about pointers, and what follows from it."""

    objects: Objects
    claimed: Mapping[Cell, frozenset[Cell]]
    constants: Mapping[Cell, frozenset[types.Value]]
    _spots: dict[tuple[ir.Place, str], Spots] = field(default_factory=dict)
    _cells: dict[tuple[ir.Place, str], frozenset[Cell]] = field(default_factory=dict)
    _reachable: dict[frozenset[Cell], frozenset[str]] = field(default_factory=dict)

    def cells(self, place: ir.Place, procedure: str) -> frozenset[Cell]:
        """The cells that a place may begin at."""
        key = place, procedure
        if key not in self._cells:
            shapes = self.objects.shapes
            spots = self.spots(place, procedure)
            self._cells[key] = frozenset(Cell(o, shapes[o].leaves[at].cell) for o, at in spots)
        return self._cells[key]

    def spots(self, place: ir.Place, procedure: str) -> Spots:
        """The same, by objects and offsets."""
        key = place, procedure
        if key not in self._spots:
            self._spots[key] = self._spots_of(place, procedure)
        return self._spots[key]

    def _spots_of(self, place: ir.Place, procedure: str) -> Spots:
        shapes = self.objects.shapes
        match place:
            case ir.VariablePlace(variable):
                return frozenset({(self.objects.of(variable, procedure), 0)})
            case ir.FieldPlace(base, name):
                held = base.type
                assert isinstance(held, types.RecordType | types.MutexType)
                start = field_offset(held, name, NO_THREADS)
                spots = self.spots(base, procedure)
                return frozenset((o, (at + start) % len(shapes[o].leaves)) for o, at in spots)
            case ir.IndexPlace(base, _):
                spots = self.spots(base, procedure)
                return frozenset(spot for each in spots for spot in self._elements(base, *each))
            case ir.DerefPlace(pointer, held):
                return frozenset(
                    (cell.object, at)
                    for cell in self.leads(pointer, procedure)
                    for at in shapes[cell.object].offsets[cell.cell]
                    if shapes[cell.object].fits(at, held)
                )

    def _elements(self, base: ir.Place, name: str, at: int) -> Iterator[tuple[str, int]]:
        """The elements of an array that begins at an offset."""
        assert isinstance(base.type, types.ArrayType)
        whole, step = len(self.objects.shapes[name].leaves), size(base.type.element)
        extent = 1 if step % whole == 0 else base.type.extent
        if not isinstance(extent, int) or not 0 < extent <= LARGEST:
            raise Refused("an array with very many cells, or of no length")
        return ((name, (at + n * step) % whole) for n in range(extent))

    def leads(self, pointer: ir.Expr, procedure: str) -> frozenset[Cell]:
        """Where a pointer may lead to, as far as it leads to an object."""
        match pointer:
            case ir.Const(value, _):
                return self._constant(value)
            case ir.Read(place):
                found: set[Cell] = set()
                for cell in self.cells(place, procedure):
                    found |= self.claimed.get(cell, NOWHERE)
                return frozenset(found)
            case ir.AddressOf(place):
                return self.cells(place, procedure)
            case ir.Conditional(_, then, otherwise):
                return self.leads(then, procedure) | self.leads(otherwise, procedure)
            case ir.PointerAdd(inner, count, element):
                times = count.value if isinstance(count, ir.Const) else None
                assert times is None or isinstance(times, int)
                return frozenset(
                    Cell(cell.object, index)
                    for cell in self.leads(inner, procedure)
                    for index in self.objects.shapes[cell.object].moved(cell.cell, element, times)
                )
            case ir.IntToPointer():
                return NOWHERE
            case _:
                raise Refused("a pointer that is computed in another way")

    def _constant(self, value: object) -> frozenset[Cell]:
        if not isinstance(value, types.Address) or value.number < 0:
            return NOWHERE  # a number, null, or what was never written
        name = self.objects.program.globals[value.number].variable.name
        shape = self.objects.shapes[name]
        return frozenset({Cell(name, shape.leaves[value.offset % len(shape.leaves)].cell)})

    def values(self, expr: ir.Expr, procedure: str) -> frozenset[types.Value] | None:
        """What the value of an expression may be, if it is one of few constants."""
        match expr:
            case ir.Const(value, _):
                return frozenset({value})
            case ir.Read(place):
                found: set[types.Value] = set()
                for cell in self.cells(place, procedure):
                    if cell not in self.constants:
                        return None
                    found |= self.constants[cell]
                return frozenset(found)
            case ir.Conditional(_, then, otherwise):
                one, two = self.values(then, procedure), self.values(otherwise, procedure)
                return None if one is None or two is None else one | two
            case _:
                return None

    # -- the rules -------------------------------------------------------------------------------

    def broken(self, edge: Edge | None) -> Iterator[tuple[Cell, frozenset[Cell] | None]]:
        """INIT (without an edge) and STORE: the cells that get what is not claimed of them.

        Of pointers, with where they lead to; of constants, with None.
        """
        flows = self._initial() if edge is None else self._flows(edge)
        for held, cells, value, procedure in flows:
            if isinstance(held, types.PointerType):
                led = self.stored(edge, value, procedure)
                rest = ((cell, led - self.claimed.get(cell, NOWHERE)) for cell in cells)
                yield from ((cell, more) for cell, more in rest if more)
            if not cells.isdisjoint(self.constants):
                found = None if value is None else self.values(value, procedure)
                for cell in cells & self.constants.keys():
                    if found is None or not found <= self.constants[cell]:
                        yield cell, None

    def _initial(self) -> Iterator[Flow]:
        """What is there before the first step, and when a procedure begins."""
        for declaration, procedure in self.objects.program.declarations:
            name = self.objects.of(declaration.variable, procedure)
            leaves = self.objects.shapes[name].leaves
            stated = stated_values(declaration.initial)
            for n, leaf in enumerate(leaves):
                values = stated if len(stated) == 1 else stated[n :: len(leaves)]
                there = frozenset({Cell(name, leaf.cell)})
                for value in values or (types.default_value(leaf.type),):
                    chosen = isinstance(declaration.initial, AnyValue)
                    yield leaf.type, there, None if chosen else ir.Const(value, leaf.type), ""

    def _flows(self, edge: Edge) -> Iterator[Flow]:
        """What an edge stores: the type, the cells, the value, and where that is evaluated."""
        procedure = self.objects.program.procedure_of[edge.source].name
        for place, value in written(edge.action):
            yield place.type, self.cells(place, procedure), value, procedure
        if isinstance(edge.action, Allocate) and edge.action.cleared:
            site = self.objects.site(edge.action)
            for leaf in self.objects.shapes[site].leaves:
                zero = ir.Const(types.default_value(leaf.type), leaf.type)
                yield leaf.type, frozenset({Cell(site, leaf.cell)}), zero, procedure

    def stored(self, edge: Edge | None, value: ir.Expr | None, procedure: str) -> frozenset[Cell]:
        """Where a pointer that is stored may lead to."""
        if value is not None:
            return self.leads(value, procedure)
        if edge is not None and isinstance(edge.action, Allocate):
            return frozenset({Cell(self.objects.site(edge.action), 0)})
        raise Refused("any value of a pointer")

    # -- escape ----------------------------------------------------------------------------------

    def reachable(self, cells: frozenset[Cell]) -> frozenset[str]:
        """The objects that pointers lead to, directly or through other objects."""
        if cells not in self._reachable:
            found: set[str] = set()
            pending = [cell.object for cell in cells]
            while pending:
                name = pending.pop()
                if name not in found:
                    found.add(name)
                    pending += self._links.get(name, ())
            self._reachable[cells] = frozenset(found)
        return self._reachable[cells]

    @cached_property
    def _links(self) -> Mapping[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for cell, led in self.claimed.items():
            found.setdefault(cell.object, set()).update(each.object for each in led)
        return {name: frozenset(led) for name, led in found.items()}


def written(action: Action) -> list[tuple[ir.Place, ir.Expr | None]]:
    """The places that an action writes, with the values if they are expressions."""
    match action:
        case Command(_, assignments, havocs):
            return [*((a.target, a.value) for a in assignments), *((h, None) for h in havocs)]
        case Allocate(_, target):
            return [(target, None)]
        case Free():
            return []
        case Call() | Return():
            raise Refused("a call")
