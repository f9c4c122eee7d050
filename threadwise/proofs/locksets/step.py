"""How an edge changes what a thread knows (the transfer functions): the rules, one method each.

guard       conditions that are surely false end the path; the others are known afterwards
acquire     when m.owner == none: m.owner := self     m is held (fresh until the region ends)
release     m.owner := none                           whatever may be m is no longer held
own         x := e                                    facts about x are rewritten without it
allocate    p := new                                  p owns the object
publish     *q := p                                   ownership ends
call, return                                          see `threadwise.proofs.locksets.calling`
give        spawn with p as argument                  the new thread owns the object
spawn, join                                           see `proofs.locksets.threads.creation`
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    PointerAdd,
    Read,
    SameObject,
    SelfId,
    ThreadAt,
    Unary,
    UnaryOp,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, place_expressions, root, subexpressions
from threadwise.ir.program import Edge, EdgeId, LocId, Procedure
from threadwise.ir.types import MutexType, PointerType
from threadwise.ir.writes import written
from threadwise.proofs.locksets.assignment import Assigned, assign
from threadwise.proofs.locksets.beyond import WHOLES
from threadwise.proofs.locksets.calling import Calling, carried, lock_cells
from threadwise.proofs.locksets.containers.guarded_lists import Homes
from threadwise.proofs.locksets.containers.handover import Handover
from threadwise.proofs.locksets.frozen import Frozen
from threadwise.proofs.locksets.ground import LARGEST_NAME, Ground, is_lasting
from threadwise.proofs.locksets.guarded_flags import GuardedFlags
from threadwise.proofs.locksets.guards import Guards, Outcomes
from threadwise.proofs.locksets.knowledge import (
    MANY,
    Event,
    Knowledge,
    Roster,
    is_own,
    mentions,
    named,
    named_place,
    pointers_into_one,
)
from threadwise.proofs.locksets.locks import Locks, is_owner, owner_of
from threadwise.proofs.locksets.memory.by_variable import element_by_variable
from threadwise.proofs.locksets.memory.cells import Target, is_site, leaves
from threadwise.proofs.locksets.memory.contents import Memory
from threadwise.proofs.locksets.order import without_wrap
from threadwise.proofs.locksets.retelling import without
from threadwise.proofs.locksets.threads.creation import Threads, joined_threads, started
from threadwise.proofs.locksets.threads.kept_ids import KeptIds
from threadwise.proofs.locksets.threads.numbering import Numbering
from threadwise.proofs.locksets.threads.numbers_in_elements import NumbersInElements
from threadwise.proofs.locksets.threads.thread_arrays import without_ids


@dataclass(frozen=True)
class Steps:
    """The steps of a program."""

    ground: Ground

    @property
    def memory(self) -> Memory:
        """What every cell may hold."""
        return self.ground.memory

    @property
    def threads(self) -> Threads:
        """Which threads start which."""
        return self.ground.threads

    @cached_property
    def locks(self) -> Locks:
        """The rules about locks."""
        return Locks(self.ground)

    @cached_property
    def guards(self) -> Guards:
        """The rules about guards."""
        return Guards(self.ground, self.locks)

    @cached_property
    def ids(self) -> KeptIds:
        """The rules about ids of threads in memory."""
        return KeptIds(self.ground)

    @cached_property
    def frozen(self) -> Frozen:
        """The rules about frozen cells."""
        return Frozen(self.ground)

    @cached_property
    def indices(self) -> NumbersInElements:
        """The rules about numbers of threads in elements."""
        return NumbersInElements(self.ground, self.numbering)

    @cached_property
    def flags(self) -> GuardedFlags:
        """The rules about flags under mutexes."""
        return GuardedFlags(self.ground)

    @cached_property
    def calling(self) -> Calling:
        """The rules about calls."""
        return Calling(self.ground, self.frozen)

    @cached_property
    def homes(self) -> Homes:
        """The rules about lists and their locks."""
        return Homes(self.ground)

    @cached_property
    def handover(self) -> Handover:
        """The rules about objects that are taken out of containers."""
        return Handover(self.ground)

    @cached_property
    def numbering(self) -> Numbering:
        """The rules about threads by number."""
        return Numbering(self.ground)

    def after(
        self, edge: Edge, knowledge: Knowledge, procedure: Procedure
    ) -> Sequence[tuple[LocId, Knowledge]]:
        """Where a thread may be after an edge, and what it knows there; raises Unresolved."""
        key = edge.id, procedure.name, Same(knowledge)
        found = self._remembered.get(key)
        if found is None:
            found = self._remembered[key] = tuple(self._after(edge, knowledge, procedure))
        return found

    @cached_property
    def _remembered(
        self,
    ) -> dict[tuple[EdgeId, str, Same], Sequence[tuple[LocId, Knowledge]]]:
        return {}

    def _after(
        self, edge: Edge, knowledge: Knowledge, procedure: Procedure
    ) -> Iterator[tuple[LocId, Knowledge]]:
        for before, outcomes in self.guards.passing(edge, knowledge, procedure.name):
            action = edge.action
            match action:
                case Command() if self._fails(edge):
                    yield edge.target, _at_failure(before)
                case Call():
                    yield from self._call(edge, action, before, procedure)
                case Return():
                    pass
                case Command() | Allocate() | Free():
                    first = self.threads.is_first_thread(before, procedure)
                    if first:
                        before = self.numbering.waited(edge, before)
                    after = self._effect(edge, before, outcomes, procedure)
                    after = self._visible(edge, after, procedure.name)
                    after = self.ids.kept(edge, before, after, procedure, first=first)
                    yield edge.target, self.handover.settled(after, procedure.name)

    def _fails(self, edge: Edge) -> bool:
        """Whether a run ends after an edge: what is known there does not matter."""
        program = self.threads.program
        fails = program.locations[edge.target].failure is not None
        return fails and not program.outgoing[edge.target] and edge.id not in self.threads.starts

    def _visible(self, edge: Edge, knowledge: Knowledge, procedure: str) -> Knowledge:
        """What is left where others may act, or after shared memory was written.

        Names of locks are always stable: other names, which read memory that changes, would not
        mean the same lock for long.
        """
        knowledge = self._lasting_locks(knowledge, procedure)
        atomic = self.threads.program.locations[edge.target].atomic
        shared = [named_place(p, knowledge.known) for p, _ in written(edge) if not is_own(p)]
        if atomic and not shared:
            return knowledge
        for place in shared:
            if not self.ground.is_settled(place, procedure):
                knowledge = without(knowledge, place)
        knowledge = self.numbering.stable(knowledge, procedure)
        knowledge = self.flags.left(edge, knowledge, procedure)
        known, homes = knowledge.known, knowledge.homes

        def stable(expr: Expr, procedure: str) -> bool:
            kept = self.ground.is_stable(expr, procedure)
            return kept or self.flags.is_kept(expr, knowledge, procedure)

        facts = frozenset(fact for fact in knowledge.facts if stable(fact, procedure))
        same = len(facts) == len(knowledge.facts) and not homes
        same = same and all(stable(value, procedure) for value in known.values())
        if same and (atomic or not knowledge.fresh):
            return knowledge
        return replace(
            knowledge,
            fresh=knowledge.fresh if atomic else frozenset(),
            known={p: v for p, v in known.items() if stable(v, procedure)},
            facts=facts,
            homes={
                p: lock
                for p, lock in homes.items()
                if self.ground.is_stable_place(lock, procedure)
            },
        )

    def _lasting_locks(self, knowledge: Knowledge, procedure: str) -> Knowledge:
        stable = self.ground.is_stable_place
        if all(stable(lock, procedure) for lock in knowledge.held):
            return knowledge
        held = frozenset(lock for lock in knowledge.held if stable(lock, procedure))
        return replace(knowledge, held=held, fresh=knowledge.fresh & held)

    # -- commands --------------------------------------------------------------------------------

    def _effect(
        self, edge: Edge, before: Knowledge, outcomes: Outcomes, procedure: Procedure
    ) -> Knowledge:
        after = before
        event: Event | None = None
        newborn: tuple[Roster, ...] = ()
        first = self.threads.is_first_thread(before, procedure)
        if first:
            after = self.numbering.stored(edge, before, after, procedure.name)
        if edge.id in self.threads.starts and not first and self._may_be_first(procedure):
            after, _ = started(after, edge.id)
        if edge.id in self.threads.starts and first:
            newborn = self.numbering.newborn(edge, before)
            after = replace(
                after, rosters=frozenset(r for r in after.rosters if r.edge != edge.id)
            )
            after, event = started(after, edge.id)
        if first:
            after = self._join(edge, after)
        for target, value in written(edge):
            if not is_own(target):
                after = self.frozen.melted(after, target, procedure.name, procedure.name)
                after = self._stores(edge, target, value, before, after, procedure)
        left = _left(before, after)
        assigned: list[Assigned] = []
        for target, value in written(edge):
            if is_own(target):
                chosen = value
                while isinstance(chosen, Conditional) and chosen.condition in outcomes:
                    taken = outcomes[chosen.condition]
                    chosen = chosen.then if taken else chosen.otherwise
                if chosen is not None:
                    chosen = without_wrap(chosen, before.known, before.facts)
                change = self._own(edge, target, chosen, left, event)
                change = self.homes.assigned(edge, chosen, left, change, procedure.name)
                change = self.handover.assigned(edge, chosen, left, change, procedure.name)
                if newborn and isinstance(chosen, ThreadAt) and isinstance(target, VariablePlace):
                    change = replace(change, newborn=newborn)
                if first and isinstance(target, VariablePlace):
                    copied = self.numbering.copied(chosen, before, procedure.name)
                    change = replace(change, copied=copied)
                assigned.append(change)
        if newborn and not any(change.newborn for change in assigned):
            nameless = frozenset(r for r in map(without_ids, newborn) if r is not None)
            after = replace(after, rosters=after.rosters | nameless)
        if edge.id in self.threads.starts:
            after = self._gave(edge, before, after)
        after = self._overwritten(edge, after, procedure.name)
        after = self.handover.freed(edge, before, after, procedure.name)
        after = self.handover.issued(edge, before, after)
        lasting = self._lasting(edge, assigned, procedure.name)
        after = _in_one_object(edge, before, assign(after, lasting))
        return _in_different_objects(edge, after)

    def _stores(
        self,
        edge: Edge,
        target: Place,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: Procedure,
    ) -> Knowledge:
        """What is left after a write to memory that others may find."""
        if isinstance(target, FieldPlace) and isinstance(target.base.type, MutexType):
            if target.field == "owner":
                return self.locks.write_owner(edge, target, value, before, after, procedure.name)
            return after
        after = self.locks.write_number(target, value, before, after, procedure)
        after = self._published(target, value, before, after, procedure.name)
        after = self.homes.stored(target, value, before, after, procedure.name)
        after = self.handover.stored(target, value, before, after, procedure.name)
        return self.frozen.written(target, value, before, after, procedure.name)

    def _lasting(self, edge: Edge, assigned: list[Assigned], procedure: str) -> list[Assigned]:
        """New values, except those expressed with cells that the same edge writes.

        `k := s` and `s := s + 1`, at once: `k` is what `s` was.
        """
        shared = [target for target, _ in written(edge) if not is_own(target)]
        if not shared or not assigned:
            return assigned
        cells = {cell for place in shared for cell in self.ground.cells_of(place, procedure)}

        def changes(place: Place | None) -> bool:
            if place is None or is_own(place):
                return False
            return not cells.isdisjoint(self.ground.cells_of(place, procedure))

        def is_old(value: Expr | None) -> bool:
            parts = () if value is None else subexpressions(value)
            return any(changes(p.place) for p in parts if isinstance(p, Read | IsWritten))

        return [
            replace(
                change,
                value=None if is_old(change.value) else change.value,
                copied=None if changes(change.copied) else change.copied,
                same=None if changes(change.same) else change.same,
            )
            for change in assigned
        ]

    def _overwritten(self, edge: Edge, after: Knowledge, procedure: str) -> Knowledge:
        """What is left after a write that may be to any part of an object."""
        for target, _ in written(edge):
            if is_own(target) or self.ground.is_exact(target, procedure):
                continue
            cells = self.ground.cells_of(target, procedure)
            lost = {
                m
                for m in after.held
                if not cells.isdisjoint(lock_cells(self.ground, m, procedure))
            }
            whole = target.type in WHOLES
            after = replace(
                after,
                held=after.held - lost,
                fresh=after.fresh - lost,
                owned={} if whole else after.owned,
                homes={},
                clean=frozenset(),
            )
        return after

    def misused(self, edge: Edge, knowledge: Knowledge, procedure: Procedure) -> Iterator[Target]:
        """The numbers that an edge uses in another way than as a lock."""
        if not self.ground.numbers:
            return
        for before, _ in self.guards.passing(edge, knowledge, procedure.name):
            for target, value in written(edge):
                if is_own(target):
                    continue
                exact = self.ground.is_exact(target, procedure.name)
                if exact and is_owner(target) and value == SelfId():
                    yield from self.locks.read_meanwhile(target, before, procedure.name)
                    continue
                cells = self.ground.cells_of(target, procedure.name)
                if cells.isdisjoint(self.ground.numbers):
                    continue
                single = self.ground.discipline(target, procedure.name) is not None
                if not single or self.locks.use(target, value, before, procedure) is None:
                    yield from sorted(cells.intersection(self.ground.numbers))

    def _gave(self, edge: Edge, before: Knowledge, after: Knowledge) -> Knowledge:
        """An object that a new thread gets must not be used any longer."""
        pointer = self.starts_with(edge, before)
        if pointer is None or self.threads.starts[edge.id] not in self.ground.given:
            return after
        names = {p for p, value in before.known.items() if mentions(value, pointer)}
        return replace(after, lost=after.lost | names | {pointer})

    def starts_with(self, edge: Edge, before: Knowledge) -> Place | None:
        """The variable whose object a new thread gets as its only argument.

        None if the same step gives that to another variable, which would not be lost.
        """
        template = self.threads.starts[edge.id]
        names = self.threads.arguments[template]
        for target, value in written(edge):
            base = root(target)
            if isinstance(base, VariablePlace) and base.variable.name in names and len(names) == 1:
                name = None if value is None else named(value, before.known)
                if isinstance(name, Read) and name.place in before.owned:
                    kept = self._is_copied(edge, name.place, before)
                    return None if kept else name.place
        return None

    def _is_copied(self, edge: Edge, pointer: Place, before: Knowledge) -> bool:
        """Whether a variable of the thread gets something that is found by way of a pointer."""
        return any(
            is_own(target) and value is not None and mentions(named(value, before.known), pointer)
            for target, value in written(edge)
        )

    def keeps(self, edge: Edge, knowledge: Knowledge, procedure: Procedure) -> Iterator[str]:
        """The templates whose threads may not get an object of their own, by an edge."""
        given = self.ground.given
        if not given:
            return
        if any(mentions(part, place) for place in knowledge.lost for part in _evaluated(edge)):
            yield from given
        for target, values in self._stored(edge, procedure.name):
            for name, site in given.items():
                argument = target.object in self.threads.arguments[name]
                if not argument and (values is None or site in values):
                    yield name
        yield from (name for name, site in given.items() if self.ground.is_copied(site))
        template = self.threads.starts.get(edge.id)
        if template is None or template not in given:
            return
        if procedure.name in self.threads.called:  # its callers may use what it gives away
            yield template
            return
        for before, _ in self.guards.passing(edge, knowledge, procedure.name):
            pointer = self.starts_with(edge, before)
            if pointer is None or before.owned[pointer] != given[template]:
                yield template
            if pointer is not None and any(self._other_names(pointer, before, procedure)):
                yield template

    def miscounted(
        self, edge: Edge, knowledge: Knowledge, procedure: Procedure
    ) -> Iterator[Target]:
        """The indexed cells that may hold another number than that of their element."""
        if self.ground.indexed:
            for before, _ in self.guards.passing(edge, knowledge, procedure.name):
                yield from self.indices.miswritten(edge, before, procedure.name)
                yield from self.indices.unset(edge, before, procedure.name)

    def strays(self, edge: Edge, knowledge: Knowledge, procedure: Procedure) -> Iterator[str]:
        """The sites whose objects an edge may store in a list with another lock, or in none."""
        if self.ground.homed:
            for before, _ in self.guards.passing(edge, knowledge, procedure.name):
                yield from self.homes.strays(edge, before, procedure.name)

    def mishandled(self, edge: Edge, knowledge: Knowledge, procedure: Procedure) -> Iterator[str]:
        """The sites whose objects an edge may put, take or copy otherwise than by the rules."""
        if self.ground.handed:
            for before, _ in self.guards.passing(edge, knowledge, procedure.name):
                yield from self.handover.broken(edge, before, procedure.name)

    def _stored(
        self, edge: Edge, procedure: str
    ) -> Iterator[tuple[Target, frozenset[str] | None]]:
        """The cells of memory that an edge puts pointers in, and the objects these point to."""
        for target, value in written(edge):
            if is_own(target) or not (
                isinstance(target.type, PointerType) or target.type in WHOLES
            ):
                continue
            values = None if value is None else self.ground.values_of(value, procedure)
            objects = (
                None
                if values is None
                else frozenset(found.object for found in values if isinstance(found, Target))
            )
            for cell in self.ground.cells_in_order(target, procedure):
                yield cell, objects

    def _other_names(
        self, pointer: Place, before: Knowledge, procedure: Procedure
    ) -> Iterator[Place]:
        """Variables of the thread that may alias a pointer, unknown to the thread."""
        site = before.owned[pointer]
        own = [VariablePlace(d.variable) for d in procedure.locals]
        own += [VariablePlace(variable) for variable in procedure.parameters]
        for template in self.threads.running[procedure.name]:
            variables = self.threads.program.template[template].variables
            own += [VariablePlace(d.variable) for d in variables]
        for place in own:
            if place == pointer or place in before.known:
                continue
            name = self.memory.objects.of(place.variable, procedure.name)
            for cell, scalar in enumerate(leaves(place.type)):
                if not isinstance(scalar, PointerType):
                    continue
                values = self.memory.values.get(Target(name, cell), frozenset())
                if values is None or any(
                    isinstance(value, Target) and value.object == site for value in values
                ):
                    yield place

    def _own(
        self, edge: Edge, target: Place, value: Expr | None, before: Knowledge, event: Event | None
    ) -> Assigned:
        there = named_place(target, before.known)
        if isinstance(edge.action, Allocate):
            site = self.memory.objects.site(edge.action)
            return Assigned(there, site=None if self.ground.is_copied(site) else site)
        if value is None:
            return Assigned(there)
        if event is not None and isinstance(value, ThreadAt) and event.time != MANY:
            return Assigned(there, event=event)
        if self._is_argument(value) and (given := self._given(value)) is not None:
            return Assigned(there, site=given)
        if before.identity is None and self.ground.numbered_argument(value) is not None:
            return Assigned(there, value)
        name = self._chosen(value, before)
        if name is None:
            return Assigned(there)
        if isinstance(name, Read):
            return Assigned(
                there, name, before.owned.get(name.place), before.handles.get(name.place)
            )
        return Assigned(there, name)

    def _chosen(self, value: Expr, before: Knowledge) -> Expr | None:
        """The name of a value, if it depends on the thread's own variables only."""
        if before.identity is not None and self._is_argument(value):
            return before.identity
        name = element_by_variable(named(value, before.known), self.threads.program)
        small = sum(1 for _ in subexpressions(name)) <= LARGEST_NAME
        return name if small and is_lasting(name) else None

    def _given(self, value: Expr) -> str | None:
        """The site of the object that a thread gets as its argument, if it is its own."""
        assert isinstance(value, Read)
        base = root(value.place)
        assert isinstance(base, VariablePlace)
        for template, site in self.ground.given.items():
            if base.variable.name in self.threads.arguments[template]:
                return site
        return None

    def _is_argument(self, value: Expr) -> bool:
        match value:
            case Read(IndexPlace(VariablePlace(variable), SelfId())):
                return any(variable.name in names for names in self.threads.arguments.values())
            case _:
                return False

    def _join(self, edge: Edge, knowledge: Knowledge) -> Knowledge:
        for handle, template in joined_threads(edge.action.guard):
            if not isinstance(handle, Read):
                continue
            event = knowledge.handles.get(named_place(handle.place, knowledge.known))
            if event is None:
                name = named(handle, knowledge.known)
                event = knowledge.handles.get(name.place) if isinstance(name, Read) else None
            if event is not None and self.threads.starts[event.edge] == template:
                knowledge = replace(knowledge, running=knowledge.running - {event})
        return knowledge

    def _may_be_first(self, procedure: Procedure) -> bool:
        """Whether the first thread is among those that run a procedure."""
        template = self.threads.program.template
        runs = self.threads.running[procedure.name]
        return any(self.threads.is_first(template[name]) for name in runs)

    # -- ownership -------------------------------------------------------------------------------

    def _published(
        self,
        target: Place,
        value: Expr | None,
        before: Knowledge,
        after: Knowledge,
        procedure: str,
    ) -> Knowledge:
        """A pointer to the heap, stored where others may find it, ends all ownership.

        What it points to may lead to the other objects, under names that were lost. If it is the
        argument of a new thread, it is looked up where it leads to: what is not found from there,
        and is another object, stays one's own.
        """
        if value is None or not before.owned:
            return after
        if owner_of(named_place(target, before.known), before) is not None:
            return after
        sites = {site for part in carried(value) for site in self._sites(part, procedure)}
        if not any(map(is_site, sites)):
            return after
        name = named(value, before.known)
        if not self._is_for_new_thread(target) or not isinstance(name, Read):
            return replace(after, owned={})
        inside = self.calling.inside(sites)

        def stays(place: Place, site: str) -> bool:
            differs = site not in sites or _differ(Read(place), name, before)
            return differs and site not in inside

        kept = {p: site for p, site in after.owned.items() if stays(p, site)}
        return replace(after, owned=kept, clean=frozenset())

    def _is_for_new_thread(self, target: Place) -> bool:
        match target:
            case IndexPlace(VariablePlace(variable), ThreadAt(template, _)):
                return variable.name in self.threads.arguments[template]
            case _:
                return False

    def _sites(self, pointer: Expr, procedure: str) -> Iterator[str]:
        values = self.memory.of(pointer, procedure)
        if values is None:
            return iter(self.memory.objects.exposed)
        return (value.object for value in values if isinstance(value, Target))

    # -- calls -----------------------------------------------------------------------------------

    def _call(
        self, edge: Edge, action: Call, before: Knowledge, caller: Procedure
    ) -> Iterator[tuple[LocId, Knowledge]]:
        """What the callee knows when it begins, and the caller when it goes on."""
        called = self.threads.program.procedure[action.procedure]
        stable = self.ground.is_stable
        before = replace(
            before,
            known={p: v for p, v in before.known.items() if stable(v, caller.name)},
            facts=frozenset(fact for fact in before.facts if stable(fact, caller.name)),
        )
        yield called.entry, self.calling.entered(action, before, called, caller)
        after = self.calling.left(action, before, caller.name)
        yield edge.target, self._visible(edge, after, caller.name)


