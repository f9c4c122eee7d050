"""Answers that are kept store by store."""

from __future__ import annotations

from threadwise.proofs.base.by_store import ByStore
from threadwise.semantics.state import GlobalStore


def test_answers_belong_to_equal_stores() -> None:
    answers = ByStore[int, str]()
    one, other = GlobalStore((1,)), GlobalStore((2,))
    answers.at(one)[0] = "one"
    assert 0 not in answers.at(other)
    answers.at(other)[0] = "other"
    assert answers.at(GlobalStore((1,)))[0] == "one"
    assert answers.at(one)[0] == "one"
    assert answers.at(GlobalStore((2,)))[0] == "other"
