"""Proved protections as attributes that compilers know: `threadwise annotate`.

    count: __attribute__((guarded_by(lock)))
    pool.size: __attribute__((guarded_by(pool.lock)))  // or used while no other thread runs
    // hits: only atomic accesses

An attribute says that a lock is held at both of any two accesses that could meet. What is kept
apart otherwise, or by several locks of which no single one serves for all, is a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from threadwise.proofs.base.locations import Location
from threadwise.report.locations import locations_of_result
from threadwise.report.page import printable
from threadwise.results.result import Result

UNDER = "under "
_LOCK = re.compile(r"[A-Za-z_]\w*(?:(?:\.|->)[A-Za-z_]\w*)*")


def attributes(result: Result) -> list[str]:
    """A line for each shared location that is proved."""
    found = (each for checked in result.properties for each in locations_of_result(checked))
    return list(dict.fromkeys(_told(found)))


def _told(locations: Iterable[Location]) -> Iterator[str]:
    for location in locations:
        if not location.is_proved:
            continue
        locks = locks_of(location)
        others = [each for each in location.protections if not each.startswith(UNDER)]
        if locks:
            told = ", ".join(f"guarded_by({lock})" for lock in locks)
            beside = f"  // or {'; '.join(others)}" if others else ""
            yield printable(f"{location.name}: __attribute__(({told})){beside}")
        else:
            yield printable(f"// {location.name}: {'; '.join(location.protections)}")


def locks_of(location: Location) -> list[str]:
    """The locks that all of its accesses under locks have in common, if they can be named."""
    under = [
        set(each.removeprefix(UNDER).split(" and "))
        for each in location.protections
        if each.startswith(UNDER)
    ]
    common = sorted(set.intersection(*under)) if under else []
    return [lock for lock in common if _LOCK.fullmatch(lock)]
