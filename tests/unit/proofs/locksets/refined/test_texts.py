"""States of the more precise pass, as certificates tell them."""

from __future__ import annotations

import pytest

from tests.unit.semantics.running import model
from threadwise.core.documents import Json
from threadwise.ir.program import LocId
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.locksets.refined.claims import Refinement
from threadwise.proofs.locksets.refined.texts import RefinementText, read_second_look

PROGRAM = "mutex m; int[0..2] x; thread t[2] { acquire(m); x = 1; release(m); }"


def test_a_state_without_claims() -> None:
    found = read_second_look(model(PROGRAM), RefinementText(Refinement(), {LocId(0): {}}))
    assert list(found.states) == [0]


@pytest.mark.parametrize("row", ["x", 3, None, ["ranges"], {"ranges": 3}, {"late": "x"}])
def test_other_values_are_refused(row: Json) -> None:
    """A crash once: a text where a state should be."""
    with pytest.raises(Refuted, match="cannot be read"):
        read_second_look(model(PROGRAM), RefinementText(Refinement(), {LocId(0): row}))
