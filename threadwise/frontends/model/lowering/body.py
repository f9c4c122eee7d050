"""The control-flow graph of one body under construction.

Statements are translated in order. `Body.current` is the node reached so far, None where control
cannot arrive (after `return`, `goto`, an endless loop); statements found there get a node of their
own, so that reports can name them. Sequencing costs no step: it is done with jumps, which the
builder of the IR removes.

A `Frame` is what a `return`, a label or a local name refers to: that of the body itself, and one
more for each call that is being inlined because it lies in an atomic region.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.frontends.model.lowering.survey import BodySurvey, Region, Survey
from threadwise.frontends.model.reporter import Placed, Reporter
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.expressions import Expressions
from threadwise.frontends.model.typing.scopes import Scope
from threadwise.frontends.model.typing.symbols import BodySymbol, Symbols
from threadwise.frontends.model.typing.typed import Check, ModelLimit, Typed, TypedPlace
from threadwise.frontends.model.typing.types import DEFAULT
from threadwise.ir.builder import Node, ProcedureBuilder
from threadwise.ir.commands import Action, Command, Operation
from threadwise.ir.expr import Expr, Variable
from threadwise.ir.expr import Scope as VariableScope
from threadwise.ir.fold import conjunction, negation
from threadwise.ir.program import Declaration, Failure, FailureKind, Initial
from threadwise.ir.types import Type

RANGE = "range"
MUTEX = "mutex"


class Exit:
    """A node that is made when the first jump to it is."""

    def __init__(self, builder: ProcedureBuilder, *, atomic: bool, final: bool = False) -> None:
        self._builder = builder
        self._atomic = atomic
        self._final = final
        self.node: Node | None = None

    def reach(self) -> Node:
        """The node, which is needed from now on."""
        if self.node is None:
            self.node = self._builder.node(atomic=self._atomic, final=self._final)
        return self.node


@dataclass(frozen=True, slots=True)
class Loop:
    """Where `break` and `continue` lead."""

    after: Exit
    again: Exit


@dataclass
class Frame:
    """What names, labels and `return` refer to."""

    symbol: BodySymbol
    survey: BodySurvey
    expressions: Expressions
    end: Exit
    """Where the body of a thread or an inlined call ends."""
    inlined: bool = False
    target: TypedPlace | None = None
    """Where an inlined call leaves its result."""
    loops: list[Loop] = field(default_factory=list)
    labels: dict[str, Node] = field(default_factory=dict)

    @property
    def scope(self) -> Scope:
        """The local variables in sight."""
        return self.expressions.scope


class Body:
    """One procedure or thread body being translated."""

    def __init__(
        self,
        builder: ProcedureBuilder,
        symbol: BodySymbol,
        symbols: Symbols,
        survey: Survey,
        reporter: Reporter,
        exposed: frozenset[str] = frozenset(),
    ) -> None:
        self.builder = builder
        self.symbols = symbols
        self.survey = survey
        self.reporter = reporter
        self.exposed = exposed
        """Locals of a thread that invariants read: they live as long as the thread."""
        self.thread_variables: list[Declaration] = []
        self.region: Region | None = None
        self.current: Node | None = None
        self.inlining: list[str] = []
        self.inlined_calls = 0
        self.inlined_locals: dict[tuple[str, int], Variable] = {}
        self.frame = Frame(
            symbol, survey.bodies[symbol.name], self._expressions(symbol), self.exit()
        )
        self._executors = survey.executors[symbol.name]
        self._names: dict[str, int] = {}
        """How often each name is in use; names as written have no dots, so `i.2` is free."""
        self._temporaries: dict[Type, list[Variable]] = {}
        self._temporary_count = 0
        self._used: dict[Type, int] = {}

    def _expressions(self, symbol: BodySymbol) -> Expressions:
        executors = self.survey.executors[symbol.name]
        return Expressions(self.symbols, self.reporter, Scope(), executors)

    def inlined_frame(self, symbol: BodySymbol, target: TypedPlace | None) -> Frame:
        """The frame of a call that becomes part of an atomic region."""
        expressions = Expressions(self.symbols, self.reporter, Scope(), self._executors)
        survey = self.survey.bodies[symbol.name]
        return Frame(symbol, survey, expressions, self.exit(), inlined=True, target=target)

    @property
    def expressions(self) -> Expressions:
        """The translator for what is in sight."""
        return self.frame.expressions

    # Nodes.

    def node(self) -> Node:
        """A new location, in the atomic region at hand."""
        return self.builder.node(atomic=self.region is not None)

    def exit(self, *, final: bool = False) -> Exit:
        """A location to be made later, in the atomic region at hand."""
        return Exit(self.builder, atomic=self.region is not None, final=final)

    def here(self, node: Placed) -> Node:
        """The location where a statement starts."""
        if self.current is None:
            self.current = self.node()
        self.builder.place_at(self.current, self.reporter.span(node))
        return self.current

    def jump(self, target: Node) -> None:
        """Continue elsewhere; control does not arrive at what follows."""
        if self.current is not None:
            self.builder.jump(self.current, target)
        self.current = None

    def jump_to_exit(self, target: Exit) -> None:
        """Continue at an exit, if control arrives here at all."""
        if self.current is not None:
            self.jump(target.reach())

    def arrive(self, ends: Iterable[Node | None]) -> None:
        """Continue where several ways meet."""
        arriving = [end for end in ends if end is not None]
        if len(arriving) <= 1:
            self.current = arriving[0] if arriving else None
            return
        meeting = self.node()
        for end in arriving:
            self.builder.jump(end, meeting)
        self.current = meeting

    # Edges.

    def step(
        self,
        node: Placed,
        action: Action,
        checks: Sequence[tuple[Expr, Failure]] = (),
        *,
        operation: Operation | None = None,
        sync: bool = False,
        text: str | None = None,
    ) -> None:
        """One statement that is one edge, after which control goes on."""
        source = self.here(node)
        target = self.node()
        self.builder.checked_edge(
            source,
            target,
            action,
            checks,
            span=self.reporter.span(node),
            operation=operation,
            sync=sync or self.region is not None,
            text=self.reporter.text(node) if text is None else text,
        )
        self.current = target

    def alternatives(
        self,
        node: Placed,
        checks: Sequence[tuple[Expr, Failure]],
        ways: Sequence[tuple[Command, Node, str]],
        operation: Operation | None = None,
    ) -> None:
        """Several edges from here that share their checks; control goes on at their targets."""
        source = self.here(node)
        span = self.reporter.span(node)
        sync = self.region is not None
        defined = [check for check, _ in checks]
        for position, (command, target, text) in enumerate(ways):
            if position == 0:
                self.builder.checked_edge(
                    source,
                    target,
                    command,
                    checks,
                    span=span,
                    operation=operation,
                    sync=sync,
                    text=text,
                )
                continue
            guard = conjunction((*defined, command.guard))
            guarded = Command(guard, command.assignments, command.havocs)
            self.builder.edge(
                source, target, guarded, span=span, operation=operation, sync=sync, text=text
            )
        self.current = None

    def branch(self, node: ast.Expression, condition: Typed) -> tuple[Node, Node]:
        """The two edges of a condition; where they lead if it holds and if not."""
        then, otherwise = self.node(), self.node()
        text = self.reporter.text(node)
        ways = [
            (Command(condition.expr), then, f"[{text}]"),
            (Command(negation(condition.expr)), otherwise, f"[!({text})]"),
        ]
        self.alternatives(node, ranges(condition.checks), ways)
        return then, otherwise

    # Variables.

    def local(
        self, name: ast.Name, held: Type, initial: Initial = DEFAULT, *, exposable: bool
    ) -> Variable:
        """A variable for a local declaration, visible from now on."""
        frame = self.frame
        if frame.inlined:
            variable = self._inlined_local(name, held)
        elif exposable and name.name in self.exposed:
            variable = Variable(self._unique(name.name), held, VariableScope.THREAD)
            self.thread_variables.append(Declaration(variable, initial))
        else:
            variable = self.builder.local(self._unique(name.name), held, initial)
        frame.scope.declare(name, variable)
        return variable

    def parameter(self, name: ast.Name, variable: Variable) -> None:
        """Make a parameter of the body itself visible."""
        self._unique(variable.name)
        self.frame.scope.declare(name, variable)

    def temporary(self, held: Type) -> Variable:
        """A variable for the inside of one statement; later statements may use it again."""
        known = self._temporaries.setdefault(held, [])
        position = self._used.get(held, 0)
        self._used[held] = position + 1
        if position == len(known):
            self._temporary_count += 1
            known.append(self.builder.local(f"${self._temporary_count}", held))
        return known[position]

    def free_temporaries(self) -> None:
        """A new statement begins."""
        self._used.clear()

    def _inlined_local(self, name: ast.Name, held: Type) -> Variable:
        """The copy of a callee's local: one for all inlined calls, which never overlap."""
        key = (self.frame.symbol.name, name.start_pos)
        if key not in self.inlined_locals:
            unique = self._unique(f"{self.frame.symbol.name}.{name.name}")
            self.inlined_locals[key] = self.builder.local(unique, held)
        return self.inlined_locals[key]

    def _unique(self, name: str) -> str:
        count = self._names.get(name, 0) + 1
        self._names[name] = count
        return name if count == 1 else f"{name}.{count}"


def ranges(checks: Iterable[Check]) -> list[tuple[Expr, Failure]]:
    """Checks whose failure is a `range` error, or a limit of the model."""
    return [(check, _failure(message)) for check, message in checks]


def _failure(message: str) -> Failure:
    if isinstance(message, ModelLimit):
        return Failure(FailureKind.SLOTS, "", message)
    return Failure(FailureKind.RANGE, RANGE, message)
