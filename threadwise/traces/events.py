"""What has to happen in the machine, and what is to be seen then: a schedule as data.

event      thread, what (read, write, lock, …), where, which variable, which value
input      the value that a call gets from outside, such as `__VERIFIER_nondet_int()`
end        what is to be seen when all events have happened, and which threads then run freely
"""

from __future__ import annotations

from enum import Enum

from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.ir.commands import OperationKind
from threadwise.ir.program import LocId, Program
from threadwise.traces.occurrences import Occurrence


class Action(Enum):
    """What an event does."""

    READ = "reads"
    WRITE = "writes"
    SYNCHRONISE = "synchronises"
    ACQUIRE = "acquires"
    RELEASE = "releases"
    SPAWN = "starts a thread"
    JOIN = "joins a thread"
    BEGIN = "begins"
    FINISH = "ends"


@dataclass(frozen=True)
class Event:
    """One thing that has to happen."""

    step: int
    """The number of the step of the trace, from 1."""
    thread: int
    action: Action
    span: Span
    instance: int
    """Events of one visit to one stretch of source have the same number."""
    variable: str | None = None
    """The variable of the program, if it has a name and is one number."""
    whole: bool = False
    """Whether the variable is nothing but this cell."""
    value: int | None = None
    """What is read or written, where that is a number."""
    child: int | None = None
    """The thread that is started or joined."""
    holds: bool = False
    """Whether the thread stops before it: the last access of a race."""
    supplies: bool = False
    """Whether the value is chosen here: memory that was never written."""
    result: int | None = None
    """What the call returns, where the trace says it."""
    text: str = ""
    """The statement, as the user wrote it."""
    cell: str | None = None
    """What is accessed, as the user would write it."""
    key: str | None = None
    """A name that identifies a cell, also those of the thread library."""
    shown: str | None = None
    """The value, as the user would write it."""
    held: tuple[str, ...] = ()
    """The locks that the thread holds afterwards."""
    parts: tuple[Event, ...] = ()
    """The accesses of an operation, in case it is no single one in the machine."""
    occurrence: int = -1
    """The number of the edge in the run."""
    operation: OperationKind | None = None
    frees: str | None = None
    """The object whose life it ends."""


@dataclass(frozen=True)
class Input:
    """A value from outside."""

    step: int
    thread: int
    span: Span
    value: int
    text: str = ""
    """The statement that it is for."""
    instance: int = 0
    """The visit to the statement, as for events."""


class EndKind(Enum):
    """What there is to be seen in the end."""

    ASSERTION = "assertion"
    RACE = "race"
    DEADLOCK = "deadlock"
    MISUSE = "misuse"
    MEMORY = "memory"


@dataclass(frozen=True)
class EndRow:
    """What one thread has to do with the violation."""

    thread: int
    span: Span | None
    text: str
    """The statement it is at."""
    what: str
    """What it does there, or what it waits for."""
    held: tuple[str, ...] = ()
    """The locks it holds."""


@dataclass(frozen=True)
class End:
    """What is to be seen, of which threads and where."""

    kind: EndKind
    threads: tuple[int, ...]
    spans: tuple[Span | None, ...]
    message: str = ""
    rows: tuple[EndRow, ...] = ()
    why: str = ""
    """Why it is a violation, in a sentence."""
    taken: tuple[tuple[int, Span], ...] = ()
    """Who got, and where, what others wait for in a deadlock."""
    objects: tuple[str, ...] = ()
    """What is waited for in a deadlock and held by no thread."""


@dataclass(frozen=True)
class Reached:
    """How the violation hangs together with the run."""

    failing: int | None = None
    """The occurrence that fails."""
    occurrences: tuple[int, ...] = ()
    """Those that race."""
    places: tuple[tuple[int, int, LocId], ...] = ()
    """Where threads wait: thread, depth and location."""


@dataclass(frozen=True)
class Allocated:
    """A heap object under the name that it has in the story."""

    name: str
    type: str
    line: int | None


@dataclass(frozen=True)
class Schedule:
    """What has to happen, and what is to be seen then."""

    events: tuple[Event, ...]
    inputs: tuple[Input, ...]
    end: End
    threads: tuple[str, ...]
    program: Program
    run: tuple[Occurrence, ...] = ()
    reached: Reached = Reached()
    objects: tuple[Allocated, ...] = ()

    @property
    def last_step(self) -> int:
        """The last step of the trace that asks something of the machine, from 1."""
        steps = (*(e.step for e in self.events), *(given.step for given in self.inputs))
        return max(steps, default=1)


class NoScheduleError(Exception):
    """The trace is of a kind that cannot be run."""
