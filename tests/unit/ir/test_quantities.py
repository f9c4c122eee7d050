"""Where a quantity is in its variable."""

from __future__ import annotations

import pytest

from threadwise.ir.quantities import offset_in
from threadwise.ir.types import INT, ArrayType, RecordType

INNER = RecordType("inner", (("a", INT), ("b", ArrayType(INT, 3))))
OUTER = RecordType("outer", (("first", INT), ("all", ArrayType(INNER, 2)), ("last", INT)))


@pytest.mark.parametrize(
    ("path", "offset"),
    [
        ((), 0),
        (("first",), 0),
        (("all", 0, "a"), 1),
        (("all", 0, "b", 0), 2),
        (("all", 0, "b", 2), 4),
        (("all", 1, "a"), 5),
        (("all", 1, "b", 1), 7),
        (("last",), 9),
    ],
)
def test_offsets(path: tuple[int | str, ...], offset: int) -> None:
    assert offset_in(OUTER, path) == offset
