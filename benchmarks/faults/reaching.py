"""Which tests reach which lines: a fault is only asked of those that do.

The tests run once, each under a name of its own in the measurement of lines, in a process of its
own. The result is kept in a file.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import coverage
import pytest

from benchmarks.faults.mutations import ROOT

QUIET = ["-q", "-n", "0", "-p", "no:cacheprovider"]


@dataclass(frozen=True)
class Reaching:
    """The tests, with the seconds they take, and those that reach each line."""

    seconds: dict[str, float]
    lines: dict[str, dict[str, list[str]]]

    def tests(self, module: str, line: int) -> list[str]:
        """The tests that reach a line: those of the module, of its package, the quickest first."""
        found = self.lines.get(module, {}).get(str(line), [])
        return sorted(found, key=lambda name: (_distance(module, name), self.seconds[name], name))


def _distance(module: str, test: str) -> tuple[bool, int]:
    """How far the tests of a file are from a module: its own tests are at the same path."""
    path = Path(test.partition("::")[0])
    mine = Path("tests", "unit", *Path(module).parts[1:])
    own = path == mine.with_name(f"test_{mine.name}")
    shared = sum(a == b for a, b in zip(mine.parent.parts, path.parent.parts, strict=False))
    return not own, -shared


class _Names:
    """Gives what is measured the name of the test that runs."""

    def __init__(self, measured: coverage.Coverage) -> None:
        self.measured = measured
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """A test, from its preparation to its end."""
        self.measured.switch_context(item.nodeid)
        started = time.process_time()
        try:
            return (yield)
        finally:
            self.seconds[item.nodeid] = time.process_time() - started
            self.measured.switch_context("")


def reaching(path: Path, modules: Sequence[str], tests: Sequence[str]) -> Reaching:
    """What a file says, or what is found now."""
    if not path.exists():
        child = os.fork()
        if child == 0:
            status = 1
            try:
                _measure(path, modules, tests)
                status = 0
            finally:
                os._exit(status)
        if os.waitpid(child, 0)[1]:
            raise SystemExit("the tests could not be measured")
    known = json.loads(path.read_text(encoding="utf-8"))
    return Reaching(known["seconds"], known["lines"])


def _measure(path: Path, modules: Sequence[str], tests: Sequence[str]) -> None:
    measured = coverage.Coverage(
        data_file=None, include=[str(ROOT / module) for module in modules], config_file=False
    )
    names = _Names(measured)
    measured.start()
    try:
        status = pytest.main([*QUIET, *tests], plugins=[names])
    finally:
        measured.stop()
    if status != 0:
        raise SystemExit("tests fail without any fault")
    data = measured.get_data()
    lines = {
        str(Path(file).relative_to(ROOT)): {
            str(line): sorted(filter(None, contexts))
            for line, contexts in data.contexts_by_lineno(file).items()
        }
        for file in data.measured_files()
    }
    path.write_text(json.dumps({"seconds": names.seconds, "lines": lines}), encoding="utf-8")
