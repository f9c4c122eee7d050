"""How values of options are read."""

import pytest

from threadwise.core.errors import InputError
from threadwise.core.option_values import Names, Number, at_least, parse_defines, parse_threads


def test_good_defines() -> None:
    assert parse_defines(["N=20", "B = true", "N=-3", "E="]) == {"N": "-3", "B": "true", "E": ""}


@pytest.mark.parametrize("item", ["", "N", "=3", "=", "3=N", "a b=1", "ä=1"])
def test_bad_defines(item: str) -> None:
    with pytest.raises(InputError, match="expected a name"):
        parse_defines([item])


def test_good_threads() -> None:
    assert parse_threads(["client=4", "server=0"]) == {"client": 4, "server": 0}


@pytest.mark.parametrize("item", ["", "client", "client=", "client=x", "client=-1", "=4", "c=9²"])
def test_bad_threads(item: str) -> None:
    with pytest.raises(InputError, match="expected the name of a thread"):
        parse_threads([item])


def test_names_are_separated_by_commas() -> None:
    assert Names().read("entry", ["f, g", "h"]) == ("f", "g", "h")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (0, "--k 0: expected a number of at least 1"),
        (4, "k: expected a whole number up to 3"),
        (True, "k: expected a whole number"),
        ("2", "k: expected a whole number"),
    ],
)
def test_numbers_out_of_bounds(given: object, told: str) -> None:
    with pytest.raises(InputError, match=f"^error: {told}$"):
        Number(1, 3).read("k", given)


def test_at_least() -> None:
    assert at_least(1, 1, "--steps") == 1
    with pytest.raises(InputError, match="--steps 0: expected a number of at least 1"):
        at_least(1, 0, "--steps")
