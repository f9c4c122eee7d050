"""An engine in a process of its own, as `racing` sees it: its turns and its messages."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping

from threadwise.core.processes.forked import Worker, fork_worker
from threadwise.core.processes.grants import Grant, GrantedMeter, Orders, Spent
from threadwise.core.processes.memory import processor_s
from threadwise.core.processes.worker import FrameReader, Send
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.driver.running.messages import Checked, Claimed, Decided, Known
from threadwise.driver.running.work import Work
from threadwise.engines.api import Goal
from threadwise.engines.plan import Row
from threadwise.engines.registry import EngineInfo
from threadwise.ir.properties import Property
from threadwise.ir.quantities import LinearInvariant
from threadwise.proofs.base.locations import Location


@dataclass(frozen=True)
class News:
    """What is open and known when a turn begins."""

    open: Mapping[str, Property]
    facts: Mapping[str, tuple[LinearInvariant, ...]]
    located: Mapping[str, tuple[Location, ...]] = field(default_factory=dict)
    goals: Mapping[str, tuple[Goal, ...]] = field(default_factory=dict)
    refuted: frozenset[str] = frozenset()
    """Properties that are violated."""


SEARCH_S = 0.5
"""So long a search in machine code is waited for in any case."""

COMPILES = 1.0
"""The share of states that a search still has to visit while it is being compiled."""

LOOK_S = 0.1
"""How often it is found out how long an engine was at work: that takes time, too."""

FEW_WAIT, LONG_SEARCH_S = 0.25, 6.0
"""So long if no more than this share of the states that it has found wait to be visited."""

WIDE = 1_000
"""But only if so many waited once: where numbers grow for long, the same few always wait."""

CHECK = 2
"""Hardly any evidence takes more than so many times as long to check as to find."""

ASLEEP = 10
"""An engine that uses no processor time may take so many times as long."""


@dataclass
class Turn:
    """An engine with a grant, and its messages since."""

    lane: Lane
    allowed_s: float
    """How long it may take."""
    began: float = field(default_factory=time.monotonic)
    used_before: float = field(init=False)
    """How long its engine was at work before."""
    messages: deque[tuple[float, object]] = field(default_factory=deque)
    over: bool = False
    steps: int = 0
    """How many steps the engine had taken at its end."""
    claimed: bool = False
    """Whether evidence is being checked: others wait for that."""
    claims: frozenset[str] = frozenset()
    """What that evidence decides."""
    claimed_at: float = 0.0
    used_to_claim: float = 0.0
    """How long its engine had been at work when it had that evidence."""
    accepted: bool = False
    """Whether the last thing it decided was not known yet."""

    def __post_init__(self) -> None:
        self.used_before = self.lane.time_s

    def tell(self, message: object) -> None:
        """Keep a message until it is taken."""
        match message:
            case Claimed(_, properties):
                self.claimed = True
                self.claims = frozenset(properties)
                self.claimed_at = time.monotonic()
                self.lane.look_at_time()
                self.used_to_claim = self.lane.time_s
            case Checked():
                self.claims = frozenset(self._decided())
            case _:
                self.messages.append((time.monotonic(), message))

    def _decided(self) -> Iterator[str]:
        """What was decided and is not taken yet."""
        for _, message in self.messages:
            if isinstance(message, Decided):
                yield from (result.name for result in message.results)

    def answers(self, names: Collection[str], within_s: float) -> bool:
        """Whether there is evidence for all of these, since not longer than that.

        Or not longer than it takes to check what took so long to find.
        """
        if not self.claims.issuperset(names):
            return False
        allowed = max(within_s, CHECK * self.used_to_claim)
        waited = time.monotonic() - self.claimed_at
        if waited < allowed:
            return True
        self.lane.look_at_time()
        return self.lane.time_s - self.used_to_claim < allowed and waited < ASLEEP * allowed

    @property
    def result_since(self) -> float | None:
        """When the first result arrived that was not taken yet."""
        return next((at for at, each in self.messages if isinstance(each, Decided)), None)

    @property
    def overdue(self) -> bool:
        """Whether it takes far too long: processor time, so that other work does not count."""
        return not self.claimed and self.lasts(self.allowed_s)

    def lasts(self, allowed_s: float) -> bool:
        """Whether it is not over after so much processor time, or asleep for much longer."""
        waited = time.monotonic() - self.began
        if waited <= allowed_s or self.over:
            return False
        self.lane.look_at_time_again()
        return self.lane.time_s - self.used_before > allowed_s or waited > ASLEEP * allowed_s


@dataclass(eq=False)
class Lane:
    """An engine that takes turns."""

    info: EngineInfo
    row: Row = field(default_factory=Row)
    """How it takes part."""
    process: Worker | None = None
    orders: Orders | None = None
    reader: FrameReader = field(default_factory=FrameReader)
    turn: Turn | None = None
    """The turn it has now."""
    stopped: bool = False
    """Whether it was stopped in the middle of a grant."""
    ended: bool = False
    steps: int = 0
    time_s: float = 0.0
    """Its processor time, as far as it is known."""
    waiting: float | None = None
    """If it is a search in machine code: the share of states that it still has to visit."""
    most_waiting: float = 0.0
    """How many these were at most."""
    searching_since: float = 0.0
    """How long it had been at work when that began."""
    next_look: float = 0.0
    """When to find out again how long it has been at work."""
    due_s: float = 0.0
    """How long its turns should have taken together."""
    used_s: float = 0.0
    """How long they took."""
    taken: int | None = None
    """Its steps when the messages of some turn were last taken."""

    def sits_out(self, nominal_s: float) -> bool:
        """Whether it took so much longer than it should that it lets a turn pass."""
        if self.used_s - self.due_s <= nominal_s:
            return False
        self.due_s += nominal_s
        return True

    def look_at_search(self, waiting: float | None, states: float = 0.0) -> None:
        """Note how far a search in machine code has come: the share that waits of its states."""
        if waiting is None:
            return
        if self.waiting is None or self.waiting == COMPILES:
            self.look_at_time()
            self.searching_since = self.time_s
        self.waiting = waiting
        if waiting != COMPILES:
            self.most_waiting = max(self.most_waiting, waiting * states)

    def is_about_to_end(self) -> bool:
        """Whether a search in machine code is worth waiting for.

        At first it is, since most searches end then; later if few states are left to visit, for
        some time: what grows for long may look like that, too.
        """
        if self.waiting is None or self.ended:
            return False
        self.look_at_time_again()
        few = self.waiting <= FEW_WAIT and self.most_waiting >= WIDE
        allowed = LONG_SEARCH_S if few else SEARCH_S
        return self.time_s - self.searching_since < allowed

    def look_at_time_again(self) -> None:
        """Find out how long it was at work, unless that is known of a moment ago."""
        now = time.monotonic()
        if now >= self.next_look:
            self.next_look = now + LOOK_S
            self.look_at_time()

    @property
    def descriptors(self) -> list[int]:
        """The ends of pipes that this process has to its process."""
        if self.process is None or self.orders is None:
            return []
        return [self.process.messages, self.process.lifeline, self.orders.writer]

    def fork(self, work: Work, news: News, others: list[int]) -> Worker:
        """Begin: the engine waits for its first grant."""
        self.orders = Orders()
        self.process = fork_worker(_job(self.info, self.orders, work, news), others=others)
        os.close(self.orders.reader)
        return self.process

    def grant(self, steps: int, news: News) -> None:
        """Let it go on, wherever it is."""
        assert self.process is not None
        assert self.orders is not None
        if self.stopped:
            self.stopped = False
            self.process.resume()
        else:
            self.orders.grant(Grant(steps, news))

    def stop(self) -> None:
        """Let it go no further for now, wherever it is."""
        assert self.process is not None
        self.stopped = True
        self.process.suspend()

    def end_turn(self) -> None:
        """It has to wait for its next turn."""
        if self.turn is not None:
            self.turn.over = True
            self.turn.steps = self.steps
            self.used_s += time.monotonic() - self.turn.began
            self.turn = None

    def close(self) -> None:
        """End the process."""
        self.ended = True
        if self.process is not None:
            self.process.end()
            self.time_s = max(self.time_s, self.process.used_s or 0.0)
            self.process.close()
            self.process = None
        if self.orders is not None:
            os.close(self.orders.writer)
            self.orders = None

    def look_at_time(self) -> None:
        """Find out how long it was at work, if it does not say so itself."""
        if self.process is not None:
            used = self.process.used_s
            self.time_s = max(self.time_s, processor_s(self.process.pid) if used is None else used)


def _job(info: EngineInfo, orders: Orders, work: Work, news: News) -> Callable[[Send], None]:
    """What the process does: run the engine, and check its evidence."""

    def job(send: Send) -> None:
        os.close(orders.writer)
        told = len(news.facts)

        def wait(spent: Spent) -> Grant:
            nonlocal told
            if len(work.facts) > told:
                told = len(work.facts)
                send(Known(dict(work.facts)))
            send(spent)
            return orders.wait()

        def hear(latest: object) -> None:
            assert isinstance(latest, News)
            settled = [name for name in work.open if name not in latest.open]
            work.settle(settled, latest.refuted)
            work.facts.update(latest.facts)
            work.relocate(latest.located)
            work.goals.update(latest.goals)

        work.relocate(news.located)
        work.goals.update(news.goals)
        work.open, work.facts = dict(news.open), dict(news.facts)
        work.send = send
        work.concludes = False
        work.meter = GrantedMeter(wait, hear, orders.wait().steps)
        work.attempt(info, None)

    return job
