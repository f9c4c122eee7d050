"""Rows are printed as soon as properties are decided."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from threadwise.cli.arrivals import Arrivals
from threadwise.core.doubts import Doubt
from threadwise.core.load_options import LoadOptions
from threadwise.core.progress import silent
from threadwise.core.source import Span
from threadwise.driver.running.collector import Collector
from threadwise.driver.running.messages import Decided, Loaded
from threadwise.report.page import Style
from threadwise.report.text import to_text
from threadwise.results.result import Assumed, PropertyResult
from threadwise.results.verdict import Verdict

SAFE = PropertyResult("races", "race", Verdict.SAFE, "digest")
UNSAFE = PropertyResult("assert:9", "assertion", Verdict.UNSAFE, "explicit")
OPEN = PropertyResult("deadlocks", "deadlock", Verdict.UNKNOWN, reason="too hard")


def known(*results: PropertyResult) -> Collector:
    collector = Collector("x.tw", LoadOptions(), silent)
    collector.take(Loaded("0", tuple((r.name, r.kind, None) for r in (SAFE, UNSAFE, OPEN))))
    for result in results:
        collector.take(Decided((result,)))
    return collector


def test_rows_come_once_and_in_the_order_of_arrival(capsys: pytest.CaptureFixture[str]) -> None:
    hidden: list[int] = []
    arrivals = Arrivals(Style(), lambda: hidden.append(1), patience_s=0)
    arrivals.watch(known())
    assert capsys.readouterr().out == ""
    arrivals.watch(known(UNSAFE))
    arrivals.watch(known(UNSAFE, SAFE, OPEN))
    arrivals.watch(known(UNSAFE, SAFE, OPEN))
    assert capsys.readouterr().out == (
        "x.tw\n\n"
        "  ✗ UNSAFE   assert:9   assertion  explicit\n"
        "  ✓ SAFE     races      race       digest\n"
    )
    assert arrivals.told == {"assert:9": Verdict.UNSAFE, "races": Verdict.SAFE}
    assert len(hidden) == 2


def test_violations_wait_for_the_end_if_some_are_left_out(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arrivals = Arrivals(Style(), lambda: None, patience_s=0)
    arrivals.chooses = lambda paths: True
    arrivals.watch(known(UNSAFE, SAFE))
    assert "UNSAFE" not in capsys.readouterr().out
    assert arrivals.told == {"races": Verdict.SAFE}


def test_rows_wait_a_moment_for_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    arrivals = Arrivals(Style(), lambda: None, patience_s=1000)
    arrivals.watch(known(UNSAFE))
    arrivals.watch(known(UNSAFE, SAFE))
    assert capsys.readouterr().out == ""
    assert arrivals.told == {}


def test_the_rest_of_the_report_does_not_repeat_them() -> None:
    result = known(UNSAFE, SAFE, OPEN).result(None)
    text = to_text(result, {}, told={"assert:9": Verdict.UNSAFE, "races": Verdict.SAFE})
    assert text.startswith("  ? UNKNOWN  deadlocks  deadlock\n")
    assert "assert:9" not in text
    assert text.endswith("UNSAFE\n")


def test_a_row_that_turned_out_otherwise_is_printed_again() -> None:
    """A proof that was taken away later stood there as SAFE."""
    result = known(UNSAFE, replace(SAFE, verdict=Verdict.UNKNOWN, reason="it fails")).result(None)
    text = to_text(result, {}, told={"assert:9": Verdict.UNSAFE, "races": Verdict.SAFE})
    assert "  ? UNKNOWN  races      race" in text


@pytest.mark.parametrize(
    ("text", "matters", "told"),
    [
        ("a spurious wake-up", None, False),
        ("a spurious failure of a weak compare-exchange", None, False),
        ("a spurious wake-up", True, True),
        ("a spurious wake-up", False, True),
        ("malloc returns NULL", None, True),
    ],
)
def test_proofs_wait_until_they_were_tried_with_what_programs_must_expect(
    text: str, matters: bool | None, told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    doubt = Assumed(Doubt.of(text, Span("x.c", 1, 1, 1, 1)), matters)
    arrivals = Arrivals(Style(), lambda: None, patience_s=0)
    arrivals.watch(known(replace(SAFE, doubts=(doubt,))))
    assert ("SAFE" in capsys.readouterr().out) == told


SOURCE = """
int[0..3] x;
thread t[2] { x = x + 1; }
thread loop[5] { int a = 0; while (true) { a = a * 3 + 1; } }
invariant fine: x <= 2;
invariant small: x < 2;
"""


def test_a_run_that_is_killed_has_told_what_it_knew(tmp_path: Path) -> None:
    """`small` is violated soon, and `fine` may be proved before."""
    path = tmp_path / "x.tw"
    path.write_text(SOURCE)
    command = [sys.executable, "-m", "threadwise", "check", str(path), "--property", "fine"]
    process = subprocess.Popen(
        [*command, "--property", "small"], stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(3)]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert lines[2].startswith(("  ✗ UNSAFE   small", "  ✓ SAFE     fine"))  # whichever is first
