"""Accesses by cell: the index finds what comparing with each of them finds."""

from __future__ import annotations

from random import Random

from threadwise.ir.commands import Command
from threadwise.ir.program import Edge, EdgeId, LocId
from threadwise.ir.types import Value
from threadwise.proofs.simplified.shared import Path, _ByPath, may_overlap


def _edge(number: int) -> Edge:
    return Edge(EdgeId(number), LocId(0), LocId(1), Command())


def test_index_finds_what_may_overlap() -> None:
    random = Random(7)
    parts: tuple[str | int | None, ...] = ("a", "b", 0, 1, 2, None)
    found = missed = 0
    for _ in range(200):
        accesses: list[tuple[Path, tuple[Edge, Value | None]]] = []
        for number in range(random.randint(0, 12)):
            path: Path = ("v", *random.choices(parts, k=random.randint(0, 4)))
            accesses.append((path, (_edge(number), number)))
        cell: Path = ("v", *random.choices(parts[:-1], k=random.randint(0, 4)))
        wanted = [edge.id for path, (edge, _) in accesses if may_overlap(path, cell)]
        index = _ByPath(accesses)
        assert sorted(edge.id for edge, _ in index.overlapping(cell)) == wanted
        found += len(wanted)
        missed += len(accesses) - len(wanted)
    assert found > 100
    assert missed > 100
