"""The checker of symmetric certificates: one representative per class, for any number of threads.

The program treats ids symmetrically (checked by typing), so a fact about one thread holds for all
that are like it, renamed; and ids are only compared, so an instance with two threads more than the
ids that a view of me and of a mover can mention shows everything that any number can show.

    (1) the instance is large enough, classes are complete, stores are stores of the instance
    (2) INIT   every initial view of every thread is in R, up to names
    (3) STEP   every step from a view in R leads to a view in R, and its change is in G
    (4) ENV    every change in G, in every renaming that fits a view of another thread, leads to a
               view in R
    (P) PUSH and POP, if the program has calls: as in `pushdown`, with views for pairs; the
        rules above then keep the entry of the current procedure. Frames must hold no ids, since
        names change while a callee runs.
    (5) no views that fit together violate a claimed property (`fitted_views`)
    (6) no view is at a limit of the model
    (7) equations between numbers of threads and shared cells, if the proof uses some, hold in
        every reachable state without a failure (`threadwise.proofs.counting.check`). Then (3) need
        not lead to views that contradict them; (4) need not consider steps of threads that cannot
        be beside the one that sees them, nor steps that fail; (5) need not consider threads that
        cannot meet. Not where there are calls.

For (7): a step starts in a state in which no thread has failed, so that all its threads are
counted at their locations. If it fails, the program ends, and only the view of the thread that
failed matters. If not, the equations hold after it, too.

Renamings are enumerated over all ids of the instance, in the reference semantics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING

from threadwise.ir.commands import Call
from threadwise.ir.expr import Quantified
from threadwise.ir.fold import subexpressions
from threadwise.ir.layout import Cell
from threadwise.ir.program import EdgeId, LocId, Program
from threadwise.ir.properties import InvariantProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import TidType
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.symmetric.fitted_views import FittedViewsChecker
from threadwise.proofs.toolbox.features import ALL, Feature, refuse_others
from threadwise.proofs.toolbox.renaming import Renamer, StoreView
from threadwise.proofs.toolbox.shapes import ShapeChecker
from threadwise.semantics.state import Cells, Frame, GlobalStore
from threadwise.semantics.step import Interpreter

if TYPE_CHECKING:
    from threadwise.proofs.counting.counted import CountedStores

NormalChange = tuple[int, Cells, Cells]


TREATS = ALL - {Feature.HEAP, Feature.POINTERS}
"""The features of programs that this checker treats."""


def check_symmetric(
    program: Program, certificate: SymmetricCertificate, tick: Callable[[], object]
) -> CheckedProof:
    """Check a certificate; raises Refuted."""
    if certificate.program_hash != program_hash(program):
        raise Refuted("the certificate belongs to another program")
    refuse_others(program, TREATS, "a table of views")
    return _Checker(program, certificate, tick).run()


class _Checker:
    def __init__(
        self, program: Program, certificate: SymmetricCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        if set(certificate.counts) != {template.name for template in program.templates}:
            raise Refuted("the certificate counts other templates than the program has")
        self.instance = program.with_counts(certificate.counts)
        self.interpreter = Interpreter(self.instance)
        self.layout = self.interpreter.layout
        self.renamer = Renamer(program, self.layout)
        self.taken: set[EdgeId] = set()
        self.has_calls = any(isinstance(edge.action, Call) for edge in program.edges)
        self.counted: CountedStores | None = None
        self.sources: dict[NormalChange, set[LocId]] = {}
        """Per change, the locations from which it is made by steps that do not fail."""

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        if claimed and not self.interpreter.threads:
            raise Refuted("tables of threads prove nothing about a program without threads")
        self._check_lemmas()  # (7)
        self._check_instance(claimed)  # (1)
        self._check_shapes()
        self._list_views()
        self.changes: set[NormalChange] = {
            self.renamer.normal_change(t, self._cells(before), self._cells(after))
            for t, made in zip(self.certificate.threads, self.certificate.guarantees, strict=True)
            for before, after in made
        }
        self._check_initial()  # (2)
        moving = self._check_steps()  # (3)
        self._check_interference()  # (4)
        fitted = FittedViewsChecker(
            self.program,
            self.interpreter,
            self.renamer,
            self.views,
            moving,
            None if self.counted is None else self._may_meet,
        )
        for checked in claimed:  # (5)
            self.tick()
            reason = fitted.violation(checked)
            if reason is not None:
                raise Refuted(f"`{checked.name}` may be violated: {reason}")
        self._check_limits()  # (6)
        visited = frozenset(int(v.l.pc) for views in self.views.values() for v in views)
        return CheckedProof(self.certificate.properties, frozenset(self.taken), visited)

    def _list_views(self) -> None:
        """The views in normal form; with calls, the entries of each, and who called those."""
        certificate = self.certificate
        self.views: dict[int, set[StoreView]] = {t: set() for t in certificate.threads}
        self.entries: dict[StoreView, set[StoreView | None]] = {}
        self.callers: dict[StoreView, set[tuple[StoreView | None, Frame]]] = {}
        for k, t in enumerate(certificate.threads):
            listed = [
                self.renamer.normal_view(StoreView(t, self._cells(g), l))
                for g, l in certificate.reached[k]
            ]
            if not self.has_calls:
                self.entries.update((view, {None}) for view in listed)
                self.views[t].update(listed)
                continue
            for entry, current in certificate.path_edges[k]:
                self.entries.setdefault(listed[current], set()).add(listed[entry])
                self.views[t].add(listed[current])
            for entry, caller, frame in certificate.callers[k]:
                self.callers.setdefault(listed[entry], set()).add((listed[caller], frame))

    def _cells(self, g: int) -> Cells:
        return tuple(self.certificate.globals[g])

    # -- (7) --------------------------------------------------------------------------------------

    def _check_lemmas(self) -> None:
        if not self.certificate.lemmas:
            return
        if self.has_calls:
            raise Refuted("numbers of threads in a proof with calls")
        from threadwise.proofs.counting.check import check_equations
        from threadwise.proofs.counting.counted import CountedStores

        check_equations(self.program, self.certificate.lemmas, self.tick)
        self.counted = CountedStores(self.layout, self.certificate.lemmas, self.tick)

    def _may_meet(self, shared: Cells, *locations: LocId) -> bool:
        """Whether the equations leave room for distinct threads at these locations."""
        if self.counted is None or any(self.program.locations[p].failure for p in locations):
            return True
        return self.counted.possible(shared, locations)

    # -- (1) --------------------------------------------------------------------------------------

    def _check_instance(self, claimed: list[Property]) -> None:
        needed = self._needed(claimed)
        for template in self.program.templates:
            count = self.certificate.counts[template.name]
            alike = any(len(self.renamer.like[t]) > 1 for t in self._ids(template.name))
            if template.count is not None and count > template.count:
                raise Refuted(f"the instance has more `{template.name}` threads than the program")
            if count != template.count and (count < needed or not alike):
                raise Refuted(f"the instance has too few `{template.name}` threads")
            representatives = [
                t for t in self.certificate.threads if t in self._ids(template.name)
            ]
            expected = list(self._ids(template.name))[: 1 if alike else None]
            if representatives != expected:
                raise Refuted(f"the certificate does not speak for every `{template.name}` thread")
        if len(set(self.certificate.threads)) != len(self.certificate.threads):
            raise Refuted("a representative is listed twice")

    def _ids(self, template: str) -> range:
        return self.layout.numbers.ranges[template]

    def _needed(self, claimed: list[Property]) -> int:
        """How many threads of a class are needed for all ids of the views in one rule."""
        related = 2
        for checked in claimed:
            if isinstance(checked, InvariantProperty):
                quantified = [
                    part
                    for part in subexpressions(checked.formula)
                    if isinstance(part, Quantified)
                ]
                related = max(related, sum(len(part.variables) for part in quantified))

        def ids(cells: tuple[Cell, ...]) -> int:
            return sum(isinstance(cell.type, TidType) for cell in cells)

        shared = sum(
            isinstance(cell.type, TidType) and slot not in self.renamer.hidden
            for slot, cell in enumerate(self.layout.globals.cells)
        )
        private = max(
            (len(self.renamer.private_id_slots(t)) for t in self.interpreter.threads), default=0
        )
        kept = max((ids(part.cells) for part in self.layout.thread.values()), default=0)
        own = max((ids(part.cells) for part in self.layout.local.values()), default=0)
        return shared + related * (1 + private + kept + own) + 1

    def _check_shapes(self) -> None:
        shapes = ShapeChecker(self.interpreter)
        certificate = self.certificate
        if not len(certificate.threads) == len(certificate.reached) == len(certificate.guarantees):
            raise Refuted("the certificate is for another number of classes")
        for cells in certificate.globals:
            shapes.check_global(tuple(cells))
        known = range(len(certificate.globals))
        for t, pairs in zip(certificate.threads, certificate.reached, strict=True):
            for g, l in pairs:
                if g not in known:
                    raise Refuted("a view names no global store")
                if self.has_calls:
                    shapes.check_local(t, l)
                else:
                    shapes.check_body(t, l)
        for changes in certificate.guarantees:
            if any(before not in known or after not in known for before, after in changes):
                raise Refuted("a guarantee names no global store")
        self._check_stacks(shapes)

    def _check_stacks(self, shapes: ShapeChecker) -> None:
        certificate = self.certificate
        count = len(certificate.threads) if self.has_calls else 0
        if len(certificate.path_edges) != count or len(certificate.callers) != count:
            raise Refuted("the certificate does not fit the calls of the program")
        for pairs, edges, calls in zip(
            certificate.reached, certificate.path_edges, certificate.callers, strict=False
        ):
            known = range(len(pairs))
            if any(end not in known for edge in edges for end in edge):
                raise Refuted("a path edge names no view")
            for entry, caller, frame in calls:
                if entry not in known or caller not in known:
                    raise Refuted("a caller names no view")
                callee = self.program.procedure_of[pairs[entry][1].pc].name
                shapes.check_frame(frame, callee)
        for procedure in self.program.procedures:
            calls_others = any(isinstance(edge.action, Call) for edge in procedure.edges)
            cells = self.layout.local[procedure.name].cells
            if calls_others and any(isinstance(cell.type, TidType) for cell in cells):
                raise Refuted(f"frames of `{procedure.name}` hold ids")

    # -- (2), (3), (6) ----------------------------------------------------------------------------

    def _check_initial(self) -> None:
        for store in self.interpreter.initial_globals():
            for t in self.interpreter.threads:
                view = StoreView(t, store.cells, self.interpreter.initial_local(t))
                normal = self.renamer.normal_view(view)
                entry = normal if self.has_calls else None
                if entry not in self.entries.get(normal, ()):
                    raise Refuted(f"INIT: an initial view of {self._name(t)} is missing")

    def _keeps_entries(self, before: StoreView, after: StoreView) -> bool:
        """Whether a view is listed with all entries of the one before it."""
        normal = self.renamer.normal_view(after)
        return self.entries[before] <= self.entries.get(normal, set())

    def _check_steps(self) -> set[StoreView]:
        """Rule STEP; the views that can step."""
        moving: set[StoreView] = set()
        for t, views in self.views.items():
            for view in views:
                self.tick()
                store = GlobalStore(self._filled(view))
                for choices, after, l, _ in self.interpreter.step(t, store, view.l):
                    kept = self._keeps_entries(view, StoreView(t, after.cells, l))
                    if not kept and self._may_meet(after.cells, l.pc):
                        raise Refuted(f"STEP: a step of {self._name(t)} leaves its views")
                    change = self.renamer.normal_change(t, store.cells, after.cells)
                    if change not in self.changes:
                        raise Refuted(f"STEP: a change by {self._name(t)} is not guaranteed")
                    if self.program.locations[l.pc].failure is None:
                        self.sources.setdefault(change, set()).add(view.l.pc)
                    self.taken.update(choice.edge for choice in choices)
                    moving.add(view)
                if self.has_calls and self._check_stack_moves(view, store.cells):
                    moving.add(view)
        return moving

    def _check_stack_moves(self, view: StoreView, cells: Cells) -> bool:
        """Rules PUSH and POP; whether the thread can call or return."""
        t, moves = view.me, False
        for choice, entered, frame in self.interpreter.push(t, view.l):
            entry = self.renamer.normal_view(StoreView(t, cells, entered))
            if entry not in self.entries.get(entry, ()):
                raise Refuted("PUSH: the entry of a procedure is missing")
            listed = self.callers.get(entry, set())
            if any((a, frame) not in listed for a in self.entries[view]):
                raise Refuted("PUSH: a caller is missing")
            self.taken.add(choice.edge)
            moves = True
        for own_entry in self.entries[view]:
            assert own_entry is not None
            for caller, frame in self.callers.get(own_entry, ()):
                for choice, resumed in self.interpreter.pop(t, view.l, frame):
                    after = self.renamer.normal_view(StoreView(t, cells, resumed))
                    if caller not in self.entries.get(after, ()):
                        raise Refuted("POP: a return leads out of P")
                    self.taken.add(choice.edge)
        return moves or self.interpreter.can_step(t, GlobalStore(cells), view.l)

    def _filled(self, view: StoreView) -> Cells:
        """The global cells of a view, with anything at all in the private cells of others."""
        anything = next(iter(self.interpreter.initial_globals())).cells
        mine = set(self.renamer.private[view.me])
        return tuple(
            anything[s] if s in self.renamer.hidden and s not in mine else value
            for s, value in enumerate(view.shared)
        )

    def _check_limits(self) -> None:
        for t, views in self.views.items():
            for view in views:
                failure = self.program.locations[view.l.pc].failure
                if failure is not None and failure.kind.is_limit:
                    raise Refuted(f"{self._name(t)} may reach a limit: {failure.message}")

    def _name(self, t: int) -> str:
        return self.layout.numbers.name(t)

    # -- (4) --------------------------------------------------------------------------------------

    def _check_interference(self) -> None:
        changes: defaultdict[Cells, list[NormalChange]] = defaultdict(list)
        for change in self.changes:
            changes[self.renamer.anonymous(change[1])].append(change)
        for views in self.views.values():
            for view in views:
                self.tick()
                for change in changes.get(self.renamer.anonymous(view.shared), ()):
                    if self._is_seen(view, change):
                        self._check_disturbed(view, change)

    def _is_seen(self, view: StoreView, change: NormalChange) -> bool:
        """Whether a thread that makes a change can be beside one with this view."""
        return self.counted is None or any(
            self._may_meet(view.shared, view.l.pc, source)
            for source in self.sources.get(change, ())
        )

    def _check_disturbed(self, view: StoreView, change: NormalChange) -> None:
        mover, before, after = change
        matched = self.renamer.matching(before, self.renamer.visible(view.shared))
        if matched is None:
            return
        slots = self.renamer.id_slots
        ids = [mover, *(t for s in slots if isinstance(t := after[s], int) and t >= 0)]
        for names in self.renamer.all_names(matched, list(dict.fromkeys(ids))):
            self.tick()
            if names[mover] == view.me:
                continue
            cells = list(view.shared)
            for slot, value in enumerate(after):
                if slot not in self.renamer.hidden:
                    is_id = slot in slots and isinstance(value, int) and value >= 0
                    cells[slot] = names[value] if is_id else value  # type: ignore[index]  # an id
            after_view = StoreView(view.me, tuple(cells), view.l)
            kept = self._keeps_entries(view, after_view)
            if not kept and self._may_meet(after_view.shared, view.l.pc):
                raise Refuted(
                    f"ENV: a change by another thread moves {self._name(view.me)} out of R"
                )
