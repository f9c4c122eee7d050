"""Batches on a cluster of two local workers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from threadwise.batch.cluster import Cluster
from threadwise.batch.database import Database
from threadwise.batch.running import plan, run_batch
from threadwise.batch.tasks import Ending, Task
from threadwise.core.errors import InputError

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

MODELS = {
    "safe": "int[0..1] x; thread t { x = 1; assert(x == 1); }",
    "unsafe": "int[0..1] x; thread t { x = 1; assert(x == 0); }",
}


@pytest.fixture
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as running:
        yield running


def tasks_in(folder: Path, count: int) -> dict[str, Task]:
    """So many models of each kind."""
    tasks = {}
    for number in range(count):
        for kind, text in MODELS.items():
            path = folder / f"{kind}{number}.tw"
            path.write_text(text)
            tasks[path.name] = Task(path.name, (str(path),), ("assertions",))
    return tasks


def check_endings(folder: Path, tasks: dict[str, Task], cluster: Any) -> None:
    """Run the tasks, and see that each has its verdict."""
    with Database(str(folder / "r.db"), writing=True) as database:
        todo = plan(database, tasks)
        runner = Cluster(cluster.scheduler_address, 60)
        run_batch(database, todo.waiting, runner, lambda known, outcome: None)
        endings = {name: known.ending for name, known in database.known().items()}
    assert endings == {
        name: Ending.UNSAFE if name.startswith("unsafe") else Ending.SAFE for name in tasks
    }


def test_the_same_results_as_here(tmp_path: Path, cluster: Any) -> None:
    check_endings(tmp_path, tasks_in(tmp_path, 3), cluster)


def test_a_worker_that_dies_costs_nothing(tmp_path: Path, cluster: Any) -> None:
    victim = next(iter(cluster.workers.values())).pid

    def kill() -> None:
        while not any((tmp_path / "r.db-files" / "running").glob("*/report.json")):
            time.sleep(0.05)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    check_endings(tmp_path, tasks_in(tmp_path, 5), cluster)
    killer.join()


def test_nobody_answers() -> None:
    pytest.importorskip("distributed")
    with pytest.raises(InputError, match="--scheduler tcp://127"):
        Cluster("tcp://127.0.0.1:1", None)
