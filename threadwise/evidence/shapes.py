"""Whether the stores a certificate lists are stores of the program at all.

Cells must fit their types, locations exist, frames fit the procedures above them, heap objects
come from an allocation and pointers point at objects. Checkers may then run the reference
semantics on them without surprises.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.evidence.proof import Refuted
from threadwise.ir.commands import Allocate, Call
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.layout import Layout, lay_out
from threadwise.ir.types import Address, TidType, Value, contains
from threadwise.semantics.state import Cells, Frame, HeapObject, LocalStore, State
from threadwise.semantics.step import Interpreter


class ShapeChecker:
    """Well-formedness of stores of one program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.thread_ids = range(-1, len(interpreter.threads))
        self.allocated: dict[str, list[Layout]] = {}
        for edge in self.program.edges:
            if isinstance(edge.action, Allocate):
                site, held = edge.action.site, edge.action.object_type
                layout = lay_out([Variable(site, held, Scope.GLOBAL)], self.layout.numbers)
                self.allocated.setdefault(site, []).append(layout)

    def check_state(self, state: State) -> None:
        """A state of the whole program."""
        count = len(self.layout.numbers.templates)
        if len(state.locals) != count or len(state.stacks) != count:
            raise Refuted("a state has the wrong number of threads")
        self.check_global(state.g.cells)
        for item in state.g.heap:
            self._check_object(item)
        objects = range(len(self.program.globals) + len(state.g.heap))
        for value in _values(state):
            if isinstance(value, Address) and value.number not in objects:
                raise Refuted("a pointer points at no object")
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

    def check_body(self, thread: int, l: LocalStore) -> None:
        """A local store of a thread that is in its own body, called by nobody."""
        body = self.program.template[self.layout.numbers.templates[thread]].body
        if self.check_local(thread, l) != body:
            raise Refuted("a thread is outside its body")

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

    def _check_object(self, item: HeapObject) -> None:
        if not any(self._fits(layout, item.cells) for layout in self.allocated.get(item.site, ())):
            raise Refuted("a heap object is none that the program allocates")

    def _fits(self, layout: Layout, cells: Cells) -> bool:
        try:
            self._check_cells(layout, cells)
        except Refuted:
            return False
        return True

    def _check_cells(self, layout: Layout, cells: Cells) -> None:
        if len(cells) != len(layout.cells):
            raise Refuted("a store has the wrong number of cells")
        for cell, value in zip(layout.cells, cells, strict=True):
            if not contains(cell.type, value) or (
                isinstance(cell.type, TidType) and value not in self.thread_ids
            ):
                raise Refuted(f"{value!r} is no value of {cell.name}")


def _values(state: State) -> Iterator[Value]:
    """Every value that a state holds."""
    yield from state.g.cells
    for item in state.g.heap:
        yield from item.cells
    for l, stack in zip(state.locals, state.stacks, strict=True):
        yield from (*l.thread, *l.locals)
        for frame in stack:
            yield from frame.locals
