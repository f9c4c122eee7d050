"""The step relations of a program, in the notation of docs/theory/semantics.md (FQ §2.1, §3).

    T (t, g, l)    -> {(g', l')}   `Interpreter.step`   a step that leaves the stack alone
    T+(t, l)       -> {(l', f)}    `Interpreter.push`   a call; does not read g
    T-(t, l, f)    -> {l'}         `Interpreter.pop`    a return; does not read g

A step through an atomic region is one step of T: it follows the edges inside the region along
paths that do not block until it reaches a location outside (`big_steps`). A path that could go on
for ever inside is outside the model (`Unsupported`, hence UNKNOWN).

`Interpreter.successors` puts the three together on whole states (FQ §3: STEP, PUSH, POP). A state
with a thread in a failure location has no successors: the failure ended the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import product
from typing import NamedTuple, TypeAlias

from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import Place
from threadwise.ir.layout import ProgramLayout, initial_choices
from threadwise.ir.program import Declaration, Edge, Program
from threadwise.ir.types import (
    NONE,
    UNSET,
    Address,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    PointerType,
    RangeType,
    ScalarType,
    TidType,
    Type,
    Value,
    contains,
    default_value,
)
from threadwise.semantics.big_steps import EndlessRegionError, Path, big_steps
from threadwise.semantics.evaluate import CellRef, Region, View
from threadwise.semantics.memory import canonical, store
from threadwise.semantics.state import (
    Cells,
    Choice,
    Frame,
    GlobalStore,
    HeapObject,
    LocalStore,
    Move,
    State,
)

SAMPLED_ABOVE = 256
"""Of more values than this in one havoc only samples are tried, where samples are given."""

ENUMERATION_LIMIT = 1 << 16
"""More values than this in one havoc are not enumerated."""

ALLOCATION_LIMIT = 1 << 20
"""Objects with more cells are not followed."""


class Access(NamedTuple):
    """One access of an edge to shared memory; `sync` accesses never race with each other."""

    cell: CellRef
    write: bool
    sync: bool


Step: TypeAlias = Path[GlobalStore, LocalStore, Access]
"""One element of T, with how it came about and what it touched."""


class Push(NamedTuple):
    """One element of T+."""

    choice: Choice
    l: LocalStore
    frame: Frame


class Pop(NamedTuple):
    """One element of T-."""

    choice: Choice
    l: LocalStore


class Transition(NamedTuple):
    """A successor of a whole state."""

    move: Move
    state: State


def may_be_sampled(held: Type) -> bool:
    """Whether a type has so many values that an input of it is given samples, if there are."""
    match held:
        case IntType():
            return True
        case MachineType(low=low, high=high):
            return high - low >= SAMPLED_ABOVE
        case RangeType(low, high):
            return high - low >= ENUMERATION_LIMIT
        case _:
            return False


def _nearest_to_zero(scalar: ScalarType) -> int:
    """The value of a type that is tried if no sample is one of its values."""
    match scalar:
        case RangeType() | MachineType():
            return min(max(0, scalar.low), scalar.high)
        case _:
            return 0


class Interpreter:
    """The semantics of one program; all its thread counts must be fixed.

    With `samples`, inputs that `may_be_sampled` take only these values: every run is still a run
    of the program, but runs of the program are missing.
    """

    def __init__(self, program: Program, samples: Sequence[int] | None = None) -> None:
        self.program = program
        self.samples = samples
        self.layout = ProgramLayout.of(program)
        self.threads = range(len(self.layout.numbers.templates))

    # -- initial states -------------------------------------------------------------------------

    def initial_states(self) -> Iterator[State]:
        """All initial states."""
        locals_ = tuple(self.initial_local(thread) for thread in self.threads)
        for g in self.initial_globals():
            yield State(g, locals_, tuple(() for _ in self.threads))

    def initial_globals(self) -> Iterator[GlobalStore]:
        """All initial global stores."""
        choices: list[Iterable[Value]] = [
            self.domain(cell.type) if values is None else values
            for cell, values in zip(self.layout.globals.cells, self.initial_cells, strict=True)
        ]
        for cells_chosen in product(*choices):
            yield GlobalStore(cells_chosen)

    @cached_property
    def initial_cells(self) -> tuple[tuple[Value, ...] | None, ...]:
        """Per shared cell its possible initial values; None: any of its type."""
        return tuple(
            values for declaration in self.program.globals for values in self._initial(declaration)
        )

    def initial_local(self, thread: int) -> LocalStore:
        """The initial local store of a thread."""
        return self._initial_locals[self.layout.numbers.templates[thread]]

    @cached_property
    def _initial_locals(self) -> dict[str, LocalStore]:
        """By template: threads of one template begin alike."""
        found: dict[str, LocalStore] = {}
        for template in self.program.templates:
            body = self.program.procedure[template.body]
            own, locals_ = map(self.initial_values, (template.variables, body.locals))
            found[template.name] = LocalStore(body.entry, own, locals_)
        return found

    def _initial(self, declaration: Declaration) -> tuple[tuple[Value, ...] | None, ...]:
        return initial_choices(declaration, self.layout.numbers)

    def initial_values(self, declarations: Sequence[Declaration]) -> Cells:
        """The cells of declared variables that all start with a constant."""
        values: list[Value] = []
        for declaration in declarations:
            for choice in self._initial(declaration):
                if choice is None:
                    raise InternalError(f"{declaration.variable.name} starts with any value")
                values.append(choice[0])
        return tuple(values)

    def is_narrowed(self, held: Type) -> bool:
        """Whether `domain` leaves values of a type out."""
        return bool(self.samples) and may_be_sampled(held)

    def domain(self, scalar: ScalarType) -> Iterable[Value]:
        """All values of a type, if they can be enumerated."""
        match scalar:
            case BoolType():
                return (False, True)
            case EnumType(_, members):
                return range(len(members))
            case TidType():
                return (NONE, *self.threads)
            case _ if self.is_narrowed(scalar):
                fitting = [value for value in self.samples or () if contains(scalar, value)]
                return fitting or (_nearest_to_zero(scalar),)
            case RangeType() | MachineType() if scalar.high - scalar.low < ENUMERATION_LIMIT:
                return range(scalar.low, scalar.high + 1)
            case RangeType() | MachineType() | IntType():
                raise Unsupported("any value of a type with too many values to enumerate")
            case PointerType():
                raise Unsupported("any value of a pointer")

    # -- T ---------------------------------------------------------------------------------------

    def step(self, thread: int, g: GlobalStore, l: LocalStore) -> Iterator[Step]:
        """All steps of a thread that leave its stack alone, in order of edges and values."""
        try:
            yield from big_steps(
                g,
                l,
                partial(self._extensions, thread),
                lambda l: self.program.locations[l.pc].atomic,
            )
        except EndlessRegionError:
            span = self.program.locations[l.pc].span
            raise Unsupported("an atomic block that may loop without bound", span) from None

    def _is_inside(self, l: LocalStore) -> bool:
        return self.program.locations[l.pc].atomic

    def _extensions(self, thread: int, before: Step) -> Iterator[Step]:
        """Extend a path by one edge."""
        for edge in self.program.outgoing[before.l.pc]:
            for choice, g, l, accesses in self.fire(edge, thread, before.g, before.l):
                yield Path((*before.choices, choice), g, l, (*before.accesses, *accesses))

    def fire(
        self, edge: Edge, thread: int, g: GlobalStore, l: LocalStore, values: Cells | None = None
    ) -> Iterator[tuple[Choice, GlobalStore, LocalStore, list[Access]]]:
        """Take one edge that is no call and no return; `values` are what its havocs choose."""
        action = edge.action
        if isinstance(action, Call | Return):
            return
        accesses: list[Access] = []

        def touched(cell: CellRef, *, write: bool = False) -> None:
            if cell.region in (Region.GLOBAL, Region.HEAP):
                accesses.append(Access(cell, write, edge.sync or self._is_sync(cell, g)))

        view = View(self.program, self.layout, thread, g, l, touched)
        if not view.holds(action.guard):
            return
        match action:
            case Command():
                writes = [
                    (a.target, view.resolve(a.target), view.evaluate(a.value))
                    for a in action.assignments
                ]
                havocs = [(place, view.resolve(place)) for place in action.havocs]
                choices: Iterable[Cells] = (values,) if values is not None else ()
                if values is None:
                    choices = product(*(self._values(place) for place in action.havocs))
                written = [cell for _, cell, _ in writes] + [cell for _, cell in havocs]
            case Allocate():
                address = Address(len(self.program.globals) + len(g.heap), 0)
                g = g._replace(heap=(*g.heap, self._fresh(action, view)))
                writes, havocs = [(action.target, view.resolve(action.target), address)], []
                choices = product()
                written = [writes[0][1]]
            case Free():
                address_ = view.evaluate(action.pointer)
                assert isinstance(address_, Address)
                cell = view.cell_at(address_)
                gone = g.heap[cell.number]._replace(alive=False)
                g = g._replace(heap=(*g.heap[: cell.number], gone, *g.heap[cell.number + 1 :]))
                writes, havocs, choices = [], [], product()
                written = [cell._replace(slot=i) for i in range(len(gone.cells))]
        for cell in written:
            touched(cell, write=True)
        for chosen in choices:
            after_g, after_l = g, l._replace(pc=edge.target)
            for place, cell, value in writes:
                after_g, after_l = self._assign(after_g, after_l, place, cell, value)
            for (place, cell), value in zip(havocs, chosen, strict=True):
                after_g, after_l = self._assign(after_g, after_l, place, cell, value)
            yield Choice(edge.id, chosen), after_g, after_l, accesses

    def _is_sync(self, cell: CellRef, g: GlobalStore) -> bool:
        if cell.region is Region.GLOBAL:
            return self.layout.globals.cells[cell.slot].sync
        return self.layout.cell(g.heap[cell.number].site, cell.slot).sync

    def _values(self, place: Place) -> Iterable[Value]:
        held = place.type
        return self.domain(held)  # type: ignore[arg-type]  # validated: a havoc is scalar

    def _fresh(self, action: Allocate, view: View) -> HeapObject:
        count = None if action.count is None else view.integer(action.count)
        size = self.layout.size(action.site, count)
        if not 0 <= size <= ALLOCATION_LIMIT:
            raise Unsupported(f"an object of {size} cells")
        cells = (self.layout.cell(action.site, slot) for slot in range(size))
        fresh = (default_value(c.type) if action.cleared else UNSET for c in cells)
        return HeapObject(action.site, tuple(fresh), alive=True)

    def _assign(
        self, g: GlobalStore, l: LocalStore, place: Place, cell: CellRef, value: Value
    ) -> tuple[GlobalStore, LocalStore]:
        shared = cell.region in (Region.GLOBAL, Region.HEAP)
        if not contains(place.type, value) and not (shared and value == UNSET):  # type: ignore[arg-type]  # validated: scalar
            raise InternalError(f"the value {value!r} does not fit {place}")
        return store(g, l, cell, value)

    # -- T+ and T- -------------------------------------------------------------------------------

    def push(self, thread: int, l: LocalStore) -> Iterator[Push]:
        """All calls a thread can make."""
        for edge in self.program.outgoing[l.pc]:
            if isinstance(edge.action, Call):
                view = View(self.program, self.layout, thread, GlobalStore(()), l)
                if view.holds(edge.action.guard):
                    callee = self.program.procedure[edge.action.procedure]
                    arguments = tuple(view.evaluate(a) for a in edge.action.arguments)
                    locals_ = (*arguments, *self.initial_values(callee.locals))
                    entered = LocalStore(callee.entry, l.thread, locals_)
                    yield Push(Choice(edge.id), entered, Frame(edge.id, l.locals))

    def pop(self, thread: int, l: LocalStore, frame: Frame) -> Iterator[Pop]:
        """All returns a thread can make to a frame, if the frame called this procedure."""
        call = self.program.edges[frame.call]
        assert isinstance(call.action, Call)
        if call.action.procedure != self.program.procedure_of[l.pc].name:
            return
        for edge in self.program.outgoing[l.pc]:
            if isinstance(edge.action, Return):
                view = View(self.program, self.layout, thread, GlobalStore(()), l)
                if view.holds(edge.action.guard):
                    resumed = LocalStore(call.target, l.thread, frame.locals)
                    if call.action.result is not None and edge.action.value is not None:
                        value = view.evaluate(edge.action.value)
                        at_call = resumed._replace(pc=call.source)
                        seen = View(self.program, self.layout, thread, GlobalStore(()), at_call)
                        cell = seen.resolve(call.action.result)
                        place = call.action.result
                        _, resumed = self._assign(GlobalStore(()), resumed, place, cell, value)
                    yield Pop(Choice(edge.id), resumed)

    def can_step(self, thread: int, g: GlobalStore, l: LocalStore) -> bool:
        """Whether a thread can do something; one inside a procedure always has a caller."""
        if next(self.step(thread, g, l), None) or next(self.push(thread, l), None):
            return True
        view = View(self.program, self.layout, thread, GlobalStore(()), l)
        return any(
            isinstance(edge.action, Return) and view.holds(edge.action.guard)
            for edge in self.program.outgoing[l.pc]
        )

    # -- whole states ----------------------------------------------------------------------------

    def is_stopped(self, state: State) -> bool:
        """Whether a failure ended the program."""
        return any(self.program.locations[l.pc].failure is not None for l in state.locals)

    def successors(self, state: State) -> Iterator[Transition]:
        """All transitions of the program, thread by thread."""
        if self.is_stopped(state):
            return
        for thread in self.threads:
            yield from self.thread_successors(state, thread)

    def thread_successors(self, state: State, thread: int) -> Iterator[Transition]:
        """All transitions of one thread (rules STEP, PUSH and POP of FQ §3)."""
        l, stack = state.locals[thread], state.stacks[thread]
        for step in self.step(thread, state.g, l):
            yield self._transition(state, thread, step.choices, step.g, step.l, stack)
        yield from self.thread_calls(state, thread)

    def thread_calls(self, state: State, thread: int) -> Iterator[Transition]:
        """The calls and returns of one thread (rules PUSH and POP)."""
        l, stack = state.locals[thread], state.stacks[thread]
        for push in self.push(thread, l):
            grown = (*stack, push.frame)
            yield self._transition(state, thread, (push.choice,), state.g, push.l, grown)
        if stack:
            for pop in self.pop(thread, l, stack[-1]):
                yield self._transition(state, thread, (pop.choice,), state.g, pop.l, stack[:-1])

    def _transition(
        self,
        state: State,
        thread: int,
        choices: tuple[Choice, ...],
        g: GlobalStore,
        l: LocalStore,
        stack: tuple[Frame, ...],
    ) -> Transition:
        after = State(
            g,
            (*state.locals[:thread], l, *state.locals[thread + 1 :]),
            (*state.stacks[:thread], stack, *state.stacks[thread + 1 :]),
        )
        return Transition(Move(thread, choices), canonical(after, len(self.program.globals)))
