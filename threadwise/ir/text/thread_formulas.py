"""Formulas about some threads at once, as text: what formula certificates are written in.

The threads are named `t1`, `t2`, …; `t1::x` is a variable of the first one, thread-scoped or
local, and `t1` itself its id. Everything else is an expression of the IR. Formulas that are read
are checked: names, types, and that they mention nothing but these threads and shared variables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from threadwise.core.errors import InputError, Unsupported
from threadwise.core.identity import Same
from threadwise.ir.check.terms import Site, TermChecker
from threadwise.ir.check.types import BOOL_KIND
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Quantified,
    Quantifier,
    Read,
    Scope,
    SelfId,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import is_shared, rebuild, rebuild_place, subexpressions
from threadwise.ir.program import Declaration, Program
from threadwise.ir.text.exact_terms import ExactTerms
from threadwise.ir.text.parsing import read_formula
from threadwise.ir.text.read_terms import Held, Names


def representatives(templates: Sequence[str]) -> tuple[ThreadVariable, ...]:
    """The threads a formula is about: `t1`, `t2`, …"""
    return tuple(ThreadVariable(f"t{i}", name) for i, name in enumerate(templates, start=1))


def about(thread: ThreadVariable, expr: Expr) -> Expr:
    """What an expression in a thread's own words says about a named thread."""
    match expr:
        case SelfId():
            return thread
        case Read(place) if not is_shared(place):
            return ThreadRead(thread, rebuild_place(place, lambda part: about(thread, part)))
        case _:
            return rebuild(expr, lambda part: about(thread, part))


def balanced(op: BinaryOp, parts: Sequence[Expr]) -> Expr:
    """All parts joined by `&&` or `||`, nested as little as possible."""
    if len(parts) == 1:
        return parts[0]
    middle = len(parts) // 2
    return Binary(op, balanced(op, parts[:middle]), balanced(op, parts[middle:]))


def rebalanced(expr: Expr) -> Expr:
    """The formula with its chains of `&&` and `||` nested as little as possible."""
    if isinstance(expr, Binary) and expr.op in (BinaryOp.AND, BinaryOp.OR):
        parts: list[Expr] = []
        pending: list[Expr] = [expr]
        while pending:
            current = pending.pop()
            if isinstance(current, Binary) and current.op is expr.op:
                pending += (current.right, current.left)
            else:
                parts.append(rebalanced(current))
        return balanced(expr.op, parts)
    return rebuild(expr, rebalanced)


def formula_text(
    program: Program,
    formula: Expr,
    threads: Sequence[ThreadVariable],
    procedure: str | None = None,
) -> str:
    """A formula about some threads, as `FormulaReader` reads it."""
    for thread in threads:
        table = _own(program, thread.template, procedure)
        if len({v.name for v in table}) != len(table):
            raise Unsupported(f"two variables of one name in `{thread.template}`, in a formula")
    terms = ExactTerms(program, sites=False)
    terms.bound.append(tuple(threads))
    return terms.expr(rebalanced(formula))


MOST_REMEMBERED = 512
"""So many formulas are remembered."""


@lru_cache(maxsize=MOST_REMEMBERED)
def _read(reader: FormulaReader, text: str, threads: tuple[ThreadVariable, ...]) -> Expr:
    return reader.read_anew(text, threads)


class FormulaReader:
    """Reads formulas about threads of one program, in their bodies or in a procedure."""

    def __init__(self, program: Program, procedure: str | None = None) -> None:
        self.program = program
        self.procedure = procedure
        self._problems: list[str] = []
        templates = tuple(
            replace(
                template,
                variables=tuple(
                    Declaration(_visible(v)) for v in _own(program, template.name, procedure)
                ),
            )
            for template in program.templates
        )
        self._checker = TermChecker(
            replace(program, templates=templates),
            lambda message, _: self._problems.append(message),
        )
        self._checker.site = Site("a formula", invariant=True)
        self._scope = (
            procedure,
            tuple(program.enums),
            tuple(Same(declaration.variable) for declaration in program.globals),
            tuple(
                (
                    t.name,
                    t.body,
                    t.pool,
                    t.count is None,
                    *map(Same, _own(program, t.name, procedure)),
                )
                for t in program.templates
            ),
            tuple(map(Same, program.procedures)),
        )
        """All that the meaning of a formula depends on; not which number of threads is fixed."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FormulaReader) and self._scope == other._scope

    def __hash__(self) -> int:
        return hash(self._scope)

    def read(self, text: str, threads: Sequence[ThreadVariable]) -> Expr:
        """A formula about some threads; InputError unless it is one.

        Audits read those of a certificate for several numbers of threads: they are remembered.
        """
        return _read(self, text, tuple(threads))

    def read_anew(self, text: str, threads: Sequence[ThreadVariable]) -> Expr:
        """The same, parsed and checked."""
        own = {
            t.template: {v.name: v for v in _own(self.program, t.template, self.procedure)}
            for t in threads
        }
        formula = read_formula(text, self._names(threads, own))
        if any(isinstance(part, Quantified) for part in subexpressions(formula)):
            raise InputError.of("a quantifier in a formula about named threads")
        if not self.accepts(formula, threads):
            raise InputError.of(self._problems[0])
        return formula

    def accepts(self, formula: Expr, threads: Sequence[ThreadVariable]) -> bool:
        """Whether a formula has the right types and names.

        They are checked with local variables made visible as thread-scoped ones are.
        """
        self._problems.clear()
        whole = Quantified(Quantifier.FORALL, tuple(threads), _all_visible(formula))
        self._checker.expect(whole, BOOL_KIND, "a formula")
        return not self._problems

    def _names(
        self, threads: Sequence[ThreadVariable], own: dict[str, dict[str, Variable]]
    ) -> Names:
        names = Names("<formula>")
        names.enums = {enum.name: enum for enum in self.program.enums}
        names.named_types = {enum.name: Held(enum, 1) for enum in self.program.enums}
        names.globals = {d.variable.name: d.variable for d in self.program.globals}
        names.visible = names.globals
        names.templates = own
        names.bound = [{thread.name: thread for thread in threads}]
        return names


def _own(program: Program, template: str, procedure: str | None) -> list[Variable]:
    """The variables of a thread in a procedure, or in its body."""
    kind = program.template[template]
    body = program.procedure[procedure or kind.body]
    return [
        *(d.variable for d in kind.variables),
        *body.parameters,
        *(d.variable for d in body.locals),
    ]


def _all_visible(expr: Expr) -> Expr:
    """A formula with local variables made visible as thread-scoped ones are."""
    if isinstance(expr, ThreadRead):
        return ThreadRead(expr.thread, _visible_place(expr.place))
    return rebuild(expr, _all_visible)


def _visible_place(place: Place) -> Place:
    match place:
        case VariablePlace(variable):
            return VariablePlace(_visible(variable))
        case IndexPlace(base, index):
            return IndexPlace(_visible_place(base), _all_visible(index))
        case FieldPlace(base, field):
            return FieldPlace(_visible_place(base), field)
        case _:
            return place


def _visible(variable: Variable) -> Variable:
    return replace(variable, scope=Scope.THREAD)
