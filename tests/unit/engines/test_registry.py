"""The list of engines."""

from __future__ import annotations

import subprocess
import sys

from tests.robustness.command_line import environment
from threadwise.engines.auto import AUTO, auto_engines
from threadwise.engines.registry import ENGINES


def test_auto_is_no_engine_of_its_own() -> None:
    assert AUTO not in ENGINES
    tried = [info.name for info in auto_engines()]
    assert tried[0] == "thread-modular"
    assert "explicit" in tried
    after = tried.index("counting") + 1
    assert tried[after] == "thread-modular --facts"
    del tried[after]
    assert tried == [name for name in ENGINES if name in tried]


def test_listing_engines_loads_none() -> None:
    script = "import sys, threadwise.engines.registry; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=environment(),
    )
    loaded = set(done.stdout.split())
    assert not {"threadwise.engines.explicit", "threadwise.systems.concrete"} & loaded
