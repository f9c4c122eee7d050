"""Values as numbers of 64 bits, and back."""

from __future__ import annotations

import pytest

from threadwise.core.errors import Unsupported
from threadwise.ir.encoding import GREATEST, LEAST, decoded, encoded, encoded_address
from threadwise.ir.types import BOOL, INT, NULL, POINTER, TID, UNSET, Address, ScalarType, Value

VALUES: list[tuple[ScalarType, Value]] = [
    (BOOL, False),
    (BOOL, True),
    (INT, 0),
    (INT, -1),
    (INT, GREATEST),
    (INT, LEAST + 1),
    (INT, UNSET),
    (TID, -1),
    (TID, 3),
    (POINTER, NULL),
    (POINTER, UNSET),
    (POINTER, Address(0, 0)),
    (POINTER, Address(7, -5)),
    (POINTER, Address(-2, 4096)),
    (POINTER, Address(2, (1 << 31) - 1)),
    (POINTER, Address(2, -(1 << 31))),
]


def test_values_come_back() -> None:
    for held, value in VALUES:
        found = decoded(encoded(value), held)
        assert found == value, (held, value)
        assert type(found) is type(value)


def test_different_values_have_different_numbers() -> None:
    for held in (INT, POINTER):
        numbers = [encoded(value) for kind, value in VALUES if kind is held]
        assert len(set(numbers)) == len(numbers)


def test_what_does_not_fit_is_refused() -> None:
    for value in (LEAST, GREATEST + 1):
        with pytest.raises(Unsupported):
            encoded(value)
    for number, offset in ((0, 1 << 31), (0, -(1 << 31) - 1), (-4, 0), ((1 << 31) - 3, 0)):
        with pytest.raises(Unsupported):
            encoded_address(number, offset)