def _left(before: Knowledge, after: Knowledge) -> Knowledge:
    """What is known before an edge, without what its own stores end.

    `k := p` and `s := p`, at once: what `p` points to is not the thread's own under any name.
    """
    return replace(
        before,
        owned={p: site for p, site in before.owned.items() if p in after.owned},
        homes={p: lock for p, lock in before.homes.items() if p in after.homes},
        lent={p: lock for p, lock in before.lent.items() if p in after.lent},
        same={p: cell for p, cell in before.same.items() if p in after.same},
        clean=before.clean & after.clean,
        taken=before.taken & after.taken,
        whole=before.whole & after.whole,
    )


def _at_failure(before: Knowledge) -> Knowledge:
    """What is left of knowledge whatever an edge does that starts no thread."""
    return Knowledge(
        started=before.started,
        running=before.running,
        absent=before.absent,
        lost=before.lost,
        template=before.template,
    )


def _evaluated(edge: Edge) -> Iterator[Expr]:
    """Everything that an edge evaluates."""
    yield from action_expressions(edge.action)
    for target, _ in written(edge):
        yield from place_expressions(target)


def _in_different_objects(edge: Edge, after: Knowledge) -> Knowledge:
    """A new object is none of those that the thread owns already, under any name.

    That matters of objects of one site only. Where an object ends, this is forgotten.
    """
    match edge.action:
        case Free():
            facts = frozenset(fact for fact in after.facts if _difference(fact) is None)
            return after if len(facts) == len(after.facts) else replace(after, facts=facts)
        case Allocate(target=target) if target in after.owned:
            site, new = after.owned[target], Read(target)
            others = (p for p, held in after.owned.items() if held == site and p != target)
            found = {Unary(UnaryOp.NOT, SameObject(Read(place), new)) for place in others}
            return replace(after, facts=after.facts | found) if found else after
        case _:
            return after


