"""Batches that are killed, resumed, changed and asked again."""

from __future__ import annotations

import fcntl
import json
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from threadwise.batch import place
from threadwise.batch.database import Database
from threadwise.batch.local import Job, Local
from threadwise.batch.outcome import Outcome, hashes, key_of
from threadwise.batch.place import Children, Place, Usage, environment_for, run_in_place
from threadwise.batch.running import Plan, Rerun, plan, run_batch
from threadwise.batch.tasks import Ending, Task
from threadwise.core.errors import InputError
from threadwise.results.verdict import Verdict

ROOT = Path(__file__).parents[3]


def outcome(task: Task, ending: Ending = Ending.SAFE) -> Outcome:
    """A result without a run."""
    inputs = hashes(task.files)
    return Outcome(
        ending, None, None, Usage(0, 1.0), None, "", inputs, key_of(task, inputs), {}, ""
    )


def planned(path: Path, *tasks: Task, changed: bool = False, rerun: Rerun | None = None) -> Plan:
    """What there is to do."""
    with Database(str(path), writing=True) as database:
        return plan(database, {task.name: task for task in tasks}, changed=changed, rerun=rerun)


def recorded(path: Path, *ended: tuple[Task, Ending]) -> None:
    """A database with these results."""
    with Database(str(path), writing=True) as database:
        todo = plan(database, {task.name: task for task, _ in ended})
        for known, (task, ending) in zip(todo.waiting, ended, strict=True):
            database.record(known, outcome(task, ending))


def names(known: Plan) -> list[str]:
    """The tasks that will be run."""
    return [each.task.name for each in known.waiting]


def test_what_has_a_result_is_not_run_again(tmp_path: Path) -> None:
    one, two = Task("one", ("one.c",)), Task("two", ("two.c",))
    recorded(tmp_path / "r.db", (one, Ending.SAFE))
    assert names(planned(tmp_path / "r.db", one, two)) == ["two"]


def test_what_is_not_as_it_was_is_run_again(tmp_path: Path) -> None:
    file, header = tmp_path / "one.c", tmp_path / "one.h"
    file.write_text("1")
    header.write_text("1")
    task = Task("one", (str(file), str(header)))
    recorded(tmp_path / "r.db", (task, Ending.SAFE))
    assert names(planned(tmp_path / "r.db", task, changed=True)) == []
    header.write_text("2")
    assert names(planned(tmp_path / "r.db", task)) == []
    assert names(planned(tmp_path / "r.db", task, changed=True)) == ["one"]
    header.unlink()
    assert names(planned(tmp_path / "r.db", task, changed=True)) == ["one"]


def test_other_questions_are_refused_or_asked_again(tmp_path: Path) -> None:
    task = Task("one", ("one.c",))
    other = replace(task, options=("--engine", "explicit"))
    recorded(tmp_path / "r.db", (task, Ending.SAFE))
    with pytest.raises(InputError, match="was asked otherwise before"):
        planned(tmp_path / "r.db", other)
    assert [each.task for each in planned(tmp_path / "r.db", other, changed=True).waiting] == [
        other
    ]


@pytest.mark.parametrize(
    ("rerun", "again"),
    [
        (Rerun.UNKNOWN, ["unknown", "failed"]),
        (Rerun.FAILED, ["failed"]),
        (Rerun.WRONG, ["wrong"]),
        (Rerun.ALL, ["safe", "unknown", "failed", "wrong"]),
    ],
)
def test_which_are_run_again(tmp_path: Path, rerun: Rerun, again: list[str]) -> None:
    ended = {
        "safe": Ending.SAFE,
        "unknown": Ending.UNKNOWN,
        "failed": Ending.FAILED,
        "wrong": Ending.UNSAFE,
    }
    tasks = [
        (Task(name, (name,), expected=Verdict.SAFE), ending) for name, ending in ended.items()
    ]
    recorded(tmp_path / "r.db", *tasks)
    assert names(planned(tmp_path / "r.db", *(task for task, _ in tasks), rerun=rerun)) == again


# -- killed at any moment ------------------------------------------------------------------------


