"""Arguments and results that have no value are `range` errors, not faults of the tool."""

from __future__ import annotations

import pytest

import threadwise
from threadwise import Verdict

MODELS = {
    "divided argument": """
        void f(int[0..5] x) { skip; }
        thread t { int[0..1] p; f(1 / p); }
    """,
    "divided result": """
        int[0..5] f(int[0..5] x) { return 3 % x; }
        thread t { int[0..5] p; p = f(0); }
    """,
    "indexed argument": """
        void f(int[0..5] x) { skip; }
        thread t { int[0..3] a[2]; int[0..5] k; k = 4; f(a[k]); }
    """,
    "indexed result": """
        int[0..5] f(int[0..5] x) { int[0..5] a[2]; return a[x]; }
        thread t { int[0..5] p; p = f(3); }
    """,
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_the_error_is_found(model: str) -> None:
    for engine in ("auto", "explicit", "reduction"):
        result = threadwise.check(model, properties="range", engine=engine, in_process=True)
        assert result.verdict is Verdict.UNSAFE


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_thread_by_thread_it_is_not_proved_absent(model: str) -> None:
    result = threadwise.check(model, properties="range", engine="thread-modular", in_process=True)
    assert result.verdict is Verdict.UNKNOWN
