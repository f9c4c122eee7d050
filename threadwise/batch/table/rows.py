"""The rows of a table: one for each task of a database."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from threadwise.batch.database import Database
from threadwise.batch.tasks import Ending, is_wrong, points
from threadwise.results.verdict import Verdict


@dataclass(frozen=True)
class Row:
    """A task and its result; without one, everything about it is None."""

    name: str
    files: tuple[str, ...]
    properties: tuple[str, ...]
    options: tuple[str, ...]
    expected: Verdict | None
    ending: Ending | None = None
    reason: str | None = None
    engine: str | None = None
    wall_s: float | None = None
    cpu_s: float | None = None
    peak_memory_bytes: int | None = None
    finished: str | None = None
    tool_version: str | None = None
    message: str = ""
    report: dict[str, Any] | None = None
    evidence: tuple[tuple[str, Path], ...] = ()

    @property
    def is_wrong(self) -> bool:
        """Whether the answer is the opposite of what was expected."""
        return self.ending is not None and is_wrong(self.ending, self.expected)

    @property
    def is_right(self) -> bool:
        """Whether there is an answer that is not known to be wrong."""
        return self.ending is not None and self.ending.is_answer and not self.is_wrong

    @property
    def points(self) -> int | None:
        """What the answer is worth."""
        return None if self.ending is None else points(self.ending, self.expected)

    def cells(self) -> dict[str, str | int | float | None]:
        """What tables show, by column."""
        return {
            "task": self.name,
            "verdict": None if self.ending is None else self.ending.value,
            "expected": None if self.expected is None else self.expected.value,
            "points": self.points,
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
            "memory_mb": None
            if self.peak_memory_bytes is None
            else round(self.peak_memory_bytes / 1e6),
            "engine": self.engine,
            "reason": self.reason,
        }


COLUMNS = tuple(Row("", (), (), (), None).cells())


def read_rows(path: str) -> list[Row]:
    """All tasks of a database; raises InputError."""
    with Database(path, writing=False) as database:
        return [_row(database, found) for found in database.rows()]


def _row(database: Database, found: Any) -> Row:
    evidence = json.loads(found["evidence"] or "{}")
    return Row(
        found["name"],
        tuple(json.loads(found["files"])),
        tuple(json.loads(found["properties"])),
        tuple(json.loads(found["options"])),
        None if found["expected"] is None else Verdict(found["expected"]),
        None if found["ending"] is None else Ending(found["ending"]),
        found["reason"],
        found["engine"],
        found["wall_s"],
        found["cpu_s"],
        found["peak_memory_bytes"],
        found["finished"],
        found["tool_version"],
        found["message"] or "",
        None if found["report"] is None else json.loads(found["report"]),
        tuple((kind, database.evidence(digest)) for kind, digest in sorted(evidence.items())),
    )
