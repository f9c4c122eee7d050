"""What the checkers' formulas remember about steps."""

from dataclasses import replace

from tests.unit.semantics.running import model
from threadwise.proofs.toolbox.smt.obligations import Obligations

PROGRAM = """
int[0..9] x, y;
thread t[2] { x = 1; y = 2; x = 3; y = 4; }
"""


def test_what_a_step_accesses_is_not_taken_for_what_another_one_does() -> None:
    """Steps are made, asked about and dropped, so that later ones have their addresses."""
    program = model(PROGRAM)
    asked = Obligations(program, lambda: None)
    kept = [
        step
        for edge in program.edges
        for step in asked.walk.from_location(edge.source, asked.slot(0, "t", edge.source).env)
    ]
    expected = [list(map(str, asked.walk.accesses(step))) for step in kept]
    assert expected[0] != expected[1]
    fresh = [asked.accesses(replace(step)) for _ in range(50) for step in kept]
    assert [list(map(str, found)) for found in fresh] == expected * 50
