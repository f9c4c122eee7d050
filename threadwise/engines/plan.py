"""`auto` as data: which engines take part where, from which round on, and with what share.

An engine is left out where it would refuse the program or has nothing to say about any property
that is open: starting it takes longer than knowing that. The others take turns (`driver.racing`);
a turn is `weight` times as long as the grant of the round. Engines that load a solver join later:
by then most small programs are decided.

The figures were chosen by hand from runs of the examples: engines that answer often have weight,
and searchers and provers about the same together. `benchmarks/auto_vs_engines.py` measures what
they are worth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from enum import Enum
from types import MappingProxyType

from threadwise.analyses.components import components
from threadwise.analyses.graphs import outgoing_edges
from threadwise.analyses.growth import growth
from threadwise.analyses.regions import has_calls
from threadwise.core.growth import GrowthKind
from threadwise.core.load_options import DEFAULT_MAX_THREADS
from threadwise.core.quick_dataclass import dataclass
from threadwise.engines.bounded.likely import is_brief
from threadwise.engines.following import starts_in_loops
from threadwise.ir.fold import allocates, uses_memory
from threadwise.ir.program import Procedure, Program, Template
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)


class Feature(Enum):
    """What a program may have that some engines refuse; the value says it in words."""

    HEAP = "a heap"
    POINTERS = "pointers"
    MEMORY = "memory that is no list of objects"
    CALLS = "procedure calls"
    ANY_NUMBER = "any number of threads"
    CREATION = "many threads that are created in loops"
    NUMBERS = "numbers without bound"
    STRAIGHT = "no loops"
    BRIEF = "short runs"
    LARGE = "thousands of steps"
    CORES = "a core for one engine"
    RACES = "a question about races"
    MEDIUM = "hundreds of steps"
    SMALL = "few steps"


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
        "walks": Row(2, 1),
        "tmmcir": Row(1, 2, _POINTERS | {Feature.CALLS, Feature.ANY_NUMBER}, _FAILURES),
        "summaries": Row(1, 2, _POINTERS | {Feature.ANY_NUMBER}, _FAILURES),
        "counting": Row(1, 1, _MEMORY),
        "thread-modular --facts": Row(1, 2, _refusing(Feature.HEAP, Feature.CALLS)),
        "horn": Row(3, 1, _MEMORY, (RaceProperty, *_FAILURES)),
        "tar": Row(3, 1, _MEMORY, (RaceProperty, *_FAILURES)),
        "bounded": Row(2, 1, _MEMORY, (RaceProperty, *_FAILURES)),
    }
)
"""Engines that are not listed have weight 1, join at once, and are always tried."""


def features_of(program: Program) -> frozenset[Feature]:
    """What a program has of what some engines refuse."""
    has = {
        Feature.HEAP: allocates(program),
        Feature.POINTERS: uses_memory(program),
        Feature.MEMORY: _is_not_resolvable(program),
        Feature.CALLS: has_calls(program),
        Feature.ANY_NUMBER: program.has_any_number,
        Feature.CREATION: any(map(is_crowd, program.templates)) and starts_in_loops(program),
        Feature.NUMBERS: any(each.kind in WITHOUT_BOUND for each in growth(program)),
        Feature.STRAIGHT: not any(map(_has_loops, program.procedures)),
        Feature.LARGE: len(program.edges) > LARGE,
        Feature.SMALL: len(program.edges) <= SMALL,
        Feature.MEDIUM: len(program.edges) > MEDIUM,
    }
    has[Feature.BRIEF] = has[Feature.NUMBERS] and is_brief(program)
    return frozenset(feature for feature, there in has.items() if there)


def is_crowd(template: Template) -> bool:
    """Whether so many threads are created that a search is not worth waiting for.

    There are more of them than are modelled, so that it does not decide anything when it ends; or
    just as many, so that it takes long. A loop that creates three threads is as good as three
    calls.
    """
    return template.pool and (template.count is None or template.count >= DEFAULT_MAX_THREADS)


def _is_not_resolvable(program: Program) -> bool:
    """Whether a program uses memory that cannot be made variables within a moment."""
    if not uses_memory(program):
        return False
    from threadwise.engines.resolving import is_resolvable

    return len(program.edges) > LARGE or not is_resolvable(program)


def _has_loops(procedure: Procedure) -> bool:
    outgoing = outgoing_edges(procedure).items()
    return bool(components({here: [edge.target for edge in edges] for here, edges in outgoing}))


WITHOUT_BOUND = (GrowthKind.LOOP, GrowthKind.INPUT)
"""What makes numbers that a search does not come to the end of: inputs, and shared values made of
themselves in loops that do not compare them with constants."""

WITH_A_HEAP: Mapping[str, int] = MappingProxyType({"locksets": 12, "explicit": 2, "walks": 4})
"""Weights where programs have a heap: few of them have few states; they are proved by their locks,
and their errors are found by single runs. Where there are several cores, `locksets` has one of its
own (`OF_ITS_OWN`): what it proves of locations is an answer even if the rest stays open."""

RESOLVED: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "horn": (3, 1),
        "counting": (1, 1),
        "digest": (1, 1),
        "bounded": (1, 2),
        "tar": (1, 2),
    }
)
"""Weights, and when engines join, where a heap is made variables first: what locks prove, and what
single runs show, is decided by then."""

LARGE = 1_000
"""A program with more edges is large: its states cannot be enumerated, and what can be proved of
it within minutes is what `locksets` prove of its locations."""

SMALL = 100
"""A program with no more edges is small: most of these have so few states that engines that go
through all of them end before `locksets` are loaded, which join later, unless there is a heap."""

MEDIUM = 150
"""A program with more edges has more states than most searches see, and provers by formulas take
long; `locksets` have an answer about its races within seconds, if only about some locations."""

OF_ITS_OWN = 1_000
"""The weight of `locksets` there: hardly a turn ends before they have answered, so that they have
a core of their own, and the others take turns on what is left."""

CROWDED: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "horn": (9, 0),
        "counting": (3, 0),
        "explicit": (4, 0),
        "walks": (4, 0),
        "locksets": (3, 0),
        "thread-modular": (1, 2),
        "digest": (2, 2),
        "tar": (1, 2),
    }
)
"""Weights, and when engines join, where many threads are created in loops: provers that go through
states meet the bound on the number of threads, `locksets`, `horn` and `counting` prove most of
what is true within seconds, and errors show with few threads."""


LEADING = "horn", "walks"
"""The engines that come first there, in this order. What is true is mostly left to `horn`, which
takes longest: on two cores it has one, and the others take turns on the second."""


CROWDED_SLICES: Mapping[str, tuple[int, int]] = MappingProxyType({**CROWDED, "tar": (9, 1)})
"""The same where the program is not small: races on what flags protect are found, and proved to be
absent, on slices (`threadwise.engines.dividing`)."""


WITH_NUMBERS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "horn": (9, 1),
        "explicit": (2, 0),
        "thread-modular": (1, 1),
        "digest": (3, 1),
        "persistent": (1, 2),
        "tar": (2, 1),
    }
)
"""The same where numbers have no bound: enumerating them proves nothing, and errors that need no
certain number show early; `horn` proves most of what is true."""


STRAIGHT_NUMBERS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {**WITH_NUMBERS, "bounded": (9, 1), "tar": (1, 2)}
)
"""The same where there are no loops, or loops end after few rounds, those that create threads
included: all runs are bounded, so that `bounded` decides them whatever the numbers are."""


WITH_GOALS: Mapping[str, int] = MappingProxyType({"walks": 8})
"""Weights of searches, at least, once a prover has left them pairs of accesses to go for."""


def row_of(engine: str, features: frozenset[Feature] = frozenset()) -> Row:
    """How an engine takes part."""
    row = PLAN.get(engine, Row())
    if engine == "locksets" and _have_a_core(features):
        return replace(row, weight=OF_ITS_OWN)
    if Feature.HEAP not in features:
        numbers = STRAIGHT_NUMBERS if Feature.STRAIGHT in features else WITH_NUMBERS
        crowded = CROWDED if Feature.SMALL in features else CROWDED_SLICES
        tables = (
            (Feature.BRIEF, STRAIGHT_NUMBERS),
            (Feature.CREATION, crowded),
            (Feature.NUMBERS, numbers),
        )
        for feature, table in tables:
            if feature in features and engine in table:
                weight, joins = table[engine]
                leads = table is crowded and engine in LEADING
                place = LEADING.index(engine) - len(LEADING) if leads else 0
                return replace(row, weight=weight, joins=joins, place=place)
    if Feature.SMALL in features and Feature.HEAP not in features and engine == "locksets":
        return replace(row, joins=1)
    if Feature.HEAP in features and engine in RESOLVED:
        weight, joins = RESOLVED[engine]
        if engine == "horn" and not features.isdisjoint({Feature.CREATION, Feature.NUMBERS}):
            weight = WITH_NUMBERS[engine][0]
        return replace(row, weight=weight, joins=joins)
    if Feature.HEAP in features and engine in WITH_A_HEAP:
        return replace(row, weight=WITH_A_HEAP[engine])
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
