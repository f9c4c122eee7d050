"""What formats for other programs are made of: a finding per violated or undecided property.

Rules have numbers that never change; what a finding is recognised by in the next run is its
fingerprint: the rule, the functions, the statements and the variable, and how many like it came
before. Lines above may be inserted; a statement that moves to another function is another one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import SourceFile, Span
from threadwise.report.page import printable
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict
from threadwise.traces.story import Story

Sources = Mapping[str, SourceFile]


@dataclass(frozen=True)
class Rule:
    """A kind of violation."""

    id: str
    title: str
    help: str
    cwe: tuple[int, ...]


RULES = {
    "race": Rule(
        "TW001-data-race",
        "Two threads can access the same memory concurrently, and at least one of them writes",
        "Guard all accesses by the same lock, make them atomic, or order them by join or signal.",
        (362, 366, 367),
    ),
    "deadlock": Rule(
        "TW002-deadlock",
        "Threads can wait forever for each other, or for an event that never comes",
        "Acquire locks in one order everywhere; signal while holding the lock of the waiters.",
        (833, 667),
    ),
    "assertion": Rule(
        "TW003-assertion",
        "An assertion can fail",
        "The interleaving shows which steps of other threads lead to the failure.",
        (617,),
    ),
    "mutex": Rule(
        "TW004-lock-misuse",
        "A lock is misused",
        "Only the thread that holds a lock may release it; a destroyed lock must not be used.",
        (667,),
    ),
    "memory": Rule(
        "TW005-memory",
        "An access to memory has undefined behaviour",
        "A pointer is null, dangling or out of bounds, or memory is freed twice.",
        (416, 476, 787),
    ),
    "range": Rule(
        "TW006-range",
        "A value outside of its type, a division by zero, or an index out of bounds",
        "Check the value before it is used.",
        (682,),
    ),
    "invariant": Rule(
        "TW007-invariant",
        "A stated invariant does not hold",
        "The interleaving ends in a state in which the formula is false.",
        (),
    ),
}
"""By the kind of the property."""


@dataclass(frozen=True)
class Place:
    """Somewhere in the source, with a word about it."""

    span: Span
    message: str
    thread: str = ""


@dataclass(frozen=True)
class Finding:
    """A property that is not SAFE, or any if all are wanted."""

    rule: Rule
    verdict: Verdict
    name: str
    message: str
    span: Span | None
    related: tuple[Place, ...] = ()
    flow: tuple[Place, ...] = ()
    """The interleaving, in the order of execution."""
    fingerprint: str = ""


def findings(results: Iterable[Result], sources: Sources) -> Iterator[Finding]:
    """A finding for each property of each program, in order, SAFE ones too."""
    seen: dict[str, int] = {}
    for result in results:
        for checked in result.properties:
            finding = _finding(checked)
            identity = _identity(finding, checked, sources)
            ordinal = seen[identity] = seen.get(identity, -1) + 1
            text = f"{identity}\0{ordinal}"
            digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
            yield replace(finding, fingerprint=digest[:32])


def _finding(checked: PropertyResult) -> Finding:
    rule = RULES[checked.kind]
    if checked.trace is None:
        told = checked.reason or "no reason given"
        message = f"{checked.name}: {told}" if checked.verdict is Verdict.UNKNOWN else checked.name
        return Finding(rule, checked.verdict, checked.name, printable(message), checked.location)
    story = checked.trace.story
    message = printable(f"{checked.name}: {checked.trace.violation}")
    span = checked.trace.location or checked.location
    related, flow = _of_story(story) if story is not None else ((), _of_steps(checked))
    return Finding(rule, checked.verdict, checked.name, message, span, related, flow)


def _of_story(story: Story) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    related = tuple(
        Place(row.span, _told(story.threads[row.thread], row.what, row.held))
        for row in story.end
        if row.span is not None
    )
    flow = [
        Place(
            line.span,
            printable("; ".join((line.text, *line.effects))),
            story.threads[line.thread],
        )
        for line in story.slice
    ]
    flow += [
        Place(row.span, printable(f"{row.text}: {row.what}"), story.threads[row.thread])
        for row in story.end
        if row.span is not None
    ]
    return related, tuple(flow)


def _told(thread: str, what: str, held: tuple[str, ...]) -> str:
    return printable(f"{thread} {what}, holding {', '.join(held) or 'no lock'}")


def _of_steps(checked: PropertyResult) -> tuple[Place, ...]:
    if checked.trace is None:
        return ()
    return tuple(
        Place(step.span, printable(step.text), step.thread_name)
        for step in checked.trace.steps
        if step.span is not None
    )


# -- fingerprints ------------------------------------------------------------------------------


def _identity(finding: Finding, checked: PropertyResult, sources: Sources) -> str:
    parts = [finding.rule.id]
    story = checked.trace.story if checked.trace is not None else None
    if story is not None and story.end:
        # Which thread comes first is chance.
        parts += sorted(
            "\0".join((_function(row.span, sources), " ".join(row.text.split()), _any(row.what)))
            for row in story.end
        )
    else:
        parts += [_function(finding.span, sources), _line(finding.span, sources)]
        parts += [] if finding.span is not None else [finding.name]
    return "\0".join(parts)


_NUMBER = re.compile(r"#\d+|(?<=\[)\d+(?=\])")


def _any(what: str) -> str:
    """An access without the numbers of heap objects and elements, which the run decides."""
    return _NUMBER.sub("", what)


def _line(span: Span | None, sources: Sources) -> str:
    """The text at a place, without blanks at the ends and between words."""
    source = sources.get(span.path) if span is not None else None
    if source is None or span is None:
        return ""
    lines = source.text.split("\n")[span.line - 1 : span.end_line]
    return " ".join(" ".join(lines).split())


_TOKEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|[{}();\n]|=",
    re.DOTALL,
)
_NO_FUNCTIONS = frozenset(("if", "for", "while", "switch", "sizeof", "return", "__attribute__"))


def _function(span: Span | None, sources: Sources) -> str:
    """The function that a place is in, by its name; empty if it is in none."""
    source = sources.get(span.path) if span is not None else None
    if source is None or span is None:
        return ""
    line, depth, before, candidate, current = 1, 0, "", "", ""
    for match in _TOKEN.finditer(source.text):
        token = match[0]
        if line > span.line:
            break
        line += token.count("\n")
        if token == "(" and depth == 0 and before not in _NO_FUNCTIONS:
            candidate = candidate or before
        elif token == "{":
            current = candidate if depth == 0 else current
            depth += 1
        elif token == "}":
            depth = max(depth - 1, 0)
            if depth == 0:
                if line >= span.line:
                    break
                candidate = current = ""
        elif token in (";", "=") and depth == 0:
            candidate = ""
        if token[0].isalpha() or token[0] == "_":
            before = token
    return current
