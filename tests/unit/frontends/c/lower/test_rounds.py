"""How many rounds lowering takes to find out what code means."""

from __future__ import annotations

import pytest

from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.frontends.c import load_c
from threadwise.frontends.c.lower import program as lowering

CHAIN = """
#include <string.h>
int done;
void (*next)(void), (*first)(void);
void last(void) { done = 1; }
void middle(void) { first = last; memcpy(&next, &first, sizeof next); }
int main(void)
{
    first = middle; memcpy(&next, &first, sizeof next); next(); next();
    return done;
}
"""
"""That `last` is called through a pointer shows where `middle` is, which is called through one."""


def rounds(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The number of rounds, the last one included."""
    counted: list[object] = []
    run = lowering._Round.run

    def counting(self: lowering._Round) -> None:
        counted.append(self)
        run(self)

    monkeypatch.setattr(lowering._Round, "run", counting)
    load_c([SourceFile("chain.c", text)], COptions())
    return len(counted)


def test_functions_found_in_a_round_are_called_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert rounds(CHAIN, monkeypatch) == 2


def test_the_last_round_has_found_nothing_new() -> None:
    program = load_c([SourceFile("chain.c", CHAIN)], COptions()).lowered.program
    written = {edge.text for edge in program.edges}
    assert {"done = 1", "first = last"} <= written
