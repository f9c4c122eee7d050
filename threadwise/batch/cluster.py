"""Runs on a cluster: Dask's scheduler places them, and repeats those whose worker dies.

The scheduler sees a function that starts a process and waits for it; nothing of ours forks inside
a worker. Sources, database and evidence lie in a file system that all machines share. How many run
at once and how much memory a worker has is the cluster's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from threadwise.batch.local import Job
from threadwise.batch.place import Usage, run_in_place
from threadwise.core.errors import InputError

RETRIES = 2
_PATIENCE = "15s"


class Cluster:
    """The workers behind a scheduler's address."""

    def __init__(self, address: str, time_limit: float | None) -> None:
        """Connect; raises InputError if there is no answer."""
        try:
            import distributed
        except ModuleNotFoundError:
            raise InputError.of(
                "--scheduler needs Dask", hint="pip install 'threadwise[cluster]'"
            ) from None
        try:
            self._client: Any = distributed.Client(address, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise InputError.of(f"--scheduler {address}: {error}") from None
        self._time_limit = time_limit
        self.running: dict[Any, Job] = {}

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Usage] | None]:
        """Each job when it has ended; one whose workers kept dying ended without exit code."""
        import distributed

        with self._client:
            for job in jobs:
                future = self._client.submit(
                    run_in_place,
                    str(job.place.folder.absolute()),
                    list(job.arguments),
                    self._time_limit,
                    retries=RETRIES,
                    pure=False,
                )
                self.running[future] = job
            ended: Any = distributed.as_completed(list(self.running))  # type: ignore[no-untyped-call]
            for future in ended:
                usage = future.result() if future.status == "finished" else Usage()
                yield self.running.pop(future), usage
