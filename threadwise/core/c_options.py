"""What a user can say about reading C; part of evidence, so that a program can be read again."""

from __future__ import annotations

from enum import Enum

from threadwise.core.quick_dataclass import dataclass


class DataModel(Enum):
    """The sizes of `long` and of pointers."""

    LP64 = "LP64"
    ILP32 = "ILP32"


class UnknownFunctions(Enum):
    """What functions without a description may do."""

    LOCAL = "local"
    """Access what is reachable from their arguments, and no more; see docs/user/c-library.md."""
    STRICT = "strict"
    """Anything: calling one is a limit."""


@dataclass(frozen=True)
class COptions:
    """How C is read and what its library does."""

    include: tuple[str, ...] = ()
    """`-I`, `-isystem`: folders."""
    define: tuple[str, ...] = ()
    """`-D`: `NAME` or `NAME=VALUE`."""
    undefine: tuple[str, ...] = ()
    """`-U`."""
    forced: tuple[str, ...] = ()
    """`-include`: headers that every file begins with."""
    standard: str = "gnu17"
    """`-std`."""
    data_model: DataModel = DataModel.LP64
    entry: tuple[str, ...] = ()
    """Functions that any number of threads call in any order, for code without `main`."""
    entry_init: tuple[str, ...] = ()
    """`--entry-init`: functions that run before these threads are created."""
    library: tuple[str, ...] = ()
    """Files with entries for library functions, in the format of our own table."""
    pure: frozenset[str] = frozenset()
    """`--assume-pure`: functions without effect, whose result is any value."""
    unreached: frozenset[str] = frozenset()
    """`--assume-unreached`: places, as `file:line`, that no run gets past."""
    any_value: frozenset[str] = frozenset()
    """`--assume-any-value`: places whose results may be any value."""
    idle: frozenset[str] = frozenset()
    """`--idle`: functions in which threads may wait forever without a deadlock."""
    unknown_functions: UnknownFunctions = UnknownFunctions.LOCAL
    create_may_fail: bool = False
    lifetimes: bool = False
    """Whether local variables end with their functions and blocks, and files where they are
    closed, also where only `memory` depends on it."""
    doubts: frozenset[str] = frozenset()
    """Which doubtful behaviour is part of the program: see `core.doubts`."""
    max_threads: int = 8
    """How many threads of each function a program may create."""
    beside: tuple[str, ...] = ()
    """The other files of the program."""
    program: str = ""
    """`--program`: which one of a project."""
