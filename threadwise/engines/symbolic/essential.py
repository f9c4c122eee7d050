"""Essential predicates (MHWL §4), for all states of a set at once.

A subject l of thread j (its location or one of its own cells) is essential at s ∈ S if changing l
alone leads out of S; the essential predicate is "l = s(l)". The states of S at which l is
essential are S ∧ ¬∀l. S, over values of l only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.engines.symbolic.interchange import Classes
from threadwise.ir.layout import ThreadNumbers
from threadwise.ir.program import Program
from threadwise.ir.types import Value
from threadwise.transforms.expose import Exposure, Subject, exposable


@dataclass(frozen=True)
class Predicate:
    """subject = value, of one thread."""

    thread: int
    subject: Subject
    value: Value


class Predicates:
    """The predicates exposed so far, and the exposures they make up."""

    def __init__(self, program: Program, classes: Classes) -> None:
        self.program = program
        self.classes = classes
        self.known: dict[Predicate, None] = {}
        self.exposures: list[Exposure] = []
        self._exposable: dict[tuple[str, int], bool] = {}
        self._numbers = ThreadNumbers.of(program)

    def __len__(self) -> int:
        return len(self.known)

    def subjects(self, model: Model, thread: int) -> Iterator[tuple[Subject, Field]]:
        """What predicates about a thread can be about."""
        own = model.space.threads[thread]
        yield Subject(), own.location
        template = self.program.template[own.template]
        for cell, field in enumerate(own.own):
            key = (own.template, cell)
            if key not in self._exposable:
                self._exposable[key] = exposable(self.program, template, cell)
            if self._exposable[key]:
                yield Subject(cell), field

    def essential(
        self, model: Model, states: Node, threads: Iterable[int]
    ) -> Iterator[tuple[Predicate, Node]]:
        """The new essential predicates of a set, each with the states that need it."""
        manager = model.manager
        support = manager.support(states)
        for thread in threads:
            for subject, field in self.subjects(model, thread):
                if support.isdisjoint(field.bits):
                    continue
                always = manager.forall(field.bits, states | ~model.sets.valid(field))
                needing = states & ~always
                for value in field.values if needing != manager.false else ():
                    predicate = Predicate(thread, subject, value)
                    if predicate in self.known:
                        continue
                    here = needing & model.sets.literal(field, value)
                    if here != manager.false:
                        yield predicate, here

    def add(self, found: Iterable[Predicate]) -> int:
        """Expose predicates, for all threads of a class alike; how many there are now more."""
        before = len(self.known)
        added: dict[tuple[str, Subject], dict[int, list[Value]]] = {}
        for predicate in found:
            for t in self.classes.of_thread(predicate.thread).members:
                same = Predicate(t, predicate.subject, predicate.value)
                if same not in self.known:
                    self.known[same] = None
                    values = added.setdefault((self._template(t), predicate.subject), {})
                    values.setdefault(t, []).append(predicate.value)
        for (template, subject), by_thread in added.items():
            self.exposures.extend(self._rows(template, subject, by_thread))
        return len(self.known) - before

    def _template(self, thread: int) -> str:
        return self._numbers.templates[thread]

    def _rows(
        self, template: str, subject: Subject, by_thread: dict[int, list[Value]]
    ) -> Iterator[Exposure]:
        """One array for the first predicate of each thread, one for the second, and so on."""
        ids = self._numbers.ranges[template]
        for position in range(max(map(len, by_thread.values()))):
            row = tuple(
                by_thread[t][position] if position < len(by_thread.get(t, ())) else None
                for t in ids
            )
            yield Exposure(template, subject, row)
