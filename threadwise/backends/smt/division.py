"""Division by what is no numeral, replaced by something weaker.

Spacer refuses `x mod y` with an unknown y. In the body of a clause a term may be replaced by any
value that meets conditions which the term meets: the clause becomes stronger, and formulas that
satisfy it satisfy the original one, too. What is kept:

    0 ≤ x mod y < |y|               for y ≠ 0
    x mod y = x, x div y = 0        for 0 ≤ x < y
    0 ≤ x div y ≤ x                 for x ≥ 0, y > 0
"""

from __future__ import annotations

from collections.abc import Sequence

import z3

from threadwise.backends.smt.logic import Logic, Term, subterms


def without_division(logic: Logic, terms: Sequence[Term]) -> tuple[list[Term], list[Term]]:
    """The terms with constants for such divisions, and what is known of these."""
    replaced: list[tuple[Term, Term]] = []
    known: list[Term] = []
    kept = list(terms)
    while True:
        found = next((part for term in kept for part in subterms(term) if _is_hard(part)), None)
        if found is None:
            return kept, known
        result = logic.fresh("divided", logic.integer_sort)
        x, y = found.arg(0), found.arg(1)
        inside = logic.conjunction([x >= 0, x < y])
        if found.decl().kind() == z3.Z3_OP_MOD:
            size = logic.choice(y > 0, y, -y)
            known.append(logic.implication(y != 0, z3.And(result >= 0, result < size)))
            known.append(logic.implication(inside, result == x))
        else:
            usual = logic.conjunction([x >= 0, y > 0])
            known.append(logic.implication(usual, z3.And(result >= 0, result <= x)))
            known.append(logic.implication(inside, result == 0))
        replaced = [(found, result)]
        kept = [logic.substitute(term, replaced) for term in kept]
        known = [logic.substitute(term, replaced) for term in known]


def _is_hard(part: Term) -> bool:
    if not z3.is_app(part) or part.decl().kind() not in (z3.Z3_OP_MOD, z3.Z3_OP_IDIV):
        return False
    return not z3.is_int_value(part.arg(1)) and not _has_hard(part)


def _has_hard(part: Term) -> bool:
    """Whether there is such a division below: that one comes first."""
    return any(_is_hard(child) or _has_hard(child) for child in part.children())
