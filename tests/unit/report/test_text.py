import re
from dataclasses import replace

import pytest

from tests.golden.comparison import assert_golden
from tests.unit.report import samples
from threadwise.report.page import Page, Style
from threadwise.report.text import to_text, trace_to_text
from threadwise.results.result import Result, Unreached
from threadwise.results.verdict import Verdict

RESULTS = {
    "safe": samples.SAFE,
    "unsafe": samples.UNSAFE,
    "vacuous": samples.VACUOUS,
    "nothing-to-check": samples.NOTHING_TO_CHECK,
    "timed-out": samples.TIMED_OUT,
    "cut": samples.CUT,
    "unloaded": samples.UNLOADED,
    "crowd": samples.CROWD,
}


@pytest.mark.parametrize("name", RESULTS)
def test_golden(name: str) -> None:
    assert_golden(f"report-{name}.txt", to_text(RESULTS[name], samples.SOURCES))


@pytest.mark.parametrize("name", ["unsafe", "crowd"])
def test_golden_with_everything(name: str) -> None:
    style = Style(full=True, verbose=True)
    assert_golden(f"report-{name}-full.txt", to_text(RESULTS[name], samples.SOURCES, style))


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())
@pytest.mark.parametrize("width", [20, 40, 80, 300])
def test_the_last_line_is_the_verdict_at_any_width(result: Result, width: int) -> None:
    text = to_text(result, samples.SOURCES, Style(width))
    last = text.rstrip("\n").split("\n")[-1]
    assert last.split(" ")[0] == result.verdict.value
    assert last == "SAFE" or last == "UNSAFE" or re.fullmatch(r"UNKNOWN \(.+\)", last)


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())
@pytest.mark.parametrize("width", [40, 80])
def test_on_a_terminal_prose_is_wrapped_between_words(result: Result, width: int) -> None:
    plain = to_text(result, samples.SOURCES, Style(width))
    wrapped = to_text(result, samples.SOURCES, Style(width, wrap=True))
    assert wrapped.split() == plain.split()
    source = samples.SOURCE.text.split("\n")
    for line in wrapped.split("\n")[:-2]:
        one = len(line.split()) == 1
        assert len(line) <= width or one or line.strip() in map(str.strip, source), line


def test_parts_of_a_line_stand_below_it() -> None:
    page = Page(Style(30, wrap=True))
    page.line("  assuming: memory is used as the C standard requires")
    assert page.text().split("\n") == [
        "  assuming: memory is used as",
        "      the C standard requires",
        "",
    ]


def test_the_last_line_says_how_far_the_search_came() -> None:
    last = to_text(samples.TIMED_OUT, {}).splitlines()[-1]
    assert last == "UNKNOWN (time limit of 1 s reached after 12,345 states)"


def test_several_reasons_are_counted() -> None:
    last = to_text(samples.CUT, {}).splitlines()[-1]
    assert last.endswith("calls on a stack; and 1 further reason)")


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS.keys())
def test_plain_text_has_no_escapes_and_no_trailing_blanks(result: Result) -> None:
    text = to_text(result, samples.SOURCES)
    assert "\x1b" not in text
    assert all(line == line.rstrip() for line in text.split("\n"))


def test_colours_change_nothing_but_colours() -> None:
    plain = to_text(samples.UNSAFE, samples.SOURCES)
    coloured = to_text(samples.UNSAFE, samples.SOURCES, Style(colour=True))
    assert "\x1b[1;31m" in coloured
    stripped = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in stripped.splitlines()] == plain.splitlines()


def test_same_result_same_text() -> None:
    assert to_text(samples.UNSAFE, {}) == to_text(samples.UNSAFE, {})


def test_unsafe_beside_unknown_gives_the_reason_of_the_unknown() -> None:
    undecided = samples.unknown("races", "race", "too hard")
    result = replace(samples.UNSAFE, properties=(samples.VIOLATED, undecided))
    assert result.verdict is Verdict.UNSAFE
    assert "not decided: races: too hard" in to_text(result, {})


def test_many_unreached_statements_are_shortened() -> None:
    statements = tuple(
        Unreached(samples.span(n), f"x = {n};", is_assertion=False) for n in range(1, 16)
    )
    result = replace(samples.VACUOUS, unreached=statements)
    text = to_text(result, {})
    assert "x = 10;" in text
    assert "x = 11;" not in text
    assert "… and 5 more" in text
    assert "x = 15;" in to_text(result, {}, Style(full=True))


def test_source_text_cannot_control_the_terminal() -> None:
    hostile = samples.step(1, 0, 6, "x = '\x1b[2J\t[red]';")
    trace = samples.described([hostile])
    result = replace(samples.UNSAFE, properties=(replace(samples.VIOLATED, trace=trace),))
    text = to_text(result, {})
    assert "\x1b" not in text
    assert "[red]" in text


def test_a_single_trace() -> None:
    text = trace_to_text(samples.LOST_UPDATE, samples.SOURCES)
    assert text.startswith("counter.tw:9:5: error: assert:9: assertion fails in worker[1]\n")
    assert "x: 0 → 1" in text


def test_lifetimes_are_named_where_memory_was_asked() -> None:
    """That local variables are not used later is a part of that question."""
    told = "local variables are not used after their functions returned"
    plain = replace(samples.SAFE.properties[0], kind="assertion")
    memory = replace(plain, name="memory", kind="memory")
    result = replace(samples.SAFE, assumptions=(told,))
    lines = to_text(replace(result, properties=(plain, memory)), {}).splitlines()
    assert lines[-1].startswith("SAFE assuming local variables")
    assert to_text(replace(result, properties=(plain,)), {}).splitlines()[-1] == "SAFE"
