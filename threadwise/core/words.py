"""Words that several messages use."""

from __future__ import annotations

_SINGULAR = {
    "summaries": "summary",
    "solver queries": "solver query",
    "horn queries": "Horn query",
    "queries": "query",
}


def counted(name: str, number: float) -> str:
    """A counter in words; its name is a plural with underscores: "1 solver query"."""
    words = name.replace("_", " ")
    return count(number, _SINGULAR.get(words, words.removesuffix("s")), words)


def count(number: float, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 state", "12,345 states"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
