"""Explanations as text.

p, each of 2
  everywhere: x <= 1
  line 38: acquire(m)
  line 43: the end
      m == none && x == 1 || m == other p
  guarantees, that is, all it does to the shared variables:
    when m == self && x == 0:   x := 1   (line 40)
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.words import count
from threadwise.proofs.base.explanation import (
    Fact,
    Formula,
    GuardedUpdate,
    Place,
    ThreadExplanation,
)
from threadwise.proofs.thread_modular.exactness import Exactness
from threadwise.report.page import PLAIN, Page, Style

WIDE = 88
"""Longer formulas than this are broken into their cases."""

MANY_CASES = 8
"""Formulas with more cases than this are cut unless the full text is asked for."""


def explanation_text(
    properties: Sequence[str], threads: Sequence[ThreadExplanation], style: Style = PLAIN
) -> str:
    """A whole proof."""
    page = Page(style)
    page.line(f"proof of {', '.join(properties)}")
    for thread in threads:
        page.blank()
        page.line(thread.title, "bold")
        for note in thread.notes:
            page.line(f"  {note}")
        for bound in thread.everywhere:
            page.line(f"  everywhere: {bound}")
        for fact in thread.invariants:
            _fact(page, fact)
        for summary in thread.summaries:
            page.line(f"  a call of {summary.procedure}, from entry to exit (primed):")
            _formula(page, summary.formula)
        if thread.guarantee:
            page.line("  guarantees, that is, all it does to the shared variables:")
            page.aligned([_update_row(update) for update in thread.guarantee], "    ")
    return page.text()


def exactness_text(exactness: Exactness) -> str:
    """Whether R stands for the reachable states and no others."""
    represented = count(exactness.represented, "state")
    if exactness.reachable is None:
        return f"R stands for {represented}, too many to compare with those that can be reached\n"
    if exactness.is_exact:
        return f"exact: R stands for {represented}, all of which can be reached\n"
    reached = f"{exactness.reachable:,} of which can be reached"
    return f"not exact: R stands for {represented}, {reached}\n"


def _fact(page: Page, fact: Fact) -> None:
    for place in fact.places:
        page.line(f"  {_place(place)}")
    _formula(page, fact.formula)


def _formula(page: Page, formula: Formula) -> None:
    told = str(formula)
    if len(told) <= WIDE or not formula.cases:
        page.line(f"      {told}")
        return
    cases = list(formula.cases)
    hidden = 0 if page.style.full else max(len(cases) - MANY_CASES, 0)
    shown = cases[: len(cases) - hidden]
    if hidden:
        shown.append(f"… ({hidden} more cases: --full)")
    if formula.common != "true":
        page.line(f"      {formula.common}, and")
    page.line(f"         {shown[0]}")
    for case in shown[1:]:
        page.line(f"      || {case}")


def _place(place: Place) -> str:
    parts = [f"line {place.line}"] if place.line is not None else []
    parts.extend(place.labels[:1])
    where = " ".join(parts)
    return f"{where}: {place.text}" if where and place.text else where or place.text


def _update_row(update: GuardedUpdate) -> list[str]:
    noun = "line" if len(update.lines) == 1 else "lines"
    lines = f"  ({noun} {', '.join(map(str, update.lines))})" if update.lines else ""
    return [f"when {update.guard}:", " | ".join(update.updates) + lines]
