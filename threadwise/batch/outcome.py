"""The outcome of a task, read from the folder where it ran."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from threadwise import __version__
from threadwise.batch.place import Place, Usage
from threadwise.batch.tasks import Ending, Task

SETTINGS = "threadwise.toml"
"""Defaults of `check` in the current folder: read by every run."""
_REJECTED = 2


@dataclass(frozen=True)
class Outcome:
    """The end of a run, and what it depends on."""

    ending: Ending
    reason: str | None
    engine: str | None
    usage: Usage
    report: Mapping[str, Any] | None
    message: str
    inputs: Mapping[str, str | None]
    """What was read, with the hash of each file; None: it could not be read."""
    key: str
    evidence: Mapping[str, Path]
    """Certificate and trace, as far as there are any."""
    finished: str


def outcome_of(task: Task, place: Place, usage: Usage) -> Outcome:
    """The outcome of the run in a place."""
    report = place.report()
    read = {*task.files, *(report["inputs"] if report is not None else ())}
    inputs = hashes(sorted(read))
    evidence = {"certificate": place.certificate, "trace": place.trace}
    return Outcome(
        _ending(report, usage),
        _reason(report, usage, place.message()),
        None if report is None else report["engine"],
        usage if report is None else _with_statistics(usage, report),
        report,
        place.message(),
        inputs,
        key_of(task, inputs),
        {kind: path for kind, path in evidence.items() if path.is_file()},
        datetime.now(UTC).isoformat(timespec="seconds"),
    )


def hashes(paths: Iterable[str]) -> dict[str, str | None]:
    """The hash of each file, None for those that cannot be read."""
    found: dict[str, str | None] = {}
    for path in paths:
        try:
            with Path(path).open("rb") as file:
                found[path] = hashlib.file_digest(file, "sha256").hexdigest()
        except OSError:
            found[path] = None
    return found


def key_of(task: Task, inputs: Mapping[str, str | None]) -> str:
    """What a result depends on: as long as this stays the same, so does the result."""
    settings = hashes([SETTINGS])[SETTINGS]
    parts = [__version__, task.arguments, sorted(inputs.items()), settings]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _ending(report: Mapping[str, Any] | None, usage: Usage) -> Ending:
    if report is not None:
        return Ending(report["verdict"])
    return Ending.REJECTED if usage.exit_code == _REJECTED else Ending.FAILED


def _reason(report: Mapping[str, Any] | None, usage: Usage, message: str) -> str | None:
    if report is not None:
        reason = report["reason"]
        return None if reason is None else str(reason)
    if usage.exit_code is not None and usage.exit_code < 0:
        return f"ended by signal {-usage.exit_code}"
    if usage.exit_code != _REJECTED:
        return "no report"
    first = next((line.strip() for line in message.splitlines() if line.strip()), "")
    return first.removeprefix("error: ") or None


def _with_statistics(usage: Usage, report: Mapping[str, Any]) -> Usage:
    """Where nobody measured a run, it tells itself how long it took, and how much memory."""
    statistics = report["statistics"]
    wall = usage.wall_s if usage.wall_s is not None else statistics.get("time_s")
    measured = statistics.get("peak_memory_bytes") or usage.peak_memory_bytes
    return Usage(usage.exit_code, wall, usage.cpu_s, measured)
