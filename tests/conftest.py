"""Settings common to all tests: defects are failures, and the hypothesis profiles.

The driver goes on when an engine fails. In a test that must not go unnoticed: a result with a
defect is an error where the result is made, unless the test asks for `defects_expected`.

`HYPOTHESIS_PROFILE` picks one: `dev` for quick rounds while editing, `ci` for runs that must be
the same each time, `nightly` for many examples.
"""

import gc
import os
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.sampling import SAMPLED, left_out
from threadwise.cli import terminal
from threadwise.core.budget import resident_bytes
from threadwise.driver.running.collector import Collector
from threadwise.driver.verdicts import auditing
from threadwise.results.result import Result

settings.register_profile("dev", max_examples=25, deadline=None)
settings.register_profile(
    "ci",
    max_examples=12,
    derandomize=True,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "nightly",
    max_examples=1200,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the everyday run large families are represented by a sample: see `tests.sampling`."""
    if os.environ.get(SAMPLED):
        left = left_out(items)
        config.hook.pytest_deselected(items=left)
        night = set(left)
        items[:] = [item for item in items if item not in night]


GROWTH = 150 << 20
"""When a process has grown by so many bytes, what tests have left in cycles is collected."""

SELDOM = (100_000, 20, 99)
"""How often the collector looks: as seldom as in the tool, but not quite the same, since the
command line, which has one program, keeps whatever was made when it was read."""

_grown = {"from": 0}


def pytest_collection_finish() -> None:
    """The collector looks seldom, and not at what there is before all tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*SELDOM)
    _grown["from"] = resident_bytes()


def pytest_runtest_logfinish() -> None:
    """Programs that are done with go: tests start processes, and each is a copy of this one.

    A process of some gigabytes takes a tenth of a second to copy, and more when it writes.
    Tests of the command line leave the collector as that wants it.
    """
    if gc.get_threshold() != SELDOM:
        gc.set_threshold(*SELDOM)
        gc.unfreeze()
    if resident_bytes() - _grown["from"] > GROWTH:
        gc.collect()
        _grown["from"] = resident_bytes()


_result = Collector.result


def _sound_result(
    collector: Collector, reason: str | None, *, interrupted: bool = False
) -> Result:
    for defect in collector.defects:
        raise AssertionError(f"{defect.message}\n{defect.traceback}")
    return _result(collector, reason, interrupted=interrupted)


@pytest.fixture(scope="session", autouse=True)
def _no_defects() -> Iterator[None]:
    """Defects fail the test that comes upon them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Collector, "result", _sound_result)
        yield


FEWER_STATES = 100
"""So many states an audit visits at least in the everyday run, instead of 300."""


@pytest.fixture(autouse=True)
def short_audits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Proofs that tests come by are audited for a shorter time; `make nightly` has all of it."""
    if os.environ.get(SAMPLED):
        monkeypatch.setattr(auditing, "LEAST", FEWER_STATES)


@pytest.fixture
def defects_expected(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests about failing engines."""
    monkeypatch.setattr(Collector, "result", _result)


@pytest.fixture(autouse=True)
def _commands_begin_now(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time limit of a command counts from its start, which is not that of all tests."""
    monkeypatch.setattr(terminal, "STARTED", time.monotonic())
