"""A call in an atomic block whose result nobody wants still evaluates what it returns."""

from __future__ import annotations

import pytest

import threadwise
from threadwise import Verdict


@pytest.mark.parametrize(
    ("declared", "returned"),
    [("int[0..1] f(int[0..5] x)", "x"), ("int[0..5] f(int[0..5] x)", "1 / (x - 3)")],
)
@pytest.mark.parametrize("statement", ["atomic { f(3); }", "f(3);", "await(true) { f(3); }"])
def test_a_value_that_does_not_fit_is_an_error(
    declared: str, returned: str, statement: str
) -> None:
    model = f"{declared} {{ return {returned}; }}\nthread t {{ {statement} }}\n"
    result = threadwise.check(model, properties="range", in_process=True)
    assert result.verdict is Verdict.UNSAFE


def test_reading_the_value_races() -> None:
    model = """
        int[0..5] g;
        int[0..5] f() { return g; }
        thread t { atomic { f(); } }
        thread u { g = 1; }
        race_free g;
    """
    result = threadwise.check(model, properties="race_free g", in_process=True)
    assert result.verdict is Verdict.UNSAFE
