"""Running the command line as the tests of the command line do."""

from tests.unit.cli.conftest import run

__all__ = ["run"]
