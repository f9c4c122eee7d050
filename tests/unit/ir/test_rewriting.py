"""Edges with other places and expressions: every part of them changes, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from threadwise.ir.expr import Expr, Place, Read, VariablePlace
from threadwise.ir.fold import rebuild
from threadwise.ir.program import Edge, Program
from threadwise.ir.rewriting import Rewriting, rewritten_edge
from threadwise.ir.text.reader import read_program

EDGES = {
    "when (x > 0): x := x + 1 sync": "when (y > 0): y := y + 1 sync",
    "havoc x": "havoc y",
    'when (x > 1): p := new int at "here"': 'when (y > 1): q := new int at "here"',
    'p := new unset [x] int at "there"': 'q := new unset [y] int at "there"',
    "when (x > 2): free p": "when (y > 2): free q",
    "when (k > 0): k := call f(k)": "when (l > 0): l := call f(l)",
    "when (x > 3)": "when (y > 3)",
    "x := 1": "y := 1",
    "l := k": "l := l",
    'p := new int at "plain"': 'q := new int at "plain"',
    'q := new unset [x] int at "many"': 'q := new unset [y] int at "many"',
    "free p": "free q",
    "k := call f(1)": "l := call f(1)",
    "l := call f(k)": "l := call f(l)",
    "call f(k)": "call f(l)",
    "skip as join m": "skip as join n",
    "skip as assert": "skip as assert",
    "y := y + 1": "y := y + 1",
    'when (y == 0): q := new int at "x"': 'when (y == 0): q := new int at "x"',
}
"""Edges, and what they are with other names."""
HEAD = """
program "edges"
global x: int
global y: int
global p: pointer
global q: pointer
global m: tid
global n: tid
thread t[1] runs t
procedure f(a: int): int {
  entry 0
  location 0
    edge 0: 0 -> 0: return a
}
procedure t() {
  local k: int
  local l: int
  entry 1
  location 1
"""


def program_of(edges: Iterable[str]) -> Program:
    listed = [f"    edge {n}: 1 -> 1: {text}\n" for n, text in enumerate(edges, 1)]
    return read_program(f"{HEAD}{''.join(listed)}}}\n")


RENAMED = {"x": "y", "p": "q", "k": "l", "m": "n"}
PROGRAM = program_of(EDGES)
VARIABLES = {d.variable.name: d.variable for d, _ in PROGRAM.declarations}


def place(found: Place) -> Place:
    if isinstance(found, VariablePlace) and found.variable.name in RENAMED:
        return VariablePlace(VARIABLES[RENAMED[found.variable.name]])
    return found


def expr(found: Expr) -> Expr:
    if isinstance(found, Read):
        other = place(found.place)
        return found if other is found.place else Read(other)
    return rebuild(found, expr)


CHANGES = [Rewriting(place, expr).edge, lambda edge: rewritten_edge(edge, place, expr)]


@pytest.mark.parametrize("change", CHANGES)
def test_every_part_changes(change: Callable[[Edge], Edge]) -> None:
    assert list(map(change, PROGRAM.edges)) == list(program_of(EDGES.values()).edges)


@pytest.mark.parametrize("change", CHANGES)
def test_what_does_not_change_is_itself(change: Callable[[Edge], Edge]) -> None:
    kept = [edge.id for edge in PROGRAM.edges if change(edge) is edge]
    alike = [n for n, (old, new) in enumerate(EDGES.items(), 1) if old == new]
    assert [0, *alike[1:]] == [n for n in kept if n != alike[0]]
