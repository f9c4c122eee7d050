"""What a proof by persistent sets claims in a run.

    states    initial states are listed; where all threads count, so is what any of them leads to,
              where one is chosen, what that one leads to, and some of it further down
    choice    where one thread is chosen, what the others do before it moves does not touch what
              its next step touches, and its next step has the same effect before and after
    futures   what a thread touches was in its future in every state before, in this run

In free runs most states are not listed: there only the futures say something, and the choices of
listed states that were passed.
"""

from __future__ import annotations

from collections import Counter

from threadwise.core.errors import Unsupported
from threadwise.ir.layout import cells_of
from threadwise.ir.program import Program
from threadwise.ir.types import ArrayType, PerThread
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.touched import touched
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.semantics.evaluate import Region, Undefined
from threadwise.semantics.memory import canonical
from threadwise.semantics.recorded_moves import follow
from threadwise.semantics.state import GlobalStore, LocalStore, Move, State
from threadwise.semantics.step import Access, Interpreter, Transition

LISTED = "states that are chosen are listed"
ONWARDS = "a chosen thread leads on in the list"
UNTOUCHED = "a chosen step touches nothing that others touch before it"
COMMUTES = "a chosen step has the same effect before and after others"
FUTURES = "threads touch what their futures say"

MOST = 64
"""Where a thread has more next steps than this, orders are not tried."""


def audit_persistent(program: Program, certificate: PersistentCertificate) -> PersistentMonitor:
    """What watches runs."""
    return PersistentMonitor(program, certificate)


