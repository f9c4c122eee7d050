"""C types after the data model was applied: what lowering needs to know, and no more.

`const`, `volatile` and `restrict` are gone; `_Atomic` stays, because it decides whether an access
is synchronisation. An enumeration is its underlying integer type. A record is named by a key that
is unique in the program; its fields are in `tree.Record`.
"""

from __future__ import annotations

from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class CVoid:
    """No value."""


@dataclass(frozen=True, slots=True)
class CBool:
    """`_Bool`: converting to it compares with zero."""


@dataclass(frozen=True, slots=True)
class CInteger:
    """A two's-complement integer."""

    width: int
    signed: bool


@dataclass(frozen=True, slots=True)
class CFloat:
    """A floating-point type; its values are opaque."""

    width: int


@dataclass(frozen=True, slots=True)
class CThreadId:
    """`pthread_t`, `thrd_t`: the typedef `__tw_tid` of our headers."""


@dataclass(frozen=True, slots=True)
class CLock:
    """`struct __tw_lock` of our headers: a cell that holds the thread that owns it, or none."""


@dataclass(frozen=True, slots=True)
class CPointer:
    """A pointer to an object or a function."""

    target: CType


@dataclass(frozen=True, slots=True)
class CArray:
    """An array; without size: incomplete, a flexible member, or of variable length."""

    element: CType
    size: int | None


@dataclass(frozen=True, slots=True)
class CRecord:
    """A struct or union, by the key of its `tree.Record`."""

    key: str


@dataclass(frozen=True, slots=True)
class CFunction:
    """A function; `parameters` is None for a declaration without prototype."""

    result: CType
    parameters: tuple[CType, ...] | None
    variadic: bool = False


@dataclass(frozen=True, slots=True)
class CAtomic:
    """`_Atomic T`: every access is a step of its own and synchronises."""

    inner: CType


CType: TypeAlias = (
    CVoid
    | CBool
    | CInteger
    | CFloat
    | CThreadId
    | CLock
    | CPointer
    | CArray
    | CRecord
    | CFunction
    | CAtomic
)

VOID = CVoid()
C_BOOL = CBool()
INT = CInteger(32, signed=True)
CHAR = CInteger(8, signed=True)
VOID_POINTER = CPointer(VOID)


def unqualified(candidate: CType) -> CType:
    """The type of a value loaded from an object of this type."""
    return candidate.inner if isinstance(candidate, CAtomic) else candidate
