"""The concrete program as a `JointSystem`, compiled to Python code.

Stores are flat tuples (see `python_code`). Semantics and order of steps are those of the reference
interpreter; what differs is the representation and the speed. The steps of a pair (g, l) are
computed once: joint states share them.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import NamedTuple

from threadwise.core.errors import Unsupported
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import Scope
from threadwise.ir.fold import allocates
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import AnyValue, Edge, EdgeId, LocId, Program
from threadwise.ir.properties import Property
from threadwise.ir.types import Value, parts_of
from threadwise.semantics.big_steps import EndlessRegionError, Path, big_steps
from threadwise.semantics.state import Choice, GlobalStore, LocalStore, State
from threadwise.semantics.state import Frame as ReferenceFrame
from threadwise.semantics.step import Interpreter
from threadwise.systems.api import ErrorPattern, JointState, Pop, Push, Role, Step
from threadwise.systems.concrete_errors import concrete_patterns
from threadwise.systems.deadlocks import DeadlockPattern
from threadwise.systems.memory_code import Heap, Memory
from threadwise.systems.python_code import (
    Accesses,
    EdgeCompiler,
    EvaluateAll,
    ExpressionCompiler,
    Fire,
    Fired,
    Given,
    Global,
    Local,
    TooDeep,
)

Action = tuple[Global, Global]

MOST_OUTCOMES = 1 << 17
"""Of one step. Six characters of any value at once have more; nobody gets through them."""


class Frame(NamedTuple):
    """A caller waiting for its callee: the call edge, the caller's own cells."""

    call: EdgeId
    locals: tuple[Value, ...]


ConcreteStep = Step[Global, Local, Action]
ConcretePath = Path[Global, Local, tuple[int, bool, bool]]
Joint = JointState[Global, Local, Frame]


class _TemplateCode:
    """The compiled edges of a program, as run by the threads of one template."""

    def __init__(self, interpreter: Interpreter, template: str) -> None:
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.compiler = EdgeCompiler(self.program, self.layout, template)
        self.interpreter = interpreter
        self.kept = len(self.layout.thread[template].cells)
        self.narrowed = False
        """Whether an input was given samples only."""
        self._fire: dict[EdgeId, Fire] = {}
        self._domains: dict[EdgeId, list[tuple[Value, ...]]] = {}
        self._accesses: dict[EdgeId, Accesses] = {}
        self._values: dict[EdgeId, EvaluateAll] = {}

    def fire(self, edge: Edge) -> Fire:
        """What a command does."""
        if edge.id not in self._fire:
            havocs = edge.action.havocs if isinstance(edge.action, Command) else ()
            refused: Unsupported | None = None
            try:
                domains = self.domains(edge)
            except Unsupported as unsupported:
                refused, domains = unsupported, [(None,)] * len(havocs)
            try:
                fire = self.compiler.fire(edge, domains)
            except TooDeep:
                fire = self._interpreted(edge)
            narrow = any(self.interpreter.is_narrowed(place.type) for place in havocs)
            if refused is not None or narrow:
                fire = self._watched(fire, refused)
            self._fire[edge.id] = fire
        return self._fire[edge.id]

    def domains(self, edge: Edge) -> list[tuple[Value, ...]]:
        """The values of each of a command's havocs; raises Unsupported."""
        if edge.id not in self._domains:
            havocs = edge.action.havocs if isinstance(edge.action, Command) else ()
            self._domains[edge.id] = [
                tuple(self.interpreter.domain(place.type))  # type: ignore[arg-type]  # scalar
                for place in havocs
            ]
        return self._domains[edge.id]

    def _watched(self, fire: Fire, refused: Unsupported | None) -> Fire:
        """A havoc that does not give all values: remember that it happened, or refuse then."""

        def watched(t: int, g: Global, l: Local, given: Given = None) -> Fired:
            found = fire(t, g, l, given)
            if found and refused is not None:
                raise refused
            self.narrowed = self.narrowed or bool(found)
            return found

        return watched

    def _interpreted(self, edge: Edge) -> Fire:
        """The reference semantics of a command that Python's own compiler refuses."""

        if allocates(self.program):
            raise Unsupported("an expression nested this deeply beside a heap", edge.span)

        def fire(t: int, g: Global, l: Local, given: Given = None) -> Fired:
            store = LocalStore(edge.source, l[1 : 1 + self.kept], l[1 + self.kept :])
            return [
                (choice.values, after.cells, (moved.pc, *moved.thread, *moved.locals))
                for values in ((None,) if given is None else given)
                for choice, after, moved, _ in self.interpreter.fire(
                    edge, t, GlobalStore(g), store, values
                )
            ]

        return fire

    def accesses(self, edge: Edge) -> Accesses:
        """What a command touches."""
        if edge.id not in self._accesses:
            self._accesses[edge.id] = self.compiler.accesses(edge)
        return self._accesses[edge.id]

    def values(self, edge: Edge) -> EvaluateAll:
        """The guard of a call or return and, if it holds, its arguments or its value."""
        if edge.id not in self._values:
            match edge.action:
                case Call(_, arguments, _, guard):
                    exprs = arguments
                case Return(value, guard):
                    exprs = () if value is None else (value,)
                case _:
                    raise TypeError(edge.action)
            self._values[edge.id] = self.compiler.local_values(edge, guard, exprs)
        return self._values[edge.id]


