import pytest

from threadwise.cli.options import at_least, parse_defines, parse_load, parse_threads
from threadwise.core.errors import InputError
from threadwise.core.options import LoadOptions


def test_good_defines() -> None:
    assert parse_defines(["N=20", "B = true", "N=-3"]) == {"N": "-3", "B": "true"}


@pytest.mark.parametrize("item", ["", "N", "=3", "N=", "3=N", "a b=1", "ä=1"])
def test_bad_defines(item: str) -> None:
    with pytest.raises(InputError, match="expected a name"):
        parse_defines([item])


def test_good_threads() -> None:
    assert parse_threads(["client=4", "server=0"]) == {"client": 4, "server": 0}


@pytest.mark.parametrize("item", ["", "client", "client=", "client=x", "client=-1", "=4", "c=9²"])
def test_bad_threads(item: str) -> None:
    with pytest.raises(InputError, match="expected the name of a thread"):
        parse_threads([item])


def test_load_options() -> None:
    assert parse_load(None, None, None) == LoadOptions()
    assert parse_load(["N=1"], ["c=2"], 3) == LoadOptions({"N": "1"}, {"c": 2}, 3)


def test_at_least() -> None:
    assert at_least(1, 1, "--steps") == 1
    with pytest.raises(InputError, match="--steps 0: expected a number of at least 1"):
        at_least(1, 0, "--steps")
