from dataclasses import replace

from tests.golden.comparison import assert_golden
from tests.unit.report import samples
from threadwise.core.source import Span
from threadwise.report.page import Page, Style
from threadwise.report.trace_table import draw_steps, draw_trace
from threadwise.traces.trace import Change, DescribedTrace, TraceStep


def drawn(trace: DescribedTrace, style: Style | None = None) -> str:
    page = Page(style or Style())
    draw_trace(page, trace)
    return page.text()


def long_trace(steps: int, threads: int = 2) -> DescribedTrace:
    return samples.described(
        [samples.step(n, n % threads, 6, f"x = {n};") for n in range(1, steps + 1)], threads
    )


def test_every_thread_has_a_column() -> None:
    lines = drawn(samples.LOST_UPDATE).splitlines()
    header = next(line for line in lines if "step" in line)
    second = header.index("worker[1]")
    rows = lines[lines.index(header) + 1 :]
    assert rows[0].index("6 t = x;") == header.index("worker[0]")
    assert rows[1].index("6 t = x;") == second
    assert rows[2].endswith("x: 0 → 1")
    assert rows[3].endswith("local t: 0 → 1, local n = 2")


def test_narrow_page_wraps_within_columns() -> None:
    text = drawn(samples.LOST_UPDATE, Style(62))
    assert_golden("trace-narrow.txt", text)
    assert all(len(line) <= 62 for line in text.splitlines())


def test_too_many_threads_become_a_list() -> None:
    text = drawn(long_trace(16, threads=16), Style(80))
    assert_golden("trace-list.txt", text)
    assert "thread" in text
    assert all(len(line) <= 80 for line in text.splitlines() if "→" in line)


def test_long_traces_are_shortened_in_the_middle() -> None:
    text = drawn(long_trace(100))
    assert "x = 10;" in text
    assert "x = 11;" not in text
    assert "x = 70;" not in text
    assert "x = 71;" in text
    assert "60 steps not shown; --full shows all" in text


def test_full_shows_every_step() -> None:
    text = drawn(long_trace(100), Style(full=True))
    assert all(f"x = {n};" in text for n in range(1, 101))


def test_a_list_is_shortened_too() -> None:
    assert "60 steps not shown" in drawn(long_trace(100, threads=50), Style(60))


def test_a_trace_without_steps() -> None:
    assert "no step is needed" in drawn(samples.described([]))


def test_idle_threads_are_named_below() -> None:
    one = samples.described([samples.step(1, 0, 6, "t = x;")], threads=4)
    assert "worker[1], worker[2], worker[3] take no step" in drawn(one)
    two = samples.described([samples.step(1, 0, 6, "t = x;")], threads=2)
    assert "worker[1] takes no step" in drawn(two)


def test_of_many_initial_values_those_that_change_come_first() -> None:
    values = [(f"a[{n}]", "0") for n in range(100)]
    trace = samples.described(
        [samples.step(1, 0, 6, "a[77] = 1;", samples.shared("a[77]", "0", "1"))], initial=values
    )
    text = drawn(trace)
    assert "initially: a[77] = 0, a[0] = 0" in text
    assert "and 88 more" in text
    assert "a[99] = 0" in drawn(trace, Style(full=True))


def test_counts_chosen_for_any_number_are_told() -> None:
    trace = samples.LOST_UPDATE
    chosen = replace(trace, trace=replace(trace.trace, counts={"worker": 2}))
    assert "number of threads: worker=2" in drawn(chosen)


def test_positions_in_other_files_carry_the_file() -> None:
    steps = list(samples.LOST_UPDATE.steps)
    steps[0] = TraceStep(1, 0, "worker[0]", Span.at("lock.h", 3, 1), "lock();", ())
    steps[1] = TraceStep(2, 1, "worker[1]", None, "", ())
    assert "lock.h:3 lock();" in drawn(samples.described(steps))


def test_columns_that_would_split_a_word_become_lines() -> None:
    call = "pthread_mutex_lock(&configuration_lock)"
    steps = [TraceStep(n, n % 3, f"t{n % 3}", None, call, ()) for n in range(6)]
    page = Page(Style(width=80))
    draw_steps(page, ("t0", "t1", "t2"), steps)
    assert page.text().count(call) == 6


def test_temporaries_are_not_shown() -> None:
    steps = [TraceStep(1, 0, "t", None, "f()", (Change("f.n$2", "7", "0", shared=False),))]
    page = Page(Style(width=80))
    draw_steps(page, ("t",), steps)
    assert "$" not in page.text()
