from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadwise.core.diagnostics import Diagnostic, DiagnosticBag, Note, Severity
from threadwise.core.rendering import render
from threadwise.core.source import SourceFile, Span
from threadwise.core.suggestions import did_you_mean, suggest


def rendered(text: str, span: Span, message: str = "wrong") -> str:
    return render([Diagnostic(Severity.ERROR, message, span)], {"f": SourceFile("f", text)})


def test_full_rendering() -> None:
    source = SourceFile("c.tw", "int counter;\nx = contr + 1;\n")
    diagnostic = Diagnostic(
        Severity.ERROR,
        "unknown variable `contr`",
        Span.at("c.tw", 2, 5, 5),
        did_you_mean("contr", ["counter", "x"]),
        (Note("`counter` is declared here", Span.at("c.tw", 1, 5, 7)),),
    )
    assert render([diagnostic], {"c.tw": source}) == dedent("""\
        c.tw:2:5: error: unknown variable `contr`
            x = contr + 1;
                ^~~~~
        c.tw:1:5: note: `counter` is declared here
            int counter;
                ^~~~~~~
        hint: did you mean `counter`?
    """)


def test_without_span_or_source_there_is_no_excerpt() -> None:
    diagnostics = [
        Diagnostic(Severity.ERROR, "no such file"),
        Diagnostic(Severity.WARNING, "odd", Span.at("other", 3, 1)),
    ]
    assert render(diagnostics, {}) == "error: no such file\nother:3:1: warning: odd\n"


def test_tabs_are_expanded_before_and_under_the_caret() -> None:
    assert rendered("\tx\ty", Span.at("f", 1, 2, 3)) == (
        "f:1:2: error: wrong\n        x    y\n        ^~~~~~\n"
    )


def test_wide_and_combining_characters_keep_the_caret_in_place() -> None:
    assert rendered("漢e\N{COMBINING ACUTE ACCENT}x", Span.at("f", 1, 4)).splitlines()[2] == (
        "    " + "   ^"
    )


def test_span_over_several_lines_is_underlined_on_the_first() -> None:
    assert rendered("a bcd\nef", Span("f", 1, 3, 2, 2)).splitlines()[1:] == [
        "    a bcd",
        "      ^~~",
    ]


def test_end_of_file_gets_a_caret_behind_the_text() -> None:
    assert rendered("abc", Span.at("f", 1, 4)).splitlines()[1:] == ["    abc", "       ^"]


@pytest.mark.parametrize("column", [1, 1_000_000, 2_000_000])
def test_long_lines_are_shown_through_a_window(column: int) -> None:
    text = "x" * (column - 1) + "!" + "y" * (2_000_000 - column)
    _, line, carets = rendered(text, Span.at("f", 1, column, 2_000_000)).splitlines()
    assert len(line) < 120
    assert len(carets) < 120
    assert line[carets.index("^")] == "!"
    assert line.strip().startswith("…") == (column > 1)


def test_control_characters_do_not_reach_the_terminal() -> None:
    text = rendered("a\x1b[31mb\r\u202e", Span.at("f", 1, 1), message="odd \x1b token\x07")
    assert not any(char in text for char in "\x1b\x07\r\u202e")


@given(
    st.text(max_size=200),
    st.tuples(*[st.integers(-3, 250)] * 4),
    st.text(max_size=20),
)
def test_rendering_survives_any_text_and_span(
    text: str, place: tuple[int, int, int, int], message: str
) -> None:
    lines = rendered(text, Span("f", *place), message.replace("\n", " ")).split("\n")
    assert lines[0].startswith("f:")
    assert len(lines) in (2, 4)


def test_suggestions() -> None:
    assert suggest("aquire", ["acquire", "release"]) == "acquire"
    assert suggest("COUNTER", ["counter"]) == "counter"
    assert suggest("zzz", ["acquire", "release"]) is None
    assert did_you_mean("zzz", []) is None


def test_bag_sorts_by_position_and_drops_repetitions() -> None:
    bag = DiagnosticBag()
    bag.warning("late", Span.at("f", 9, 1))
    bag.error("early", Span.at("f", 2, 7), hint="h", notes=[Note("n")])
    bag.error("early", Span.at("f", 2, 7), hint="h", notes=[Note("n")])
    bag.error("general", None)
    assert [diagnostic.message for diagnostic in bag] == ["general", "early", "late"]
    assert len(bag) == 3
    assert bag.has_errors


def test_bag_of_warnings_has_no_errors() -> None:
    bag = DiagnosticBag()
    assert not bag.has_errors
    bag.warning("odd", None)
    assert not bag.has_errors


def test_bag_counts_what_exceeds_its_limit() -> None:
    bag = DiagnosticBag(limit=2)
    for line in range(1, 6):
        bag.error("wrong", Span.at("f", line, 1))
    bag.warning("odd", Span.at("f", 1, 1))
    messages = [str(diagnostic) for diagnostic in bag.diagnostics()]
    assert messages == [
        "f:1:1: error: wrong",
        "f:1:1: warning: odd",
        "f:2:1: error: wrong",
        "note: … and 3 more errors",
    ]
    assert len(bag) == 6
