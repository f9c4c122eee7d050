"""Which guards leave no case out."""

import pytest

from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.proofs.lock_order.covering import one_always_holds


def _covered(*conditions: str) -> bool:
    guards = "".join(f"assume({condition});" for condition in conditions)
    program: Program = model(f"int[0..9] x, y; bool a, b; thread t {{ {guards} }}")
    return one_always_holds(tuple(edge.action.guard for edge in program.edges))


@pytest.mark.parametrize(
    "conditions",
    [
        ("true",),
        ("a", "!a"),
        ("x == 1", "x != 1"),
        ("x < 4", "x >= 4"),
        ("x > 4", "x <= 4"),
        ("a && b", "a && !b", "!a"),
        ("a || b", "!a && !b"),
        ("x == 1 && a", "x == 1 && !a", "x != 1 && y > 2", "x != 1 && y <= 2"),
    ],
)
def test_no_case_is_left(conditions: tuple[str, ...]) -> None:
    assert _covered(*conditions)


@pytest.mark.parametrize(
    "conditions",
    [
        ("false",),
        ("a",),
        ("a", "b"),
        ("a", "a"),
        ("a && b", "!a && !b"),
        ("x < 4", "x > 4"),
        ("x == 1", "y != 1"),
        ("a || b", "!a && b"),
    ],
)
def test_a_case_is_left(conditions: tuple[str, ...]) -> None:
    assert not _covered(*conditions)
