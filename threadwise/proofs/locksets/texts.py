"""Claims as text: what certificates hold, and what is read back from them.

Expressions are written as the printed form of programs writes them, in the scope of a procedure; a
mutex is named by its owner, a number that serves as a lock by itself. Code that only passes them
on does not load the parser, which takes longer to load than all of this; `writing` writes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, NoReturn

from threadwise.core.errors import InputError
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.check.terms import Site, TermChecker
from threadwise.ir.expr import Expr, FieldPlace, Place, Read, Variable
from threadwise.ir.program import EdgeId, Procedure, Program
from threadwise.ir.text.printer import records_of
from threadwise.ir.text.syntax import agreed_variables
from threadwise.ir.types import MutexType, RecordType
from threadwise.proofs.locksets.knowledge import Ended, Event, Knowledge, Roster, Unused


class RosterText(NamedTuple):
    """`Roster` as text; see there. An empty text stands for none."""

    edge: int
    argument: str
    ids: str
    stop: str
    late: str
    alone: bool
    at: str = ""


class UnusedText(NamedTuple):
    """`Unused` as text; see there. An empty text stands for none."""

    variable: str
    start: str
    stop: str
    torn: bool


class KnowledgeText(NamedTuple):
    """`Knowledge` in words; see there."""

    held: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()
    known: tuple[tuple[str, str], ...] = ()
    facts: tuple[str, ...] = ()
    owned: tuple[tuple[str, str], ...] = ()
    started: tuple[tuple[int, int], ...] = ()
    running: tuple[tuple[int, int], ...] = ()
    handles: tuple[tuple[str, int, int], ...] = ()
    absent: tuple[str, ...] = ()
    identity: str | None = None
    lost: tuple[str, ...] = ()
    rosters: tuple[RosterText, ...] = ()
    ended: tuple[tuple[str, str, str, str], ...] = ()
    copies: tuple[tuple[str, str], ...] = ()
    homes: tuple[tuple[str, str], ...] = ()
    clean: tuple[str, ...] = ()
    template: str | None = None
    taken: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    lent: tuple[tuple[str, str], ...] = ()
    same: tuple[tuple[str, str], ...] = ()
    unused: tuple[UnusedText, ...] = ()


@dataclass
class Reader:
    """Reads the knowledge of one procedure's threads; raises InputError."""

    program: Program
    procedure: Procedure
    _terms: dict[str, Expr] = field(default_factory=dict)

    def __post_init__(self) -> None:
        from threadwise.ir.text.read_terms import Held, Names

        declared = [*self.procedure.parameters, *(d.variable for d in self.procedure.locals)]
        own: dict[str, Variable] = agreed_variables(self.program.templates)
        names = Names("<certificate>")
        names.enums = {enum.name: enum for enum in self.program.enums}
        names.named_types = {
            **{enum.name: Held(enum, 1) for enum in self.program.enums},
            **{name: Held(record, 1) for name, record in _records_of(self.program).items()},
        }
        names.globals = {d.variable.name: d.variable for d in self.program.globals}
        names.threads = own
        names.locals = {v.name: v for v in declared}
        names.visible = {**names.globals, **own, **names.locals}
        names.templates = {
            t.name: {d.variable.name: d.variable for d in t.variables}
            for t in self.program.templates
        }
        self._names = names
        self._types = TermChecker(self.program, _refuse)
        self._types.site = Site(self.procedure.name, names.locals)

    def read(self, text: KnowledgeText) -> Knowledge:
        """What a text says."""
        return Knowledge(
            frozenset(map(self._mutex, text.held)),
            frozenset(map(self._mutex, text.fresh)),
            {self._place(place): self._expr(value) for place, value in text.known},
            frozenset(map(self._expr, text.facts)),
            {self._place(place): site for place, site in text.owned},
            {EdgeId(edge): times for edge, times in text.started},
            frozenset(Event(EdgeId(edge), time) for edge, time in text.running),
            {self._place(place): Event(EdgeId(edge), time) for place, edge, time in text.handles},
            frozenset(text.absent),
            None if text.identity is None else self._expr(text.identity),
            frozenset(map(self._place, text.lost)),
            frozenset(map(self._roster, text.rosters)),
            frozenset(
                Ended(
                    template,
                    self._place(ids),
                    self._expr(stop),
                    self._expr(first) if first else None,
                )
                for template, ids, stop, first in text.ended
            ),
            {self._place(place): self._place(held) for place, held in text.copies},
            {self._place(place): self._mutex(lock) for place, lock in text.homes},
            frozenset(map(self._place, text.clean)),
            text.template,
            frozenset(map(self._place, text.taken)),
            frozenset(map(self._place, text.whole)),
            {self._place(place): self._mutex(lock) for place, lock in text.lent},
            {self._place(place): self._place(cell) for place, cell in text.same},
            frozenset(map(self._unused, text.unused)),
        )

    def place(self, text: str) -> Place:
        """The place that a text names."""
        return self._place(text)

    def _roster(self, text: RosterText) -> Roster:
        return Roster(
            EdgeId(text.edge),
            self._expr(text.argument) if text.argument else None,
            self._place(text.ids) if text.ids else None,
            self._expr(text.stop),
            self._place(text.late) if text.late else None,
            text.alone,
            self._expr(text.at) if text.at else None,
        )

    def _unused(self, text: UnusedText) -> Unused:
        stop = self._expr(text.stop) if text.stop else None
        return Unused(text.variable, self._expr(text.start), stop, text.torn)

    def _mutex(self, text: str) -> Place:
        place = self._place(text)
        if isinstance(place, FieldPlace) and isinstance(place.base.type, MutexType):
            return place.base
        return place

    def _place(self, text: str) -> Place:
        expr = self._expr(text)
        if not isinstance(expr, Read):
            raise InputError.of(f"{text} is not a place")
        return expr.place

    def _expr(self, text: str) -> Expr:
        if not isinstance(text, str):
            raise InputError.of(f"{text!r} is not an expression")
        if text not in self._terms:
            from threadwise.ir.text.parsing import read_formula

            term = read_formula(text, self._names)
            self._types.expr(term)
            self._terms[text] = term
        return self._terms[text]


def _refuse(message: str, where: str) -> NoReturn:
    raise InputError.of(f"{where}: {message}")


def _records_of(program: Program) -> Mapping[str, RecordType]:
    """The record types of a program; those of the last one are remembered."""
    if not _LAST or _LAST[0][0] is not program:
        _LAST[:] = [(program, records_of(program))]
    return _LAST[0][1]


_LAST: list[tuple[Program, Mapping[str, RecordType]]] = []
