"""What a program has of what the plan of engines goes by (`threadwise.engines.plan`)."""

from __future__ import annotations

from enum import Enum

from threadwise.analyses.components import components
from threadwise.analyses.graphs import outgoing_edges
from threadwise.analyses.growth import growth
from threadwise.analyses.regions import has_calls
from threadwise.core.growth import GrowthKind
from threadwise.core.load_options import DEFAULT_MAX_THREADS
from threadwise.engines.bounded.likely import is_brief
from threadwise.engines.following import starts_in_loops
from threadwise.ir.fold import allocates, uses_memory
from threadwise.ir.program import Procedure, Program, Template

LARGE = 1_000
"""A program with more edges is large: its states cannot be enumerated, and what can be proved of
it within minutes is what `locksets` prove of its locations."""

SMALL = 100
"""A program with no more edges is small: most of these have so few states that engines that go
through all of them end before `locksets` are loaded, which join later, unless there is a heap."""

MEDIUM = 150
"""A program with more edges has more states than most searches see, and provers by formulas take
long; `locksets` have an answer about its races within seconds, if only about some locations."""

WITHOUT_BOUND = (GrowthKind.LOOP, GrowthKind.INPUT)
"""What makes numbers that a search does not come to the end of: inputs, and shared values made of
themselves in loops that do not compare them with constants."""


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
