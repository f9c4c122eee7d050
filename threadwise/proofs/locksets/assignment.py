"""A thread's own variables get new values, all at once: what it knows afterwards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypedDict, TypeVar

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.expr import Expr, Place, Read, Scope, Variable, VariablePlace
from threadwise.ir.types import is_integer
from threadwise.proofs.locksets.containers.unused import retold
from threadwise.proofs.locksets.knowledge import (
    Ended,
    Event,
    Knowledge,
    Roster,
    Unused,
    base_of,
    is_definite,
    read_bases,
)
from threadwise.proofs.locksets.order import not_negative, sum_of
from threadwise.proofs.locksets.retelling import in_custody_of, renamed, without
from threadwise.proofs.locksets.threads.thread_arrays import is_asked_for_stop, same_sum

V = TypeVar("V")


@dataclass(frozen=True)
class Assigned:
    """One of a thread's own places with what is known of its new value."""

    target: Place
    value: Expr | None = None
    site: str | None = None
    event: Event | None = None
    newborn: tuple[Roster, ...] = ()
    """If it gets the id of a new thread: the rosters on which that one is `late`."""
    copied: Place | None = None
    """The element of an array whose id it gets."""
    home: Place | None = None
    """The lock that protects what it points to from now on, by the list that it is in."""
    clean: bool = False
    """Whether that is an object of one's own that leads to no object in a list."""
    taken: bool = False
    """Whether that is a new object that may be handed over."""
    lent: Place | None = None
    """The lock of the container that it is in."""
    same: Place | None = None
    """The cell whose value it gets."""


def assign(knowledge: Knowledge, assigned: Sequence[Assigned]) -> Knowledge:
    """What a thread knows after its own variables got new values, all at once."""
    if not assigned:
        return knowledge
    plain = [_without_old(knowledge, change) for change in assigned]
    if all(_is_simple(knowledge, change) for change in plain) and _are_apart(plain):
        for change in plain:
            knowledge = _assign_one(knowledge, change)
        return knowledge
    return assign_by_shadows(knowledge, assigned)


def _without_old(knowledge: Knowledge, change: Assigned) -> Assigned:
    """A new value that is expressed with an old one of which nothing is known is not known."""
    base = base_of(change.target)
    known = change.value is None or base in knowledge.bases or base not in read_bases(change.value)
    return change if known else replace(change, value=None)


def _are_apart(assigned: Sequence[Assigned]) -> bool:
    """Whether no value reads what the others change: then one can come after the other."""
    if len(assigned) == 1:
        return True
    bases = [base_of(change.target) for change in assigned]
    return len(set(bases)) == len(bases) and all(
        change.value is None or read_bases(change.value).isdisjoint(bases) for change in assigned
    )


def _is_simple(knowledge: Knowledge, change: Assigned) -> bool:
    """Whether a new value is expressed without the old one, and no roster depends on it."""
    plain = not (change.newborn or change.copied or change.home or change.lent or change.same)
    return (
        plain
        and not (knowledge.rosters or knowledge.ended or knowledge.unused)
        and (change.value is None or base_of(change.target) not in read_bases(change.value))
        and is_definite(change.target)
    )


def _assign_one(knowledge: Knowledge, change: Assigned) -> Knowledge:
    """What is left without the old value, and the new one."""
    knowledge = without(knowledge, change.target)
    target = change.target
    if change.value is not None:
        knowledge = replace(knowledge, known={**knowledge.known, target: change.value})
    if change.site is not None:
        knowledge = replace(knowledge, owned={**knowledge.owned, target: change.site})
    if change.event is not None:
        knowledge = replace(knowledge, handles={**knowledge.handles, target: change.event})
    if change.taken:
        taken, whole = knowledge.taken | {target}, knowledge.whole | {target}
        knowledge = replace(knowledge, taken=taken, whole=whole)
    return replace(knowledge, clean=knowledge.clean | {target}) if change.clean else knowledge


