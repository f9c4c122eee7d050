"""Whether a program is another one whose critical sections are single steps (Lipton 1975).

Locations become atomic where threads hold locks. It is claimed which locks a thread holds at
which locations, and which lock protects which shared variable.

An edge is *early* if it is one of a single thread that is there from the start, from a location
that no edge which starts a thread leads to; all others are threads that wait to be started. While
it is taken no other thread has begun.

    (1) failures are claimed only; nothing looks at where threads are; there are no calls and
        no pointers; the programs differ only in locations that are atomic after and were not
    (2) a *lock* is an owner cell of a mutex. Edges that are not early mention its variable only
        as `when owner == none: owner := self`, as `when owner == self: owner := none`, or as a
        condition `owner == self` or `owner != self`
    (3) at an entry a thread holds nothing; after an edge it holds what it held, or what the edge
        acquires, and not what the edge releases. After an early edge that mentions a lock in
        another way it does not hold that
    (4) an edge that accesses a variable and is not early begins where the lock that protects it
        is held
    (5) a location that becomes atomic is no entry, not final and no failure. Every edge that
        leads there, or in an atomic region on the way there, is a *right mover*: it is early and
        starts no thread; or each shared variable that it mentions is a lock that it acquires; or
        is only read by it, and written by early edges only; or is protected by a lock that is
        held where the edge leads to

By (2) and (3) the owner is the thread wherever it is claimed to hold a lock: others change an
owner only if it is nobody or themselves. Let e be a right mover of thread i, and u the next edge
of the run, by another thread j. Then u e is possible, too, and leads to the same state. Neither is
early: right after an early e that starts none no other thread has begun, and i has not begun
when an early u is taken. So a variable that both mention and one of them writes is protected by a
lock that i holds, and by (4) j would hold it; or it is a lock that e acquires: u does not find it
free, nor its own, and `owner != self` held before e as well.

A run with a violation is cut into the steps of the program after, at locations that are visible
there. All edges of such a step but the last are right movers by (5). So they can be moved
right, up to the last one; steps whose last edge is missing, to the end of the run, where they are
left out. A failure is no atomic location, so the step that leads there is not left out. What
remains is a run of the program after. No use was made of regions that are atomic before, so it
does no harm that they are cut in between.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Scope,
    SelfId,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, conjuncts
from threadwise.ir.operations import NOBODY
from threadwise.ir.pool_cells import FINISHED, STARTED, template_of_status
from threadwise.ir.program import DEFAULT, Edge, LocId, Program
from threadwise.ir.properties import FailureProperty, Property
from threadwise.ir.types import MutexType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import places_read, refuse_memory, variable_of
from threadwise.proofs.transformed.merged import refuse_looks

Held = Mapping[LocId, frozenset[str]]
"""The locks that are held at locations, by the names of their variables."""


def check_reduced(
    before: Program,
    after: Program,
    held: Held,
    protecting: Mapping[str, str],
    claimed: Sequence[Property],
) -> None:
    """Raises Refuted unless failures of the program before are failures of the program after."""
    if not all(isinstance(checked, FailureProperty) for checked in claimed):
        raise Refuted("whole critical sections keep failures only")
    refuse_memory(before)
    refuse_looks(before)
    if not all(isinstance(edge.action, Command) for edge in before.edges):
        raise Refuted("critical sections of a program with calls")
    _Reduced(before, _closed(before, after), held, protecting).check()


def _closed(before: Program, after: Program) -> frozenset[LocId]:
    """(1): the locations that are atomic now; raises Refuted if there are other differences."""
    if len(after.procedures) != len(before.procedures):
        raise Refuted("more or fewer procedures")
    closed: set[LocId] = set()
    again = []
    for old, new in zip(before.procedures, after.procedures, strict=True):
        if len(old.locations) != len(new.locations):
            raise Refuted("more or fewer locations")
        pairs = list(zip(old.locations, new.locations, strict=True))
        closed |= {one.id for one, other in pairs if other.atomic and not one.atomic}
        same = tuple(replace(n, atomic=False) if n.id in closed else n for _, n in pairs)
        again.append(replace(new, locations=same))
    if replace(after, procedures=tuple(again)) != before:
        raise Refuted("another program")
    return frozenset(closed)


class _Reduced:
    def __init__(
        self,
        program: Program,
        closed: frozenset[LocId],
        held: Held,
        protecting: Mapping[str, str],
    ) -> None:
        self.program = program
        self.closed = closed
        self.held = held
        self.protecting = protecting
        self.early = frozenset(_early(program))
        self.locks = {name for told in held.values() for name in told} | set(protecting.values())
        self.mentioned = {edge.id: mentioned(edge) for edge in program.edges}
        self.written = {
            name for edge in program.edges if edge.id not in self.early for name in writes(edge)
        }

    def check(self) -> None:
        """Raises Refuted unless (2) to (5) hold."""
        for procedure in self.program.procedures:
            if self._at(procedure.entry):
                raise Refuted("a lock is held where a thread begins")
        for edge in self.program.edges:
            self._check_held(edge)
            self._check_protected(edge)
        for here in self._reached_inside():
            location = self.program.locations[here]
            entries = {p.entry for p in self.program.procedures}
            if here in self.closed and (here in entries or location.final or location.failure):
                raise Refuted(f"a thread may stay at location {here}")
        inside = set(self._reached_inside())
        for edge in self.program.edges:
            if edge.target in inside and not self._moves_right(edge):
                raise Refuted(f"edge {edge.id} is no right mover")

    def _at(self, here: LocId) -> frozenset[str]:
        return self.held.get(here, frozenset())

    def _check_held(self, edge: Edge) -> None:
        """(2) and (3): raises Refuted."""
        kept = set(self._at(edge.source))
        for lock in self.locks & self.mentioned[edge.id]:
            use = use_of(edge, lock)
            if use is None and edge.id not in self.early:
                raise Refuted(f"edge {edge.id} uses the lock `{lock}` in another way")
            if use == "acquire":
                kept.add(lock)
            elif use != "look":
                kept.discard(lock)
        if not self._at(edge.target) <= kept:
            raise Refuted(f"a lock may not be held after edge {edge.id}")

    def _check_protected(self, edge: Edge) -> None:
        """(4): raises Refuted."""
        if edge.id in self.early:
            return
        for name in self.mentioned[edge.id]:
            lock = self.protecting.get(name)
            if lock is not None and lock not in self._at(edge.source):
                raise Refuted(f"`{name}` is accessed without `{lock}` by edge {edge.id}")

    def _reached_inside(self) -> list[LocId]:
        """Locations that are atomic now, and those in atomic regions on the way there."""
        found = dict.fromkeys(sorted(self.closed))
        pending = list(found)
        incoming: dict[LocId, list[LocId]] = {}
        for edge in self.program.edges:
            incoming.setdefault(edge.target, []).append(edge.source)
        while pending:
            for source in incoming.get(pending.pop(), ()):
                if self.program.locations[source].atomic and source not in found:
                    found[source] = None
                    pending.append(source)
        return list(found)

    def _moves_right(self, edge: Edge) -> bool:
        """(5)"""
        if edge.id in self.early and not _starts(edge):
            return True
        mine = self._at(edge.target)
        return all(
            (name in self.locks and use_of(edge, name) == "acquire" and name in mine)
            or (name not in self.locks and name not in self.written and name not in writes(edge))
            or (name not in self.locks and self.protecting.get(name) in mine)
            for name in self.mentioned[edge.id]
        )


# -- edges ----------------------------------------------------------------------------------------


def mentioned(edge: Edge) -> frozenset[str]:
    """The shared variables that an edge may read or write."""
    read = (p for expr in action_expressions(edge.action) for p in places_read(expr))
    places = (*action_places(edge.action), *read)
    return frozenset(v.name for v in map(variable_of, places) if v.scope is Scope.GLOBAL)


def writes(edge: Edge) -> frozenset[str]:
    """The shared variables that an edge may write."""
    variables = map(variable_of, action_places(edge.action))
    return frozenset(v.name for v in variables if v.scope is Scope.GLOBAL)


def use_of(edge: Edge, lock: str) -> str | None:
    """How an edge uses a lock: (2), None if in another way."""
    assert isinstance(edge.action, Command)
    action = edge.action
    stored = [a for a in action.assignments if _is_of(variable_of(a.target), lock)]
    read = [
        place
        for expr in action_expressions(action)
        for place in places_read(expr)
        if _is_of(variable_of(place), lock)
    ]
    if len(read) != 1 or any(_is_of(variable_of(p), lock) for p in action.havocs):
        return None
    owner = read[0]
    if not _is_owner(owner):
        return None
    told = list(conjuncts(action.guard))
    mine, free = _is(owner, SelfId()), _is(owner, NOBODY)
    if free in told and stored == [Assignment(owner, SelfId())]:
        return "acquire"
    if mine in told and stored == [Assignment(owner, NOBODY)]:
        return "release"
    looks = (mine, Binary(BinaryOp.NE, Read(owner), SelfId()), Unary(UnaryOp.NOT, mine))
    return "look" if not stored and any(look in told for look in looks) else None


def _is_of(variable: Variable, name: str) -> bool:
    return variable.scope is Scope.GLOBAL and variable.name == name


def _is(owner: Place, who: Expr) -> Expr:
    return Binary(BinaryOp.EQ, Read(owner), who)


def _is_owner(place: Place) -> bool:
    """Whether a place is the owner cell of a mutex that is a variable."""
    match place:
        case FieldPlace(VariablePlace(variable), "owner"):
            return isinstance(variable.type, MutexType)
        case _:
            return False


# -- early edges ----------------------------------------------------------------------------------


def _early(program: Program) -> Iterator[int]:
    """The numbers of early edges."""
    first = [template for template in program.templates if not template.pool]
    if len(first) != 1 or first[0].count != 1:
        return
    body = first[0].body
    if any(t.body == body for t in program.templates if t.pool):
        return
    if not all(
        _waits(program, program.procedure[t.body].entry) for t in program.templates if t.pool
    ):
        return
    statuses = [d for d in program.globals if template_of_status(d.variable) is not None]
    if any(d.initial != DEFAULT for d in statuses):
        return
    own = program.procedure[body].edges
    late = {edge.target for edge in own if _starts(edge)}
    pending = list(late)
    while pending:
        for edge in program.outgoing[pending.pop()]:
            if edge.target not in late:
                late.add(edge.target)
                pending.append(edge.target)
    yield from (edge.id for edge in own if edge.source not in late)


def _waits(program: Program, entry: LocId) -> bool:
    """Whether a thread begins only where its status is `started`."""
    return all(
        isinstance(edge.action, Command) and any(map(_is_begin, conjuncts(edge.action.guard)))
        for edge in program.outgoing[entry]
    )


def _is_begin(condition: Expr) -> bool:
    match condition:
        case Binary(BinaryOp.EQ, Read(IndexPlace(VariablePlace(variable), SelfId())), value):
            return template_of_status(variable) is not None and value == STARTED
        case _:
            return False


def _starts(edge: Edge) -> bool:
    """Whether an edge may start a thread: it changes a status, and not to `finished`."""
    assert isinstance(edge.action, Command)
    finished = [a.target for a in edge.action.assignments if a.value == FINISHED]
    return any(
        template_of_status(variable_of(place)) is not None and place not in finished
        for place in action_places(edge.action)
    )
