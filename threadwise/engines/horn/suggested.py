"""Suggested invariants as guesses about the arguments of R."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, combinations, product
from math import prod

from threadwise.engines.horn.arguments import Argument
from threadwise.engines.horn.literals import (
    NOBODY_THERE,
    Guess,
    Literal,
    apart,
    sums,
)
from threadwise.engines.horn.resting_states import Claim, Suggestion
from threadwise.engines.horn.shapes import (
    cell_of,
    is_kappa,
    is_member,
)
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Place,
    Read,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.operations import NOBODY
from threadwise.ir.types import is_integer

MOST = 300
"""So many combinations of what holds in the cases of a location are tried, at most."""


def guesses_from(cases: Sequence[Suggestion], arguments: Sequence[Argument]) -> list[Guess]:
    """Candidates for a location, over its arguments; without a case: it is unreachable.

    One of the cases holds: of each a guess, joined by `or`, for all combinations.
    """
    if not cases:
        return [NOBODY_THERE]
    index = _Index(arguments)
    each = [index.of(case) for case in cases]
    common = [guess for guess in each[0] if all(guess in other for other in each)]
    rest = [[guess for guess in told if guess not in common] for told in each]
    found: list[Guess] = list(common)
    if len(cases) > 1 and prod(map(len, rest)) <= MOST:
        found += [tuple(dict.fromkeys(chain(*chosen))) for chosen in product(*rest)]
    found += _about_positions(arguments)
    return list(dict.fromkeys(found))


def _about_positions(arguments: Sequence[Argument]) -> Iterator[Guess]:
    """What handles and flags are: always, or once a loop has passed κ; one of two members."""
    kappas = [i for i, a in enumerate(arguments) if is_kappa(a.meaning)]
    members = [i for i, a in enumerate(arguments) if is_member(a.meaning)]
    own = [
        i
        for i, a in enumerate(arguments)
        if isinstance(a.meaning, ThreadRead) and is_integer(a.meaning.type)
    ]
    for member in members:
        is_it: Literal = ("is", member, 1)
        yield (is_it,)
        yield from ((("until", i, kappa), is_it) for i in own for kappa in kappas)
    for one, other in combinations(members, 2):
        if cell_of(arguments[one].meaning) == cell_of(arguments[other].meaning):
            yield ("is", one, 1), ("is", other, 1)


class _Index:
    """Where the arguments of a place are."""

    def __init__(self, arguments: Sequence[Argument]) -> None:
        self.arguments = arguments
        self.variables: dict[Variable, int] = {}
        self.mine: dict[Place, int] = {}
        """Whether the thread is the owner."""
        self.nobodys: dict[Place, int] = {}
        for i, (_, meaning) in enumerate(arguments):
            match meaning:
                case Read(VariablePlace(variable)) | ThreadRead(_, VariablePlace(variable)):
                    self.variables[variable] = i
                case Binary(BinaryOp.EQ, Read(place), ThreadVariable()):
                    self.mine[place] = i
                case Binary(BinaryOp.EQ, Read(place), right) if right == NOBODY:
                    self.nobodys[place] = i
                case _:
                    pass

    def of(self, case: Suggestion) -> list[Guess]:
        """What holds in a case."""
        found: list[Guess] = [
            (("is", self.mine[lock], int(held)),)
            for locks, held in ((case.held, True), (case.others, False))
            for lock in locks
            if lock in self.mine
        ]
        for variable, value in case.created.items():
            if variable in self.variables:
                found.append((("is", self.variables[variable], int(value)),))
        for claim in case.claims:
            found += self.guesses(claim)
        return list(dict.fromkeys(found))

    def guesses(self, claim: Claim) -> Iterator[Guess]:
        """A claim, as disjunctions."""
        gates: list[Literal] = []
        if claim.unless_held is not None:
            if claim.unless_held not in self.nobodys:
                return
            gates.append(("is", self.nobodys[claim.unless_held], 0))
        if claim.unless_new is not None:
            if claim.unless_new not in self.variables:
                return
            gates.append(("is", self.variables[claim.unless_new], 0))
        if any(variable not in self.variables for variable, _ in claim.terms):
            return
        for literal in self._literals(claim):
            yield (*gates, literal)

    def _literals(self, claim: Claim) -> Iterator[Literal]:
        terms = {self.variables[variable]: factor for variable, factor in claim.terms}
        first = self.variables[claim.terms[0][0]]
        last = self.variables[claim.terms[-1][0]]
        if claim.unequal:
            yield "!=", min(first, last), max(first, last)
        if len(terms) == 2 and claim.high is not None:
            yield from apart(self.arguments, first, last, claim.high)
            return
        if claim.number is not None:
            yield from sums(self.arguments, terms, claim.number)
        if claim.low is not None:
            yield (">=#", first, claim.low)
        if claim.high is not None:
            yield ("<=#", first, claim.high)
