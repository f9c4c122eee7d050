"""The program of a run as a monitor sees it: objects, threads, and moments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Allocate
from threadwise.ir.pool_cells import STARTED, PoolCells
from threadwise.ir.program import Program
from threadwise.ir.types import (
    Address,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    Value,
    parts_of,
)
from threadwise.proofs.locksets.auditing.layout import Shape, per_thread
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.semantics.evaluate import CellRef, Region, View
from threadwise.semantics.state import Cells, HeapObject, State
from threadwise.semantics.step import Interpreter


@dataclass
class Moment:
    """A state, maybe between two edges of a step; heap objects have names that last."""

    state: State
    names: tuple[int, ...]
    _reached: dict[object, frozenset[int]] = field(default_factory=dict)

    def content(self, cell: CellRef) -> Value:
        """What a shared cell holds."""
        if cell.region is Region.GLOBAL:
            return self.state.g.cells[cell.slot]
        return self.state.g.heap[cell.number].cells[cell.slot]

    def content_for(self, thread: int, cell: CellRef) -> Value:
        """What a cell holds, be it shared or a thread's own."""
        own = self.state.locals[thread]
        match cell.region:
            case Region.THREAD:
                return own.thread[cell.slot]
            case Region.LOCAL:
                return own.locals[cell.slot]
            case _:
                return self.content(cell)

    def lasting(self, cell: CellRef) -> CellRef:
        """A cell, by the lasting name of its object."""
        if cell.region is Region.HEAP:
            return cell._replace(number=self.names[cell.number])
        return cell


