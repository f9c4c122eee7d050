"""Results in a notebook: a table of answers, and for each violation its interleaving.

Whatever comes from a program is escaped.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from threadwise.traces.trace import DescribedTrace

_MANY = 100
"""Longer interleavings are cut."""


def table(title: str, head: Iterable[object], rows: Iterable[Iterable[object]]) -> str:
    """A table with a caption."""
    body = "".join(f"<tr>{_cells(row, 'td')}</tr>" for row in rows)
    return f"<table><caption>{escape(title)}</caption><tr>{_cells(head, 'th')}</tr>{body}</table>"


def _cells(values: Iterable[object], tag: str) -> str:
    texts = ("" if value is None else escape(str(value)) for value in values)
    return "".join(f"<{tag}>{text}</{tag}>" for text in texts)


def interleaving(name: str, described: DescribedTrace) -> str:
    """How a property is violated, step by step."""
    rows = list(_rows(described))
    shown = table(
        f"{name}: {described.violation}",
        ("step", "thread", "line", "statement", "effect", "locks held"),
        rows[:_MANY],
    )
    if len(rows) > _MANY:
        shown += f"<p>{len(rows) - _MANY} more steps</p>"
    return shown + f"<p>{escape(described.story.why)}</p>" if described.story else shown


def _rows(described: DescribedTrace) -> Iterator[Sequence[object]]:
    story = described.story
    if story is None:
        for step in described.steps:
            line = step.span.line if step.span else None
            changes = "; ".join(f"{c.cell}: {c.before} → {c.after}" for c in step.changes)
            yield step.number, step.thread_name, line, step.text, changes, None
        return
    for each in story.slice:
        effects, held = "; ".join(each.effects), ", ".join(each.held)
        thread = story.threads[each.thread]
        yield each.step, thread, each.span.line, each.text, effects, held
    for row in story.end:
        line, held = (row.span.line if row.span else None), ", ".join(row.held)
        yield None, story.threads[row.thread], line, row.text, row.what, held
