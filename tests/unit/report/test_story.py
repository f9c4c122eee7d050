"""Traces of C as stories, at 80 and at 120 columns: golden files, and what none of them may have.

`UPDATE_GOLDEN=1` rewrites the files. Finding the traces takes time: most programs are slow tests.
"""

import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import threadwise
from tests.golden.comparison import assert_golden
from threadwise.core.source import Span
from threadwise.report.page import Page, Style
from threadwise.report.trace_table import draw_trace
from threadwise.traces.story import StoryLine
from threadwise.traces.trace import DescribedTrace

ROOT = Path(__file__).parents[3]
QUICK = ("abba_bug-deadlocks", "stop_flag_bug-races", "counter_mutex_bug-assertions")
PROGRAMS = (
    *QUICK,
    "atomic_region_bug-assertions",
    "bank_transfer_bug-deadlocks",
    "bounded_buffer_bug-assertions",
    "c11_threads_bug-deadlocks",
    "cas_spinlock_bug-assertions",
    "check_then_act_bug-assertions",
    "double_checked_bug-races",
    "flag_handover_bug-assertions",
    "function_pointers_bug-assertions",
    "heap_nodes_bug-assertions",
    "lazy_init_bug-assertions",
    "lock_coupling_bug-assertions",
    "lost_wakeup_bug-races",
    "ownership_bug-assertions",
    "peterson_bug-assertions",
    "philosophers_bug-deadlocks",
    "readers_count_bug-assertions",
    "reference_count_bug-races",
    "rwlock_pair_bug-assertions",
    "spsc_ring_bug-assertions",
    "thread_pool_bug-races",
    "two_consumers_bug-assertions",
)
NEVER = re.compile(r"\w\$|__tw_|Address\(|heap object|\.status\[|starts: |object \d")
"""Temporaries, insides of the library, raw addresses, cells of pools."""


WRITING = re.compile(r"(?<![=!<>])=(?!=)|\+\+|--|atomic_|sync_|_init\(|sem_|pthread_|mtx_|cnd_")
"""What a statement has in it that may write."""
WRITTEN = re.compile(r"\S+ = |: .* → ")


@cache
def trace_of(name: str) -> DescribedTrace:
    """The trace of a violation of an example."""
    stem, _, asked = name.rpartition("-")
    result = threadwise.check(Path("examples/c") / f"{stem}.c", properties=asked)
    return next(found.trace for found in result.properties if found.trace is not None)


def drawn(described: DescribedTrace, width: int, *, full: bool = False) -> str:
    page = Page(Style(width=width, full=full))
    draw_trace(page, described)
    return page.text()


@pytest.fixture(autouse=True)
def _at_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)


def _parameters() -> list[object]:
    marks = {name: () if name in QUICK else (pytest.mark.slow,) for name in PROGRAMS}
    return [pytest.param(name, marks=marks[name]) for name in PROGRAMS]


@pytest.mark.parametrize("name", _parameters())
def test_the_story(name: str) -> None:
    described = trace_of(name)
    story = described.story
    assert story is not None
    for width in (80, 120):
        text = drawn(described, width)
        assert_golden(f"stories/{name}-{width}.txt", text)
        assert NEVER.search(text) is None
        words = text.split()
        for line in story.slice:
            assert set(line.text.split()) <= set(words), "no word is split"
            for lock in line.held:
                assert any(lock.split()[0] in word for word in words), "locks held are shown"
        for shown in text.splitlines():
            assert len(shown) <= width or len(shown.split()) < 4
    source = (Path("examples/c") / f"{name.rpartition('-')[0]}.c").read_text().splitlines()
    for line in story.lines:
        check_line(line, source)


def check_line(line: StoryLine, source: list[str]) -> None:
    """A line quotes the statement it is about, and tells of no write that this does not make."""
    if not line.threads:
        here = "".join(source[line.span.line - 1 : line.span.end_line])
        assert without_blanks(line.text) in without_blanks(here), "the text of another statement"
    if not WRITING.search(line.text):
        assert not [effect for effect in line.effects if WRITTEN.search(effect)], "a dead reset"


def without_blanks(text: str) -> str:
    return "".join(text.split())


@pytest.mark.slow
def test_stories_are_short() -> None:
    from statistics import median

    for width in (80, 120):
        stories = [drawn(trace_of(name), width) for name in PROGRAMS]
        tables = [drawn(replace(trace_of(name), story=None), width) for name in PROGRAMS]
        lengths = [median(text.count("\n") for text in texts) for texts in (stories, tables)]
        assert lengths[0] <= lengths[1] / 2


SLICED = """
#include <assert.h>
#include <pthread.h>
static int counter, log_lines, rounds;
static void *work(void *unused) {
    log_lines = 7;
    for (int i = 0; i < 4; i++)
        rounds = i;
    counter++;
    return 0;
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    assert(counter == 2);
    return 0;
}
"""


def test_what_has_no_influence_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "sliced.c"
    path.write_text(SLICED)
    result = threadwise.check(path, properties="assertions", in_process=True)
    (found,) = [each.trace for each in result.properties if each.trace is not None]
    short, full = drawn(found, 120), drawn(found, 140, full=True)
    assert "log_lines" not in short
    assert "rounds" not in short
    assert "counter++ — counter is 0" in short
    assert "assert(counter == 2) — counter is 1" in full
    assert "without influence" in short
    assert "log_lines = 7" in full
    assert "starts work[0], work[1]" in short


def test_wrong_lines_are_noticed() -> None:
    source = ["lock(&m);", "x = 1;", "return x;"]
    right = StoryLine(1, 0, Span("a.c", 2, 1, 2, 6), "x = 1", ("x = 1",), ())
    check_line(right, source)
    with pytest.raises(AssertionError, match="another statement"):
        check_line(replace(right, text="return x"), source)
    with pytest.raises(AssertionError, match="dead reset"):
        check_line(replace(right, span=Span("a.c", 3, 1, 3, 9), text="return x"), source)
