"""Whether the stores a certificate lists are stores of the program at all.

Cells must fit their types, locations exist, frames fit the procedures above them. Checkers may
then run the reference semantics on them without surprises.
"""

from __future__ import annotations

from threadwise.evidence.proof import Refuted
from threadwise.ir.commands import Call
from threadwise.ir.layout import Layout
from threadwise.ir.types import TidType, contains
from threadwise.semantics.state import Cells, Frame, LocalStore, State
from threadwise.semantics.step import Interpreter


class ShapeChecker:
    """Well-formedness of stores of one program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.thread_ids = range(-1, len(interpreter.threads))

    def check_state(self, state: State) -> None:
        """A state of the whole program."""
        count = len(self.layout.numbers.templates)
        if len(state.locals) != count or len(state.stacks) != count:
            raise Refuted("a state has the wrong number of threads")
        self.check_global(state.g.cells)
        for thread, (l, stack) in enumerate(zip(state.locals, state.stacks, strict=True)):
            current = self.check_local(thread, l)
            for frame in reversed(stack):
                current = self.check_frame(frame, current)
            if current != self.program.template[self.layout.numbers.templates[thread]].body:
                raise Refuted("a stack does not start in the body of its thread")

    def check_global(self, cells: Cells) -> None:
        """The cells of a global store."""
        self._check_cells(self.layout.globals, cells)

    def check_local(self, thread: int, l: LocalStore) -> str:
        """A local store of a thread; the name of the procedure it is in."""
        if not 0 <= l.pc < len(self.program.locations):
            raise Refuted("a thread is nowhere in the program")
        self._check_cells(self.layout.thread[self.layout.numbers.templates[thread]], l.thread)
        current = self.program.procedure_of[l.pc].name
        self._check_cells(self.layout.local[current], l.locals)
        return current

    def check_frame(self, frame: Frame, callee: str) -> str:
        """A frame under a procedure; the name of the procedure that called."""
        if not 0 <= frame.call < len(self.program.edges):
            raise Refuted("a frame returns to no call")
        edge = self.program.edges[frame.call]
        if not isinstance(edge.action, Call) or edge.action.procedure != callee:
            raise Refuted("a frame does not fit the procedure above it")
        caller = self.program.procedure_of[edge.source].name
        self._check_cells(self.layout.local[caller], frame.locals)
        return caller

    def _check_cells(self, layout: Layout, cells: Cells) -> None:
        if len(cells) != len(layout.cells):
            raise Refuted("a store has the wrong number of cells")
        for cell, value in zip(layout.cells, cells, strict=True):
            if not contains(cell.type, value) or (
                isinstance(cell.type, TidType) and value not in self.thread_ids
            ):
                raise Refuted(f"{value!r} is no value of {cell.name}")
