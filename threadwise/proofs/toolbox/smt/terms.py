"""Terms as checkers make them: the solver's, the obvious ones decided here.

A formula that is obviously false need not be asked about, and an index that is a numeral means one
cell; so what is true or false or a number whatever the constants are is recognised.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.backends.smt.handle import Handle, Sort, Term


class Terms(Handle):
    """Makes the terms of one check."""

    def __init__(self) -> None:
        super().__init__()
        self._made = 0
        self._constants: dict[int, tuple[Term, list[Term]]] = {}
        """Per number of a term, the term, so that it keeps it, and its constants."""

    def boolean(self, value: bool) -> Term:
        """A truth value."""
        return self.true if value else self.false

    def fresh(self, name: str, sort: Sort) -> Term:
        """A constant that was not made before."""
        self._made += 1
        return self.constant(f"{name}!{self._made}", sort)

    def is_true(self, term: Term) -> bool:
        """Whether the term is the literal true."""
        return self.same(term, self.true)

    def is_false(self, term: Term) -> bool:
        """Whether the term is the literal false."""
        return self.same(term, self.false)

    # -- formulas ---------------------------------------------------------------------------------

    def conjunction(self, parts: Sequence[Term]) -> Term:
        """All of them; true if there are none."""
        open_parts: list[Term] = []
        for part in parts:
            if self.is_false(part):
                return self.false
            if not self.is_true(part):
                open_parts.append(part)
        if len(open_parts) > 1:
            return super().conjunction(open_parts)
        return open_parts[0] if open_parts else self.true

    def disjunction(self, parts: Sequence[Term]) -> Term:
        """One of them; false if there are none."""
        open_parts: list[Term] = []
        for part in parts:
            if self.is_true(part):
                return self.true
            if not self.is_false(part):
                open_parts.append(part)
        if len(open_parts) > 1:
            return super().disjunction(open_parts)
        return open_parts[0] if open_parts else self.false

    def negation(self, part: Term) -> Term:
        """Not it."""
        if self.is_true(part):
            return self.false
        if self.is_false(part):
            return self.true
        return super().negation(part)

    def implication(self, left: Term, right: Term) -> Term:
        """The right one if the left one."""
        return self.disjunction([self.negation(left), right])

    def choice(self, condition: Term, then: Term, otherwise: Term) -> Term:
        """The one or the other."""
        if self.is_true(condition) or self.same(then, otherwise):
            return then
        if self.is_false(condition):
            return otherwise
        return super().choice(condition, then, otherwise)

    def equal(self, left: Term, right: Term) -> Term:
        """Whether two terms of one sort have the same value."""
        if self.same(left, right):
            return self.true
        numbers = self.numeral(left), self.numeral(right)
        if None not in numbers:
            return self.boolean(numbers[0] == numbers[1])
        return super().equal(left, right)

    def distinct(self, terms: Sequence[Term]) -> Term:
        """Whether all of them differ."""
        return self.conjunction(
            [
                self.negation(self.equal(one, other))
                for position, one in enumerate(terms)
                for other in terms[:position]
            ]
        )

    def substitute(self, term: Term, pairs: Sequence[tuple[Term, Term]]) -> Term:
        """The term with constants replaced, all at once."""
        return self.replaced(term, pairs) if pairs else term

    def constants(self, term: Term) -> list[Term]:
        """The constants of a term."""
        key = term.get_id()
        if key not in self._constants:
            found: list[Term] = []
            seen = {key}
            pending = [term]
            while pending:
                part = pending.pop()
                if self.is_constant(part):
                    found.append(part)
                for child in self.parts(part):
                    if child.get_id() not in seen:
                        seen.add(child.get_id())
                        pending.append(child)
            self._constants[key] = term, found
        return self._constants[key][1]
