"""Certificates of the symbolic engines: formulas with ghosts.

The small form is for threads that can be exchanged: for a representative `me` and any other thread
o, the projection of R̄_me on the shared cells, the own cells of me and the ghosts of both. It does
not grow with the number of threads. Projecting forgets what relates three threads, so it is only a
candidate: it is tried with the checker before it is claimed. The large form has R̄_j for every
thread j, or one formula over all threads, and always works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from threadwise.backends.bdd.diagrams import FALSE, TRUE, Diagrams, Values, all_values
from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.core.errors import Unsupported
from threadwise.engines.symbolic.components import Components
from threadwise.engines.symbolic.interchange import Classes, Kind
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import NONE, Value
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.inductive.certificate import (
    CellTest,
    Conjunct,
    Decision,
    FormulaCertificate,
    Ghost,
)
from threadwise.transforms.expose import Exposure

UNCONFIRMED = "a proof was found, but its checker does not confirm it"
"""Why large formulas may leave a property open: they are tried before they are claimed."""


class Writer:
    """Writes formulas over one model, which may have ghosts, as a certificate."""

    def __init__(self, program: Program, model: Model, exposures: Sequence[Exposure]) -> None:
        self.program = program
        self.model = model
        self.exposures = tuple(exposures)
        space = model.space
        self.hidden = len(space.shared) - sum(
            len(space.numbers.ranges[e.template]) for e in exposures
        )
        self.tests: dict[CellTest, int] = {}
        self.conjuncts: list[Conjunct] = []
        self.diagrams = Diagrams(model, self._test)
        self._subject = dict(self._subjects())

    def _subjects(self) -> Iterator[tuple[str, tuple[str, int, int]]]:
        space = self.model.space
        for slot, field in enumerate(space.shared):
            if slot < self.hidden:
                yield field.name, ("shared", -1, slot)
        slot = self.hidden
        for number, exposure in enumerate(self.exposures):
            for t in space.numbers.ranges[exposure.template]:
                yield space.shared[slot].name, ("ghost", t, number)
                slot += 1
        for thread in space.threads:
            yield thread.location.name, ("location", thread.thread, 0)
            for slot, field in enumerate(thread.own):
                yield field.name, ("own", thread.thread, slot)

    def _test(self, field: Field, value: Value) -> int:
        return self._number(CellTest(*self._subject[field.name], value))

    def _number(self, test: CellTest) -> int:
        return self.tests.setdefault(test, len(self.tests))

    def add(
        self,
        threads: Sequence[int],
        node: Node,
        tested: Callable[[Field], Values] = all_values,
    ) -> None:
        """Claim a formula."""
        if node != self.model.manager.true:
            root = self.diagrams.root(node, tested)
            self.conjuncts.append(Conjunct(tuple(threads), root))

    def add_local(
        self,
        threads: Iterable[int],
        tested: Callable[[int], Callable[[Field], Values]] = lambda _: all_values,
    ) -> None:
        """Claim what the model takes for granted: where threads can be whatever the others do.

        Cells whose value follows from the location are claimed by themselves.
        """
        for t in threads:
            fields = self.model.space.threads[t]
            self.add((t,), self.model.threads[t].reach, tested(t))
            for slot, field in enumerate(fields.own):
                if field.derived is None:
                    continue
                root = FALSE
                for place, value in field.derived:
                    own = self._number(CellTest("own", t, slot, value))
                    here = self._number(CellTest("location", t, 0, place))
                    holds = self.diagrams.decision(own, TRUE, FALSE)
                    root = self.diagrams.decision(here, holds, root)
                self.conjuncts.append(Conjunct((t,), root))

    def certificate(
        self, properties: Sequence[str], alike: Sequence[str] = ()
    ) -> FormulaCertificate:
        """What was claimed."""
        return FormulaCertificate(
            program_hash(self.program),
            tuple(properties),
            tuple(Ghost(e.template, e.subject.cell, e.values) for e in self.exposures),
            tuple(alike),
            list(self.tests),
            [Decision(*numbers) for numbers in self.diagrams.decisions],
            list(self.conjuncts),
        )

    def ghosts_of(self, thread: int) -> Iterator[Field]:
        """The ghosts that show something of a thread."""
        space = self.model.space
        for slot in range(self.hidden, len(space.shared)):
            if space.owner[slot] == thread:
                yield space.shared[slot]


def joint_certificate(
    program: Program, model: Model, states: Node, properties: Sequence[str]
) -> FormulaCertificate:
    """One formula over all threads."""
    writer = Writer(program, model, ())
    writer.add([t.thread for t in model.threads], states)
    writer.add_local(t.thread for t in model.threads)
    return writer.certificate(properties)


def component_certificate(
    program: Program,
    components: Components,
    exposures: Sequence[Exposure],
    properties: Sequence[str],
    excluded: Sequence[Node] = (),
) -> FormulaCertificate:
    """R̄_j for every thread, and sets of states of all threads that are excluded besides."""
    model = components.model
    writer = Writer(program, model, exposures)
    for thread in model.threads:
        writer.add([thread.thread], components.of(thread.thread))
    for states in excluded:
        writer.add([t.thread for t in model.threads], ~states)
    writer.add_local(t.thread for t in model.threads)
    return writer.certificate(properties)


def small_certificate(
    program: Program,
    components: Components,
    exposures: Sequence[Exposure],
    properties: Sequence[str],
) -> FormulaCertificate | None:
    """The candidate for threads that can be exchanged; None if there are none."""
    model, classes = components.model, components.classes
    writer = Writer(program, model, exposures)

    def kept(me: int, other: int | None) -> Iterator[Field]:
        yield from model.space.threads[me].all
        for t in (me, other):
            if t is not None:
                yield from writer.ghosts_of(t)

    return _exchanged(writer, classes, components.of, kept, properties)


def small_joint_certificate(
    program: Program, model: Model, classes: Classes, states: Node, properties: Sequence[str]
) -> FormulaCertificate | None:
    """The same for a set of states of all threads: projected on the own cells of two of them."""

    def kept(me: int, other: int | None) -> Iterator[Field]:
        for t in (me, other):
            if t is not None:
                yield from model.space.threads[t].all

    writer = Writer(program, model, ())
    return _exchanged(writer, classes, lambda _: states, kept, properties)


def _exchanged(
    writer: Writer,
    classes: Classes,
    states: Callable[[int], Node],
    kept: Callable[[int, int | None], Iterator[Field]],
    properties: Sequence[str],
) -> FormulaCertificate | None:
    """Projections for a representative and one other thread of each class."""
    model, manager = writer.model, writer.model.manager
    large = {
        c.members[0]: c.members
        for c in classes.classes
        if c.kind is Kind.EXCHANGE and not c.arrays
    }
    if not large:
        return None
    plain = model.space.shared[: writer.hidden]
    for me in classes.representatives:
        for other in _others(me, [c.members for c in classes.classes]):
            shown = (me,) if other is None else (me, other)
            bits = {bit for f in (*plain, *kept(me, other)) for bit in f.bits}
            node = states(me)
            gone = sorted(manager.support(node) - bits)
            writer.add(shown, manager.exists(gone, node), _tested(model, large, shown))
    writer.add_local(classes.representatives, lambda t: _tested(model, large, (t,)))
    templates = [model.space.numbers.templates[t] for t in large]
    return writer.certificate(properties, templates)


def is_accepted(
    program: Program, certificate: FormulaCertificate, tick: Callable[[], object]
) -> bool:
    """Whether the checker accepts a candidate."""
    try:
        check_certificate(program, certificate, tick)
    except (Refuted, Unsupported):
        return False
    return True


def _others(me: int, classes: Sequence[tuple[int, ...]]) -> list[int | None]:
    """One further thread of each class; None: no other thread."""
    found: list[int | None] = []
    for members in classes:
        rest = [t for t in members[:2] if t != me]
        found.extend(rest[:1])
    return found or [None]


def _tested(
    model: Model, large: dict[int, tuple[int, ...]], shown: Sequence[int]
) -> Callable[[Field], Values]:
    """Ids that are not shown are not distinguished: one of them represents the others."""
    many = {t for members in large.values() for t in members}
    single = [t.thread for t in model.threads if t.thread not in many]
    spared = next((t for t in sorted(many) if t not in shown), None)
    listed: list[Value] = [NONE, *shown, *(t for t in single if t not in shown)]
    if spared is not None:
        listed.append(spared)

    def tested(field: Field) -> Values:
        if field.name not in model.space.id_fields:
            return all_values(field)
        return Values(listed, spared)

    return tested
