"""From a trace to what has to happen in the machine, in which order.

The trace is followed in the reference semantics once more, edge by edge. Each access to shared
memory is an event; the accesses of one operation of the thread library, or of an atomic one, are
one event. Events know the stretch of source they come from, not the instruction: that is found
later, in the program as it was compiled.

What comes out is described in `events`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from itertools import groupby

from threadwise.core.errors import InternalError
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.ir.commands import Assignment, Call, Command, Free, OperationKind, Return
from threadwise.ir.expr import TRUE, Const, VariablePlace
from threadwise.ir.program import Edge, Program
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    PropertyKind,
    RaceProperty,
)
from threadwise.ir.types import NONE, Address, MachineType, TidType, Value
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.memory import canonical
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.recorded_moves import follow_as_numbered, initial_state, is_full
from threadwise.semantics.state import Choice, GlobalStore, LocalStore, Move, State
from threadwise.semantics.step import Access
from threadwise.traces.events import (
    Action,
    Allocated,
    End,
    EndKind,
    EndRow,
    Event,
    Input,
    NoScheduleError,
    Reached,
    Schedule,
)
from threadwise.traces.failing import failing
from threadwise.traces.given import interpreter_of
from threadwise.traces.naming import READING, Naming
from threadwise.traces.objects import Objects
from threadwise.traces.occurrences import Recorder
from threadwise.traces.own_text import is_own, own_edge
from threadwise.traces.trace import Trace
from threadwise.traces.waiting import WaitingTold

RESULTS = (".result", ".result$")
"""How variables are called, behind the name of a function, that hold what it returns."""


MAIN = "main"


def schedule_of(program: Program, trace: Trace) -> Schedule:
    """What a trace, which replays, asks of the machine."""
    checked = next(p for p in program.properties if p.name == trace.property)
    return _Extraction(program.with_counts(trace.counts), trace, checked).run()


@dataclass
class _Extraction:
    program: Program
    trace: Trace
    checked: Property
    events: list[Event] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)
    instance: int = 0
    visited: dict[int, tuple[Span, set[int]]] = field(default_factory=dict)
    """Per thread where it is, and the edges it took since it came there."""
    instances: dict[int, int] = field(default_factory=dict)
    results: dict[int, int] = field(default_factory=dict)
    """What calls return, by the numbers of their visits."""
    supplied: dict[int, tuple[CellRef, int]] = field(default_factory=dict)
    history: list[tuple[State, Move, State]] = field(default_factory=list)
    library: dict[tuple[int, int], int] = field(default_factory=dict)
    """The visits in which threads came to procedures of the library, by the depths of these."""

    def __post_init__(self) -> None:
        self.interpreter = interpreter_of(self.program, self.trace, self.checked)
        self.layout = self.interpreter.layout
        self.objects = Objects(len(self.program.globals))
        self.naming = Naming(self.program, self.layout, self.objects)
        self.recorder = Recorder(self.program, self.naming, self.objects)
        self.reached = Reached()
        names = self.layout.numbers.templates
        main = names.index(MAIN) if MAIN in names else 0
        self.numbers = {t: t for t in self.interpreter.threads} | {main: 0, 0: main}

    def run(self) -> Schedule:
        state = initial_state(self.interpreter, self.trace.initial)
        if state is None:
            raise InternalError("a replayed trace does not start in an initial state")
        for number, move in enumerate(self.trace.moves, start=1):
            self._move(number, move, state)
            after = follow_as_numbered(self.interpreter, state, move)
            if after is None:
                raise InternalError("a replayed trace cannot be followed")
            if is_full(state, after):
                self.objects.settle(after)
                after = canonical(after, len(self.program.globals))
            self.history.append((state, move, after))
            state = after
        end = self._end(state, len(self.trace.moves) + 1)
        names = [self.layout.numbers.name(self.numbers[t]) for t in self.interpreter.threads]
        events = [replace(e, result=self.results.get(e.instance)) for e in self.events]
        return Schedule(
            tuple(events),
            tuple(self._given()),
            end,
            tuple(names),
            self.program,
            tuple(self.recorder.occurrences),
            self.reached,
            tuple(Allocated(*each) for each in self.naming.allocated()),
        )

    # -- steps ----------------------------------------------------------------------------------

    def _move(self, number: int, move: Move, state: State) -> None:
        g, l = state.g, state.locals[move.thread]
        for choice in move.choices:
            edge = self.program.edges[choice.edge]
            self.recorder.note(edge, move.thread, g, l, state.stacks[move.thread])
            if isinstance(edge.action, Call | Return):
                self.library.pop((move.thread, len(state.stacks[move.thread]) + 1), None)
                return
            shown = self._in_own_text(edge, move.thread, state)
            for _, after_g, after_l, accesses in self.interpreter.fire(
                edge, move.thread, g, l, choice.values
            ):
                self.objects.meet(after_g)
                after = after_g, after_l
                self._edge(number, move.thread, shown, choice, accesses, (g, l), after)
                g, l = after_g, after_l
                break
            if shown is not edge and shown.span is not None:
                depth = len(state.stacks[move.thread])
                self.library.setdefault((move.thread, depth), self.instances[move.thread])

    def _in_own_text(self, edge: Edge, thread: int, state: State) -> Edge:
        """An edge of the library at the call that led there.

        What follows after functions of the user have been called is no call in the machine: it
        has no place.
        """
        if edge.span is None or is_own(edge.span):
            return edge
        call = own_edge(self.program, state, thread, edge)
        if call is None:
            return edge
        entered = self.library.get((thread, len(state.stacks[thread])))
        if entered not in (None, self.instances.get(thread)):
            return replace(edge, span=None)
        return replace(edge, span=call.span, text=call.text)

    def _edge(
        self,
        number: int,
        thread: int,
        edge: Edge,
        choice: Choice,
        accesses: Sequence[Access],
        before: tuple[GlobalStore, LocalStore],
        afterwards: tuple[GlobalStore, LocalStore],
    ) -> None:
        if edge.span is None:
            return
        instance = self._instance(thread, edge, edge.span)
        who = self.numbers[thread]
        g, l = before
        after, l_after = afterwards
        self._inputs(number, thread, edge, choice, g, l)
        self._result(thread, edge, instance, g, l)
        held = self._locks(thread, after, l_after)
        base = Event(
            number,
            who,
            Action.READ,
            edge.span,
            instance,
            text=edge.text,
            held=held,
            occurrence=len(self.recorder.occurrences) - 1,
            operation=edge.operation.kind if edge.operation else None,
            frees=self._freed(thread, edge, g, l),
        )
        special = self._special(thread, edge, g, l)
        if special is not None:
            self.events.append(replace(base, action=special[0], child=special[1]))
            return
        parts = [self._access(base, thread, a, g, after) for a in _distinct(accesses)]
        if any(a.sync for a in accesses):
            self._synchronise(base, self._lock_change(thread, accesses, g, after), parts)
        else:
            self.events.extend(parts)
        last = self.events[-1] if self.events else base
        if last.instance == instance and last.held != held:
            self.events[-1] = replace(last, held=held)

    def _locks(self, thread: int, g: GlobalStore, l: LocalStore) -> tuple[str, ...]:
        """The locks that a thread holds."""
        read = self.naming.held_for_reading(thread, l, g)
        return (*self.naming.held(thread, g), *read)

    def _freed(self, thread: int, edge: Edge, g: GlobalStore, l: LocalStore) -> str | None:
        if not isinstance(edge.action, Free):
            return None
        view = View(self.program, self.layout, thread, g, l)
        address = view.evaluate(edge.action.pointer)
        assert isinstance(address, Address)
        return self.naming.heap_object(view.cell_at(address).number, g)

    def _instance(self, thread: int, edge: Edge, span: Span) -> int:
        known = self.visited.get(thread)
        if known is None or known[0] != span or edge.id in known[1]:
            self.instance += 1
            self.visited[thread] = (span, {edge.id})
            self.instances[thread] = self.instance
        else:
            known[1].add(edge.id)
        return self.instances[thread]

    def _special(
        self, thread: int, edge: Edge, g: GlobalStore, l: LocalStore
    ) -> tuple[Action, int | None] | None:
        operation = edge.operation
        match operation.kind if operation else None:
            case OperationKind.SPAWN:
                assert operation is not None
                assert operation.subject is not None
                view = View(self.program, self.layout, thread, g, l)
                return Action.SPAWN, self.numbers[view.integer(operation.subject)]
            case OperationKind.JOIN:
                assert operation is not None
                assert operation.subject is not None
                view = View(self.program, self.layout, thread, g, l)
                return Action.JOIN, self.numbers[view.integer(operation.subject)]
            case OperationKind.BEGIN:
                return Action.BEGIN, None
            case OperationKind.FINISH:
                return Action.FINISH, None
            case _:
                return None

    def _access(
        self, base: Event, thread: int, access: Access, g: GlobalStore, after: GlobalStore
    ) -> Event:
        action = Action.WRITE if access.write else Action.READ
        supplied = self.supplied.get(thread)
        chosen = not access.write and supplied is not None and supplied[0] == access.cell
        if chosen:
            del self.supplied[thread]
        held = _held(after if access.write else g, access.cell)
        value = held if type(held) is int else None
        base = replace(
            base,
            cell=self.naming.cell(access.cell, after),
            key=self.naming.key(access.cell, after),
            shown=self.naming.value(access.cell, held, after),
        )
        if access.cell.region is not Region.GLOBAL:
            return replace(base, action=action, value=value, supplies=chosen)
        cell = self.layout.globals.cells[access.cell.slot]
        whole = cell.name == cell.variable.name and isinstance(cell.type, MachineType)
        return replace(
            base,
            action=action,
            variable=cell.variable.name,
            whole=whole,
            value=value if isinstance(cell.type, MachineType) else None,
            supplies=chosen,
        )

    def _synchronise(self, base: Event, action: Action, parts: list[Event]) -> None:
        """One event for all accesses of an operation, also where it takes several edges."""
        last = self.events[-1] if self.events else None
        if (
            last is not None
            and last.parts
            and (last.step, last.instance) == (base.step, base.instance)
        ):
            if action is Action.SYNCHRONISE:
                action = last.action
            self.events[-1] = replace(
                last, action=action, held=base.held, parts=(*last.parts, *parts)
            )
        else:
            self.events.append(replace(base, action=action, parts=tuple(parts)))

    def _lock_change(
        self, thread: int, accesses: Sequence[Access], before: GlobalStore, after: GlobalStore
    ) -> Action:
        """Whether a lock is taken or given back: a cell that names its owner changes."""
        for cell in (access.cell for access in accesses if access.write):
            if cell.region is Region.GLOBAL:
                held = self.layout.globals.cells[cell.slot].type
            elif cell.number < len(before.heap):
                held = self.layout.cell(before.heap[cell.number].site, cell.slot).type
            else:
                continue
            if isinstance(held, TidType):
                match _held(before, cell), _held(after, cell):
                    case (old, new) if (old, new) == (NONE, thread):
                        return Action.ACQUIRE
                    case (old, new) if (old, new) == (thread, NONE):
                        return Action.RELEASE
        return Action.SYNCHRONISE

    def _inputs(
        self, number: int, thread: int, edge: Edge, choice: Choice, g: GlobalStore, l: LocalStore
    ) -> None:
        if not isinstance(edge.action, Command) or edge.span is None:
            return
        if (picked := chosen_input(self.program, edge)) is not None:
            self.inputs.append(self._input(number, thread, edge, picked))
        view = View(self.program, self.layout, thread, g, l)
        for place, value in zip(edge.action.havocs, choice.values, strict=True):
            if isinstance(value, int):
                self.inputs.append(self._input(number, thread, edge, int(value)))
                try:
                    cell = view.resolve(place)
                except Undefined:
                    continue
                if cell.region in (Region.GLOBAL, Region.HEAP):
                    self.supplied[thread] = cell, int(value)

    def _input(self, number: int, thread: int, edge: Edge, value: int) -> Input:
        assert edge.span is not None
        instance = self.instances[thread]
        return Input(number, self.numbers[thread], edge.span, value, edge.text, instance)

    def _given(self) -> Iterator[Input]:
        """The inputs; of a statement that takes one, what the call returns, if that is known.

        A function of the library may only be asked whether it fails, and return something else.
        """
        for instance, group in groupby(self.inputs, key=lambda given: given.instance):
            taken = list(group)
            if len(taken) == 1 and instance in self.results:
                yield replace(taken[0], value=self.results[instance])
            else:
                yield from taken

    def _result(
        self, thread: int, edge: Edge, instance: int, g: GlobalStore, l: LocalStore
    ) -> None:
        """What a library function is about to return."""
        if not isinstance(edge.action, Command):
            return
        view = View(self.program, self.layout, thread, g, l)
        for assignment in edge.action.assignments:
            target = assignment.target
            if isinstance(target, VariablePlace) and target.variable.name.endswith(RESULTS):
                value = view.evaluate(assignment.value)
                if type(value) is int:
                    self.results[instance] = value

    # -- the end --------------------------------------------------------------------------------

    def _end(self, state: State, number: int) -> End:
        checker = PropertyChecker(self.interpreter)
        match self.checked:
            case FailureProperty():
                return self._failure(self.checked, state)
            case RaceProperty():
                return self._race(checker, self.checked, state, number)
            case DeadlockProperty():
                return self._deadlock(checker, state)
            case InvariantProperty():
                raise NoScheduleError("an invariant is nothing that a C program shows")

    def _deadlock(self, checker: PropertyChecker, state: State) -> End:
        stuck = sorted(checker.deadlocks.members(state))
        told = WaitingTold(checker.deadlocks, state, self.history, self.naming)
        self.reached = Reached(
            places=tuple((t, len(state.stacks[t]), state.locals[t].pc) for t in stuck)
        )
        rows = tuple(self._waiting(state, t, told) for t in stuck)
        return End(
            EndKind.DEADLOCK,
            tuple(self.numbers[t] for t in stuck),
            tuple(row.span for row in rows),
            rows=rows,
            why="none of them can proceed" if len(stuck) > 1 else "it can never proceed",
            taken=tuple((self.numbers[t], span) for t, span in told.taken()),
            objects=told.objects(),
        )

    def _waiting(self, state: State, thread: int, told: WaitingTold) -> EndRow:
        """Where a thread waits."""
        pc = state.locals[thread].pc
        edges = [edge for edge in self.program.outgoing[pc] if edge.span is not None]
        at = own_edge(self.program, state, thread, edges[0]) if edges else None
        span = at.span if at else self.program.locations[pc].span
        text = at.text if at else ""
        locks = self._locks(thread, state.g, state.locals[thread])
        others = (name for name in told.held(thread) if f"{name} (read)" not in locks)
        held = tuple(dict.fromkeys((*locks, *others)))
        return EndRow(self.numbers[thread], span, text, "waits", held)

    def _failure(self, checked: FailureProperty, state: State) -> End:
        for thread, l in enumerate(state.locals):
            location = self.program.locations[l.pc]
            if location.failure is not None and location.failure.property == checked.name:
                kind = {
                    PropertyKind.ASSERTION: EndKind.ASSERTION,
                    PropertyKind.MUTEX: EndKind.MISUSE,
                    PropertyKind.MEMORY: EndKind.MEMORY,
                }.get(checked.kind)
                if kind is None:
                    raise NoScheduleError(
                        f"{checked.kind.value} is nothing that a C program shows"
                    )
                message = location.failure.message
                self.reached = Reached(failing=self._last_of(thread))
                why = failing(message) if kind is EndKind.ASSERTION else message
                return End(kind, (self.numbers[thread],), (location.span,), message, why=why)
        raise InternalError("no thread has failed")

    def _last_of(self, thread: int) -> int | None:
        """The last occurrence of a thread."""
        numbered = reversed(list(enumerate(self.recorder.occurrences)))
        return next((n for n, each in numbered if each.thread == thread), None)

    def _race(
        self, checker: PropertyChecker, checked: RaceProperty, state: State, number: int
    ) -> End:
        t, first, u, second = next(checker.races(checked, state))
        done = len(self.recorder.occurrences)
        held = [self._held_access(state, number, who, a) for who, a in ((t, first), (u, second))]
        self.events.extend(event for events in held for event in events)
        self.reached = Reached(occurrences=tuple(range(done, len(self.recorder.occurrences))))
        lasts = [events[-1] for events in held]
        who = tuple(event.thread for event in lasts)
        rows = tuple(
            EndRow(
                event.thread,
                event.span,
                event.text,
                _done(event),
                self._locks(t, state.g, state.locals[t]),
            )
            for t, event in zip((t, u), lasts, strict=True)
        )
        spans = tuple(event.span for event in lasts)
        return End(EndKind.RACE, who, spans, rows=rows, why=_unordered(rows))

    def _held_access(self, state: State, number: int, thread: int, access: Access) -> list[Event]:
        """The accesses of a thread's next step up to the one that races, which is only held."""
        for step in self.interpreter.step(thread, state.g, state.locals[thread]):
            if access in step.accesses:
                mark = len(self.events)
                self._move(number, Move(thread, step.choices), state)
                made = _flat(self.events[mark:])
                del self.events[mark:]
                return self._cut(made, access)
        raise InternalError("the racing access is no access of its thread")

    def _cut(self, made: Sequence[Event], access: Access) -> list[Event]:
        wanted = Action.WRITE if access.write else Action.READ
        name = (
            self.layout.globals.cells[access.cell.slot].variable.name
            if access.cell.region is Region.GLOBAL
            else None
        )
        for position, event in enumerate(made):
            if event.action is wanted and event.variable == name:
                return [*made[:position], replace(event, holds=True)]
        raise InternalError("the racing access has no event")


