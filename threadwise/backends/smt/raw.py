"""The solver's constructors without the checks of its Python layer.

That layer asks for the kind and the sort of every argument of every call, which takes most of the
time of small queries. Here all arguments are known to be formulas of one context. Terms are shared
within a context: two of them are the same iff their addresses are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import z3

from threadwise.core.errors import Unsupported

MOST_DIGITS = 4000
"""Of a number in decimal: Python reads and writes no more than a few thousand."""
MOST_BITS = 13_000
"""Of a number: fewer than that many digits."""

Term: TypeAlias = Any


def same(left: Term, right: Term) -> bool:
    """Whether two terms of one context are the same term."""
    return bool(left.ast.value == right.ast.value)


def numeral(term: Term) -> int:
    """The value of an integer literal, if it is not too long to be read."""
    digits = term.as_string()
    if len(digits) > MOST_DIGITS:
        raise Unsupported(f"a number of {len(digits)} digits, in SMT")
    return int(digits)


def conjunction(context: Any, parts: Sequence[Term]) -> Term:
    """All of some formulas."""
    return z3.BoolRef(z3.Z3_mk_and(context.ref(), len(parts), _array(parts)), context)


def disjunction(context: Any, parts: Sequence[Term]) -> Term:
    """One of some formulas."""
    return z3.BoolRef(z3.Z3_mk_or(context.ref(), len(parts), _array(parts)), context)


def negation(context: Any, part: Term) -> Term:
    """Not a formula."""
    return z3.BoolRef(z3.Z3_mk_not(context.ref(), part.ast), context)


def equation(context: Any, left: Term, right: Term) -> Term:
    """Whether two terms of one sort are equal."""
    return z3.BoolRef(z3.Z3_mk_eq(context.ref(), left.ast, right.ast), context)


def substitute(context: Any, formula: Term, pairs: Sequence[tuple[Term, Term]]) -> Term:
    """A formula with terms replaced, all at once, each by one of its sort."""
    old = _array([pair[0] for pair in pairs])
    new = _array([pair[1] for pair in pairs])
    found = z3.Z3_substitute(context.ref(), formula.ast, len(pairs), old, new)
    return type(formula)(found, context)


def application(context: Any, relation: Any, arguments: Sequence[Term]) -> Term:
    """A relation between terms of its sorts."""
    found = z3.Z3_mk_app(context.ref(), relation.ast, len(arguments), _array(arguments))
    return z3.BoolRef(found, context)


def for_all(context: Any, constants: Sequence[Term], body: Term) -> Term:
    """A formula for all values of some constants in it."""
    bound = (z3.Ast * len(constants))(*(constant.ast for constant in constants))
    found = z3.Z3_mk_forall_const(context.ref(), 1, len(constants), bound, 0, None, body.ast)
    return z3.QuantifierRef(found, context)


def simple_solver(context: Any) -> Any:
    """The incremental solver, without the one for single questions in front of it."""
    return z3.Solver(z3.Z3_mk_simple_solver(context.ref()), context)


def horn_solver(context: Any) -> Any:
    """A solver of Horn clauses; made by its name, it would make a second context."""
    name = z3.to_symbol("HORN", context)
    return z3.Solver(z3.Z3_mk_solver_for_logic(context.ref(), name), context)


def check(solver: Any, assumptions: Sequence[Term]) -> Any:
    """What a solver says about its formulas and some literals."""
    literals = _array(assumptions)
    context = solver.ctx.ref()
    found = z3.Z3_solver_check_assumptions(context, solver.solver, len(literals), literals)
    return z3.CheckSatResult(found)


def spent(solver: Any) -> int | None:
    """The resource counter of a solver; None if it has not been used."""
    statistics = solver.statistics()
    context, counters = statistics.ctx.ref(), statistics.stats
    for position in reversed(range(len(statistics))):
        if z3.Z3_stats_get_key(context, counters, position) == "rlimit count":
            return int(z3.Z3_stats_get_uint_value(context, counters, position))
    return None


def _array(terms: Sequence[Term]) -> Any:
    array = (z3.Ast * len(terms))()
    for position, term in enumerate(terms):
        array[position] = term.ast
    return array
