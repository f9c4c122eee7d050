"""Terms of one solver context, as engines make them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import z3

from threadwise.backends.smt import raw
from threadwise.backends.smt.handle import Handle
from threadwise.backends.smt.handle import Sort as Sort
from threadwise.backends.smt.handle import Term as Term


class Logic(Handle):
    """Makes terms, the obvious ones in their simplest form."""

    def __init__(self) -> None:
        super().__init__()
        self._fresh = 0
        self._constants: dict[int, tuple[Term, list[Term]]] = {}
        """Per address of a term, the term, so that it stays there, and its constants."""

    # -- leaves -----------------------------------------------------------------------------------

    def boolean(self, value: bool) -> Term:
        """A truth value."""
        return self.true if value else self.false

    def fresh(self, name: str, sort: Sort) -> Term:
        """A constant that this logic has not made before; names are numbered in order."""
        self._fresh += 1
        return z3.Const(f"{name}!{self._fresh}", sort)

    def relation(self, name: str, sorts: Sequence[Sort]) -> Term:
        """An uninterpreted relation."""
        return z3.Function(name, *sorts, self.boolean_sort)

    def apply(self, relation: Term, arguments: Sequence[Term]) -> Term:
        """A relation between terms, which are of its sorts."""
        return raw.application(self.context, relation, arguments)

    # -- connectives ------------------------------------------------------------------------------

    def conjunction(self, parts: Sequence[Term]) -> Term:
        """All of them; true if there are none."""
        kept = [part for part in parts if not self.is_true(part)]
        if any(map(self.is_false, kept)):
            return self.false
        if not kept:
            return self.true
        return kept[0] if len(kept) == 1 else raw.conjunction(self.context, kept)

    def disjunction(self, parts: Sequence[Term]) -> Term:
        """One of them; false if there are none."""
        kept = [part for part in parts if not self.is_false(part)]
        if any(map(self.is_true, kept)):
            return self.true
        if not kept:
            return self.false
        return kept[0] if len(kept) == 1 else raw.disjunction(self.context, kept)

    def negation(self, part: Term) -> Term:
        """Not it."""
        if self.is_true(part):
            return self.false
        if self.is_false(part):
            return self.true
        if z3.is_not(part):
            return part.arg(0)
        return raw.negation(self.context, part)

    def implication(self, left: Term, right: Term) -> Term:
        """The right one if the left one."""
        if self.is_true(left):
            return right
        if self.is_false(left) or self.is_true(right):
            return self.true
        return z3.Implies(left, right)

    def choice(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """The one or the other."""
        if self.is_true(condition) or raw.same(then, otherwise):
            return then
        if self.is_false(condition):
            return otherwise
        return z3.If(condition, then, otherwise)

    def equal(self, left: Term, right: Term) -> Term:
        """Whether two terms of one sort have the same value."""
        if raw.same(left, right):
            return self.true
        if z3.is_int_value(left) and z3.is_int_value(right):
            return self.false
        return raw.equation(self.context, left, right)

    def distinct(self, terms: Sequence[Term]) -> Term:
        """Whether all of them differ."""
        return z3.Distinct(*terms) if len(terms) > 1 else self.true

    def exists(self, variables: Sequence[Term], body: Term) -> Term:
        """Whether some values of constants satisfy a formula."""
        return z3.Exists(list(variables), body) if variables else body

    def for_all(self, variables: Sequence[Term], body: Term) -> Term:
        """Whether all values of constants satisfy a formula."""
        return raw.for_all(self.context, variables, body) if variables else body

    # -- whole terms ------------------------------------------------------------------------------

    def substitute(self, term: Term, pairs: Sequence[tuple[Term, Term]]) -> Term:
        """The formula with constants replaced, all at once."""
        return raw.substitute(self.context, term, pairs) if pairs else term

    def constants(self, term: Term) -> list[Term]:
        """The uninterpreted constants of a term, in order of appearance."""
        key = term.ast.value
        if key not in self._constants:
            found = [
                part
                for part in subterms(term)
                if z3.is_const(part) and part.decl().kind() == z3.Z3_OP_UNINTERPRETED
            ]
            self._constants[key] = term, found
        return list(self._constants[key][1])

    def conjuncts(self, term: Term) -> list[Term]:
        """The parts of a conjunction, however nested."""
        if z3.is_and(term):
            return [part for child in term.children() for part in self.conjuncts(child)]
        return [term]

    def is_true(self, term: Term) -> bool:
        """Whether the term is the literal true."""
        return raw.same(term, self.true)

    def is_false(self, term: Term) -> bool:
        """Whether the term is the literal false."""
        return raw.same(term, self.false)

    def known_integer(self, term: Term) -> int | None:
        """The value of a numeral; None if the term is none."""
        return raw.numeral(term) if z3.is_int_value(term) else None


def subterms(term: Term) -> Iterator[Term]:
    """A term and everything below it, each once, parents first."""
    pending, seen = [term], {term.get_id()}
    while pending:
        current = pending.pop()
        yield current
        children = [current.body()] if z3.is_quantifier(current) else current.children()
        for child in reversed(children):
            if child.get_id() not in seen:
                seen.add(child.get_id())
                pending.append(child)
