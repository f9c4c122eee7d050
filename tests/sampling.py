"""Large families of cases, in the everyday run: a fixed sample of each; `make nightly` has all.

A family is a parametrised test. Those with up to `WHOLE` cases run as a whole; of the others, one
case in `ONE_IN` is drawn by a hash of its name: none comes or goes with its neighbours.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Sequence

import pytest

SAMPLED = "THREADWISE_SAMPLE"
"""Set by `make test`: whoever names tests by hand gets all of them."""
WHOLE = 8
ONE_IN = 6


def left_out(items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The cases that are left to the night."""
    sizes = Counter(map(family, items))
    return [item for item in items if sizes[family(item)] > WHOLE and not is_drawn(item.nodeid)]


def family(item: pytest.Item) -> str:
    """The name of a test without that of the case."""
    return item.nodeid.partition("[")[0]


def is_drawn(name: str) -> bool:
    """Whether a case is in the sample."""
    return zlib.crc32(name.encode()) % ONE_IN == 0
