"""Proofs cut into small pieces: what a thread sees of one other thread at a time.

R̄_j over all shared cells can be a large diagram, and a larger formula for a solver. Mostly the
property follows from projections of it that are inductive together: on the thread's own cells, the
shared cells that it or one partner writes, and the ghosts of the partner; its own ghosts follow
from its own cells. The partners of a thread are those that write what it reads, or read what it
writes. For sets over all threads (`afr`) the projections are on the own cells of two partners.

Projecting forgets, so that this need not be a proof. `is_proof` asks the obligations of the
checker (`threadwise.proofs.inductive.check`) of the BDDs first, which is quick since they are
small; the checker asks them again of a solver.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.engines.symbolic.components import Components
from threadwise.engines.symbolic.errors import Atom
from threadwise.engines.symbolic.interchange import Kind, Permuting
from threadwise.engines.symbolic.proofs import Writer
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.transforms.expose import Exposure

MOST_CLAIMS = 2_000


@dataclass(frozen=True)
class Claim:
    """A formula about the own cells of some threads."""

    threads: tuple[int, ...]
    states: Node


@dataclass(frozen=True)
class Meaning:
    """A ghost of a thread, and the states of the thread in which it is true."""

    thread: int
    field: Field
    states: Node

    def claim(self, model: Model) -> Claim:
        """The ghost equals what it stands for; checkers know this anyway."""
        ghost = model.sets.literal(self.field, value=True)
        return Claim((self.thread,), (ghost & self.states) | ~(ghost | self.states))


def meanings(model: Model, exposures: Sequence[Exposure]) -> list[Meaning]:
    """All ghosts; they are the last of the shared cells."""
    space = model.space
    ids = [(t, e) for e in exposures for t in space.numbers.ranges[e.template]]
    found: list[Meaning] = []
    for field, (t, exposure) in zip(
        space.shared[len(space.shared) - len(ids) :], ids, strict=True
    ):
        own, cell = space.threads[t], exposure.subject.cell
        subject = own.location if cell is None else own.own[cell]
        value = exposure.values[t - space.numbers.ranges[exposure.template].start]
        known = model.manager.false if value is None else model.sets.literal(subject, value)
        found.append(Meaning(t, field, known))
    return found


class Surroundings:
    """Which threads write and read which cells, in one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        field_of = {bit: f.name for f in model.space.shared for bit in f.bits}
        self.touched: dict[int, set[str]] = {}
        for thread in model.threads:
            bits: set[str] = set()
            for action in thread.actions:
                bits |= model.manager.support(action.guard)
            seen = {field_of[bit] for bit in bits if bit in field_of}
            self.touched[thread.thread] = seen | thread.writes
        written = {name for thread in model.threads for name in thread.writes}
        self.fixed = {f.name for f in model.space.shared} - written
        self.bits = {f.name: f.bits for f in model.space.shared}

    def partners(self, t: int) -> list[int]:
        """The threads that a thread has to do with; ghosts do not count."""
        mine = self.model.threads[t]
        ghosts = {self.model.space.shared[slot].name for slot in self.model.space.owner}
        return [
            other.thread
            for other in self.model.threads
            if other.thread != t
            and ((mine.writes & self.touched[other.thread]) | (other.writes & self.touched[t]))
            - ghosts
        ]

    def shared_bits(self, threads: Iterable[int]) -> set[str]:
        """The bits of the shared cells that some threads write, and of those never written."""
        names = set(self.fixed)
        for t in threads:
            names |= self.model.threads[t].writes
        return {bit for name in names for bit in self.bits[name]}


def thread_views(components: Components, ghosts: Sequence[Meaning]) -> list[Claim] | None:
    """R̄_j as its projections, without j's own ghosts; None if there would be too many."""
    model = components.model
    around = Surroundings(model)
    claims: list[Claim] = []
    for members in components.classes.classes:
        first = members.members[0]
        own = [bit for ghost in ghosts if ghost.thread == first for bit in ghost.field.bits]
        partners: list[int | None] = [*around.partners(first)] or [None]
        if len(claims) + len(partners) * len(members.members) > MOST_CLAIMS:
            return None
        found: dict[Node, None] = {}
        for other in partners:
            shown = (first,) if other is None else (first, other)
            kept = around.shared_bits(shown) | set(model.space.threads[first].bits)
            kept.difference_update(own)
            found[_projected(model, components.of(first), kept)] = None
        found.pop(model.manager.true, None)
        for t in members.members:
            move = Permuting(model, members, members.permutation(first, t))
            claims.extend(Claim((t,), node if t == first else move(node)) for node in found)
    return claims


