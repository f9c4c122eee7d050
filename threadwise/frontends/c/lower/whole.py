"""What the text of a whole program shows: found once for all rounds, if somebody asks."""

from __future__ import annotations

from functools import cached_property

from threadwise.frontends.c import tree
from threadwise.frontends.c.signal_flags import other_handlers
from threadwise.frontends.c.types import CPointer, CType, unqualified
from threadwise.frontends.c.walking import nodes

FORMATTING = frozenset({"snprintf", "sprintf"})
MOST_FORMATS = 12
"""In programs that format in more places it is not computed what they make."""


class WholeText:
    """The bodies of all functions of a program, which no round changes."""

    def __init__(self, program: tree.Program) -> None:
        self._program = program

    @cached_property
    def other_handlers(self) -> frozenset[tree.Function]:
        """The functions that may handle signals although their types do not say so."""
        return other_handlers(self._program)

    @cached_property
    def moved_over(self) -> frozenset[CType]:
        """The types of objects that the program moves pointers over, but for declared arrays."""
        found: set[CType] = set()
        for function in self._program.functions.values():
            for node in nodes(function.body) if function.body is not None else ():
                match node:
                    case tree.PointerArithmetic(pointer=tree.Decay()):
                        pass
                    case tree.PointerArithmetic(type=held) | tree.Step(type=held):
                        found.add(held)
                    case tree.CompoundAssign(computation=held):
                        found.add(held)
                    case _:
                        pass
        pointers = (unqualified(held) for held in found)
        return frozenset(unqualified(p.target) for p in pointers if isinstance(p, CPointer))

    @cached_property
    def formats_few(self) -> bool:
        """Whether texts are made in few places: then it is computed what simple formats make."""
        bodies = tuple(f.body for f in self._program.functions.values() if not f.library)
        called = (
            node.callee.function.name
            for node in nodes(bodies)
            if isinstance(node, tree.Call) and isinstance(node.callee, tree.FunctionName)
        )
        return sum(name in FORMATTING for name in called) <= MOST_FORMATS
