"""Of what a thread knows, what can matter from a location on.

Values and conditions of dead locals are dropped, unless another fact is expressed with them: a
held lock, an owned object, the value of a live local. What is left is weaker, so the rules accept
it where they accept the whole.
"""

from __future__ import annotations

from collections.abc import Collection

from threadwise.analyses.liveness import live_locals
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.expr import Expr, Scope, Variable
from threadwise.ir.program import LocId, Program
from threadwise.ir.types import PointerType
from threadwise.proofs.locksets.knowledge import Knowledge, base_of, read_bases

Bases = set[object]


class Lives:
    """Which locals are alive where: the same in all passes over a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._uses = Uses()
        self._live: dict[str, dict[LocId, frozenset[str]]] = {}

    def at(self, location: LocId) -> frozenset[str]:
        """The names of the locals that are alive at a location."""
        procedure = self.program.procedure_of[location]
        if procedure.name not in self._live:
            self._live[procedure.name] = live_locals(procedure, self._uses)
        return self._live[procedure.name][location]


class Needed:
    """What is needed at each location of a program."""

    def __init__(
        self, program: Program, given: Collection[str] = (), lives: Lives | None = None
    ) -> None:
        self.program = program
        self.given = frozenset(given)
        """The sites of objects that may be given away: by no variable may they be kept then."""
        self.lives = Lives(program) if lives is None else lives

    def of(self, location: LocId, knowledge: Knowledge) -> Knowledge:
        """What is left of knowledge at a location."""
        live = self.lives.at(location)

        def is_dead(base: object) -> bool:
            local = isinstance(base, Variable) and base.scope is Scope.LOCAL
            return local and base.name not in live  # type: ignore[attr-defined]

        gives = not self.given.isdisjoint(knowledge.owned.values())
        dead = [
            place
            for place in knowledge.known
            if is_dead(base_of(place)) and not (gives and isinstance(place.type, PointerType))
        ]
        told = {fact: read_bases(fact) for fact in knowledge.facts}
        if not dead and not any(is_dead(base) for bases in told.values() for base in bases):
            return knowledge
        kept = set(knowledge.told_with)
        kept |= {base for bases in told.values() for base in bases if not is_dead(base)}
        kept |= set(map(base_of, knowledge.known)) - set(map(base_of, dead))
        _close(kept, knowledge, told)
        if all(base_of(place) in kept for place in dead) and all(
            bases <= kept for bases in told.values()
        ):
            return knowledge
        return replace(
            knowledge,
            known={p: v for p, v in knowledge.known.items() if base_of(p) in kept},
            facts=frozenset(fact for fact, bases in told.items() if bases <= kept),
        )


class Least(Needed):
    """Only what these are expressed with: locks held, objects owned, threads and their ids."""

    def of(self, location: LocId, knowledge: Knowledge) -> Knowledge:
        """What is left of knowledge at a location."""
        if not knowledge.known and not knowledge.facts:
            return knowledge
        kept = set(knowledge.told_with)
        if not self.given.isdisjoint(knowledge.owned.values()):
            kept |= {base_of(p) for p in knowledge.known if isinstance(p.type, PointerType)}
        _close(kept, knowledge, {})
        return replace(
            knowledge,
            known={p: v for p, v in knowledge.known.items() if base_of(p) in kept},
            facts=frozenset(),
        )


def _close(kept: Bases, knowledge: Knowledge, told: dict[Expr, frozenset[object]]) -> None:
    """Add what the kept values and conditions are expressed with."""
    values = {place: read_bases(value) for place, value in knowledge.known.items()}
    size = -1
    while size != len(kept):
        size = len(kept)
        for place, bases in values.items():
            if base_of(place) in kept:
                kept |= bases
        for bases in told.values():
            if not bases.isdisjoint(kept):
                kept |= bases