class PersistentMonitor:
    """Watches free runs and runs that go where the proof would."""

    def __init__(self, program: Program, certificate: PersistentCertificate) -> None:
        self.evaluated: Counter[str] = Counter(
            dict.fromkeys((LISTED, ONWARDS, UNTOUCHED, COMMUTES, FUTURES), 0)
        )
        if all(thread == -1 for thread in certificate.chosen):
            for claim in (ONWARDS, UNTOUCHED, COMMUTES):
                del self.evaluated[claim]
        self._program = program
        self._interpreter = Interpreter(program)
        self._declared = len(program.globals)
        self._places = {
            canonical(state, self._declared): place
            for place, state in enumerate(certificate.states)
        }
        self._chosen = certificate.chosen
        self._futures = certificate.futures
        self._regions = _regions(self._interpreter)
        self._allowed: list[tuple[int, int]] = []
        """Per thread, what all its futures so far have in common."""
        self._passed: dict[int, list[Access]] = {}
        """By thread that was chosen and has not moved since, what its next step touches."""
        self._next: dict[State, list[Access]] = {}
        """The same for each listed state that was visited."""
        self._known: dict[tuple[GlobalStore, LocalStore, Move], list[Access]] = {}

    def only(self, state: State) -> int | None:
        """The chosen thread."""
        place = self._places.get(canonical(state, self._declared))
        chosen = -1 if place is None else self._chosen[place]
        return None if chosen == -1 else chosen

    def start(self, state: State) -> None:
        """Initial states are listed."""
        self.evaluated[LISTED] += 1
        if canonical(state, self._declared) not in self._places:
            raise Broken(f"it does not list the initial state {state}")
        self._allowed = [(-1, -1) for _ in state.locals]
        self._passed = {}
        self._pass(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A step of any thread."""
        accesses = self._touched(before, move)
        self._check_future(move.thread, accesses)
        self._passed.pop(move.thread, None)
        for thread, touches in self._passed.items():
            self._check_untouched(thread, touches, move, accesses)
        place = self._places.get(canonical(before, self._declared))
        if place is not None and self._chosen[place] in (-1, move.thread):
            self.evaluated[LISTED] += 1
            if canonical(after, self._declared) not in self._places:
                raise Broken(f"a step of thread {move.thread} leads to {after}, not listed")
        self._pass(after)

    # -- futures ---------------------------------------------------------------------------------

    def _pass(self, state: State) -> None:
        """Remember what is claimed of what comes later."""
        for thread, l in enumerate(state.locals):
            read, written = self._futures[thread][l.pc]
            for frame in state.stacks[thread]:
                target = self._program.edges[frame.call].target
                read |= self._futures[thread][target][0]
                written |= self._futures[thread][target][1]
            before = self._allowed[thread]
            self._allowed[thread] = before[0] & read, before[1] & written
        place = self._places.get(canonical(state, self._declared))
        if place is not None and self._chosen[place] != -1:
            self._choose(state, place, self._chosen[place])

    def _check_future(self, thread: int, accesses: list[Access]) -> None:
        read, written = self._allowed[thread]
        for access in accesses:
            self.evaluated[FUTURES] += 1
            region = self._regions[-1]
            if access.cell.region is Region.GLOBAL:
                region = self._regions[access.cell.slot]
            if not region & (written if access.write else read):
                raise Broken(f"thread {thread} touches {access.cell}, not in its future")

    # -- choices ---------------------------------------------------------------------------------

    def _choose(self, state: State, place: int, chosen: int) -> None:
        """A listed state with a chosen thread."""
        touches = self._next.get(state)
        if touches is None:
            known = self._offered(state, chosen)
            self._check_onwards(known, place, chosen)
            self._check_orders(state, chosen, known)
            found = [a for t in known for a in self._touched(state, t.move)]
            touches = [a for a in dict.fromkeys(found) if a.cell.region is Region.GLOBAL]
            self._next[state] = touches
        self._passed[chosen] = touches

    def _touched(self, before: State, move: Move) -> list[Access]:
        key = before.g, before.locals[move.thread], move
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = touched(self._interpreter, before, move)
        return found

    def _offered(self, state: State, thread: int) -> list[Transition]:
        """What a thread can do; nothing if that is too much to list."""
        found: list[Transition] = []
        try:
            for transition in self._interpreter.thread_successors(state, thread):
                found.append(transition)
                if len(found) > MOST:
                    return []
        except (Undefined, Unsupported):
            return []
        return found

    def _check_onwards(self, known: list[Transition], place: int, chosen: int) -> None:
        if known:
            self.evaluated[ONWARDS] += 1
            places = [self._places.get(canonical(t.state, self._declared), -1) for t in known]
            if max(places) <= place:
                raise Broken(f"thread {chosen}, chosen in state {place}, only leads back")

    def _check_orders(self, state: State, chosen: int, known: list[Transition]) -> None:
        """Both orders of a step of the chosen thread and one of another."""
        for other in self._interpreter.threads:
            if other == chosen:
                continue
            for theirs in self._offered(state, other):
                if self._interpreter.is_stopped(theirs.state):
                    continue
                for mine in known:
                    self.evaluated[COMMUTES] += 1
                    first = follow(self._interpreter, mine.state, theirs.move)
                    second = follow(self._interpreter, theirs.state, mine.move)
                    if first is None or first != second:
                        raise Broken(f"steps of threads {chosen} and {other} do not commute")

    def _check_untouched(
        self, thread: int, touches: list[Access], move: Move, accesses: list[Access]
    ) -> None:
        self.evaluated[UNTOUCHED] += 1
        for theirs in accesses:
            for mine in touches:
                if mine.cell == theirs.cell and (mine.write or theirs.write):
                    raise Broken(
                        f"thread {move.thread} touches {mine.cell} before thread {thread}, "
                        "which was chosen"
                    )


def _regions(interpreter: Interpreter) -> list[int]:
    """The bit of each shared cell: one per variable, or per thread's cell; the heap's last."""
    numbers = interpreter.layout.numbers
    found: list[int] = []
    bit = 1
    for declaration in interpreter.program.globals:
        cells = list(cells_of(declaration.variable, numbers))
        held = declaration.variable.type
        parts = 1
        if isinstance(held, ArrayType) and isinstance(held.extent, PerThread):
            parts = len(numbers.ranges[held.extent.template])
        for _ in range(parts):
            found += [bit] * (len(cells) // parts)
            bit <<= 1
    return [*found, bit]
