"""Liveness as bit sets says what the general solver says."""

from __future__ import annotations

import pytest

from threadwise.analyses.liveness import live_by, live_locals, live_masks
from threadwise.analyses.uses import Uses
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources

LOOPS = """
int shared;
int pick(int n) {
  int best = 0, unused;
  for (int i = 0; i < n; i++) if (i % 3) best = i;
  return best;
}
int main(void) { int a = pick(4), b; while (a--) { b = a; shared += b; } return pick(a); }
"""


def test_bit_sets_are_the_least_solution() -> None:
    program = load_c_sources([SourceFile("loops.c", LOOPS)], LoadOptions()).program
    uses = Uses()
    for procedure in program.procedures:
        wanted = live_by(procedure, lambda edge, _: uses.of(edge))
        assert live_locals(procedure, uses) == wanted
        assert any(wanted.values())


@pytest.mark.parametrize("name", ["unused", "never declared"])
def test_what_no_edge_uses_has_a_bit_where_it_is_asked_for(name: str) -> None:
    program = load_c_sources([SourceFile("loops.c", LOOPS)], LoadOptions()).program
    live = live_masks(program.procedures[0], Uses(), always=[name])
    assert live.names(live.mask([name])) == [name]
    assert not any(mask & live.mask([name]) for mask in live.at.values())
    assert live.mask(["of another procedure"]) == 0
