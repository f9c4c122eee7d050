"""What every engine says about a C program, for tests that no two contradict each other."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Mapping
from functools import cache

from tests.sampling import SAMPLED
from threadwise.core.budget import Budget
from threadwise.core.load_options import DEFAULT_MAX_THREADS, LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import Input, load_c_sources
from threadwise.engines.registry import ENGINES

STEPS = 10_000
"""Of each engine: small programs are decided within."""
PROVERS = tuple(name for name, info in ENGINES.items() if info.in_auto and name != "walks")
"""The engines whose proofs differ in kind."""
SLOWEST = ("horn", "tar")
"""Both look for predicates, and take as long as all others together."""


@cache
def loaded(text: str, max_threads: int = DEFAULT_MAX_THREADS) -> Input:
    """A C program, loaded once."""
    return load_c_sources([SourceFile("t.c", text)], LoadOptions(max_threads=max_threads))


def verdicts(
    text: str,
    *names: str,
    engines: Iterable[str] = PROVERS,
    steps: int = STEPS,
    max_threads: int = DEFAULT_MAX_THREADS,
) -> Mapping[str, tuple[str, ...]]:
    """The verdicts about properties by engine, in the order of the program."""
    found: dict[str, tuple[str, ...]] = {}
    for engine in _sampled(text) if engines is PROVERS else engines:
        asked = CheckOptions(properties=names, engine=engine, budget=Budget(steps=steps))
        result = check_loaded("t.c", lambda: loaded(text, max_threads), asked, in_process=True)
        found[engine] = tuple(each.verdict.value for each in result.properties)
    return found


def _sampled(text: str) -> Iterable[str]:
    """All provers; in the everyday run only one of the two that take longest, by the program."""
    if not os.environ.get(SAMPLED):
        return PROVERS
    left_out = SLOWEST[zlib.crc32(text.encode()) % len(SLOWEST)]
    return [engine for engine in PROVERS if engine != left_out]
