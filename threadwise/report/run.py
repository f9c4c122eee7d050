"""The report about a simulated run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.source import SourceFile, Span
from threadwise.core.words import count
from threadwise.report.page import PLAIN, Page, Style
from threadwise.report.trace_table import draw_initial, draw_steps
from threadwise.traces.trace import TraceStep


@dataclass(frozen=True)
class Incident:
    """A property that the run violated, first after this many steps."""

    name: str
    after_step: int
    violation: str
    location: Span | None

    @property
    def sentence(self) -> str:
        """What happened, in one line."""
        when = f"after step {self.after_step}" if self.after_step else "at the start"
        return f"{self.name}: {self.violation}, {when}"


@dataclass(frozen=True)
class Run:
    """Some steps of a program."""

    file: str
    threads: tuple[str, ...]
    initial: tuple[tuple[str, str], ...]
    steps: tuple[TraceStep, ...]
    incidents: tuple[Incident, ...]
    end: str
    """Why there are no further steps."""


def run_to_text(run: Run, sources: Mapping[str, SourceFile], style: Style = PLAIN) -> str:
    """The steps as a table, then what went wrong on the way."""
    page = Page(style)
    page.line(run.file, "bold")
    draw_initial(page, run.initial, run.steps)
    if run.steps:
        draw_steps(page, run.threads, run.steps)
    page.blank()
    if run.incidents:
        page.diagnostics(
            [Diagnostic(Severity.ERROR, i.sentence, i.location) for i in run.incidents], sources
        )
        page.blank()
    violated = count(len(run.incidents), "property violated", "properties violated")
    page.line(f"{count(len(run.steps), 'step')}, {run.end}; {violated}")
    return page.text()
