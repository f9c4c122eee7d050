"""What `threadwise --help` may import: nothing that takes long."""

import subprocess
import sys

HEAVY = {
    "rich",
    "lark",
    "psutil",
    "tomllib",
    "json",
    "threadwise.driver",
    "threadwise.engines",
    "threadwise.frontends",
    "threadwise.ir",
    "threadwise.report",
    "threadwise.backends",
    "z3",
    "dd",
    "numpy",
}


def test_the_entry_point_imports_nothing_heavy() -> None:
    script = "import sys, threadwise.cli.main; print(*sys.modules, sep='\\n')"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert HEAVY.isdisjoint(done.stdout.split())
