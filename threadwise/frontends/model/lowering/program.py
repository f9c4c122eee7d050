"""From declarations and bodies to a program of the IR."""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.frontends.model.lowering.body import MUTEX, RANGE, Body
from threadwise.frontends.model.lowering.invariants import Formulas, exposed_locals
from threadwise.frontends.model.lowering.statements import body_statements, procedure_body
from threadwise.frontends.model.lowering.survey import Survey, report_labels
from threadwise.frontends.model.reporter import Reporter
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.symbols import (
    BROKEN,
    ProcedureSymbol,
    Symbols,
    TemplateSymbol,
)
from threadwise.frontends.model.typing.types import scalar_of
from threadwise.ir.builder import ProcedureBuilder, ProgramBuilder
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.pool_cells import STATUS
from threadwise.ir.program import Declaration, Program, Template
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    PropertyKind,
    RaceProperty,
)
from threadwise.ir.types import MutexType

RACES = "races"
DEADLOCKS = "deadlocks"
_SELECTORS = ("assertions", RANGE, MUTEX, RACES, DEADLOCKS, "all")
"""What `--property` understands besides the names of properties."""


class Lowering:
    """Builds the program of a model whose declarations are resolved."""

    def __init__(
        self,
        name: str,
        model: ast.Model,
        symbols: Symbols,
        survey: Survey,
        reporter: Reporter,
    ) -> None:
        self.model = model
        self.symbols = symbols
        self.survey = survey
        self.reporter = reporter
        self.program = ProgramBuilder(name)
        self._exposed = self._exposed_locals()
        self._locals_of: dict[str, dict[str, Variable]] = {name: {} for name in symbols.templates}

    def run(self, shared: Sequence[Declaration]) -> Program:
        """The finished program; raises InputError if anything was wrong."""
        for enum in self.symbols.enums.values():
            self.program.enum(enum)
        self.program.declare(shared)
        if self.symbols.pools:
            if STATUS.name in self.symbols.enums:
                place = self.symbols.places[STATUS.name]
                message = f"`{STATUS.name}` is the type of what `spawn` keeps about threads"
                self.reporter.error(place, message, "choose another name")
            self.program.enum(STATUS)
        for pool in self.symbols.pools:
            self.program.declare(pool.declarations)
        for body in self.symbols.bodies():
            report_labels(self.survey.bodies[body.name], self.reporter)
            self._guarded(body)
        self._properties()
        self.reporter.raise_errors()
        return self.program.build()

    def _exposed_locals(self) -> dict[str, set[str]]:
        """The locals of each template that invariants mention."""
        exposed: dict[str, set[str]] = {name: set() for name in self.symbols.templates}
        for item in self.model.items:
            if isinstance(item, ast.Invariant):
                for template, local in exposed_locals(item.formula):
                    exposed.setdefault(template, set()).add(local)
        return exposed

    # Bodies.

    def _guarded(self, symbol: ProcedureSymbol | TemplateSymbol) -> None:
        try:
            if isinstance(symbol, TemplateSymbol):
                self._template(symbol)
            elif symbol.name not in self.survey.only_inlined:
                self._procedure(symbol)
        except RecursionError:
            # Each statement and expression is of bounded depth, but inlined calls add theirs.
            self.reporter.error(symbol.syntax.name, "nesting limit exceeded")

    def _body(self, builder: ProcedureBuilder, symbol: ProcedureSymbol | TemplateSymbol) -> Body:
        exposed = frozenset(self._exposed.get(symbol.name, ()))
        return Body(builder, symbol, self.symbols, self.survey, self.reporter, exposed)

    def _procedure(self, symbol: ProcedureSymbol) -> None:
        syntax = symbol.syntax
        builder = self.program.procedure(
            symbol.name, symbol.parameters, symbol.result, self.reporter.span(syntax)
        )
        body = self._body(builder, symbol)
        body.current = builder.node()
        for parameter, variable in zip(syntax.parameters, symbol.parameters, strict=True):
            body.parameter(parameter.name, variable)
        procedure_body(body, symbol)

    def _template(self, symbol: TemplateSymbol) -> None:
        syntax = symbol.syntax
        span = self.reporter.span(syntax)
        builder = self.program.procedure(symbol.name, (), None, span)
        body = self._body(builder, symbol)
        pooled = symbol.pool is not None
        body.current = builder.node(final=pooled, span=span if pooled else None)
        if symbol.pool is None:
            body.frame.end = body.exit(final=True)
        else:
            parameters = [
                body.local(parameter.name, variable.type, exposable=True)
                for parameter, variable in zip(
                    syntax.parameters or (), symbol.parameters, strict=True
                )
            ]
            begun = symbol.pool.begin(parameters)
            body.step(
                syntax,
                begun.command,
                operation=begun.operation,
                sync=True,
                text=f"begin {symbol.name}",
            )
        body_statements(body, syntax.body.statements)
        body.jump_to_exit(body.frame.end)
        closing = self.reporter.source.span(syntax.body.end_pos - 1, syntax.body.end_pos)
        end = body.frame.end.node
        if end is not None:
            builder.place_at(end, closing)
        if symbol.pool is not None and end is not None:
            done = symbol.pool.finish()
            builder.edge(
                end,
                builder.node(final=True, span=closing),
                done.command,
                span=closing,
                operation=done.operation,
                sync=True,
                text=f"finish {symbol.name}",
            )
        variables = tuple(body.thread_variables)
        self._locals_of[symbol.name] = self._visible_locals(symbol, body)
        self.program.template(
            Template(
                symbol.name,
                symbol.count,
                symbol.name,
                variables,
                pool=symbol.pool is not None,
                span=span,
            )
        )

    def _visible_locals(self, symbol: TemplateSymbol, body: Body) -> dict[str, Variable]:
        """What `thread.name` means, for the names that invariants use."""
        found: dict[str, Variable] = {}
        for name in self._exposed[symbol.name]:
            variable = body.frame.scope.find(name)
            if variable is not None and (variable is BROKEN or variable.scope is Scope.THREAD):
                found[name] = variable
        return found

    # Properties.

    def _properties(self) -> None:
        program = self.program
        program.property(FailureProperty(RANGE, PropertyKind.RANGE))
        program.property(FailureProperty(MUTEX, PropertyKind.MUTEX))
        assertions = [a for body in self.survey.bodies.values() for a in body.assertions]
        for assertion in sorted(assertions, key=lambda a: a.start_pos):
            name = self.survey.assertion_names[assertion.start_pos]
            span = self.reporter.span(assertion)
            program.property(FailureProperty(name, PropertyKind.ASSERTION, span))
        deadlock_free: ast.DeadlockFree | None = None
        named: dict[str, ast.Name] = {}
        for item in self.model.items:
            match item:
                case ast.Invariant():
                    self._invariant(item, named)
                case ast.RaceFree():
                    for name_node in item.names:
                        self._race_free(name_node, named)
                case ast.DeadlockFree():
                    deadlock_free = deadlock_free or item
                case _:
                    pass
        program.property(RaceProperty(RACES, None, default=False))
        span_of = None if deadlock_free is None else self.reporter.span(deadlock_free)
        program.property(DeadlockProperty(DEADLOCKS, span_of, default=deadlock_free is not None))

    def _invariant(self, item: ast.Invariant, named: dict[str, ast.Name]) -> None:
        name = item.name
        if name.name in _SELECTORS:
            self.reporter.error(name, f"an invariant cannot have the name `{name.name}`")
        first = named.setdefault(name.name, name)
        if first is not name:
            note = ("first declared here", first)
            message = f"invariant `{name.name}` is declared twice"
            self.reporter.error(name, message, notes=[note])
        formulas = Formulas(self.symbols, self.reporter, self.survey, self._locals_of)
        formula = formulas.formula(item.formula)
        if formula is not None:
            self.program.property(InvariantProperty(name.name, formula, self.reporter.span(item)))

    def _race_free(self, node: ast.Name, named: dict[str, ast.Name]) -> None:
        name = f"race_free {node.name}"
        first = named.setdefault(name, node)
        if first is not node:
            note = ("first named here", first)
            self.reporter.error(node, f"`{name}` is stated twice", notes=[note])
            return
        variable = self.symbols.variables.get(node.name)
        if variable is None:
            kind = self.symbols.kind(node.name)
            if kind is None:
                self.reporter.unknown(node, "variable", node.name, self.symbols.variables)
            else:
                self.reporter.error(node, f"`{node.name}` is {kind}, not a shared variable")
        elif isinstance(scalar_of(variable.type), MutexType):
            self.reporter.error(node, f"`{node.name}` is a mutex: accesses to it never race")
        elif variable is not BROKEN:
            span = self.reporter.span(node)
            self.program.property(RaceProperty(name, (node.name,), span))
