"""The bare handle of the solver: one call of the library per method, and nothing decided here.

This, `solver` and `second` are all that checkers of proofs use of this package. What an edge or an
expression means they say themselves (`threadwise.proofs.toolbox.smt`): a wrong line in the encoder
of the engines is not a line of theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import z3

from threadwise.backends.smt import raw
from threadwise.core.errors import Unsupported

Term: TypeAlias = Any
"""A term of the solver; `+ - * / % < <= > >=` and `-` make terms of terms."""
Sort: TypeAlias = Any


class Handle:
    """A context of the solver.

    Each has its own, so that what one run makes cannot influence another: the order in which a
    solver looks at things depends on the numbers of its terms.
    """

    def __init__(self) -> None:
        self.context = z3.Context()
        self.boolean_sort: Sort = z3.BoolSort(self.context)
        self.integer_sort: Sort = z3.IntSort(self.context)
        self.true: Term = z3.BoolVal(True, self.context)
        self.false: Term = z3.BoolVal(False, self.context)
        self.spent = 0
        """The resource counter of the context, which its solvers share, after the last query."""

    def integer(self, value: int) -> Term:
        """A numeral."""
        if value.bit_length() > raw.MOST_BITS:
            raise Unsupported(f"a number of {value.bit_length()} bits, in SMT")
        return z3.IntVal(value, self.context)

    def constant(self, name: str, sort: Sort) -> Term:
        """The constant of that name: the same one each time."""
        return z3.Const(name, sort)

    def array_sort(self, element: Sort) -> Sort:
        """Tables from integers to elements."""
        return z3.ArraySort(self.integer_sort, element)

    def filled(self, value: Term) -> Term:
        """The table with the same value everywhere."""
        return z3.K(self.integer_sort, value)

    def select(self, table: Term, index: Term) -> Term:
        """An element of a table."""
        return z3.Select(table, index)

    def store(self, table: Term, index: Term, value: Term) -> Term:
        """A table with one element changed."""
        return z3.Store(table, index, value)

    # -- formulas ---------------------------------------------------------------------------------

    def conjunction(self, parts: Sequence[Term]) -> Term:
        """All of them."""
        return raw.conjunction(self.context, parts)

    def disjunction(self, parts: Sequence[Term]) -> Term:
        """One of them."""
        return raw.disjunction(self.context, parts)

    def negation(self, part: Term) -> Term:
        """Not it."""
        return raw.negation(self.context, part)

    def choice(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """The one or the other."""
        return z3.If(condition, then, otherwise)

    def equal(self, left: Term, right: Term) -> Term:
        """Whether two terms of one sort have the same value."""
        return raw.equation(self.context, left, right)

    # -- bits -------------------------------------------------------------------------------------

    def bits(self, value: Term, width: int) -> Term:
        """The last bits of an integer in two's complement; `& | ^` make terms of them."""
        return z3.Int2BV(value, width)

    def signed(self, bits: Term) -> Term:
        """The integer that bits are in two's complement."""
        return z3.BV2Int(bits, is_signed=True)

    # -- parts of terms ---------------------------------------------------------------------------

    def same(self, left: Term, right: Term) -> bool:
        """Whether two terms are one and the same."""
        return raw.same(left, right)

    def numeral(self, term: Term) -> int | None:
        """The value of a numeral; None if the term is none."""
        return raw.numeral(term) if z3.is_int_value(term) else None

    def simplify(self, term: Term) -> Term:
        """An equal term, usually shorter."""
        return z3.simplify(term)

    def replaced(self, term: Term, pairs: Sequence[tuple[Term, Term]]) -> Term:
        """The term with constants replaced, all at once."""
        return raw.substitute(self.context, term, pairs)

    def parts(self, term: Term) -> list[Term]:
        """What a term is made of, if it is no constant."""
        return list(term.children())

    def is_constant(self, term: Term) -> bool:
        """Whether a term is a constant that the solver gives a value."""
        return bool(z3.is_const(term) and term.decl().kind() == z3.Z3_OP_UNINTERPRETED)
