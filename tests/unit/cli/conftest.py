"""Running the command line inside the test process, in an empty directory."""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import pytest

from threadwise.cli import arrivals
from threadwise.cli.main import main

COUNTER = """\
mutex m;
int[0..3] x;

thread worker[2] {
    int[0..3] t;
    t = x;
    x = t + 1;
    acquire(m);
    assert(x >= 1);
    release(m);
}

invariant small: x <= 2;
race_free x;
"""


@dataclass(frozen=True)
class Outcome:
    """What a run of the command line left behind."""

    code: int
    out: str
    err: str


Run: TypeAlias = Callable[..., Outcome]


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Run:
    """Run `threadwise` with arguments in a directory that contains `counter.tw`.

    Reports come in one piece, however slow the machine is.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(arrivals, "PATIENCE_S", 1e6)
    (tmp_path / "counter.tw").write_text(COUNTER)

    def run_main(*arguments: str) -> Outcome:
        monkeypatch.setattr(sys, "argv", ["threadwise", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        return Outcome(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run_main
