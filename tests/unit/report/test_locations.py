"""Undecided pairs of accesses, folded by the access that they have in common."""

from __future__ import annotations

from threadwise.core.source import Span
from threadwise.proofs.base.locations import Location, Pair, Side
from threadwise.report.locations import MANY, locations_told


def side(line: int, thread: str = "worker", *, write: bool = True) -> Side:
    return Side(thread, Span.at("a.c", line, 1), write, "x", ())


def pair(first: Side, second: Side) -> Pair:
    return Pair(first, second, "neither holds a lock")


def told(*pairs: Pair, full: bool = False) -> list[str]:
    """The lines below the name of a location."""
    location = Location("x", (), pairs)
    return [line for line, _ in locations_told("races", [location], full=full)][2:]


MAIN = side(9, "main", write=False)
MORE = "; --full lists them"


def test_pairs_with_one_access_are_one_cause() -> None:
    lines = told(*(pair(MAIN, side(number)) for number in (1, 2, 3)))
    assert lines == [
        "      a.c:9: read of x by main, holding no lock",
        "      a.c:1: write of x by worker, holding no lock",
        "      neither holds a lock",
        f"      … and 2 more pairs with the access by main at a.c:9{MORE}",
    ]


def test_reads_and_writes_of_a_statement_are_one_access() -> None:
    lines = told(pair(side(1, write=False), side(1)), pair(side(1), side(1)))
    assert lines[-1] == f"      … and 1 more pair with the access by worker at a.c:1{MORE}"


def test_pairs_without_a_common_access_are_all_told() -> None:
    lines = told(pair(side(1), side(2)), pair(side(3), side(4)))
    assert len(lines) == 6
    assert not any("more" in line for line in lines)


def test_no_pair_is_lost() -> None:
    pairs = [pair(side(2 * n), side(2 * n + 1)) for n in range(1, MANY + 4)]
    pairs += [pair(side(2), side(100)), pair(side(2), side(101))]
    lines = told(*pairs)
    assert sum("neither" in line for line in lines) == MANY
    assert lines[-1] == f"  … and 3 more undecided pairs{MORE}"
    assert sum("… and 2 more pairs" in line for line in lines) == 1
    assert sum("neither" in line for line in told(*pairs, full=True)) == len(pairs)
