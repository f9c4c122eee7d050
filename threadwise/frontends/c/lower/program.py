"""The whole program: rounds of lowering, the numbering of globals, properties."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

from threadwise.analyses.components import components
from threadwise.analyses.uses import Uses
from threadwise.core.doubts import Doubt
from threadwise.core.errors import InputError
from threadwise.core.memory_orders import MemoryOrders
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.core.source import SourceFile, Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower import guessing, inlining, threads
from threadwise.frontends.c.lower.arguments import arguments_of
from threadwise.frontends.c.lower.body import Body
from threadwise.frontends.c.lower.early import let_stores_be_early
from threadwise.frontends.c.lower.entries import CALLER, add_caller, call_for_ever, set_up
from threadwise.frontends.c.lower.graph import Arc, Graph
from threadwise.frontends.c.lower.known_checks import leave_out_known_failures
from threadwise.frontends.c.lower.liveness import Liveness, declared_variables, settle_declarations
from threadwise.frontends.c.lower.origins import Origins
from threadwise.frontends.c.lower.procedures import procedure_body
from threadwise.frontends.c.lower.regions import settle_regions
from threadwise.frontends.c.lower.storage.initial_values import (
    compute,
    initial_cells,
    mentioned,
    resolve,
)
from threadwise.frontends.c.lower.unit import RELAXED_STORE, STRONG_READ, Facts, GlobalObject, Unit
from threadwise.frontends.c.lower.values.order import Order
from threadwise.frontends.c.lower.values.types import Unrepresentable
from threadwise.frontends.c.options import COptions
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.check.indeterminate import Listed
from threadwise.ir.commands import Free
from threadwise.ir.expr import Expr, IntToPointer, Scope, VariablePlace
from threadwise.ir.fold import root
from threadwise.ir.mentions import mentioned_places
from threadwise.ir.pool_cells import STATUS
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    Failure,
    FailureKind,
    Initial,
    ListedValues,
    Program,
    Template,
)
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    PropertyKind,
    RaceProperty,
)
from threadwise.ir.types import PointerType, is_scalar

MAIN = "main"
ORDERED = "weaker memory orders behave like memory_order_seq_cst"
LOCAL = "uses nothing but what it is given, changes no lock and starts no thread"
_SETTLING = 6
"""After so many rounds numbers of threads do not become smaller again."""
_EXACT_LIMIT = 64
"""So many threads of one function are counted exactly."""


@dataclass(frozen=True)
class Lowered:
    """The program of record, and what its meaning relies on."""

    program: Program
    assumptions: tuple[str, ...]
    approximated: frozenset[Span]
    """Where any value stands for one that C determines."""
    uses: Uses
    """What is known about its edges."""
    doubts: tuple[Doubt, ...] = ()
    """Where something may happen that users doubt, allowed or not."""
    main_locals: tuple[str, ...] = ()
    """What holds local variables of `main`, or leads to them."""
    orders: MemoryOrders = field(default_factory=MemoryOrders)
    """Those of atomic accesses."""
    indeterminate: Listed = field(default_factory=dict)
    """Where variables hold values that nothing may read: verified before anything is proved."""


def lower(
    program: tree.Program,
    options: COptions,
    sources: Mapping[str, SourceFile],
    name: str = "program",
) -> Lowered:
    """Give a C program its meaning; raises InputError if there is nothing to run.

    Facts about variables, functions and members only become more, and there are finitely many.
    Numbers of threads may change both ways at first; then they only grow, and have a bound.
    """
    facts, order = Facts(), Order(program)
    named = (*options.entry_init, *options.entry) or (MAIN,)
    roots = [program.functions[n] for n in named if n in program.functions]
    if options.entry_init and not options.entry:
        raise InputError.of("--entry-init names what runs before functions of --entry: name some")
    if options.entry_init and roots:
        add_caller(program, roots[0])
    origins = Origins(program, roots)
    facts.procedures.update(inlining.procedures(program, roots, origins))
    if not options.entry and roots:
        facts.slots.update(guessing.threads_of(program, roots[0]))
    unit: Unit | None = None
    for count in itertools.count():
        unit = Unit(program, options, sources, facts, order, origins, earlier=unit)
        round_ = _Round(unit)
        round_.run()
        if count == 0:
            round_.unit.found.slots.clear()  # they were guessed
        found = round_.found(settled=count >= _SETTLING)
        if facts.says(found):
            break
        facts = found
    return round_.finish(name)


class _Round:
    """One round over all bodies."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.bodies: dict[str, Body] = {}
        self.constants = Body(unit, "constants", single=False)
        self.cells: dict[str, list[Expr]] = {}
        self._asked: dict[str, None] = {}
        """The procedures that bodies call, in the order of the first call."""
        self._gathered = 0
        """Of so many bodies the calls are known."""

    def run(self) -> None:
        unit = self.unit
        if unit.options.entry_init:
            body = self._body(MAIN, Body(unit, MAIN, single=True))
            set_up(self._with_unclear_values(body))
        elif unit.options.entry:
            body = self._body(CALLER, Body(unit, CALLER, single=False))
            call_for_ever(self._with_unclear_values(body))
        else:
            main = unit.program.functions.get(MAIN)
            if main is None or main.body is None:
                raise InputError.of("no function `main`; name functions with --entry")
            body = self._body(MAIN, Body(unit, MAIN, single=True))
            _run_main(self._with_unclear_values(body), main)
        while True:
            started = [n for n in unit.pools if f"thread {n}" not in self.bodies]
            first = next(itertools.chain(started, self._called()), None)
            if first is None:
                break
            self._function(first)
        for body in self.bodies.values():
            let_stores_be_early(body)
            settle_regions(body.graph)
            body.graph.prune()
            self._settle(body)
        cells = [self._cells(unit.objects[name]) for name in self._numbers(self._used())]
        for cell in itertools.chain(self._own_cells(), *cells):
            self._note_function(mentioned(cell))
            unit.found.numbers |= isinstance(cell, IntToPointer)

    def _note_function(self, name: str | None) -> None:
        """A function whose address is an initial value may be called through a pointer."""
        if name is not None:
            function = self.unit.functions.get(self.unit.objects[name].variable)
            if function is not None:
                self.unit.found.pointed[function] = None

    def _body(self, key: str, body: Body) -> Body:
        self.bodies[key] = body
        return body

    def _function(self, name: str) -> None:
        unit = self.unit
        function = unit.program.functions[name]
        if name in unit.pools and f"thread {name}" not in self.bodies:
            single = unit.pool(function).slots == 1
            body = Body(unit, name, single=single, pool=name)
            self._body(f"thread {name}", body)
            if name == CALLER and unit.options.entry:
                threads.begin(body, function)
                call_for_ever(body)
            else:
                threads.thread_body(body, function)
        if name in self._called():
            del self._asked[name]
            body = Body(unit, name, single=False, procedure=True)
            procedure_body(self._body(f"procedure {name}", body), function)

    def _called(self) -> dict[str, None]:
        """The procedures that are called and have no body yet; bodies are complete here."""
        for body in itertools.islice(self.bodies.values(), self._gathered, None):
            for function, _ in body.called:
                if f"procedure {function.name}" not in self.bodies:
                    self._asked[function.name] = None
        self._gathered = len(self.bodies)
        return self._asked

    def _settle(self, body: Body) -> None:
        """List undefined values never read; what is left of aggregates must be in memory."""
        declared = declared_variables(body.graph)
        liveness = Liveness(body.graph, declared, self.unit.uses)
        for variable in settle_declarations(body.graph, liveness):
            if not is_scalar(variable.type) or isinstance(variable.type, PointerType):
                owner = body.owners.get(variable)
                if owner is not None:
                    self.unit.found.memory[owner] = None
        body.graph.prune()

    def found(self, *, settled: bool) -> Facts:
        """The facts of this round, the number of threads included."""
        unit = self.unit
        found = unit.found
        counts: dict[str, int | None] = {}
        runs = self._runs()
        for key, body in self.bodies.items():
            times = runs[key]
            for function, each in body.spawned:
                known = counts.setdefault(function.name, 0)
                if known is None or each is None or times is None:
                    counts[function.name] = None
                else:
                    counts[function.name] = known + each * times
        most = unit.options.max_threads
        for name, count in counts.items():
            exact = count is not None and count <= _EXACT_LIMIT
            slots = count if exact and count is not None else most
            before = unit.facts.slots.get(name, 0)
            if settled:
                slots = before if slots <= before else max(slots, most)
            found.slots[name] = slots
        return found

    def _runs(self) -> dict[str, int | None]:
        """How often each body runs at most, in all threads together; None: not known."""
        found: dict[str, int | None] = dict.fromkeys(self.bodies)
        for key, body in self.bodies.items():
            if key == MAIN:
                found[key] = 1
            elif key.startswith("thread "):
                found[key] = self.unit.pool(self.unit.program.functions[body.name]).slots
        calls: dict[str, list[tuple[str, int | None]]] = {}
        for key, body in self.bodies.items():
            for function, each in body.called:
                calls.setdefault(f"procedure {function.name}", []).append((key, each))
        for name in _callers_first(self.bodies):
            times: int | None = 0
            for key, each in calls.get(name, ()):
                known = found[key]
                exact = known is not None and each is not None and times is not None
                times = times + known * each if exact else None  # type: ignore[operator]
            found[name] = times
        return found

    # -- the finished program --------------------------------------------------------------------

    def finish(self, name: str) -> Lowered:
        unit = self.unit
        for body in self.bodies.values():
            leave_out_known_failures(body.graph)
            body.graph.prune()
        builder = ProgramBuilder(name)
        if unit.pools:
            builder.enum(STATUS)
        used = self._used()
        numbers = self._numbers(used)
        for number_ in numbers:
            known = unit.objects.get(number_)
            if known is not None:
                builder.declare([Declaration(known.variable, self._initial(known, numbers))])
        for pool in unit.pools.values():
            builder.declare(pool.declarations)
        names = self._assertions()
        if {False, True} <= {arc.sync for arc in self._ends()}:
            unit.assume("free is not given the address of a local variable")
        for key, body in self.bodies.items():
            called = f"procedure {body.name}" in self.bodies
            own = (
                body.name if not called or key.startswith("procedure ") else f"{body.name}$thread"
            )
            procedure = builder.procedure(own, body.parameters, body.result)
            for variable in body.used_locals():
                procedure.local(variable.name, variable.type)
            _doubt_memory(body.graph, unit.approximated)
            body.graph.emit(procedure, names)
            if not key.startswith("procedure "):
                builder.template(self._template(key, body, own, numbers))
        for checked in self._properties(names):
            builder.property(checked)
        if {RELAXED_STORE, STRONG_READ} <= unit.orders.keys():
            unit.assume(ORDERED)
        for function, places in unit.unknown.items():
            shown = ", ".join(dict.fromkeys(f"{span.path}:{span.line}" for span in places))
            unit.assume(f"{function.shown} ({shown}) {LOCAL}")
        record = builder.build()
        return Lowered(
            record,
            tuple(unit.assumptions),
            frozenset(unit.approximated),
            unit.uses,
            tuple(unit.doubts),
            tuple(unit.main_locals),
            unit.memory_orders,
            builder.indeterminate(),
        )

    def _ends(self) -> Iterable[Arc]:
        """The arcs that end objects: those of local variables are no accesses of the program."""
        for body in self.bodies.values():
            yield from (arc for arc in body.graph.arcs if isinstance(arc.action, Free))

    def _template(self, key: str, body: Body, own: str, numbers: Mapping[str, int]) -> Template:
        unit = self.unit
        variables = tuple(
            Declaration(variable, self._listed(source, numbers))
            for variable, source in unit.thread_variables.values()
        )
        variables += tuple(Declaration(variable) for variable in unit.results.values())
        if key == MAIN:
            return Template(MAIN, 1, own, variables)
        if key == CALLER:
            return Template(CALLER, None, own, variables)
        pool = unit.pools[body.name]
        return Template(body.name, pool.slots, own, variables, pool=True)

    def _listed(self, source: tree.Variable, numbers: Mapping[str, int]) -> Initial:
        cells = self._constants(source, source.initial)
        return ListedValues(tuple(resolve(cell, numbers) for cell in cells)) if cells else DEFAULT

    def _used(self) -> list[str]:
        """The globals that the code mentions, in the order of the first mention."""
        found: dict[str, None] = {}
        for body in self.bodies.values():
            for arc in body.graph.arcs:
                used = self.unit.uses.of(arc)
                shared = used.read_globals | used.written_globals | used.addressed
                if shared <= found.keys():
                    continue
                for base in map(root, mentioned_places(arc)):
                    if isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL:
                        found[base.variable.name] = None
        return [name for name in found if name in self.unit.objects]

    def _numbers(self, used: list[str]) -> dict[str, int]:
        """The globals with those whose addresses are initial values, numbered."""
        unit = self.unit
        wanted = dict.fromkeys(used)
        addressed = map(mentioned, self._own_cells())
        wanted.update((other, None) for other in addressed if other is not None)
        pending = list(wanted)
        while pending:
            name = pending.pop(0)
            for cell in self._cells(unit.objects[name]):
                other = mentioned(cell)
                if other is not None and other not in wanted:
                    wanted[other] = None
                    pending.append(other)
        order = {variable.name: i for i, variable in enumerate(unit.program.variables.values())}
        names = sorted(wanted, key=lambda n: order.get(n, len(order)))
        return {name: position for position, name in enumerate(names)}

    def _own_cells(self) -> Iterator[Expr]:
        """The initial values of variables that each thread has for itself."""
        for _, source in list(self.unit.thread_variables.values()):
            yield from self._constants(source, source.initial)

    def _cells(self, known: GlobalObject) -> list[Expr]:
        name = known.variable.name
        if name not in self.cells:
            cells: list[Expr] = []
            if known.source is not None:
                initial = known.source.initial if known.text is None else known.text
                cells = self._constants(known.source, initial)
            self.cells[name] = cells
        return self.cells[name]

    def _constants(self, source: tree.Variable, initial: tree.Initialiser | None) -> list[Expr]:
        """The initial values of a variable; those that are no constants here are noted."""
        cells, parts = initial_cells(self.constants, initial, source.type)
        if parts:
            self.unit.found.unclear[source] = None
        return cells

    def _with_unclear_values(self, body: Body) -> Body:
        """The first thread computes initial values that are no constants here before all else.

        Of what each thread has for itself, and where there is no first thread, they are a limit.
        """
        for source in self.unit.facts.unclear:
            body.span, body.text = source.span, f"{source.shown} is initialised"
            if body.name != MAIN or source.storage is not tree.Storage.GLOBAL:
                body.limit(f"the initial value of `{source.shown}`")
                continue
            initial = source.initial
            assert initial is not None
            _, parts = initial_cells(self.constants, initial, source.type)
            try:
                place = VariablePlace(self.unit.variable(source))
                compute(body, place, initial, source.type, parts)
            except Unrepresentable as refused:
                body.limit(str(refused))
        return body

    def _initial(self, known: GlobalObject, numbers: Mapping[str, int]) -> Initial:
        if known.source is None or known.initial != DEFAULT:
            return known.initial
        cells = self._cells(known)
        values = tuple(resolve(cell, numbers) for cell in cells) * known.copies
        return ListedValues(values) if values else DEFAULT

    def _assertions(self) -> dict[str, str]:
        """Names of the assertions: `assert:LINE`, with more where that is not unique.

        Those of claims, which attributes make, are `claim:LINE`.
        """
        unit = self.unit
        lines: dict[tuple[str, int], list[str]] = {}
        for key, (span, _) in unit.assertions.items():
            lines.setdefault((key.partition(" ")[0], span.line), []).append(key)
        names: dict[str, str] = {}
        for key, (span, _) in unit.assertions.items():
            word = key.partition(" ")[0]
            name, like = f"{word}:{span.line}", lines[word, span.line]
            if len(like) > 1:
                paths = {unit.assertions[k][0].path for k in like}
                name = f"{name}:{span.column}" if len(paths) == 1 else f"{word}:{span}"
            names[key] = name
        return names

    def _properties(
        self, names: Mapping[str, str]
    ) -> Iterable[FailureProperty | RaceProperty | DeadlockProperty]:
        spans = self.unit.assertions
        for key in sorted(names, key=lambda k: spans[k][0]):
            yield FailureProperty(names[key], PropertyKind.ASSERTION, spans[key][0])
        if not names:
            # That no assertion fails is still to be proved: one may hide behind a limit.
            yield FailureProperty("assertions", PropertyKind.ASSERTION)
        yield FailureProperty("mutex", PropertyKind.MUTEX)
        yield FailureProperty("memory", PropertyKind.MEMORY, default=False)
        yield RaceProperty("races", None)
        yield DeadlockProperty("deadlocks")


