"""Threads that can be exchanged or turned, and doing so in a set of states.

A permutation of the threads of a template moves their locations and own cells, the elements of
arrays with an element per thread, the elements of ordinary arrays that have as many elements as
the template has threads (if that is what makes the program symmetric), and renames ids wherever
they are stored. It is a symmetry if it maps the initial states and the actions of every thread to
those of the thread's image; this is decided on the BDDs, so that `y[self.index]` and
`(self.index + 1) % N` are no obstacle.

    exchange   a transposition and the rotation are symmetries, hence all permutations
    turn       only the rotation is one (philosophers round a table)

What follows from one thread is computed once and renamed for the others. This is not trusted:
certificates are checked without this module.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum

from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.backends.bdd.threads import Action
from threadwise.ir.layout import extent_of, size_of
from threadwise.ir.types import NONE, ArrayType, PerThread


class Kind(Enum):
    """How the threads of a class can be permuted."""

    ALONE = "alone"
    EXCHANGE = "exchange"
    TURN = "turn"


@dataclass(frozen=True)
class ThreadClass:
    """Threads that are represented by one of them.

    `arrays` are the ordinary arrays whose elements move along; those with an element per thread
    always do.
    """

    members: tuple[int, ...]
    kind: Kind = Kind.ALONE
    arrays: tuple[str, ...] = ()

    def permutation(self, first: int, second: int) -> dict[int, int]:
        """A permutation that takes one member to another."""
        if self.kind is Kind.EXCHANGE:
            return {first: second, second: first}
        size, start = len(self.members), self.members[0]
        shift = second - first
        return {t: start + (t - start + shift) % size for t in self.members}

    def generators(self) -> list[dict[int, int]]:
        """Permutations of which all others are made."""
        match self.kind:
            case Kind.ALONE:
                return []
            case Kind.TURN:
                return [_rotation(self.members)]
            case Kind.EXCHANGE:
                return [_swap(self.members), _rotation(self.members)]


def _swap(members: Sequence[int]) -> dict[int, int]:
    return {members[0]: members[1], members[1]: members[0]}


def _rotation(members: Sequence[int]) -> dict[int, int]:
    return dict(zip(members, (*members[1:], members[0]), strict=True))


@dataclass(frozen=True)
class Classes:
    """The threads by class."""

    classes: tuple[ThreadClass, ...]
    _position: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for position, members in enumerate(self.classes):
            self._position.update((t, position) for t in members.members)

    @staticmethod
    def single(model: Model) -> Classes:
        """Everybody alone."""
        return Classes(tuple(ThreadClass((t.thread,)) for t in model.threads))

    @staticmethod
    def of(model: Model, *, symmetry: bool = True) -> Classes:
        """The classes of a program."""
        if not symmetry:
            return Classes.single(model)
        found: list[ThreadClass] = []
        program = model.space.program
        for template in program.templates:
            ids = tuple(model.space.numbers.ranges[template.name])
            best = None if len(ids) < 2 else _symmetry(model, ids)
            found.extend([best] if best is not None else [ThreadClass((t,)) for t in ids])
        return Classes(tuple(found))

    @property
    def representatives(self) -> tuple[int, ...]:
        """The first of each class."""
        return tuple(members.members[0] for members in self.classes)

    def of_thread(self, thread: int) -> ThreadClass:
        """The class of a thread."""
        return self.classes[self._position[thread]]

    def extensions(self, ids: Sequence[int], chosen: Sequence[int]) -> Iterator[int]:
        """The threads that can extend a tuple which stands for all its images."""
        fresh: set[int] = set()
        for t in ids:
            members = self.of_thread(t)
            position = self._position[t]
            seen = any(u in members.members for u in chosen)
            if t in chosen or members.kind is Kind.ALONE or (seen and members.kind is Kind.TURN):
                yield t
            elif position not in fresh:
                fresh.add(position)
                yield t


def _symmetry(model: Model, ids: tuple[int, ...]) -> ThreadClass | None:
    """The strongest symmetry of the threads of a template."""
    numbers = model.space.numbers
    sized = tuple(
        declaration.variable.name
        for declaration in model.space.program.globals
        if isinstance(held := declaration.variable.type, ArrayType)
        and not isinstance(held.extent, PerThread)
        and extent_of(held, numbers) == len(ids)
    )
    for arrays in (sized, ()) if sized else ((),):
        turn = ThreadClass(ids, Kind.TURN, arrays)
        if not Permuting(model, turn, _rotation(ids)).is_symmetry():
            continue
        if len(ids) > 2 and not Permuting(model, turn, _swap(ids)).is_symmetry():
            return turn
        return ThreadClass(ids, Kind.EXCHANGE, arrays)
    return None


class Permuting:
    """Applies a permutation of some threads to sets of states of one model."""

    def __init__(self, model: Model, members: ThreadClass, threads: dict[int, int]) -> None:
        self.model = model
        self.manager = model.manager
        self.threads = threads
        self._by: dict[str, Node] = {}
        self._image: dict[str, str] = {}
        """Where each bit goes, for those that move."""
        self._matches = True
        """Whether all that moves has as many bits where it goes to."""
        space = model.space
        for t, image in threads.items():
            for source, target in zip(space.threads[t].all, space.threads[image].all, strict=True):
                self._move(source, target)
        for source, target in self._elements(members):
            self._move(source, target)
        moved = set(self._by)
        for cell in space.fields():
            if cell.name in space.id_fields and cell.bits and cell.bits[0] not in moved:
                self._move(cell, cell)

    def _elements(self, members: ThreadClass) -> Iterator[tuple[Field, Field]]:
        space = self.model.space
        first = members.members[0]
        template = space.numbers.templates[first]
        for declaration in space.program.globals:
            held = declaration.variable.type
            moves = declaration.variable.name in members.arrays
            if not isinstance(held, ArrayType) or not (
                moves or held.extent == PerThread(template)
            ):
                continue
            width = size_of(held.element, space.numbers)
            start = space.layout.globals.offset[declaration.variable.name]
            for t, image in self.threads.items():
                for i in range(width):
                    source = start + (t - first) * width + i
                    target = start + (image - first) * width + i
                    yield space.shared[source], space.shared[target]

    def _move(self, source: Field, target: Field) -> None:
        """In the image, `target` holds what `source` held, ids renamed."""
        if len(source.bits) != len(target.bits):  # only one of them follows from the location
            self._matches = False
            return
        if source.name in self.model.space.id_fields:
            back = {image: t for t, image in self.threads.items()}
            literals = self.model.sets.literals(target)
            unused = ~self.model.sets.valid(target)
            for name, image in zip(source.bits, target.bits, strict=True):
                renamed = self.manager.union(
                    node
                    for value, node in literals.items()
                    if source.assignment(_renamed(value, back))[name]
                )
                self._by[name] = renamed | (unused & self.manager.variable(image))
        elif source != target:
            for name, image in zip(source.bits, target.bits, strict=True):
                self._by[name] = self.manager.variable(image)
        self._image.update(zip(source.bits, target.bits, strict=True))

    def __call__(self, node: Node) -> Node:
        """The image of a set of states."""
        support = self.manager.support(node)
        by = {name: self._by[name] for name in support if name in self._by}
        return self.manager.substitute(node, by)

    def is_symmetry(self) -> bool:
        """Whether initial states and actions are mapped to each other."""
        threads = self.model.threads
        if not self._matches:
            return False
        if self(self.model.initial_shared) != self.model.initial_shared:
            return False
        for thread in threads:
            image = threads[self.threads.get(thread.thread, thread.thread)]
            if len(thread.actions) != len(image.actions) or self(thread.initial) != image.initial:
                return False
            moved = {self._key(action, moved=True) for action in thread.actions}
            if moved != {self._key(action, moved=False) for action in image.actions}:
                return False
        return True

    def _key(self, action: Action, *, moved: bool) -> tuple[Node, Node, frozenset[str]]:
        if not moved:
            return action.guard, action.result, frozenset(action.written)
        written = frozenset(self._image.get(name, name) for name in action.written)
        return self(action.guard), self(action.result), written


def _renamed(value: object, names: dict[int, int]) -> int:
    assert isinstance(value, int)
    return value if value == NONE else names.get(value, value)
