"""Claims for all time, tested at every edge that is taken."""

from __future__ import annotations

from collections import Counter

from threadwise.ir.commands import Command, Free
from threadwise.ir.expr import Const
from threadwise.ir.types import (
    INTEGER_OBJECT,
    NONE,
    NULL,
    UNSET,
    Address,
    MutexType,
    RecordType,
    Value,
    fields_of,
)
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.locksets.auditing.cases import found_by_others
from threadwise.proofs.locksets.auditing.containers import Containers
from threadwise.proofs.locksets.auditing.ghosts import Ghosts, Start
from threadwise.proofs.locksets.auditing.replaying import Micro
from threadwise.proofs.locksets.auditing.world import Moment, World
from threadwise.proofs.locksets.certificate import Discipline, LocksetCertificate
from threadwise.semantics.evaluate import CellRef, Region


class Always:
    """The claims that are not about a location."""

    def __init__(
        self,
        world: World,
        certificate: LocksetCertificate,
        evaluated: Counter[str],
        containers: Containers,
        prefix: str = "",
    ) -> None:
        self.world = world
        self.prefix = prefix
        self.containers = containers
        self.certificate = certificate
        self.evaluated = evaluated

    def begin(self, moment: Moment) -> None:
        """A run begins."""
        for slot, value in enumerate(moment.state.g.cells):
            cell = CellRef(Region.GLOBAL, 0, slot)
            kind = self.certificate.numbers.get(self.world.target(cell, moment.state))
            if kind is not None and value != UNSET and value not in kind.beginnings:
                raise Broken(f"numbers: {self._name(cell, moment)} begins with {value}")

    def edge(self, micro: Micro, ghosts: Ghosts) -> None:
        """An edge is taken; what it means for tokens and gifts is noted."""
        template = self.world.templates[micro.thread]
        if template in ghosts.over:
            raise Broken(f"absent: {template} is over when {ghosts.over[template]} begins")
        self._gifts_unused(micro, ghosts)
        ends = isinstance(micro.edge.action, Free)  # which leaves the cells as they are
        for access in micro.accesses:
            if access.write and not ends:
                self._frozen(micro, access.cell, ghosts)
                self._spoilt(micro, access.cell, ghosts)
                self._number(micro, access.cell, ghosts)
                self._indexed(micro, access.cell)
                if self.certificate.slots:
                    private = self._is_private(micro, access.cell, ghosts)
                    self.containers.edge(micro, ghosts, private=private, cell=access.cell)
        for start in ghosts.note_starts(micro, self.world):
            self._started(start, micro.after, ghosts)
        self._gifts_unshared(micro.after, ghosts)

    # -- cells -----------------------------------------------------------------------------------

    def _frozen(self, micro: Micro, cell: CellRef, ghosts: Ghosts) -> None:
        if self.world.target(cell, micro.after.state) not in self.certificate.frozen:
            return
        self.evaluated[f"{self.prefix}frozen"] += 1
        if not self.is_alone(micro) and not self._is_private(micro, cell, ghosts):
            raise Broken(
                f"{self.prefix}frozen: {self._name(cell, micro.after)} is written while others run"
            )

    def is_alone(self, micro: Micro) -> bool:
        """Whether the first thread takes an edge while no other thread runs."""
        others = (t for t in self.world.running(micro.before.state) if t != micro.thread)
        return micro.thread == self.world.first and next(others, None) is None

    def _is_private(self, micro: Micro, cell: CellRef, ghosts: Ghosts) -> bool:
        """Whether the object of a cell has not escaped."""
        if cell.region is not Region.HEAP or cell.number >= len(micro.before.names):
            return cell.region is Region.HEAP
        reached = found_by_others(self.world, micro.before, micro.thread, cell.number, ghosts)
        return cell.number not in reached

    def _spoilt(self, micro: Micro, cell: CellRef, ghosts: Ghosts) -> None:
        """A mutex that is not spoilt is taken when it is free, and given back by its owner.

        One that has not escaped may be made a copy of another, which a thread owns; and the first
        thread may write any that no other one owns, or that it finds when it is alone.
        """
        if not self._is_owner(cell, micro.after):
            return
        target = self.world.target(cell, micro.after.state)
        if target in self.certificate.spoilt:
            return
        self.evaluated[f"{self.prefix}spoilt"] += 1
        old, new = micro.before.content(cell), micro.after.content(cell)
        usual = (NONE, UNSET, micro.thread)
        first = micro.thread == self.world.first
        if new != micro.thread and first and (old in usual or self.is_alone(micro)):
            return
        copied = old in usual and self._is_private(micro, cell, ghosts)
        if not copied and (old not in usual or new not in usual):
            raise Broken(
                f"{self.prefix}spoilt: {self._name(cell, micro.after)} is taken from its owner"
            )
        if old != micro.thread and new == micro.thread:
            self._unread(micro, cell, ghosts)

    def _is_owner(self, cell: CellRef, moment: Moment) -> bool:
        _, held, start = self.world.home(cell, moment.state)
        around = self.world.shape(held).around(cell.slot - start)
        return (
            bool(around) and isinstance(around[-1].type, MutexType) and around[-1].step == "owner"
        )

    # -- numbers ---------------------------------------------------------------------------------

    def _unread(self, micro: Micro, mutex: CellRef, ghosts: Ghosts) -> None:
        """A mutex with readers beside it is taken only when there are none."""
        for number, kind in self._numbers_in(micro.before):
            if kind is not Discipline.READERS or not ghosts.tokens_of(
                micro.before.lasting(number)
            ):
                continue
            if self._companion(number, micro.before) == mutex:
                raise Broken("numbers: a mutex is taken while others read")

    def _numbers_in(self, moment: Moment) -> list[tuple[CellRef, Discipline]]:
        numbers = self.certificate.numbers
        objects = {target.object for target in numbers}
        cells = [CellRef(Region.GLOBAL, 0, slot) for slot in range(len(moment.state.g.cells))]
        for number, held in enumerate(moment.state.g.heap):
            if self.world.sites[held.site][0] in objects:
                cells += [CellRef(Region.HEAP, number, slot) for slot in range(len(held.cells))]
        found = ((cell, numbers.get(self.world.target(cell, moment.state))) for cell in cells)
        return [(cell, kind) for cell, kind in found if kind is not None]

    def _number(self, micro: Micro, cell: CellRef, ghosts: Ghosts) -> None:
        """A number that serves as a lock is taken, given back or set to begin with."""
        kind = self.certificate.numbers.get(self.world.target(cell, micro.after.state))
        if kind is None:
            return
        self.evaluated["numbers"] += 1
        self._guarded(micro, cell, ghosts)
        old = micro.before.content(cell) if self._existed(cell, micro) else UNSET
        new = micro.after.content(cell)
        tokens = ghosts.tokens.setdefault(micro.after.lasting(cell), [])
        if kind is Discipline.FLAG:
            right = _flag(micro.thread, old, new, tokens)
        elif old == new or self._is_constant(micro, cell) or not _are_numbers(old, new):
            right = not tokens and new in kind.beginnings
        elif kind is Discipline.SEMAPHORE:
            right = _semaphore(micro.thread, old, new, tokens)
        else:
            right = self._readers(micro, cell, old, new, tokens)
        if not right:
            raise Broken(
                f"numbers: {self._name(cell, micro.after)} changes from {old} to {new}, "
                f"not as a {kind.value} does"
            )

    def _guarded(self, micro: Micro, cell: CellRef, ghosts: Ghosts) -> None:
        """A flag that a mutex guards is written by the owner of that, once others may see it."""
        key = self.certificate.guards.get(self.world.target(cell, micro.after.state))
        if key is None or self.is_alone(micro) or self._is_private(micro, cell, ghosts):
            return
        self.evaluated["guards"] += 1
        lock = self.containers.lists.lock(key, cell, micro.before)
        if lock is None or micro.before.content(lock) != micro.thread:
            raise Broken(f"guards: {self._name(cell, micro.after)} is written without its mutex")

    def _existed(self, cell: CellRef, micro: Micro) -> bool:
        return cell.region is not Region.HEAP or cell.number < len(micro.before.names)

    def _is_constant(self, micro: Micro, cell: CellRef) -> bool:
        """Whether an edge writes a constant to a cell."""
        if not isinstance(micro.edge.action, Command):
            return False
        view = self.world.view(micro.before, micro.thread)
        return any(
            isinstance(a.value, Const) and view.resolve(a.target) == cell
            for a in micro.edge.action.assignments
        )

    def _readers(
        self, micro: Micro, cell: CellRef, old: Value, new: Value, tokens: list[int]
    ) -> bool:
        mutex = self._companion(cell, micro.before)
        if _difference(old, new) == 1:
            tokens.append(micro.thread)
            return mutex is not None and micro.before.content(mutex) == NONE
        if _difference(old, new) == -1 and micro.thread in tokens:
            tokens.remove(micro.thread)
            return True
        return False

    def _companion(self, cell: CellRef, moment: Moment) -> CellRef | None:
        """The only mutex in the record that a number is in; records may be several variables."""
        name, held, start = self.world.home(cell, moment.state)
        around = self.world.shape(held).around(cell.slot - start)
        if around and isinstance(around[-1].type, RecordType):
            record = around[-1]
            assert isinstance(record.type, RecordType)
            mutexes = [n for n, t in fields_of(record.type) if isinstance(t, MutexType)]
            if len(mutexes) != 1:
                return None
            steps = (mutexes[0], "owner")
            found = self.world.shape(held).follow(steps, record.type, record.start)
            return None if found is None else cell._replace(slot=start + found)
        group = name.rpartition(".")[0]
        variables = [d.variable for d in self.world.program.globals]
        beside = [
            self.world.layout.globals.offset[v.name]
            for v in variables
            if isinstance(v.type, MutexType) and group and v.name.rpartition(".")[0] == group
        ]
        return CellRef(Region.GLOBAL, 0, beside[0]) if len(beside) == 1 else None

    def _indexed(self, micro: Micro, cell: CellRef) -> None:
        """A cell that holds the number of its element is given that number."""
        if self.world.target(cell, micro.after.state) not in self.certificate.indexed:
            return
        self.evaluated["indexed"] += 1
        if micro.after.content(cell) != self._element(cell, micro.after):
            raise Broken(f"indexed: {self._name(cell, micro.after)} is given another number")

    def _element(self, cell: CellRef, moment: Moment) -> int | None:
        """The number of the innermost element that a cell of a variable is in."""
        _, held, start = self.world.home(cell, moment.state)
        around = self.world.shape(held).around(cell.slot - start)
        steps = [part.step for part in around if isinstance(part.step, int)]
        return steps[-1] if steps and cell.region is Region.GLOBAL else None

    def _set(self, start: Start, moment: Moment) -> None:
        """What a new thread finds in its element of a variable is the number of that."""
        declared = self.world.program.globals
        for value in start.arguments:
            if not isinstance(value, Address) or not 0 <= value.number < len(declared):
                continue
            first = self.world.layout.globals.offset[declared[value.number].variable.name]
            wanted = self._element(CellRef(Region.GLOBAL, 0, first + value.offset), moment)
            size = self.world.shape(declared[value.number].variable.type).size
            for cell in (CellRef(Region.GLOBAL, 0, first + slot) for slot in range(size)):
                target = self.world.target(cell, moment.state)
                if target in self.certificate.indexed and self._element(cell, moment) == wanted:
                    self.evaluated["indexed"] += 1
                    if moment.content(cell) != wanted:
                        raise Broken(f"indexed: {self._name(cell, moment)} is not set")

    # -- starts ----------------------------------------------------------------------------------

    def _started(self, start: Start, moment: Moment, ghosts: Ghosts) -> None:
        template = self.world.templates[start.thread]
        self._set(start, moment)
        others = [
            s for s in ghosts.starts if s != start and self.world.templates[s.thread] == template
        ]
        together = [s for s in ghosts.starts if s != start]
        together = [s for s in together if self.world.runs(moment.state, s.thread)]
        beside = {self.world.templates[s.thread] for s in together}
        if template in self.certificate.alone:
            self.evaluated[f"alone {template}"] += 1
            if template in beside:
                raise Broken(f"alone: two threads of {template} run")
        for one, other in sorted(self.certificate.exclusive):
            if template in (one, other):
                self.evaluated["exclusive"] += 1
                if not beside.isdisjoint({one, other} - {template}):
                    raise Broken(f"exclusive: threads of {one} and {other} run")
        if template in self.certificate.identified:
            self.evaluated[f"identified {template}"] += 1
            if any(s.arguments == start.arguments for s in others):
                raise Broken(f"identified: two threads of {template} get one argument")
        if template in self.certificate.numbered:
            self.evaluated[f"numbered {template}"] += 1
            if _has_repeated([start, *(s for s in together if s in others)]):
                raise Broken(f"numbered: two threads of {template} get one argument")
        self._absent(template, moment, ghosts)
        self._given(template, start, moment, ghosts)

    def _absent(self, template: str, moment: Moment, ghosts: Ghosts) -> None:
        for other in sorted(self.certificate.absent.get(template, frozenset())):
            self.evaluated[f"absent {template}"] += 1
            threads = self.world.layout.numbers.ranges[other]
            if any(self.world.runs(moment.state, thread) for thread in threads):
                raise Broken(f"absent: {other} runs when {template} begins")
            ghosts.over[other] = template

    # -- gifts -----------------------------------------------------------------------------------

    def _given(self, template: str, start: Start, moment: Moment, ghosts: Ghosts) -> None:
        """What a new thread gets is an object of the site that no other thread gets or keeps."""
        site = self.certificate.given.get(template)
        if site is None:
            return
        self.evaluated[f"given {template}"] += 1
        numbers = [self.world.heap_number(v) for v in start.arguments]
        if len(numbers) != 1 or numbers[0] is None:
            raise Broken(f"given: a thread of {template} gets no object")
        name = numbers[0]
        number = moment.names.index(name)
        if self.world.sites[moment.state.g.heap[number].site][0] != site:
            raise Broken(f"given: a thread of {template} gets another object than of {site}")
        givers = ghosts.givers.get(name, ())
        if givers and self._getter(name, ghosts, before=start) != start.by:
            raise Broken(f"given: an object is given twice, to a thread of {template}")
        ghosts.givers[name] = (*givers, start.by)

    def _gifts_unused(self, micro: Micro, ghosts: Ghosts) -> None:
        """Only the thread that got an object uses it."""
        for access in micro.accesses:
            if access.cell.region is not Region.HEAP:
                continue
            name = micro.after.names[access.cell.number]
            if name in ghosts.givers:
                getter = self._getter(name, ghosts)
                if getter != micro.thread:
                    raise Broken("given: an object is used by another thread than got it")

    def _getter(self, name: int, ghosts: Ghosts, before: Start | None = None) -> int | None:
        """The thread that got an object last."""
        for start in reversed(ghosts.starts):
            if start != before and name in map(self.world.heap_number, start.arguments):
                return start.thread
        return None

    def _gifts_unshared(self, moment: Moment, ghosts: Ghosts) -> None:
        """No shared cell points to what was given but the argument itself."""
        if not ghosts.givers:
            return
        arguments = frozenset(c for cells in ghosts.arguments.values() for c in cells)
        shared = [v for slot, v in enumerate(moment.state.g.cells) if slot not in arguments]
        shared += [value for held in moment.state.g.heap for value in held.cells]
        for value in shared:
            number = self.world.heap_number(value)
            if number is not None and moment.names[number] in ghosts.givers:
                raise Broken("given: a pointer to what a thread got is in shared memory")

    def _name(self, cell: CellRef, moment: Moment) -> str:
        return self.world.target(cell, moment.state).object