def _done(access: Event) -> str:
    """What an access does: `reads x`, `frees node#1`."""
    return (
        f"frees {access.frees}" if access.frees else f"{access.action.value} {access.cell or 'it'}"
    )


def _unordered(rows: Sequence[EndRow]) -> str:
    """Why nothing orders the two accesses of a race."""
    first, second = rows
    if not first.held and not second.held:
        locks = "neither holds a lock"
    elif not first.held or not second.held:
        locks = "only one of them holds a lock"
    elif set(first.held).isdisjoint(second.held):
        locks = "they hold no common lock"
    elif all(lock.endswith(READING) for lock in {*first.held} & {*second.held}):
        common = sorted(lock.removesuffix(READING) for lock in {*first.held} & {*second.held})
        locks = f"both hold {' and '.join(common)} for reading only"
    else:
        locks = "the lock they share does not exclude them"
    return f"nothing orders the two: {locks}, and neither waits for the other"


def _flat(events: Sequence[Event]) -> list[Event]:
    """Operations of the thread library as they are, their accesses one by one."""
    return [part for event in events for part in (event.parts or (event,))]


def _distinct(accesses: Sequence[Access]) -> Iterator[Access]:
    """Accesses, without those that repeat one before them in the same edge."""
    return iter(dict.fromkeys(accesses))


def _held(g: GlobalStore, cell: CellRef) -> Value:
    return (g.cells if cell.region is Region.GLOBAL else g.heap[cell.number].cells)[cell.slot]


def chosen_input(program: Program, edge: Edge) -> int | None:
    """The value that an input takes, where there is an edge for each that it may take."""
    others = [other.action for other in program.outgoing[edge.source]]
    if len(others) < 2:
        return None
    for other in others:
        match other:
            case Command(guard, (Assignment(_, Const(int())),), ()) if guard == TRUE:
                continue
            case _:
                return None
    match edge.action:
        case Command(_, (Assignment(_, Const(int() as value)),), _):
            return int(value)
        case _:
            return None
