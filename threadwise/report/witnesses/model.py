"""What a witness says, as data.

A violation witness is a list of segments. Executions that it represents pass the waypoints to be
followed in this order, and meanwhile none that is to be avoided. The last segment has the targets:
one where the violation happens, or both accesses of a race.

A correctness witness is a set of invariants, C expressions that hold wherever a thread is at a
place, and ghosts: variables that the invariants may mention and that change together with
statements, as `m_locked = 1` with `pthread_mutex_lock(&m)`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

CREATION = "function_enter"
"""The waypoint at a call that starts a thread: the n-th one names thread n."""


@dataclass(frozen=True)
class Location:
    """A place in a source file; without a column, the first one in the line that fits."""

    file_name: str
    line: int
    column: int | None = None
    function: str | None = None


class WaypointKind(Enum):
    """What has to happen at a waypoint."""

    ASSUMPTION = "assumption"
    BRANCHING = "branching"
    FUNCTION_ENTER = CREATION
    FUNCTION_RETURN = "function_return"
    TARGET = "target"


@dataclass(frozen=True)
class Waypoint:
    """A place to pass, or to avoid."""

    kind: WaypointKind
    location: Location
    follow: bool = True
    constraint: str | None = None
    """A C expression; for branchings, `true`, `false` or the value of a case."""
    thread: int | None = None
    """0 for `main`, n for the n-th thread that waypoints name; None: any thread."""


@dataclass(frozen=True)
class Segment:
    """Waypoints that must not be passed before the last ones are; those come in any order."""

    waypoints: tuple[Waypoint, ...]

    @property
    def followed(self) -> tuple[Waypoint, ...]:
        """What has to be passed."""
        return tuple(each for each in self.waypoints if each.follow)

    @property
    def avoided(self) -> tuple[Waypoint, ...]:
        """What must not be passed before."""
        return tuple(each for each in self.waypoints if not each.follow)


@dataclass(frozen=True)
class Invariant:
    """An expression that holds at a place, or whenever the condition of a loop is evaluated."""

    location: Location
    value: str
    loop: bool = False


@dataclass(frozen=True)
class GhostVariable:
    """A variable that only the witness has."""

    name: str
    type: str = "int"
    initial: str = "0"


@dataclass(frozen=True)
class GhostUpdate:
    """What becomes of ghosts together with the statement at a place."""

    location: Location
    changes: tuple[tuple[str, str], ...]
    """Variables and their values."""


@dataclass(frozen=True)
class Task:
    """What a witness is about."""

    input_files: tuple[str, ...]
    hashes: tuple[tuple[str, str], ...]
    """The SHA-256 of each file."""
    specification: str
    data_model: str = "LP64"


@dataclass(frozen=True)
class ViolationWitness:
    """Executions that violate a property."""

    task: Task
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class CorrectnessWitness:
    """Why a property holds, as far as the format can say it."""

    task: Task
    invariants: tuple[Invariant, ...]
    ghosts: tuple[GhostVariable, ...] = ()
    updates: tuple[GhostUpdate, ...] = ()


Witness = ViolationWitness | CorrectnessWitness


@dataclass(frozen=True)
class Specification:
    """A property that the format has a name for."""

    kind: str
    """The kind of our properties."""
    asked: str
    """How `--property` calls it."""
    formula: str = field(compare=False)


SPECIFICATIONS = (
    Specification("assertion", "assertions", "G ! call(reach_error())"),
    Specification("race", "races", "G ! data-race"),
)
"""What the format can be about, of what we check."""
