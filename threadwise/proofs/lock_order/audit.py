"""What an order of locks means in a run: which threads hold which mutexes, and wait for which."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from threadwise.ir.layout import ThreadNumbers, extent_of
from threadwise.ir.program import Program
from threadwise.ir.types import ArrayType, MutexType, RecordType, Type, fields_of
from threadwise.proofs.base.audit import Broken, StateMonitor
from threadwise.proofs.lock_order.certificate import NOTHING, LockOrderCertificate, Names
from threadwise.semantics.deadlocks import Deadlocks
from threadwise.semantics.evaluate import Region
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter


class LockOrderMonitor(StateMonitor):
    """Tests the claims about owners of mutexes in every state."""

    def __init__(self, program: Program, certificate: LockOrderCertificate) -> None:
        super().__init__()
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        self.deadlocks = Deadlocks(self.interpreter)
        self.order = certificate.order
        self.may: dict[int, Names] = {}
        for entry in certificate.entries:
            for location, change in certificate.changes[entry.procedure].items():
                known = self.may.get(location, NOTHING)
                self.may[location] = known | change.may(entry.may)
        self.rank = {node: n for n, group in enumerate(self.order) for node in group.nodes}
        self.slots = {
            self.layout.globals.offset[declaration.variable.name] + offset: names
            for declaration in program.globals
            for offset, names in enumerate(
                _names(declaration.variable.type, declaration.variable.name, self.layout.numbers)
            )
            if names
        }
        """By cell, how the class of the mutex may be called whose owner it is."""
        self.evaluated: Counter[str] = Counter({"what is held": 0, "who waits for whom": 0})

    def evaluate(self, state: State) -> None:
        """Evaluate the claims in a state; raises Broken."""
        if self.interpreter.is_stopped(state):
            return
        owned: dict[int, list[Names]] = {t: [] for t in self.interpreter.threads}
        for slot, names in self.slots.items():
            owner = state.g.cells[slot]
            if isinstance(owner, int) and owner in owned:
                owned[owner].append(names)
        for t, held in owned.items():
            self.evaluated["what is held"] += 1
            here = state.locals[t].pc
            if not all(names & self.may.get(here, NOTHING) for names in held):
                told = ", ".join(min(names) for names in held)
                raise Broken(f"{self.layout.numbers.name(t)} has {told} at location {here}")
            self._waits(state, t, held)

    def _waits(self, state: State, t: int, held: Sequence[Names]) -> None:
        if not self.slots:  # nothing that anybody could wait for
            return
        ways = self.deadlocks.ways.of(t, state.g, state.locals[t])
        for way in ways or ():
            for cell in way.cells:
                awaited = self.slots.get(cell.slot)
                if cell.region is not Region.GLOBAL or awaited is None or way.awaited is None:
                    continue
                self.evaluated["who waits for whom"] += 1
                if not all(self._precedes(names, awaited, held) for names in held):
                    told = ", ".join(min(names) for names in held)
                    name = self.layout.numbers.name(t)
                    raise Broken(f"{name} waits for {min(awaited)} with {told}")

    def _precedes(self, before: Names, awaited: Names, held: Sequence[Names]) -> bool:
        first = {self.rank[name] for name in before if name in self.rank}
        second = {self.rank[name] for name in awaited if name in self.rank}
        if len(first) != 1 or len(second) != 1:
            return False
        (one,), (other,) = first, second
        gate = self.order[one].gate
        return one < other or (one == other and any(gate in names for names in held))


def _names(held: Type, name: str, numbers: ThreadNumbers) -> Iterator[Names]:
    """Cell by cell of a variable: for the owner of a mutex, its name and those of its classes."""

    def cells(held: Type, exact: str, classes: tuple[str, ...]) -> Iterator[Names]:
        match held:
            case ArrayType():
                inner = tuple(f"{each}[]" if each == classes[0] else each for each in classes)
                for position in range(extent_of(held, numbers)):
                    yield from cells(held.element, f"{exact}[{position}]", inner)
            case MutexType():
                for field, _ in fields_of(held):
                    yield (
                        frozenset({exact, *classes, "any mutex"}) if field == "owner" else NOTHING
                    )
            case RecordType():
                for field, part in fields_of(held):
                    inner = tuple(f"{each}.{field}" for each in (*classes, held.name))
                    yield from cells(part, f"{exact}.{field}", inner)
            case _:
                yield NOTHING

    return cells(held, name, (name,))


def audit_lock_order(program: Program, certificate: LockOrderCertificate) -> LockOrderMonitor:
    """The monitor of a proof by an order of locks."""
    return LockOrderMonitor(program, certificate)
