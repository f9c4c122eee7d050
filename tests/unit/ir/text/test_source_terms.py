"""Places as in C."""

from __future__ import annotations

from functools import cache

import pytest

from threadwise.ir.commands import Command
from threadwise.ir.program import Program
from threadwise.ir.text.reader import read_program
from threadwise.ir.text.source_terms import SourceTerms

PLACES = {
    "x": "x",
    "ports[2].errors": "ports[2].errors",
    "ports[wrap[0..3](f.i)].errors": "ports[i].errors",
    "ports[wrap[0..3](f.i + 1) * 2].errors": "ports[(i + 1) * 2].errors",
    "deref(address(1, 0), `struct port`).errors": "ports[0].errors",
    "deref(address(1, 3), int32)": "ports[1].errors",
    "deref(shift(address(1, 0), f.i, `struct port`), `struct port`).count": "ports[i].count",
    "deref(shift(&ports[0], f.i, `struct port`), `struct port`).count": "ports[i].count",
    "deref(shift(&ports[1], f.i, `struct port`), `struct port`).count": "(&ports[1])[i].count",
    "deref(&x, int32)": "x",
    "deref(f.p, `struct port`).errors": "p->errors",
    "deref(f.p$2, `struct port`).errors": "p->errors",
    "deref(f.p, int32)": "*p",
    "deref(f.p, array[2] of int32)[f.i]": "(*p)[i]",
    "deref(shift(f.p, f.i, int32), int32)": "p[i]",
    "deref(t$1, `struct port`).errors": "head->errors",
    "deref(t$2, int32)": "*…",
    "deref(address(9, 0), int32)": "*address(9, 0)",
    "deref(address(1, 1), `struct port`).errors": "(&ports[0].errors)->errors",
}
"""Places as the printed form has them, and as in C."""


@cache
def program() -> Program:
    edges = "\n".join(
        f"location {n}\n edge {n}: {n} -> {n + 1}: {place} := 1" for n, place in enumerate(PLACES)
    )
    last = len(PLACES)
    return read_program(
        f"""
        program "ports.c"
        record `struct port` {{count: int32, errors: int32}}
        global x: int32 = [0]
        global ports: array[4] of `struct port` = [0, 0, 0, 0, 0, 0, 0, 0]
        global head: pointer = [null]
        thread main[1] runs main
        procedure main() {{
          local f.i: int32
          local f.p: pointer
          local f.p$2: pointer
          local t$1: pointer
          local t$2: pointer
          entry {last}
          {edges}
          location {last}
            edge {last}: {last} -> 0: t$1 := head, t$2 := head
            edge {last + 1}: {last} -> 0: t$2 := null
        }}
        """
    )


@pytest.mark.parametrize("number", range(len(PLACES)), ids=list(PLACES.values()))
def test_a_place(number: int) -> None:
    (main,) = program().procedures
    action = program().edges[number].action
    assert isinstance(action, Command)
    (assigned,) = action.assignments
    told = SourceTerms(program()).told(assigned.target, main)
    assert told == list(PLACES.values())[number]
