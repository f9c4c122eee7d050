"""Right and left movers, inferred from the pairs threads can be in (QRR §4).

A step of t is a right mover if it can be swapped with any step of u ≠ t that comes right after it,
a left mover if with any that comes right before it. QRR assumes them; here they come from R, the
pairs of a thread-modular fixpoint, by two rules:

    (i)   acquiring a lock is a right mover, releasing it a left mover (`locks` says what a lock
          is); local steps are both; a step with several effects is what all its effects are
    (ii)  an access at l of t is a both mover if there are no g, u ≠ t, l_u with (g, l) in R_t,
          (g, l_u) in R_u and a conflicting access at l_u, its guard true or not: a step may
          enable one that is blocked. Guards, assumptions and assertions are reads

    (iii) a step that the user annotates is what is claimed of it if it commutes (`commutation`)

Everything else is no mover. (ii) comes first: an acquire that nobody contends for is a both mover.
An edge has one class for each thread and local store, never one for each g; so the phase of a
transaction depends on a thread's own steps only.

Why (ii) is right: if t steps from l and u from l_u one after the other, both were in these local
stores before, with some g; so (g, l) is in R_t and (g, l_u) in R_u, and what the two mention does
not conflict. Neither changes what the other reads, its guard included: they can be swapped.

Visible edges (`visibility`), if an invariant is to be preserved, are no movers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from threadwise.core.errors import Unsupported
from threadwise.engines.movers.commutation import Commutation
from threadwise.engines.movers.footprints import Footprint, Footprints
from threadwise.engines.movers.visibility import Visibility
from threadwise.ir.program import Edge, EdgeId, MoverClaim, Program
from threadwise.systems.api import ReachedPairs, Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Global, Local

Reached = ReachedPairs[Global, Local]
OWN_STEP = "a step of the thread's own"
"""Why a step that touches nothing shared moves."""


@dataclass(frozen=True, slots=True)
class Mover:
    """The class of an edge of a thread in a local store, and why."""

    right: bool
    left: bool
    reason: str
    refuted: bool = False
    """Whether the user claims more than is true."""


class Movers:
    """The class of every edge that a thread meets."""

    def __init__(self, classes: Sequence[Mapping[Local, Mapping[EdgeId, Mover]]]) -> None:
        self._classes = classes

    def of(self, t: Role, l: Local, edge: EdgeId) -> Mover:
        """The class of an edge; for an atomic region, of its first edge."""
        return self._classes[t][l][edge]

    def at(self, t: Role, l: Local) -> Mapping[EdgeId, Mover]:
        """The classes of all edges that leave a local store."""
        return self._classes[t].get(l, {})

    def stores(self, t: Role) -> Sequence[Local]:
        """The local stores of a thread, in the order in which R has them."""
        return list(self._classes[t])

    def refuted(self) -> Iterator[tuple[EdgeId, Mover]]:
        """The edges of which the user claims more than is true."""
        for stores in self._classes:
            for classes in stores.values():
                yield from ((edge, mover) for edge, mover in classes.items() if mover.refuted)


class MoversOfOne(Movers):
    """With one thread every step is a both mover: there is nobody to commute with."""

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
    """An edge in a local store, and what speaks against it so far."""

    footprint: Footprint
    conflict: str | None = None
    contended: str | None = None
    """Who else uses the lock at the same time."""


class _Classifier:
    def __init__(
        self, system: ConcreteSystem, reached: Reached, visibility: Visibility | None
    ) -> None:
        self.system = system
        self.reached = reached
        self.visibility = visibility
        self.footprints = Footprints(system)
        self.commutation = Commutation(system, reached)
        self.judged: list[dict[Local, list[_Judged]]] = [{} for _ in system.roles]
        self.unsettled: list[dict[Local, list[_Judged]]] = [{} for _ in system.roles]
        """The edges about which another g may still tell something."""
        self.touched: list[dict[Local, int]] = [{} for _ in system.roles]
        self.written: list[dict[Local, int]] = [{} for _ in system.roles]

    def run(self, tick: Callable[[], object]) -> Movers:
        """Compare what threads may touch, global store by global store."""
        for t, pairs in zip(self.system.roles, self.reached.pairs, strict=True):
            for _, l in pairs:
                if l not in self.judged[t]:
                    tick()
                    self._meet(t, l)
        for g, stores in self.reached.by_global.items():
            tick()
            self._compare(g, stores)
        return Movers(
            [
                {
                    l: {j.footprint.edge.id: self._mover(t, l, j) for j in js}
                    for l, js in at.items()
                }
                for t, at in zip(self.system.roles, self.judged, strict=True)
            ]
        )

    def _meet(self, t: Role, l: Local) -> None:
        found = [_Judged(footprint) for footprint in self.footprints.at(t, l)]
        self.judged[t][l] = found
        self.unsettled[t][l] = [judged for judged in found if judged.footprint.touched]
        self.touched[t][l] = self.written[t][l] = 0
        for judged in found:
            self.touched[t][l] |= judged.footprint.touched
            self.written[t][l] |= judged.footprint.written

    def _compare(self, g: Global, stores: Sequence[Sequence[Local]]) -> None:
        """Rule (ii) at one global store."""
        touched = [_union(self.touched[t], ls) for t, ls in enumerate(stores)]
        written = [_union(self.written[t], ls) for t, ls in enumerate(stores)]
        for t, ls in zip(self.system.roles, stores, strict=True):
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
        """Who touches one of the cells at the same time, and where."""
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
        edge = judged.footprint.edge
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
        clash = None
        if claim.right and not inferred.right:
            clash = self.commutation.right(t, l, edge.id)
        if clash is None and claim.left and not inferred.left:
            clash = self.commutation.left(t, l, edge.id)
        said = f"annotated `mover {claim.value}`"
        if clash is None:
            right, left = inferred.right or claim.right, inferred.left or claim.left
            return Mover(right, left, f"{said}, and it commutes with all steps it can meet")
        other = self.system.program.edges[clash.edge]
        line = "" if other.span is None else f" at line {other.span.line}"
        name = self.system.layout.numbers.name(clash.thread)
        reason = f"{said}, but it does not commute with `{other.text}` of {name}{line}"
        return replace(inferred, reason=reason, refuted=True)

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


def refuse_wrong_claims(program: Program, movers: Movers) -> None:
    """Raise Unsupported if the user claims more of a step than is true."""
    for number, mover in movers.refuted():
        edge = program.edges[number]
        hint = "take it away, or look at the classes with `threadwise explain --movers`"
        raise Unsupported(f"a wrong annotation: `{edge.text}` is {mover.reason}", edge.span, hint)


def classify(
    system: ConcreteSystem,
    reached: Reached,
    visibility: Visibility | None = None,
    tick: Callable[[], object] = lambda: None,
) -> Movers:
    """The class of every edge at every local store of R; `tick` may raise to stop."""
    return _Classifier(system, reached, visibility).run(tick)
