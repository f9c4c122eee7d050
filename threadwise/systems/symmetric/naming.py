"""Renaming thread ids: canonical names, and the ways to fit one view into another.

A *view* of a thread is a pair (g, l) in the ids of the instance. Two views that differ by a
renaming of the other threads of each class are the same view; its canonical form calls the thread
itself by its class's first id and numbers the others in the order in which they appear. What the
papers call `none`, `me` and `other` is kept, and which others are equal besides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from threadwise.ir.types import NONE, Value
from threadwise.systems.symmetric.classes import ThreadClass

Cells = tuple[Value, ...]
Renaming = Mapping[int, int]


class Naming:
    """Renaming within the classes of one program."""

    def __init__(self, classes: Sequence[ThreadClass], id_slots: Sequence[int]) -> None:
        self.id_slots = tuple(id_slots)
        """The cells of a shared store that hold ids."""
        self.members: dict[int, ThreadClass] = {
            t: members for members in classes for t in members.ids
        }

    def in_order(self, ids: Iterable[Value], me: int | None = None) -> dict[int, int]:
        """Names for ids in the order of their appearance; `me` keeps its name."""
        names: dict[int, int] = {} if me is None else {me: me}
        taken = set(names.values())
        for value in ids:
            if isinstance(value, int) and value != NONE and value not in names:
                name = next(t for t in self.members[value].ids if t not in taken)
                names[value] = name
                taken.add(name)
        return names

    def rename(self, cells: Cells, slots: Sequence[int], names: Renaming) -> Cells:
        """The cells with the ids in some of them renamed."""
        changed = list(cells)
        for slot in slots:
            value = changed[slot]
            if value != NONE:
                changed[slot] = names[value]  # type: ignore[index]  # an id
        return tuple(changed)

    def anonymous(self, shared: Cells) -> Cells:
        """A shared store up to renaming of all threads."""
        names = self.in_order(shared[slot] for slot in self.id_slots)
        return self.rename(shared, self.id_slots, names)

    def match(self, source: Cells, target: Cells) -> dict[int, int] | None:
        """The renaming that turns one shared store into another; None if there is none."""
        names: dict[int, int] = {}
        for slot in self.id_slots:
            old, new = source[slot], target[slot]
            assert isinstance(old, int)
            assert isinstance(new, int)
            if (old == NONE) != (new == NONE):
                return None
            if old != NONE and names.setdefault(old, new) != new:
                return None
        if len(set(names.values())) != len(names):
            return None
        if any(self.members[old] != self.members[new] for old, new in names.items()):
            return None
        return names

    def extensions(
        self, names: Renaming, ids: Sequence[int], present: Iterable[int]
    ) -> Iterator[dict[int, int]]:
        """All ways to name further ids: by an id that is present but unused, or by a new one.

        `present` lists the ids that mean something where the names are going; all others of a
        class are interchangeable, so that one of them stands for all.
        """
        if not ids:
            yield dict(names)
            return
        first, rest = ids[0], ids[1:]
        known = list(dict.fromkeys(present))
        used = set(names.values())
        members = self.members[first]
        options = [t for t in known if t not in used and self.members[t] == members]
        unknown = (t for t in members.ids if t not in used and t not in known)
        options.extend(t for t in [next(unknown, None)] if t is not None)
        for option in options:
            yield from self.extensions({**names, first: option}, rest, known)