def resumed(folder: Path, kills: list[float], count: int) -> Counter[str]:
    """A batch that is killed after so many seconds each, and at last comes to its end."""
    command = [sys.executable, "-m", "tests.unit.batch.fake_tool"]
    command += [str(folder / "r.db"), str(folder / "log"), str(count)]
    for delay in kills:
        process = subprocess.Popen(command, cwd=ROOT)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        if (folder / "r.db").exists():
            connection = sqlite3.connect(folder / "r.db")
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            connection.close()
    subprocess.run(command, cwd=ROOT, check=True)
    return Counter((folder / "log").read_text().splitlines())


def check_resumed(folder: Path, noted: Counter[str], count: int) -> None:
    """Nothing is lost, and nothing ran to its end twice."""
    with Database(str(folder / "r.db"), writing=False) as database:
        known = database.known()
    assert len(known) == count
    assert {each.ending for each in known.values()} == {Ending.SAFE}
    ended = {note: times for note, times in noted.items() if note.endswith("ended")}
    assert ended == {f"task{number} ended": 1 for number in range(count)}


def test_a_killed_batch_goes_on(tmp_path: Path) -> None:
    check_resumed(tmp_path, resumed(tmp_path, [0.6, 0.8], 12), 12)


@pytest.mark.slow
def test_killed_at_ten_random_moments(tmp_path: Path) -> None:
    draw = random.Random(3)
    kills = [0.3 + 1.2 * draw.random() for _ in range(10)]
    check_resumed(tmp_path, resumed(tmp_path, kills, 300), 300)


# -- places --------------------------------------------------------------------------------------


