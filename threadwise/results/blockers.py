"""Why a property is UNKNOWN, as types: what stands between the tool and an answer."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from threadwise.core.growth import GrowthKind
from threadwise.core.quick_dataclass import dataclass


class Nearness(IntEnum):
    """How near to an answer a blocker is; the smallest is reported first."""

    CONSTRUCT = 1
    """The program reaches a place that has no meaning to the tool."""
    POSSIBLE = 2
    """An analysis cannot exclude that it reaches such a place."""
    BOUND = 3
    """An option cut the search, or a number that the user can fix."""
    SIZE = 4
    """There are more states than could be gone through: where they come from."""
    SUSPECT = 5
    """There may be a violation, which was neither confirmed nor excluded."""
    RESOURCE = 6
    """Time, memory or steps ran out."""
    DEFECT = 7
    """The tool failed."""
    SCOPE = 8
    """An engine has nothing to say about such properties or programs."""


@dataclass(frozen=True)
class Blocker:
    """What kept an engine from an answer."""

    nearness: Nearness
    told: str
    """In words; with its place in the source, if it has one, as `file:line: `."""
    engine: str | None = None
    bound: tuple[str, int] | None = None
    """The option that cut the search, and its value."""
    cause: GrowthKind | None = None
    """What in the program the search did not get through."""


def nearest(blockers: Iterable[Blocker]) -> Blocker | None:
    """The blocker to report first; of several equally near ones, the first that was found."""
    return min(blockers, key=lambda blocker: blocker.nearness, default=None)


def by_engine(blockers: Iterable[Blocker]) -> dict[str, Blocker]:
    """For each engine what kept it from an answer."""
    found: dict[str, Blocker] = {}
    for blocker in blockers:
        if blocker.engine is not None:
            known = found.get(blocker.engine)
            if known is None or blocker.nearness < known.nearness:
                found[blocker.engine] = blocker
    return found