def exchanged_views(components: Components, ghosts: Sequence[Meaning]) -> list[Claim] | None:
    """R̄_i ∧ R̄_j projected on two threads, computed once, if all threads can be exchanged."""
    model = components.model
    if ghosts or len(components.classes.classes) != 1:
        return None
    (members,) = components.classes.classes
    if members.kind is not Kind.EXCHANGE or model.space.owner:
        return None
    first, second, *others = members.members
    around = Surroundings(model)
    kept = around.shared_bits((first, second))
    for t in (first, second):
        kept |= set(model.space.threads[t].bits)
    node = _projected(model, components.of(first) & components.of(second), kept)
    claims: list[Claim] = []
    for i, j in combinations(members.members, 2):
        rest = [t for t in members.members if t not in (i, j)]
        names = dict(zip((first, second, *others), (i, j, *rest), strict=True))
        claims.append(Claim((i, j), Permuting(model, members, names)(node)))
    return claims if len(claims) <= MOST_CLAIMS else None


def pair_views(model: Model, states: Node) -> list[Claim] | None:
    """A set over all threads as its projections on pairs of partners."""
    around = Surroundings(model)
    claims: list[Claim] = []
    for thread in model.threads:
        t = thread.thread
        partners = around.partners(t)
        later: list[int | None] = [other for other in partners if other > t]
        for other in later if partners else [None]:
            shown = (t,) if other is None else (t, other)
            if len(claims) >= MOST_CLAIMS:
                return None
            kept = around.shared_bits(shown)
            for u in shown:
                kept |= set(model.space.threads[u].bits)
            claims.append(Claim(shown, _projected(model, states, kept)))
    return claims


def _projected(model: Model, states: Node, kept: set[str]) -> Node:
    gone = sorted(model.manager.support(states) - kept)
    return model.manager.exists(gone, states)


def is_proof(model: Model, claims: Sequence[Claim], atoms: Iterable[Atom]) -> bool:
    """Whether claims are inductive together, and exclude errors."""
    manager = model.manager
    about = _by_threads(claims)
    if any(not _excluded(model, about, atom.threads, atom.states) for atom in atoms):
        return False
    for claim in claims:
        support = manager.support(claim.states)
        for thread in model.threads:
            scope = tuple(dict.fromkeys((*claim.threads, thread.thread)))
            for action in thread.actions:
                if support.isdisjoint(action.written):
                    continue
                kept = manager.and_exists(claim.states, action.result, action.written)
                if not _excluded(model, about, scope, action.guard & ~kept):
                    return False
    return True


def _by_threads(claims: Sequence[Claim]) -> dict[frozenset[int], list[Claim]]:
    found: dict[frozenset[int], list[Claim]] = {}
    for claim in claims:
        found.setdefault(frozenset(claim.threads), []).append(claim)
    return found


def _excluded(
    model: Model,
    about: dict[frozenset[int], list[Claim]],
    scope: Sequence[int],
    states: Node,
) -> bool:
    """Whether the claims about some threads exclude a set of states.

    One claim after the other is intersected with it: their conjunction alone can be large.
    """
    for count in (1, 2):
        for chosen in combinations(scope, count):
            for claim in about.get(frozenset(chosen), ()):
                if states == model.manager.false:
                    return True
                states = states & claim.states
    return bool(states == model.manager.false)


def local_certificate(
    program: Program, model: Model, properties: Sequence[str]
) -> FormulaCertificate:
    """For errors that no thread can get to, whatever the others do: where each thread can be."""
    failures = any(
        location.failure is not None
        and (location.failure.kind.is_limit or location.failure.property in properties)
        for location in program.locations
    )
    stated = any(
        checked.name in properties and not isinstance(checked, FailureProperty)
        for checked in program.properties
    )
    if not failures and not stated:
        return Writer(program, model, ()).certificate(properties)
    return written_claims(program, model, (), (), properties)


def written_claims(
    program: Program,
    model: Model,
    exposures: Sequence[Exposure],
    claims: Iterable[Claim],
    properties: Sequence[str],
) -> FormulaCertificate:
    """Claims as a certificate."""
    writer = Writer(program, model, exposures)
    for claim in claims:
        writer.add(claim.threads, claim.states)
    writer.add_local(t.thread for t in model.threads)
    return writer.certificate(properties)
