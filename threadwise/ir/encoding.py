"""Values as 64-bit numbers, for states that are rows of numbers.

    truth values, numbers, enumerations, tids    themselves; false is 0, true is 1
    null                                         0
    an address                                   object and offset, 32 bits each
    memory that was never written                the least number, which stands for nothing else

What does not fit raises Unsupported.
"""

from __future__ import annotations

from threadwise.core.errors import Unsupported
from threadwise.ir.types import NULL, UNSET, Address, BoolType, PointerType, ScalarType, Value

LEAST, GREATEST = -(1 << 63), (1 << 63) - 1
UNWRITTEN = LEAST
OBJECT_SHIFT = 32
FIRST_OBJECT = 3
"""Added to the number of an object, so that no address is encoded as null."""
MIDDLE = 1 << (OBJECT_SHIFT - 1)
"""Added to an offset, so that it is not negative."""


def encoded(value: Value) -> int:
    """The number for a value."""
    if isinstance(value, Address):
        if value == UNSET:
            return UNWRITTEN
        return encoded_address(value.number, value.offset)
    if value is NULL:
        return 0
    if not LEAST < value <= GREATEST:
        raise Unsupported("numbers beyond 64 bits in a row of numbers")
    return int(value)


def encoded_address(number: int, offset: int) -> int:
    """The number for an address."""
    if not -MIDDLE <= offset < MIDDLE or not 0 <= number + FIRST_OBJECT < MIDDLE:
        raise Unsupported("an address this far from its object in a row of numbers")
    return ((number + FIRST_OBJECT) << OBJECT_SHIFT) + offset + MIDDLE


def decoded(code: int, held: ScalarType) -> Value:
    """The value of a type that a number stands for."""
    if code == UNWRITTEN:
        return UNSET
    match held:
        case BoolType():
            return bool(code)
        case PointerType():
            if code == 0:
                return NULL
            offset = (code & (2 * MIDDLE - 1)) - MIDDLE
            return Address((code >> OBJECT_SHIFT) - FIRST_OBJECT, offset)
        case _:
            return code
