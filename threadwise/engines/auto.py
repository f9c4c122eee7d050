"""The default strategy: every engine of the registry, cheapest first, in growing slices.

An engine that does not come to its end within a slice of steps gives way to the next one and has
another go, from the start, with a larger slice: so an engine that diverges cannot keep another one
from answering, and the time wasted is a fraction of the time used. Steps, not seconds, make up a
slice: same input, same answer.
"""

from __future__ import annotations

from threadwise.engines.registry import ENGINES, EngineInfo

AUTO = "auto"
AUTO_SLICES = tuple(5_000 * 4**k for k in range(9))
"""Steps per engine and round; who has not ended after the last is given up."""


def auto_engines() -> list[EngineInfo]:
    """The engines to try, in order."""
    return [info for info in ENGINES.values() if info.in_auto]
