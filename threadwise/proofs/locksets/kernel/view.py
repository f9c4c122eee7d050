"""A case in a form that rules can ask: its claims by kind, under one name for each value."""

from __future__ import annotations

import threadwise.ir.expr as ir
import threadwise.proofs.locksets.kernel.claims as said
from threadwise.ir.fold import root
from threadwise.proofs.locksets.kernel.names import is_definite, is_own, named, named_place


class View:
    """The claims of a case."""

    def __init__(self, case: said.Case) -> None:
        self.case = case
        self._truths: dict[ir.Expr, ir.Expr] = {}
        facts = [claim.condition for claim in case if isinstance(claim, said.Fact)]
        self.known: dict[ir.Expr, ir.Expr] = {}
        for fact in facts:
            match fact:
                case ir.Binary(ir.BinaryOp.EQ, ir.Read(place) as read, value):
                    if is_own(place) and is_definite(place):
                        self.known[read] = value
                case _:
                    pass
        self.held = frozenset(self.place(c.mutex) for c in case if isinstance(c, said.Holds))
        self.entered = frozenset(self.place(c.mutex) for c in case if isinstance(c, said.Entered))
        self.owned = frozenset(self.named(c.pointer) for c in case if isinstance(c, said.Owns))
        self.counts = {c.edge: c.times for c in case if isinstance(c, said.Count)}
        handles = (c for c in case if isinstance(c, said.Handle))
        self.handles = {self.named(ir.Read(c.variable)): (c.edge, c.time) for c in handles}
        self.over = frozenset((c.edge, c.time) for c in case if isinstance(c, said.Over))
        self._owners: dict[ir.Expr, ir.Expr] = {
            ir.Read(ir.FieldPlace(mutex, "owner")): ir.SelfId() for mutex in self.held
        }
        self.facts = frozenset(map(self.truth, facts))

    def named(self, expr: ir.Expr) -> ir.Expr:
        """The name of a value."""
        return named(expr, self.known)

    def place(self, place: ir.Place) -> ir.Place:
        """The name of a place."""
        return named_place(place, self.known)

    def truth(self, condition: ir.Expr) -> ir.Expr:
        """The name of a condition, where the owner of what is held is the thread itself."""
        if condition not in self._truths:
            self._truths[condition] = named(self.named(condition), self._owners)
        return self._truths[condition]

    def owns(self, pointer: ir.Expr) -> bool:
        """Whether the thread owns the object that a pointer points into, if it does."""
        name = self.named(pointer)
        while name not in self.owned:
            match name:
                case ir.PointerAdd(inner, _, _):
                    name = inner
                case ir.AddressOf(place) if isinstance(base := root(place), ir.DerefPlace):
                    name = base.pointer
                case _:
                    return isinstance(name, ir.Const) and name.value is None
        return True
