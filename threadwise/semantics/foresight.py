"""What a thread may access from a state on while another does not move: its own run, foreseen.

The thread is followed from where it is, with the values that its variables have now; what becomes
open on the way is left open:

    variables       have the values of the run, or none (`UNSET`) where these are not known. Where
                    a run has many states, they have one value per location, or none
    shared cells    are read where they are at rest: outside of the regions that threads that may
                    move, itself included, may still write (`threadwise.analyses.touches`)
    guards          that may hold are taken to hold

A run of the thread, while the other does not move, passes only locations that are found here, with
the values that are known there: by induction on its length, for what is at rest keeps its value.
What it touches is then

    a cell          where all pointers and indices of a place are known
    an object       where the pointer is known but for indices: it stays in its object
    a region        else

All is read that an expression mentions. For programs without calls.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.analyses.touches import ALIVE, NOTHING, Masks
from threadwise.analyses.worklist import Worklist
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Action, Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    AddressOf,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsAllocated,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, is_shared, root, subexpressions
from threadwise.ir.layout import field_offset, size_of
from threadwise.ir.types import UNSET, Address, ArrayType, PerThread, Type, Value
from threadwise.semantics.evaluate import CellRef, Undefined, View
from threadwise.semantics.memory import store
from threadwise.semantics.shared_cells import WHETHER_ALIVE, SharedCells
from threadwise.semantics.state import Cells, GlobalStore, LocalStore


@dataclass
class Footprint:
    """Cells by address, whole objects by number, and masks of regions."""

    read: set[Address] = field(default_factory=set)
    written: set[Address] = field(default_factory=set)
    objects_read: set[int] = field(default_factory=set)
    objects_written: set[int] = field(default_factory=set)
    masks: Masks = NOTHING


MOST_APART = 120
"""States of a run that are told apart."""


class Foresight(View):
    """The view of a thread that runs ahead."""

    def __init__(
        self, cells: SharedCells, thread: int, g: GlobalStore, l: LocalStore, moving: int
    ) -> None:
        super().__init__(cells.program, cells.layout, thread, g, l)
        self.cells = cells
        self.touches = cells.touches
        self.moving = moving
        """The regions that are not at rest."""
        self.asked: dict[Address, tuple[bool, Value]] = {}
        """Which shared cells were asked for: whether they are at rest, and then their values."""
        self.shapes: dict[int, tuple[str, int]] = {}
        """What the objects are that addresses were tested in: numbers are given again."""
        self.found = Footprint()

    def footprint(self) -> Footprint:
        """What the thread may touch."""
        for l in self._run():
            self.l = l
            for edge in self.program.outgoing[l.pc]:
                action = edge.action
                if isinstance(action, Call | Return):
                    continue
                if self._may_hold(action.guard):
                    self._note_action(action)
                else:
                    self._note_read(action.guard)
        return self.found

    # -- values ----------------------------------------------------------------------------------

    def _content(self, cell: CellRef) -> Value:
        address = self.cells.address(cell)
        if address is not None:
            return self._at_rest(address)
        value = super()._content(cell)
        if value == UNSET:
            raise Undefined("a variable with several values")
        return value

    def _at_rest(self, address: Address) -> Value:
        """The value of a shared cell; Undefined if it may change."""
        if address not in self.asked:
            is_resting = not self.cells.region(address) & self.moving
            value = self.cells.content(self.g, address) if is_resting else None
            self.asked[address] = is_resting, value
        is_resting, value = self.asked[address]
        if not is_resting:
            raise Undefined("a cell that may change")
        return value

    def is_valid(self, address: Address, held: Type | None = None) -> bool:
        """Whether an address is valid now and later; Undefined if that may change."""
        self._note_tested(address)
        return super().is_valid(address, held)

    def is_allocated(self, address: Address) -> bool:
        """The same."""
        self._note_tested(address)
        return super().is_allocated(address)

    def _note_tested(self, address: Address) -> None:
        if address.number >= self.cells.declared:
            self.shapes[address.number] = self.cells.shape(self.g, address.number)
            self._at_rest(Address(address.number, WHETHER_ALIVE))

    def _may_hold(self, guard: Expr) -> bool:
        try:
            return self.holds(guard)
        except Undefined:
            return True

    # -- the run ---------------------------------------------------------------------------------

    def _run(self) -> list[LocalStore]:
        """What may be passed, with what is known there."""
        start = self.l
        found = {start: None}
        pending = [start]
        for here in pending:
            after = [l for l in dict.fromkeys(self._onwards(here)) if l not in found]
            found.update(dict.fromkeys(after))
            pending += after
            if len(found) > MOST_APART:
                return self._together(start)
        return pending

    def _together(self, start: LocalStore) -> list[LocalStore]:
        """The same with what is common to all visits of a location."""
        found = {start.pc: start}
        for here in (waiting := Worklist([start.pc])):
            for after in self._onwards(found[here]):
                known = found.get(after.pc)
                grown = after if known is None else _common(known, after)
                if grown != known:
                    found[after.pc] = grown
                    waiting.add(after.pc)
        return list(found.values())

    def _onwards(self, here: LocalStore) -> Iterator[LocalStore]:
        """Where edges may lead."""
        for edge in self.program.outgoing[here.pc]:
            self.l = here
            action = edge.action
            if not isinstance(action, Call | Return) and self._may_hold(action.guard):
                yield self._after(action)._replace(pc=edge.target)

    def _after(self, action: Action) -> LocalStore:
        """The variables after an action."""
        values: list[tuple[Place, Value]] = []
        match action:
            case Command():
                values += [(each.target, self._value(each.value)) for each in action.assignments]
                values += [(place, UNSET) for place in action.havocs]
            case Allocate():
                values.append((action.target, UNSET))
            case _:
                pass
        l = self.l
        for place, value in values:
            if not is_shared(place):
                l = self._assigned(l, place, value)
        return l

    def _value(self, expr: Expr) -> Value:
        try:
            return self.evaluate(expr)
        except Undefined:
            return UNSET

    def _assigned(self, l: LocalStore, place: Place, value: Value) -> LocalStore:
        try:
            return store(self.g, l, self.resolve(place), value)[1]
        except Undefined:  # any part of the variable, then
            base = root(place)
            first = self.resolve(base)
            for slot in range(size_of(base.type, self.layout.numbers)):
                l = store(self.g, l, first._replace(slot=first.slot + slot), UNSET)[1]
            return l

    # -- accesses --------------------------------------------------------------------------------

    def _note_action(self, action: Action) -> None:
        for expr in action_expressions(action):
            self._note_read(expr)
        for place in action_places(action):
            self._note_access(place, write=True)
        if isinstance(action, Free):
            self._note_inside(action.pointer, self.touches.bits[ALIVE], write=True)

    def _note_read(self, expr: Expr) -> None:
        for part in subexpressions(expr):
            match part:
                case Read(place) | IsWritten(place):
                    self._note_access(place, write=False)
                case AddressOf(place):
                    self._note_followed(place)
                case IsValid(pointer) | IsAllocated(pointer):
                    self._note_alive(pointer)
                case _:
                    pass

    def _note_access(self, place: Place, *, write: bool) -> None:
        if not is_shared(place):
            return
        self._note_followed(place)
        try:
            address = self._address(place)
        except Undefined:
            base = root(place)
            if isinstance(base, DerefPlace):
                self._note_inside(base.pointer, 0, write=write)
            else:
                self._note_region(self.touches.region(place, self.thread), write=write)
        else:
            if address is not None:
                (self.found.written if write else self.found.read).add(address)

    def _note_followed(self, place: Place) -> None:
        base = root(place)
        if isinstance(base, DerefPlace):
            self._note_alive(base.pointer)

    def _note_alive(self, pointer: Expr) -> None:
        try:
            address = self.evaluate(_unmoved(pointer))
        except Undefined:
            self._note_region(self.touches.bits[ALIVE], write=False)
        else:
            if isinstance(address, Address) and address.number >= 0:
                self.found.read.add(Address(address.number, WHETHER_ALIVE))

    def _note_inside(self, pointer: Expr, besides: int, *, write: bool) -> None:
        """An access to something in the object that a pointer leads to."""
        try:
            address = self.evaluate(_unmoved(pointer))
        except Undefined:
            self._note_region(self.touches.pointed | besides, write=write)
        else:
            if isinstance(address, Address) and address.number >= 0:
                objects = self.found.objects_written if write else self.found.objects_read
                objects.add(address.number)

    def _note_region(self, regions: int, *, write: bool) -> None:
        self.found.masks |= Masks(0, regions) if write else Masks(regions, 0)

    def _address(self, place: Place) -> Address | None:
        """Where a place lies, alive or not; None if in no object."""
        numbers = self.layout.numbers
        match place:
            case VariablePlace():
                return self.cells.address(self.resolve(place))
            case DerefPlace(pointer):
                value = self.evaluate(pointer)
                return value if isinstance(value, Address) and value.number >= 0 else None
            case FieldPlace(base, name):
                held = base.type
                return _moved(self._address(base), field_offset(held, name, numbers))  # type: ignore[arg-type]  # validated: a record
            case IndexPlace(base, index):
                array = base.type
                assert isinstance(array, ArrayType)
                position = self.integer(index)
                if isinstance(array.extent, PerThread):
                    position -= numbers.ranges[array.extent.template].start
                return _moved(self._address(base), position * size_of(array.element, numbers))


def _common(first: LocalStore, second: LocalStore) -> LocalStore:
    """What is known in both cases."""
    return LocalStore(
        first.pc, _equal(first.thread, second.thread), _equal(first.locals, second.locals)
    )


def _equal(first: Cells, second: Cells) -> Cells:
    return tuple(a if a == b else UNSET for a, b in zip(first, second, strict=True))


def _moved(address: Address | None, cells: int) -> Address | None:
    return None if address is None else Address(address.number, address.offset + cells)


def _unmoved(pointer: Expr) -> Expr:
    """A pointer into the same object, without what moves it there."""
    while True:
        match pointer:
            case PointerAdd(moved):
                pointer = moved
            case AddressOf(place) if not isinstance(place, VariablePlace):
                base = root(place)
                pointer = AddressOf(base) if isinstance(base, VariablePlace) else base.pointer
            case _:
                return pointer
