"""How long doubtful behaviour may take after a proof."""

from __future__ import annotations

from threadwise.driver.verdicts.doubting import LEAST_S, LONG_S, patience


def test_as_long_again_where_the_proof_was_quick() -> None:
    assert patience(0) == LEAST_S
    assert patience(LONG_S) == LEAST_S + LONG_S


def test_proofs_after_a_while_are_not_late() -> None:
    assert 18 + patience(18) < 30
    assert patience(100) == LEAST_S + 50
