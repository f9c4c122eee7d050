"""Whether the stores a certificate lists are stores of the program at all.

Cells must fit their types, locations exist, frames fit the procedures above them, heap objects
come from an allocation and pointers point at objects. Checkers may then run the reference
semantics on them without surprises.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.ir.commands import Allocate, Call
from threadwise.ir.layout import Cell
from threadwise.ir.types import INTEGER_OBJECT, UNSET, Address, TidType, contains
from threadwise.proofs.base.answer import Refuted
from threadwise.semantics.state import Cells, Frame, HeapObject, LocalStore, State
from threadwise.semantics.step import Interpreter


class ShapeChecker:
    """Well-formedness of stores of one program."""

    def __init__(self, interpreter: Interpreter) -> None:
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.variables = range(len(self.program.globals))
        self.thread_ids = range(-1, len(interpreter.threads))
        self.arrays = {
            edge.action.site
            for edge in self.program.edges
            if isinstance(edge.action, Allocate) and edge.action.count is not None
        }

    def check_state(self, state: State) -> None:
        """A state of the whole program."""
        for thread, current in enumerate(self._check_parts(state)):
            if current != self.program.template[self.layout.numbers.templates[thread]].body:
                raise Refuted("a stack does not start in the body of its thread")

    def check_short_state(self, state: State) -> None:
        """A state of the whole program, of whose stacks there are the top frames only."""
        for stack, _ in zip(state.stacks, self._check_parts(state), strict=True):
            if len(stack) > 1:
                raise Refuted("a stack has more than its top frame")

    def _check_parts(self, state: State) -> Iterator[str]:
        """All parts of a state; per thread, the procedure in which its lowest frame called."""
        count = len(self.layout.numbers.templates)
        if len(state.locals) != count or len(state.stacks) != count:
            raise Refuted("a state has the wrong number of threads")
        objects = range(len(self.program.globals) + len(state.g.heap))
        self.check_global(state.g.cells, objects)
        for item in state.g.heap:
            self._check_object(item, objects)
        for thread, (l, stack) in enumerate(zip(state.locals, state.stacks, strict=True)):
            current = self.check_local(thread, l, objects)
            for frame in reversed(stack):
                current = self.check_frame(frame, current, objects)
            yield current

    def check_global(self, cells: Cells, objects: range | None = None) -> None:
        """The cells of a global store; `objects` are those there are, variables if not said."""
        self._check_cells(self.layout.globals.cells, cells, objects, shared=True)

    def check_local(self, thread: int, l: LocalStore, objects: range | None = None) -> str:
        """A local store of a thread; the name of the procedure it is in."""
        if not 0 <= l.pc < len(self.program.locations):
            raise Refuted("a thread is nowhere in the program")
        template = self.layout.numbers.templates[thread]
        self._check_cells(self.layout.thread[template].cells, l.thread, objects)
        current = self.program.procedure_of[l.pc].name
        self._check_cells(self.layout.local[current].cells, l.locals, objects)
        return current

    def check_body(self, thread: int, l: LocalStore) -> None:
        """A local store of a thread that is in its own body, called by nobody."""
        body = self.program.template[self.layout.numbers.templates[thread]].body
        if self.check_local(thread, l) != body:
            raise Refuted("a thread is outside its body")

    def check_frame(self, frame: Frame, callee: str, objects: range | None = None) -> str:
        """A frame under a procedure; the name of the procedure that called."""
        if not 0 <= frame.call < len(self.program.edges):
            raise Refuted("a frame returns to no call")
        edge = self.program.edges[frame.call]
        if not isinstance(edge.action, Call) or edge.action.procedure != callee:
            raise Refuted("a frame does not fit the procedure above it")
        caller = self.program.procedure_of[edge.source].name
        self._check_cells(self.layout.local[caller].cells, frame.locals, objects)
        return caller

    def _check_object(self, item: HeapObject, objects: range) -> None:
        cells = self.layout.sites.get(item.site)
        if cells is None:
            raise Refuted("a heap object is none that the program allocates")
        tail = self.layout.tails.get(item.site) or cells
        more = len(item.cells) - len(cells) if item.site in self.arrays and tail else 0
        wanted = (*cells, *(tail * (more // len(tail)))) if more >= 0 else ()
        self._check_cells(wanted, item.cells, objects, shared=True)

    def _check_cells(
        self,
        cells: Sequence[Cell],
        values: Cells,
        objects: range | None,
        *,
        shared: bool = False,
    ) -> None:
        if len(values) != len(cells):
            raise Refuted("a store has the wrong number of cells")
        for cell, value in zip(cells, values, strict=True):
            if shared and value == UNSET:
                continue
            if not contains(cell.type, value) or (
                isinstance(cell.type, TidType) and value not in self.thread_ids
            ):
                raise Refuted(f"{value!r} is no value of {cell.name}")
            if isinstance(value, Address) and not _may_be(value, objects or self.variables):
                raise Refuted("a pointer points at no object")


def _may_be(address: Address, objects: range) -> bool:
    """Whether an address is one of an object, or an integer other than 0."""
    integer = address.number == INTEGER_OBJECT and address.offset != 0
    return address.number in objects or integer
