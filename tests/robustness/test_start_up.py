"""What a start of the tool costs: which modules it loads."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.robustness.command_line import COMMAND, ROOT, environment

SOLVERS = {"z3", "dd", "clang", "cvc5", "numpy", "llvmlite", "numba"}


def imported(*command: str, cwd: Path = ROOT) -> set[str]:
    """The top-level packages that a run of Python imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", *command],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        env=environment(),
    )
    names = re.findall(r"^import time:[\s\d|]*\| +(\S+)$", done.stderr, re.MULTILINE)
    assert "threadwise" in names, done.stderr[-300:]
    return {name.partition(".")[0] for name in names}


def test_the_entry_point_imports_no_solver() -> None:
    assert not imported("-c", "import threadwise.cli.main") & SOLVERS


def test_checking_a_small_model_imports_no_solver(tmp_path: Path) -> None:
    (tmp_path / "small.tw").write_text(
        "int[0..3] x; thread t[2] { x = x + 1; } invariant i: x < 3;"
    )
    one_at_a_time = ["check", "small.tw", "--jobs", "1"]
    assert not imported(*COMMAND[1:], *one_at_a_time, cwd=tmp_path) & SOLVERS