class ConcreteSystem:
    """One role per thread; actions are pairs of global stores."""

    def __init__(self, program: Program, samples: Sequence[int] | None = None) -> None:
        self.program = program
        self.interpreter = Interpreter(program, samples)
        self.layout: ProgramLayout = self.interpreter.layout
        self.memory = Memory(program, self.layout)
        self.has_heap = allocates(program)
        templates = self.layout.numbers.templates
        codes = {name: _TemplateCode(self.interpreter, name) for name in dict.fromkeys(templates)}
        self.code = [codes[name] for name in templates]
        self._codes = tuple(codes.values())
        self.roles: Sequence[Role] = [Role(t) for t in self.interpreter.threads]
        self._steps: dict[tuple[Role, Global, Local], tuple[ConcreteStep, ...]] = {}
        self._accesses: dict[tuple[Role, Global, Local], list[tuple[int, bool, bool]]] = {}
        self._atomic = [location.atomic for location in program.locations]
        self._failed = [location.failure is not None for location in program.locations]
        self.commands = [
            tuple(edge for edge in out if isinstance(edge.action, Command | Allocate | Free))
            for out in program.outgoing
        ]
        self._calls = [
            tuple(edge for edge in out if isinstance(edge.action, Call))
            for out in program.outgoing
        ]
        self._returns = [
            tuple(edge for edge in out if isinstance(edge.action, Return))
            for out in program.outgoing
        ]
        self._entries = {
            procedure.name: (
                procedure.entry,
                self.interpreter.initial_values(procedure.locals),
            )
            for procedure in program.procedures
        }
        self._result_slots: dict[tuple[EdgeId, str], int] = {}
        self._starts_narrowed = any(
            isinstance(declaration.initial, AnyValue)
            and any(map(self.interpreter.is_narrowed, parts_of(declaration.variable.type)))
            for declaration in program.globals
        )

    # -- the relations ---------------------------------------------------------------------------

    @property
    def narrowed(self) -> bool:
        """Whether some input was given samples only (see `threadwise.systems.samples`)."""
        return self._starts_narrowed or any(code.narrowed for code in self._codes)

    def initial(self, t: Role) -> Iterator[tuple[Global, Local]]:
        """Rule INIT."""
        l = self._initial_local(t)
        return ((g, l) for g in self._initial_globals())

    def _initial_globals(self) -> Iterator[Global]:
        for store in self.interpreter.initial_globals():
            yield (*store.cells, ()) if self.has_heap else store.cells  # type: ignore[arg-type]

    def _initial_local(self, t: Role) -> Local:
        pc, thread, locals_ = self.interpreter.initial_local(t)
        return (pc, *thread, *locals_)

    def step(self, t: Role, g: Global, l: Local) -> tuple[ConcreteStep, ...]:
        """Relation T."""
        key = (t, g, l)
        known = self._steps.get(key)
        if known is None:
            known = tuple(islice(self.fresh_steps(t, g, l), MOST_OUTCOMES + 1))
            if len(known) > MOST_OUTCOMES:
                span = self.program.locations[self.location(l)].span
                raise Unsupported(f"a step with more than {MOST_OUTCOMES:,} outcomes", span)
            self._steps[key] = known
        return known

    def fresh_steps(self, t: Role, g: Global, l: Local) -> Iterator[ConcreteStep]:
        """The same, without a cache: for searches that do not return to a state."""
        for path in self.paths(t, g, l):
            yield Step(path.choices, path.g, path.l, (g, path.g))

    def paths(self, t: Role, g: Global, l: Local) -> Iterator[ConcretePath]:
        """The steps of a thread: single edges, and paths through atomic regions."""
        try:
            yield from big_steps(g, l, partial(self._extensions, t), self._is_inside)
        except EndlessRegionError:
            span = self.program.locations[self.location(l)].span
            raise Unsupported("an atomic block that may loop without bound", span) from None

    def _is_inside(self, l: Local) -> bool:
        return self._atomic[l[0]]  # type: ignore[index]  # the location

    def _extensions(self, t: Role, before: ConcretePath) -> Iterator[ConcretePath]:
        choices, g, l, _ = before
        code = self.code[t]
        for edge in self.commands[self.location(l)]:
            for values, after, moved in code.fire(edge)(t, g, l):
                yield Path((*choices, Choice(edge.id, values)), after, moved, ())

    def interfere(
        self, t: Role, g: Global, l: Local, e: Role, a: Action
    ) -> Iterable[tuple[Global, Local]]:
        """Rule ENV."""
        return ((a[1], l),) if a[0] == g and t != e else ()

    def keys(self, t: Role, g: Global) -> Iterable[Hashable]:
        """An action applies where it starts."""
        return (g,)

    def key(self, a: Action) -> Global:
        """Where an action starts."""
        return a[0]

    def interferes(self, e: Role, t: Role) -> bool:
        """Every thread sees all others."""
        return e != t

    def push(self, t: Role, g: Global, l: Local) -> Iterator[Push[Local, Frame]]:
        """Relation T+."""
        code = self.code[t]
        for edge in self._calls[self.location(l)]:
            permitted, *arguments = code.values(edge)(t, (), l)
            if permitted:
                assert isinstance(edge.action, Call)
                entry, constants = self._entries[edge.action.procedure]
                thread = l[1 : 1 + code.kept]
                entered = (entry, *thread, *arguments, *constants)
                yield Push(Choice(edge.id), entered, Frame(edge.id, l[1 + code.kept :]))

    def pop(self, t: Role, g: Global, l: Local, f: Frame) -> Iterator[Pop[Local]]:
        """Relation T-."""
        code = self.code[t]
        call = self.program.edges[f.call]
        assert isinstance(call.action, Call)
        if call.action.procedure != self.program.procedure_of[self.location(l)].name:
            return
        for edge in self._returns[self.location(l)]:
            permitted, *value = code.values(edge)(t, (), l)
            if permitted:
                resumed = [call.target, *l[1 : 1 + code.kept], *f.locals]
                if value and call.action.result is not None:
                    resumed[self._result_slot(t, call, resumed)] = value[0]
                yield Pop(Choice(edge.id), tuple(resumed))

    def _result_slot(self, t: Role, call: Edge, resumed: Sequence[Value]) -> int:
        """Where in the caller's local store the result goes."""
        assert isinstance(call.action, Call)
        assert call.action.result is not None
        template = self.layout.numbers.templates[t]
        key = (call.id, template)
        if key not in self._result_slots:
            procedure = self.program.procedure_of[call.source].name
            code = ExpressionCompiler(self.program, self.layout, procedure, template, "g[{0}]")
            scope, slot = code.slot(call.action.result)
            if scope is Scope.GLOBAL or not slot.isdigit():
                raise Unsupported("a call result in a computed place", call.span)
            self._result_slots[key] = int(slot)
        return self._result_slots[key]

    def location(self, l: Local) -> LocId:
        """Where a thread is."""
        return l[0]  # type: ignore[return-value]  # the first cell is the location

    # -- errors ----------------------------------------------------------------------------------

    def errors(self, properties: Sequence[Property]) -> Sequence[ErrorPattern[Global, Local]]:
        """How the properties can be violated."""
        return [p for checked in properties for p in concrete_patterns(self, checked)]

    def violates(self, state: Joint, pattern: ErrorPattern[Global, Local]) -> bool:
        """Whether a state violates a property in some way; deadlocks depend on the stacks."""
        if isinstance(pattern, DeadlockPattern):
            return pattern.in_state(state)
        return pattern.violated(state.g, state.locals)

    def can_step(self, t: Role, g: Global, l: Local) -> bool:
        """Whether a thread can do something; one inside a procedure always has a caller."""
        return (
            bool(self.step(t, g, l))
            or next(self.push(t, g, l), None) is not None
            or any(self.code[t].values(e)(t, (), l)[0] for e in self._returns[self.location(l)])
        )

    def accesses(self, t: Role, g: Global, l: Local) -> list[tuple[int, bool, bool]]:
        """The shared cells a thread's enabled steps touch: slot, written, synchronising."""
        key = (t, g, l)
        known = self._accesses.get(key)
        if known is None:
            known = self._accesses[key] = self.fresh_accesses(t, g, l)
        return known

    def fresh_accesses(self, t: Role, g: Global, l: Local) -> list[tuple[int, bool, bool]]:
        """The same, not remembered."""
        found: dict[tuple[int, bool, bool], None] = {}
        code = self.code[t]
        for choices, *_ in self.paths(t, g, l):
            at_g, at_l = g, l
            for choice in choices:
                edge = self.program.edges[choice.edge]
                touched = code.accesses(edge)(t, at_g, at_l) or ()
                for slot, written in touched:
                    sync = edge.sync or self.memory.is_sync(at_g, slot)
                    found[slot, written, sync] = None
                if len(choices) > 1:
                    at_g, at_l = next(
                        (after, moved)
                        for values, after, moved in code.fire(edge)(t, at_g, at_l)
                        if values == choice.values
                    )
        return list(found)

    # -- whole states ----------------------------------------------------------------------------

    def joint_initial(self) -> Iterator[Joint]:
        """The initial states."""
        locals_ = tuple(self._initial_local(t) for t in self.roles)
        for g in self._initial_globals():
            yield JointState(g, locals_, tuple(() for _ in self.roles))

    def normalise(self, state: Joint) -> Joint:
        """Renumber the heap; without one every state is its own representative."""
        if not self.has_heap or not state.g[-1]:
            return state
        memory = self.memory
        heap: Heap = state.g[-1]  # type: ignore[assignment]  # the heap
        order = memory.order(heap, self._roots(state))
        if len(order) == len(heap) and all(new == old for old, new in order.items()):
            return state
        objects = tuple(
            (heap[old][0], heap[old][1], memory.renamed(heap[old][2], order)) for old in order
        )
        return JointState(
            (*memory.renamed(state.g[:-1], order), objects),  # type: ignore[arg-type]
            tuple(memory.renamed(l, order) for l in state.locals),
            tuple(
                tuple(Frame(f.call, memory.renamed(f.locals, order)) for f in stack)
                for stack in state.stacks
            ),
        )

    def _roots(self, state: Joint) -> Iterator[Value]:
        yield from state.g[:-1]
        for l, stack in zip(state.locals, state.stacks, strict=True):
            yield from l
            for frame in stack:
                yield from frame.locals

    def is_stopped(self, l: Local) -> bool:
        """Whether a thread has failed."""
        return self._failed[self.location(l)]

    def limit(self, l: Local) -> str | None:
        """Why the model ends here."""
        failure = self.program.locations[self.location(l)].failure
        if failure is None or not failure.kind.is_limit:
            return None
        return failure.message

    def reference_state(self, state: Joint) -> State:
        """The state in the reference semantics."""
        return State(
            self.reference_global(state.g),
            tuple(
                self.reference_local(t, l) for t, l in zip(self.roles, state.locals, strict=True)
            ),
            tuple(tuple(ReferenceFrame(*frame) for frame in stack) for stack in state.stacks),
        )

    def reference_global(self, g: Global) -> GlobalStore:
        """A shared store in the reference semantics."""
        if not self.has_heap:
            return GlobalStore(g)
        return GlobalStore(g[:-1], self.memory.reference_heap(g))

    def reference_local(self, t: Role, l: Local) -> LocalStore:
        """A local store in the reference semantics."""
        kept = 1 + self.code[t].kept
        return LocalStore(self.location(l), l[1:kept], l[kept:])
