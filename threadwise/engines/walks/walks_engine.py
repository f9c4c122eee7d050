"""Walks: single runs from the start under many schedules, to find errors that lie deep.

    INIT   an initial state
    STEP   the thread that the order of the walk puts first and that can step, one of its steps by
           lot (`threadwise.systems.drawn`); PUSH and POP likewise

Nothing is remembered but the walk itself, so a walk of thousands of steps costs that many, however
many interleavings there are. Errors that need few switches, or a few threads in unfortunate
places, show soon; nothing is proved. The same numbers are drawn every time, so answers are
repeatable. A race is checked for where the thread that just moved is about to touch what another
one was about to touch when it moved last; then the whole state is checked.

If other engines left goals (`threadwise.engines.walks.aims`), most walks are directed to one of
them: two accesses that may race. All goals are tried in turn, for a while also after the first
violation: each is another location with a race.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.engines.api import Finding, Goal, Task, Undecided, Violated
from threadwise.engines.walks.aims import Aim
from threadwise.engines.walks.orders import Lots
from threadwise.engines.walks.outlook import outlook_of
from threadwise.engines.walks.walk import PASSING, WEARY, Disputed, Walk
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.systems.concrete import ConcreteSystem
from threadwise.systems.drawn import DrawnSteps
from threadwise.systems.samples import sample_values
from threadwise.traces.trace import Trace

WALKS = 3_000
"""After so many walks the engine gives up."""
LONGEST_MORE = 1_000
"""So many if all properties are violated already: a walk then shows one more location."""
PLAIN_SHARE = 2
"""So many steps of walks with an aim come on one of those without, which are mostly shorter."""
MORE_WALKS = 60
"""So many walks without a violation are made for further goals once there is one."""
SAMPLES = 64
"""So many values are tried for inputs that have too many to try all."""
NOTHING = "none of many runs shows a violation"
MOST_DOUBTS = 200
"""After so many violations in doubt the search is given up."""


class WalksEngine:
    """Finds violations along single runs."""

    name = "walks"

    def run(self, task: Task) -> Iterator[Finding]:
        """Walk until all properties are violated, or often enough."""
        counts = {
            template.name: task.options.max_instances
            for template in task.program.templates
            if template.count is None
        }
        whole = program_hash(task.program)
        program = task.program.with_counts(counts) if counts else task.program
        samples = sample_values(program, SAMPLES)
        system = ConcreteSystem(program, samples)
        open_ = {checked.name: checked for checked in task.properties}
        disputed, outlook = Disputed(), outlook_of(program)
        drawn = DrawnSteps(system, Lots(0).below)
        aims = _Aims(program, task)
        doubts = 0
        visited: set[EdgeId] = set()
        for number in range(WALKS):
            properties = tuple(p for p in task.properties if p.name in open_ or aims.of(p.name))
            walk = Walk(task, drawn, properties, number, disputed, outlook)
            walk.aim = aims.next(number)
            walk.directed = aims.is_directed(walk.aim)
            walk.passing = PASSING[aims.aimed % len(PASSING)]
            walk.weary = WEARY[aims.aimed // 2 % len(WEARY)]
            if not open_:
                walk.longest = LONGEST_MORE
            for name in walk.run():
                goal = aims.shown(name, walk)
                if goal is None and name not in open_:
                    continue
                checked = open_.pop(name, None)
                moves = walk.shortened(name)
                initial = system.reference_state(walk.start).g.cells
                trace = Trace(whole, name, initial, moves, counts, samples or ())
                task.doubted.discard(name)
                yield Violated(trace, goal)
                if name in task.doubted and checked is not None and doubts < MOST_DOUBTS:
                    doubts += 1
                    open_[name] = checked
            aims.took(walk)
            if walk.is_news(visited):
                drawn.led_on()
            if not open_ and aims.is_over(number):
                return
        yield Undecided(tuple(open_), NOTHING, applies=False)


class _Aims:
    """The goals of a task, each in its turn until it is shown."""

    def __init__(self, program: Program, task: Task) -> None:
        self.program = program
        self.task = task
        self.open: dict[str, list[Aim]] = {}
        self.given: dict[str, tuple[Goal, ...]] = {}
        self.last: int | None = None
        """When a violation was shown last."""
        self.latest = 0
        self.aimed = 0
        """How many walks had an aim."""
        self.steps = {True: 0, False: 0}
        """How many steps walks took that had an aim, and those that had none."""

    def of(self, name: str) -> list[Aim]:
        """What is not shown yet of a property that is violated already."""
        return self.open.get(name, []) if self.last is not None else []

    def next(self, number: int) -> Aim | None:
        """What a walk aims at."""
        self.latest = number
        self._hear()
        left = [aim for aims in self.open.values() for aim in aims]
        if not left or self.steps[False] * PLAIN_SHARE < self.steps[True]:
            return None
        return left[self.aimed % len(left)]

    def took(self, walk: Walk) -> None:
        """Count the steps of a walk."""
        self.steps[walk.aim is not None] += len(walk.moves)

    def is_directed(self, aim: Aim | None) -> bool:
        """Whether a walk with an aim goes straight there: every other one, the first included."""
        self.aimed += aim is not None
        return aim is not None and self.aimed % 2 == 1

    def _hear(self) -> None:
        """Others may leave goals while walks are made."""
        for checked in self.task.properties:
            given = self.task.goals.get(checked.name, ())
            if given is not self.given.get(checked.name):
                self.given[checked.name] = given
                self.open[checked.name] = [Aim(self.program, goal) for goal in given]

    def shown(self, name: str, walk: Walk) -> str | None:
        """The goal that a walk came to, with all that are about the same."""
        aim = walk.aim
        if aim is None or not walk.is_at_goal() or aim not in self.open.get(name, ()):
            self.last = self.latest if self.last is None else self.last
            return None
        self.last = self.latest
        goal = aim.goal.name
        self.open[name] = [other for other in self.open[name] if other.goal.name != goal]
        return goal

    def is_over(self, number: int) -> bool:
        """Whether what is left was tried often enough since the last violation."""
        left = sum(map(len, self.open.values()))
        return not left or self.last is None or number - self.last > MORE_WALKS
