"""Cells of variables and numbers of threads."""

from __future__ import annotations

import pytest

from threadwise.ir.expr import Scope, Variable
from threadwise.ir.layout import (
    ThreadNumbers,
    cells_of,
    field_offset,
    initial_choices,
    lay_out,
    size_of,
)
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    FillValue,
    ListedValues,
    Program,
    Template,
)
from threadwise.ir.types import (
    BOOL,
    INT,
    MUTEX,
    NONE,
    NULL,
    POINTER,
    TID,
    ArrayType,
    MutexKind,
    MutexType,
    PerThread,
    RangeType,
    RecordType,
    Type,
)

RECURSIVE = MutexType(MutexKind.RECURSIVE)
NODE = RecordType("node", (("lock", RECURSIVE), ("data", ArrayType(INT, 2)), ("next", POINTER)))


def program(*templates: Template) -> Program:
    return Program("p", (), (), (), templates, ())


NUMBERS = ThreadNumbers.of(
    program(Template("main", 1, "main"), Template("none", 0, "x"), Template("client", 3, "x"))
)


def shared(name: str, held: Type) -> Variable:
    return Variable(name, held, Scope.GLOBAL)


def test_threads_are_numbered_in_template_order() -> None:
    assert NUMBERS.ranges == {"main": range(1), "none": range(1, 1), "client": range(1, 4)}
    assert [NUMBERS.name(thread) for thread in range(4)] == [
        "main",
        "client[0]",
        "client[1]",
        "client[2]",
    ]


def test_any_number_of_threads_has_no_numbers() -> None:
    with pytest.raises(ValueError, match="any number"):
        ThreadNumbers.of(program(Template("client", None, "x")))


@pytest.mark.parametrize(
    ("held", "cells"),
    [
        (BOOL, ["v"]),
        (MUTEX, ["v"]),
        (RECURSIVE, ["v", "v.depth"]),
        (ArrayType(MUTEX, 2), ["v[0]", "v[1]"]),
        (ArrayType(ArrayType(INT, 2), 2), ["v[0][0]", "v[0][1]", "v[1][0]", "v[1][1]"]),
        (ArrayType(BOOL, PerThread("client")), ["v[0]", "v[1]", "v[2]"]),
        (NODE, ["v.lock", "v.lock.depth", "v.data[0]", "v.data[1]", "v.next"]),
        (RecordType("empty", ()), []),
    ],
)
def test_cells(held: Type, cells: list[str]) -> None:
    assert [cell.name for cell in cells_of(shared("v", held), NUMBERS)] == cells
    assert size_of(held, NUMBERS) == len(cells)


def test_mutex_cells_are_synchronisation() -> None:
    cells = list(cells_of(shared("v", NODE), NUMBERS))
    assert [cell.sync for cell in cells] == [True, True, False, False, False]
    assert [cell.type for cell in cells] == [TID, INT, INT, INT, POINTER]


def test_field_offset() -> None:
    assert [field_offset(NODE, name, NUMBERS) for name, _ in NODE.fields] == [0, 2, 4]
    assert field_offset(RECURSIVE, "depth", NUMBERS) == 1
    with pytest.raises(KeyError):
        field_offset(NODE, "other", NUMBERS)


def test_variables_lie_one_after_the_other() -> None:
    layout = lay_out(
        [shared("n", NODE), shared("x", INT), shared("a", ArrayType(INT, 2))], NUMBERS
    )
    assert layout.offset == {"n": 0, "x": 5, "a": 6}
    assert len(layout.cells) == 8


def test_initial_choices() -> None:
    pair = shared("v", ArrayType(RangeType(2, 5), 2))
    assert initial_choices(Declaration(pair), NUMBERS) == ((2,), (2,))
    assert initial_choices(Declaration(pair, FillValue(3)), NUMBERS) == ((3,), (3,))
    assert initial_choices(Declaration(pair, ListedValues((4, 5))), NUMBERS) == ((4,), (5,))
    assert initial_choices(Declaration(pair, AnyValue()), NUMBERS) == (None, None)
    node = Declaration(shared("n", NODE), DefaultValue())
    assert initial_choices(node, NUMBERS) == ((NONE,), (0,), (0,), (0,), (NULL,))
