"""Running the command line as the tests of the command line do."""

import pytest

from tests.unit.cli.conftest import run

__all__ = ["run"]


@pytest.fixture
def short_audits() -> None:
    """Pages show what users see: audits of full length."""
