"""What is known when a thread begins, from what those know that start it.

    absent       templates that are over at every start of the template's threads
    identified   the first thread starts all of them, each with another constant as its argument
    exclusive    pairs of templates no threads of which run at the same time: the first thread
                 starts all of them, and whenever it starts one, none of the other runs. A thread
                 runs from its start, so only starts can end that: by induction it holds always
    alone        a template that is exclusive with itself

A template none of whose starts is ever reached has no thread that begins. A start is an `Event`:
an edge, and how often it was executed before. In one run no event happens twice, so
constants that belong to different events belong to different threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Protocol

from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.beyond import BEYOND
from threadwise.ir.commands import HANDLER
from threadwise.ir.expr import Const, Expr, IndexPlace, Place, Read, SelfId, VariablePlace
from threadwise.ir.fold import number, root, subexpressions
from threadwise.ir.program import (
    DefaultValue,
    Edge,
    FillValue,
    ListedValues,
    LocId,
    Procedure,
    Template,
)
from threadwise.ir.types import NULL, ArrayType, PointerType
from threadwise.ir.writes import written
from threadwise.proofs.locksets.accesses import Population
from threadwise.proofs.locksets.containers.pools import Pools
from threadwise.proofs.locksets.knowledge import (
    MANY,
    Event,
    Knowledge,
    Unused,
    is_own,
    named,
    named_place,
)
from threadwise.proofs.locksets.locks import owner_of
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.step import Steps
from threadwise.proofs.locksets.threads.creation import Threads, started
from threadwise.proofs.locksets.threads.new_objects import NewObjects
from threadwise.proofs.locksets.threads.numbering import Numbering
from threadwise.proofs.locksets.threads.spacing import OBJECTS, Spacing, common_spacing, spacing_of

MOST_POINTERS = 8
"""Of arrays with more pointers nothing is known when a thread begins."""


class Claims(Protocol):
    """What a proof claims about starts."""

    @property
    def knowledge(self) -> Mapping[LocId, Sequence[Knowledge]]:
        """What is known at each location."""

    @property
    def absent(self) -> Mapping[str, frozenset[str]]:
        """The templates that are over when threads begin."""

    @property
    def identified(self) -> frozenset[str]:
        """The templates whose threads get different arguments."""

    @property
    def alone(self) -> frozenset[str]:
        """The templates no two threads of which run at the same time."""

    @property
    def exclusive(self) -> frozenset[tuple[str, str]]:
        """Pairs of different templates no threads of which run at the same time."""


@dataclass
class Found:
    """What the knowledge of starting threads implies."""

    over: dict[str, frozenset[str]] = field(default_factory=dict)
    events: dict[str, dict[Event, set[Expr | None]]] = field(default_factory=dict)
    """Per template its starts, with the constants they pass; None: something else."""
    unknown: set[str] = field(default_factory=set)
    """Templates that are started by others than the first thread."""
    together: set[tuple[str, str]] = field(default_factory=set)
    """A start of a thread of the first template may come while one of the second runs."""
    spacings: dict[str, set[Spacing | None]] = field(default_factory=dict)
    """Per template how arguments lie that have different numbers; None: they may be the same."""

    def absent(self, template: str) -> frozenset[str]:
        """The templates that are over whenever a thread of this one begins."""
        return self.over.get(template, frozenset())

    def is_started(self, template: str) -> bool:
        """Whether a start of the template is reached."""
        return template in self.over

    def is_alone(self, template: str) -> bool:
        """Whether no two threads of a template run at the same time."""
        return self.is_exclusive(template, template)

    def is_exclusive(self, one: str, other: str) -> bool:
        """Whether no thread of a template runs while one of another does."""
        return self.unknown.isdisjoint((one, other)) and self.together.isdisjoint(
            ((one, other), (other, one))
        )

    def is_identified(self, template: str) -> bool:
        """Whether all threads get different constants."""
        events = self.events.get(template, {})
        if template in self.unknown or any(event.time == MANY for event in events):
            return False
        passed = [value for values in events.values() for value in values]
        return None not in passed and len(set(passed)) == len(passed)

    def spacing(self, template: str) -> Spacing | None:
        """How the arguments of all threads lie that run at the same time, if they differ."""
        if self.spacings.get(template) == {OBJECTS}:
            return OBJECTS
        if template in self.unknown:
            return None
        return common_spacing(self.spacings.get(template, set()))

    def arguments(self, template: str) -> list[Expr]:
        """The constants that threads are started with."""
        events = self.events.get(template, {})
        return [value for values in events.values() for value in values if value is not None]


@dataclass(frozen=True)
class Starts:
    """The starts of a program's threads."""

    threads: Threads
    numbering: Numbering

    def found(self, knowledge: Mapping[LocId, Sequence[Knowledge]]) -> Found:
        """What the claimed knowledge says about starts."""
        found = Found()
        for edge_id, template in self.threads.starts.items():
            edge = self.threads.program.edges[edge_id]
            for before in knowledge.get(edge.source, ()):
                self._note(edge, template, before, found)
        return found

    @cached_property
    def _new_objects(self) -> NewObjects:
        return NewObjects(self.threads)

    def _note(self, edge: Edge, template: str, before: Knowledge, found: Found) -> None:
        program = self.threads.program
        me = self.threads.only_template(before, program.procedure_of[edge.source])
        over = before.absent
        spacings = found.spacings.setdefault(template, set())
        new = self._new_objects.passed(edge) or self.numbering.passes_owned(edge, before)
        own = OBJECTS if new else None
        if me is not None and self.threads.is_first(program.template[me]):
            after, event = started(before, edge.id)
            over |= {
                other.name
                for other in program.templates
                if self.threads.is_over(other.name, me, after, edge.target)
            }
            found.together |= {
                (template, other.name)
                for other in program.templates
                if other.pool and not self.threads.is_absent(other.name, me, before)
            }
            values = found.events.setdefault(template, {}).setdefault(event, set())
            values.add(self._argument(edge, template, before))
            passed = self.numbering.argument(edge, before)
            if passed is None or not self.numbering.is_new_number(edge, before, *passed):
                spacings.add(own)
            else:
                spacings.add(spacing_of(*passed))
        else:
            spacings.add(own)
            found.unknown.add(template)
        found.over[template] = found.over.get(template, over) & over

    def _argument(self, edge: Edge, template: str, before: Knowledge) -> Expr | None:
        """The constant that a start passes, if it passes one value and it is constant."""
        names = self.threads.arguments[template]
        if len(names) != 1:
            return None
        for target, value in written(edge):
            base = root(target)
            if isinstance(base, VariablePlace) and base.variable.name in names:
                assert isinstance(target, IndexPlace)
                if value is None:
                    return None
                name = named(value, before.known)
                fixed = not any(isinstance(part, Read | SelfId) for part in subexpressions(name))
                return name if fixed else None
        return None

    def beginnings(self, template: Template, claims: Claims) -> Iterator[Knowledge]:
        """What a thread of a template may know when it begins."""
        known = dict(_own_pointers(template))
        if not template.pool:
            first = self.threads.is_first(template)
            unused = Pools(self.numbering.ground).begun() if first else frozenset[Unused]()
            yield Knowledge(known=known, unused=unused)
            return
        found = self.found(claims.knowledge)
        if not found.is_started(template.name):
            return
        absent = claims.absent.get(template.name, frozenset())
        if template.name not in claims.identified:
            yield Knowledge(absent=absent, known=known)
            return
        for value in found.arguments(template.name):
            yield Knowledge(absent=absent, identity=value, known=known)

    def shared_writes(
        self, steps: Steps, edge: Edge, knowledge: Knowledge, procedure: Procedure
    ) -> Iterator[Target]:
        """The cells that an edge writes while other threads may see it."""
        targets = [place for place, _ in written(edge) if not is_own(place)]
        if not targets or self.threads.is_only(knowledge, procedure):
            return
        for place in targets:
            if owner_of(named_place(place, knowledge.known), knowledge) is None:
                yield from steps.ground.cells_in_order(place, procedure.name)

    def population(self, claims: Claims) -> Population:
        """What is claimed about which threads run."""
        found = self.found(claims.knowledge)
        spacings = {name: found.spacing(name) for name in self.numbering.ground.numbered}
        return Population(
            self.single(claims),
            claims.exclusive,
            {name: found.events.get(name, {}) for name in claims.identified},
            {name: spacing for name, spacing in spacings.items() if spacing is not None},
            frozenset(t.name for t in self.threads.program.templates if t.pool),
            self._handlers,
        )

    @property
    def _handlers(self) -> frozenset[str]:
        """The template of signal handlers; nothing else has that name where limits have edges.

        The front end of C refuses functions of programs with this name, and only that one makes
        such edges.
        """
        declared = {declaration.variable for declaration in self.threads.program.globals}
        return frozenset({HANDLER}) if BEYOND in declared else frozenset()

    def single(self, claims: Claims) -> frozenset[str]:
        """The templates no two threads of which run at the same time."""
        singles = {t.name for t in self.threads.program.templates if self.threads.is_single(t)}
        return claims.alone | singles


def _own_pointers(template: Template) -> Iterator[tuple[Place, Expr]]:
    """The pointers among a thread's own variables, and what they hold when it begins."""
    for declaration in template.variables:
        place, held = VariablePlace(declaration.variable), declaration.variable.type
        count = held.extent if isinstance(held, ArrayType) else None
        cells: list[Place] = [place]
        if isinstance(held, ArrayType):
            if not isinstance(count, int) or count > MOST_POINTERS:
                continue
            cells = [IndexPlace(place, number(n)) for n in range(count)]
        if not isinstance(cells[0].type, PointerType):
            continue
        match declaration.initial:
            case ListedValues(values) if len(values) == len(cells):
                found = list(values)
            case FillValue(value):
                found = [value] * len(cells)
            case DefaultValue():
                found = [NULL] * len(cells)
            case _:
                continue
        for cell, value in zip(cells, found, strict=True):
            if value == NULL:
                yield cell, Const(NULL, cell.type)
