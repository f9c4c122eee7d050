"""What counts as having seen a violation; the runtime's own word is no part of it.

| violation  | seen                                                                             |
|------------|----------------------------------------------------------------------------------|
| assertion  | the process dies of SIGABRT, at that line: by the C library's message, or because |
|            | the call there is on the stack                                                    |
| race       | a report of ThreadSanitizer with both lines                                       |
| deadlock   | every thread of the set asleep for two seconds, the call it waits in on its stack; |
|            | or in a call that spins whenever it is looked at in two seconds, passing nothing  |
| misuse     | a report of ThreadSanitizer about a mutex, with that line                         |
| memory     | death by a signal, or a report of ThreadSanitizer, at that line                   |
"""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from threadwise.core.source import Span
from threadwise.reproduction.machine_code import MachineCode, Site, is_same_file
from threadwise.reproduction.outcome import Outcome, OutcomeKind
from threadwise.reproduction.points import SPIN
from threadwise.reproduction.watching import Running
from threadwise.traces.events import End, EndKind

_ASSERTION = re.compile(r"([^\s:]+):(\d+): .*Assertion .* failed")
_FRAME = re.compile(r"^\s+#\d+ (\S+) (.+?):(\d+)")
_REPORT = re.compile(r"^={18}\n(WARNING: ThreadSanitizer: .*?)^={18}$", re.MULTILINE | re.DOTALL)
_STACK_HEAD = re.compile(r"^  (?:\S.*) (?:of size \d+ at|by thread|by main thread)", re.MULTILINE)
_SLEEP_S = 2.0
_WAIT_S = 10.0
_POLL_S = 0.05
_BEHIND = re.compile(r"\s+(Mutex|Thread) ")
"""What follows the accesses in a report."""
_RUNTIME = "/threadwise/reproduction/runtime/"
_OF_MUTEXES = re.compile(r"mutex|lock")

_Mark = tuple[str, int]


@dataclass(frozen=True)
class Observer:
    """Waits for one violation."""

    end: End
    code: MachineCode
    threads: Sequence[str]

    def observe(self, running: Running) -> Outcome:
        """What is seen when all events have happened."""
        match self.end.kind:
            case EndKind.ASSERTION:
                return self._assertion(running)
            case EndKind.RACE:
                return self._race(running)
            case EndKind.DEADLOCK:
                return self._deadlock(running)
            case EndKind.MISUSE | EndKind.MEMORY:
                return self._failure(running)

    # -- failures -------------------------------------------------------------------------------

    def _assertion(self, running: Running) -> Outcome:
        code = running.until_ended(_WAIT_S)
        if code != -signal.SIGABRT:
            return _diverged(f"the assertion did not fail: {ending(code)}")
        (span,) = self.end.spans
        for match in _ASSERTION.finditer(running.errors):
            if _is_at(match[1], int(match[2]), span):
                return _reproduced("the assertion failed (SIGABRT)", match[0])
        for site in self.aborted_at(running):
            if span is not None and site[0].is_inside(span):
                return _reproduced("the program aborted (SIGABRT)", site[1])
        return _diverged("the program aborted somewhere else", *running.errors.splitlines()[-3:])

    def aborted_at(self, running: Running) -> Iterator[tuple[Site, str]]:
        """The calls on the stack of the thread that aborted."""
        for address in running.page.read().frames:
            site = self.code.at.get(address)
            if site is not None:
                yield site, f"{site.path}:{site.line}: in {site.function}: {site.callee} is called"

    def _failure(self, running: Running) -> Outcome:
        (span,) = self.end.spans
        code = None
        for _ in _until(_WAIT_S):
            code = running.process.poll()
            for report in reports(running):
                told = self.end.kind is EndKind.MEMORY or _OF_MUTEXES.search(report.split("\n")[0])
                if told and any(_is_at(path, line, span) for path, line in frames(report)):
                    return _reproduced("ThreadSanitizer reports it", *report.splitlines()[:4])
            if code is not None:
                break
        if self.end.kind is EndKind.MEMORY and code is not None and code < 0:
            return _reproduced(f"the program died: {ending(code)}")
        return Outcome(OutcomeKind.NOT_FORCED, f"{self.end.message}: nothing shows it in a run")

    # -- races ----------------------------------------------------------------------------------

    def _race(self, running: Running) -> Outcome:
        seen: list[str] = []
        for _ in _until(_WAIT_S):
            ended = running.has_ended()
            seen = list(reports(running))
            for report in seen:
                if "data race" in report and self._is_of_both(report):
                    return _reproduced(
                        "ThreadSanitizer reports the race", *_accesses_told(report)[:9]
                    )
            if ended:
                break
        others = [report.splitlines()[0] for report in seen]
        if any("data race" in report and self._is_of_one(report) for report in seen):
            reason = (
                "ThreadSanitizer reports another race of one of the accesses, which hides this"
            )
            return Outcome(OutcomeKind.NOT_FORCED, reason, None, tuple(others))
        if any(self._is_of_freed(report) for report in seen):
            reason = "ThreadSanitizer reports the use of freed memory or a destroyed lock instead"
            return Outcome(OutcomeKind.NOT_FORCED, reason, None, tuple(others))
        return _diverged("ThreadSanitizer does not report the race", *others)

    def _is_of_freed(self, report: str) -> bool:
        """Whether a report is about what was freed before it was used in one of the two places.

        Memory of locks is known to ThreadSanitizer as locks only.
        """
        head = report.partition("\n")[0]
        freed = "use-after-free" in head or "invalid mutex" in head
        return freed and any(_has(list(frames(report)), span) for span in self.end.spans)

    def _is_of_one(self, report: str) -> bool:
        """Whether one of the accesses of a report is in one of the two places.

        ThreadSanitizer reports one race for an access, and forgets an access that it reported.
        """
        stacks = list(_access_stacks(report))[:2]
        return any(_has(stack, span) for stack in stacks for span in self.end.spans)

    def _is_of_both(self, report: str) -> bool:
        """Whether the two accesses of a report are in the two places, in either order."""
        stacks = list(_access_stacks(report))[:2]
        if len(stacks) < 2:
            return False
        first, second = self.end.spans
        return any(
            _has(stacks[0], one) and _has(stacks[1], other)
            for one, other in ((first, second), (second, first))
        )

    # -- deadlocks ------------------------------------------------------------------------------

    def _deadlock(self, running: Running) -> Outcome:
        page = running.page.read()
        tids = [page.threads[number].tid for number in self.end.threads]
        still_since = time.monotonic()
        marks = [self._mark(running, number) for number in self.end.threads]
        for _ in _until(_WAIT_S):
            if running.has_ended():
                return _diverged(f"the program ended: {ending(running.process.poll())}")
            now = [
                self._mark(running, number, last)
                for number, last in zip(self.end.threads, marks, strict=True)
            ]
            if now != marks or None in now:
                marks, still_since = now, time.monotonic()
            if time.monotonic() - still_since >= _SLEEP_S:
                return self._asleep(running, tids, page.base)
        return _diverged("the threads do not sleep")

    def _mark(self, running: Running, number: int, last: _Mark | None = None) -> _Mark | None:
        """What stays the same while a thread sleeps, or spins in one call; None: it does neither.

        One who spins is not always asleep when he is looked at, and only then is it known where
        he is: otherwise what was seen last counts, as long as he passes nothing. That he is asleep
        a moment later says nothing else.
        """
        page = running.page.read()
        thread = page.threads[number]
        calls = running.calls(thread.tid, self.code, page.base)
        called = next((call for call in calls if call.is_wrapped), None)
        if called is not None and called.callee.endswith(SPIN):
            return f"{SPIN} {called.address}", thread.passed
        if called is None and last and last[0].startswith(SPIN) and last[1] == thread.passed:
            return last
        if running.is_asleep(thread.tid):
            return running.wakings(thread.tid), thread.passed
        return None

    def _asleep(self, running: Running, tids: Sequence[int], base: int) -> Outcome:
        seen: list[str] = []
        for number, tid, span in zip(self.end.threads, tids, self.end.spans, strict=True):
            sites = _calls(running, tid, self.code, base)
            waits = [s for s in sites if span is None or s.is_inside(span)]
            if not waits:
                there = f", but at line {sites[0].line}" if sites else ""
                return _diverged(f"{self.threads[number]} does not wait at {span}{there}")
            site = waits[0]
            callee = site.callee.removeprefix("__wrap_")
            verb = "spins" if callee == SPIN else "sleeps"
            seen.append(f"{self.threads[number]} {verb} in {callee} at {site.path}:{site.line}")
        return _reproduced("all threads of the set sleep or spin for two seconds", *seen)


