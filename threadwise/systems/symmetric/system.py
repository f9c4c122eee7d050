"""The view of one thread among any number of others, as a `ThreadSystem`.

One role per class of threads that are alike. A view is a concrete pair (g, l) of the instance in
canonical names (see `naming`), so that a step is a step of the concrete system, renamed. Rule ENV
re-reads a step of e in the names of t: ids that both know are matched by the shared store, the
mover is anyone but t, and ids that the step brings in may be t itself, an id that t remembers, or
a stranger. This is exact for renaming: nothing else is lost between threads that are alike, and a
finite program is proved with classes if and only if it is proved without (FQ §2.2; HJMQ §4 shares
reach sets in the same way). Under any number of threads there is always another stranger, which
covers every number.

A cell `a[self]` of an array over any number of threads is the thread's own: others neither see nor
change it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

from threadwise.ir.layout import Cell, size_of
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import Property
from threadwise.ir.types import NONE, ArrayType, PerThread, TidType
from threadwise.systems.api import ErrorPattern, Pop, Push, Role, Step, Witness
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local
from threadwise.systems.symmetric.classes import Symmetry, ThreadClass
from threadwise.systems.symmetric.errors import symmetric_patterns
from threadwise.systems.symmetric.naming import Naming, Renaming


class Change(NamedTuple):
    """What others see of a step: the shared store before and after, in the mover's names."""

    before: Global
    after: Global
    mover: int | None
    """The mover, where ids are mentioned: names mean other threads if another class moves."""


SymmetricStep = Step[Global, Local, Change]


