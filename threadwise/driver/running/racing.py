"""A portfolio of engines side by side: each in a process of its own, which continues in its turn.

    worker (loaded program) ── fork ──▶ engine, in a `Lane`
            │       ▲                      │  waits in `Meter.check` when its grant is spent
            ▼       └── what was checked ──┘
    supervisor: what was decided, as it comes

Engines take turns in rounds, in the order of the plan. A turn is a grant of steps; up to `jobs`
engines have one at a time. Nothing is done twice: an engine continues where it waited, and gets
the results of others with its next grant. Its process checks its evidence, for as long as that
takes, before it reports anything.

Results are taken in the order of turns. So the first engine of the plan wins, not the one that
the machine favours, and if there is a step limit the whole output is the same for every number of
jobs: then grants are shared out when a round begins, and the next round begins when all of them
are over (`exact`). Without one, a result waits only briefly for engines before it, rounds
overlap, and an engine whose steps take far longer than they should is stopped; what a turn
took too long is compensated by skipped turns.

A process that crashes, or is ended for its memory, costs its engine and nothing else.
"""

from __future__ import annotations

import gc
import os
import selectors
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, repeat

from threadwise.core.budget import format_memory
from threadwise.core.errors import BudgetExhausted, Resource
from threadwise.core.processes.grants import Spent
from threadwise.core.processes.memory import proportional_bytes, resident_bytes_of, unwatched_s
from threadwise.core.processes.worker import Ending, EndingKind, Tag
from threadwise.core.progress import Progress, Started, Stopped
from threadwise.core.statistics import Name
from threadwise.driver.defects import contradiction, defect_of_ending
from threadwise.driver.running.lanes import Lane, News, Turn
from threadwise.driver.running.messages import (
    Blocked,
    Decided,
    Defective,
    Idle,
    Known,
    Located,
    Paused,
    Tried,
    Vacuous,
    Witnessed,
)
from threadwise.driver.running.work import Work
from threadwise.engines.api import Undecided
from threadwise.engines.auto import FIRST_GRANTS, GRANT, steps_within
from threadwise.engines.features import Feature, features_of, is_crowd
from threadwise.engines.plan import WITH_GOALS, refusal, row_of
from threadwise.engines.registry import EngineInfo
from threadwise.ir.properties import RaceProperty
from threadwise.results.blockers import Nearness
from threadwise.results.result import Attempt, ProvedInPart
from threadwise.results.verdict import Verdict

PATIENCE_S = 0.3
"""So long a result waits for engines that come before it in the plan."""

OVERRUN = 3
"""An engine is stopped that takes so many times as long over its grant as it should."""

LEAST_OVERRUN_S = 1.0
"""But not before so long."""

FIRST_ROUND_S = 0.25
"""So much processor time an engine of the first two rounds may use before others go on with the
next round, though there may be an idle core."""

HOLD_S = 2.0
"""So long at most others wait while evidence for all that is open is being checked: hardly ever
are they needed after that."""

TIMES_S = 0.5
"""How often it is told how long engines were at work."""

SPARE = 0.75
"""Engines that wait with more than their share are ended when this part of the limit is used."""

TIGHT = 0.9
"""Engines at work as well when this part is."""

_POLL_S = 0.05
_CHUNK = 1 << 20


