"""One procedure under construction: where we are, the activations around us, and steps.

A `Body` is lowered in one go: `at` is the node that has been reached, `step` adds an edge from
there. Functions are inlined: each inlined activation is a `Frame` with its own variables.
"""

from __future__ import annotations

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.lower.beyond import go_on_coarsely
from threadwise.frontends.c.lower.calls import Calls
from threadwise.frontends.c.lower.graph import Access, Arc, Graph
from threadwise.frontends.c.lower.intrinsics import Intrinsics
from threadwise.frontends.c.lower.statements import Statements
from threadwise.frontends.c.lower.storage.members import Members
from threadwise.frontends.c.lower.storage.memory import Memory
from threadwise.frontends.c.lower.storage.places import Places
from threadwise.frontends.c.lower.survey import Survey
from threadwise.frontends.c.lower.unit import Unit
from threadwise.frontends.c.lower.values.arithmetic import NULL_POINTER, opposite
from threadwise.frontends.c.lower.values.choices import Choices
from threadwise.frontends.c.lower.values.conversions import Conversions
from threadwise.frontends.c.lower.values.expressions import Expressions
from threadwise.frontends.c.lower.values.operators import Operators
from threadwise.frontends.c.lower.values.order import Dependence
from threadwise.frontends.c.lower.values.requirements import (
    COARSE,
    MEMBER,
    MEMORY,
    UNDEFINED,
    UNWRITTEN,
    Requirement,
    holds_no_number,
    tags,
    with_marks,
)
from threadwise.frontends.c.lower.values.requirements import POINTER as BAD_POINTER
from threadwise.frontends.c.lower.values.types import Unrepresentable
from threadwise.frontends.c.lower.values.updates import Updates
from threadwise.frontends.c.types import CType
from threadwise.ir.commands import (
    IDLE,
    Action,
    Allocate,
    Assignment,
    Command,
    Free,
    Operation,
    Return,
)
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    DerefPlace,
    Expr,
    IntToPointer,
    IsValid,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    conjunction,
    is_shared,
    root,
    subexpressions,
)
from threadwise.ir.program import DEFAULT, Declaration, Failure, FailureKind
from threadwise.ir.types import POINTER, Type

UNION_ADDRESS = "the address of a member of a union"


@dataclass
class Heap:
    """A local variable on the heap: the pointer to it."""

    pointer: Variable
    held: Type


@dataclass
class Frame:
    """An activation of a function."""

    function: tree.Function
    survey: Survey
    outer: Frame | None
    exit: int
    single: bool
    """Whether this activation happens at most once in a run, by one thread."""
    bindings: dict[tree.Variable, Place | Expr] = field(default_factory=dict)
    heap: dict[tree.Variable, Heap] = field(default_factory=dict)
    result: Place | None = None
    tail: Expr | Place | None = None
    """The value of the only `return`, if that ends the function."""
    labels: dict[str, int] = field(default_factory=dict)
    breaks: list[int] = field(default_factory=list)
    continues: list[int] = field(default_factory=list)
    cases: list[dict[Same, int]] = field(default_factory=list)
    """For each switch around us the nodes of its labels, by the identity of the label."""
    span: Span | None = None
    """Where the user's code called a function of the library; None in the user's own code."""
    text: str = ""
    target: CType | None = None
    """What the result will point to, if the caller says so."""
    unnamed: tuple[tuple[tree.Expr, Expr | Place], ...] = ()
    """The arguments for which there are no parameters."""


