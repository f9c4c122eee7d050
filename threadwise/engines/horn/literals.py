"""Literals about the arguments of R, their disjunctions, and when they hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from threadwise.engines.horn.arguments import Argument
from threadwise.ir.types import MachineType

Literal = tuple[str, int, int]
"""`<=#`, `>=#`, `==#`: of which argument, which number; `is`: true or false; others: of two.

`until`: the first is at most the second, or that is negative; `next low high`: the second comes
after the first, with wrap-around; `distance high n`: the first is at most n after the second, with
wrap-around; `apart n`: the first is at most n above the second; `sum …`: see `Sum`."""
Guess = tuple[Literal, ...]
"""A disjunction."""
MOST_CONGRUENT = 9
NEXT = "next "
DISTANCE = "distance "
APART = "apart "
SUM = "sum "
NOBODY_THERE: Guess = ()


class Sum(NamedTuple):
    """A sum of arguments that is one of some numbers: of one, or of all that are congruent."""

    terms: tuple[tuple[int, int], ...]
    """Arguments with their coefficients."""
    numbers: tuple[int, ...]

    def literal(self) -> Literal:
        """The sum as a literal, which has its first two arguments beside it."""
        terms = " ".join(f"{i}*{c}" for i, c in self.terms)
        told = " ".join(map(str, self.numbers))
        return f"{SUM}{terms} = {told}", self.terms[0][0], self.terms[1][0]

    @staticmethod
    def of(kind: str) -> Sum:
        """What a literal says."""
        left, _, right = kind.removeprefix(SUM).partition(" = ")
        terms = (term.split("*") for term in left.split())
        return Sum(
            tuple((int(i), int(c)) for i, c in terms),
            tuple(int(number) for number in right.split()),
        )


def sums(
    arguments: Sequence[Argument], terms: Mapping[int, int], number: int
) -> Iterator[Literal]:
    """That a sum is a number, and that it is one that is congruent if machine integers wrap."""
    told = tuple(sorted(terms.items()))
    yield Sum(told, (number,)).literal()
    types = {arguments[i].meaning.type for i in terms if arguments[i].meaning is not None}  # type: ignore[union-attr]
    held = types.pop()
    if types or not isinstance(held, MachineType):
        return
    period = held.high - held.low + 1
    low = sum(min(c * held.low, c * held.high) for c in terms.values())
    high = sum(max(c * held.low, c * held.high) for c in terms.values())
    first = number + -((number - low) // period) * period
    numbers = tuple(range(first, high + 1, period))
    if len(numbers) <= MOST_CONGRUENT:
        yield Sum(told, numbers).literal()


def apart(arguments: Sequence[Argument], i: int, j: int, bound: int) -> Iterator[Literal]:
    """That one integer is at most so much above another; of unsigned ones, with wrap-around."""
    yield f"{APART}{bound}", i, j
    meaning = arguments[i].meaning
    held = None if meaning is None else meaning.type
    if isinstance(held, MachineType) and held.low == 0 and bound > 0:
        yield f"{DISTANCE}{held.high} {bound}", i, j


def distance_of(kind: str) -> tuple[int, int]:
    """The highest value of the type in a literal about a distance, and the bound."""
    high, bound = kind.removeprefix(DISTANCE).split()
    return int(high), int(bound)


def wraps_to(kind: str) -> tuple[int, int]:
    """The bounds of the type in a literal about successors."""
    low, high = kind.removeprefix(NEXT).split()
    return int(low), int(high)


def without_implied(guesses: list[Guess]) -> list[Guess]:
    """Without what others say already."""
    if NOBODY_THERE in guesses:
        return [NOBODY_THERE]
    sure = {guess[0] for guess in guesses if len(guess) == 1}
    for kind, i, j in list(sure):
        if kind in ("==", "<"):
            sure -= {("<=", i, j), ("<=", j, i)} if kind == "==" else {("<=", i, j)}
        if kind == "<":
            sure -= {("!=", i, j), ("!=", j, i)}
    return [g for g in guesses if (g[0] in sure if len(g) == 1 else not sure & set(g))]


def arguments_of(literal: Literal) -> set[int]:
    """What a literal is about."""
    kind, i, j = literal
    if kind.startswith(SUM):
        return {argument for argument, _ in Sum.of(kind).terms}
    return {i} if kind == "is" or kind.endswith("#") else {i, j}


def is_true(guess: Guess, values: Sequence[int]) -> bool:
    """Whether a guess holds of arguments with these values."""
    return any(_holds(literal, values) for literal in guess)


def _holds(literal: Literal, values: Sequence[int]) -> bool:
    kind, i, j = literal
    match kind:
        case "<=":
            return values[i] <= values[j]
        case "until":
            return values[i] <= values[j] or values[j] < 0
        case "<":
            return values[i] < values[j]
        case "==":
            return values[i] == values[j]
        case "!=":
            return values[i] != values[j]
        case "+1==":
            return values[i] + 1 == values[j]
        case "<=#":
            return values[i] <= j
        case ">=#":
            return values[i] >= j
        case "==#" | "is":
            return values[i] == j
        case _ if kind.startswith(SUM):
            found = Sum.of(kind)
            return sum(c * values[k] for k, c in found.terms) in found.numbers
        case _ if kind.startswith(APART):
            return values[i] - values[j] <= int(kind.removeprefix(APART))
        case _ if kind.startswith(DISTANCE):
            high, bound = distance_of(kind)
            return (values[i] - values[j]) % (high + 1) <= bound
        case _:
            low, high = wraps_to(kind)
            return values[j] == (low if values[i] == high else values[i] + 1)