class World:
    """What does not change in a run."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        self.declared = len(program.globals)
        self.templates = self.layout.numbers.templates
        self._shapes: dict[Type, Shape] = {}

    # -- objects ---------------------------------------------------------------------------------

    def shape(self, held: Type) -> Shape:
        """The cells of a type."""
        if held not in self._shapes:
            self._shapes[held] = Shape(held, self.layout.numbers)
        return self._shapes[held]

    @cached_property
    def sites(self) -> dict[str, tuple[str, Type]]:
        """Per allocating statement the name of its objects in claims, and their type."""
        found: dict[str, tuple[str, Type]] = {}
        for edge in self.program.edges:
            if isinstance(edge.action, Allocate) and edge.action.site not in found:
                found[edge.action.site] = f"new {len(found)}", edge.action.object_type
        return found

    @cached_property
    def _globals(self) -> tuple[tuple[str, Type, int], ...]:
        """The variable of each global cell, and where it begins."""
        found: list[tuple[str, Type, int]] = []
        for declaration in self.program.globals:
            variable = declaration.variable
            start = self.layout.globals.offset[variable.name]
            found += [(variable.name, variable.type, start)] * self.shape(variable.type).size
        return tuple(found)

    def home(self, cell: CellRef, state: State) -> tuple[str, Type, int]:
        """The object that a shared cell is in, its type (of an element), and where that begins."""
        if cell.region is Region.GLOBAL:
            return self._globals[cell.slot]
        item = state.g.heap[cell.number]
        held = self.held(item)
        return self.sites[item.site][0], held, cell.slot - cell.slot % self.shape(held).size

    def held(self, item: HeapObject) -> Type:
        """The type of an object, of one element if it is an array of these."""
        _, held = self.sites[item.site]
        tail = self.layout.tails.get(item.site)
        if tail is None:
            return held
        behind = len(item.cells) - len(self.layout.sites[item.site])
        return _with_tail(held, behind // len(tail))

    def target(self, cell: CellRef, state: State) -> Target:
        """The folded cell that a shared cell belongs to."""
        name, held, start = self.home(cell, state)
        return Target(name, self.shape(held).folded[cell.slot - start])

    def heap_number(self, value: Value) -> int | None:
        """The heap object that a value points to."""
        if isinstance(value, Address) and value.number >= self.declared:
            return value.number - self.declared
        return None

    def heap_numbers(self, values: Iterable[Value]) -> list[int]:
        """The heap objects that values point to."""
        declared = self.declared
        addresses = [value.number for value in values if isinstance(value, Address)]
        return [number - declared for number in addresses if number >= declared]

    def lasting_value(self, value: Value, moment: Moment) -> Value:
        """A value with which others can be compared later."""
        number = self.heap_number(value)
        if number is None:
            return value
        assert isinstance(value, Address)
        return Address(self.declared + moment.names[number], value.offset)

    @property
    def has_mutexes(self) -> bool:
        """Whether there are mutexes in shared memory."""
        held = [d.variable.type for d in self.program.globals]
        held += [allocated for _, allocated in self.sites.values()]
        return any(isinstance(part, MutexType) for whole in held for part in parts_of(whole))

    # -- threads ---------------------------------------------------------------------------------

    @cached_property
    def first(self) -> int | None:
        """The thread that is there from the beginning, if all others are started."""
        present = [t for t, name in enumerate(self.templates) if not self.is_pooled(name)]
        return present[0] if len(present) == 1 else None

    def is_pooled(self, template: str) -> bool:
        """Whether the threads of a template are started by others."""
        return self.program.template[template].pool

    @cached_property
    def status(self) -> dict[int, int]:
        """Per thread that is started by others the cell that says how far it is."""
        found: dict[int, int] = {}
        for template, threads in self.layout.numbers.ranges.items():
            start = self.layout.globals.offset.get(PoolCells(template).status)
            if self.is_pooled(template) and start is not None:
                found.update({t: start + n for n, t in enumerate(threads)})
        return found

    def runs(self, state: State, thread: int) -> bool:
        """Whether a thread was started and has not ended."""
        if thread in self.status:
            return state.g.cells[self.status[thread]] == STARTED.value
        pc = state.locals[thread].pc
        return bool(self.program.outgoing[pc])

    def running(self, state: State) -> Iterator[int]:
        """The threads that run."""
        return (t for t in range(len(self.templates)) if self.runs(state, t))

    def per_thread_cells(self, thread: int) -> Iterator[int]:
        """The global cells that there is one of for each thread, but not its status."""
        template = self.templates[thread]
        position = thread - self.layout.numbers.ranges[template].start
        for declaration in self.program.globals:
            held = declaration.variable.type
            if per_thread(held) == template:
                start = self.layout.globals.offset[declaration.variable.name]
                size = self.shape(held).size // len(self.layout.numbers.ranges[template])
                yield from range(start + position * size, start + (position + 1) * size)

    def view(self, moment: Moment, thread: int) -> View:
        """What a thread sees."""
        state = moment.state
        return View(self.program, self.layout, thread, state.g, state.locals[thread])

    # -- who can find what -----------------------------------------------------------------------

    def found_by_others(
        self, moment: Moment, thread: int, besides: Iterable[int], private: frozenset[int]
    ) -> frozenset[int]:
        """The heap objects to which pointers lead from shared memory or from other threads.

        Variables of the threads `besides` and the global cells `private` do not count.
        """
        excused = frozenset({thread, *besides})
        key = excused, private
        if key not in moment._reached:
            roots = self._roots(moment.state, excused, private)
            moment._reached[key] = self._closure(moment.state, self.heap_numbers(roots))
        return moment._reached[key]

    def _roots(
        self, state: State, excused: frozenset[int], private: frozenset[int]
    ) -> Iterator[Value]:
        for slot, value in enumerate(state.g.cells):
            if slot not in private:
                yield value
        for other in self.running(state):
            if other not in excused:
                yield from own_cells(state, other)

    def _closure(self, state: State, roots: list[int]) -> frozenset[int]:
        found: set[int] = set()
        pending = roots
        while pending:
            number = pending.pop()
            if number not in found:
                found.add(number)
                pending += self.heap_numbers(state.g.heap[number].cells)
        return frozenset(found)


def own_cells(state: State, thread: int) -> Iterator[Value]:
    """What the variables of a thread hold, in all its frames."""
    l = state.locals[thread]
    cells: list[Cells] = [l.thread, l.locals, *(frame.locals for frame in state.stacks[thread])]
    for part in cells:
        yield from part


def _with_tail(held: Type, count: int) -> Type:
    """A type that ends in an array without length, with so many elements there."""
    match held:
        case RecordType(name, fields):
            *others, (last, part) = fields
            return RecordType(name, (*others, (last, _with_tail(part, count))))
        case ArrayType(element, _):
            return ArrayType(element, count)
        case _:
            raise ValueError(f"{held} has no tail")
