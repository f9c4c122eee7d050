"""Runs on this machine: so many processes at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass

from threadwise.batch.place import Children, Place, Usage, run_in_place
from threadwise.core.errors import InputError


@dataclass(frozen=True)
class Job:
    """A task on its way: its number, its command and its place."""

    number: int
    arguments: Sequence[str]
    place: Place


class Local:
    """A pool of threads, each of which waits for a process.

    Jobs are begun one for each that ends, so that it is known which are running.
    """

    def __init__(self, jobs: int, time_limit: float | None) -> None:
        self._jobs = jobs
        self._time_limit = time_limit
        self.running: dict[Future[Usage], Job] = {}

    def run(self, jobs: Sequence[Job]) -> Iterator[tuple[Job, Usage] | None]:
        """Each job when it has ended; None now and then, to look at the clock.

        If the consumer stops, everything that runs is killed.
        """
        children = Children()
        waiting = iter(jobs)
        with ThreadPoolExecutor(self._jobs) as pool:
            try:
                self._fill(pool, waiting, children)
                while self.running:
                    done, _ = wait(self.running, timeout=1, return_when=FIRST_COMPLETED)
                    if not done:
                        yield None
                    ended = [self._taken(future) for future in done]
                    # Processing a result takes time, too: the next job starts before.
                    self._fill(pool, waiting, children)
                    yield from ended
            finally:
                children.stop()

    def _taken(self, future: Future[Usage]) -> tuple[Job, Usage]:
        job = self.running.pop(future)
        try:
            return job, future.result()
        except OSError as error:
            raise InputError.of(f"{job.place.folder}: cannot be used: {error.strerror}") from None

    def _fill(self, pool: ThreadPoolExecutor, jobs: Iterator[Job], children: Children) -> None:
        while len(self.running) < self._jobs:
            job = next(jobs, None)
            if job is None:
                return
            future = pool.submit(
                run_in_place, str(job.place.folder), job.arguments, self._time_limit, children
            )
            self.running[future] = job
