"""The default strategy: every engine of the registry, cheapest first, in growing slices.

An engine that does not come to its end within a slice of steps gives way to the next one and has
another go, from the start, with a larger slice: so an engine that diverges cannot keep another one
from answering, and the time wasted is a fraction of the time used. Steps, not seconds, make up a
slice: same input, same answer.
"""

from __future__ import annotations

from dataclasses import replace

from threadwise.engines.api import Engine
from threadwise.engines.registry import ENGINES, EngineInfo

AUTO = "auto"
AUTO_SLICES = tuple(5_000 * 4**k for k in range(9))
"""Steps per engine and round; who has not ended after the last is given up."""


def auto_engines() -> list[EngineInfo]:
    """The engines to try, in order.

    Facts cost time, so thread-modular checking does without at first; with them it comes after
    `counting`, which finds them.
    """
    found: list[EngineInfo] = []
    for info in ENGINES.values():
        if info.name == "thread-modular":
            found.append(replace(info, create=_without_facts))
        elif info.in_auto:
            found.append(info)
        if info.name == "counting":
            plain = ENGINES["thread-modular"]
            found.append(replace(plain, name="thread-modular --facts", create=_with_facts))
    return found


def _without_facts() -> Engine:
    from threadwise.engines.thread_modular.engine import ThreadModularEngine

    return ThreadModularEngine(facts=False)


def _with_facts() -> Engine:
    from threadwise.engines.thread_modular.counted import CountedEngine

    return CountedEngine()
