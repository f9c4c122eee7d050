"""A trace as a table: time runs downwards, each thread that takes a step has a column.

    step  worker[0]        worker[1]        changes
       1  5 acquire(m);                     m: none → worker[0]
       2                   5 if (x == 0)

If the threads do not fit side by side, each step is a line with the name of its thread instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from threadwise.core.source import Span
from threadwise.core.words import count
from threadwise.report.page import Page, printable
from threadwise.report.story import draw_story
from threadwise.report.styled import Styled, shown_width
from threadwise.traces.trace import Change, DescribedTrace, TraceStep

if TYPE_CHECKING:
    from rich.table import Table

_STEPS_SHOWN_FIRST = 10
_STEPS_SHOWN_LAST = 30
_VALUES_SHOWN = 12
_NARROWEST_COLUMN = 14
_WIDEST_CHANGES = 40
_NARROWEST_CHANGES = 24
_PADDING = 2
_STYLES = ("cyan", "magenta", "green", "blue", "yellow")


def draw_trace(page: Page, described: DescribedTrace) -> None:
    """The initial values, the steps, and who took none."""
    counts = described.trace.counts
    if counts:
        listed = ", ".join(f"{name}={number}" for name, number in counts.items())
        page.line(f"  number of threads: {listed}")
    if described.story is not None:
        draw_story(page, described.story)
        return
    steps = described.steps if page.style.full else tuple(by_statement(described))
    draw_initial(page, described.initial, steps)
    if steps:
        draw_steps(page, described.threads, steps)
    else:
        page.line("  no step is needed: the initial state violates it")


def by_statement(described: DescribedTrace) -> Iterator[TraceStep]:
    """The steps, those that a thread takes for one statement in a row as one.

    It is another time that the statement is executed if an edge is taken again. Variables that no
    source has are left out.
    """
    group: list[TraceStep] = []
    edges: set[int] = set()
    for step, move in zip(described.steps, described.trace.moves, strict=True):
        taken = {choice.edge for choice in move.choices}
        if group and not (_is_same(group[-1], step) and edges.isdisjoint(taken)):
            yield _together(group)
            group, edges = [], set()
        group.append(step)
        edges |= taken
    if group:
        yield _together(group)


def _is_same(one: TraceStep, other: TraceStep) -> bool:
    return (one.thread, one.span, one.text) == (other.thread, other.span, other.text)


def _together(steps: Sequence[TraceStep]) -> TraceStep:
    changes: dict[tuple[bool, str], Change] = {}
    for change in (change for step in steps for change in step.changes):
        key = change.shared, change.cell
        before = changes[key].before if key in changes else change.before
        changes[key] = replace(change, before=before)
    seen = [each for each in changes.values() if each.shared or "$" not in each.cell]
    return replace(steps[0], changes=tuple(each for each in seen if each.before != each.after))


def draw_initial(
    page: Page, initial: Sequence[tuple[str, str]], steps: Sequence[TraceStep]
) -> None:
    """Initial values; of many, those that change come first and the rest is left out."""
    values = list(initial)
    if not values:
        return
    if len(values) > _VALUES_SHOWN and not page.style.full:
        changed = {c.cell for step in steps for c in step.changes if c.shared}
        values.sort(key=lambda item: item[0] not in changed)
    shown = _abridged([f"{cell} = {value}" for cell, value in values], page)
    page.line(Styled.of(("  initially: ", "bold"), shown))


def draw_steps(page: Page, threads: Sequence[str], steps: Sequence[TraceStep]) -> None:
    """The steps (at least one) as a table, and who took none."""
    home = _home(steps)
    acting = sorted({step.thread for step in steps})
    columns = [
        max(shown_width(threads[thread]), *(_width(s, home) for s in steps if s.thread == thread))
        for thread in acting
    ]
    changes = max((shown_width(_changes(step).plain) for step in steps), default=0)
    page.blank()
    available = page.style.width - _step_width(steps) - 2 * _PADDING
    narrowest = sum(min(width, _NARROWEST_COLUMN) + _PADDING for width in columns)
    wanted = min(changes, max(_WIDEST_CHANGES, available // 3))
    fitted = _shrunk(columns, available - wanted)
    words = [_longest_word(steps, thread, home) for thread in acting]
    whole = all(word <= width for word, width in zip(words, fitted, strict=True))
    if whole and narrowest + min(changes, _NARROWEST_CHANGES) <= available:
        _draw_columns(page, threads, acting, steps, home, fitted)
    else:
        _draw_list(page, steps, home)
    idle = [name for thread, name in enumerate(threads) if thread not in acting]
    if idle:
        verb = "takes" if len(idle) == 1 else "take"
        page.line(f"  {_abridged(idle, page)} {verb} no step", "dim")


def _abridged(items: Sequence[str], page: Page) -> str:
    if page.style.full or len(items) <= _VALUES_SHOWN:
        return ", ".join(items)
    return ", ".join(items[:_VALUES_SHOWN]) + f", and {len(items) - _VALUES_SHOWN} more"


# -- the two forms -----------------------------------------------------------------------------


def _draw_columns(
    page: Page,
    threads: Sequence[str],
    acting: Sequence[int],
    steps: Sequence[TraceStep],
    home: str | None,
    widths: Sequence[int],
) -> None:
    table = _empty_table()
    table.add_column("step", justify="right", style="dim", width=_step_width(steps))
    for position, (thread, width) in enumerate(zip(acting, widths, strict=True)):
        style = _STYLES[position % len(_STYLES)]
        table.add_column(
            threads[thread], header_style=f"bold {style}", width=width, overflow="fold"
        )
    table.add_column("changes", overflow="fold")
    for step in _shortened(page, steps):
        if isinstance(step, int):
            dots = ["⋮"] * (1 + len(acting))
            table.add_row(*dots, Styled(_left_out(step), "dim").rich)
        else:
            cells = [_statement(step, home) if t == step.thread else Styled() for t in acting]
            cells.append(_changes(step))
            table.add_row(str(step.number), *(cell.rich for cell in cells))
    page.table(table)


def _draw_list(page: Page, steps: Sequence[TraceStep], home: str | None) -> None:
    table = _empty_table()
    table.add_column("step", justify="right", style="dim", width=_step_width(steps))
    table.add_column("thread", overflow="fold")
    table.add_column("statement", overflow="fold")
    table.add_column("changes", overflow="fold")
    styles = {
        thread: _STYLES[position % len(_STYLES)]
        for position, thread in enumerate(sorted({step.thread for step in steps}))
    }
    for step in _shortened(page, steps):
        if isinstance(step, int):
            table.add_row("⋮", "⋮", "⋮", Styled(_left_out(step), "dim").rich)
        else:
            name = Styled(step.thread_name, styles[step.thread])
            cells = (name, _statement(step, home), _changes(step))
            table.add_row(str(step.number), *(cell.rich for cell in cells))
    page.table(table)


def _empty_table() -> Table:
    from rich.table import Table

    return Table(box=None, padding=(0, _PADDING, 0, 0), pad_edge=False, header_style="bold")


def _shortened(page: Page, steps: Sequence[TraceStep]) -> Iterator[TraceStep | int]:
    """The steps; of many, those in the middle are replaced by how many they are."""
    left_out = len(steps) - _STEPS_SHOWN_FIRST - _STEPS_SHOWN_LAST
    if page.style.full or left_out <= 1:
        yield from steps
        return
    yield from steps[:_STEPS_SHOWN_FIRST]
    yield left_out
    yield from steps[-_STEPS_SHOWN_LAST:]


def _left_out(number: int) -> str:
    return f"{count(number, 'step')} not shown; --full shows all"


# -- cells --------------------------------------------------------------------------------------


def _statement(step: TraceStep, home: str | None) -> Styled:
    place = _place(step.span, home)
    text = printable(step.text)
    return Styled.of((f"{place} " if place else "", "dim"), text)


def _place(span: Span | None, home: str | None) -> str:
    if span is None:
        return ""
    return str(span.line) if span.path == home else f"{span.path}:{span.line}"


def _changes(step: TraceStep) -> Styled:
    shown = Styled()
    for change in step.changes:
        if not change.shared and "$" in change.cell:
            continue
        if shown:
            shown.add(", ")
        shown.add(_change(change))
    return shown


def _change(change: Change) -> Styled:
    """`x: 0 → 1` for a shared variable, `local i: 0 → 1` for the thread's own."""
    style = "bold" if change.shared else "dim"
    name = change.cell if change.shared else f"local {change.cell}"
    if not change.before:
        return Styled(f"{name} = {change.after}", style)
    return Styled(f"{name}: {change.before} → {change.after}", style)


# -- measures -----------------------------------------------------------------------------------


def _width(step: TraceStep, home: str | None) -> int:
    return _statement(step, home).width


def _longest_word(steps: Sequence[TraceStep], thread: int, home: str | None) -> int:
    """How wide a column must be for no word of a thread's statements to be split."""
    texts = (_statement(step, home).plain for step in steps if step.thread == thread)
    return max((shown_width(word) for text in texts for word in text.split()), default=0)


def _step_width(steps: Sequence[TraceStep]) -> int:
    return max(len("step"), *(len(str(step.number)) for step in steps))


def _shrunk(widths: Sequence[int], available: int) -> list[int]:
    """Column widths that fit: the widest lose first, none below the narrowest allowed."""
    fitted = list(widths)
    while sum(fitted) + _PADDING * len(fitted) > available:
        widest = max(range(len(fitted)), key=lambda position: (fitted[position], -position))
        if fitted[widest] <= _NARROWEST_COLUMN:
            break
        fitted[widest] -= 1
    return fitted


def _home(steps: Sequence[TraceStep]) -> str | None:
    """The file most steps come from; a position in it is shown by its line alone."""
    paths = [step.span.path for step in steps if step.span is not None]
    return max(dict.fromkeys(paths), key=paths.count) if paths else None
