"""The ends of blocks: where the lives of their variables end, if that is asked for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from threadwise.frontends.c import tree

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body


class Blocks:
    """The blocks of one body that we are in."""

    def __init__(self, body: Body) -> None:
        self.body = body
        self._open: list[list[tree.Variable]] = []
        """Their variables."""
        self._depths: dict[int, int] = {}
        """In how many blocks we are where `break` and `continue` lead."""

    def enter(self, *statements: tree.Statement) -> None:
        """A block begins that declares variables with some of these statements."""
        self._open.append(_declared(statements))

    def leave(self, *, outermost: bool = False) -> None:
        """A block ends; the outermost one with its function."""
        ended = self._open.pop()
        if not outermost:
            self._end(ended)

    def lead(self, *targets: int) -> None:
        """Jumps to these nodes leave the blocks that are entered later."""
        for target in targets:
            self._depths[target] = len(self._open)

    def jump(self, target: int) -> None:
        """`break` or `continue`."""
        for block in reversed(self._open[self._depths[target] :]):
            self._end(block)
        self.body.goto(target)

    def not_followed(self, *statements: tree.Statement) -> None:
        """The end of a block that is an expression is not a step."""
        for variable in _declared(statements):
            self.live_on(variable)

    def live_on(self, variable: tree.Variable) -> None:
        """A variable is not gone when its block ends."""
        unit = self.body.unit
        if variable in unit.facts.memory and variable in self.body.here.survey.in_block:
            unit.assume("local variables are not used after their blocks ended")

    def _end(self, variables: Iterable[tree.Variable]) -> None:
        body = self.body
        if not body.unit.options.lifetimes or body.is_dead:
            return
        for variable in variables:
            heap = body.here.heap.get(variable)
            if heap is not None:
                body.free_local(heap.pointer)


def _declared(statements: Iterable[tree.Statement]) -> list[tree.Variable]:
    return [each.variable for each in statements if isinstance(each, tree.Declare)]
