"""Conditions of waypoints: the part of C that is evaluated, and what is left alone."""

import pytest

from threadwise.driver.witnesses.conditions import NotUnderstood, holds, value_of

VALUES = {"x": 7, "y": -3, "box.size": 2, "\\result": 5}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        ("0x1F", 31),
        ("010", 8),
        ("3u", 3),
        ("x + y * 2", 1),
        ("-7 / 2", -3),
        ("-7 % 2", -1),
        ("x == 7 && y < 0", 1),
        ("!(x == 7) || 0", 0),
        ("x >= 7", 1),
        ("\\result != 5", 0),
        ("box.size - 1", 1),
        ("1 || 0 && 0", 1),
        ("10 - 3 - 2", 5),
        ("~0", -1),
    ],
)
def test_values(text: str, value: int) -> None:
    assert value_of(text, VALUES.get) == value


@pytest.mark.parametrize(
    "text",
    ["", "z", "x =", "f(1)", "p->x", "(int)x", "x / 0", "1 2", "(" * 500, "a ? b : c", "x = 1"],
)
def test_what_is_not_evaluated(text: str) -> None:
    with pytest.raises(NotUnderstood):
        value_of(text, VALUES.get)


def test_branches_have_words_for_truth() -> None:
    assert holds("true", VALUES.get)
    assert not holds("false", VALUES.get)
