"""The generated programs of the benchmark are what they claim to be."""

from __future__ import annotations

import pytest

from benchmarks.locksets_scaling import STYLES, exponent, measure, plot, program


@pytest.mark.parametrize("style", STYLES)
def test_programs_have_about_as_many_lines_as_asked_for(style: str) -> None:
    for lines in (200, 1_000):
        assert 0.6 * lines < program(style, lines).count("\n") < 1.4 * lines


def test_a_small_program_is_proved() -> None:
    *_, told = measure(program("flat", 60))
    proved, _, shared, _ = told.split()
    assert proved == shared != "0"


def test_the_exponent_of_a_power_law() -> None:
    assert exponent([(10, 100.0), (20, 400.0), (40, 1600.0)]) == pytest.approx(2)


def test_a_power_law_is_a_line_in_the_plot() -> None:
    curves = {"flat": [(10, 1.0), (100, 10.0)], "heap": [(10, 1.0), (100, 100.0)]}
    lines = list(plot(curves))
    assert [line[-1] for line in lines if line[-1] in "fh*"] == ["h", "f"]
    assert lines[-3].endswith("|*" + 63 * " ")
