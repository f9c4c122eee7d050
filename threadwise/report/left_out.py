"""What a report leaves out, in words: how many findings, and which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from threadwise.core.words import count
from threadwise.results.result import Suppressed, Why


def told_counts(suppressed: Iterable[Suppressed]) -> str:
    """How many are left out: "2 suppressed, 1 excluded"."""
    found = [each.why for each in suppressed]
    out = sum(why is Why.EXCLUDED for why in found)
    counts = [(len(found) - out, "suppressed"), (out, "excluded")]
    return ", ".join(f"{number} {word}" for number, word in counts if number)


def told_list(suppressed: Sequence[Suppressed]) -> Iterator[str]:
    """Each in a line."""
    if suppressed:
        yield f"not reported: {count(len(suppressed), 'finding')} ({told_counts(suppressed)})"
    for each in suppressed:
        where = "" if not each.places else f"{each.places[0].path}:{each.places[0].line}: "
        reason = "" if each.reason is None else f": {each.reason}"
        yield f"  {where}{each.name}: {each.message} ({each.why.value}{reason})"
