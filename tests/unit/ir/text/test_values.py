"""Values of cells in the words of the program."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.semantics.running import model
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.text.values import ValueRenderer
from threadwise.ir.types import INTEGER_OBJECT, NONE, NULL, POINTER, UNSET, Address

PROGRAM = """
enum colour { red, green } colour c; tid t; bool b; int[0..9] x;
thread one { skip; } thread two[2] { skip; }
"""


def test_members_threads_and_addresses_have_names() -> None:
    layout = ProgramLayout.of(model(PROGRAM))
    shown = ValueRenderer(layout)
    cells = {cell.name: cell for cell in layout.globals.cells}
    assert [shown(cells["c"], value) for value in (0, 1)] == ["red", "green"]
    threads = [shown(cells["t"], value) for value in (NONE, 0, 1, 2)]
    assert threads == ["none", *(layout.numbers.name(number) for number in range(3))]
    assert [shown(cells["b"], value) for value in (False, True)] == ["false", "true"]
    assert shown(cells["x"], 7) == "7"
    pointer = replace(cells["x"], type=POINTER)
    addresses = [Address(2, 0), Address(3, 4), Address(4, 0), Address(6, 1)]
    assert [shown(pointer, value) for value in addresses] == [
        "&b",
        "&x + 4",
        "&object 0",
        "&object 2 + 1",
    ]
    others = [NULL, UNSET, Address(INTEGER_OBJECT, 12)]
    assert [shown(pointer, value) for value in others] == ["null", "unset", "12"]
