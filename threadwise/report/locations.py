"""Shared locations: which are proved, by what; which pairs of accesses are undecided.

races: 9 shared locations, 7 proved (6 by the kernel); 2 pairs of accesses undecided
  ✓ count: under m.lock
  ? done
      pool.c:31: read of done by main, holding no lock
      pool.c:19: write of done by worker, holding no lock
      neither holds a lock
      … and 2 more pairs with the access by main at pool.c:31; --full lists them
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from threadwise.core.documents import span_to_json
from threadwise.core.source import Span
from threadwise.core.words import count
from threadwise.proofs.base.locations import Location, Pair, Side, undecided_pairs
from threadwise.results.result import PropertyResult
from threadwise.traces.trace import DescribedTrace

MANY = 10
"""So many proved locations, and undecided accesses, are shown unless all are asked for."""

Json = Any


def locations_told(
    name: str,
    locations: Sequence[Location],
    witnesses: Mapping[str, DescribedTrace] | None = None,
    *,
    full: bool,
) -> Iterator[tuple[str, str]]:
    """Lines with their styles: how many there are, and what is known of each."""
    proved = [location for location in locations if location.is_proved]
    shown_ = witnesses or {}
    racing = [location for location in locations if location.name in shown_]
    open_ = [each for each in locations if not each.is_proved and each.name not in shown_]
    told = f"{name}: {count(len(locations), 'shared location')}, {len(proved)} proved"
    if by_kernel := sum(location.kernel for location in proved):
        told += f" ({by_kernel} by the kernel)"
    if racing:
        told += f", {len(racing)} racy"
    if open_:
        beyond = " or more" if any(location.crowd for location in open_) else ""
        told += f"; {count(undecided_pairs(open_), 'pair')}{beyond} of accesses undecided"
    yield told, "bold"
    for location in racing:
        yield f"  ✗ {location.name}: {_race(shown_[location.name])}", ""
    shown = proved if full else proved[:MANY]
    for location in shown:
        yield f"  ✓ {location.name}: {'; '.join(location.protections)}", ""
    yield from _rest(len(proved) - len(shown), "proved location")
    left, hidden = MANY, 0  # of accesses that may be shown, of pairs that are not
    for location in open_:
        pairs = location.undecided
        causes = list(_one_by_one(pairs) if full else islice(_causes(pairs), left))
        left = max(left - len(causes), 0)
        hidden += len(pairs) - sum(1 + more for _, _, more in causes)
        if causes:
            yield f"  ? {location.name}", ""
        for pair, access, more in causes:
            yield from _pair(pair)
            yield from _folded(access, more)
    yield from _rest(hidden, "undecided pair")


def _race(found: DescribedTrace) -> str:
    """Who races; the line begins with what for."""
    return found.violation.partition(": ")[2] or found.violation


def _one_by_one(pairs: Sequence[Pair]) -> Iterator[tuple[Pair, Side, int]]:
    return ((pair, pair.first, 0) for pair in pairs)


def _causes(pairs: Sequence[Pair]) -> Iterator[tuple[Pair, Side, int]]:
    """A pair for each access that many are undecided with, and how many more there are with it.

    Who makes sure of that access settles them all.
    """
    left = list(pairs)
    while left:
        found = Counter(key for pair in left for key in dict.fromkeys(map(_access, _sides(pair))))
        most = max(found, key=lambda key: found[key])
        same = [pair for pair in left if most in map(_access, _sides(pair))]
        left = [pair for pair in left if most not in map(_access, _sides(pair))]
        access = next(side for side in _sides(same[0]) if _access(side) == most)
        yield same[0], access, len(same) - 1


def _sides(pair: Pair) -> tuple[Side, Side]:
    return pair.first, pair.second


def _access(side: Side) -> tuple[str, Span | None]:
    """What reads and writes of one statement have in common."""
    return side.thread, side.span


def _folded(access: Side, more: int) -> Iterator[tuple[str, str]]:
    if more:
        where = "" if access.span is None else f" at {access.span.path}:{access.span.line}"
        with_ = f"with the access by {access.thread}{where}"
        yield f"      … and {count(more, 'more pair')} {with_}; --full lists them", "dim"


def _rest(hidden: int, what: str) -> Iterator[tuple[str, str]]:
    if hidden:
        yield f"  … and {count(hidden, f'more {what}')}; --full lists them", "dim"


def _pair(pair: Pair) -> Iterator[tuple[str, str]]:
    yield f"      {pair.first.told}", ""
    yield f"      {pair.second.told}", ""
    yield f"      {pair.lacking}", "dim"


def locations_to_json(
    locations: Sequence[Location], witnesses: Mapping[str, Json] | None = None
) -> list[Json]:
    """All of them; witnesses are traces by the names of locations."""
    shown = witnesses or {}
    return [
        {
            "name": location.name,
            "proved": location.is_proved,
            **({"witness": shown[location.name]} if location.name in shown else {}),
            "protections": list(location.protections),
            "kernel": location.kernel,
            "undecided": [_pair_to_json(pair) for pair in location.undecided],
        }
        for location in locations
    ]


def locations_of_result(checked: PropertyResult) -> tuple[Location, ...]:
    """The results for the shared locations of a property, whatever the answer."""
    return checked.locations if checked.part is None else checked.part.locations


def _pair_to_json(pair: Pair) -> Json:
    return {
        "accesses": [_side_to_json(pair.first), _side_to_json(pair.second)],
        "lacking": pair.lacking,
    }


def _side_to_json(side: Side) -> Json:
    return {
        "thread": side.thread,
        "location": span_to_json(side.span),
        "write": side.write,
        "place": side.place,
        "locks": list(side.locks),
    }
