"""The differences of two runs: what a change of the tool, or of the programs, did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from statistics import median

from threadwise.batch.table.rows import Row

FACTOR = 2.0
AT_LEAST_S = 1.0
"""Slower is what takes `FACTOR` times as long and `AT_LEAST_S` longer: machines are noisy."""


@dataclass(frozen=True)
class Pair:
    """The same task in both runs."""

    before: Row
    after: Row

    def told(self) -> str:
        """In a line."""
        return f"{self.after.name}: {_told(self.before)} -> {_told(self.after)}"


@dataclass
class Difference:
    """Tasks by what became of them."""

    wrong: list[Pair] = field(default_factory=list)
    """Wrong now, and not before."""
    lost: list[Pair] = field(default_factory=list)
    """Answered before, and not now."""
    contradicted: list[Pair] = field(default_factory=list)
    """Answered in both, otherwise."""
    repaired: list[Pair] = field(default_factory=list)
    gained: list[Pair] = field(default_factory=list)
    slower: list[Pair] = field(default_factory=list)
    faster: list[Pair] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    ratio: float | None = None
    """The median of the times after by the times before, of tasks answered alike."""

    @property
    def is_worse(self) -> bool:
        """Whether something is wrong, lost or contradicted."""
        return bool(self.wrong or self.lost or self.contradicted)


def difference(before: Iterable[Row], after: Iterable[Row]) -> Difference:
    """What changed from one run to another, task by task."""
    earlier = {row.name: row for row in before if row.ending is not None}
    later = {row.name: row for row in after if row.ending is not None}
    found = Difference()
    found.removed = [name for name in earlier if name not in later]
    found.added = [name for name in later if name not in earlier]
    ratios: list[float] = []
    for name, row in later.items():
        if name in earlier:
            _sort(Pair(earlier[name], row), found, ratios)
    found.ratio = median(ratios) if ratios else None
    return found


def _sort(pair: Pair, found: Difference, ratios: list[float]) -> None:
    before, after = pair.before, pair.after
    if after.is_wrong and not before.is_wrong:
        found.wrong.append(pair)
    elif before.is_wrong and not after.is_wrong:
        found.repaired.append(pair)
    elif before.is_right and after.is_right and before.ending is not after.ending:
        found.contradicted.append(pair)
    elif before.is_right and not after.is_right:
        found.lost.append(pair)
    elif after.is_right and not before.is_right:
        found.gained.append(pair)
    elif after.is_right and before.wall_s and after.wall_s:
        ratios.append(after.wall_s / before.wall_s)
        if _is_slower(before.wall_s, after.wall_s):
            found.slower.append(pair)
        elif _is_slower(after.wall_s, before.wall_s):
            found.faster.append(pair)


def _is_slower(before: float, after: float) -> bool:
    return after > before * FACTOR and after > before + AT_LEAST_S


def to_text(found: Difference) -> str:
    """The difference in words, the gravest first."""
    parts: list[tuple[str, Sequence[Pair]]] = [
        ("new wrong answers", found.wrong),
        ("contradicting answers", found.contradicted),
        ("lost", found.lost),
        ("no longer wrong", found.repaired),
        ("gained", found.gained),
        (f"slower ({FACTOR:g} times and {AT_LEAST_S:g} s)", found.slower),
        ("faster", found.faster),
    ]
    lines: list[str] = []
    for title, pairs in parts:
        if pairs:
            lines += [f"{title}: {len(pairs)}", *(f"  {pair.told()}" for pair in pairs)]
    if found.removed or found.added:
        lines.append(f"only before: {len(found.removed)}, only after: {len(found.added)}")
    if found.ratio is not None:
        lines.append(f"time after / before, median of equal answers: {found.ratio:.2f}")
    return "\n".join(lines or ["no difference"]) + "\n"


def _told(row: Row) -> str:
    ending = "none" if row.ending is None else row.ending.value
    time = "" if row.wall_s is None else f" {row.wall_s:.1f} s"
    return f"{ending}{' (wrong)' if row.is_wrong else ''}{time}"
