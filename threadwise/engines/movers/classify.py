"""Right and left movers, inferred from the pairs threads can be in (QRR §4).

A step of t is a right mover if it can be swapped with any step of u ≠ t that comes right after it,
a left mover if with any that comes right before it. QRR assumes them; here they come from R, the
pairs of a thread-modular fixpoint, by two rules:

    (i)   acquiring a lock is a right mover, releasing it a left mover (`locks` says what a lock
          is); local steps are both; a step with several effects is what all its effects are
    (ii)  an access at l of t is a both mover if there are no g, u ≠ t, l_u with (g, l) in R_t,
          (g, l_u) in R_u and a conflicting access at l_u, its guard true or not: a step may
          enable one that is blocked. Guards, assumptions and assertions are reads

    (iii) a step that the user annotates is what is claimed of it if it commutes (`commutation`).
          An annotation that is not confirmed is *not proved*; it is *refuted* if the step fails
          to commute in a state that the program can reach, and not only in pairs of R

R may be that of a program with less data, or each thread's own with the locks it holds
(`sources`). Everything else is no mover. (ii) comes first: an acquire without contention is
a both mover. An edge has one class for each thread and local store, never one for each g; so the
phase of a transaction depends on a thread's own steps only.

Why (ii) is right: if t steps from l and u from l_u one after the other, both were in these local
stores before, with some g; so (g, l) is in R_t and (g, l_u) in R_u, and what the two mention does
not conflict. Neither changes what the other reads, its guard included: they can be swapped.

Visible edges (`visibility`), if an invariant is to be preserved, are no movers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import TypeAlias

from threadwise.core.errors import Unsupported
from threadwise.engines.movers.commutation import (
    Clash,
    Commutation,
    meetings_of_pairs,
    meetings_of_states,
)
from threadwise.engines.movers.footprints import Footprint, Footprints
from threadwise.engines.movers.sources import (
    MOST_PAIRS,
    Source,
    own_locks,
    owner_slots,
    pairs,
)
from threadwise.engines.movers.visibility import Visibility
from threadwise.ir.program import Edge, EdgeId, MoverClaim, Program
from threadwise.systems.api import ReachedPairs, Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Global, Local

Reached = ReachedPairs[Global, Local]
Encounter: TypeAlias = tuple[Global, Sequence[Role], Sequence[Sequence[Local]]]
"""A global store, the threads it is about, and which threads can be where with it."""
NOT_PROVED = "which is not proved"
OWN_STEP = "a step of the thread's own"
"""Why a step that touches nothing shared moves."""


class Claim(Enum):
    """What became of what the user claims of a step."""

    NONE = "none"
    """Nothing is claimed, or no more than is inferred."""
    PROVED = "proved"
    OPEN = "not proved"
    REFUTED = "refuted"


@dataclass(frozen=True, slots=True)
class Mover:
    """The class of an edge of a thread in a local store, and why."""

    right: bool
    left: bool
    reason: str
    claim: Claim = Claim.NONE
    """What became of an annotation."""

    @property
    def refuted(self) -> bool:
        """Whether the user claims more than is true."""
        return self.claim is Claim.REFUTED


class Movers:
    """The class of every edge that a thread meets."""

    def __init__(
        self,
        classes: Sequence[Mapping[Local, Mapping[EdgeId, Mover]]],
        project: Callable[[Role, Local], Local] = lambda _, l: l,
    ) -> None:
        self._classes = classes
        self._project = project
        """Where classes are found: what R has of a local store."""

    def of(self, t: Role, l: Local, edge: EdgeId) -> Mover:
        """The class of an edge; for an atomic region, of its first edge."""
        return self._classes[t][self._project(t, l)][edge]

    def at(self, t: Role, l: Local) -> Mapping[EdgeId, Mover]:
        """The classes of all edges that leave a local store."""
        return self._classes[t].get(self._project(t, l), {})

    def stores(self, t: Role) -> Sequence[Local]:
        """The local stores of a thread, in the order in which R has them."""
        return list(self._classes[t])

    def refuted(self) -> Iterator[tuple[EdgeId, Mover]]:
        """The edges of which the user claims more than is true."""
        return ((edge, mover) for _, _, edge, mover in self.all() if mover.refuted)

    def all(self) -> Iterator[tuple[Role, Local, EdgeId, Mover]]:
        """All classes, in the order in which R has the local stores."""
        for t, stores in enumerate(self._classes):
            for l, classes in stores.items():
                yield from ((Role(t), l, edge, mover) for edge, mover in classes.items())

    @property
    def may_improve(self) -> bool:
        """Whether more precise pairs could help: there is a conflict, or a claim without proof."""
        return any(
            mover.claim is Claim.OPEN or not (mover.right or mover.left)
            for _, _, _, mover in self.all()
        )


class MoversOfOne(Movers):
    """With one thread every step is a both-mover: there is no other thread."""

    def __init__(self, system: ConcreteSystem) -> None:
        super().__init__(())
        self.system = system
        self._alone = Mover(right=True, left=True, reason="there is no other thread")

    def of(self, t: Role, l: Local, edge: EdgeId) -> Mover:
        """Both."""
        return self._alone

    def at(self, t: Role, l: Local) -> Mapping[EdgeId, Mover]:
        """Both, for every edge."""
        out = self.system.program.outgoing[self.system.location(l)]
        return {edge.id: self._alone for edge in out}


@dataclass(slots=True)
class _Judged:
    """An edge in a local store, and the conflicts found so far."""

    footprint: Footprint
    conflict: str | None = None
    contended: str | None = None
    """The thread that uses the lock at the same time."""


class _Classifier:
    def __init__(self, source: Source, visibility: Visibility | None) -> None:
        self.source = source
        self.system = source.system
        self.reached: Reached = source.fixpoint.pairs
        self.visibility = visibility
        self.footprints = Footprints(self.system)
        self.commutation = None
        if source.is_whole:
            self.commutation = Commutation(self.system, meetings_of_pairs(self.reached))
        self.judged: list[dict[Local, list[_Judged]]] = [{} for _ in self.system.roles]
        self.unsettled: list[dict[Local, list[_Judged]]] = [{} for _ in self.system.roles]
        """The edges whose class another g may still change."""
        self.touched: list[dict[Local, int]] = [{} for _ in self.system.roles]
        self.written: list[dict[Local, int]] = [{} for _ in self.system.roles]

    def run(self, tick: Callable[[], object]) -> Movers:
        """Compare what threads may touch, global store by global store."""
        for t, reached in zip(self.system.roles, self.reached.pairs, strict=True):
            for _, l in reached:
                if l not in self.judged[t]:
                    tick()
                    self._meet(t, l)
        for g, whom, stores in self._encounters():
            tick()
            self._compare(g, whom, stores)
        return Movers(
            [
                {
                    l: {j.footprint.edge.id: self._mover(t, l, j) for j in js}
                    for l, js in at.items()
                }
                for t, at in zip(self.system.roles, self.judged, strict=True)
            ],
            self.source.projection(),
        )

    def _encounters(self) -> Iterator[Encounter]:
        """Local stores of all threads that can occur together.

        In R those that occur with the same global store. Where threads are followed alone, those
        of t with one global store and those of the others in which they hold none of its locks.
        """
        if not self.source.alone:
            for g, stores in self.reached.by_global.items():
                yield g, self.system.roles, stores
            return
        owners = owner_slots(self.system)
        held = [_by_locks(t, owners, reached) for t, reached in enumerate(self.reached.pairs)]
        for t in self.system.roles:
            for locks, (g, ls) in held[t].items():
                stores = [
                    [l for other, (_, found) in mine.items() if not locks & other for l in found]
                    for mine in held
                ]
                stores[t] = list(ls)
                yield g, [t], stores

    def _meet(self, t: Role, l: Local) -> None:
        found = [_Judged(footprint) for footprint in self.footprints.at(t, l)]
        self.judged[t][l] = found
        self.unsettled[t][l] = [judged for judged in found if judged.footprint.touched]
        self.touched[t][l] = self.written[t][l] = 0
        for judged in found:
            self.touched[t][l] |= judged.footprint.touched
            self.written[t][l] |= judged.footprint.written

    def _compare(self, g: Global, whom: Sequence[Role], stores: Sequence[Sequence[Local]]) -> None:
        """Rule (ii) for some threads where these local stores occur together."""
        touched = [_union(self.touched[t], ls) for t, ls in enumerate(stores)]
        written = [_union(self.written[t], ls) for t, ls in enumerate(stores)]
        for t in whom:
            ls = stores[t]
            others_touch = others_write = 0
            for u in self.system.roles:
                if u != t:
                    others_touch |= touched[u]
                    others_write |= written[u]
            if others_touch:
                for l in ls:
                    for judged in self.unsettled[t][l]:
                        self._judge(judged, t, others_touch, others_write, stores)
                    self.unsettled[t][l] = [j for j in self.unsettled[t][l] if not _is_settled(j)]

    def _judge(
        self,
        judged: _Judged,
        t: Role,
        others_touch: int,
        others_write: int,
        stores: Sequence[Sequence[Local]],
    ) -> None:
        mine = judged.footprint
        clash = mine.reads & others_write | mine.writes & others_touch
        if clash:
            judged.conflict = self._account(t, clash, mine.writes, stores)
            return
        clash = mine.lock_reads & others_write | mine.lock_writes & others_touch
        if clash and judged.contended is None:
            judged.contended = self._account(t, clash, mine.lock_writes, stores)

    def _account(self, t: Role, clash: int, writes: int, stores: Sequence[Sequence[Local]]) -> str:
        """The thread that touches one of the cells at the same time, and where."""
        bit = clash & -clash
        cell = self.system.layout.globals.cells[bit.bit_length() - 1].name
        for u in self.system.roles:
            for l in stores[u] if u != t else ():
                for judged in self.judged[u][l]:
                    other = judged.footprint
                    if bit & (other.touched if bit & writes else other.written):
                        span = other.edge.span
                        line = "" if span is None else f" at line {span.line}"
                        done = "written" if bit & other.written else "read"
                        name = self.system.layout.numbers.name(u)
                        return f"{cell} is {done} by {name}{line} at the same time"
        raise AssertionError("a conflict with nobody")

    def _mover(self, t: Role, l: Local, judged: _Judged) -> Mover:
        edge = self.source.whole.program.edges[judged.footprint.edge.id]
        template = self.system.layout.numbers.templates[t]
        if self.visibility is not None and self.visibility.sees(edge, template):
            return Mover(right=False, left=False, reason="the invariant can see it")
        inferred = self._inferred(judged)
        claim = edge.mover
        if claim is None or (inferred.right >= claim.right and inferred.left >= claim.left):
            return inferred
        return self._verified(t, l, edge, claim, inferred)

    def _verified(
        self, t: Role, l: Local, edge: Edge, claim: MoverClaim, inferred: Mover
    ) -> Mover:
        """Rule (iii)."""
        said = f"annotated `mover {claim.value}`"
        if self.commutation is None:
            return replace(inferred, reason=f"{said}, {NOT_PROVED}", claim=Claim.OPEN)
        clash = self._clash(self.commutation, t, l, edge, claim, inferred)
        if clash is None:
            right, left = inferred.right or claim.right, inferred.left or claim.left
            reason = f"{said}, and it commutes with all steps it can meet"
            return Mover(right, left, reason, Claim.PROVED)
        real = self._clash(self.reachable, t, l, edge, claim, inferred)
        other = self.system.program.edges[(real or clash).edge]
        line = "" if other.span is None else f" at line {other.span.line}"
        name = self.system.layout.numbers.name((real or clash).thread)
        what = f"`{other.text}` of {name}{line}"
        if real is None:
            reason = f"{said}, {NOT_PROVED}: {what} may not commute with it"
            return replace(inferred, reason=reason, claim=Claim.OPEN)
        reason = f"{said}, but it does not commute with {what}"
        return replace(inferred, reason=reason, claim=Claim.REFUTED)

    @cached_property
    def reachable(self) -> Commutation:
        """Commutation in states that a search has reached."""
        return Commutation(self.system, meetings_of_states(self.system))

    @staticmethod
    def _clash(
        commutation: Commutation, t: Role, l: Local, edge: Edge, claim: MoverClaim, inferred: Mover
    ) -> Clash | None:
        """Counterexamples to the directions that are claimed and not inferred."""
        clash = None
        if claim.right and not inferred.right:
            clash = commutation.right(t, l, edge.id)
        if clash is None and claim.left and not inferred.left:
            clash = commutation.left(t, l, edge.id)
        return clash

    def _inferred(self, judged: _Judged) -> Mover:
        if judged.conflict is not None:
            return Mover(right=False, left=False, reason=judged.conflict)
        if judged.contended is not None:
            effects = judged.footprint.effects
            return Mover(
                right=all(effect.right for _, effect in effects),
                left=all(effect.left for _, effect in effects),
                reason=" and ".join(f"{effect.value} of {name}" for name, effect in effects),
            )
        if not judged.footprint.touched:
            return Mover(right=True, left=True, reason=OWN_STEP)
        return Mover(
            right=True, left=True, reason="nobody else touches these cells at the same time"
        )


def _union(sets: Mapping[Local, int], ls: Sequence[Local]) -> int:
    union = 0
    for l in ls:
        union |= sets[l]
    return union


def _is_settled(judged: _Judged) -> bool:
    only_locks = not judged.footprint.reads | judged.footprint.writes
    return judged.conflict is not None or (only_locks and judged.contended is not None)


def _by_locks(
    t: int, owners: Sequence[int], reached: Iterable[tuple[Global, Local]]
) -> dict[frozenset[int], tuple[Global, dict[Local, None]]]:
    """The local stores of a thread by the locks that it holds in them, with a global store."""
    found: dict[frozenset[int], tuple[Global, dict[Local, None]]] = {}
    for g, l in reached:
        held = frozenset(slot for slot in owners if g[slot] == t)
        found.setdefault(held, (g, {}))[1][l] = None
    return found


def refuse_wrong_claims(program: Program, movers: Movers) -> None:
    """Raise Unsupported if the user claims more of a step than is true."""
    for number, mover in movers.refuted():
        edge = program.edges[number]
        hint = "take it away, or look at the classes with `threadwise explain --movers`"
        raise Unsupported(f"a wrong annotation: `{edge.text}` is {mover.reason}", edge.span, hint)


def classify(
    source: Source,
    visibility: Visibility | None = None,
    tick: Callable[[], object] = lambda: None,
) -> Movers:
    """The class of every edge at every local store of R; `tick` may raise to stop."""
    return _Classifier(source, visibility).run(tick)


def choose_source(system: ConcreteSystem, tick: Callable[[], object]) -> Source:
    """The cheapest source that suffices: own locks if they do, R otherwise if affordable."""
    own = own_locks(system, tick)
    if own is None:
        found = pairs(system, tick)
        assert found is not None
        return found
    if not classify(own, tick=tick).may_improve:
        return own
    return pairs(system, tick, MOST_PAIRS) or own
