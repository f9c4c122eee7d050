"""Objects as keys."""

import gc
import weakref

import pytest

from threadwise.core.identity import Same


class _Thing:
    """Equal to all its kind, so that only identity tells two of them apart."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Thing)

    def __hash__(self) -> int:
        return 0


def test_equal_objects_are_different_keys() -> None:
    one, other = _Thing(), _Thing()
    assert one == other
    assert Same(one) == Same(one)
    assert Same(one) != Same(other)
    assert Same(one) != one
    assert {Same(one): 1, Same(other): 2}[Same(other)] == 2


@pytest.mark.slow
def test_a_key_keeps_its_object() -> None:
    thing = _Thing()
    watched = weakref.ref(thing)
    known = {Same(thing): "known"}
    del thing
    gc.collect()
    assert watched() is not None
    known.clear()
    gc.collect()
    assert watched() is None


def test_things_that_cannot_be_hashed_can_be_keys() -> None:
    values: list[int] = []
    assert Same(values) in {Same(values)}
    assert Same([]) not in {Same(values)}
