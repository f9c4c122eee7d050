"""Running the tool as users do: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).parents[2]
T = TypeVar("T")
COMMAND = [sys.executable, "-c", "from threadwise.cli.main import main; main()"]


@dataclass(frozen=True)
class Outcome:
    """What a run left behind."""

    code: int
    out: str
    err: str
    time_s: float


BYTECODE = Path(tempfile.gettempdir()) / "threadwise-tests-bytecode"


def environment() -> dict[str, str]:
    """The environment of the test run, with this source tree first on the path.

    Compiled modules are kept, as on a user's machine, but not in the source tree.
    """
    inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    chosen = {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    return {**inherited, **chosen, "NO_COLOR": "1", "COLUMNS": "100"}


def threadwise(*arguments: str, cwd: Path = ROOT, timeout_s: float = 120) -> Outcome:
    """Run the tool to its end."""
    started = time.monotonic()
    done = subprocess.run(
        [*COMMAND, *arguments],
        cwd=cwd,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
    )
    return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - started)


def once_long_enough(
    seconds: Sequence[float], run: Callable[[float], T], is_long_enough: Callable[[T], bool]
) -> T:
    """What a run gave that had time to get somewhere, on a machine as slow as it may be.

    The last one is given as it is: a run that gets nowhere in that time is the test's to judge.
    """
    for chosen in seconds[:-1]:
        if is_long_enough(found := run(chosen)):
            return found
    return run(seconds[-1])