def _callers_first(bodies: Mapping[str, Body]) -> list[str]:
    """The procedures that do not call themselves, each after all that call it."""
    called = {
        key: list(dict.fromkeys(f"procedure {f.name}" for f, _ in body.called))
        for key, body in bodies.items()
    }
    cycles = {key for part in components(called) for key in part}
    callers: dict[str, set[str]] = {key: set() for key in bodies}
    for key, each in called.items():
        for name in each:
            callers[name].add(key)
    ordered: list[str] = []
    done = {key for key in bodies if not key.startswith("procedure ")}
    while True:
        ready = [k for k in bodies if k not in done and k not in cycles and callers[k] <= done]
        if not ready:
            return ordered
        ordered += ready
        done |= set(ready)


def _run_main(body: Body, main: tree.Function) -> None:
    body.span, body.text = main.span, "main starts"
    threads.run(body, main, arguments_of(body, main), converted=True)
    threads.main_ends(body)
    threads.at_end(body)
    body.end()


def _doubt_memory(graph: Graph, approximated: AbstractSet[Span]) -> None:
    """Where any value stands for another, what leaves memory need not do so in the source."""
    for point in graph.points:
        failure = point.failure
        if (
            failure is not None
            and failure.kind is FailureKind.MEMORY
            and point.span in approximated
        ):
            point.failure = Failure(FailureKind.UNDEFINED, "", failure.message)
