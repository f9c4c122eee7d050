"""What tests of single rules have in common."""

from __future__ import annotations

import pytest

from threadwise.engines.locksets import lockset_engine as engine


@pytest.fixture
def _without_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    """By rules about knowledge alone: much is also proved by separation logic."""
    monkeypatch.setattr(engine, "resources_of", lambda *_: None)