def assign_by_shadows(knowledge: Knowledge, assigned: Sequence[Assigned]) -> Knowledge:
    """The same by way of variables that have the new values already: always right."""
    shadows: list[tuple[VariablePlace, Assigned]] = []
    known, owned, handles = dict(knowledge.known), dict(knowledge.owned), dict(knowledge.handles)
    homes, clean = dict(knowledge.homes), set(knowledge.clean)
    new: set[Place] = set()
    lent, same = dict(knowledge.lent), dict(knowledge.same)
    facts = set(knowledge.facts)
    for position, change in enumerate(assigned):
        shadow = VariablePlace(Variable(f"'{position}", change.target.type, Scope.LOCAL))
        shadows.append((shadow, change))
        if change.value is not None:
            known[shadow] = change.value
            if _is_number(knowledge, change.value):
                facts.add(not_negative(Read(shadow)))
        if change.site is not None:
            owned[shadow] = change.site
        if change.event is not None:
            handles[shadow] = change.event
        if change.home is not None:
            homes[shadow] = change.home
        if change.clean:
            clean.add(shadow)
        if change.taken:
            new.add(shadow)
        if change.lent is not None:
            lent[shadow] = change.lent
        if change.same is not None:
            same[shadow] = change.same
    knowledge = replace(
        knowledge,
        known=known,
        facts=frozenset(facts),
        owned=owned,
        handles=handles,
        homes=homes,
        clean=frozenset(clean),
        taken=knowledge.taken | new,
        whole=knowledge.whole | new,
        lent=lent,
        same=same,
        **_numbered(knowledge, shadows),
    )
    for _, change in shadows:
        knowledge = without(knowledge, change.target)
    for shadow, change in shadows:
        if not is_definite(change.target):
            knowledge = without(knowledge, shadow)
            continue
        knowledge = in_custody_of(renamed(knowledge, shadow, change.target), shadow, change.target)
        knowledge = replace(
            knowledge,
            known=_moved(knowledge.known, shadow, change.target),
            owned=_moved(knowledge.owned, shadow, change.target),
            handles=_moved(knowledge.handles, shadow, change.target),
            copies=_moved(knowledge.copies, shadow, change.target),
            homes=_moved(knowledge.homes, shadow, change.target),
            clean=frozenset(change.target if p == shadow else p for p in knowledge.clean),
        )
    return knowledge


def _is_number(knowledge: Knowledge, value: Expr) -> bool:
    """Whether a value is what is known not to be negative, or more."""
    core, by = sum_of(value, {})
    return core is not None and by >= 0 and not_negative(core) in knowledge.facts


class _Numbered(TypedDict):
    rosters: frozenset[Roster]
    ended: frozenset[Ended]
    unused: frozenset[Unused]
    copies: Mapping[Place, Place]


def _numbered(
    knowledge: Knowledge, shadows: Sequence[tuple[VariablePlace, Assigned]]
) -> _Numbered:
    """What is known of threads by number, expressed with the new values too."""
    rosters, ended, unused = set(knowledge.rosters), set(knowledge.ended), knowledge.unused
    copies = dict(knowledge.copies)
    for shadow, change in shadows:
        rosters |= {roster._replace(late=shadow) for roster in change.newborn}
        if change.copied is not None:
            copies[shadow] = change.copied
    for shadow, change in shadows:
        if change.value is None or not is_integer(change.target.type):
            continue
        new, known = Read(shadow), knowledge.known
        rosters |= {
            roster._replace(stop=new)
            for roster in rosters
            if is_asked_for_stop(roster) and same_sum(roster.stop, change.value, known)
        }
        ended |= {e._replace(stop=new) for e in ended if same_sum(e.stop, change.value, known)}
        unused = retold(unused, new, change.value, known)
    found = frozenset(rosters), frozenset(ended), unused
    return _Numbered(rosters=found[0], ended=found[1], unused=found[2], copies=copies)


def _moved(held: Mapping[Place, V], old: Place, new: Place) -> dict[Place, V]:
    return {new if place == old else place: value for place, value in held.items()}
