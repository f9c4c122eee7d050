"""One concrete next step for what stays UNKNOWN: an option that was tried before it is told.

Tried means: the program was loaded with it, and the place that stood nearest to an answer is gone.
Whether the answer is then another one is for the next run to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from threadwise.core.errors import InputError, Unsupported
from threadwise.core.options import LoadOptions
from threadwise.driver.loading import load_input
from threadwise.ir.program import Program
from threadwise.results.blockers import Blocker, Nearness

_FUNCTION = re.compile(r"(?:call|result) of `?(\w+)`?,|unknown function `?(\w+)")
FEW = 2
"""So many threads show most errors."""


def next_step(path: str, load: LoadOptions, blockers: Sequence[Blocker]) -> str | None:
    """The first option that applies and takes the nearest blockers away; None if there is none."""
    near = [each for each in blockers if each.nearness <= Nearness.BOUND]
    for blocker in near:
        if blocker.bound is not None:
            name, value = blocker.bound
            return f"--{name} {2 * value}"
    program = load_input(path, load).program
    places = [place for blocker in near for place in blocker.told.split("; ")]
    for option, changed in _proposals(program, load, places):
        try:
            left = _limits(load_input(path, changed).program)
        except (InputError, Unsupported):
            continue
        if left.isdisjoint(places):
            return option
    return None


def _proposals(
    program: Program, load: LoadOptions, places: Sequence[str]
) -> Iterator[tuple[str, LoadOptions]]:
    """Options that may help."""
    matches = (match for place in places for match in _FUNCTION.finditer(place))
    names = list(dict.fromkeys(match[1] or match[2] for match in matches))
    if names:
        option = " ".join(f"--assume-pure {name}" for name in names)
        pure = load.c.pure | frozenset(names)
        yield option, replace(load, c=replace(load.c, pure=pure))
    if any("threads" in place for place in places):
        open_names = [each.name for each in program.templates if each.count is None]
        if open_names:
            option = " ".join(f"--threads {name}={FEW}" for name in open_names)
            threads = {**load.threads, **dict.fromkeys(open_names, FEW)}
            yield option, replace(load, threads=threads)
        more = 2 * load.max_threads
        yield f"--max-threads {more}", replace(load, max_threads=more)


def _limits(program: Program) -> set[str]:
    """Where the model ends, in words."""
    failures = (location.failure for location in program.locations)
    return {each.message for each in failures if each is not None and each.kind.is_limit}
