"""What `benchmarks.killed_batches` finds out about a batch that was killed."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

from benchmarks.killed_batches import Seen, judged, look
from threadwise.batch.database import Database
from threadwise.batch.outcome import Outcome
from threadwise.batch.place import Usage
from threadwise.batch.running import plan
from threadwise.batch.tasks import Ending, Task


def recorded(path: Path, *names: str) -> None:
    """Record results of these tasks."""
    with Database(str(path), writing=True) as database:
        todo = plan(database, {name: Task(name, ()) for name in ("one", "two")})
        for known in todo.waiting:
            if known.task.name in names:
                report = {"task": known.task.name}
                ended = Outcome(Ending.SAFE, None, None, Usage(), report, "", {}, "", {}, "now")
                database.record(known, ended)


def held(path: Path, seen: Seen) -> list[bool | None]:
    return [bar.holds for bar in judged(path, seen)]


def test_nothing_is_lost(tmp_path: Path) -> None:
    path, seen = tmp_path / "r.db", Seen()
    look(path, seen)
    recorded(path, "one")
    look(path, seen)
    recorded(path, "two")
    assert held(path, seen) == [True, True, True]
    assert seen.kills == 2


def test_a_result_that_changes_was_lost(tmp_path: Path) -> None:
    path, seen = tmp_path / "r.db", Seen()
    recorded(path, "one")
    look(path, seen)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE result SET finished = 'later'")
    look(path, seen)
    recorded(path, "two")
    assert held(path, seen) == [False, True, True]


def test_what_ran_twice_is_seen(tmp_path: Path) -> None:
    path, seen = tmp_path / "r.db", Seen()
    recorded(path, "one", "two")
    orphan = tmp_path / "r.db-files" / "running" / "2-0" / "report.json"
    orphan.parent.mkdir(parents=True)
    orphan.write_text(json.dumps({"task": "two"}))
    look(path, seen)
    assert held(path, seen) == [True, True, True]
    seen.reports[2] = {"task": "another run of two"}
    assert held(path, seen) == [True, False, True]
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE task SET attempts = 2 WHERE name = 'one'")
    seen.reports.clear()
    assert held(path, seen) == [True, False, True]
