"""Undefined values that are never read are left out: verdicts are those with all of them.

The front end finds them (`lower.liveness`), and `ir.check.indeterminate` verifies that.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.unit.frontends.c.checking import lowered, verdicts
from threadwise.core.errors import InternalError
from threadwise.frontends.c.lower import program as lowering
from threadwise.frontends.c.lower.graph import Graph
from threadwise.frontends.c.lower.liveness import Liveness, settle_declarations
from threadwise.ir.expr import Variable

BLOCK = 3
BEFORE = """#include <pthread.h>
#include <assert.h>
struct pair { _Bool a, b; };
_Bool g, h = 1;
"""
PLACES = ["x", "y", "s.a", "s.b", "v[0]", "v[1]"]
DECLARED = "_Bool x, y, v[2]; struct pair s;"


class Writing:
    """Writes a function body with blocks, loops and variables that may have no value."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def text(self) -> str:
        body = "\n".join(self.statements(5, 2))
        held = self.condition()
        return f"{BEFORE}int main(void) {{ {DECLARED}\n{body}\nassert({held});\nreturn 0; }}\n"

    def statements(self, count: int, depth: int) -> Iterator[str]:
        for _ in range(count):
            inner = " ".join(self.statements(2, depth - 1)) if depth else "g = 1;"
            match self.rng.randrange(6):
                case 0 if depth:
                    yield f"if ({self.condition()}) {{ {inner} }} else {{ {self.assignment()} }}"
                case 1 if depth:
                    last = f"h = {self.value()};"
                    yield f"for (int i = 0; i < 2; i++) {{ {DECLARED} {inner} {last} }}"
                case 2 if depth:
                    yield f"{{ _Bool x; {inner} }}"
                case _:
                    yield self.assignment()

    def assignment(self) -> str:
        return f"{self.rng.choice([*PLACES, 'g', 'h'])} = {self.value()};"

    def value(self) -> str:
        known = [str(self.rng.randint(0, 1)), "g", "h"]
        return self.rng.choice([*known, *known, *PLACES])

    def condition(self) -> str:
        return f"{self.rng.choice(['g', 'h', *PLACES])} {self.rng.choice(['==', '!='])} 1"


Settling = Callable[[Graph, Liveness], list[Variable]]


def all_kept(settle: Settling, graph: Graph, liveness: Liveness) -> list[Variable]:
    """What is left of the declared variables; nothing is dropped."""
    arcs, actions, jumps = list(graph.arcs), [a.action for a in graph.arcs], list(graph.jumps)
    left = settle(graph, liveness)
    graph.arcs, graph.jumps = arcs, jumps
    for arc, action in zip(arcs, actions, strict=True):
        arc.action = action
    return left


def check(seed: int, patch: pytest.MonkeyPatch) -> bool:
    """Compare the verdicts for a program; whether something is left out of it."""
    text = Writing(seed).text()
    fewer, edges = verdicts(text, "assertions"), len(_edges(text))
    with patch.context() as within:
        settle = partial(all_kept, settle_declarations)
        within.setattr(lowering, "settle_declarations", settle)
        every, more = verdicts(text, "assertions"), len(_edges(text))
    assert fewer == every, text
    return edges < more


def _edges(text: str) -> list[object]:
    return list(lowered(text).edges)


@pytest.mark.parametrize("block", range(0, 60, BLOCK))
def test_verdicts_are_those_with_all_values(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    dropped = [check(seed, monkeypatch) for seed in range(block, block + BLOCK)]
    assert any(dropped), "nothing is left out of any program of the block"


def test_dropping_all_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """If values that are read are dropped as well, the program is refused."""
    monkeypatch.setattr(Liveness, "mask", lambda *_: (0, False))
    with pytest.raises(InternalError, match="left out a value that is read"):
        list(map(partial(check, patch=monkeypatch), range(20)))
