"""The engines `tar`, `tar-b`, `tar-havoc` and `tar-a` (HJMQ §2, §3).

A works on the product of all threads, for comparison; the others thread by thread. They differ in
what they assume of the environment: TAR what the others were seen to do, from below; B any of
their steps at any time, from above; havoc any value of what they were seen to write. They prove
with predicates over one thread's view, so none of them exposes anything: what is safe but not in a
thread-modular way stays UNKNOWN. Only with options to use facts (`--facts`) or to expose
(`--expose`), which `auto` sets, do they go on from there (`exposing`).
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

from threadwise.core.errors import Unsupported
from threadwise.engines.api import Finding, Task, Undecided
from threadwise.engines.dividing import with_slices
from threadwise.engines.following import with_creation_index
from threadwise.engines.resolving import with_resolved_memory
from threadwise.engines.tar.loop import (
    AnyEnvironment,
    Environment,
    HavocEnvironment,
    RefinementLoop,
)
from threadwise.ir.fold import uses_memory
from threadwise.ir.properties import DeadlockProperty, Property
from threadwise.systems.symmetric.classes import find_symmetry
from threadwise.systems.symmetric.errors import mixes_quantifiers


class TarEngine:
    """Algorithm TAR."""

    name = "tar"
    environment: type[Environment] = Environment

    def run(self, task: Task) -> Iterator[Finding]:
        """Refine until every property is decided, of the program without pointers."""
        yield from with_resolved_memory(task, self._divide)

    def _divide(self, task: Task) -> Iterator[Finding]:
        """Refine on slices, and then on the whole for what is left."""
        yield from with_slices(task, self.refine, self._follow)

    def _follow(self, task: Task) -> Iterator[Finding]:
        """Refine, following threads with a creation index."""
        yield from with_creation_index(task, self.refine, self.refine, followed_first=False)

    def refine(self, task: Task) -> Iterator[Finding]:
        """Refine until every property is decided, on the program as it is."""
        kept = yield from supported(task)
        if kept:
            task = replace(task, properties=kept)
            if task.options.expose or task.options.facts:
                from threadwise.engines.tar.exposing import Exposing

                yield from Exposing(task, self.environment, self.name).run()
            else:
                yield from RefinementLoop(task, self.environment, self.name).run()


class TarAEngine:
    """Algorithm A: refinement on the product."""

    name = "tar-a"

    def run(self, task: Task) -> Iterator[Finding]:
        """Refine until every property is decided."""
        from threadwise.engines.tar.product import ProductLoop

        kept = yield from supported(task)
        if kept:
            yield from ProductLoop(replace(task, properties=kept)).run()


class TarBEngine(TarEngine):
    """Algorithm B: assumptions from above."""

    name = "tar-b"
    environment = AnyEnvironment


class TarHavocEngine(TarEngine):
    """Algorithm TAR with havoc."""

    name = "tar-havoc"
    environment = HavocEnvironment


def supported(task: Task) -> Generator[Finding, None, tuple[Property, ...]]:
    """The properties that predicates over a few threads' views may prove."""
    if uses_memory(task.program):
        raise Unsupported("a heap, with predicates")
    if all(template.count == 0 for template in task.program.templates):
        raise Unsupported("predicates without a thread")
    if task.program.has_any_number:
        find_symmetry(task.program, related=2)  # Unsupported if ids are not only compared
    deadlocks = tuple(p.name for p in task.properties if isinstance(p, DeadlockProperty))
    mixed = tuple(p.name for p in task.properties if mixes_quantifiers(p))
    if deadlocks:
        yield Undecided(deadlocks, "deadlocks relate all threads, predicates a few", applies=False)
    if mixed:
        told = "quantifiers over threads other than `forall`, with predicates"
        yield Undecided(mixed, told, applies=False)
    return tuple(p for p in task.properties if p.name not in {*deadlocks, *mixed})
