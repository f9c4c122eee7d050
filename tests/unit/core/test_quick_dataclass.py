"""Data classes that are made and copied quickly behave like those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from threadwise.core.quick_dataclass import dataclass, replace


@dataclass(frozen=True, slots=True)
class Pair:
    """Two fields, the second of which is not compared."""

    first: int
    second: str = dataclasses.field(default="b", compare=False)


@dataclass(frozen=True, slots=True)
class Single:
    """One field."""

    only: tuple[int, ...]


@dataclasses.dataclass(frozen=True)
class Plain:
    """A data class of the standard library."""

    first: int
    second: int = 2


def test_fields_defaults_equality_and_hashes() -> None:
    assert Pair(1) == Pair(1, "other")
    assert Pair(1) != Pair(2)
    assert hash(Pair(1)) == hash(Pair(1, "other"))
    assert repr(Pair(1)) == "Pair(first=1, second='b')"
    assert len({Pair(1), Pair(1, "c"), Pair(2)}) == 2


@pytest.mark.parametrize(
    ("item", "changes"),
    [
        (Pair(1, "x"), {"first": 3}),
        (Pair(1, "x"), {"second": "y", "first": 4}),
        (Pair(1, "x"), {}),
        (Single((1, 2)), {"only": ()}),
        (Plain(1), {"second": 7}),
    ],
)
def test_replacing_is_that_of_the_standard_library(item: Any, changes: dict[str, Any]) -> None:
    copied = replace(item, **changes)
    expected = dataclasses.replace(item, **changes)
    assert dataclasses.astuple(copied) == dataclasses.astuple(expected)
    assert type(copied) is type(item)
    assert copied is not item


def test_there_is_no_other_field() -> None:
    with pytest.raises(KeyError):
        replace(Pair(1), third=3)  # type: ignore[call-arg]


def test_items_are_copied_and_sent() -> None:
    item = Pair(1, "x")
    for other in (copy.copy(item), copy.deepcopy(item), pickle.loads(pickle.dumps(item))):
        assert dataclasses.astuple(other) == (1, "x")


def test_methods_are_compiled_when_they_are_used() -> None:
    @dataclass(frozen=True, slots=True)
    class Own:
        """Compared by its own rule."""

        number: int
        seen: int = dataclasses.field(default=0, repr=False, hash=False)

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Own) and abs(self.number) == abs(other.number)

    @dataclass(frozen=True, slots=True)
    class Empty:
        """Nothing."""

    assert Own(1) == Own(-1)
    assert hash(Own(1, 2)) == hash(Own(1, 3))
    assert repr(Own(1, 2)).endswith("Own(number=1)")
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())
    assert repr(Empty()).endswith("Empty()")
    assert Single((1,)).__eq__(Pair(1)) is NotImplemented


@dataclass
class Changing:
    """A data class that is not frozen."""

    number: int = 0


@dataclass(eq=False, slots=True)
class Itself:
    """Equal to nothing else."""

    number: int


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Ordered by its fields."""

    line: int
    column: int
    told: str = dataclasses.field(default="", compare=False)


def test_what_is_not_frozen_is_compared_and_not_hashed() -> None:
    assert Changing(1) == Changing(1)
    assert repr(Changing(1)) == "Changing(number=1)"
    with pytest.raises(TypeError, match="unhashable"):
        hash(Changing(1))


def test_objects_may_be_equal_to_themselves_only() -> None:
    item = Itself(1)
    assert item == item
    assert item != Itself(1)
    assert len({item, Itself(1)}) == 2


def test_order_is_that_of_the_standard_library() -> None:
    places = [Place(2, 1), Place(1, 5), Place(1, 3, "x")]
    assert sorted(places) == [Place(1, 3), Place(1, 5), Place(2, 1)]
    assert Place(1, 2) <= Place(1, 2, "told") >= Place(1, 2)
    assert Place(1, 2) < Place(1, 3)
    assert Place(1, 3) > Place(1, 2)
    with pytest.raises(TypeError):
        Place(1, 2) < Itself(1)  # type: ignore[operator]  # noqa: B015


@dataclass(frozen=True, slots=True)
class Base:
    """Has a field of its own and a constant."""

    KNOWN: ClassVar[int] = 7
    first: int


@dataclass(frozen=True, slots=True)
class Derived(Base):
    """Has one more field."""

    second: int = 2


@pytest.mark.parametrize(
    "ask", [dataclasses.fields, lambda kind: kind(1), dataclasses.is_dataclass]
)
def test_fields_are_found_when_they_are_asked_for(ask: Callable[[type], object]) -> None:
    @dataclass(frozen=True, slots=True)
    class Later(Derived):
        """Not used before."""

        third: list[int] = dataclasses.field(default_factory=list)

    assert ask(Later)
    assert [each.name for each in dataclasses.fields(Later)] == ["first", "second", "third"]
    assert Later.__match_args__ == ("first", "second", "third")
    assert Later(1).third is not Later(1).third
    assert Later.KNOWN == 7
    assert not hasattr(Later(1), "__dict__")
    assert vars(Later)["__slots__"] == ("third",)


def test_objects_that_are_read_before_any_is_made() -> None:
    sent = pickle.dumps(Derived(3))
    script = (
        "import pickle, sys\n"
        f"item = pickle.loads({sent!r})\n"
        "match item:\n    case type(item)(first, second):\n        pass\n"
    ).replace("type(item)", "Derived")
    script = script.replace("import pickle", f"from {__name__} import Derived\nimport pickle")
    script += "print(first, second, item == Derived(3), repr(item))"
    ran = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ran.stdout == "3 2 True Derived(first=3, second=2)\n"
