"""Which findings the user wants to see: options and comments of `check`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from threadwise.cli.failures import read_sources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from threadwise.core.options import Settings
    from threadwise.report.reporting import Choice
    from threadwise.results.result import Result


def choice_of(settings: Settings) -> Choice | None:
    """What the options say; None: nothing. Raises InputError for a baseline that is none."""
    if not (settings.only or settings.exclude or settings.baseline):
        return None
    from threadwise.report.baseline import read_baseline
    from threadwise.report.reporting import Choice

    known = frozenset[str]() if settings.baseline is None else read_baseline(settings.baseline)
    return Choice(settings.only, settings.exclude, known)


def reported_of(result: Result, choice: Choice | None) -> Result:
    """What is reported of a result."""
    if not chooses(result.files, choice):
        return result
    from threadwise.report.reporting import EVERYTHING, reported

    return reported(result, read_sources(result.files), choice or EVERYTHING)


def chooses(paths: Sequence[str], choice: Choice | None) -> bool:
    """Whether anything may be left out of a report about these files."""
    if choice is not None:
        return True
    from threadwise.report.markers import WORD

    return any(WORD in source.text for source in read_sources(paths).values())
