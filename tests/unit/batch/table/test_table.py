"""Tables, pages, plots and differences of results."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from threadwise.batch.summary import summarise
from threadwise.batch.table import plots
from threadwise.batch.table.diff import difference
from threadwise.batch.table.diff import to_text as diff_to_text
from threadwise.batch.table.html import write_pages
from threadwise.batch.table.rows import Row
from threadwise.batch.table.text import to_csv, to_json, to_text
from threadwise.batch.tasks import Ending
from threadwise.results.verdict import Verdict

HOSTILE = "<script>alert(1)</script>\x1b[2J\"'&"


def row(
    name: str, ending: Ending | None, wall: float = 1.0, expected: Verdict | None = Verdict.SAFE
) -> Row:
    """A row of a table."""
    return Row(name, (name,), ("races",), (), expected, ending, wall_s=wall, cpu_s=wall)


ROWS = [
    row("right", Ending.SAFE),
    row("bug", Ending.UNSAFE, 2.0, Verdict.UNSAFE),
    row("false alarm", Ending.UNSAFE),
    row("wrong proof", Ending.SAFE, 3.0, Verdict.UNSAFE),
    row("open", Ending.UNKNOWN),
    row("waiting", None),
    row(HOSTILE, Ending.SAFE, 4.0, None),
]


def test_points_are_those_of_the_competition() -> None:
    assert [each.points for each in ROWS] == [2, 1, -16, -32, 0, None, None]
    figures = summarise((r.ending, r.expected) for r in ROWS if r.ending is not None)
    assert str(figures) == ("6 tasks: 3 SAFE, 2 UNSAFE, 1 UNKNOWN; -45 of 8 points, 2 wrong")


def test_text_fits_and_moves_no_cursor() -> None:
    text = to_text(ROWS, 60)
    assert max(map(len, text.splitlines()[:-2])) <= 60
    assert "\x1b" not in text
    assert "wrong proof" in text


def test_a_long_reason_leaves_room_for_the_verdict() -> None:
    slow = replace(row("some task [races]", Ending.UNKNOWN, 12.5), reason="for want of time " * 20)
    line = to_text([slow], 80).splitlines()[1]
    assert len(line) <= 80
    assert line.startswith("some task [races]")
    assert all(told in line for told in ("UNKNOWN", "12.5", "for want of"))


def test_csv_and_json_have_everything() -> None:
    lines = list(csv.DictReader(io.StringIO(to_csv(ROWS))))
    assert [line["task"] for line in lines] == [each.name for each in ROWS]
    document = json.loads(to_json(ROWS))
    assert document["tasks"][1]["points"] == 1
    assert document["summary"]["points"] == -45


def test_pages_show_hostile_texts_as_text(tmp_path: Path) -> None:
    write_pages(ROWS, HOSTILE, tmp_path)
    for page in (tmp_path / "index.html", tmp_path / "tasks" / "6.html"):
        text = page.read_text(encoding="utf-8")
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert len(list((tmp_path / "tasks").iterdir())) == len(ROWS)


def test_what_changed() -> None:
    before = [
        row("same", Ending.SAFE),
        row("lost", Ending.SAFE),
        row("gained", Ending.UNKNOWN),
        row("broken", Ending.UNKNOWN),
        row("repaired", Ending.UNSAFE),
        row("other", Ending.SAFE, expected=None),
        row("slow", Ending.SAFE, 1.0),
        row("fast", Ending.SAFE, 9.0),
        row("noisy", Ending.SAFE, 0.1),
        row("gone", Ending.SAFE),
    ]
    after = [
        row("same", Ending.SAFE),
        row("lost", Ending.UNKNOWN),
        row("gained", Ending.SAFE),
        row("broken", Ending.UNSAFE),
        row("repaired", Ending.SAFE),
        row("other", Ending.UNSAFE, expected=None),
        row("slow", Ending.SAFE, 4.0),
        row("fast", Ending.SAFE, 1.0),
        row("noisy", Ending.SAFE, 0.9),
        row("new", Ending.SAFE),
    ]
    found = difference(before, after)
    assert {
        kind: [pair.after.name for pair in getattr(found, kind)]
        for kind in ("wrong", "lost", "contradicted", "repaired", "gained", "slower", "faster")
    } == {
        "wrong": ["broken"],
        "lost": ["lost"],
        "contradicted": ["other"],
        "repaired": ["repaired"],
        "gained": ["gained"],
        "slower": ["slow"],
        "faster": ["fast"],
    }
    assert (found.added, found.removed) == (["new"], ["gone"])
    assert found.is_worse
    assert "new wrong answers: 1\n  broken: UNKNOWN 1.0 s -> UNSAFE (wrong) 1.0 s" in (
        diff_to_text(found)
    )


def test_nothing_changed() -> None:
    found = difference(ROWS, ROWS)
    assert not found.is_worse
    assert diff_to_text(found) == "time after / before, median of equal answers: 1.00\n"


@pytest.mark.parametrize("kind", ["quantile", "scatter"])
def test_plots_are_pictures_of_right_answers(tmp_path: Path, kind: str) -> None:
    out = tmp_path / "plot.svg"
    if kind == "quantile":
        plots.quantile({"one": ROWS, "two": ROWS[:2]}, out)
    else:
        plots.scatter(("one", ROWS), ("two", ROWS[::-1]), out)
    texts = [
        each.text or "" for each in ElementTree.parse(out).iter() if each.tag.endswith("text")
    ]
    assert any("one" in text for text in texts)
    assert any("two" in text for text in texts)
