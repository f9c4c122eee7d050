"""States of integers, affine spaces with intervals, and what is claimed of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product

from threadwise.analyses.affine import AffineSpace
from threadwise.engines.horn.resting_edges import SHARED
from threadwise.ir.expr import (
    Place,
    Scope,
    Variable,
)
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    FillValue,
    ListedValues,
    LocId,
)
from threadwise.ir.types import IntType, MachineType, RangeType
from threadwise.transforms.simplify.intervals import Bounds

MOST_COMPARED = 6
"""Integers of one lock whose differences are tried, at most."""


@dataclass(frozen=True)
class Claim:
    """What integers satisfy: a sum that is a number, or bounds of one, or of a difference.

    It holds unless one of some locks is held, or something was not created yet.
    """

    terms: tuple[tuple[Variable, int], ...]
    number: int | None = None
    low: int | None = None
    high: int | None = None
    unequal: bool = False
    """Of two integers: that they are not equal."""
    unless_held: Place | None = None
    unless_new: Variable | None = None


@dataclass
class Suggestion:
    """Candidates for a location, in one of the cases that are distinguished there."""

    held: list[Place] = field(default_factory=list)
    others: list[Place] = field(default_factory=list)
    """Locks that are held in another case, and not in this one."""
    created: dict[Variable, bool] = field(default_factory=dict)
    claims: list[Claim] = field(default_factory=list)


Suggestions = Mapping[tuple[str, LocId], list[Suggestion]]
Node = tuple[LocId, frozenset[Place]]
"""Where a thread is, and the locks that it holds."""


@dataclass(frozen=True)
class State:
    """What is known of some integers."""

    space: AffineSpace
    known: Mapping[str, Bounds]


@dataclass
class Rest:
    """A lock invariant over some shared integers; none if it was never reached."""

    variables: tuple[Variable, ...]
    state: State | None = None
    visits: int = 0


def joined_states(one: State | None, other: State, steps: Sequence[int] | None) -> State:
    """The least state with both; with steps, bounds that grow go on to one of these."""
    if one is None:
        return other
    known: dict[str, Bounds] = {}
    for name, (low, high) in one.known.items():
        least, most = other.known[name]
        if steps is None:
            known[name] = (
                None if low is None or least is None else min(low, least),
                None if high is None or most is None else max(high, most),
            )
        else:
            known[name] = widened((low, high), (least, most), steps)
    return State(one.space.joined(other.space), known)


def reduced(state: State, names: Sequence[str]) -> State:
    """The state with the bounds that its equations give integers, named in order."""
    known = dict(state.known)
    for factors, constant in state.space.equations():
        terms = [(name, f) for name, f in zip(names, factors, strict=True) if f]
        for name, factor in terms:
            others = [(other, f) for other, f in terms if other != name]
            low, high = _range(others, constant, known)
            least, most = (low, high) if factor < 0 else (_negative(high), _negative(low))
            size = abs(factor)
            lower = None if least is None else -(-least // size)
            upper = None if most is None else most // size
            was = known[name]
            known[name] = larger(was[0], lower), smaller(was[1], upper)
    return State(state.space, known)


def _range(terms: Sequence[tuple[str, int]], constant: int, known: Mapping[str, Bounds]) -> Bounds:
    """The bounds of a sum."""
    least: int | None = constant
    most: int | None = constant
    for name, factor in terms:
        low, high = known[name] if factor > 0 else (known[name][1], known[name][0])
        least = None if least is None or low is None else least + factor * low
        most = None if most is None or high is None else most + factor * high
    return least, most


def _negative(value: int | None) -> int | None:
    return None if value is None else -value


def widened(was: Bounds, now: Bounds, steps: Sequence[int]) -> Bounds:
    """Bounds that have both; those that grow go on to one of some steps, or are given up."""
    low, high = was
    if low is not None and (now[0] is None or now[0] < low):
        below = [s for s in steps if now[0] is not None and s <= now[0]]
        low = below[-1] if below else None
    if high is not None and (now[1] is None or now[1] > high):
        above = [s for s in steps if now[1] is not None and s >= now[1]]
        high = above[0] if above else None
    return low, high


def claims(variables: Sequence[Variable], state: State) -> Iterator[Claim]:
    """What a state says that types do not."""
    for factors, constant in state.space.equations():
        terms = tuple((v, f) for v, f in zip(variables, factors, strict=True) if f)
        if len(terms) > 1:
            yield Claim(terms, number=-constant)
    for variable in variables:
        shared = variable.scope is Scope.GLOBAL
        name = SHARED + variable.name if shared else variable.name
        low, high = state.known.get(name, (None, None))
        least, most = of_type(variable)
        low = None if low == least else low
        high = None if high == most else high
        if low is not None or high is not None:
            yield Claim(((variable, 1),), low=low, high=high)


def differences(variables: Sequence[Variable], numbers: Sequence[int]) -> Iterator[Claim]:
    """That integers of one type are at most so far apart, or not equal: tried, not computed."""
    for one, other in permutations(variables[:MOST_COMPARED], 2):
        if one.type == other.type:
            terms = (one, 1), (other, -1)
            yield Claim(terms, unequal=True)
            yield from (Claim(terms, high=number) for number in numbers)


def signs(variables: Sequence[Variable], state: State) -> Iterator[Claim]:
    """That integers are not negative, where bounds do not say so: tried, not computed.

    `if (n <= free) free -= n;` keeps it, and intervals do not see why.
    """
    for variable in variables:
        shared = variable.scope is Scope.GLOBAL
        low, _ = state.known.get(SHARED + variable.name if shared else variable.name, (None, None))
        least, _ = of_type(variable)
        if (least is None or least < 0) and (low is None or low < 0):
            yield Claim(((variable, 1),), low=0)


def comparisons(own: Sequence[Variable], shared: Sequence[Variable]) -> Iterator[Claim]:
    """That integers of a thread are not larger than those it has to itself: tried."""
    for one, other in product(own[:MOST_COMPARED], shared[:MOST_COMPARED]):
        if one.type == other.type:
            yield Claim(((one, 1), (other, -1)), high=0)


def initial_bounds(declaration: Declaration) -> Bounds:
    """Bounds of what a variable starts with."""
    match declaration.initial:
        case FillValue(int(value)) | ListedValues((int(value),)):
            return value, value
        case initial if initial == DEFAULT:
            low, _ = of_type(declaration.variable)
            start = max(0, low or 0) if isinstance(declaration.variable.type, RangeType) else 0
            return start, start
        case _:
            return of_type(declaration.variable)


def of_type(variable: Variable) -> Bounds:
    """The bounds of the type of a variable."""
    held = variable.type
    return (held.low, held.high) if isinstance(held, RangeType | MachineType) else (None, None)


def larger(a: int | None, b: int | None) -> int | None:
    """The larger of two lower bounds."""
    return (b if a is None else a) if a is None or b is None else max(a, b)


def smaller(a: int | None, b: int | None) -> int | None:
    """The smaller of two upper bounds."""
    return (b if a is None else a) if a is None or b is None else min(a, b)


def is_number(variable: Variable) -> bool:
    """Whether a variable is an integer."""
    return isinstance(variable.type, IntType | RangeType | MachineType)
