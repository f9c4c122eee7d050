"""Exit codes of all subcommands, and how those of several files combine."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadwise.results.result import Result
    from threadwise.results.verdict import Verdict


class ExitCode(IntEnum):
    """What the exit code of the process says; docs/user/exit-codes.md has the full table."""

    SAFE = 0
    UNSAFE = 1
    REJECTED = 2
    """Wrong usage or input; also what the option parser exits with."""
    UNKNOWN = 3
    INTERNAL = 70

    @staticmethod
    def of(verdict: Verdict) -> ExitCode:
        """The exit code for a verdict."""
        return ExitCode[verdict.name]

    @staticmethod
    def of_result(result: Result) -> ExitCode:
        """The exit code for what became of a program: failures of the tool come first."""
        return ExitCode.INTERNAL if result.defects else ExitCode.of(result.verdict)


_BY_GRAVITY = (
    ExitCode.SAFE,
    ExitCode.UNKNOWN,
    ExitCode.UNSAFE,
    ExitCode.REJECTED,
    ExitCode.INTERNAL,
)


def worst(codes: Iterable[ExitCode]) -> ExitCode:
    """The gravest of several: a broken tool, then bad input, then UNSAFE, UNKNOWN, SAFE."""
    return max(codes, key=_BY_GRAVITY.index, default=ExitCode.SAFE)
