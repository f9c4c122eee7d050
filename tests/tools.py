"""Programs that some tests need: where they are missing, the tests are skipped or fail.

CI installs them and sets `THREADWISE_REQUIRE_TOOLS`: there, nothing is skipped for want of a tool.
"""

from __future__ import annotations

import os
import shutil

import pytest

REQUIRED = "THREADWISE_REQUIRE_TOOLS"


def needs(*tools: str) -> pytest.MarkDecorator:
    """A mark for tests that run these programs."""
    missing = [tool for tool in tools if shutil.which(tool) is None]
    skipped = bool(missing) and not os.environ.get(REQUIRED)
    return pytest.mark.skipif(skipped, reason=f"needs {', '.join(missing or tools)}")