class Race:
    """Decides what is open in some work, with several engines at a time."""

    def __init__(
        self,
        work: Work,
        engines: Sequence[EngineInfo],
        *,
        jobs: int,
        memory_bytes: int | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self.work = work
        self.exact = work.meter.budget.steps is not None
        features = features_of(work.program)
        crowds = any(map(is_crowd, work.program.templates))
        self.searches_decide = not crowds and Feature.NUMBERS not in features
        if jobs > 1 and not self.exact:
            features |= {Feature.CORES}
        if any(isinstance(checked, RaceProperty) for checked in work.open.values()):
            features |= {Feature.RACES}
        self.refused: dict[str, str] = {}
        """Engines that are left out, and why."""
        self.lanes: list[Lane] = []
        for info in engines:
            reason = refusal(info.name, features, work.open.values())
            if reason is not None:
                self.refused[info.name] = reason
            elif info.name not in work.broken:
                self.lanes.append(Lane(info, row_of(info.name, features)))
        self.lanes.sort(key=lambda lane: lane.row.place)
        self.jobs = jobs
        self.memory_bytes = memory_bytes
        self.patience_s = patience_s
        self.rounds = self._rounds()
        self.agenda: deque[tuple[Lane, int, float]] = deque()
        """The engines still to have a turn in this round: with how many steps, for how long."""
        self.verdicts: dict[str, tuple[Verdict, str]] = {}
        """What was decided, and by which engine."""
        self.news = self._latest()
        self.turns: list[Turn] = []
        """Turns not yet taken to their end, in the order in which they began."""
        self.last: Turn | None = None
        """The turn in which the last property was decided."""
        self.rounds_begun = 0
        self.selector = selectors.DefaultSelector()
        self.next_times = time.monotonic() + TIMES_S
        self.next_look_at_memory = time.monotonic() + unwatched_s(memory_bytes or 0)

    def run(self) -> None:
        """Let the engines take turns until nothing is open, or no engine continues."""
        gc.freeze()  # pages that the garbage collector visits would be copied
        try:
            while self.work.goes_on:
                self._begin_turns()
                if not self.turns:
                    break
                self._receive()
                self._take()
                self._stop_overdue()
                self._look_at_memory()
                self._tell_times()
            self._hear_out()
            self._tell_refused()
        finally:
            self._close()
            gc.unfreeze()
        self.work.list_locations()
        self.work.give_up()

    # -- turns ----------------------------------------------------------------------------------

    def _rounds(self) -> Iterator[list[tuple[Lane, int, float]]]:
        for number, grant in enumerate(chain(FIRST_GRANTS, repeat(GRANT))):
            agenda: list[tuple[Lane, int, float]] = []
            left = self._steps_left()
            going = [lane for lane in self.lanes if not lane.ended]
            early = [lane for lane in going if lane.row.joins <= number]
            for lane in early or going:
                least = WITH_GOALS.get(lane.info.name, 0) if any(self.work.goals.values()) else 0
                microseconds = grant * max(lane.row.weight, least)
                if not self.exact and lane.sits_out(microseconds / 1e6):
                    continue
                steps = steps_within(lane.info, self.work.program, microseconds)
                if left is not None:
                    steps = min(steps, left)
                    left -= steps
                    if not steps:
                        break
                agenda.append((lane, steps, microseconds / 1e6))
            yield agenda

    def _steps_left(self) -> int | None:
        """How many steps may still be granted. Raises BudgetExhausted if there are none."""
        limit = self.work.meter.budget.steps
        if limit is None:
            return None
        left = limit - self.work.meter.steps - sum(lane.steps for lane in self.lanes)
        if left <= 0:
            raise BudgetExhausted(f"step limit of {limit} reached", Resource.STEPS)
        return left

    def _latest(self) -> News:
        return News(
            dict(self.work.open),
            dict(self.work.facts),
            dict(self.work.located),
            dict(self.work.goals),
            frozenset(self._refuted()),
        )

    def _refuted(self) -> Iterator[str]:
        """What was decided with a violation."""
        for name, (verdict, _) in self.verdicts.items():
            if verdict is Verdict.UNSAFE:
                yield name

    def _begin_turns(self) -> None:
        while not self._holds() and sum(not turn.over for turn in self.turns) < self.jobs:
            entry = self._searcher() or self._next()
            if entry is None:
                return
            self._begin(*entry)

    def _holds(self) -> bool:
        """Whether all that is open is about to be decided; no other engine begins a turn then.

        While evidence is checked, engines that come later wait. A search that seems to be near its
        end may find more: others that are at work use up their grants beside it.
        """
        if self.exact:
            return False
        names = self.work.open
        places = (k for k, turn in enumerate(self.turns) if turn.answers(names, HOLD_S))
        first = next(places, None)
        if first is None:
            return any(map(self._ends_soon, self.turns))
        for turn in self.turns[first + 1 :]:
            if not turn.over and not turn.claimed:
                self._stop(turn)
        return True

    def _ends_soon(self, turn: Turn) -> bool:
        """Whether an engine at work is a search that decides everything in a moment."""
        return self.searches_decide and not turn.over and turn.lane.is_about_to_end()

    def _searcher(self) -> tuple[Lane, int, float] | None:
        """A search that waits for its turn though it decides everything in a moment."""
        for lane in self.lanes if self.searches_decide and not self.exact else ():
            if lane.turn is None and lane.is_about_to_end():
                steps = steps_within(lane.info, self.work.program, GRANT)
                return lane, steps, GRANT / 1e6
        return None

    def _stop(self, turn: Turn) -> None:
        """Let an engine go no further until its next turn."""
        lane = turn.lane
        lane.stop()
        self.work.send(Paused(lane.info.name, lane.steps, lane.time_s))
        lane.end_turn()

    def _next(self) -> tuple[Lane, int, float] | None:
        """The engine whose turn it is, if any."""
        while True:
            for entry in self.agenda:
                lane = entry[0]
                if lane.turn is None and not lane.ended:
                    self.agenda.remove(entry)
                    return entry
            waiting = [lane for lane in self.lanes if lane.turn is None and not lane.ended]
            if not waiting or (self.turns and not self._overlap()):
                return None
            self.agenda = deque(next(self.rounds))
            self.rounds_begun += 1
            self.news = self._latest()

    def _overlap(self) -> bool:
        """Whether a round may begin before the turns of the last one are over.

        The first ones are short, and decide most small programs: what joins later takes processor
        time to load.
        """
        if self.exact:
            return False
        early = self.rounds_begun <= len(FIRST_GRANTS)
        return not early or any(turn.lasts(FIRST_ROUND_S) for turn in self.turns)

    def _begin(self, lane: Lane, steps: int, nominal_s: float) -> None:
        lane.due_s += nominal_s
        lane.turn = Turn(lane, max(LEAST_OVERRUN_S, OVERRUN * nominal_s))
        self.turns.append(lane.turn)
        news = self.news if self.exact else self._latest()
        if lane.process is None:
            self.work.send(Started(lane.info.name))
            others = [each for other in self.lanes for each in other.descriptors]
            process = lane.fork(self.work, news, others)
            self.selector.register(process.messages, selectors.EVENT_READ, lane)
        with suppress(BrokenPipeError):  # its end will be read soon
            lane.grant(steps, news)

    def _stop_overdue(self) -> None:
        """Let others have a turn if an engine does not finish its steps."""
        if self.exact:
            return
        for turn in self.turns:
            lane = turn.lane
            if turn.overdue and any(
                other is not lane and other.turn is None and not other.ended
                for other in self.lanes
            ):
                lane.look_at_time()
                self._stop(turn)

    def _tell_times(self) -> None:
        """How long engines were at work, for the report if time is up in the middle of a turn."""
        now = time.monotonic()
        if now < self.next_times:
            return
        self.next_times = now + TIMES_S
        for turn in self.turns:
            if not turn.over:
                turn.lane.look_at_time_again()
                self.work.send(Paused(turn.lane.info.name, turn.lane.steps, turn.lane.time_s))

    # -- messages of engines --------------------------------------------------------------------

    def _receive(self) -> None:
        for key, _ in self.selector.select(_POLL_S):
            lane = key.data
            assert isinstance(lane, Lane)
            assert lane.process is not None
            try:
                data = os.read(lane.process.messages, _CHUNK)
            except BlockingIOError:
                continue
            lane.reader.feed(data)
            for tag, message in lane.reader.frames():
                if tag is Tag.ENDING:
                    assert isinstance(message, Ending)
                    self._ended(lane, message)
                else:
                    self._hear(lane, message)
            if not data and not lane.ended:
                lane.process.end()
                self._ended(lane, lane.process.ending())

    def _hear(self, lane: Lane, message: object) -> None:
        match message:
            case Spent(steps, time_s):
                lane.steps, lane.time_s = steps, time_s
                self.work.send(Paused(lane.info.name, steps, time_s))
                lane.end_turn()
            case Progress():
                lane.look_at_search(message.waiting, message.counters.get(Name.STATES, 0))
                self.work.send(message)
            case Started() | Stopped():
                pass  # this process reports it
            case _:
                # An engine that was stopped may have sent something before.
                turn = lane.turn or Turn(lane, 0.0, over=True)
                if lane.turn is None:
                    self.turns.append(turn)
                if isinstance(message, Tried):
                    lane.steps, lane.time_s = message.steps, message.attempt.time_s
                turn.tell(message)

    def _ended(self, lane: Lane, ending: Ending) -> None:
        """An engine's process is at its end."""
        if ending.kind is not EndingKind.FINISHED:
            self._fail(lane, ending)
        self._drop(lane)

    def _fail(self, lane: Lane, ending: Ending) -> None:
        """An engine's process crashed: report it in its turn."""
        turn = lane.turn or Turn(lane, 0.0, over=True)
        if lane.turn is None:
            self.turns.append(turn)
        lane.look_at_time()
        name = lane.info.name
        defect = defect_of_ending(name, ending, self.work.open)
        reason = ending.reason if defect is None else defect.message
        if defect is not None:
            turn.tell(Defective(defect))
        nearness = Nearness.RESOURCE if defect is None else Nearness.DEFECT
        turn.tell(Blocked(name, Undecided(tuple(self.work.open), reason, nearness=nearness)))
        turn.tell(Tried(Attempt(name, round(lane.time_s, 3), reason), {}, lane.steps))

    def _drop(self, lane: Lane) -> None:
        if lane.process is not None:
            self.selector.unregister(lane.process.messages)
        lane.close()
        lane.end_turn()

    # -- taking it ------------------------------------------------------------------------------

    def _take(self) -> None:
        """Take messages, in the order of turns."""
        for turn in list(self.turns):
            while turn.messages and self.work.goes_on:
                self._digest(turn, turn.messages.popleft()[1])
            if not self.work.goes_on:
                self.last = turn
                return
            if turn.over:
                turn.lane.taken = turn.steps
                self.turns.remove(turn)
            elif not self._impatient():
                return

    def _impatient(self) -> bool:
        """Whether some result has waited for long enough."""
        if self.exact:
            return False
        latest = time.monotonic() - self.patience_s
        since = (turn.result_since for turn in self.turns)
        return any(at is not None and at <= latest for at in since)

    def _digest(self, turn: Turn, message: object) -> None:
        match message:
            case Decided():
                self._decide(turn, message)
            case Vacuous():
                if turn.accepted:
                    self.work.send(message)
            case Located(name, None):
                self.work.relocate({name: ()})
                self.work.send(message)
            case Located(name, ProvedInPart() as part):
                if name in self.work.open or name in self.work.racing:
                    self.work.locate(name, part)
                    self.work.send(message)
            case Witnessed() | Idle():
                self.work.send(message)
            case Blocked(engine, finding):
                self.work.note(engine, finding)
            case Known(facts):
                self.work.facts.update(facts)
            case Defective():
                self.work.broken.add(turn.lane.info.name)
                self.work.send(message)
            case Tried(attempt):
                self.work.send(message)
                self.work.send(Stopped(attempt.engine, attempt.outcome))
            case _:
                pass

    def _decide(self, turn: Turn, message: Decided) -> None:
        """Report what is not known yet. Checked evidence for the contrary is a defect."""
        for result in message.results:
            known = self.verdicts.get(result.name)
            if known is not None and known[0] is not result.verdict:
                self.work.send(Defective(contradiction(result, *known)))
        new = tuple(result for result in message.results if result.name in self.work.open)
        turn.accepted = bool(new)
        for result in new:
            self.verdicts[result.name] = result.verdict, turn.lane.info.name
        self.work.decide(replace(message, results=new))

    def _hear_out(self) -> None:
        """The engine that decided the last property sends its figures, if that is quick."""
        turn = self.last
        if turn is None:
            return
        deadline = time.monotonic() + self.patience_s
        while not turn.over and (self.exact or time.monotonic() < deadline):
            self._receive()
        while turn.messages:
            self._digest(turn, turn.messages.popleft()[1])
        turn.lane.taken = turn.steps

    # -- memory and the end ---------------------------------------------------------------------

    def _tell_refused(self) -> None:
        """Of engines that were left out, if that may be why something is open."""
        for name, reason in self.refused.items():
            if self.work.goes_on:
                self.work.note(name, Undecided(tuple(self.work.open), reason, applies=False))
            self.work.send(Tried(Attempt(name, 0.0, reason), {}))

    def _look_at_memory(self) -> None:
        """All engines share one limit: end the largest that wait, if need be one at work."""
        now = time.monotonic()
        if self.memory_bytes is None or now < self.next_look_at_memory:
            return
        pids = {lane: lane.process.pid for lane in self.lanes if lane.process is not None}
        used = sum(map(resident_bytes_of, (os.getpid(), *pids.values())))
        spare = int(SPARE * self.memory_bytes)
        sizes: dict[Lane, int] = {}
        if used > spare:  # shared pages were counted for each process
            sizes = {lane: proportional_bytes(pid) for lane, pid in pids.items()}
            used = proportional_bytes(os.getpid()) + sum(sizes.values())
        # Measuring takes time, too.
        taken = 20 * (time.monotonic() - now)
        unwatched = unwatched_s(spare - used)
        self.next_look_at_memory = now + max(_POLL_S, taken, unwatched)
        candidates: dict[Lane, int] = {}
        if used > spare:
            share = self.memory_bytes // len(self.lanes)
            waiting = {lane: size for lane, size in sizes.items() if lane.turn is None}
            candidates = {lane: size for lane, size in waiting.items() if size > share}
        if not candidates and used > TIGHT * self.memory_bytes:
            candidates = sizes
        if candidates:
            order = {lane: place for place, lane in enumerate(self.lanes)}
            largest = max(candidates, key=lambda lane: (candidates[lane], order[lane]))
            limit = format_memory(self.memory_bytes)
            told = f"memory limit of {limit} reached, with {format_memory(sizes[largest])} of it"
            self._fail(largest, Ending(EndingKind.MEMORY_LIMIT, told))
            self._drop(largest)

    def _tell_ended(self) -> None:
        """Of engines that came to their end when everything was decided already."""
        for turn in self.turns:
            for _, message in turn.messages:
                if isinstance(message, Tried):
                    if not self.exact:  # it may have come, or not
                        self.work.send(message)
                    self.work.send(Stopped(turn.lane.info.name, message.attempt.outcome))

    def _close(self) -> None:
        """End all engines, and report those that had a turn."""
        self._tell_ended()
        for lane in self.lanes:
            going = lane.process is not None
            self._drop(lane)
            if going and lane.taken is not None:
                told = f"stopped after {lane.taken:,} steps"
                attempt = Attempt(lane.info.name, round(lane.time_s, 3), told)
                self.work.send(Tried(attempt, {}, lane.taken))
            if going:
                self.work.send(Stopped(lane.info.name))
        self.selector.close()
        self.work.meter.count(sum(lane.taken or 0 for lane in self.lanes))
