"""Rosters in loops: how the first thread numbers the threads that it starts and joins.

start     x := id of a new thread       the thread is `late` on the rosters of the edge: all of
                                        them whose stop is at most its number. If none of the
                                        edge's threads runs, it is `alone` on a new one
          nobody keeps the id, or x is  the rosters with an argument say nothing of ids any more,
          overwritten                   and the thread is on them as the others are
store     P[k] := x                     the late thread is not late any more: its id is in P. Ids
                                        in P before k stay
          P[k] := x, where the thread   the late thread has the number k now: no other one on the
          with its id in P[k] ended     roster has it, since its id would be in P[k]
          another write to what may be  rosters with ids in P do not say any more where the ids
          an element                    are, unless it is one to P[k] and no thread of theirs with
                                        its id in P[k] runs: then none has the number k
again     A[k] is started, where the    the late thread is on the roster `at` k
          thread with its id in P[k]
          ended, k >= 0, k < stop
join      x ends, where x was P[k]      the threads with ids in P[0] … P[k] do not run, if those
                                        before k did not; otherwise that with its id in P[k] does
                                        not. Also if x is the first thread itself, which is on no
                                        roster, or is the id of none
          x ends, where x is the id of  none of the roster's threads runs
          the late thread of a roster
          on which it is alone
all       a roster with ids in P        none of its threads runs, if those with ids in P[0] …
                                        P[stop - 1] do not
          a roster with stop <= 0       none of its threads runs: their numbers are below it

Only the first thread writes the elements of P (`Ground.is_firsts`), and expressions in all of this
are stable, so the facts are stable under the steps of others. The end of a thread preserves them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    Expr,
    IndexPlace,
    IsInstance,
    Place,
    PointerAdd,
    Read,
    SelfId,
    ThreadAt,
    VariablePlace,
)
from threadwise.ir.fold import conjuncts, number, place_expressions, root
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import Edge, EdgeId
from threadwise.ir.types import NONE, Address, ArrayType, TidType
from threadwise.ir.writes import written
from threadwise.proofs.locksets.ground import Ground
from threadwise.proofs.locksets.knowledge import (
    Ended,
    Knowledge,
    Roster,
    is_own,
    named,
    named_place,
)
from threadwise.proofs.locksets.order import after, at_most, bounds_above, sum_of, written_out
from threadwise.proofs.locksets.threads.creation import joined_threads
from threadwise.proofs.locksets.threads.thread_arrays import (
    argument_of,
    has_ended,
    same_sum,
    slot_of,
    without_ids,
)


@dataclass(frozen=True)
class Numbering:
    """The rules."""

    ground: Ground

    # -- guards ----------------------------------------------------------------------------------

    def waited(self, edge: Edge, knowledge: Knowledge) -> Knowledge:
        """What the first thread knows of its threads once the guard of an edge holds."""
        if not knowledge.rosters:
            return knowledge
        starts = self.ground.threads.starts
        for place, templates in self._ends(edge, knowledge):
            sole = {r.edge for r in knowledge.rosters if r.alone and r.late == place}
            over = {edge for edge in sole if starts.get(edge) in templates}
            knowledge = self._without(knowledge, over)
            found = slot_of(place)
            if found is None or not self._is_kept(found[0], edge):
                continue
            ids, position = found
            for template in templates:
                more = has_ended(knowledge, Ended(template, ids, position))
                stop, first = after(position, knowledge.known), None if more else position
                rest = {
                    e
                    for e in knowledge.ended
                    if e[:2] != (template, ids) or (e.first is None and not more)
                }
                ended = frozenset({*rest, Ended(template, ids, stop, first)})
                knowledge = replace(knowledge, ended=ended)
        return self._without_ended(knowledge)

    def _ends(self, edge: Edge, knowledge: Knowledge) -> Iterator[tuple[Place, list[str]]]:
        """Elements whose threads do not run where a guard holds, with their templates."""
        program = self.ground.threads.program
        pools = [template.name for template in program.templates if template.pool]
        parts = list(conjuncts(edge.action.guard))
        for handle, template in joined_threads(edge.action.guard):
            place = self._element(handle, knowledge)
            if place is not None:
                yield place, pools if IsInstance(handle, template) in parts else [template]
        for part in parts:
            match part:
                case Binary(BinaryOp.EQ, Read() as handle, other) if _is_unlisted(other):
                    place = self._element(handle, knowledge)
                    if place is not None:
                        yield place, pools
                case _:
                    pass

    def _element(self, handle: Expr, knowledge: Knowledge) -> Place | None:
        name = named(handle, knowledge.known)
        if not isinstance(name, Read):
            return None
        return knowledge.copies.get(name.place, name.place)

    def _without_ended(self, knowledge: Knowledge) -> Knowledge:
        """Rosters of which no thread runs are empty, and those of no numbers."""
        starts = self.ground.threads.starts
        over: set[EdgeId] = set()
        for roster in knowledge.rosters:
            if at_most(roster.stop, number(0), knowledge.known, knowledge.facts):
                over |= {roster.edge} if roster.late is None else set()
            if roster.ids is not None and roster.late is None and roster.edge in starts:
                ended = Ended(starts[roster.edge], roster.ids, roster.stop)
                if has_ended(knowledge, ended):
                    over.add(roster.edge)
        return self._without(knowledge, over)

    def _without(self, knowledge: Knowledge, over: AbstractSet[EdgeId]) -> Knowledge:
        """The same if none of the threads runs that some edges started."""
        if not over:
            return knowledge
        return replace(
            knowledge,
            running=frozenset(event for event in knowledge.running if event.edge not in over),
            rosters=frozenset(r for r in knowledge.rosters if r.edge not in over),
        )

    # -- starts ----------------------------------------------------------------------------------

    def newborn(self, edge: Edge, before: Knowledge) -> tuple[Roster, ...]:
        """The rosters on which a thread is late that an edge of the first thread starts.

        Its ids may be elsewhere than its argument says: there is one without arguments, too.
        """
        passed = self.argument(edge, before)
        found = dict.fromkeys(self._newborn(edge, before, None))
        if passed is not None:
            found.update(dict.fromkeys(self._newborn(edge, before, passed)))
        return tuple(found)

    def _newborn(
        self, edge: Edge, before: Knowledge, passed: tuple[Expr, Expr] | None
    ) -> tuple[Roster, ...]:
        found: dict[Roster, None] = {}
        if not any(event.edge == edge.id for event in before.running):
            stop = number(0) if passed is None else after(passed[1], before.known)
            argument = None if passed is None else passed[0]
            if passed is None or at_most(number(0), passed[1], before.known, before.facts):
                found[Roster(edge.id, argument, None, stop, alone=True)] = None
        for told in before.rosters:
            roster = told if told.late is None else without_ids(told)
            if roster is None or roster.edge != edge.id:
                continue
            if passed is None:
                if roster.argument is None:
                    found[roster] = None
                continue
            argument, position = passed
            if roster.argument != argument:
                continue
            if at_most(roster.stop, position, before.known, before.facts):
                found[roster._replace(stop=after(position, before.known))] = None
            elif roster.ids is not None and self._is_vacant(roster, roster.ids, position, before):
                found[roster._replace(at=position)] = None
        return tuple(found)

    def is_new_number(self, edge: Edge, before: Knowledge, argument: Expr, position: Expr) -> bool:
        """Whether no thread of the template runs whose argument has a number, as one of many."""
        starts = self.ground.threads.starts
        running = {event.edge for event in before.running}
        return any(roster.argument is not None for roster in self.newborn(edge, before)) and all(
            any(
                roster.edge == other
                and roster.argument == argument
                and roster.late is None
                and self._is_free(roster, position, before)
                for roster in before.rosters
            )
            for other in running - {edge.id}
            if starts[other] == starts[edge.id]
        )

    def _is_free(self, roster: Roster, position: Expr, before: Knowledge) -> bool:
        """Whether none of the threads on a roster has a number."""
        if at_most(roster.stop, position, before.known, before.facts):
            return True
        return roster.ids is not None and self._is_vacant(roster, roster.ids, position, before)

    def argument(self, edge: Edge, before: Knowledge) -> tuple[Expr, Expr] | None:
        """What a new thread gets as its only argument, as one of many, and its number."""
        template = self.ground.threads.starts[edge.id]
        names = self.ground.threads.arguments[template]
        if len(names) != 1:
            return None
        for target, value in written(edge):
            base = root(target)
            if isinstance(base, VariablePlace) and base.variable.name in names:
                if value is None:
                    return None
                found = argument_of(self.address(named(value, before.known)))
                return found if found is None or _is_argument(found[0]) else None
        return None

    def passes_owned(self, edge: Edge, before: Knowledge) -> bool:
        """Whether a new thread gets a pointer, as its only argument, that the thread owns.

        Of what a thread was given itself, its own argument is another pointer.
        """
        names = self.ground.threads.arguments[self.ground.threads.starts[edge.id]]
        for target, value in written(edge) if len(names) == 1 else ():
            base = root(target)
            if isinstance(base, VariablePlace) and base.variable.name in names:
                name = None if value is None else named(value, before.known)
                site = before.owned.get(name.place) if isinstance(name, Read) else None
                return site is not None and site not in self.ground.given.values()
        return False

    def address(self, value: Expr) -> Expr:
        """A constant address, perhaps moved by elements, as that of an element of a variable."""
        if isinstance(value, PointerAdd):
            match self.address(value.pointer):
                case AddressOf(IndexPlace(base, Const(int(first), _)) as place):
                    if place.type != value.element:
                        return value
                    core, offset = sum_of(value.count, {})
                    return AddressOf(IndexPlace(base, written_out(core, offset + first)))
                case _:
                    return value
        if not isinstance(value, Const) or not isinstance(value.value, Address):
            return value
        declared = self.ground.threads.program.globals
        if not 0 <= value.value.number < len(declared):
            return value
        variable = declared[value.value.number].variable
        held = variable.type
        if not isinstance(held, ArrayType) or not has_static_size(held.element):
            return value
        position, rest = divmod(value.value.offset, size_of(held.element, NO_THREADS))
        if rest or position < 0:
            return value
        return AddressOf(IndexPlace(VariablePlace(variable), number(position)))

    # -- stores ----------------------------------------------------------------------------------

    def stored(
        self, edge: Edge, before: Knowledge, knowledge: Knowledge, procedure: str
    ) -> Knowledge:
        """What is left of the first thread's rosters after the writes of an edge."""
        for target, value in written(edge):
            if _is_variable(target):
                continue
            if isinstance(target.type, TidType) or not self._is_exact(target, procedure):
                knowledge = self._stored(target, value, before, knowledge, procedure)
        return knowledge

    def _is_exact(self, target: Place, procedure: str) -> bool:
        return is_own(target) or self.ground.is_exact(target, procedure)

    def _stored(
        self,
        target: Place,
        value: Expr | None,
        before: Knowledge,
        knowledge: Knowledge,
        procedure: str,
    ) -> Knowledge:
        there = named_place(target, before.known)
        found = slot_of(there)
        late = named(value, before.known) if isinstance(value, Read) else None
        rosters: set[Roster] = set()
        for roster in knowledge.rosters:
            is_late = isinstance(late, Read) and roster.late == late.place
            is_late = is_late and self._is_exact(target, procedure)
            if is_late and found is not None:
                rosters |= set(self._placed(roster, *found, before, procedure))
            elif self._is_elsewhere(roster.ids, there, roster.stop, before, procedure) or (
                found is not None
                and found[0] == roster.ids
                and self._is_exact(target, procedure)
                and self._have_ended(roster, *found, before)
            ):
                rosters.add(roster)
            elif roster.argument is not None and roster.late is None:
                rosters.add(roster._replace(ids=None))
        return replace(
            knowledge,
            rosters=frozenset(rosters),
            ended=frozenset(
                e
                for e in knowledge.ended
                if self._is_elsewhere(e.ids, there, e.stop, before, procedure)
            ),
            copies={
                place: held
                for place, held in knowledge.copies.items()
                if self._is_disjoint(held, there, procedure)
            },
        )

    def _placed(
        self, roster: Roster, ids: Place, position: Expr, before: Knowledge, procedure: str
    ) -> Iterator[Roster]:
        """The id of a late thread is stored among the ids."""
        known, facts = before.known, before.facts
        stop = after(position, known)
        fits = self._keeps_ids(ids, procedure) and (roster.alone or roster.ids == ids)
        again = (
            roster.argument is None if roster.at is None else same_sum(position, roster.at, known)
        )
        again = again and fits and not roster.alone
        if again and self._is_vacant(roster, ids, position, before):
            yield Roster(roster.edge, roster.argument, ids, roster.stop)
            return
        if roster.argument is not None:
            fits = fits and roster.at is None and same_sum(stop, roster.stop, known)
            stop = roster.stop
            position = _before(stop, known)
        elif not roster.alone:
            fits = fits and at_most(roster.stop, position, known, facts)
        else:
            fits = fits and at_most(number(0), position, known, facts)
        if not fits:
            if roster.argument is not None:
                yield roster._replace(ids=None, late=None, alone=False, at=None)
            return
        for bound in (stop, *bounds_above(position, known, facts)):
            yield Roster(roster.edge, roster.argument, ids, bound)

    def _have_ended(self, roster: Roster, ids: Place, position: Expr, before: Knowledge) -> bool:
        """Whether none of the threads that are on a roster runs with its id in an element."""
        template = self.ground.threads.starts[roster.edge]
        stop = after(position, before.known)
        return has_ended(before, Ended(template, ids, stop, position))

    def _is_vacant(self, roster: Roster, ids: Place, position: Expr, before: Knowledge) -> bool:
        """Whether a number below the stop of a roster is that of none of its threads.

        Their ids are in elements with their numbers.
        """
        known, facts = before.known, before.facts
        return (
            at_most(number(0), position, known, facts)
            and at_most(after(position, known), roster.stop, known, facts)
            and self._have_ended(roster, ids, position, before)
        )

    def _is_elsewhere(
        self, ids: Place | None, target: Place, stop: Expr, before: Knowledge, procedure: str
    ) -> bool:
        """Whether a write leaves the elements before a stop alone."""
        if ids is None or self._is_disjoint(ids, target, procedure):
            return True
        if not self._is_exact(target, procedure):
            return False
        found = slot_of(target)
        return (
            found is not None
            and found[0] == ids
            and at_most(stop, found[1], before.known, before.facts)
        )

    def _is_disjoint(self, place: Place, target: Place, procedure: str) -> bool:
        """Whether a write to a target leaves an element, and all others of its array, alone."""
        if is_own(place) or is_own(target):
            return is_own(place) != is_own(target) or root(place) != root(target)
        cells = self.ground.cells_of(target, procedure)
        mine = self.ground.cells_of(place, procedure)
        return bool(cells) and bool(mine) and cells.isdisjoint(mine)

    def left(self, knowledge: Knowledge, edge: Edge, procedure: str, where: str) -> Knowledge:
        """What a procedure still knows after an edge of another one that it called."""
        for target, _ in written(edge):
            if is_own(target):
                continue
            if not isinstance(target.type, TidType) and self._is_exact(target, procedure):
                continue
            cells = self.ground.cells_of(target, procedure)

            def hit(ids: Place | None, cells: frozenset[object] = cells) -> bool:
                if ids is None or is_own(ids):
                    return False
                return not cells or not cells.isdisjoint(self.ground.cells_of(ids, where))

            knowledge = replace(
                knowledge,
                rosters=frozenset(r for r in knowledge.rosters if not hit(r.ids)),
                ended=frozenset(e for e in knowledge.ended if not hit(e.ids)),
                copies={p: held for p, held in knowledge.copies.items() if not hit(held)},
            )
        return knowledge

    # -- what others cannot change ---------------------------------------------------------------

    def stable(self, knowledge: Knowledge, procedure: str) -> Knowledge:
        """What is left where other threads may act."""
        if not knowledge.rosters and not knowledge.ended and not knowledge.copies:
            return knowledge
        is_stable = self.ground.is_stable

        def lasts(place: Place) -> bool:
            return self._keeps_ids(place, procedure)

        return replace(
            knowledge,
            rosters=frozenset(
                roster
                for roster in knowledge.rosters
                if is_stable(roster.stop, procedure)
                and (roster.argument is None or is_stable(roster.argument, procedure))
                and (roster.at is None or is_stable(roster.at, procedure))
                and (roster.ids is None or lasts(roster.ids))
            ),
            ended=frozenset(
                e
                for e in knowledge.ended
                if is_stable(e.stop, procedure) and lasts(e.ids)
                if e.first is None or is_stable(e.first, procedure)
            ),
            copies={p: held for p, held in knowledge.copies.items() if lasts(held)},
        )

    def _keeps_ids(self, place: Place, procedure: str) -> bool:
        stable = self.ground.is_stable
        return all(stable(part, procedure) for part in place_expressions(place)) and (
            is_own(place) or self.ground.is_firsts(place, procedure)
        )

    def _is_kept(self, ids: Place, edge: Edge) -> bool:
        procedure = self.ground.threads.program.procedure_of[edge.source].name
        return self._keeps_ids(ids, procedure)

    def copied(self, value: Expr | None, before: Knowledge, procedure: str) -> Place | None:
        """The element whose id a value is."""
        if not isinstance(value, Read) or not isinstance(value.type, TidType):
            return None
        there = named_place(value.place, before.known)
        if _is_variable(there):
            return before.copies.get(there)
        return there if self._keeps_ids(there, procedure) else None


def _before(stop: Expr, known: Mapping[Place, Expr]) -> Expr:
    core, offset = sum_of(stop, known)
    if core is None:
        return number(offset - 1)
    return core if offset == 1 else Binary(BinaryOp.ADD, core, number(offset - 1))


def _is_unlisted(value: Expr) -> bool:
    """Whether an id is that of no thread, or of the first one, which is on no roster."""
    return value == SelfId() or value == Const(NONE, TidType())


def _is_variable(place: Place) -> bool:
    return isinstance(place, VariablePlace)


def _is_argument(argument: Expr) -> bool:
    """Whether arguments like this one have no part that differs from thread to thread."""
    return not isinstance(argument, ThreadAt | SelfId)
