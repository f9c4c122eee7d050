"""What types consist of."""

from __future__ import annotations

from threadwise.ir.types import (
    BOOL,
    INT,
    POINTER,
    ArrayType,
    MachineType,
    PerThread,
    RecordType,
    has_cells_inside,
    parts_of,
)

INNER = RecordType("inner", (("a", INT), ("b", ArrayType(BOOL, 3))))
OUTER = RecordType("outer", (("p", POINTER), ("all", ArrayType(INNER, 2)), ("last", INT)))
MINE = PerThread("t")


def test_the_parts_of_aggregates() -> None:
    assert list(parts_of(OUTER)) == [POINTER, INT, BOOL, INT]
    assert list(parts_of(ArrayType(INNER, 4))) == [INT, BOOL]
    assert list(parts_of(INT)) == [INT]


def test_cells_per_thread_inside_of_others() -> None:
    per = ArrayType(INT, MINE)
    assert not has_cells_inside(per, "t")
    assert has_cells_inside(ArrayType(per, 2), "t")
    assert not has_cells_inside(ArrayType(per, 2), "u")
    assert has_cells_inside(ArrayType(ArrayType(per, 2), 2), "t")
    assert has_cells_inside(RecordType("r", (("a", per), ("b", INT))), "t")
    assert has_cells_inside(RecordType("r", (("b", INT), ("a", per))), "t")
    assert has_cells_inside(RecordType("r", (("b", ArrayType(per, 2)),)), "t")
    assert not has_cells_inside(OUTER, "t")


def test_the_values_of_machine_integers() -> None:
    bounds = {(8, True): (-128, 127), (8, False): (0, 255), (1, False): (0, 1)}
    for (width, signed), (low, high) in bounds.items():
        held = MachineType(width, signed=signed)
        assert (held.low, held.high) == (low, high)
