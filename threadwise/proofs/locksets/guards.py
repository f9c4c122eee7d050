"""Guards: conditions that are surely false end a path; the others are known afterwards."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.beyond import is_beyond
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    HoldsInteger,
    IsValid,
    Place,
    Read,
    SameObject,
    SelfId,
)
from threadwise.ir.fold import conjuncts, subexpressions
from threadwise.ir.program import Edge, EdgeId, FailureKind, LocId
from threadwise.ir.writes import written
from threadwise.proofs.locksets.certificate import Discipline
from threadwise.proofs.locksets.ground import Ground, is_lasting
from threadwise.proofs.locksets.knowledge import Knowledge, is_own, named, named_place
from threadwise.proofs.locksets.locks import Locks
from threadwise.proofs.locksets.truth import Truth, complement, lock_test

CELLS = FailureKind.CELLS
Outcomes = Mapping[Expr, bool]
"""How the lock tests of an edge came out."""
Case = tuple[Knowledge, Outcomes]
Cases = tuple[Case, ...]


@dataclass(frozen=True)
class Guards:
    """The guards of a program's edges."""

    ground: Ground
    locks: Locks

    def passing(self, edge: Edge, knowledge: Knowledge, procedure: str) -> Cases:
        """What a thread knows when it takes an edge; one case per outcome of a lock test.

        Many rules ask this of the same edge and the same knowledge: it is found out once.
        """
        key = edge.id, procedure, Same(knowledge)
        found = self._passing.get(key)
        if found is None:
            found = self._passing[key] = tuple(self._passed(edge, knowledge, procedure))
        return found

    @cached_property
    def _passing(self) -> dict[tuple[EdgeId, str, Same], Cases]:
        return {}

    def _passed(self, edge: Edge, knowledge: Knowledge, procedure: str) -> Iterator[Case]:
        truth = Truth(self.ground, procedure)
        before = self._assume(self.asked(edge), knowledge, truth)
        if before is None:
            return
        cases: list[Case] = [(before, {})]
        for _, value in written(edge):
            if not isinstance(value, Conditional) or lock_test(value.condition) is None:
                continue
            cases = self._split(value.condition, cases, truth)
        for target, value in written(edge):
            if self._exchanges(target, value, procedure):
                zero = Binary(BinaryOp.EQ, Read(target), Const(0, target.type))
                cases = self._split(zero, cases, truth)
        yield from cases

    def asked(self, edge: Edge) -> list[Expr]:
        """The conditions of an edge, except those about cells where these are not reliable."""
        if edge.id not in self._asked:
            parts = list(conjuncts(edge.action.guard))
            if edge.source in self._coarse:
                parts = [part for part in parts if not _is_told_by_cells(part)]
            self._asked[edge.id] = parts
        return self._asked[edge.id]

    @cached_property
    def _asked(self) -> dict[EdgeId, list[Expr]]:
        return {}

    @cached_property
    def _coarse(self) -> frozenset[LocId]:
        """Locations where memory may not be used as cells, in programs that go on there."""
        program = self.ground.threads.program
        if not any(map(is_beyond, program.edges)):
            return frozenset()
        kinds = {n: loc.failure.kind for n, loc in enumerate(program.locations) if loc.failure}
        return frozenset(e.source for e in program.edges if kinds.get(e.target) is CELLS)

    def _exchanges(self, target: Place, value: Expr | None, procedure: str) -> bool:
        """Whether a write takes a flag if it is free."""
        sets = isinstance(value, Const) and bool(value.value) and not is_own(target)
        return sets and self.ground.discipline(target, procedure) is Discipline.FLAG

    def _split(self, test: Expr, cases: list[Case], truth: Truth) -> list[Case]:
        """Each case twice: the test holds, and it does not."""
        split: list[Case] = []
        for case, outcomes in cases:
            for outcome in (True, False):
                asked = conjuncts(test if outcome else complement(test))
                passed = self._assume(asked, case, truth)
                if passed is not None:
                    split.append((passed, {**outcomes, test: outcome}))
        return split

    def _assume(
        self, conditions: Iterable[Expr], knowledge: Knowledge, truth: Truth
    ) -> Knowledge | None:
        for part in conditions:
            holds = truth.of(part, knowledge)
            if holds is False:
                return None
            if holds is None or not self.ground.is_stable(part, truth.procedure):
                knowledge = self._learn(part, knowledge, truth.procedure)
        return knowledge

    def _learn(self, condition: Expr, knowledge: Knowledge, procedure: str) -> Knowledge:
        test = lock_test(condition)
        if test is not None:
            mutex, who, equal = test
            asked = equal and who == SelfId() and not is_own(mutex)  # its own: no use
            if asked and self.locks.is_reliable(mutex, procedure):
                there = named_place(mutex, knowledge.known)
                if self.ground.is_stable_place(there, procedure):
                    fresh = knowledge.fresh | ({there} if knowledge.fresh else set())
                    return replace(knowledge, held=knowledge.held | {there}, fresh=fresh)
        there_ = named(condition, knowledge.known)
        if is_lasting(there_):
            return replace(knowledge, facts=knowledge.facts | {there_})
        return knowledge


def asked_of_cells(condition: Expr) -> Iterator[Expr]:
    """What a condition asks that only memory of one type per cell can answer."""
    for part in subexpressions(condition):
        match part:
            case HoldsInteger() | SameObject() | IsValid():
                yield part
            case _:
                pass


def _is_told_by_cells(condition: Expr) -> bool:
    """Whether a condition is no condition at all where memory has no cells of one type."""
    return any(isinstance(part, HoldsInteger | SameObject) for part in subexpressions(condition))
