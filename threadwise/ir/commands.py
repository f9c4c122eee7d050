"""What one edge of a control-flow graph does: one atomic action.

    Command    wait for the guard, then assign in parallel and havoc      (rule T)
    Allocate   a fresh heap object                                        (rule T)
    Free       the end of a heap object                                   (rule T)
    Call       push a frame; sees only the caller's own variables         (rule T+)
    Return     pop a frame; sees only the callee's own variables          (rule T-)

A parallel assignment evaluates every right-hand side and every index in the old state, then writes
from left to right; a `havoc` gives its place any value of its type.

An *operation* says what a command is for (acquiring a lock, joining a thread, …). It never changes
the meaning: that is in the command alone. Reports, the deadlock property and movers read it.
"""

from __future__ import annotations

from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import TRUE, Expr, Place
from threadwise.ir.hashing import Hashed, Listed, Remembering, hashed_once
from threadwise.ir.types import Type


@hashed_once
@dataclass(frozen=True, slots=True)
class Assignment(Hashed):
    """`target := value`; both evaluated in the old state."""

    target: Place
    value: Expr


@hashed_once
@dataclass(frozen=True, slots=True)
class Command(Remembering):
    """A guarded parallel assignment, with havocs."""

    guard: Expr = TRUE
    assignments: tuple[Assignment, ...] = ()
    havocs: tuple[Place, ...] = ()


@hashed_once
@dataclass(frozen=True, slots=True)
class Allocate(Remembering):
    """`target := address of a fresh object`; `site` names the statement that allocates.

    With `count` the object is an array of that many `object_type`; or one of these, with that many
    elements in the array without length at its end (`tail_of`). A negative count is undefined.
    Its cells are `UNSET`, or hold their types' defaults if `cleared`. One site has one type.
    """

    guard: Expr
    target: Place
    object_type: Type
    site: str
    count: Expr | None = None
    cleared: bool = True


@hashed_once
@dataclass(frozen=True, slots=True)
class Free(Remembering):
    """End the life of the heap object a pointer points to."""

    guard: Expr
    pointer: Expr


@hashed_once
@dataclass(frozen=True, slots=True)
class Call(Remembering):
    """Push: bind the arguments; the frame keeps the caller's locals and where to return.

    The guard, the arguments and `result` mention no global variable.
    """

    procedure: str
    arguments: tuple[Expr, ...] = ()
    result: Place | None = None
    guard: Expr = TRUE


@hashed_once
@dataclass(frozen=True, slots=True)
class Return(Remembering):
    """Pop: hand `value` to the caller; mentions no global variable."""

    value: Expr | None = None
    guard: Expr = TRUE


Action: TypeAlias = Command | Allocate | Free | Call | Return


class OperationKind(Listed):
    """The purposes an edge can be annotated with."""

    ACQUIRE = "acquire"
    RELEASE = "release"
    TRY_ACQUIRE = "try_acquire"
    AWAIT = "await"
    """Waits until a mutex is free, without taking it; or says, in the first edge of a region
    that is always enabled, that the region does."""
    HELD = "held"
    """Waits until no thread holds an object: its address is in no variable named as `HOLDINGS`."""
    TAKE = "take"
    """Waits for what a `POST` gives (a semaphore), and takes it."""
    WAKE = "wake"
    """Waits for a `SIGNAL` or `BROADCAST`, and leaves a condition variable."""
    PASS = "pass"
    """Waits for the last to `ARRIVE`, and leaves a barrier."""
    POST = "post"
    SIGNAL = "signal"
    BROADCAST = "broadcast"
    ARRIVE = "arrive"
    INITIALISE = "initialise"
    """Begins or ends the life of an object that threads wait at: ends no wait."""
    ASSERT = "assert"
    SPAWN = "spawn"
    JOIN = "join"
    BEGIN = "begin"
    FINISH = "finish"
    UNKNOWN_CALL = "unknown_call"
    """No run takes the edge: what a function without a description may do (`ir.beyond`)."""
    UNKNOWN_WRITE = "unknown_write"
    """The same for a construct that is not modelled."""
    UNKNOWN_READ = "unknown_read"
    UNKNOWN_FILL = "unknown_fill"
    """The same for one that only reads."""
    UNKNOWN_VALUE = "unknown_value"
    """The same for a construct that touches no memory: only its values are not known."""
    UNKNOWN_END = "unknown_end"
    """As the last one, where threads may end anywhere or are gone: locks keep their owners."""
    UNKNOWN_CELLS = "unknown_cells"
    """The same for what the edge's own command does to memory that is no cells of one type."""


WAITING = (OperationKind.ACQUIRE, OperationKind.JOIN, OperationKind.AWAIT)
"""Where a blocked thread waits for another one, which the subject names."""

TAKING = (OperationKind.TAKE, OperationKind.WAKE, OperationKind.PASS)
"""Where a thread waits for what others give, and takes it: which ends no wait of the same kind."""

GIVING = (
    OperationKind.POST,
    OperationKind.SIGNAL,
    OperationKind.BROADCAST,
    OperationKind.ARRIVE,
    OperationKind.INITIALISE,
)
"""What may end such waits, and what never does."""

IDLE = "end$idle"
"""The label of locations inside functions in which threads may wait forever."""

HOLDINGS = "__tw_held_"
"""How the names of thread-scoped variables begin that hold addresses of what the thread holds."""

HANDLER = "__library_handler"
"""The template whose threads stand for handlers of signals: each runs on some other thread, which
does not go on before it has ended."""


@hashed_once
@dataclass(frozen=True, slots=True)
class Operation(Hashed):
    """The purpose of an edge.

    `subject` is the mutex's owner cell (as a `Read`) for lock operations, the handle for a join,
    the new thread's id for a spawn, a pointer or nothing for what is unknown, the address of the
    object for `HELD`, and absent otherwise: what a `TAKE` or a `POST` is about is what its edge
    reads and writes.
    """

    kind: OperationKind
    subject: Expr | None = None
