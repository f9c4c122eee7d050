"""Failed assertions in words."""

import pytest

from threadwise.traces.failing import failing


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ("x == 2", "assertion `x == 2` fails"),
        ("is_ready()", "assertion `is_ready()` fails"),
        ("reach_error()", "reach_error() is called"),
        ("__VERIFIER_assert", "__VERIFIER_assert fails"),
        ("the claim that the lock is held here", "the claim that the lock is held here is wrong"),
        ("assertion `x > 0` failed", "assertion `x > 0` failed"),
    ],
)
def test_words(message: str, words: str) -> None:
    assert failing(message) == words
