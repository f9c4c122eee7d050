"""What all bodies of one program have in common, and the facts passed from round to round.

Lowering is repeated until there are no new facts. A round assumes `Facts` and notes what it
meets: a local variable whose address really escapes (so that it must live in memory), how many
threads a function can be started for, that a function is recursive. Facts only grow, so this ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property

from threadwise.analyses.uses import Uses
from threadwise.core.doubts import Doubt
from threadwise.core.memory_orders import AccessOrder, MemoryOrders
from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.core.source import SourceFile, Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.origins import Origins
from threadwise.frontends.c.lower.values.order import Order
from threadwise.frontends.c.lower.values.requirements import Requirements
from threadwise.frontends.c.lower.values.types import (
    FUNCTION,
    Types,
    Unrepresentable,
    is_flexible,
)
from threadwise.frontends.c.lower.whole import WholeText
from threadwise.frontends.c.options import COptions
from threadwise.frontends.c.types import (
    CArray,
    CInteger,
    CRecord,
    CType,
    unqualified,
)
from threadwise.ir.commands import Action
from threadwise.ir.constant_objects import FUNCTION as FUNCTION_NAME
from threadwise.ir.constant_objects import LITERAL, is_literal
from threadwise.ir.expr import IndexPlace, Place, Scope, SelfId, Variable, VariablePlace
from threadwise.ir.pool import Pool
from threadwise.ir.program import DEFAULT, Initial, ListedValues
from threadwise.ir.types import POINTER, ArrayType, PerThread, Type

RELAXED_STORE, STRONG_READ = "relaxed_store", "strong_read"
SIZE_LIMIT = 60_000
"""How many edges inlining may produce before functions become procedures."""


@dataclass
class Facts:
    """What is known about the program from earlier rounds."""

    memory: dict[tree.Variable, None] = field(default_factory=dict)
    """Local and thread variables that live in memory."""
    slots: dict[str, int] = field(default_factory=dict)
    """How many threads each function is started for, at most."""
    procedures: dict[tree.Function, None] = field(default_factory=dict)
    """Functions that are called, not inlined."""
    pointed: dict[tree.Function, None] = field(default_factory=dict)
    """Functions whose address is a value of the running program."""
    entered: dict[tuple[str, int], None] = field(default_factory=dict)
    """Members that code goes to the record from: its key, and their offset."""
    ends: bool = False
    """Whether objects end while the program runs."""
    guessed: bool = False
    """Whether some memory may be for other objects than we take it for."""
    numbers: bool = False
    """Whether pointers hold numbers."""
    views: dict[CType, None] = field(default_factory=dict)
    """Types that pointers to other objects are converted to, without `void *`."""
    hidden: dict[CType, None] = field(default_factory=dict)
    """Types of objects that pointers of type `void *` lead to."""
    revealed: dict[CType, None] = field(default_factory=dict)
    """Types that pointers of type `void *` are converted to."""
    unclear: dict[tree.Variable, None] = field(default_factory=dict)
    """Variables with initial values that are no constants of ours."""

    @property
    def coarse(self) -> frozenset[CType]:
        """The types that objects of other types may be accessed as."""
        numbers = {t for t in self.revealed if isinstance(t, CInteger) and t not in self.hidden}
        return frozenset({*self.views, *numbers})

    def says(self, other: Facts) -> bool:
        """Whether a round that assumes these facts is the same as with others.

        Of conversions between pointers a round only asks which types are `coarse`.
        """
        alike = replace(other, views=self.views, hidden=self.hidden, revealed=self.revealed)
        return self == alike and self.coarse == other.coarse

    def copy(self) -> Facts:
        """Facts to add to."""
        return replace(
            self,
            memory=dict(self.memory),
            slots=dict(self.slots),
            procedures=dict(self.procedures),
            pointed=dict(self.pointed),
            entered=dict(self.entered),
            views=dict(self.views),
            hidden=dict(self.hidden),
            revealed=dict(self.revealed),
            unclear=dict(self.unclear),
        )


@dataclass
class GlobalObject:
    """A global variable of the IR and where it comes from."""

    variable: Variable
    source: tree.Variable | None = None
    initial: Initial = DEFAULT
    """Its content, if it does not come from an initialiser."""
    text: tree.Initialiser | None = None
    """The initialiser of a local variable that is made global."""
    copies: int = 1
    """How many elements there are, for one per thread."""


_WOKEN = {
    "pthread_cond_wait": ("pthread_cond_signal", "pthread_cond_broadcast"),
    "cnd_wait": ("cnd_signal", "cnd_broadcast"),
    "sem_wait": ("sem_post",),
}
"""Functions that wait without a limit, and those that end it."""


class Unit:
    """One round."""

    def __init__(
        self,
        program: tree.Program,
        options: COptions,
        sources: Mapping[str, SourceFile],
        facts: Facts,
        order: Order | None = None,
        origins: Origins | None = None,
        earlier: Unit | None = None,
    ) -> None:
        self.program = program
        self.options = options
        self.sources = sources
        self.facts = facts
        self.found = facts.copy()
        self.types = Types(program.records, program.pointer_width, longer_records(program))
        self.objects: dict[str, GlobalObject] = {}
        """All globals met so far, by name."""
        self.unset: set[Variable] = set()
        """Globals that may hold memory never written."""
        self.order = order or Order(program)
        self.origins = origins or Origins(program, program.functions.values())
        self.requirements = Requirements(self.unset, ends=facts.ends, numbers=facts.numbers)
        self.assumptions: dict[str, None] = {}
        self.doubts: dict[Doubt, None] = {}
        """Where something may happen that users doubt, allowed or not."""
        self.main_locals: dict[str, None] = {}
        """Globals that are local variables of `main`, and pointers to such on the heap."""
        self.unknown: dict[tree.Function, dict[Span, None]] = {}
        """Functions without a description, and where they are called."""
        self.orders: dict[str, None] = {}
        """Whether there are relaxed stores, atomic reads that are not relaxed, and fences."""
        self.accesses: dict[Span, AccessOrder | None] = {}
        """The orders of atomic accesses; None where others are beside them, or not known."""
        self.approximated: set[Span] = set()
        """Where any value stands for one that C determines."""
        self.assertions: dict[str, tuple[Span, str]] = {}
        self.pools: dict[str, Pool] = {}
        self.functions: dict[Variable, tree.Function] = {}
        """The functions behind the objects that stand for them."""
        self.thread_variables: dict[str, tuple[Variable, tree.Variable]] = {}
        self.results: dict[str, Variable] = {}
        """The variables of each thread that aggregates come back in from procedures."""
        self._by_source: dict[tree.Variable, Variable] = {}
        self._strings: dict[tuple[int, ...], Variable] = {}
        self.edges = 0
        self.actions: dict[Action, Action] = {} if earlier is None else earlier.actions
        """What edges do: those that do the same share one object, in all rounds."""
        self.uses: Uses = Uses() if earlier is None else earlier.uses
        self.whole: WholeText = WholeText(program) if earlier is None else earlier.whole

    def note_access(self, span: Span | None, order: AccessOrder | None) -> None:
        """An atomic region, and what order it has if it is an access of the program."""
        if span is not None:
            self.accesses[span] = order if self.accesses.get(span, order) == order else None

    @property
    def pointed(self) -> tuple[tree.Function, ...]:
        """The functions whose address is a value, as far as is known: in this round, too.

        In the last round that is what was known before: nothing is found there. In others code
        that comes later is lowered as in the round after, and fewer rounds are needed.
        """
        return tuple(self.found.pointed)

    @property
    def memory_orders(self) -> MemoryOrders:
        """What orders threads, beside locks and other functions."""
        known = {span: order for span, order in self.accesses.items() if order is not None}
        return MemoryOrders(known, "release_fence" in self.orders, "acquire_fence" in self.orders)

    @cached_property
    def idle(self) -> frozenset[str]:
        """The functions in which threads may wait forever.

        Functions of `--entry` may always be called once more: what waits at a condition variable
        or a semaphore waits for a call that is still to come, if any function wakes it up.
        """
        found = set(self.options.idle)
        if self.options.entry and not self.options.entry_init:
            known = self.program.functions
            found |= {wait for wait, ends in _WOKEN.items() if any(end in known for end in ends)}
        return frozenset(found)

    @cached_property
    def coarse_types(self) -> frozenset[Type]:
        """The types that objects of other types may be accessed as."""
        found: set[Type] = set()
        for held in self.facts.coarse:
            with suppress(Unrepresentable):
                found.add(self.types.of(held))
        return frozenset(found)

    # -- globals ---------------------------------------------------------------------------------

    def variable(self, source: tree.Variable) -> Variable:
        """The global for a variable with static storage."""
        if source not in self._by_source:
            own = f"{source.name}$" if is_literal(source.name) else source.name
            name = self._fresh(own)
            held = self.types.of(source.type)
            self._by_source[source] = Variable(name, held, Scope.GLOBAL)
            self.objects[name] = GlobalObject(self._by_source[source], source)
        return self._by_source[source]

    def shared(self, name: str, held: Type, initial: Initial = DEFAULT) -> Variable:
        """A global of our own."""
        variable = Variable(self._fresh(name), held, Scope.GLOBAL)
        self.objects[variable.name] = GlobalObject(variable, initial=initial)
        return variable

    def kept_by_callers(self, what: str) -> Variable:
        """A cell in which callers of entry functions keep a pointer for each other."""
        name = f"kept {what}"
        if name not in self.objects:
            variable = Variable(name, POINTER, Scope.GLOBAL, sync=True)
            self.objects[name] = GlobalObject(variable)
        return self.objects[name].variable

    def string(self, literal: tree.StringLiteral) -> Variable:
        """The array of a string literal."""
        if literal.characters not in self._strings:
            held = self.types.of(literal.type)
            name = f"{LITERAL}{len(self._strings) + 1}"
            values = ListedValues(tuple(literal.characters))
            self._strings[literal.characters] = self.shared(name, held, values)
        return self._strings[literal.characters]

    def function(self, function: tree.Function) -> Variable:
        """The object that stands for a function."""
        name = f"{FUNCTION_NAME}{function.name}"
        if name not in self.objects:
            variable = Variable(name, FUNCTION, Scope.GLOBAL, sync=True)
            self.objects[name] = GlobalObject(variable)
            self.functions[variable] = function
        return self.objects[name].variable

    def _fresh(self, name: str) -> str:
        if name not in self.objects:
            return name
        count = 2
        while f"{name}${count}" in self.objects:
            count += 1
        return f"{name}${count}"

    def thread_variable(self, source: tree.Variable) -> Variable:
        """The variable of each thread for one with thread storage."""
        name = source.name
        if name not in self.thread_variables:
            held = self.types.of(source.type)
            self.thread_variables[name] = (Variable(name, held, Scope.THREAD), source)
        return self.thread_variables[name][0]

    def returned(self, function: tree.Function) -> Variable:
        """The variable of each thread that an aggregate comes back in from a procedure."""
        name = f"{function.name}.returned$"
        if name not in self.results:
            held = self.types.of(function.type.result)
            self.results[name] = Variable(name, held, Scope.THREAD)
        return self.results[name]

    def per_thread(self, source: tree.Variable, template: str) -> Place:
        """The element that a thread of a template has of a thread variable in memory."""
        name = f"{source.name}.{template}"
        if name not in self.objects:
            held = ArrayType(self.types.of(source.type), PerThread(template))
            variable = Variable(name, held, Scope.GLOBAL)
            copies = 1 if template == "main" else max(1, self.facts.slots.get(template, 1))
            self.objects[name] = GlobalObject(variable, source, copies=copies)
        return IndexPlace(VariablePlace(self.objects[name].variable), SelfId())

    # -- threads ---------------------------------------------------------------------------------

    def pool(self, function: tree.Function) -> Pool:
        """The threads that run a function."""
        if function.name not in self.pools:
            slots = max(1, self.facts.slots.get(function.name, 1))
            argument = Variable("argument", POINTER, Scope.LOCAL)
            self.pools[function.name] = Pool.of(function.name, slots, (argument,), POINTER)
        return self.pools[function.name]

    # -- notes -----------------------------------------------------------------------------------

    def assume(self, text: str) -> None:
        """Note something that the verdict relies on."""
        self.assumptions[text] = None

    def note_unknown(self, function: tree.Function, span: Span | None) -> None:
        """Note a call of a function without a description."""
        places = self.unknown.setdefault(function, {})
        if span is not None:
            places[span] = None

    def text(self, span: Span) -> str:
        """The source text of a span, on one line."""
        source = self.sources.get(span.path)
        if source is None:
            return ""
        lines = [source.line(number) for number in range(span.line, span.end_line + 1)]
        if not lines:
            return ""
        lines[-1] = lines[-1][: span.end_column - 1]
        lines[0] = lines[0][span.column - 1 :]
        return " ".join(" ".join(lines).split())


def longer_records(program: tree.Program) -> frozenset[str]:
    """The records of which a variable has elements in the array without length at its end."""
    found: set[str] = set()
    for variable in program.variables.values():
        pending = [(variable.type, variable.initial)]
        while pending:
            held, initial = unqualified(pending[-1][0]), pending.pop()[1]
            if not isinstance(initial, tree.AggregateInitial):
                continue
            for position, part in initial.elements:
                if isinstance(held, CArray):
                    pending.append((held.element, part))
                elif isinstance(held, CRecord) and held.key in program.records:
                    field_ = program.records[held.key].fields[position]
                    if is_flexible(field_.type):
                        found.add(held.key)
                    pending.append((field_.type, part))
    return frozenset(found)
