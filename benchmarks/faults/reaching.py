"""Which tests reach which lines: a fault is only asked of those that do.

The tests run once, each under a name of its own in the measurement of lines, in a process of its
own. The result is kept in a file; later, only the tests of files that changed run again, and those
that reach modules that changed.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import coverage
import pytest

from benchmarks.faults.mutations import ROOT, digest


def quiet(*, night: bool) -> list[str]:
    """How pytest is started; at night, slow tests run as well."""
    chosen = "slow or not slow" if night else "not slow"
    return ["-q", "-n", "0", "-p", "no:cacheprovider", "-m", chosen]


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


def reaching(
    path: Path, modules: Sequence[str], tests: Sequence[str], *, night: bool = False
) -> Reaching:
    """What a file says of test files and modules as they are, and what is found now of others."""
    known = _known(path)
    digests = {file: digest([file]) for file in (*modules, *_files(tests))}
    changed = {file for file, found in digests.items() if known["digests"].get(file) != found}
    reached = (known["lines"].get(module, {}).values() for module in changed)
    stale = {_file(test) for lines in reached for found in lines for test in found} | changed
    asked = [file for file in _files(tests) if file in stale]
    if asked:
        fresh = _measured(path, modules, asked, night=night)
        path.write_text(json.dumps(_merged(known, fresh, stale, digests)), encoding="utf-8")
        known = _known(path)
    return Reaching(known["seconds"], known["lines"])


def _known(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {"seconds": {}, "lines": {}, "digests": {}}
    known: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return known


def _file(test: str) -> str:
    return test.partition("::")[0]


def _files(tests: Sequence[str]) -> list[str]:
    """The files of tests that are meant by files and folders."""
    paths = (ROOT / test for test in tests)
    found = (path.rglob("test_*.py") if path.is_dir() else [path] for path in paths)
    return sorted({str(path.relative_to(ROOT)) for listed in found for path in listed})


def _merged(
    known: dict[str, Any], fresh: dict[str, Any], stale: set[str], digests: dict[str, str]
) -> dict[str, Any]:
    """What is known of files that are not stale, and what was found now of those that are."""
    lines: dict[str, dict[str, list[str]]] = {}
    for source, left_out in ((known, stale), (fresh, set[str]())):
        for module, reached in source["lines"].items():
            for line, tests in reached.items():
                kept = [test for test in tests if _file(test) not in left_out]
                lines.setdefault(module, {}).setdefault(line, []).extend(kept)
    took = {test: s for test, s in known["seconds"].items() if _file(test) not in stale}
    return {
        "seconds": took | fresh["seconds"],
        "lines": lines,
        "digests": known["digests"] | digests,
    }


def _measured(
    path: Path, modules: Sequence[str], tests: Sequence[str], *, night: bool
) -> dict[str, Any]:
    """What a process of its own finds out."""
    given = path.with_suffix(".part")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _measure(given, modules, tests, night=night)
            status = 0
        finally:
            os._exit(status)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("the tests could not be measured")
    found: dict[str, Any] = json.loads(given.read_text(encoding="utf-8"))
    given.unlink()
    return found


def _measure(path: Path, modules: Sequence[str], tests: Sequence[str], *, night: bool) -> None:
    measured = coverage.Coverage(
        data_file=None, include=[str(ROOT / module) for module in modules], config_file=False
    )
    names = _Names(measured)
    measured.start()
    try:
        status = pytest.main([*quiet(night=night), *tests], plugins=[names])
    finally:
        measured.stop()
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
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
