"""What becomes of an edge is remembered, for slices that treat it alike and for no others."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.transforms import forget as module
from threadwise.transforms.forget import forget

TEXT = """
int[0..3] x; int[0..3] a[2]; bool open; mutex m;
thread t[2] {
    int[0..1] i;
    acquire(m); if (open && x < 2) { a[i] = x; } release(m);
    x = a[i]; i = 1; open = x == a[0] || open; assert(x < 3 || open);
}
"""
NAMES = "x", "a", "open", "m", "t.i@"


def _without(program: Program, names: tuple[str, ...]) -> Program | str:
    try:
        return forget(program, names)
    except Unsupported as refusal:
        return str(refusal)


def test_what_is_remembered_is_what_would_be_made_anew() -> None:
    program = model(TEXT)
    about = [replace(program, properties=(RaceProperty("races", (n,)),)) for n in ("x", "a")]
    asked = [
        (each, names)
        for count in range(1, len(NAMES) + 1)
        for names in combinations(NAMES, count)
        for each in (program, *about)
    ]
    remembered = [_without(*each) for each in asked]
    anew: list[Program | str] = []
    for each in asked:
        module._known_edges.clear()
        anew.append(_without(*each))
    assert remembered == anew
    assert [_without(*each) for each in reversed(asked)] == anew[::-1]
    assert len({repr(each) for each in anew}) > len(NAMES)
