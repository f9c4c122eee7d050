"""The checkers' own view of steps and calls agrees with the engines' on random programs."""

from __future__ import annotations

import pytest

from tests.property.comparison import load
from tests.property.programs import Features, RandomChooser, generate
from tests.unit.semantics.running import model
from threadwise.analyses import regions
from threadwise.core.errors import Unsupported
from threadwise.proofs.toolbox import paths


@pytest.mark.parametrize("seed", range(40))
def test_both_list_the_same(seed: int) -> None:
    program = load(generate(RandomChooser.of(seed), Features()))
    assert paths.has_calls(program) == regions.has_calls(program)
    for template in program.templates:
        name = template.name
        assert paths.thread_locations(program, name) == regions.thread_locations(program, name)
    for procedure in program.procedures:
        kept = regions.kept_parameters(program, procedure.name)
        assert paths.kept_parameters(program, procedure.name) == kept
    for here in program.locations:
        try:
            listed = [path.edges for path in regions.steps_from(program, here.id)]
        except Unsupported:
            with pytest.raises(Unsupported):
                paths.steps_from(program, here.id)
            continue
        found = paths.steps_from(program, here.id)
        assert [path.edges for path in found] == listed
        assert all(path.source == here.id for path in found)


def test_regions_are_crossed_and_their_loops_are_not() -> None:
    text = "int[0..3] x; thread t {{ atomic {{ x = 1; {} }} x = 0; }}"
    branches = model(text.format("if (x > 0) { x = 2; } else { x = 3; }"))
    (first, *_) = [p for p in branches.procedures if p.name == "t"]
    assert [len(p.edges) for p in paths.steps_from(branches, first.entry)] == [3, 3]
    loop = model(text.format("while (x < 3) { x = x + 1; }"))
    with pytest.raises(Unsupported, match="loop"):
        paths.steps_from(loop, loop.procedure["t"].entry)
