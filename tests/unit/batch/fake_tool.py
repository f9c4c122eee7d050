"""A stand-in for the tool: a batch whose runs take a moment and write down that they ended.

    python -m tests.unit.batch.fake_tool DATABASE LOG TASKS

Each run writes its task and "began" to the log, waits, writes "ended" and its report.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from threadwise.batch import place
from threadwise.batch.database import Database
from threadwise.batch.local import Local
from threadwise.batch.place import Place
from threadwise.batch.running import plan, run_batch
from threadwise.batch.tasks import Task

RUN = """
import json, sys, time
log, task = sys.argv[1:]
def note(what):
    with open(log, "a") as file:
        file.write(f"{task} {what}\\n")
note("began")
time.sleep(0.05)
report = {"verdict": "SAFE", "reason": None, "engine": None, "inputs": [], "statistics": {}}
text = json.dumps(report)
note("ended")
print(text, flush=True)
"""


def run(database: str, log: str, count: int) -> None:
    """Run a batch of so many tasks to its end."""

    def command_for(arguments: Sequence[str], place: Place) -> list[str]:
        return [sys.executable, "-c", RUN, log, arguments[1]]

    place.command_for = command_for
    tasks = {name: Task(name, (name,)) for name in (f"task{number}" for number in range(count))}
    with Database(database, writing=True) as kept:
        todo = plan(kept, tasks)
        run_batch(kept, todo.waiting, Local(2, None), lambda known, outcome: None)


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], int(sys.argv[3]))
