"""Runs of the command line: what it says, and the computing time of its processes."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def check(file: Path, *options: str) -> tuple[dict[str, Any] | None, float]:
    """The report of a run, and its computing time in seconds, evidence check included.

    Computing time of the processes, since others may be at work: wall time says little then.
    """
    command = [sys.executable, "-m", "threadwise", "check", str(file), "--format", "json"]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            [*command, *options], stdout=output, stderr=subprocess.DEVNULL, cwd=ROOT
        )
        _, _, usage = os.wait4(process.pid, 0)
        output.seek(0)
        text = output.read().decode()
    return (json.loads(text) if text.strip() else None), usage.ru_utime + usage.ru_stime


def exponent(points: Sequence[tuple[float, float]]) -> float | None:
    """The slope of a line through (log x, log y), by least squares; None for fewer than two."""
    logs = [(math.log(x), math.log(y)) for x, y in points if x > 0 and y > 0]
    if len({x for x, _ in logs}) < 2:
        return None
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    above = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return above / sum((x - mean_x) ** 2 for x, _ in logs)
