"""Who spins is seen asleep now and then only: what counts between two looks."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

from threadwise.reproduction.machine_code import MachineCode
from threadwise.reproduction.observing import Observer
from threadwise.reproduction.points import SPIN
from threadwise.reproduction.watching import Running
from threadwise.traces.events import End, EndKind

SEEN = (f"{SPIN} 16", 7)
"""What is remembered of a thread that spins at address 16, after seven events."""


@dataclass
class Process:
    """A process with one thread, as it looks at one moment."""

    callee: str | None
    asleep: bool
    passed: int = 7
    base: int = 0
    threads: list[Any] = field(default_factory=list)

    @property
    def page(self) -> Process:
        return self

    def read(self) -> Process:
        self.threads = [SimpleNamespace(tid=1, passed=self.passed)]
        return self

    def calls(self, *_: object) -> list[Any]:
        if self.callee is None:
            return []
        return [SimpleNamespace(is_wrapped=True, callee=self.callee, address=16)]

    def is_asleep(self, _: int) -> bool:
        return self.asleep

    def wakings(self, _: int) -> str:
        return "woken 3 times"


def mark(process: Process, last: tuple[str, int] | None) -> tuple[str, int] | None:
    observer = Observer(End(EndKind.DEADLOCK, (0,), (None,)), cast(MachineCode, None), ["one"])
    return observer._mark(cast(Running, process), 0, last)


def test_one_who_is_seen_spinning() -> None:
    assert mark(Process(f"__wrap_{SPIN}", asleep=True), None) == SEEN


def test_one_who_spun_and_is_not_seen_now() -> None:
    assert mark(Process(None, asleep=False), SEEN) == SEEN
    assert mark(Process(None, asleep=True), SEEN) == SEEN


def test_one_who_spun_and_went_on() -> None:
    assert mark(Process(None, asleep=False, passed=8), SEEN) is None
    assert mark(Process("__wrap_pthread_join", asleep=True), SEEN) == ("woken 3 times", 7)
    assert mark(Process("__wrap_pthread_join", asleep=False), SEEN) is None


def test_one_who_sleeps() -> None:
    assert mark(Process("__wrap_pthread_join", asleep=True), None) == ("woken 3 times", 7)
    assert mark(Process(None, asleep=False), None) is None
