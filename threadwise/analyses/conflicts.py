"""Which locations two threads must be at for a race to be possible at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt

from threadwise.analyses.touches import NOTHING, StepTouches, Touches, step_touches
from threadwise.ir.layout import ThreadNumbers
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import RaceProperty

Pairs = npt.NDArray[np.bool_]
Steps = Mapping[LocId, StepTouches]


class Conflicts:
    """Per pair of threads the pairs of locations from which their steps may race."""

    def __init__(
        self, program: Program, numbers: ThreadNumbers, properties: Sequence[RaceProperty]
    ) -> None:
        self.program = program
        touches = Touches.regions(program, numbers)
        watched = 0
        for checked in properties:
            for declaration in program.globals:
                name = declaration.variable.name
                if checked.variables is None or name in checked.variables:
                    watched |= touches.bits[name]
        for declaration in program.globals:
            if declaration.variable.sync:
                watched &= ~touches.bits[declaration.variable.name]
        self.pairs: dict[tuple[int, int], Pairs] = {}
        masks = [
            {
                location: found.within(watched)
                for location, found in step_touches(
                    program, touches, thread, program.template[name].body
                ).items()
            }
            for thread, name in enumerate(numbers.templates)
        ]
        known: dict[tuple[object, ...], Pairs] = {}
        for t, u in combinations(range(len(masks)), 2):
            key = (tuple(masks[t].items()), tuple(masks[u].items()))
            if key not in known:
                known[key] = self._table(masks[t], masks[u])
            if known[key].any():
                self.pairs[t, u] = known[key]

    def _table(self, first: Steps, second: Steps) -> Pairs:
        """Few steps differ in what they touch, so each kind is compared with each once."""
        mine, kinds = self._kinds(first)
        others, other_kinds = self._kinds(second)
        races = np.array([[a.races(b) for b in other_kinds] for a in kinds], dtype=np.bool_)
        return races[np.ix_(mine, others)]

    def _kinds(self, steps: Steps) -> tuple[npt.NDArray[np.intp], list[StepTouches]]:
        """Per location the kind of step that starts there; elsewhere one that touches nothing."""
        kinds: dict[StepTouches, int] = {StepTouches(NOTHING, NOTHING): 0}
        found = np.zeros(len(self.program.locations), dtype=np.intp)
        for location, touched in steps.items():
            found[location] = kinds.setdefault(touched, len(kinds))
        return found, list(kinds)

    def possible(self, locations: Sequence[npt.NDArray[np.int64]]) -> npt.NDArray[np.bool_]:
        """For each of some states whether two threads may race; given where each thread is."""
        found = np.zeros(len(locations[0]) if locations else 0, dtype=np.bool_)
        for (t, u), table in self.pairs.items():
            found |= table[locations[t], locations[u]]
        return found
