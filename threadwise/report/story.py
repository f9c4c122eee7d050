"""A trace of a C program in lines, top to bottom: what each thread does that matters.

    step  main                          exchange
       4  32 pthread_mutex_lock(&b) {b}
       8                                18 pthread_mutex_lock(&a) {a}

A column for each thread where every one has 24 characters or more and all lines fit; otherwise one
column, with the threads' names. Words are never split. `{b}`: the thread then holds the lock b.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from threadwise.core.source import Span
from threadwise.core.words import count
from threadwise.report.page import Page, printable
from threadwise.report.styled import Styled, shown_width
from threadwise.traces.story import Story, StoryLine

_NARROWEST_COLUMN = 24
_GAP = 2
_STYLES = ("cyan", "magenta", "green", "blue", "yellow")
_INDENT = "   "
_OBJECT = re.compile(r"\w+#\d+")


def draw_story(page: Page, story: Story) -> None:
    """The lines that matter, or all, and the end."""
    lines = story.full if page.style.full else story.slice
    home = _home(story)
    if lines:
        page.blank()
        _draw_lines(page, story, lines, home)
    left_out = len(story.lines) - sum(line.matters for line in story.lines)
    if left_out and not page.style.full:
        page.line(f"  {count(left_out, 'line')} without influence not shown (--full)", "dim")
    _draw_objects(page, story, lines)
    _draw_end(page, story, home)


def _draw_lines(page: Page, story: Story, lines: Sequence[StoryLine], home: str | None) -> None:
    acting = sorted({line.thread for line in lines})
    steps = max(len("step"), *(len(str(line.step)) for line in lines))
    available = page.style.width - steps - _GAP
    width = (available - _GAP * (len(acting) - 1)) // len(acting)
    texts = [_told(line, home) for line in lines]
    fits = width >= _NARROWEST_COLUMN and max(map(shown_width, texts)) <= width
    styles = {thread: _STYLES[n % len(_STYLES)] for n, thread in enumerate(acting)}
    if fits:
        names = "".join(_padded(story.threads[thread], width + _GAP) for thread in acting)
        page.line(f"{'step':>{steps}}{' ' * _GAP}{names}".rstrip(), "bold")
    else:
        longest = max(shown_width(story.threads[thread]) for thread in acting)
        width = max(available - longest - _GAP, _NARROWEST_COLUMN)
    for line in lines:
        before = (
            " " * (acting.index(line.thread) * (width + _GAP))
            if fits
            else _padded(story.threads[line.thread], longest + _GAP)
        )
        for number, part in enumerate(_wrapped(_told(line, home), width)):
            step = str(line.step) if number == 0 else ""
            if number and not fits:
                before = " " * shown_width(before)
            page.line(
                Styled.of(
                    (f"{step:>{steps}}{' ' * _GAP}", "dim"),
                    (f"{before}{part}", styles[line.thread]),
                )
            )
        if line.rounds:
            told = count(line.rounds, "more round")
            page.line(f"{'':>{steps}}{' ' * _GAP}… {told} of {_these(line.round_lines)}", "dim")


def _draw_objects(page: Page, story: Story, lines: Sequence[StoryLine]) -> None:
    """Where the heap objects come from that are named."""
    texts = [text for line in lines for text in (*line.effects, *line.held)]
    texts += [text for row in story.end for text in (row.what, *row.held)]
    named = {name for text in texts for name in _OBJECT.findall(text)}
    shown: dict[tuple[str, int | None], list[str]] = {}
    for each in story.objects:
        if each.name in named:
            shown.setdefault((each.type, each.line), []).append(each.name)
    for (kind, line), names in shown.items():
        place = "" if line is None else f", allocated at line {line}"
        for part in _wrapped(f"{', '.join(names)}: {kind}{place}", page.style.width - _GAP):
            page.line(f"  {part}", "dim")


def _these(lines: int) -> str:
    return "this line" if lines == 1 else f"these {lines} lines"


def _told(line: StoryLine, home: str | None) -> str:
    """Place, statement, effects and locks, in one line."""
    parts = [_place(line.span, home), printable(line.text)]
    if line.effects:
        parts.append(f"— {printable('; '.join(line.effects))}")
    if line.held:
        parts.append(f"{{{printable(', '.join(line.held))}}}")
    return " ".join(parts)


def _place(span: Span | None, home: str | None) -> str:
    if span is None:
        return ""
    return str(span.line) if span.path == home else f"{span.path}:{span.line}"


def _wrapped(text: str, width: int) -> Iterator[str]:
    """Lines of at most a width, but for words that are longer; further lines are indented."""
    line = ""
    for word in text.split(" "):
        if line and shown_width(line) + 1 + shown_width(word) > width:
            yield line
            line = _INDENT + word
        else:
            line = f"{line} {word}" if line else word
    if line:
        yield line


def _padded(text: str, width: int) -> str:
    return text + " " * max(width - shown_width(text), 0)


def _draw_end(page: Page, story: Story, home: str | None) -> None:
    """Both accesses of a race, the threads of a deadlock, and why."""
    page.blank()
    rows = [
        [
            story.threads[row.thread],
            _place(row.span, home),
            row.text,
            row.what,
            f"holding {', '.join(row.held)}" if row.held else "holding no lock",
        ]
        for row in story.end
    ]
    widest = sum(
        max(shown_width(cell) for cell in column) + _GAP for column in zip(*rows, strict=True)
    )
    if rows and widest <= page.style.width:
        page.aligned(rows, indent="  ")
    else:
        for name, place, text, what, held in rows:
            page.line(f"  {name}: {place} {text}")
            page.line(f"  {_INDENT}{what}, {held}")
    for part in _wrapped(story.why, page.style.width - _GAP):
        page.line(f"  {part}")


def _home(story: Story) -> str | None:
    """The file most lines come from; a position in it is shown by its line alone."""
    paths = [line.span.path for line in story.lines]
    paths += [row.span.path for row in story.end if row.span is not None]
    return max(dict.fromkeys(paths), key=paths.count) if paths else None
