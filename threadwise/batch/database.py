"""What is remembered of a batch: an SQLite database, one row for each task and its result.

Its schema, which docs/user/batch.md explains column by column, is `SCHEMA` below. A result with
its inputs and evidence is one transaction, so a killed batch leaves results or none, never halves.
Evidence lies beside the database, in files named by their contents.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from threadwise import __version__
from threadwise.batch.outcome import Outcome
from threadwise.batch.place import Place
from threadwise.batch.tasks import Ending, Task
from threadwise.core.errors import InputError
from threadwise.results.verdict import Verdict

FORMAT = 1
ROOM_BYTES = 1 << 16
"""A run that left no report may have found less room than this."""
SCHEMA = """
CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE task (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    files TEXT NOT NULL,
    properties TEXT NOT NULL,
    options TEXT NOT NULL,
    expected TEXT,
    attempts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE TABLE result (
    task INTEGER PRIMARY KEY REFERENCES task,
    key TEXT NOT NULL,
    tool_version TEXT NOT NULL,
    finished TEXT NOT NULL,
    ending TEXT NOT NULL,
    reason TEXT,
    engine TEXT,
    exit_code INTEGER,
    wall_s REAL,
    cpu_s REAL,
    peak_memory_bytes INTEGER,
    report TEXT,
    message TEXT NOT NULL
) STRICT;
CREATE TABLE input (
    task INTEGER NOT NULL REFERENCES task,
    path TEXT NOT NULL,
    sha256 TEXT,
    PRIMARY KEY (task, path)
) STRICT;
CREATE TABLE evidence (
    task INTEGER NOT NULL REFERENCES task,
    kind TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    PRIMARY KEY (task, kind)
) STRICT;
"""


@dataclass(frozen=True)
class Known:
    """A task of the database, and how it ended if it did."""

    id: int
    task: Task
    attempts: int
    ending: Ending | None
    key: str | None


class Database:
    """An open database; only one batch at a time may write to it."""

    def __init__(self, path: str, *, writing: bool) -> None:
        """Open it, or make a new one if it is to be written; raises InputError."""
        self.path = Path(path)
        self._lock: int | None = None
        if not writing and not self.path.is_file():
            raise InputError.of(f"{path}: no such file")
        with self._told():
            if writing:
                self._lock = self._locked()
            self._connection = sqlite3.connect(
                path if writing else f"{self.path.absolute().as_uri()}?mode=ro",
                isolation_level=None,
                check_same_thread=False,
                uri=not writing,
            )
            self._connection.row_factory = sqlite3.Row
            self._prepare(writing=writing)

    @property
    def folder(self) -> Path:
        """Where the files of the batch are: evidence, and the places of runs at work."""
        return self.path.with_name(f"{self.path.name}-files")

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let others write to it."""
        self._connection.close()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _locked(self) -> int:
        self.folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(self.folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(lock)
            raise InputError.of(f"{self.path}: another batch is at work on it") from None
        return lock

    def _prepare(self, *, writing: bool) -> None:
        tables = self._connection.execute("SELECT name FROM sqlite_master").fetchall()
        if not tables and writing:
            self._connection.execute("PRAGMA journal_mode = WAL")
            self._connection.executescript(f"BEGIN; {SCHEMA} COMMIT;")
            self._connection.execute("INSERT INTO about VALUES ('format', ?)", (str(FORMAT),))
        found = self._connection.execute("SELECT value FROM about WHERE name = 'format'")
        (format_,) = found.fetchone()
        if format_ != str(FORMAT):
            raise InputError.of(f"{self.path}: its format is {format_}, expected {FORMAT}")

    @contextmanager
    def _told(self) -> Iterator[None]:
        """What SQLite or the system says about the file, as an InputError."""
        try:
            yield
        except (sqlite3.Error, OSError, TypeError) as error:
            told = getattr(error, "strerror", None) or str(error)
            raise InputError.of(f"{self.path}: cannot be used: {told}") from None

    # -- tasks -----------------------------------------------------------------------------------

    def register(self, tasks: Iterable[Task]) -> None:
        """Add the tasks that are new."""
        with self._told(), self._transaction():
            for task in tasks:
                self._connection.execute(
                    "INSERT OR IGNORE INTO task (name, files, properties, options, expected)"
                    " VALUES (?, ?, ?, ?, ?)",
                    (
                        task.name,
                        json.dumps(task.files),
                        json.dumps(task.properties),
                        json.dumps(task.options),
                        None if task.expected is None else task.expected.value,
                    ),
                )

    def replace(self, id_: int, task: Task) -> None:
        """A task of the same name is asked otherwise now."""
        with self._told(), self._transaction():
            self._connection.execute(
                "UPDATE task SET files = ?, properties = ?, options = ?, expected = ?"
                " WHERE id = ?",
                (
                    json.dumps(task.files),
                    json.dumps(task.properties),
                    json.dumps(task.options),
                    None if task.expected is None else task.expected.value,
                    id_,
                ),
            )

    def known(self) -> dict[str, Known]:
        """All tasks by name."""
        with self._told():
            rows = self._connection.execute(
                "SELECT * FROM task LEFT JOIN result ON task = id ORDER BY id"
            ).fetchall()
        return {row["name"]: _known(row) for row in rows}

    def rows(self) -> list[sqlite3.Row]:
        """Everything about all tasks, for tables."""
        with self._told():
            return self._connection.execute(
                "SELECT task.*, result.*, (SELECT json_group_object(kind, sha256) FROM evidence"
                " WHERE evidence.task = id) AS evidence"
                " FROM task LEFT JOIN result ON result.task = id ORDER BY id"
            ).fetchall()

    # -- results ---------------------------------------------------------------------------------

    def place(self, known: Known) -> Place:
        """Where the next attempt at a task happens."""
        return Place(self.folder / "running" / f"{known.id}-{known.attempts}")

    def record(self, known: Known, outcome: Outcome) -> None:
        """Keep a result and its evidence, in the place of an earlier one; raises InputError."""
        with self._told():
            kept = {kind: self._keep(path) for kind, path in outcome.evidence.items()}
        with self._told(), self._transaction():
            for table in ("result", "input", "evidence"):
                self._connection.execute(f"DELETE FROM {table} WHERE task = ?", (known.id,))
            self._insert(known.id, outcome)
            self._connection.executemany(
                "INSERT INTO input VALUES (?, ?, ?)",
                [(known.id, path, digest) for path, digest in outcome.inputs.items()],
            )
            self._connection.executemany(
                "INSERT INTO evidence VALUES (?, ?, ?)",
                [(known.id, kind, digest) for kind, digest in kept.items()],
            )
            self._connection.execute(
                "UPDATE task SET attempts = attempts + 1 WHERE id = ?", (known.id,)
            )

    def _insert(self, id_: int, outcome: Outcome) -> None:
        usage = outcome.usage
        row = (
            id_,
            outcome.key,
            __version__,
            outcome.finished,
            outcome.ending.value,
            outcome.reason,
            outcome.engine,
            usage.exit_code,
            usage.wall_s,
            usage.cpu_s,
            usage.peak_memory_bytes,
            None if outcome.report is None else json.dumps(outcome.report),
            outcome.message,
        )
        marks = ", ".join("?" * len(row))
        self._connection.execute(f"INSERT INTO result VALUES ({marks})", row)

    def check_room(self) -> None:
        """Raise InputError if there is no room for files: then no report means nothing."""
        probe = self.folder / "probe"
        with self._told():
            try:
                probe.write_bytes(b"." * ROOM_BYTES)
            finally:
                probe.unlink(missing_ok=True)

    def inputs(self, known: Known) -> list[str]:
        """What the last run of a task read."""
        with self._told():
            found = self._connection.execute(
                "SELECT path FROM input WHERE task = ? ORDER BY path", (known.id,)
            )
            return [row["path"] for row in found]

    def evidence(self, digest: str) -> Path:
        """The file with these contents."""
        return self.folder / "evidence" / digest[:2] / f"{digest}.json"

    def _keep(self, path: Path) -> str:
        """Keep a file by its contents; it may go away afterwards."""
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        kept = self.evidence(digest)
        kept.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            os.link(path, kept)
        return digest

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            # A full disk ends the transaction by itself.
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")


def _known(row: sqlite3.Row) -> Known:
    task = Task(
        row["name"],
        _texts(row["files"]),
        _texts(row["properties"]),
        _texts(row["options"]),
        None if row["expected"] is None else Verdict(row["expected"]),
    )
    ending = None if row["ending"] is None else Ending(row["ending"])
    return Known(row["id"], task, row["attempts"], ending, row["key"])


def _texts(text: str) -> tuple[str, ...]:
    found: Sequence[Any] = json.loads(text)
    return tuple(str(each) for each in found)
