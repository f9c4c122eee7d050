"""What an order of locks means in a run: who has which mutex where, and who waits for whom."""

from __future__ import annotations

from collections import Counter

from threadwise.ir.layout import owner_slots
from threadwise.ir.program import Program
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.lock_order.certificate import NOTHING, LockOrderCertificate, Names
from threadwise.semantics.deadlocks import Deadlocks
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter


class LockOrderMonitor:
    """Looks at the owners of all mutexes in every state."""

    def __init__(self, program: Program, certificate: LockOrderCertificate) -> None:
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
            slot: self.layout.globals.cells[slot].name
            for declaration in program.globals
            for slot in owner_slots(
                declaration.variable.type,
                self.layout.globals.offset[declaration.variable.name],
                self.layout.numbers,
            )
        }
        self.evaluated: Counter[str] = Counter({"what is held": 0, "who waits for whom": 0})

    def start(self, state: State) -> None:
        """A run begins."""
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A thread takes a step."""
        self._look(after)

    def _look(self, state: State) -> None:
        if self.interpreter.is_stopped(state):
            return
        owned: dict[int, set[str]] = {t: set() for t in self.interpreter.threads}
        for slot, name in self.slots.items():
            owner = state.g.cells[slot]
            if isinstance(owner, int) and owner in owned:
                owned[owner].add(name)
        for t, names in owned.items():
            self.evaluated["what is held"] += 1
            here = state.locals[t].pc
            if not names <= self.may.get(here, NOTHING):
                told = self.layout.numbers.name(t)
                raise Broken(f"{told} has {', '.join(sorted(names))} at location {here}")
            self._waits(state, t, names)

    def _waits(self, state: State, t: int, names: set[str]) -> None:
        ways = self.deadlocks.ways.of(t, state.g, state.locals[t])
        for way in ways or ():
            for cell in way.cells:
                node = self.slots.get(cell.slot)
                if node is None or way.awaited is None:
                    continue
                self.evaluated["who waits for whom"] += 1
                if not all(self._precedes(name, node, names) for name in names):
                    told = self.layout.numbers.name(t)
                    raise Broken(f"{told} waits for {node} with {', '.join(sorted(names))}")

    def _precedes(self, name: str, node: str, names: set[str]) -> bool:
        first, second = self.rank.get(name), self.rank.get(node)
        if first is None or second is None:
            return False
        return first < second or (first == second and self.order[first].gate in names)


def audit_lock_order(program: Program, certificate: LockOrderCertificate) -> LockOrderMonitor:
    """The monitor of a proof by an order of locks."""
    return LockOrderMonitor(program, certificate)
