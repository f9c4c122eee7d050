"""Whether views that fit together may be a deadlock; the rules are those of the semantics.

A module of its own, so that proofs of other properties do not load the rules about waiting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from threadwise.semantics.deadlocks import Waiting, may_rest
from threadwise.semantics.possible_deadlocks import Candidate, candidate, stuck_candidates
from threadwise.semantics.state import Cells, GlobalStore

if TYPE_CHECKING:
    from threadwise.proofs.symmetric.fitted_views import FittedViewsChecker, Seat
    from threadwise.proofs.toolbox.renaming import StoreView


@dataclass(frozen=True)
class StuckViews:
    """Looks for deadlocks among views."""

    views: FittedViewsChecker

    def reason(self) -> str | None:
        """Why threads may wait forever; None if they cannot."""
        for anonymous, views in self.views.groups.items():
            seats: defaultdict[Seat, list[tuple[StoreView, dict[int, int]]]] = defaultdict(list)
            for view in views:
                names = self.views.renamer.matching(view.shared, anonymous)
                assert names is not None
                seats[view.me, names.get(view.me)].append((view, names))
            reason = self._stuck(anonymous, seats)
            if reason is not None:
                return reason
        return None

    def _stuck(
        self,
        anonymous: Cells,
        seats: Mapping[Seat, Sequence[tuple[StoreView, dict[int, int]]]],
    ) -> str | None:
        renamer = self.views.renamer
        representatives = list(dict.fromkeys(like[0] for like in renamer.like.values()))
        named = [
            (renamer.like[t][0], t)
            for t in dict.fromkeys(anonymous[s] for s in renamer.id_slots)
            if isinstance(t, int) and t >= 0
        ]
        nameless: list[Seat] = []
        certain: list[Seat] = list(named)
        for t in representatives:
            taken = sum(class_ == t for class_, _ in named)
            if t in renamer.unbounded:
                nameless.append((t, None))
            elif self.views.count(t) > taken:
                nameless.append((t, None))
                certain.append((t, None))
        if any(not seats.get(seat) for seat in certain):
            return None
        candidates = {
            seat: [self._candidate(view, names) for view, names in seats.get(seat, ())]
            for seat in [*named, *nameless]
        }
        return "threads may wait forever" if stuck_candidates(candidates, certain) else None

    def _candidate(self, view: StoreView, names: dict[int, int]) -> Candidate[Seat]:
        """A view as a candidate for deadlocks; its cells of other threads are not known."""
        deadlocks = self.views.checker.deadlocks
        moves = view in self.views.moving
        ways: Sequence[Waiting] | None = None
        if not moves:
            ((shared, (placed,)),) = self.views.fits([view])
            ways = deadlocks.waiting(view.me, GlobalStore(shared), placed.l) or ()

        def seat(awaited: int) -> Seat | None:
            name = names.get(awaited)
            return None if name is None else (self.views.renamer.like[name][0], name)

        standing = deadlocks.standing(view.me, view.l, (), blocked=not moves)
        return candidate(ways, standing, seat, may_rest=may_rest(self.views.program, view.l))
