"""The reference property checker, remembering what it has seen.

States of a large set share most of their parts: what a thread can do depends on its own stores and
the shared one only, and a universally quantified invariant on those of the threads it is about. So
each part is decided once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING

from threadwise.ir.expr import Expr, Quantified, Quantifier, ThreadVariable
from threadwise.ir.fold import subexpressions
from threadwise.ir.properties import InvariantProperty, RaceProperty
from threadwise.ir.types import NONE
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import GlobalStore, LocalStore, State
from threadwise.semantics.step import Access, Interpreter

if TYPE_CHECKING:
    from threadwise.semantics.deadlocks import Deadlocks

Own = tuple[int, GlobalStore, LocalStore]


class CachedPropertyChecker(PropertyChecker):
    """Same answers as `PropertyChecker`, faster on many states."""

    def __init__(self, interpreter: Interpreter) -> None:
        super().__init__(interpreter)
        self._accesses: dict[tuple[str, Own], list[Access]] = {}
        self._formulas: dict[str, dict[object, bool]] = {}

    @cached_property
    def deadlocks(self) -> Deadlocks:
        """Which states are deadlocks."""
        from threadwise.proofs.base.cached_deadlocks import CachedDeadlocks

        return CachedDeadlocks(self.interpreter)

    def accesses(self, checked: RaceProperty, state: State, thread: int) -> list[Access]:
        """The accesses to the property's variables that a thread's enabled edges make."""
        key = (checked.name, (thread, state.g, state.locals[thread]))
        if key not in self._accesses:
            self._accesses[key] = super().accesses(checked, state, thread)
        return self._accesses[key]

    def holds(self, invariant: InvariantProperty, state: State) -> bool:
        """Whether the formula of an invariant is true in a state."""
        variables: tuple[ThreadVariable, ...] = ()
        body: Expr = invariant.formula
        while isinstance(body, Quantified) and body.quantifier is Quantifier.FORALL:
            variables += body.variables
            body = body.body
        if any(isinstance(part, Quantified) for part in subexpressions(body)):
            return super().holds(invariant, state)
        known = self._formulas.setdefault(invariant.name, {})
        numbers = self.layout.numbers
        for chosen in product(*(numbers.ranges[v.template] for v in variables)):
            key = (state.g, *((t, state.locals[t]) for t in chosen))
            if key not in known:
                bound = {v.name: t for v, t in zip(variables, chosen, strict=True)}
                known[key] = self._body_holds(body, state, bound)
            if not known[key]:
                return False
        return True

    def _body_holds(self, body: Expr, state: State, bound: Mapping[str, int]) -> bool:
        view = View(
            self.program,
            self.layout,
            NONE,
            state.g,
            None,  # type: ignore[arg-type]  # invariants read no local store of their own
            others=state.locals,
            bound=bound,
        )
        try:
            return view.holds(body)
        except Undefined:
            return False