def fake(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Let runs be those of a script."""
    monkeypatch.setattr(
        place, "command_for", lambda arguments, where: [sys.executable, "-c", text]
    )


def test_a_run_that_came_to_its_end_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(monkeypatch, "raise SystemExit(9)")
    Place(tmp_path).output.write_text('{"verdict": "SAFE"}')
    assert run_in_place(str(tmp_path), [], None) == Usage()


def test_a_run_without_report_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(monkeypatch, 'print(\'{"verdict": "SAFE"}\')')
    Place(tmp_path).output.write_text('{"verdict": "SA')
    assert run_in_place(str(tmp_path), [], None).exit_code == 0
    assert Place(tmp_path).report() == {"verdict": "SAFE"}


def test_nobody_waits_for_a_run_of_others_once_all_is_stopped(tmp_path: Path) -> None:
    children = Children()
    children.stop()
    with Place(tmp_path).output.open("ab") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(place.Stopped):
            run_in_place(str(tmp_path), [], None, children)


def test_who_does_not_obey_the_limit_is_killed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(monkeypatch, "import time; time.sleep(600)")
    monkeypatch.setattr(place, "GRACE_S", 0.2)
    assert run_in_place(str(tmp_path), [], 0.1).exit_code == -signal.SIGKILL


def test_whoever_stops_taking_results_stops_the_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = tmp_path / "begun"
    fake(monkeypatch, f"open({str(begun)!r}, 'a').close(); import time; time.sleep(600)")
    jobs = [Job(number, [], Place(tmp_path / str(number))) for number in range(4)]
    running = Local(2, None).run(jobs)
    assert next(running) is None
    running.close()  # type: ignore[attr-defined]
    assert not (tmp_path / "3").exists()


def test_nobody_waits_until_a_result_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(monkeypatch, "pass")
    jobs = [Job(number, [], Place(tmp_path / "running" / str(number))) for number in range(3)]
    local = Local(1, None)
    running = local.run(jobs)
    ended = next(each for each in running if each is not None)
    assert ended[0] is jobs[0]
    assert list(local.running.values()) == [jobs[1]]
    assert [each[0] for each in running if each is not None] == jobs[1:]


def test_runs_share_compiled_modules_where_there_are_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.delenv("PYTHONPYCACHEPREFIX", raising=False)
    where = Place(tmp_path / "running" / "0-0")
    compiled = tmp_path / "compiled.pyc"
    found = environment_for(where, str(compiled))
    assert "PYTHONDONTWRITEBYTECODE" not in found
    assert found["PYTHONPYCACHEPREFIX"] == str(tmp_path / "bytecode")
    compiled.write_bytes(b"")
    found = environment_for(where, str(compiled))
    assert found["PYTHONDONTWRITEBYTECODE"] == "1"
    assert "PYTHONPYCACHEPREFIX" not in found


# -- what goes wrong -----------------------------------------------------------------------------


def test_two_batches_at_once(tmp_path: Path) -> None:
    with (
        Database(str(tmp_path / "r.db"), writing=True),
        pytest.raises(InputError, match="another batch is at work"),
    ):
        Database(str(tmp_path / "r.db"), writing=True)


def test_a_folder_that_cannot_be_written() -> None:
    with pytest.raises(InputError, match=r"/proc/r\.db: cannot be used"):
        Database("/proc/r.db", writing=True)


def test_what_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "r.db").write_text("text " * 1000)
    with pytest.raises(InputError, match="cannot be used: file is not a database"):
        Database(str(tmp_path / "r.db"), writing=True)
    sqlite3.connect(tmp_path / "other.db").execute("CREATE TABLE about (name, value)").close()
    with pytest.raises(InputError, match="cannot be used"):
        Database(str(tmp_path / "other.db"), writing=False)
    with pytest.raises(InputError, match="no such file"):
        Database(str(tmp_path / "none.db"), writing=False)


def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    one, two = Task("one", ("one.c",)), Task("two", ("two.c",))
    with Database(str(tmp_path / "r.db"), writing=True) as database:
        todo = plan(database, {"one": one, "two": two})
        database.record(todo.waiting[0], outcome(one))
        (pages,) = database._connection.execute("PRAGMA page_count").fetchone()
        database._connection.execute(f"PRAGMA max_page_count = {pages}")
        large = replace(outcome(two), message="x" * 100_000)
        with pytest.raises(InputError, match="database or disk is full"):
            database.record(todo.waiting[1], large)
    assert names(planned(tmp_path / "r.db", one, two)) == ["two"]


def test_a_run_that_found_no_room_is_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake(monkeypatch, "raise SystemExit(2)")
    task = Task("one", ("one.c",))

    def full(self: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with Database(str(tmp_path / "r.db"), writing=True) as database:
        todo = plan(database, {"one": task})
        with monkeypatch.context() as patched:
            patched.setattr(Path, "write_bytes", full)
            with pytest.raises(InputError, match="No space left on device"):
                run_batch(database, todo.waiting, Local(1, None), lambda known, outcome: None)
        todo = plan(database, {"one": task})
        assert names(todo) == ["one"]
        run_batch(database, todo.waiting, Local(1, None), lambda known, outcome: None)
        assert database.known()["one"].ending is Ending.REJECTED
        assert not (database.folder / "probe").exists()


def test_a_place_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    running = Local(1, None).run([Job(0, [], Place(tmp_path / "file" / "0"))])
    with pytest.raises(InputError, match="cannot be used: Not a directory"):
        next(running)


# -- the tool itself -----------------------------------------------------------------------------


def test_reports_and_evidence_are_kept(tmp_path: Path) -> None:
    right, wrong, bad = tmp_path / "right.tw", tmp_path / "wrong.tw", tmp_path / "bad.tw"
    right.write_text("int[0..1] x; thread t { x = 1; assert(x == 1); }")
    wrong.write_text("int[0..1] x; thread t { x = 1; assert(x == 0); }")
    bad.write_text("thread {")
    asked = ("assertions",)
    tasks = {path.stem: Task(path.stem, (str(path),), asked) for path in (right, wrong, bad)}
    with Database(str(tmp_path / "r.db"), writing=True) as database:
        todo = plan(database, tasks)
        run_batch(database, todo.waiting, Local(1, 60), lambda known, outcome: None)
        rows = {row["name"]: row for row in database.rows()}
        assert {name: row["ending"] for name, row in rows.items()} == {
            "right": "SAFE",
            "wrong": "UNSAFE",
            "bad": "REJECTED",
        }
        kinds = {name: json.loads(row["evidence"]) for name, row in rows.items()}
        assert {name: sorted(kind) for name, kind in kinds.items()} == {
            "right": ["certificate"],
            "wrong": ["trace"],
            "bad": [],
        }
        proof = database.evidence(kinds["right"]["certificate"]).read_text()
        assert proof.startswith('{"format": "threadwise-certificate"')
        assert "bad.tw:1:8" in rows["bad"]["message"]
        assert "bad.tw:1:8" in rows["bad"]["reason"]
        assert database.inputs(database.known()["right"]) == [str(right)]
    assert not list((tmp_path / "r.db-files" / "running").iterdir())
