"""Small programs, and running them by hand."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.source import SourceFile
from threadwise.frontends.model import load_model
from threadwise.ir.program import Program
from threadwise.ir.types import Value
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter, Transition


def model(text: str, max_threads: int = 2) -> Program:
    """The program of a model."""
    return load_model(SourceFile("model.tw", text), max_threads=max_threads)


class Run:
    """A program in some state, moved on step by step."""

    def __init__(self, program: Program | str) -> None:
        self.program = model(program) if isinstance(program, str) else program
        self.interpreter = Interpreter(self.program)
        self.checker = PropertyChecker(self.interpreter)
        self.state: State = next(self.interpreter.initial_states())

    def offered(self, thread: int) -> list[Transition]:
        """What a thread can do now; nothing if a failure ended the program."""
        if self.interpreter.is_stopped(self.state):
            return []
        return list(self.interpreter.thread_successors(self.state, thread))

    def step(self, *threads: int) -> Run:
        """Let threads step in this order; each must have exactly one step."""
        for thread in threads:
            (transition,) = self.offered(thread)
            self.state = transition.state
        return self

    def choose(self, thread: int, number: int) -> Run:
        """Take one of several steps of a thread."""
        self.state = self.offered(thread)[number].state
        return self

    def finish(self, *threads: int) -> Run:
        """Let threads run, one after the other, until each can do nothing more."""
        for thread in threads:
            while self.offered(thread):
                self.step(thread)
        return self

    def shared(self) -> dict[str, Value]:
        """The shared cells by name."""
        cells = self.interpreter.layout.globals.cells
        return {c.name: v for c, v in zip(cells, self.state.g.cells, strict=True)}

    def own(self, thread: int) -> dict[str, Value]:
        """The variables of a thread by name, thread-scoped ones included."""
        layout, l = self.interpreter.layout, self.state.locals[thread]
        kept = layout.thread[layout.numbers.templates[thread]].cells
        local = layout.local[self.program.procedure_of[l.pc].name].cells
        values = (*l.thread, *l.locals)
        return {c.name: v for c, v in zip((*kept, *local), values, strict=True)}

    def violated(self) -> set[str]:
        """The properties that the state violates."""
        return {p.name for p in self.program.properties if self.checker.violated(p, self.state)}

    def failure(self) -> str | None:
        """The property named by the failure location some thread is in."""
        for l in self.state.locals:
            failure = self.program.locations[l.pc].failure
            if failure is not None:
                return failure.property or failure.kind.value
        return None


def reached_values(program: Program | str, cell: str) -> set[Value]:
    """All values that a shared cell has in some reachable state."""
    run = Run(program)
    position = next(
        k for k, c in enumerate(run.interpreter.layout.globals.cells) if c.name == cell
    )
    return {state.g.cells[position] for state in all_states(run)}


def all_states(run: Run) -> Iterator[State]:
    """Every reachable state."""
    seen = dict.fromkeys(run.interpreter.initial_states())
    pending = list(seen)
    while pending:
        state = pending.pop()
        yield state
        for _, after in run.interpreter.successors(state):
            if after not in seen:
                seen[after] = None
                pending.append(after)
