"""How long runs are likely to be, and proofs that begin with that."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.progress import Progress
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.bounded.bounded_engine import MARGINS, SHORT_ROUNDS, BoundedEngine
from threadwise.engines.bounded.likely import MOST_STEPS, is_brief, likely_lengths
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate


def nothing() -> None:
    pass


@pytest.mark.parametrize(
    ("body", "lengths"),
    [
        ("x = 1; x = 2;", (2, 2)),
        ("havoc y; assume(y == 1); x = y;", (3, 3)),
        ("while (x < 1000) { x = x + 1; }", None),
        ("while (true) { x = 1; }", None),
    ],
)
def test_lengths_that_were_seen(body: str, lengths: tuple[int, ...] | None) -> None:
    program = model(f"int x; thread t[2] {{ int y; {body} }}")
    assert likely_lengths(program) == lengths


def test_threads_that_wait_for_each_other_come_to_their_end() -> None:
    program = model("""
        int x;
        thread a { while (x == 0) { skip; } x = 2; }
        thread b { x = 1; }
    """)
    lengths = likely_lengths(program)
    assert lengths is not None
    assert lengths[1] == 1
    assert 2 < lengths[0] < MOST_STEPS


@pytest.mark.parametrize(
    ("body", "brief"),
    [
        ("i = 0; while (i < 3) { x = i; i = i + 1; }", True),
        ("i = 0; while (i < 300) { x = i; i = i + 1; }", False),
        ("havoc i; while (i != 0) { havoc i; }", False),
        ("while (x == 0) { skip; }", False),
    ],
)
def test_runs_are_brief_if_the_text_bounds_them(body: str, brief: bool) -> None:
    program = model(f"int x; thread t[2] {{ int[-1000..1000] wrap i; {body} }}")
    assert is_brief(program) is brief


def test_any_number_of_threads_is_not_brief() -> None:
    program = model("int x; thread t[*] { x = 1; }")
    assert likely_lengths(program) is None
    assert not is_brief(program)


SUMS = """
int a; int b; int n = *;
thread t[2] { int[0..9] wrap i; while (i < 3) { atomic { a = a + n; b = b + n; } i = i + 1; } }
invariant same: a == b;
"""


def test_loops_that_end_are_proved_in_the_round_of_likely_lengths() -> None:
    program = model(SUMS)
    lengths = likely_lengths(program)
    assert lengths is not None
    rounds: list[object] = []
    asked = tuple(p for p in program.properties if p.name == "same")
    task = Task(program, asked, EngineOptions(), Meter(Budget()), listener=rounds.append)
    (finding,) = BoundedEngine().run(task)
    assert isinstance(finding, Proved)
    assert sum(isinstance(each, Progress) for each in rounds) == SHORT_ROUNDS
    assert isinstance(finding.certificate, InterleavingsCertificate)
    assert finding.certificate.lengths == tuple(seen + MARGINS[0] - 1 for seen in lengths)
    check_certificate(program, finding.certificate, nothing)


def test_a_guess_that_is_too_short_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    program = model(SUMS.replace("b = b + n; }", "b = b + (i < 2 ? n : 1); }"))
    monkeypatch.setattr(
        "threadwise.engines.bounded.bounded_engine.likely_lengths", lambda _: (1, 1)
    )
    monkeypatch.setattr("threadwise.engines.bounded.bounded_engine.MARGINS", (1,))
    asked = tuple(p for p in program.properties if p.name == "same")
    task = Task(program, asked, EngineOptions(), Meter(Budget()))
    (finding,) = BoundedEngine().run(task)
    assert not isinstance(finding, Proved)