def _calls(running: Running, tid: int, code: MachineCode, base: int) -> list[Site]:
    """The calls on a stack, as soon as its thread sleeps."""
    for _ in _until(_SLEEP_S):
        found = list(running.calls(tid, code, base))
        if found:
            return found
    return []


# -- reports of ThreadSanitizer ----------------------------------------------------------------


def reports(running: Running) -> Iterator[str]:
    """The reports that ThreadSanitizer has written so far."""
    for path in sorted(running.folder.glob("tsan.*")):
        for match in _REPORT.finditer(path.read_text("utf-8", "replace")):
            yield match[1]


def _accesses_told(report: str) -> list[str]:
    """Both accesses of a report, without the frames of our runtime, where threads start."""
    lines = (line for line in report.splitlines() if line.strip() and _RUNTIME not in line)
    return list(takewhile(lambda line: not _BEHIND.match(line), lines))


def frames(report: str) -> Iterator[tuple[str, int]]:
    """The places in a report."""
    for line in report.splitlines():
        match = _FRAME.match(line)
        if match is not None:
            yield match[2], int(match[3])


def _access_stacks(report: str) -> Iterator[list[tuple[str, int]]]:
    """The stacks of the accesses: paragraphs that begin with what was accessed."""
    for paragraph in report.split("\n\n"):
        if _STACK_HEAD.search(paragraph):
            yield list(frames(paragraph))


def _has(stack: Sequence[tuple[str, int]], span: Span | None) -> bool:
    return any(_is_at(path, line, span) for path, line in stack)


def _is_at(path: str, line: int, span: Span | None) -> bool:
    if span is None:
        return True
    return span.line <= line <= span.end_line and is_same_file(path, span.path)


# -- answers -----------------------------------------------------------------------------------


def ending(code: int | None) -> str:
    """How a process ended, in words."""
    if code is None:
        return "the program still runs"
    if code < 0:
        return f"the program was killed by {signal.Signals(-code).name}"
    return f"the program ended with exit code {code}"


def _until(limit_s: float) -> Iterator[None]:
    """Rounds of a loop that looks at something, up to a limit; one more after it."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        yield
        time.sleep(_POLL_S)
    yield


def _reproduced(reason: str, *seen: str) -> Outcome:
    return Outcome(OutcomeKind.REPRODUCED, reason, None, seen)


def _diverged(reason: str, *seen: str) -> Outcome:
    return Outcome(OutcomeKind.DIVERGED, reason, None, seen)
