"""What `threadwise --help` may import: nothing that takes long."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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


NOT_FOR_A_PIPE = {"rich.console", "rich.text", "threadwise.proofs.state_set.explain"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="work is done in forked processes")
def test_a_short_check_loads_nothing_that_it_does_not_use() -> None:
    program = Path(__file__).parents[3] / "examples" / "flanagan_qadeer" / "simple_boolean.tw"
    script = (
        "import sys, threadwise.cli.main\n"
        f"sys.argv = ['threadwise', 'check', {str(program)!r}]\n"
        "try:\n    threadwise.cli.main.main()\n"
        "finally:\n    print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.stdout.endswith("SAFE\n")
    assert "proof of" in done.stdout
    assert NOT_FOR_A_PIPE.isdisjoint(done.stderr.split())
