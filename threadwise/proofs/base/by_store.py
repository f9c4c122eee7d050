"""Answers that depend on the shared store and on little else.

Shared stores may be large, and many questions are asked about one before the next: a store is
looked up when it is another object than that of the question before.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

from threadwise.semantics.state import GlobalStore

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")


class ByStore(Generic[Question, Answer]):
    """Answers to questions, store by store."""

    def __init__(self) -> None:
        self._answers: dict[GlobalStore, dict[Question, Answer]] = {}
        self._recent: tuple[GlobalStore, dict[Question, Answer]] | None = None

    def at(self, g: GlobalStore) -> dict[Question, Answer]:
        """What was answered about a store; answers are added here."""
        recent = self._recent
        if recent is None or recent[0] is not g:
            recent = self._recent = g, self._answers.setdefault(g, {})
        return recent[1]