class Body:
    """A procedure of the IR under construction."""

    def __init__(
        self,
        unit: Unit,
        name: str,
        *,
        single: bool,
        pool: str | None = None,
        procedure: bool = False,
    ) -> None:
        self.unit = unit
        self.name = name
        self.single = single
        self.pool = pool
        """The function whose threads run this; None for `main`, entries and procedures."""
        self.procedure = procedure
        """Whether this is called, by threads of any function."""
        self.graph = Graph()
        self.at = 0
        self.atomic = 0
        self.loops = 0
        self.times: int | None = 1
        """How often the code at hand runs at most, for each run of the body; None: unknown."""
        self.frame: Frame | None = None
        self.parameters: list[Variable] = []
        self.result: Type | None = None
        self.locals: dict[str, Declaration] = {}
        self.owners: dict[Variable, tree.Variable] = {}
        self.span: Span | None = None
        self.text = ""
        self.purpose: Operation | None = None
        """What the steps of the atomic region at hand are for that write shared memory."""
        self.access: Access | None = None
        """The atomic access at hand, if its order was given."""
        self._temporaries = 0
        self._alike: dict[str, int] = {}
        """How far names are counted that several local variables have."""
        self.spawned: list[tuple[tree.Function, int | None]] = []
        """The functions that threads are started with here, and how often at most."""
        self.called: list[tuple[tree.Function, int | None]] = []
        """The procedures that are called here, and how often at most."""
        self.places = Places(self)
        self.expressions = Expressions(self)
        self.conversions = Conversions(self)
        self.operators = Operators(self)
        self.choices = Choices(self)
        self.updates = Updates(self)
        self.calls = Calls(self)
        self.intrinsics = Intrinsics(self)
        self.memory = Memory(self)
        self.members = Members(self)
        self.statements = Statements(self)

    @property
    def here(self) -> Frame:
        """The innermost activation."""
        assert self.frame is not None
        return self.frame

    # -- variables -------------------------------------------------------------------------------

    def local(self, name: str, held: Type) -> Variable:
        """A new local variable; its name is made unique."""
        unique, count = name, self._alike.get(name, 1)
        while unique in self.locals:
            count += 1
            unique = f"{name}${count}"
        if count > 1:
            self._alike[name] = count
        variable = Variable(unique, held, Scope.LOCAL)
        self.locals[unique] = Declaration(variable, DEFAULT)
        return variable

    def temporary(self, held: Type) -> Variable:
        """A new local variable without a name of the user's."""
        self._temporaries += 1
        return self.local(f"t${self._temporaries}", held)

    def add_parameter(self, variable: Variable) -> None:
        """A parameter of the procedure."""
        self.parameters.append(variable)
        self.locals[variable.name] = Declaration(variable, DEFAULT)

    def variables(self) -> list[Variable]:
        """The parameters and local variables."""
        return [declaration.variable for declaration in self.locals.values()]

    def used_locals(self) -> list[Variable]:
        """The local variables that the code still mentions, without parameters."""
        used: set[str] = set()
        for arc in self.graph.arcs:
            found = self.unit.uses.of(arc)
            used |= found.read | found.written
        parameters = {variable.name for variable in self.parameters}
        return [v for v in self.variables() if v.name in used and v.name not in parameters]

    def thread_memory(self, source: tree.Variable) -> Place:
        """The place of a thread variable whose address is used: an array with one per thread."""
        if self.procedure or self.name not in (self.pool, "main"):
            raise Unrepresentable("the address of a thread variable in a procedure")
        return self.unit.per_thread(source, self.name)

    # -- steps -----------------------------------------------------------------------------------

    def node(self) -> int:
        """A new node, inside the atomic region if we are."""
        found = self.graph.node(atomic=self.atomic > 0)
        if self.unit.idle and self._is_idle():
            self.graph.points[found].labels.append(IDLE)
        return found

    def _is_idle(self) -> bool:
        """Whether we are inside a function in which threads may wait forever."""
        frame = self.frame
        while frame is not None:
            if frame.function.name in self.unit.idle:
                return True
            frame = frame.outer
        return False

    def aside(self, before: int) -> int:
        """A new node to lower something at that is put in its place, after another, later."""
        found = self.node()
        self.graph.points[found].reached = self.graph.points[before].reached
        return found

    def step(
        self,
        action: Action,
        *,
        operation: Operation | None = None,
        sync: bool = False,
        declares: bool = False,
        raw: bool = False,
    ) -> None:
        """One edge from where we are to a new node."""
        target = self.node()
        self.arc(target, action, operation=operation, sync=sync, declares=declares, raw=raw)
        self.at = target

    def arc(
        self,
        target: int,
        action: Action,
        *,
        operation: Operation | None = None,
        sync: bool = False,
        declares: bool = False,
        raw: bool = False,
        written: bool = False,
    ) -> None:
        """One edge from where we are; what is undefined about it leads to a limit first.

        That no other member of a union was written last does not count if it is read `raw`, nor
        does it become the one that was if it is written so; that nothing was written does not
        count if the guard says that something is `written`.
        """
        if isinstance(action, Command) and not raw:
            action = with_marks(action)
        self._note_addresses(action)
        needed = self.unit.requirements.of_action(action)
        if raw:
            needed = [item for item in needed if item[1] != MEMBER]
        if written:
            needed = [item for item in needed if item[1] != UNWRITTEN]
        passed = self.require(needed, sync=sync)
        if isinstance(action, Command) and operation is None:
            go_on_coarsely(self, needed, [(target, action)], sync=sync)
        if passed == FALSE:
            return
        guard = conjunction((passed, action.guard))
        if guard == FALSE:
            return
        if guard is not action.guard:
            action = replace(action, guard=guard)
        self.add(target, action, operation, sync=sync, declares=declares)

    def require(
        self, needed: list[Requirement], *, sync: bool = False, kind: FailureKind | None = None
    ) -> Expr:
        """Edges to a limit for what does not hold; the conjunction of all that is required."""
        passed: list[Expr] = []
        for condition, what in needed:
            wrong = conjunction((*passed, opposite(condition)))
            self.add(self.limit_node(what, kind), Command(wrong), sync=sync)
            if condition == FALSE:
                return FALSE
            if isinstance(condition, IsValid):  # which covers that it is an address, and valid
                covered = IsValid(condition.pointer), holds_no_number(condition.pointer)
                passed = [known for known in passed if known not in covered]
            passed.append(condition)
        return conjunction(passed)

    def add(
        self,
        target: int,
        action: Action,
        operation: Operation | None = None,
        *,
        sync: bool = False,
        declares: bool = False,
    ) -> None:
        """One edge from where we are, whose requirements are known to hold."""
        sync = sync or self.atomic > 0
        if operation is None and self.purpose is not None and _writes_shared(action):
            operation = self.purpose
        points = self.graph.points
        points[target].reached |= points[self.at].reached
        self.graph.arcs.append(
            Arc(
                self.at,
                target,
                self.unit.actions.setdefault(action, action),
                self.span,
                operation,
                sync,
                self.text,
                declares,
            )
        )

    def branch(self, condition: Expr, then: int, otherwise: int) -> None:
        """Go to one of two nodes; a condition known now takes no step."""
        if condition in (TRUE, FALSE):
            self.graph.jump(self.at, then if condition == TRUE else otherwise)
            return
        needed = [i for i in dict.fromkeys(self.unit.requirements.of(condition)) if i[0] != TRUE]
        passed = self.require(needed)
        self._note_addresses(Command(condition))
        ways = ((then, Command(condition)), (otherwise, Command(opposite(condition))))
        go_on_coarsely(self, needed, ways)
        for target, command in ways:
            self.add(target, Command(conjunction((passed, command.guard))))

    @property
    def is_dead(self) -> bool:
        """Whether nothing leads to where we are: what is lowered here is left out anyway."""
        return not self.graph.points[self.at].reached

    def goto(self, target: int) -> None:
        """Go on at a node without a step; what follows here is reached otherwise, if at all."""
        self.graph.jump(self.at, target)
        self.at = self.node()

    def move_to(self, target: int) -> None:
        """Go on at a node, and lower there what follows."""
        self.graph.jump(self.at, target)
        self.at = target

    def keep_order(self) -> None:
        """What is stored later is seen after all that was done up to here."""
        self.move_to(self.node())
        self.graph.ordered.add(self.at)

    def limit_node(self, what: str, kind: FailureKind | None = None) -> int:
        """The failure location for something that has no meaning in C, or that we do not model."""
        if kind is None:
            kind = FailureKind.UNDEFINED if what in UNDEFINED else FailureKind.LIMIT
            kind = FailureKind.CELLS if what in COARSE else kind
            if what in MEMORY:
                # Cells are less exact than bytes where code goes from a member to its record,
                # and where memory is allocated for objects of several types.
                facts = self.unit.facts
                exact = what != BAD_POINTER or not (facts.entered or facts.guessed)
                kind = FailureKind.MEMORY if exact else FailureKind.UNDEFINED
        name = "memory" if kind is FailureKind.MEMORY else ""
        return self.graph.failure(Failure(kind, name, self._placed(what)), self.span)

    def _placed(self, what: str) -> str:
        where = "" if self.span is None else f"{self.span.path}:{self.span.line}: "
        return f"{where}{what}"

    def limit(self, what: str) -> None:
        """Whatever follows here is not modelled; a step leads there, so a thread can begin so."""
        self.add(self.limit_node(what), Command())
        self.at = self.node()

    def note_order(self, expr: tree.Expr | tree.AggregateInitial) -> None:
        """Say where the result depends on the order of operands, in the user's own code."""
        if self.frame is None or self.frame.span is not None or self.span is None:
            return
        match self.unit.order.dependence(expr):
            case Dependence.OPEN:
                place = f"{self.span.path}:{self.span.line}"
                self.unit.assume(f"{place}: operands are evaluated from left to right")
            case Dependence.UNDEFINED:
                self.limit("two changes of one variable, neither before the other")
            case None:
                pass

    def end(self) -> None:
        """The program is over."""
        self.fail(Failure(FailureKind.END, "", "the program has ended"))

    def fail(self, failure: Failure) -> None:
        """Fail, or end the program, in a step of its own.

        It stops the other threads, so they must have had their chance after the step before.
        """
        self.arc(self.graph.failure(failure, self.span), Command())
        self.at = self.node()

    def _note_addresses(self, action: Action) -> None:
        """A local whose address is a value must live in memory; a function may be called."""
        for whole in action_expressions(action):
            self.note_addresses(whole)

    def note_addresses(self, whole: Expr) -> None:
        """The same for an expression, also one that no step of this round uses."""
        for part in subexpressions(whole):
            if isinstance(part, IntToPointer):
                self.unit.found.numbers = True
            if not isinstance(part, AddressOf):
                continue
            base = root(part.place)
            if isinstance(base, VariablePlace):
                self._note_address(base.variable)
            if next(tags(part.place), None) is not None:
                self.limit(UNION_ADDRESS)

    def _note_address(self, variable: Variable) -> None:
        found = self.unit.found
        if variable.scope is Scope.GLOBAL:
            function = self.unit.functions.get(variable)
            if function is not None:
                found.pointed[function] = None
        elif variable in self.owners:
            found.memory[self.owners[variable]] = None
        else:
            self.limit("the address of a temporary value")

    # -- leaving ---------------------------------------------------------------------------------

    def free_frames(self, *, all_frames: bool) -> None:
        """The local variables of activations that end here are gone."""
        frame: Frame | None = self.here
        while frame is not None:
            for heap in frame.heap.values():
                self.free_local(heap.pointer)
            frame = frame.outer if all_frames else None

    def free_local(self, pointer: Variable) -> None:
        """End the life of a local on the heap, if it was born."""
        held = Read(VariablePlace(pointer))
        alive = as_not_null(held)
        done = self.node()
        self.add(done, Command(opposite(alive)))
        freed = self.node()
        self.unit.found.ends = True
        self.add(freed, Free(alive, held), sync=True)
        self.at = freed
        self.add(
            done,
            Command(assignments=(Assignment(VariablePlace(pointer), NULL_POINTER),)),
        )
        self.at = done

    def allocate_local(self, heap: Heap, site: str, *, cleared: bool) -> None:
        """A fresh object for a local on the heap."""
        pointer = VariablePlace(heap.pointer)
        self.step(Allocate(TRUE, pointer, heap.held, site, None, cleared))
        if not cleared:
            self.memory.give_birth(DerefPlace(Read(pointer), heap.held))

    def heap_local(self, name: str, held: Type) -> Heap:
        """A local on the heap."""
        return Heap(self.local(f"{name}$address", POINTER), held)

    def leave(self, value: Expr | None) -> None:
        """Return from a procedure of the IR."""
        self._note_addresses(Return(value))
        self.add(self.at, Return(value))
        self.at = self.node()


def _writes_shared(action: Action) -> bool:
    return isinstance(action, Command) and any(map(is_shared, action_places(action)))


def as_not_null(pointer: Expr) -> Expr:
    """Whether a pointer is not null."""
    return Binary(BinaryOp.NE, pointer, NULL_POINTER)
