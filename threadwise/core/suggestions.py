"""What was probably meant by a misspelt name."""

import difflib
from collections.abc import Iterable


def suggest(name: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant by a misspelt name, or None."""
    by_folded = {candidate.casefold(): candidate for candidate in sorted(candidates)}
    close = difflib.get_close_matches(name.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[close[0]] if close else None


def did_you_mean(name: str, candidates: Iterable[str]) -> str | None:
    """The hint "did you mean `…`?" for a misspelt name, or None."""
    candidate = suggest(name, candidates)
    return None if candidate is None else f"did you mean `{candidate}`?"
