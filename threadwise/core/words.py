"""Words that several messages use."""

from __future__ import annotations


def count(number: int, noun: str, plural: str | None = None) -> str:
    """A number with its noun: "1 state", "12,345 states"."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"
