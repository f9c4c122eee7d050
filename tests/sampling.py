"""Large families of cases, in the everyday run: a fixed sample of each; `make nightly` has all.

A family is a parametrised test. Those with up to `WHOLE` cases run as a whole; of the others, one
case in `ONE_IN` is drawn by a hash of its name, and at least one: none comes or goes with its
neighbours, and no family is left out. Folders of quick tests about the trusted base run as a
whole, since nothing else notices what is wrong there, and so do the commands of the first page
that users read.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import pytest

SAMPLED = "THREADWISE_SAMPLE"
"""Set by `make test`: whoever names tests by hand gets all of them."""
WHOLE = 2
ONE_IN = 20
ALWAYS = (
    "tests/unit/ir/",
    "tests/unit/semantics/",
    "tests/unit/frontends/model/",
    "tests/unit/frontends/c/parse/",
    "tests/docs/test_console.py::test_console_blocks[README.md]",
)
"""How cases begin that all run, in a few seconds all together."""


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The cases that are left to the night."""
    families: dict[str, list[pytest.Item]] = {}
    for item in items:
        if not item.nodeid.startswith(ALWAYS):
            families.setdefault(family(item), []).append(item)
    listed = families.values()
    left = {name for cases in listed for name in undrawn([case.nodeid for case in cases])}
    return [item for item in items if item.nodeid in left]


def family(item: pytest.Item) -> str:
    """The name of a test without that of the case."""
    return item.nodeid.partition("[")[0]


def undrawn(names: Sequence[str]) -> set[str]:
    """Of the cases of a family those that are not in the sample."""
    if len(names) <= WHOLE:
        return set()
    hashes = {name: zlib.crc32(name.encode()) for name in names}
    first = min(names, key=hashes.__getitem__)
    return {name for name in names if hashes[name] % ONE_IN != 0 and name != first}
