"""When garbage is collected."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

_SELDOM = (100_000, 20, 100)


@contextmanager
def collector_paused() -> Iterator[None]:
    """No search for cycles of garbage: a large program is millions of objects, all of them used.

    While one is read, every collection would visit all of them again and find hardly anything.
    Objects without references are freed all the same. Where a process is to collect seldom, what
    was made meanwhile is not searched later either.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            if gc.get_threshold() == _SELDOM:
                gc.freeze()
            gc.enable()


def collect_seldom() -> None:
    """Search for cycles of garbage only after many new objects: ours are mostly here to stay.

    For the command line, whose process is ours alone; a tenth of its time was spent on it.
    """
    gc.set_threshold(*_SELDOM)
