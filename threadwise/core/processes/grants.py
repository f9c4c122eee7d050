"""Time slices, counted in steps: a meter that waits for more steps instead of stopping.

A worker that shares a machine with others gets its steps in *grants*. When one is spent, the meter
sends a message and waits, inside `Meter.check`, so the code that counts steps is not aware of it:
it continues where it was as soon as there are more. A grant also carries *news*: results that
other workers found meanwhile.

    granting process                        worker
    ----------------                        ------
    read frames     <------ messages -----  Spent(steps, time_s): the meter waits
    Orders.grant    ------- orders ------>  Grant(steps, news): the meter goes on
"""

from __future__ import annotations

import os
import pickle
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from threadwise.core.budget import UNLIMITED, Budget, Meter
from threadwise.core.quick_dataclass import dataclass

_LENGTH = struct.Struct("!Q")


@dataclass(frozen=True, slots=True)
class Grant:
    """So many more steps, and the results of other workers since the last grant."""

    steps: int
    news: object = None


@dataclass(frozen=True, slots=True)
class Spent:
    """A worker has used up its grant and waits: its steps and its processor time so far."""

    steps: int
    time_s: float


class Orders:
    """The pipe for grants. Made before the fork; each side then closes the end it does not use."""

    def __init__(self) -> None:
        self.reader, self.writer = os.pipe()

    def grant(self, grant: Grant) -> None:
        """Let the worker go on; raises BrokenPipeError if it is gone."""
        payload = pickle.dumps(grant, protocol=pickle.HIGHEST_PROTOCOL)
        rest = memoryview(_LENGTH.pack(len(payload)) + payload)
        while rest:
            rest = rest[os.write(self.writer, rest) :]

    def wait(self) -> Grant:
        """The next grant; raises EOFError if the granting process is gone."""
        (length,) = _LENGTH.unpack(self._read(_LENGTH.size))
        grant = pickle.loads(self._read(length))
        assert isinstance(grant, Grant)
        return grant

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = os.read(self.reader, size - len(data))
            if not more:
                raise EOFError("nobody grants anything any more")
            data += more
        return data


class GrantedMeter(Meter):
    """A meter that waits where its steps are spent.

    `wait` reports what was spent and returns the next grant; `hear` receives the news that come
    with it. The first grant is `granted`.
    """

    def __init__(
        self,
        wait: Callable[[Spent], Grant],
        hear: Callable[[object], None],
        granted: int = 0,
        budget: Budget = UNLIMITED,
    ) -> None:
        self._wait = wait
        self._hear = hear
        self._granted = granted
        self._at_leisure = 0
        self._began_s = time.process_time()
        super().__init__(budget)

    @property
    def worked_s(self) -> float:
        """Processor time since the meter was made: others may be at work at the same time."""
        return time.process_time() - self._began_s

    def measure(self) -> None:
        """Wait for more steps if there are none left; then check all limits."""
        while not self._at_leisure and self.steps >= self._granted:
            grant = self._wait(Spent(self.steps, self.worked_s))
            self._granted = self.steps + grant.steps
            if grant.news is not None:
                self._hear(grant.news)
        super().measure()

    @contextmanager
    def at_leisure(self) -> Iterator[None]:
        """Steps that need no grant, for work that others wait for; they are counted."""
        self._at_leisure += 1
        try:
            yield
        finally:
            self._at_leisure -= 1

    def _allowance(self) -> int:
        allowed = super()._allowance()
        return allowed if self._at_leisure else max(0, min(allowed, self._granted - self.steps))
