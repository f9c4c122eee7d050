"""Renaming threads that are alike, for the checker of symmetric certificates.

Threads of a template are alike if its code only copies ids and compares them for equality. This
module decides that by typing, puts views and changes into a normal form under renaming, and
enumerates renamings by brute force over all ids of the instance. It shares nothing with the
symmetric systems that engines run on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Call
from threadwise.ir.expr import (
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    SelfId,
    SelfIndex,
    ThreadAt,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, read_places, subexpressions
from threadwise.ir.layout import ProgramLayout, size_of
from threadwise.ir.program import Program, Template
from threadwise.ir.types import NONE, ArrayType, PerThread, TidType, has_cells_inside
from threadwise.semantics.state import Cells, LocalStore

Names = Mapping[int, int]


@dataclass(frozen=True)
class StoreView:
    """What one thread sees: its id, the global cells (its own private ones filled in), its own."""

    me: int
    shared: Cells
    l: LocalStore


def are_alike(program: Program, template: Template) -> bool:
    """Whether the threads of a template are interchangeable."""
    if template.pool:
        return False
    if any(has_cells_inside(d.variable.type, template.name) for d in program.globals):
        return False
    arrays = [
        declaration.variable.name
        for declaration in program.globals
        if isinstance(declaration.variable.type, ArrayType)
        and declaration.variable.type.extent == PerThread(template.name)
    ]
    if arrays and template.count is not None:
        return False
    for name in _procedures(program, template):
        for edge in program.procedure[name].edges:
            places = [*action_places(edge.action)]
            for expr in action_expressions(edge.action):
                places.extend(read_places(expr))
                if any(map(_tells_apart, subexpressions(expr))):
                    return False
            if any(not _own_cell_only(place, arrays) for place in places):
                return False
    return all(
        _own_cell_only(place, arrays)
        for edge in program.edges
        for place in (
            *action_places(edge.action),
            *(p for expr in action_expressions(edge.action) for p in read_places(expr)),
        )
    )


def _tells_apart(expr: Expr) -> bool:
    match expr:
        case SelfIndex() | ThreadAt():
            return True
        case Const(value, TidType()):
            return value != NONE
        case _:
            return False


def _own_cell_only(place: Place, arrays: Sequence[str]) -> bool:
    """Whether a place uses arrays with a cell per thread at `self` only."""
    match place:
        case IndexPlace(VariablePlace(variable), index) if variable.name in arrays:
            return index == SelfId()
        case IndexPlace(base, _) | FieldPlace(base, _):
            return _own_cell_only(base, arrays)
        case _:
            return True


def _procedures(program: Program, template: Template) -> set[str]:
    found = {template.body}
    pending = [template.body]
    while pending:
        for edge in program.procedure[pending.pop()].edges:
            if isinstance(edge.action, Call) and edge.action.procedure not in found:
                found.add(edge.action.procedure)
                pending.append(edge.action.procedure)
    return found


class Renamer:
    """Renamings of the threads of one instance."""

    def __init__(self, program: Program, layout: ProgramLayout) -> None:
        """`program` is the program of record, `layout` that of the instance."""
        self.program = program
        self.layout = layout
        self.like: dict[int, tuple[int, ...]] = {}
        """For each thread of the instance, those it may be renamed to."""
        self.unbounded: set[int] = set()
        for template in program.templates:
            ids = tuple(layout.numbers.ranges[template.name])
            alike = are_alike(program, template)
            for t in ids:
                self.like[t] = ids if alike else (t,)
                if alike and template.count is None:
                    self.unbounded.add(t)
        cells = layout.globals.cells
        self.private: dict[int, list[int]] = {t: self._private_slots(t) for t in self.like}
        self.hidden = {slot for slots in self.private.values() for slot in slots}
        self.id_slots = [
            s for s, c in enumerate(cells) if isinstance(c.type, TidType) and s not in self.hidden
        ]

    def _private_slots(self, t: int) -> list[int]:
        """The cells that belong to one of any number of threads."""
        found: list[int] = []
        for declaration in self.program.globals:
            held = declaration.variable.type
            if not isinstance(held, ArrayType) or not isinstance(held.extent, PerThread):
                continue
            ids = self.layout.numbers.ranges[held.extent.template]
            if t in ids and t in self.unbounded:
                width = size_of(held.element, self.layout.numbers)
                first = self.layout.globals.offset[declaration.variable.name]
                start = first + (t - ids.start) * width
                found.extend(range(start, start + width))
        return found

    # -- what a view mentions ---------------------------------------------------------------------

    def visible(self, shared: Cells) -> Cells:
        """The cells that all threads see; private ones are blanked out."""
        return tuple(None if s in self.hidden else v for s, v in enumerate(shared))

    def local_id_slots(self, view: StoreView) -> tuple[list[int], list[int]]:
        """Which thread-scoped and local cells of a view hold ids."""
        template = self.layout.numbers.templates[view.me]
        procedure = self.program.procedure_of[view.l.pc].name
        kept = self.layout.thread[template].cells
        own = self.layout.local[procedure].cells
        return (
            [s for s, c in enumerate(kept) if isinstance(c.type, TidType)],
            [s for s, c in enumerate(own) if isinstance(c.type, TidType)],
        )

    def private_id_slots(self, t: int) -> list[int]:
        """Which private cells of a thread hold ids."""
        cells = self.layout.globals.cells
        return [s for s in self.private[t] if isinstance(cells[s].type, TidType)]

    def ids(self, view: StoreView) -> list[int]:
        """The ids a view mentions, itself first."""
        kept, own = self.local_id_slots(view)
        values = [
            view.me,
            *(view.shared[s] for s in self.id_slots),
            *(view.shared[s] for s in self.private_id_slots(view.me)),
            *(view.l.thread[s] for s in kept),
            *(view.l.locals[s] for s in own),
        ]
        return _ids(values)

    # -- renaming ---------------------------------------------------------------------------------

    def rename(self, view: StoreView, names: Names) -> StoreView:
        """A view after renaming; private cells move with their thread, those of others vanish."""
        kept, own = self.local_id_slots(view)
        cells = list(_renamed(view.shared, self.id_slots, names))
        for slot in self.hidden:
            cells[slot] = None
        mine = _renamed(view.shared, self.private_id_slots(view.me), names)
        for source, target in zip(
            self.private[view.me], self.private[names[view.me]], strict=True
        ):
            cells[target] = mine[source]
        l = LocalStore(
            view.l.pc, _renamed(view.l.thread, kept, names), _renamed(view.l.locals, own, names)
        )
        return StoreView(names[view.me], tuple(cells), l)

    def normal_view(self, view: StoreView) -> StoreView:
        """The normal form of a view: its thread is the first of its class, others in order."""
        return self.rename(view, self._in_order(self.ids(view), view.me))

    def normal_change(self, mover: int, before: Cells, after: Cells) -> tuple[int, Cells, Cells]:
        """The normal form of a change of the cells that all threads see."""
        before, after = self.visible(before), self.visible(after)
        ids = _ids([mover, *(cells[s] for cells in (before, after) for s in self.id_slots)])
        names = self._in_order(ids, mover)
        return (
            names[mover],
            _renamed(before, self.id_slots, names),
            _renamed(after, self.id_slots, names),
        )

    def anonymous(self, shared: Cells) -> Cells:
        """The cells that all threads see, up to names."""
        seen = self.visible(shared)
        names = self._in_order(_ids(seen[s] for s in self.id_slots), None)
        return _renamed(seen, self.id_slots, names)

    def _in_order(self, ids: Iterable[int], me: int | None) -> dict[int, int]:
        names: dict[int, int] = {} if me is None else {me: self.like[me][0]}
        for t in ids:
            if t not in names:
                taken = names.values()
                names[t] = next(u for u in self.like[t] if u not in taken)
        return names

    def matching(self, source: Cells, target: Cells) -> dict[int, int] | None:
        """The renaming that makes the cells that all threads see of one store equal to another."""
        names: dict[int, int] = {}
        for slot in self.id_slots:
            old, new = source[slot], target[slot]
            assert isinstance(old, int)
            assert isinstance(new, int)
            if NONE in (old, new):
                if old != new:
                    return None
            elif names.setdefault(old, new) != new or new not in self.like[old]:
                return None
        return names if len(set(names.values())) == len(names) else None

    def all_names(self, names: Names, ids: Sequence[int]) -> Iterator[dict[int, int]]:
        """Every way to name further ids, among all ids of the instance."""
        missing = [t for t in ids if t not in names]
        if not missing:
            yield dict(names)
            return
        used = set(names.values())
        for name in self.like[missing[0]]:
            if name not in used:
                yield from self.all_names({**names, missing[0]: name}, missing[1:])


def _ids(values: Iterable[object]) -> list[int]:
    return list(dict.fromkeys(v for v in values if isinstance(v, int) and v != NONE))


def _renamed(cells: Cells, slots: Sequence[int], names: Names) -> Cells:
    changed = list(cells)
    for slot in slots:
        value = changed[slot]
        if isinstance(value, int) and value != NONE:
            changed[slot] = names[value]
    return tuple(changed)
