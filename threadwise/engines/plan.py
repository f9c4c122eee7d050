"""`auto` as data: which engines take part where, from which round on, and with what share.

An engine is left out where it would refuse the program or has nothing to say about any property
that is open: starting it takes longer than knowing that. The others take turns (`driver.racing`);
a turn is `weight` times as long as the grant of the round. Engines that load a solver join later:
by then most small programs are decided.

The figures were chosen by hand from runs of the examples: engines that answer often have weight,
and searchers and provers about the same together. `benchmarks/auto_vs_engines.py` measures what
they are worth, and `benchmarks/fit_plan.py` which others would be better, by cross-validation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.engines.features import Feature
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)

_FAILURES = (FailureProperty, InvariantProperty)
_ALL = (RaceProperty, FailureProperty, InvariantProperty, DeadlockProperty)


@dataclass(frozen=True)
class Row:
    """How an engine takes part."""

    weight: int = 1
    joins: int = 0
    """In which round."""
    refuses: frozenset[Feature] = frozenset()
    answers: tuple[type[Property], ...] = _ALL
    place: int = 0
    """Its turns come before those of engines with a larger number."""


@dataclass(frozen=True)
class Share:
    """What an engine gets in some case instead: its weight, when it joins, and its place."""

    weight: int
    joins: int = 0
    place: int = 0


Table: TypeAlias = Mapping[str, Share]
"""By engine."""


def _refusing(*features: Feature) -> frozenset[Feature]:
    return frozenset(features)


_POINTERS = _refusing(Feature.HEAP, Feature.POINTERS)
_MEMORY = _refusing(Feature.MEMORY)
"""What engines that know nothing of memory refuse if they resolve it first."""

PLAN: Mapping[str, Row] = MappingProxyType(
    {
        "thread-modular": Row(2, 0, _refusing(Feature.HEAP)),
        "digest": Row(2, 0, _MEMORY, (RaceProperty, FailureProperty)),
        "locksets": Row(3, 0, answers=(RaceProperty, FailureProperty)),
        "lock-order": Row(2, 0, answers=(DeadlockProperty,)),
        "explicit": Row(3, 0),
        "persistent": Row(1, 1, answers=(RaceProperty, FailureProperty, DeadlockProperty)),
        "walks": Row(2, place=-1),
        "tmmcir": Row(1, 2, _POINTERS | {Feature.CALLS, Feature.ANY_NUMBER}, _FAILURES),
        "summaries": Row(1, 2, _POINTERS | {Feature.ANY_NUMBER}, _FAILURES),
        "counting": Row(1, 1, _MEMORY),
        "thread-modular --facts": Row(1, 2, _refusing(Feature.HEAP, Feature.CALLS)),
        "horn": Row(3, 1, _MEMORY, (RaceProperty, *_FAILURES)),
        "tar": Row(3, 1, _MEMORY, (RaceProperty, *_FAILURES)),
        "bounded": Row(2, 1, _MEMORY, (RaceProperty, *_FAILURES)),
    }
)
"""Engines that are not listed have weight 1, join at once, and are always tried. Single runs come
first: a short turn shows most errors, while searches of all states take longer over each step than
they should."""


WITH_A_HEAP: Table = MappingProxyType(
    {
        "locksets": Share(12),
        "explicit": Share(2),
        "walks": Share(4, place=-1),
        "horn": Share(3, 1),
        "counting": Share(1, 1),
        "digest": Share(1, 1),
        "bounded": Share(1, 2),
        "tar": Share(1, 2),
    }
)
"""Few programs with a heap have few states; they are proved by their locks, and their errors are
found by single runs. Engines that make a heap variables first join when what locks prove, and what
single runs show, is decided. Where there are several cores, `locksets` have one of their own
(`OF_ITS_OWN`): what they prove of locations is an answer even if the rest stays open."""

SMALL_HEAP: Table = MappingProxyType({"explicit": Share(2, place=-2)})
"""With a heap, but few steps: many have few states all the same, and single runs come second."""

HEAP_WITHOUT_BOUND: Table = MappingProxyType({"horn": Share(9, 1)})
"""With a heap, and numbers without bound or threads that are created in loops."""

OF_ITS_OWN = 1_000
"""The weight of `locksets` there: hardly a turn ends before they have answered, so that they have
a core of their own, and the others take turns on what is left."""

CROWDED: Table = MappingProxyType(
    {
        "horn": Share(9, place=-2),
        "counting": Share(3),
        "explicit": Share(4),
        "walks": Share(4, place=-1),
        "locksets": Share(3),
        "thread-modular": Share(1, 2),
        "digest": Share(2, 2),
        "tar": Share(1, 2),
    }
)
"""Where many threads are created in loops: provers that go through states meet the bound on the
number of threads, `locksets`, `horn` and `counting` prove most of what is true within seconds, and
errors show with few threads. What is true is mostly left to `horn`, which takes longest and comes
first: on two cores it has one, and the others take turns on the second."""

CROWDED_SLICES: Table = MappingProxyType({**CROWDED, "tar": Share(9, 1)})
"""The same where the program is not small: races on what flags protect are found, and proved to be
absent, on slices (`threadwise.engines.dividing`)."""

WITH_NUMBERS: Table = MappingProxyType(
    {
        "horn": Share(9, 1),
        "explicit": Share(2),
        "thread-modular": Share(1, 1),
        "digest": Share(3, 1),
        "persistent": Share(1, 2),
        "tar": Share(2, 1),
        "walks": Share(2, place=-1),
    }
)
"""Where numbers have no bound: enumerating them proves nothing, and errors that need no certain
number show early, to single runs first; `horn` proves most of what is true."""

STRAIGHT_NUMBERS: Table = MappingProxyType(
    {**WITH_NUMBERS, "bounded": Share(9, 1), "tar": Share(1, 2)}
)
"""The same where there are no loops, or loops end after few rounds, those that create threads
included: all runs are bounded, so that `bounded` decides them whatever the numbers are."""

FEW_STATES: Table = MappingProxyType({"locksets": Share(3, 1), "walks": Share(2, 1)})
"""Where programs are small: searches of all states end before `locksets` are loaded, and as soon
as single runs."""

FEW_STATES_SIDE_BY_SIDE: Table = MappingProxyType({**FEW_STATES, "locksets": Share(3, place=1)})
"""The same with several cores: `locksets` begin when a core is idle."""


@dataclass(frozen=True)
class Case:
    """Programs that have some features and not others, and the table that is for them."""

    name: str
    has: frozenset[Feature]
    lacks: frozenset[Feature]
    table: Table

    def covers(self, features: frozenset[Feature]) -> bool:
        """Whether a program with these features is one of them."""
        return self.has <= features and self.lacks.isdisjoint(features)


def _without_heap(name: str, table: Table, *features: Feature) -> Case:
    return Case(name, frozenset(features), frozenset({Feature.HEAP}), table)


def _with_heap(name: str, table: Table, *features: Feature) -> Case:
    return Case(name, frozenset({Feature.HEAP, *features}), frozenset(), table)


CASES: tuple[Case, ...] = (
    _without_heap("short runs", STRAIGHT_NUMBERS, Feature.BRIEF),
    _without_heap("few steps, crowds", CROWDED, Feature.CREATION, Feature.SMALL),
    _without_heap("crowds", CROWDED_SLICES, Feature.CREATION),
    _without_heap("no loops, no bound", STRAIGHT_NUMBERS, Feature.NUMBERS, Feature.STRAIGHT),
    _without_heap("no bound", WITH_NUMBERS, Feature.NUMBERS),
    _without_heap("few steps, cores", FEW_STATES_SIDE_BY_SIDE, Feature.SMALL, Feature.CORES),
    _without_heap("few steps", FEW_STATES, Feature.SMALL),
    _with_heap("a heap, few steps", SMALL_HEAP, Feature.SMALL),
    _with_heap("a heap, crowds", HEAP_WITHOUT_BOUND, Feature.CREATION),
    _with_heap("a heap, no bound", HEAP_WITHOUT_BOUND, Feature.NUMBERS),
    _with_heap("a heap", WITH_A_HEAP),
)
"""What takes the place of the row of `PLAN`: an engine has its share from the first case that
covers the program and has the engine in its table."""


WITH_GOALS: Mapping[str, int] = MappingProxyType({"walks": 8})
"""Weights of searches, at least, once a prover has left them pairs of accesses to go for."""


def row_of(
    engine: str, features: frozenset[Feature] = frozenset(), cases: Sequence[Case] = CASES
) -> Row:
    """How an engine takes part."""
    row = PLAN.get(engine, Row())
    if engine == "locksets" and _have_a_core(features):
        return replace(row, weight=OF_ITS_OWN)
    for case in cases:
        if engine in case.table and case.covers(features):
            share = case.table[engine]
            return replace(row, weight=share.weight, joins=share.joins, place=share.place)
    return row


def _have_a_core(features: frozenset[Feature]) -> bool:
    """Whether `locksets` are to have a core of their own."""
    proves = (
        Feature.LARGE in features
        or (Feature.HEAP in features and Feature.SMALL not in features)
        or {Feature.MEDIUM, Feature.RACES} <= features
    )
    return Feature.CORES in features and proves


def refusal(
    engine: str, features: frozenset[Feature], properties: Iterable[Property]
) -> str | None:
    """Why an engine is left out, if it is."""
    row = row_of(engine)
    for feature in Feature:
        if feature in row.refuses & features:
            return f"not for programs with {feature.value}"
    if not any(isinstance(checked, row.answers) for checked in properties):
        return "says nothing about such properties"
    return None
