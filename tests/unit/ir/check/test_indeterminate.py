"""Values that are listed as indeterminate are read by no edge: what counts as read and written."""

from __future__ import annotations

import pytest

from threadwise.ir.check.indeterminate import reads_of_indeterminate
from threadwise.ir.expr import FieldPlace, IndexPlace, Place, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.program import LocId
from threadwise.ir.text.reader import read_program

TEXT = """
program "p"
record pair {{a: int32, b: int32}}
global g: int32
global q: pointer
thread main[1] runs main
procedure main() {{
  local x: int32
  local i: int32
  local p: pointer
  local s: pair
  local v: array[2] of int32
  entry 0
  location 0
{edges}
}}
procedure callee(n: int32): int32 {{
  entry {callee}
  location {callee}
    edge {last}: {callee} -> {callee}: return 1
}}
"""


def broken(*actions: str, listed: str = "x") -> list[int]:
    """The edges that read what is listed at the entry, in a chain of actions."""
    lines: list[str] = []
    for number_, action in enumerate(actions):
        if number_:
            lines.append(f"  location {number_}")
        target, _, text = action.rpartition("-> ")
        lines.append(f"    edge {number_}: {number_} -> {target or number_ + 1}: {text}")
    lines.append(f"  location {len(actions)}")
    body = "\n".join(lines)
    text = TEXT.format(edges=body, callee=len(actions) + 1, last=len(actions))
    program = read_program(text)
    places = {
        place.variable.name: place
        for place in (VariablePlace(d.variable) for d in program.procedures[0].locals)
    }
    found = reads_of_indeterminate(program, {LocId(0): (_place(listed, places),)})
    return [edge.id for edge, _ in found]


def _place(named: str, places: dict[str, VariablePlace]) -> Place:
    if "." in named:
        name, field = named.split(".")
        return FieldPlace(places[name], field)
    if "[" in named:
        name, index = named.removesuffix("]").split("[")
        return IndexPlace(places[name], number(int(index)))
    return places[named]


@pytest.mark.parametrize(
    ("actions", "listed"),
    [
        (["x := 1", "g := x"], "x"),
        (["havoc x", "g := x"], "x"),
        (["i := 1", "g := i"], "x"),
        (["x := call callee(1)", "g := x"], "x"),
        (["x := i", "x := (x + 1)"], "x"),
        (["p := q", "q := p"], "p"),
        (["s.a := 1", "g := s.a"], "s.a"),
        (["s.a := 1", "s.b := 2", "g := s.b"], "s"),
        (["v[0] := 1", "g := v[0]"], "v"),
        (["v[0] := 1", "v[1] := 1", "g := v[i]"], "v"),
        (["v[0] := v[1]", "g := v[0]"], "v[0]"),
        (["1 -> when (g == 1)", "0 -> x := 1"], "x"),
    ],
)
def test_written_first(actions: list[str], listed: str) -> None:
    assert broken(*actions, listed=listed) == []


@pytest.mark.parametrize(
    ("actions", "listed", "edges"),
    [
        (["g := x"], "x", [0]),
        (["x := (x + 1)"], "x", [0]),
        (["when (x == 1)", "x := 1"], "x", [0]),
        (["i := 1", "g := i", "g := x"], "x", [2]),
        (["i := call callee(x)", "x := 1"], "x", [0]),
        (["v[x] := 1", "x := 1"], "x", [0]),
        (["s.a := 1", "g := s.b"], "s", [1]),
        (["s.b := 1", "g := s.a"], "s.a", [1]),
        (["v[0] := 1", "g := v[1]"], "v", [1]),
        (["v[i] := 1", "g := v[0]"], "v[0]", [1]),
        (["v[0] := 1", "g := v[i]"], "v", [1]),
        (["q := p"], "p", [0]),
        (["1 -> i := 1", "0 -> g := i", "g := x"], "x", []),
        (["1 -> skip", "2 -> skip", "0 -> g := x"], "x", [2]),
    ],
)
def test_read_first(actions: list[str], listed: str, edges: list[int]) -> None:
    assert broken(*actions, listed=listed) == edges
