"""Ordinary C stops nowhere: the limits that programs reach at all are those of the table.

The programs are written as servers, tools and libraries are: many library functions, few of them
interesting. What no run that C gives a meaning gets past is listed, for other limits hide code.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.analyses.limits import front_limits
from threadwise.driver.loading import load_input

FOLDER = Path(__file__).parent / "programs"
NO_FUNCTION = "a call through a pointer that means no function of this type"
NO_LABEL = "goto to no label"
TABLE: dict[str, set[str]] = {
    "chat_server.c": set(),
    "configuration.c": set(),
    "disk_usage.c": set(),
    "interpreter.c": {NO_LABEL},
    "key_value_store.c": set(),
    "merge_sort.c": set(),
    "message_bus.c": {NO_FUNCTION},
    "slab_allocator.c": set(),
    "text_cache.c": set(),
    "thread_keys.c": {NO_FUNCTION},
    "thread_table.c": set(),
    "word_counter.c": set(),
}


def test_the_table_has_every_program() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == list(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_only_undefined_behaviour_is_a_limit(name: str) -> None:
    loaded = load_input(str(FOLDER / name))
    found = {limit.message.partition(": ")[2] for limit in front_limits(loaded.worked_on)}
    assert found == TABLE[name]
    assert [told for told in loaded.assumptions if "unknown function" in told] == []
