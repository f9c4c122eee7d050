"""Control-flow graphs, procedures, thread templates and programs.

Locations and edges are numbered densely through the whole program, so an id alone identifies one.
A location inside an atomic region is never visible to other threads: from the location before the
region a thread takes one big step, along any path that does not block, to the first location
outside (`threadwise.semantics.step`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import NewType, TypeAlias

from threadwise.core.quick_dataclass import dataclass, field, replace
from threadwise.core.source import Span
from threadwise.ir.commands import Action, Operation
from threadwise.ir.expr import Variable
from threadwise.ir.hashing import Listed
from threadwise.ir.properties import Property
from threadwise.ir.types import EnumType, Type, Value

LocId = NewType("LocId", int)
EdgeId = NewType("EdgeId", int)
Paths: TypeAlias = tuple[tuple[EdgeId, ...], ...]


class FailureKind(Listed):
    """Why a thread ends up in a failure location."""

    ASSERTION = "assertion"
    RANGE = "range"
    MUTEX = "mutex"
    END = "end"
    """Not an error either: the program is over (`exit`), and no thread goes on."""
    LIMIT = "limit"
    """Not an error of the program: the model ends here (a construct is not modelled). If a thread
    can get here, nothing else is SAFE."""
    OPEN = "open"
    """A limit: what may happen is not modelled, but bounded: the edges beside those that lead here
    say by what (`ir.beyond`). A proof may go on there."""
    CELLS = "cells"
    """A limit: memory is used as C allows, but not as cells of one type (an `int` as bytes). The
    edge beside the one that leads here does what C does, up to which cells and values it is."""
    SLOTS = "slots"
    """A limit: the pool of a template is exhausted. A proof for pools of any size may pass it."""
    UNDEFINED = "undefined"
    """A limit: undefined behaviour of C (a division by zero). A proof may assume that
    no thread gets here, and says so."""
    MEMORY = "memory"
    """The same for memory (a null pointer is dereferenced): an error of the program for the
    property `memory`, and a limit for all others, since what comes next is not known."""

    @property
    def is_limit(self) -> bool:
        """Whether the model ends here, rather than the program."""
        return self in (
            FailureKind.LIMIT,
            FailureKind.OPEN,
            FailureKind.CELLS,
            FailureKind.SLOTS,
            FailureKind.UNDEFINED,
            FailureKind.MEMORY,
        )

    @property
    def has_no_meaning(self) -> bool:
        """Whether C itself says nothing about what happens here."""
        return self in (FailureKind.UNDEFINED, FailureKind.MEMORY)


@dataclass(frozen=True, slots=True)
class Failure:
    """What it means to be in a failure location; `property` names the property it violates."""

    kind: FailureKind
    property: str
    message: str


@dataclass(frozen=True, slots=True)
class Location:
    """A point of a procedure.

    `final`: a thread at this location counts as finished (or as not started yet).
    `failure`: the `wrong` of the papers, without successors.
    `origin`: in a program that a transformation made, the location it was made from.
    """

    id: LocId
    labels: tuple[str, ...] = ()
    span: Span | None = None
    atomic: bool = False
    final: bool = False
    failure: Failure | None = None
    origin: LocId | None = field(default=None, compare=False, repr=False)


class MoverClaim(Listed):
    """What the user says about a step: it commutes with the steps of others that come after it
    (right), before it (left), or both. It is verified before it is used."""

    RIGHT = "right"
    LEFT = "left"
    BOTH = "both"

    @property
    def right(self) -> bool:
        """Whether it is said to move right."""
        return self is not MoverClaim.LEFT

    @property
    def left(self) -> bool:
        """Whether it is said to move left."""
        return self is not MoverClaim.RIGHT


@dataclass(frozen=True, slots=True)
class Edge:
    """One atomic action between two locations of a procedure.

    `sync`: the accesses of the edge are synchronisation, not data. The target of a `Return` is its
    own source, by convention. `text` is the statement as the user wrote it, for reports. `mover`
    is a claim of the user's about the step that the edge begins.

    `origin`: in a program that a transformation made, the paths of the program before that the
    edge stands for; one of them is taken where the edge is. It is no part of the meaning.
    """

    id: EdgeId
    source: LocId
    target: LocId
    action: Action
    span: Span | None = None
    operation: Operation | None = None
    sync: bool = False
    text: str = ""
    mover: MoverClaim | None = None
    origin: Paths = field(default=(), compare=False, repr=False)

    def renumbered(self, id: EdgeId, source: LocId, target: LocId) -> Edge:
        """The same edge under another number, between other locations."""
        if (id, source, target) == (self.id, self.source, self.target):
            return self
        return Edge(
            id,
            source,
            target,
            self.action,
            self.span,
            self.operation,
            self.sync,
            self.text,
            self.mover,
            self.origin,
        )


@dataclass(frozen=True, slots=True)
class DefaultValue:
    """Every cell starts with the default of its type."""


@dataclass(frozen=True, slots=True)
class FillValue:
    """Every cell starts with the same value."""

    value: Value


@dataclass(frozen=True, slots=True)
class ListedValues:
    """One value per cell, in memory order."""

    values: tuple[Value, ...]

    @property
    def is_uniform(self) -> bool:
        """Whether all cells start with one value, of one type."""
        return len({(type(value), value) for value in self.values}) == 1


@dataclass(frozen=True, slots=True)
class AnyValue:
    """Every cell may start with any value of its type."""


Initial: TypeAlias = DefaultValue | FillValue | ListedValues | AnyValue
DEFAULT = DefaultValue()


def stated_values(initial: Initial) -> tuple[Value, ...]:
    """The values that an initial value names: none for defaults and for any value."""
    match initial:
        case FillValue(value):
            return (value,)
        case ListedValues(values):
            return values
        case DefaultValue() | AnyValue():
            return ()


@dataclass(frozen=True, slots=True)
class Declaration:
    """A variable with its initial value."""

    variable: Variable
    initial: Initial = DEFAULT


@dataclass(frozen=True)
class Procedure:
    """A control-flow graph with parameters and locals.

    The body of a thread template is a procedure without parameters and without `Return`.
    `locals` does not repeat the parameters. None of their initial values is `AnyValue`.
    """

    name: str
    parameters: tuple[Variable, ...]
    result: Type | None
    locals: tuple[Declaration, ...]
    entry: LocId
    locations: tuple[Location, ...]
    edges: tuple[Edge, ...]
    span: Span | None = None


@dataclass(frozen=True)
class Template:
    """A kind of thread: `count` of them run `body`; None means any number, up to `most` if given.

    `pool`: the threads are slots for `spawn`, waiting in a final location until started.
    `variables` are the thread-scoped ones.
    """

    name: str
    count: int | None
    body: str
    variables: tuple[Declaration, ...] = ()
    pool: bool = False
    span: Span | None = None
    most: int | None = None


INSTANCE = "instance"

SHARED = "shared"
"""Among facts about the code of a program: several programs have it."""

_CODE = (
    "code",
    "locations",
    "edges",
    "actions",
    "outgoing",
    "procedure_of",
    "procedure",
    "template",
)
"""What is computed of a program and does not depend on its properties."""


@dataclass(frozen=True)
class Program:
    """A whole program, the unit every later stage works on."""

    name: str
    enums: tuple[EnumType, ...]
    globals: tuple[Declaration, ...]
    procedures: tuple[Procedure, ...]
    templates: tuple[Template, ...]
    properties: tuple[Property, ...]

    @cached_property
    def made(self) -> dict[str, Program]:
        """A cache: what transformations made of it, by their names."""
        return {}

    @cached_property
    def found(self) -> dict[str, object]:
        """Facts that transformations found about it, by their names."""
        return {}

    @cached_property
    def code(self) -> dict[object, object]:
        """A cache: facts about what threads do, which hold whatever the properties are."""
        return {}

    def with_properties(self, properties: tuple[Property, ...]) -> Program:
        """The program with other properties; what does not depend on them is shared."""
        other = replace(self, properties=properties)
        self.code[SHARED] = True
        for name in _CODE:
            other.__dict__[name] = getattr(self, name)
        return other

    @cached_property
    def locations(self) -> tuple[Location, ...]:
        """All locations, by id."""
        return tuple(location for proc in self.procedures for location in proc.locations)

    @cached_property
    def edges(self) -> tuple[Edge, ...]:
        """All edges, by id."""
        return tuple(edge for proc in self.procedures for edge in proc.edges)

    @cached_property
    def actions(self) -> tuple[Action, ...]:
        """What edges do, each action once."""
        return tuple(dict.fromkeys(edge.action for edge in self.edges))

    @cached_property
    def outgoing(self) -> tuple[tuple[Edge, ...], ...]:
        """The edges that leave each location, in order of their ids."""
        lists: list[list[Edge]] = [[] for _ in self.locations]
        for edge in self.edges:
            lists[edge.source].append(edge)
        return tuple(map(tuple, lists))

    @cached_property
    def procedure_of(self) -> tuple[Procedure, ...]:
        """The procedure each location belongs to."""
        return tuple(proc for proc in self.procedures for _ in proc.locations)

    @cached_property
    def procedure(self) -> Mapping[str, Procedure]:
        """Procedures by name."""
        return {proc.name: proc for proc in self.procedures}

    @cached_property
    def template(self) -> Mapping[str, Template]:
        """Templates by name."""
        return {template.name: template for template in self.templates}

    @property
    def declarations(self) -> Iterator[tuple[Declaration, str]]:
        """All declarations: of globals, of templates, and of locals, with their procedure."""
        yield from ((d, "") for d in self.globals)
        yield from ((d, "") for template in self.templates for d in template.variables)
        yield from ((d, proc.name) for proc in self.procedures for d in proc.locals)

    @property
    def has_any_number(self) -> bool:
        """Whether some template has any number of threads."""
        return any(template.count is None for template in self.templates)

    def with_counts(self, counts: Mapping[str, int]) -> Program:
        """The program with some numbers of threads fixed; itself, if they are so already."""
        if all(t.count == counts.get(t.name, t.count) for t in self.templates):
            return self
        templates = tuple(
            replace(template, count=counts[template.name], most=None)
            if template.name in counts
            else template
            for template in self.templates
        )
        instance = replace(self, templates=templates)
        instance.found[INSTANCE] = self
        return instance

    @property
    def instance_of(self) -> Program | None:
        """The program that some numbers of threads were fixed in to make this one, if any."""
        found = self.found.get(INSTANCE)
        return found if isinstance(found, Program) else None
