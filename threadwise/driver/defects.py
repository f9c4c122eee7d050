"""What is recorded when the tool itself fails: enough for a useful bug report.

An engine that crashes, or whose evidence fails its check, costs that engine and not the run:
`Work` goes on with the others. A worker that native code took down, or that failed elsewhere after
the program was loaded, ends the run, and what it had decided by then is reported all the same.
"""

from __future__ import annotations

import signal
import traceback
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from threadwise.core.errors import InternalError
from threadwise.core.processes.worker import Ending, EndingKind
from threadwise.results.result import Defect, DefectKind, PropertyResult
from threadwise.results.verdict import Verdict

_NATIVE_FAILURES = frozenset(
    {
        signal.SIGSEGV,
        signal.SIGABRT,
        signal.SIGBUS,
        signal.SIGFPE,
        signal.SIGILL,
        signal.SIGSYS,
        signal.SIGTRAP,
    }
)
"""What kills a process for what its own code did; other signals come from outside."""


class EvidenceError(InternalError):
    """A proof or a trace that does not pass its check."""

    def __init__(self, message: str, kind: DefectKind) -> None:
        super().__init__(message)
        self.kind = kind


def defect_of(
    engine: str | None,
    error: BaseException,
    properties: Iterable[str] = (),
    steps: int | None = None,
) -> Defect:
    """The defect that an exception shows."""
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, InternalError):
        context = (f"{title}:\n{text.rstrip()}\n" for title, text in error.context.items())
        trace = "\n".join([trace, *context])
    if isinstance(error, EvidenceError):
        return Defect(error.kind, engine, error.message, trace, tuple(properties), steps)
    what = "".join(traceback.format_exception_only(error)).strip()
    message = f"{engine or 'threadwise'} crashed: {what}"
    return Defect(DefectKind.CRASH, engine, message, trace, tuple(properties), steps)


def defect_of_ending(
    engine: str | None, ending: Ending, properties: Iterable[str] = ()
) -> Defect | None:
    """The defect that the end of a worker shows, if it shows one."""
    failed = ending.kind is EndingKind.FAILED
    if ending.kind is EndingKind.CRASHED:
        failed = ending.exit_code is not None or ending.signal in _NATIVE_FAILURES
    if not failed:
        return None
    message = f"{engine or 'threadwise'} crashed: {ending.reason}"
    trace = ending.traceback or ""
    return Defect(DefectKind.CRASH, engine, message, trace, tuple(properties))


def contradiction(result: PropertyResult, verdict: Verdict, engine: str) -> Defect:
    """Two engines gave evidence to the contrary, and both passed."""
    told = (
        f"{result.engine} says {result.verdict.value} of {result.name}, which is"
        f" {verdict.value} by {engine}"
    )
    return Defect(DefectKind.PROOF, result.engine, told, properties=(result.name,))


def told_options(options: object, defaults: object) -> Mapping[str, str]:
    """The options that differ from their defaults, in words."""
    return dict(_differing(options, defaults))


def _differing(options: Any, defaults: Any) -> Iterator[tuple[str, str]]:
    for member in fields(options):
        value, usual = getattr(options, member.name), getattr(defaults, member.name)
        if is_dataclass(value) and type(value) is type(usual):
            yield from _differing(value, usual)
        elif value != usual:
            yield member.name, str(value)
