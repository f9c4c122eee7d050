"""What the type checker says about expressions and places.

Evaluation can fail: a bad index, a division by zero, a value outside its range. A `Typed` value
carries the conditions under which it does not, each with the message for the case that it does.
They are in evaluation order; each is defined if those before it hold. (`threadwise.ir.fold` has
the same conditions as one formula; here they keep their sources apart.)
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import TRUE, Binary, BinaryOp, Expr, Place
from threadwise.ir.types import (
    ArrayType,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    MutexType,
    Overflow,
    PerThread,
    PointerType,
    RangeType,
    RecordType,
    TidType,
    Type,
)

Check: TypeAlias = tuple[Expr, str]
"""A condition, and what went wrong if it does not hold."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A value, and what must hold for it to exist."""

    expr: Expr
    checks: tuple[Check, ...] = ()

    @property
    def type(self) -> Type:
        """The type of the value."""
        return self.expr.type


@dataclass(frozen=True, slots=True)
class TypedPlace:
    """A place, and what must hold for it to exist."""

    place: Place
    checks: tuple[Check, ...] = ()

    @property
    def type(self) -> Type:
        """What the place holds."""
        return self.place.type


def only_if(condition: Expr, checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks of what is evaluated only if the condition holds."""
    return tuple(
        (Binary(BinaryOp.IMPLIES, condition, check), message) for check, message in checks
    )


def unless(condition: Expr, checks: Iterable[Check]) -> tuple[Check, ...]:
    """The checks of what is evaluated only if the condition does not hold."""
    return tuple((Binary(BinaryOp.OR, condition, check), message) for check, message in checks)


class ModelLimit(str):
    """The message of a check that fails at a limit of the model, not of the program."""

    __slots__ = ()


def needed(check: Expr, message: str) -> tuple[Check, ...]:
    """The check, unless it always holds."""
    return () if check == TRUE else ((check, message),)


def describe(held: Type) -> str:
    """A type as the user would write it."""
    match held:
        case BoolType():
            return "bool"
        case IntType():
            return "int"
        case RangeType(low, high, overflow):
            suffix = "" if overflow is Overflow.ERROR else f" {overflow.value}"
            return f"int[{low}..{high}]{suffix}"
        case EnumType(name, _) | RecordType(name, _):
            return name
        case TidType():
            return "tid"
        case MutexType():
            return "mutex"
        case ArrayType(element, extent):
            size = extent.template if isinstance(extent, PerThread) else extent
            return f"{describe(element)}[{size}]"
        case MachineType(width, signed):
            return f"{'i' if signed else 'u'}{width}"
        case PointerType():
            return "pointer"


def same_kind(first: Type, second: Type) -> bool:
    """Whether values of two scalar types may meet: all integers are of one kind."""
    integers = (IntType, RangeType)
    return first == second or (isinstance(first, integers) and isinstance(second, integers))