class SymmetricSystem:
    """Views of one representative per class."""

    def __init__(self, symmetry: Symmetry) -> None:
        self.symmetry = symmetry
        self.program: Program = symmetry.instance
        self.concrete = ConcreteSystem(symmetry.instance)
        self.layout = self.concrete.layout
        self.classes: Sequence[ThreadClass] = symmetry.classes
        self.roles: Sequence[Role] = [Role(k) for k in range(len(symmetry.classes))]
        cells = self.layout.globals.cells
        self.private = [self._is_private(cell) for cell in cells]
        """Which shared cells belong to one of any number of threads."""
        ids = [isinstance(cell.type, TidType) for cell in cells]
        self.naming = Naming(
            self.classes, [s for s, c in enumerate(cells) if ids[s] and not self.private[s]]
        )
        self.private_ids = [s for s in range(len(cells)) if ids[s] and self.private[s]]
        self.forgotten = next(iter(self.concrete.interpreter.initial_globals())).cells
        """What a private cell of another thread is replaced by."""
        self._id_slots: dict[tuple[Role, LocId], tuple[int, ...]] = {}
        self._private_slots = {
            t: self._slots_of(t) for members in self.classes for t in members.ids
        }
        self._own_cells = [
            [slot in self._private_slots[members.me] for slot in range(len(cells))]
            for members in self.classes
        ]

    def _is_private(self, cell: Cell) -> bool:
        held = cell.variable.type
        if not isinstance(held, ArrayType) or not isinstance(held.extent, PerThread):
            return False
        return any(
            members.template == held.extent.template and members.count is None
            for members in self.classes
        )

    def _slots_of(self, t: int) -> list[int]:
        """The private cells of a thread, in an order that is the same for its whole class."""
        found: list[int] = []
        for declaration in self.program.globals:
            held = declaration.variable.type
            first = self.layout.globals.offset[declaration.variable.name]
            if isinstance(held, ArrayType) and self.private[first : first + 1] == [True]:
                assert isinstance(held.extent, PerThread)
                ids = self.layout.numbers.ranges[held.extent.template]
                if t in ids:
                    width = size_of(held.element, self.layout.numbers)
                    start = first + (t - ids.start) * width
                    found.extend(range(start, start + width))
        return found

    # -- names ------------------------------------------------------------------------------------

    def id_slots(self, t: Role, l: Local) -> tuple[int, ...]:
        """The cells of a local store that hold ids."""
        key = (t, self.location(l))
        if key not in self._id_slots:
            template = self.classes[t].template
            procedure = self.program.procedure_of[self.location(l)].name
            cells = (*self.layout.thread[template].cells, *self.layout.local[procedure].cells)
            found = tuple(1 + s for s, c in enumerate(cells) if isinstance(c.type, TidType))
            self._id_slots[key] = found
        return self._id_slots[key]

    def shared(self, g: Global) -> Global:
        """A global store without what belongs to single threads."""
        if not any(self.private):
            return g
        return tuple(
            self.forgotten[slot] if self.private[slot] else value for slot, value in enumerate(g)
        )

    def canonical(self, t: Role, g: Global, l: Local) -> tuple[Global, Local]:
        """A view of the representative of t, in canonical names."""
        me = self.classes[t].me
        slots = self.id_slots(t, l)
        own_ids = [s for s in self.private_ids if self._own_cells[t][s]]
        names = self.naming.in_order(
            [
                *(g[s] for s in self.naming.id_slots),
                *(g[s] for s in own_ids),
                *(l[s] for s in slots),
            ],
            me,
        )
        if any(self.private):
            g = tuple(
                self.forgotten[s] if self.private[s] and not self._own_cells[t][s] else value
                for s, value in enumerate(g)
            )
        renamed = self.naming.rename(g, (*self.naming.id_slots, *own_ids), names)
        return renamed, self.naming.rename(l, slots, names)

    def ids_of(self, t: Role, g: Global, l: Local) -> list[int]:
        """The ids a view mentions, in order: the thread itself, the shared ones, its own."""
        own_ids = [s for s in self.private_ids if self._own_cells[t][s]]
        slots = [g[s] for s in (*self.naming.id_slots, *own_ids)]
        slots.extend(l[s] for s in self.id_slots(t, l))
        ids = [value for value in slots if isinstance(value, int) and value != NONE]
        return list(dict.fromkeys([self.classes[t].me, *ids]))

    def place_private(self, g: Global, view: Witness[Global, Local], names: Renaming) -> Global:
        """A global store with the private cells of a view put where its thread is called."""
        me = self.classes[view.role].me
        cells = list(g)
        for source, target in zip(
            self._private_slots[me], self._private_slots[names[me]], strict=True
        ):
            value = view.g[source]
            is_id = source in self.private_ids and value != NONE
            cells[target] = names[value] if is_id else value  # type: ignore[index]  # an id
        return tuple(cells)

    # -- the relations ----------------------------------------------------------------------------

    def initial(self, t: Role) -> Iterator[tuple[Global, Local]]:
        """Rule INIT."""
        for g, l in self.concrete.initial(Role(self.classes[t].me)):
            yield self.canonical(t, g, l)

    def step(self, t: Role, g: Global, l: Local) -> Iterator[SymmetricStep]:
        """Relation T."""
        me = self.classes[t].me
        for step in self.concrete.step(Role(me), g, l):
            moved_g, moved_l = self.canonical(t, step.g, step.l)
            change = self._change(me, self.shared(g), self.shared(step.g))
            yield Step(step.choices, moved_g, moved_l, change)

    def _change(self, me: int, before: Global, after: Global) -> Change:
        slots = self.naming.id_slots
        ids = [*(before[s] for s in slots), *(after[s] for s in slots)]
        names = self.naming.in_order(ids, me)
        return Change(
            self.naming.rename(before, slots, names),
            self.naming.rename(after, slots, names),
            None if all(value == NONE for value in ids) else me,
        )

    def interferes(self, e: Role, t: Role) -> bool:
        """Whether t can see steps of e: of another class, or of another thread of its own."""
        return e != t or not self.classes[t].is_single

    def keys(self, t: Role, g: Global) -> Iterator[Hashable]:
        """A change applies where its store before is the same up to names."""
        yield self.naming.anonymous(self.shared(g))

    def key(self, a: Change) -> Hashable:
        """The store before a change, up to names."""
        return self.naming.anonymous(a.before)

    def interfere(
        self, t: Role, g: Global, l: Local, e: Role, a: Change
    ) -> Iterator[tuple[Global, Local]]:
        """Rule ENV."""
        me, mover = self.classes[t].me, self.classes[e].me
        matched = self.naming.match(a.before, self.shared(g))
        if matched is None:
            return
        brought = [
            value
            for value in dict.fromkeys(a.after[s] for s in self.naming.id_slots)
            if isinstance(value, int) and value not in (NONE, mover) and value not in matched
        ]
        further = [*([] if mover in matched else [mover]), *brought]
        for names in self.naming.extensions(matched, further, self.ids_of(t, g, l)):
            if names[mover] != me:
                after = self.naming.rename(a.after, self.naming.id_slots, names)
                merged = tuple(g[s] if self.private[s] else value for s, value in enumerate(after))
                yield self.canonical(t, merged, l)

    def push(self, t: Role, g: Global, l: Local) -> Iterator[Push[Local, Frame]]:
        """Relation T+; frames hold no ids (see `classes.frames_hold_ids`)."""
        for choice, entered, frame in self.concrete.push(Role(self.classes[t].me), g, l):
            yield Push(choice, self.canonical(t, g, entered)[1], frame)

    def pop(self, t: Role, g: Global, l: Local, f: Frame) -> Iterator[Pop[Local]]:
        """Relation T-."""
        for choice, resumed in self.concrete.pop(Role(self.classes[t].me), g, l, f):
            yield Pop(choice, self.canonical(t, g, resumed)[1])

    def location(self, l: Local) -> LocId:
        """Where a thread is."""
        return self.concrete.location(l)

    def is_stopped(self, l: Local) -> bool:
        """Whether a thread has failed."""
        return self.concrete.is_stopped(l)

    def limit(self, l: Local) -> str | None:
        """Why the model ends here."""
        return self.concrete.limit(l)

    def errors(self, properties: Sequence[Property]) -> Sequence[ErrorPattern[Global, Local]]:
        """How the properties can be violated."""
        return [p for checked in properties for p in symmetric_patterns(self, checked)]
