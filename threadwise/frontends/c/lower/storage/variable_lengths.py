"""Arrays of variable length: objects of their own, whose length is known to `sizeof`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.frontends.c import tree
from threadwise.frontends.c.types import CArray, unqualified
from threadwise.frontends.c.walking import nodes
from threadwise.ir.commands import Allocate, Assignment, Command
from threadwise.ir.expr import TRUE, Binary, BinaryOp, Expr, Read, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.types import MachineType

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

_LENGTH = MachineType(64, signed=True)


class VariableLengths:
    """The arrays of variable length of one body."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._addresses: dict[tree.Variable, Expr] = {}
        self._sizes: dict[tree.Variable, Expr] = {}

    def declare(self, variable: tree.Variable, length: tree.Expr) -> None:
        """An array comes to life."""
        body = self.body
        array = unqualified(variable.type)
        assert isinstance(array, CArray)
        count = body.expressions.value(length)
        held = body.unit.types.of(array.element)
        if any(isinstance(node, tree.VariableSize) for node in nodes(body.here.function.body)):
            count = self._measured(variable, array, count)
        heap = body.heap_local(variable.name, held)
        pointer = VariablePlace(heap.pointer)
        if body.loops:
            body.free_local(heap.pointer)
        body.here.heap[variable] = heap
        survey = body.here.survey
        followed = body.unit.options.lifetimes and not survey.has_goto
        if variable in survey.in_block and not followed:
            body.unit.assume("local variables are not used after their blocks ended")
        site = f"{variable.span.path}:{variable.span.line} {variable.shown}[]"
        body.step(Allocate(TRUE, pointer, held, site, count, cleared=False))
        self._addresses[variable] = Read(pointer)

    def _measured(self, variable: tree.Variable, array: CArray, count: Expr) -> Expr:
        """The length of an array, kept for `sizeof`: what it was computed from may change."""
        kept = VariablePlace(self.body.temporary(_LENGTH))
        self.body.step(Command(assignments=(Assignment(kept, count),)))
        unit = self.body.unit.types.size(array.element)
        self._sizes[variable] = Binary(BinaryOp.MUL, Read(kept), number(unit))
        return Read(kept)

    def address(self, variable: tree.Variable) -> Expr | None:
        """The address of an array of variable length; None for other variables."""
        return self._addresses.get(variable)

    def size(self, operand: tree.Expr | None) -> Expr | None:
        """`sizeof`, if its operand names such an array."""
        if isinstance(operand, tree.Decay) and isinstance(operand.place, tree.VariableRef):
            return self._sizes.get(operand.place.variable)
        return None
