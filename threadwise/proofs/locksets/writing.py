"""What threads know as text: the claims of a certificate, which `texts` reads back."""

from __future__ import annotations

from dataclasses import dataclass, field

from threadwise.ir.expr import Expr, FieldPlace, Place, Read
from threadwise.ir.program import Procedure, Program
from threadwise.ir.text.exact_terms import ExactTerms
from threadwise.ir.types import MutexType
from threadwise.proofs.locksets.knowledge import Ended, Knowledge, Roster, Unused
from threadwise.proofs.locksets.texts import KnowledgeText, RosterText, UnusedText


@dataclass
class Writer:
    """Writes the knowledge of one procedure's threads."""

    program: Program
    procedure: Procedure
    _texts: dict[Expr, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._terms = ExactTerms(self.program, sites=True)
        self._terms.enter(self.procedure)

    def write(self, knowledge: Knowledge) -> KnowledgeText:
        """The text of what a thread knows."""
        return KnowledgeText(
            self._locks(knowledge.held),
            self._locks(knowledge.fresh),
            tuple(sorted((self._place(p), self._expr(v)) for p, v in knowledge.known.items())),
            tuple(sorted(map(self._expr, knowledge.facts))),
            tuple(sorted((self._place(p), site) for p, site in knowledge.owned.items())),
            tuple(sorted((int(edge), times) for edge, times in knowledge.started.items())),
            tuple(sorted((int(edge), time) for edge, time in knowledge.running)),
            tuple(sorted((self._place(p), int(e), t) for p, (e, t) in knowledge.handles.items())),
            tuple(sorted(knowledge.absent)),
            None if knowledge.identity is None else self._expr(knowledge.identity),
            tuple(sorted(map(self._place, knowledge.lost))),
            tuple(sorted(map(self._roster, knowledge.rosters))),
            tuple(sorted(map(self._ended, knowledge.ended))),
            tuple(sorted((self._place(p), self._place(q)) for p, q in knowledge.copies.items())),
            tuple(sorted((self._place(p), self._lock(m)) for p, m in knowledge.homes.items())),
            tuple(sorted(map(self._place, knowledge.clean))),
            knowledge.template,
            tuple(sorted(map(self._place, knowledge.taken))),
            tuple(sorted(map(self._place, knowledge.whole))),
            tuple(sorted((self._place(p), self._lock(m)) for p, m in knowledge.lent.items())),
            tuple(sorted((self._place(p), self._place(q)) for p, q in knowledge.same.items())),
            tuple(sorted(map(self._unused, knowledge.unused))),
        )

    def place(self, place: Place) -> str:
        """The text of a place."""
        return self._place(place)

    def _roster(self, roster: Roster) -> RosterText:
        return RosterText(
            int(roster.edge),
            "" if roster.argument is None else self._expr(roster.argument),
            "" if roster.ids is None else self._place(roster.ids),
            self._expr(roster.stop),
            "" if roster.late is None else self._place(roster.late),
            roster.alone,
            "" if roster.at is None else self._expr(roster.at),
        )

    def _ended(self, ended: Ended) -> tuple[str, str, str, str]:
        first = "" if ended.first is None else self._expr(ended.first)
        return ended.template, self._place(ended.ids), self._expr(ended.stop), first

    def _unused(self, unused: Unused) -> UnusedText:
        stop = "" if unused.stop is None else self._expr(unused.stop)
        return UnusedText(unused.variable, self._expr(unused.start), stop, unused.torn)

    def _locks(self, mutexes: frozenset[Place]) -> tuple[str, ...]:
        return tuple(sorted(map(self._lock, mutexes)))

    def _lock(self, lock: Place) -> str:
        return self._place(FieldPlace(lock, "owner") if isinstance(lock.type, MutexType) else lock)

    def _place(self, place: Place) -> str:
        return self._expr(Read(place))

    def _expr(self, expr: Expr) -> str:
        if expr not in self._texts:
            self._texts[expr] = self._terms.expr(expr)
        return self._texts[expr]
