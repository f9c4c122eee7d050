"""Where a quantity is in its variable."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.ir.quantities import CellQuantity, cell_quantities, initial_value, offset_in
from threadwise.ir.types import INT, NONE, ArrayType, RecordType

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


PROGRAM = """
enum colour { red, green, blue } colour c = green; tid t; bool b = true; bool any = *;
int[0..9] x = 7; int[0..9] list[2] = 3; mutex m;
thread one { skip; }
"""


def test_what_can_be_counted_of_shared_cells() -> None:
    program = model(PROGRAM)
    expected = {
        CellQuantity("c", (), 0): 0,
        CellQuantity("c", (), 1): 1,
        CellQuantity("c", (), 2): 0,
        CellQuantity("t", (), NONE): 1,
        CellQuantity("b"): 1,
        CellQuantity("any"): None,
        CellQuantity("x"): 7,
        CellQuantity("list", (0,)): 3,
        CellQuantity("list", (1,)): 3,
        CellQuantity("m", ("owner",), NONE): 1,
    }
    found = list(cell_quantities(program))
    assert found == list(expected)
    assert {cell: initial_value(program, cell) for cell in found} == expected
