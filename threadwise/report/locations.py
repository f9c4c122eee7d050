"""Shared locations: which are proved, by what; which pairs of accesses are undecided.

shared locations of races: 9, 7 of them proved; 2 pairs of accesses undecided
  ✓ count: under m.lock
  ? done
      pool.c:31: read of done by main, holding no lock
      pool.c:19: write of done by worker, holding no lock
      neither holds a lock
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from threadwise.core.documents import span_to_json
from threadwise.core.words import count
from threadwise.proofs.base.locations import Location, Pair, Side, undecided_pairs
from threadwise.results.result import PropertyResult
from threadwise.traces.trace import DescribedTrace

MANY = 10
"""So many proved locations, and undecided pairs, are told unless all are asked for."""

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
    told = f"shared locations of {name}: {len(locations)}, {len(proved)} of them proved"
    if racing:
        told += f"; {len(racing)} with a run that races"
    if open_:
        told += f"; {count(undecided_pairs(open_), 'pair')} of accesses undecided"
    yield told, "bold"
    for location in racing:
        yield f"  ✗ {location.name}: {shown_[location.name].violation}", ""
    shown = proved if full else proved[:MANY]
    for location in shown:
        yield f"  ✓ {location.name}: {'; '.join(location.protections)}", ""
    yield from _rest(len(proved) - len(shown), "proved location")
    left = sum(len(location.undecided) for location in open_) if full else MANY
    hidden = 0
    for location in open_:
        here = location.undecided[:left]
        left -= len(here)
        hidden += len(location.undecided) - len(here)
        if here:
            yield f"  ? {location.name}", ""
        for pair in here:
            yield from _pair(pair)
    yield from _rest(hidden, "undecided pair")


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
            "undecided": [_pair_to_json(pair) for pair in location.undecided],
        }
        for location in locations
    ]


def locations_of_result(checked: PropertyResult) -> tuple[Location, ...]:
    """What is known of the shared locations of a property, whatever the answer."""
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
