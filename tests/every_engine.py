"""What every engine says about a C program, for tests that no two contradict each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache

from threadwise.core.budget import Budget
from threadwise.core.source import SourceFile
from threadwise.driver import CheckOptions, check_loaded
from threadwise.driver.loading import Input, load_c_sources
from threadwise.engines.registry import ENGINES
from threadwise.evidence.result import LoadOptions

STEPS = 4_000
"""Of each engine: small programs are decided within."""


@cache
def loaded(text: str) -> Input:
    """A C program, loaded once."""
    return load_c_sources([SourceFile("t.c", text)], LoadOptions())


def verdicts(
    text: str, name: str, engines: Iterable[str] = tuple(ENGINES), steps: int = STEPS
) -> Mapping[str, str]:
    """The verdict about a property by engine."""
    found: dict[str, str] = {}
    for engine in engines:
        options = CheckOptions(properties=(name,), engine=engine, budget=Budget(steps=steps))
        result = check_loaded("t.c", lambda: loaded(text), options, in_process=True)
        found[engine] = result.verdict.value
    return found
