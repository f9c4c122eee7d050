"""The arguments of `main`, read off the inputs of a trace.

Where a program looks at the texts, the model makes them one after the other
(`__library_arguments`): yes for each further text, then no; for each text yes for each character,
then no, then the characters. Otherwise the number of arguments is all that is chosen.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.traces.events import Input, Schedule
from threadwise.traces.schedule import MAIN

_MOST = 1000
"""More arguments, or longer ones, are not passed on."""
STARTS = f"{MAIN} starts"


def arguments_of(schedule: Schedule) -> list[bytes]:
    """What the program is started with, behind its name."""
    values = [given.value for given in schedule.inputs if _is_of_start(given)]
    if len(values) == 1:
        return [b"x"] * min(max(values[0] - 1, 0), _MOST)
    return list(_texts(values))[1:]


def _is_of_start(given: Input) -> bool:
    return given.thread == 0 and given.text == STARTS


def _texts(values: Sequence[int]) -> Iterator[bytes]:
    remaining = iter(values)

    def yes() -> int:
        """How often the answer is yes before it is no."""
        times = 0
        while next(remaining, 0):
            times += 1
        return min(times, _MOST)

    for _ in range(1 + yes() if values else 0):
        size = yes()
        characters = bytes(next(remaining, 0) % 256 for _ in range(size))
        yield characters.split(b"\0")[0]