def _differ(one: Expr, other: Expr, knowledge: Knowledge) -> bool:
    """Whether two pointers are known to lead into different objects."""
    both = {named(one, knowledge.known), named(other, knowledge.known)}
    told = (same for same in map(_difference, knowledge.facts) if same is not None)
    return any(
        {named(same.left, knowledge.known), named(same.right, knowledge.known)} == both
        for same in told
    )


def _difference(fact: Expr) -> SameObject | None:
    """The pointers that a condition says to lead into different objects."""
    match fact:
        case Unary(UnaryOp.NOT, SameObject() as same):
            return same
        case _:
            return None


def _in_one_object(edge: Edge, before: Knowledge, after: Knowledge) -> Knowledge:
    """Variables that get pointers moved by no constant lead into the objects of others, as before.

    How far they were moved may be forgotten soon, or depend on memory that changes. A variable
    that is itself moved, again and again, leads where it led before.
    """
    changed = {target for target, _ in written(edge)}
    found: set[Expr] = set()
    for target, value in written(edge):
        if not isinstance(value, PointerAdd) or not isinstance(target, VariablePlace):
            continue
        by_constant = isinstance(value.count, Const) and value.pointer != Read(target)
        if is_own(target) and not by_constant:
            others = pointers_into_one(named(value, before.known), before)
            kept = (each for each in others if each.place not in changed)
            found.update(SameObject(each, Read(target)) for each in kept)
    return replace(after, facts=after.facts | found) if found else after
