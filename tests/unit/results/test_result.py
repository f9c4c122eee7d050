"""Results as Python values: short to print, rows for tables, text in notebooks."""

import threadwise
from threadwise.core.source import Span
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict

RESULT = Result(
    "<b>.c",
    (
        PropertyResult("races", "race", Verdict.UNKNOWN, reason="<script>alert(1)</script>"),
        PropertyResult("mutex", "mutex", Verdict.SAFE, "explicit", location=Span.at("b", 3, 1)),
    ),
)


def test_verdicts_compare_with_strings() -> None:
    assert Verdict.SAFE == "SAFE"
    assert RESULT.verdict == "UNKNOWN"
    assert f"{RESULT.verdict}" == "UNKNOWN"


def test_a_result_prints_short() -> None:
    assert repr(RESULT) == "<UNKNOWN '<b>.c' (races: UNKNOWN, mutex: SAFE)>"
    many = Result("m", RESULT.properties * 4)
    assert repr(many).endswith("3 more)>")


def test_rows() -> None:
    first, second = RESULT.to_rows()
    assert first["message"] == "<script>alert(1)</script>"
    assert (second["line"], second["verdict"], second["engine"]) == (3, "SAFE", "explicit")


def test_html_is_text() -> None:
    shown = RESULT._repr_html_()
    assert "<script>" not in shown
    assert "<b>" not in shown
    assert "&lt;script&gt;" in shown
    assert Result("empty", (), reason="no")._repr_html_().startswith("<table>")


def test_html_tells_how_a_property_is_violated() -> None:
    text = "int[0..3] x; thread t[2] { int[0..3] mine = x; x = mine + 1; assert(x != 1); }"
    shown = threadwise.check(text, properties="assertions", in_process=True)._repr_html_()
    assert shown.count("<table>") == 2
    assert "<td>t[0]</td>" in shown
    assert "<td>x: 0 → 1</td>" in shown
    assert "assertion `x != 1` failed" in shown
