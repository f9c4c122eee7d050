"""What movers are inferred from, the cheapest first: locks held, then R, of less if need be.

    own locks    each thread alone, with everything but locks projected away: which locks t
                 holds where. Local data that says which lock is meant is kept. This covers owner
                 ids, locks, data of one thread and disjoint cells, and costs about as much as
                 reading the program; no fixpoint over what others do
    R            the pairs of the thread-modular fixpoint (FQ §2.2, §3.1), if a step is no mover by
                 the above and is not annotated as one that was proved
    R, abstract  the same with unbounded variables projected away, which the
                 fixpoint of the program itself would count up for ever

R is given up, for own locks, when it has more than `MOST_PAIRS` elements: inferring movers must
not cost more than they save. Why each is enough is said beside the checker
(`threadwise.proofs.transactions.digest`), which computes the smaller programs itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from threadwise.analyses.unbounded import has_unbounded_data
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import replace
from threadwise.engines.digest import closed_loss, data_of, variables_of
from threadwise.engines.movers.locks import find_locks
from threadwise.engines.movers.pairs import Fixpoint, compute_pairs
from threadwise.ir.layout import Layout
from threadwise.ir.program import Program
from threadwise.ir.types import NONE, IntType, RangeType, TidType, parts_of
from threadwise.systems.api import Role
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.python_code import Local
from threadwise.transforms.forget import forget, variable_key

MOST_PAIRS = 20_000
"""A larger R is not computed where own locks say something."""

Tick = Callable[[], object]


class AloneSystem(ConcreteSystem):
    """Every thread for itself: no thread sees the steps of another."""

    def interferes(self, e: Role, t: Role) -> bool:
        """Never."""
        return False


@dataclass(frozen=True)
class Source:
    """A fixpoint, of which program, and how local stores of the whole program appear in it."""

    whole: ConcreteSystem
    system: ConcreteSystem
    fixpoint: Fixpoint
    forgotten: tuple[str, ...] = ()

    @property
    def alone(self) -> bool:
        """Whether threads are followed alone."""
        return isinstance(self.system, AloneSystem)

    @property
    def is_whole(self) -> bool:
        """Whether this is R of the program itself."""
        return not self.forgotten and not self.alone

    def projection(self) -> Callable[[Role, Local], Local]:
        """What is left of a local store."""
        if not self.forgotten:
            return lambda _, l: l
        old, new = self.whole.layout, self.system.layout
        names = frozenset(self.forgotten)
        taken: dict[tuple[str, str], tuple[int | None, ...]] = {}
        for template, thread in new.thread.items():
            own = _sources(old.thread[template], thread, names, "", 1)
            first = 1 + len(old.thread[template].cells)
            for procedure, local in new.local.items():
                inner = _sources(old.local[procedure], local, names, procedure, first)
                taken[template, procedure] = own + inner
        templates, program = old.numbers.templates, self.whole.program

        def project(t: Role, l: Local) -> Local:
            pc = self.whole.location(l)
            found = taken[templates[t], program.procedure_of[pc].name]
            return (pc, *(0 if source is None else l[source] for source in found))

        return project


def _sources(
    old: Layout, new: Layout, forgotten: frozenset[str], procedure: str, first: int
) -> tuple[int | None, ...]:
    """Where each cell has its value from, in a local store; None for what is forgotten."""
    return tuple(
        first + old.offset[cell.variable.name] + slot - new.offset[cell.variable.name]
        if variable_key(cell.variable, procedure) not in forgotten
        else None
        for slot, cell in enumerate(new.cells)
    )


# -- own locks -----------------------------------------------------------------------------------


def own_locks(system: ConcreteSystem, tick: Tick) -> Source | None:
    """What each thread holds where; None if more than locks decides what threads do."""
    program = system.program
    locks = find_locks(program)
    shared = {declared.variable.name for declared in program.globals}
    try:
        forgotten = data_of(program, keep_shared=False)
        rest = _forget(program, forgotten)
    except Unsupported:
        return None
    kept = shared - locks - set(forgotten)
    if kept and not all(_has_one_value(rest, name) for name in kept):
        return None
    alone = AloneSystem(rest)
    owners = owner_slots(alone)
    for store in alone.interpreter.initial_globals():
        if any(store.cells[slot] != NONE for slot in owners):
            return None
    return Source(system, alone, compute_pairs(alone, tick), forgotten)


def owner_slots(system: ConcreteSystem) -> list[int]:
    """The shared cells that say who holds a lock, where nothing else is of the type of ids."""
    cells = system.layout.globals.cells
    return [slot for slot, cell in enumerate(cells) if isinstance(cell.type, TidType)]


def _has_one_value(program: Program, name: str) -> bool:
    (held,) = (d.variable.type for d in program.globals if d.variable.name == name)
    return all(isinstance(part, RangeType) and part.low == part.high for part in parts_of(held))


# -- R -------------------------------------------------------------------------------------------


class _TooLargeError(Exception):
    """R has more elements than it is worth."""


def pairs(system: ConcreteSystem, tick: Tick, most: int | None = None) -> Source | None:
    """R, of less if the program counts without bound; None if it is too large."""
    count = 0

    def counting() -> None:
        nonlocal count
        tick()
        count += 1
        if most is not None and count > most:
            raise _TooLargeError

    forgotten = _unbounded(system.program) if has_unbounded_data(system.program) else ()
    less = ConcreteSystem(_forget(system.program, forgotten)) if forgotten else system
    try:
        return Source(system, less, compute_pairs(less, counting), forgotten)
    except _TooLargeError:
        return None


def _unbounded(program: Program) -> tuple[str, ...]:
    """What to forget so that no variable without bound is left; nothing if that is impossible."""
    wide = {
        key
        for key, variable in variables_of(program).items()
        if any(isinstance(part, IntType) for part in parts_of(variable.type))
    }
    for names in (_closed(program, wide), _closed(program, None)):
        if names is not None and wide.issubset(names):
            return names
    return ()


def _closed(program: Program, lost: Iterable[str] | None) -> tuple[str, ...] | None:
    """Variables that can be forgotten together; None if they cannot."""
    try:
        names = data_of(program) if lost is None else closed_loss(program, lost)
        _forget(program, names)
    except Unsupported:
        return None
    return names


def _forget(program: Program, names: Iterable[str]) -> Program:
    """The program without some data; raises Unsupported, also if an atomic region would open."""
    rest = replace(forget(replace(program, properties=()), names), properties=program.properties)
    if any(
        before.atomic != after.atomic
        for before, after in zip(program.locations, rest.locations, strict=True)
    ):
        raise Unsupported("forgetting what an atomic loop ends by")
    return rest
