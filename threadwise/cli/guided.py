"""Guided simulation: the user picks each step from a numbered list.

The dialogue goes to standard error, so that standard output holds the finished run alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import TextIO

from threadwise.cli import terminal
from threadwise.report.page import Page
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter, Transition
from threadwise.traces.describe import Describer
from threadwise.traces.trace import TraceStep

_STATES_OFFERED = 20


class GuidedSchedule:
    """Asks for every choice; an empty line or the end of input stops the run."""

    def __init__(self, answers: TextIO) -> None:
        self._answers = answers
        self._describer: Describer | None = None
        self._taken = 0

    def start(self, interpreter: Interpreter) -> State:
        """The initial state; if there are several, the one the user picks."""
        self._describer = Describer(interpreter)
        states = list(islice(interpreter.initial_states(), _STATES_OFFERED))
        if len(states) == 1:
            return states[0]
        self._list([[_values(self._describer.shared(state.g))] for state in states])
        chosen = self._ask("start in", len(states))
        return states[chosen or 0]

    def choose(self, state: State, offered: Sequence[Transition]) -> Transition | None:
        """The step that the user picks."""
        assert self._describer is not None
        terminal.err(f"\n{_values(self._describer.shared(state.g))}\n")
        self._taken += 1
        steps = [self._describer.step(self._taken, t.move, state, t.state) for t in offered]
        self._list([_row(step) for step in steps])
        chosen = self._ask(f"step {self._taken}:", len(offered))
        return None if chosen is None else offered[chosen]

    def _list(self, rows: Sequence[Sequence[str]]) -> None:
        page = Page()
        numbered = [[str(number), *row] for number, row in enumerate(rows, start=1)]
        page.aligned(numbered, indent="  ")
        terminal.err(page.text())

    def _ask(self, what: str, most: int) -> int | None:
        numbers = "1" if most == 1 else f"1-{most}"
        while True:
            terminal.err(f"{what} {numbers}, or nothing to stop? ")
            answer = self._answers.readline().strip()
            if answer.isdecimal() and 1 <= int(answer) <= most:
                return int(answer) - 1
            if not answer:
                terminal.err("\n")
                return None
            terminal.err(f"`{answer}` is not a number from 1 to {most}\n")


def _row(step: TraceStep) -> list[str]:
    line = str(step.span.line) if step.span is not None else ""
    changes = ", ".join(f"{c.cell}: {c.before} → {c.after}" for c in step.changes)
    return [step.thread_name, line, step.text, changes]


def _values(shared: Sequence[tuple[str, str]]) -> str:
    return ", ".join(f"{cell} = {value}" for cell, value in shared)
