"""What a violation depends on: a dynamic slice of the run.

An occurrence depends on others before it:

    data      it reads a cell that the other was the last to write
    control   whether its thread comes to it was decided there: the other is the last occurrence
              of the thread from which the thread might have gone elsewhere, might have waited, or
              might have run in a loop for ever

The slice begins with the violation. Data are followed all the way: who wrote what is read is in
the slice, and so is what that was computed from. Control is followed, too, but of what it reads
only that is in the slice where threads meet: the value is another thread's.

In both cases the slice has what makes values stale: another thread overwrites a cell between the
reading of it and the use of what was read (*check, then act*; a lost update).

Locks are no data here, nor are starts and ends of threads: a story shows them with the lines that
are in the slice. What led a thread to wait for a signal is left out if it got one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from heapq import heappop, heappush

from threadwise.ir.commands import GIVING, TAKING, WAITING, Call, OperationKind, Return
from threadwise.ir.expr import TRUE
from threadwise.ir.program import Edge, LocId, Program
from threadwise.traces.occurrences import Key, Occurrence

_OF_THREADS = (OperationKind.SPAWN, OperationKind.JOIN, OperationKind.BEGIN, OperationKind.FINISH)
_READ_NOTHING = (*_OF_THREADS, *GIVING)
"""What they read is about who waits, and does not decide what the thread does."""
_BLOCKING = (*WAITING, *TAKING, OperationKind.HELD)


class Dependence:
    """The dependences of one run."""

    def __init__(self, program: Program, occurrences: Sequence[Occurrence]) -> None:
        self.occurrences = occurrences
        self._control = _Control(program, occurrences)

    @cached_property
    def _writers(self) -> dict[Key, list[int]]:
        found: dict[Key, list[int]] = {}
        for number, each in enumerate(self.occurrences):
            for key in each.writes:
                found.setdefault(key, []).append(number)
        return found

    def slice_of(self, failing: int) -> frozenset[int]:
        """What the last occurrence of a thread that fails depends on, itself included.

        If nothing shared is among its data, what led the thread there is the violation.
        """
        at: int | None = failing
        while at is not None:
            work = _Work(self, {at: at}, data=(at,))
            if any(self.occurrences[n].shared for n in work.data):
                return work.shown
            at = self._control.parent(at)
        return _Work(self, {failing: failing}).shown

    def slice_of_places(
        self, reached: Iterable[int], places: Iterable[tuple[int, int, LocId]]
    ) -> frozenset[int]:
        """What leads to occurrences, and what led threads to where they are at last.

        Places are threads with their depths and locations.
        """
        end = len(self.occurrences)
        parents = (self._control.before(end, *place) for place in places)
        begun = {parent: end for parent in parents if parent is not None}
        return _Work(self, begun | {n: n for n in reached}).shown

    def last_writer(self, key: Key, before: int) -> int | None:
        """Who wrote a cell last."""
        writers = self._writers.get(key, [])
        place = bisect_left(writers, before)
        return writers[place - 1] if place else None

    def writer_between(self, key: Key, after: int, before: int) -> int | None:
        """The first occurrence of another thread that writes a cell in a stretch of the run."""
        thread = self.occurrences[after].thread
        writers = self._writers.get(key, [])
        for number in writers[bisect_left(writers, after + 1) : bisect_left(writers, before)]:
            if self.occurrences[number].thread != thread:
                return number
        return None

    def parent(self, number: int) -> int | None:
        """What an occurrence is control dependent on."""
        return self._control.parent(number)


class _Work:
    """One slice. Occurrences are visited from the last to the first, once for each need."""

    def __init__(self, run: Dependence, begun: dict[int, int], data: Sequence[int] = ()) -> None:
        self.run = run
        self.data = set(data)
        """Those whose data are followed all the way."""
        self._found = set(data)
        self._met: set[tuple[int, Key, int]] = set()
        """Threads that read what another one wrote: what, and which one."""
        self._until = dict(begun)
        """Until when what is decided by an occurrence is to be done."""
        self._pending: list[int] = []
        for number in begun:
            heappush(self._pending, -number)
        while self._pending:
            self._look_at(-heappop(self._pending))

    @property
    def shown(self) -> frozenset[int]:
        """The occurrences in the slice that are more than a step on the way."""
        return frozenset(self._found)

    def _need(self, number: int | None, until: int, *, data: bool) -> None:
        if number is None:
            return
        known = self._until.get(number)
        if known is not None and known >= until and (not data or number in self.data):
            return
        self._until[number] = max(until, known or 0)
        if data:
            self.data.add(number)
        heappush(self._pending, -number)

    def _look_at(self, number: int) -> None:
        this = self.run.occurrences[number]
        data, until = number in self.data, self._until[number]
        for key in this.own:
            self._need(self.run.last_writer(key, number), until, data=data)
        kind = this.edge.operation.kind if this.edge.operation is not None else None
        for key in this.shared if kind not in _READ_NOTHING else ():
            self._shared(number, key, until, data=data)
        if kind is not OperationKind.WAKE:
            until = number if number in self._found else until
            self._need(self.run.parent(number), until, data=False)

    def _shared(self, number: int, key: Key, until: int, *, data: bool) -> None:
        thread = self.run.occurrences[number].thread
        writer = self.run.last_writer(key, number)
        foreign = writer is not None and self.run.occurrences[writer].thread != thread
        if data or foreign:
            met = (thread, key, -1 if writer is None else writer)
            if data or met not in self._met:
                self._found.add(number)
            self._met.add(met)
            if writer is not None:
                self._found.add(writer)
                self._need(writer, writer, data=data)
        later = self.run.writer_between(key, number, until)
        if later is not None:
            self._found |= {number, later}
            self._need(later, later, data=data)


class _Control:
    """Who decided that a thread comes where it comes."""

    def __init__(self, program: Program, occurrences: Sequence[Occurrence]) -> None:
        self.program = program
        self.occurrences = occurrences
        self._known: dict[LocId, frozenset[LocId]] = {}

    @cached_property
    def _of_thread(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for number, each in enumerate(self.occurrences):
            found.setdefault(each.thread, []).append(number)
        return found

    @cached_property
    def _incoming(self) -> dict[LocId, list[LocId]]:
        found: dict[LocId, list[LocId]] = {}
        for edge in self.program.edges:
            if not isinstance(edge.action, Return):
                found.setdefault(edge.target, []).append(edge.source)
        return found

    def parent(self, number: int) -> int | None:
        """The occurrence that decided about one."""
        this = self.occurrences[number]
        return self.before(number, this.thread, this.depth, this.edge.source)

    def before(self, number: int, thread: int, depth: int, at: LocId) -> int | None:
        """The one that decided that a thread comes to a location.

        Calls that are over are walked through, too: they might never have ended.
        """
        targets = {depth: at}
        own = self._of_thread.get(thread, [])
        for place in reversed(own[: bisect_left(own, number)]):
            this = self.occurrences[place]
            match this.edge.action:
                case Return():
                    targets[this.depth] = this.edge.source
                    continue
                case Call() if this.depth + 1 in targets and this.depth in targets:
                    del targets[this.depth + 1]
                case Call() if this.depth not in targets:
                    return place
            if this.edge.source not in self._certain(targets[this.depth]):
                return place
        return None

    def _certain(self, target: LocId) -> frozenset[LocId]:
        """The locations from which a thread comes to one whatever happens.

        The least such set: from a loop without end it does not. Edges to places where a run ends
        because it fails are left aside.
        """
        known = self._known.get(target)
        if known is None:
            known = self._known[target] = frozenset(self._closed(target))
        return known

    def _closed(self, target: LocId) -> set[LocId]:
        certain = {target}
        pending = [target]
        while pending:
            for source in self._incoming.get(pending.pop(), ()):
                if source in certain or self._may_wait(source):
                    continue
                if all(way.target in certain for way in self._ways(source)):
                    certain.add(source)
                    pending.append(source)
        return certain

    def _ways(self, source: LocId) -> Iterator[Edge]:
        for edge in self.program.outgoing[source]:
            if self.program.locations[edge.target].failure is None:
                yield edge

    def _may_wait(self, source: LocId) -> bool:
        ways = self.program.outgoing[source]
        if any(way.operation is not None and way.operation.kind in _BLOCKING for way in ways):
            return True
        return len(ways) == 1 and ways[0].action.guard != TRUE
