"""Every violation of the C examples, in the machine: none diverges, nine of ten are reproduced."""

import re
from pathlib import Path

import pytest

import threadwise
from threadwise import OutcomeKind

EXAMPLES = Path(__file__).parents[3] / "examples"
_EXPECTED = re.compile(r"^// expect (\w+): UNSAFE$", re.MULTILINE)
VIOLATED = [
    (path, asked)
    for folder in ("c", "c_races")
    for path in sorted((EXAMPLES / folder).glob("*.c"))
    for asked in _EXPECTED.findall(path.read_text())
]
NOT_SHOWN: dict[str, str] = {}
"""What cannot be forced or seen in a run, and why."""


def test_there_is_much_to_run() -> None:
    assert len(VIOLATED) > 80
    assert len(NOT_SHOWN) <= len(VIOLATED) / 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "asked"), VIOLATED, ids=[f"{path.stem}-{asked}" for path, asked in VIOLATED]
)
def test_it_is_reproduced(folder: Path, path: Path, asked: str) -> None:
    result = threadwise.check(path, properties=asked)
    threadwise.write_trace(result, "bug.json")
    outcome = threadwise.reproduce("bug.json")
    name = f"{path.stem}-{asked}"
    expected = OutcomeKind.NOT_FORCED if name in NOT_SHOWN else OutcomeKind.REPRODUCED
    assert outcome.kind is expected, outcome