def _difference(old: Value, new: Value) -> int:
    assert isinstance(old, int)
    assert isinstance(new, int)
    return new - old


def _are_numbers(old: Value, new: Value) -> bool:
    return isinstance(old, int) and isinstance(new, int)


def _flag(thread: int, old: Value, new: Value, tokens: list[int]) -> bool:
    if new:
        if not tokens:
            tokens.append(thread)
            return not old
        return True
    if tokens:
        if tokens != [thread]:
            return False
        tokens.clear()
    return True


def _semaphore(thread: int, old: Value, new: Value, tokens: list[int]) -> bool:
    if _difference(old, new) == -1:
        tokens.append(thread)
        assert isinstance(new, int)
        return len(tokens) + new <= 1
    if _difference(old, new) == 1 and thread in tokens:
        tokens.remove(thread)
        return True
    return False


def _has_repeated(starts: list[Start]) -> bool:
    """Whether two threads got one argument.

    Null is the number 0 where the others are numbers, and else leads to no object.
    """
    numbers = any(
        isinstance(value, int) or (isinstance(value, Address) and value.number == INTEGER_OBJECT)
        for start in starts
        for value in start.arguments
    )
    passed = [s.arguments for s in starts if numbers or any(v != NULL for v in s.arguments)]
    return len(set(passed)) < len(passed)
