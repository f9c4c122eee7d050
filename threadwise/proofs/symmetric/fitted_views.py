"""Which views of a symmetric proof fit together and violate a property.

Views are views of one state if some renaming makes what everybody sees equal and keeps the threads
apart. Failures need one view, races two, an invariant one per variable; a deadlock needs a view
for every thread that the shared store names, and for the nameless ones of each class. Everything
is decided in the reference semantics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from threadwise.ir.expr import AtLabel, Expr, Quantified, Quantifier, ThreadVariable
from threadwise.ir.fold import subexpressions
from threadwise.ir.program import Program
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.renaming import Renamer, StoreView
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Cells, GlobalStore, LocalStore, State
from threadwise.semantics.step import Access, Interpreter

Seat = tuple[int, int | None]
"""A thread at a shared store: the representative of its class, and its name there if any."""


class FittedViewsChecker:
    """Decides properties of all views that fit together."""

    def __init__(
        self,
        program: Program,
        interpreter: Interpreter,
        renamer: Renamer,
        views: Mapping[int, set[StoreView]],
        moving: set[StoreView],
        may_meet: Callable[..., bool] | None = None,
    ) -> None:
        self.may_meet = may_meet
        """Whether distinct threads can be at some locations in a shared store; None: always."""
        self.record = program
        self.interpreter = interpreter
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.renamer = renamer
        self.moving = moving
        self.checker = PropertyChecker(interpreter)
        self.all = [view for listed in views.values() for view in listed]
        self.groups: defaultdict[Cells, list[StoreView]] = defaultdict(list)
        for view in self.all:
            if self.program.locations[view.l.pc].failure is None:
                self.groups[renamer.anonymous(view.shared)].append(view)

    def violation(self, checked: Property) -> str | None:
        """Why the property may be violated; None if it cannot be."""
        match checked:
            case FailureProperty():
                return self._failure(checked)
            case RaceProperty():
                return self._race(checked)
            case DeadlockProperty():
                from threadwise.proofs.symmetric.stuck_views import StuckViews

                return StuckViews(self).reason()
            case InvariantProperty():
                return self._invariant(checked)

    def _failure(self, checked: FailureProperty) -> str | None:
        for view in self.all:
            failure = self.program.locations[view.l.pc].failure
            if failure is not None and failure.property == checked.name:
                return failure.message
        return None

    # -- fitting ----------------------------------------------------------------------------------

    def fits(self, views: Sequence[StoreView]) -> Iterator[tuple[Cells, list[StoreView]]]:
        """All ways to see the views in one state: the shared cells, and the views renamed."""
        first = views[0]
        blank = next(iter(self.interpreter.initial_globals())).cells
        base = tuple(
            blank[s] if value is None and s in self.renamer.hidden else value
            for s, value in enumerate(first.shared)
        )
        yield from self._extend(base, [first], views[1:])

    def _extend(
        self, shared: Cells, placed: list[StoreView], views: Sequence[StoreView]
    ) -> Iterator[tuple[Cells, list[StoreView]]]:
        if not views:
            yield shared, placed
            return
        view = views[0]
        matched = self.renamer.matching(view.shared, shared)
        if matched is None:
            return
        for names in self.renamer.all_names(matched, self.renamer.ids(view)):
            if any(names[view.me] == other.me for other in placed):
                continue
            renamed = self.renamer.rename(view, names)
            merged = list(shared)
            for slot in self.renamer.private[renamed.me]:
                merged[slot] = renamed.shared[slot]
            yield from self._extend(tuple(merged), [*placed, renamed], views[1:])

    def _can_meet(self, views: Sequence[StoreView]) -> bool:
        """Whether there are enough threads of each class, and at their locations."""
        places = [view.l.pc for view in views]
        if self.may_meet is not None and not self.may_meet(views[0].shared, *places):
            return False
        return all(
            view.me in self.renamer.unbounded
            or sum(other.me == view.me for other in views) <= self.count(view.me)
            for view in views
        )

    def count(self, t: int) -> int:
        """How many threads of a bounded class the program has."""
        if len(self.renamer.like[t]) == 1:
            return 1
        count = self.record.template[self.layout.numbers.templates[t]].count
        assert count is not None
        return count

    # -- races ------------------------------------------------------------------------------------

    def _race(self, checked: RaceProperty) -> str | None:
        for views in self.groups.values():
            users = [(view, found) for view in views if (found := self._accesses(checked, view))]
            for (first, mine), (second, theirs) in product(users, repeat=2):
                if self._may_conflict(mine, theirs) and self._can_meet([first, second]):
                    for shared, (one, other) in self.fits([first, second]):
                        if self._conflict(checked, shared, one, other):
                            return "two threads may access the same cell"
        return None

    def _accesses(self, checked: RaceProperty, view: StoreView) -> list[Access]:
        ((shared, (placed,)),) = self.fits([view])
        return self._accesses_at(checked, shared, placed)

    def _accesses_at(self, checked: RaceProperty, shared: Cells, view: StoreView) -> list[Access]:
        count = len(self.interpreter.threads)
        state = State(GlobalStore(shared), (view.l,) * count, ((),) * count)
        return self.checker.accesses(checked, state, view.me)

    @staticmethod
    def _may_conflict(mine: Sequence[Access], theirs: Sequence[Access]) -> bool:
        return any(a.write or b.write for a in mine for b in theirs)

    def _conflict(
        self, checked: RaceProperty, shared: Cells, one: StoreView, other: StoreView
    ) -> bool:
        return any(
            a.cell == b.cell and (a.write or b.write) and not (a.sync and b.sync)
            for a in self._accesses_at(checked, shared, one)
            for b in self._accesses_at(checked, shared, other)
        )

    # -- invariants -------------------------------------------------------------------------------

    def _invariant(self, checked: InvariantProperty) -> str | None:
        variables: tuple[ThreadVariable, ...] = ()
        body: Expr = checked.formula
        while isinstance(body, Quantified) and body.quantifier is Quantifier.FORALL:
            variables += body.variables
            body = body.body
        if any(isinstance(part, Quantified) for part in subexpressions(body)):
            raise Refuted(f"`{checked.name}` has quantifiers that a symmetric proof cannot show")
        for views in self.groups.values():
            if not variables and not self._holds(body, views[0].shared, {}, {}):
                return "some shared store makes it false"
            for blocks in _blocks(variables):
                if self._falsified(body, blocks, views):
                    return "some views make it false"
        return None

    def _falsified(
        self, body: Expr, blocks: Sequence[Sequence[ThreadVariable]], views: Sequence[StoreView]
    ) -> bool:
        labels = [part for part in subexpressions(body) if isinstance(part, AtLabel)]
        looks: dict[object, StoreView] = {}
        for view in views:
            at = self.program.locations[view.l.pc].labels
            procedure = self.program.procedure_of[view.l.pc].name
            flags = tuple(p.procedure == procedure and p.label in at for p in labels)
            where = None if self.may_meet is None else view.l.pc
            looks.setdefault((view.me, view.shared, flags, view.l.thread, where), view)
        choices = [
            [v for v in looks.values() if self._template(v) == block[0].template]
            for block in blocks
        ]
        for chosen in product(*choices):
            if not chosen or not self._can_meet(chosen):
                continue
            for shared, placed in self.fits(chosen):
                bound = {
                    variable.name: view.me
                    for block, view in zip(blocks, placed, strict=True)
                    for variable in block
                }
                if not self._holds(body, shared, bound, {view.me: view.l for view in placed}):
                    return True
        return False

    def _template(self, view: StoreView) -> str:
        return self.layout.numbers.templates[view.me]

    def _holds(
        self,
        body: Expr,
        shared: Cells,
        bound: Mapping[str, int],
        others: Mapping[int, LocalStore],
    ) -> bool:
        view = View(
            self.program,
            self.layout,
            -1,
            GlobalStore(shared),
            None,  # type: ignore[arg-type]  # formulas have no local store of their own
            others=others,  # type: ignore[arg-type]  # indexed by thread
            bound=bound,
        )
        try:
            return view.holds(body)
        except Undefined:
            return False


def _blocks(variables: Sequence[ThreadVariable]) -> Iterator[list[list[ThreadVariable]]]:
    """All ways for variables of one template to mean the same thread."""
    if not variables:
        yield []
        return
    for blocks in _blocks(variables[1:]):
        yield [[variables[0]], *blocks]
        for k, block in enumerate(blocks):
            if block[0].template == variables[0].template:
                yield [*blocks[:k], [variables[0], *block], *blocks[k + 1 :]]
