"""Exposing: auxiliary globals (ghosts) that make a thread's local state visible to the others.

The augmented program A(P, Ψ) of MHWL Definition 2. An `Exposure` stands for one predicate for each
thread t of a template, "subject = value of t", where the subject is the location or one of the
thread's own cells; it becomes an array of booleans with an element per thread,

    u[t]  iff  the subject of t has the value of t                                            (*)

which starts right and which every step of t updates together with the subject. A step also
demands (*) beforehand: it always holds, but an engine that forgets the subject and remembers u
then knows which steps are possible. Inside an atomic region u is updated edge by edge, which no
other thread can observe.

Ghosts are never read otherwise, so runs of A(P, Ψ) and of P correspond step by step, edge by edge,
and have the same traces (Lemma 1). The way back: `hide` drops the cells of the ghosts from a
store, and a formula over A(P, Ψ) becomes one over P by reading each ghost as its predicate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Action, Assignment, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    IndexPlace,
    Place,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, number
from threadwise.ir.layout import ThreadNumbers, cells_of, initial_choices
from threadwise.ir.program import (
    Declaration,
    Edge,
    FillValue,
    ListedValues,
    LocId,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.types import (
    BOOL,
    INT,
    ArrayType,
    BoolType,
    EnumType,
    PerThread,
    ScalarType,
    TidType,
    Value,
)
from threadwise.semantics.state import Cells

GHOST = "$"
"""Names of ghosts begin with it; no front end makes such names."""


@dataclass(frozen=True)
class Subject:
    """What a predicate is about: the location (`cell` None), or an own cell by its number.

    A thread's own cells are its thread-scoped ones followed by those of its body.
    """

    cell: int | None = None


@dataclass(frozen=True)
class Exposure:
    """Predicates "subject = value", one for each thread of a template; None: nothing."""

    template: str
    subject: Subject
    values: tuple[Value | None, ...]

    @property
    def is_uniform(self) -> bool:
        """Whether it says the same about each thread of the template."""
        return len(set(self.values)) == 1

    @property
    def predicates(self) -> int:
        """How many predicates it stands for."""
        return sum(value is not None for value in self.values)


@dataclass(frozen=True)
class Exposed:
    """The program with its ghosts."""

    program: Program
    exposures: tuple[Exposure, ...]
    hidden: int
    """How many cells of the global store the original program has; ghosts come after them."""

    def hide(self, shared: Cells) -> Cells:
        """A global store of the original program."""
        return shared[: self.hidden]


def expose(program: Program, exposures: Sequence[Exposure]) -> Exposed:
    """Add a ghost for each exposure; counts must be fixed, and the bodies without calls."""
    numbers = ThreadNumbers.of(program)
    hidden = sum(1 for d in program.globals for _ in cells_of(d.variable, numbers))
    ghosts = [_Ghost.of(program, numbers, k, e) for k, e in enumerate(exposures)]
    declared = tuple(ghost.declaration() for ghost in ghosts)
    bodies = {template.body for template in program.templates}
    procedures = tuple(
        _augmented(program, proc, [g for g in ghosts if g.template.body == proc.name])
        if proc.name in bodies
        else proc
        for proc in program.procedures
    )
    changed = replace(program, globals=(*program.globals, *declared), procedures=procedures)
    return Exposed(changed, tuple(exposures), hidden)


def own_place(program: Program, template: Template, cell: int) -> Place | None:
    """The place of an own cell, if it is a whole variable; None if it is a part of one."""
    numbers = ThreadNumbers.of(program)
    slot = 0
    for declaration in (*template.variables, *program.procedure[template.body].locals):
        cells = list(cells_of(declaration.variable, numbers))
        if slot == cell and len(cells) == 1:
            return VariablePlace(declaration.variable)
        slot += len(cells)
    return None


@dataclass(frozen=True)
class _Ghost:
    """An exposure on its way into the program."""

    program: Program
    numbers: ThreadNumbers
    variable: Variable
    template: Template
    exposure: Exposure

    @staticmethod
    def of(program: Program, numbers: ThreadNumbers, position: int, made: Exposure) -> _Ghost:
        template = program.template[made.template]
        held = ArrayType(BOOL, PerThread(made.template))
        variable = Variable(f"{GHOST}{position}", held, Scope.GLOBAL, sync=True)
        return _Ghost(program, numbers, variable, template, made)

    def declaration(self) -> Declaration:
        """The array, starting as the threads do."""
        start = self._start()
        values = tuple(value is not None and value == start for value in self.exposure.values)
        if len(set(values)) == 1:
            return Declaration(self.variable, FillValue(values[0]))
        return Declaration(self.variable, ListedValues(values))

    def _start(self) -> Value:
        cell = self.exposure.subject.cell
        body = self.program.procedure[self.template.body]
        if cell is None:
            return body.entry
        choices = [
            chosen
            for d in (*self.template.variables, *body.locals)
            for chosen in initial_choices(d, self.numbers)
        ][cell]
        assert choices is not None
        return choices[0]

    @property
    def mine(self) -> Place:
        """The element of the thread that executes."""
        return IndexPlace(VariablePlace(self.variable), SelfId())

    def value(self, subject: Expr | LocId) -> Expr:
        """The predicate of the executing thread, of a location or of a value."""
        by_thread: list[Expr] = []
        for value in self.exposure.values:
            if value is None:
                by_thread.append(Const(value=False, type=BOOL))
            elif isinstance(subject, int):
                by_thread.append(Const(value=subject == value, type=BOOL))
            else:
                by_thread.append(Binary(BinaryOp.EQ, subject, _literal(value, subject)))
        result = by_thread[-1]
        for position in range(len(by_thread) - 2, -1, -1):
            if by_thread[position] != result:
                here = Binary(BinaryOp.EQ, SelfIndex(), number(position))
                result = Conditional(here, by_thread[position], result)
        return result

    def current(self) -> Place | None:
        """The subject, if it is a cell that is a variable of its own."""
        cell = self.exposure.subject.cell
        return None if cell is None else own_place(self.program, self.template, cell)


def _literal(value: Value, like: Expr) -> Const:
    held = like.type
    kept = held if isinstance(held, BoolType | EnumType | TidType) else INT
    return Const(value, kept)


def _augmented(program: Program, proc: Procedure, ghosts: Sequence[_Ghost]) -> Procedure:
    edges = tuple(_augmented_edge(program, edge, ghosts) for edge in proc.edges)
    return replace(proc, edges=edges)


def _augmented_edge(program: Program, edge: Edge, ghosts: Sequence[_Ghost]) -> Edge:
    action = edge.action
    if not isinstance(action, Command):
        raise TypeError("exposing in a program with calls or a heap")
    starts = not program.locations[edge.source].atomic
    guards = [_agreement(edge, ghost) for ghost in ghosts] if starts else []
    updates = [u for ghost in ghosts for u in _updates(edge, action, ghost)]
    changed: Action = replace(
        action,
        guard=conjunction([*guards, action.guard]),
        assignments=(*action.assignments, *updates),
    )
    return replace(edge, action=changed)


def _agreement(edge: Edge, ghost: _Ghost) -> Expr:
    """(*) before the step."""
    place = ghost.current()
    known = ghost.value(edge.source if place is None else Read(place))
    if known == Const(value=True, type=BOOL):
        return Read(ghost.mine)
    return Binary(BinaryOp.EQ, Read(ghost.mine), known)


def _updates(edge: Edge, action: Command, ghost: _Ghost) -> Iterator[Assignment]:
    """How an edge updates the ghost."""
    place = ghost.current()
    if place is None:
        after = ghost.value(edge.target)
        if after != ghost.value(edge.source):
            yield Assignment(ghost.mine, after)
        return
    for assignment in action.assignments:
        if assignment.target == place:
            yield Assignment(ghost.mine, ghost.value(assignment.value))


def exposable(program: Program, template: Template, cell: int) -> bool:
    """Whether an own cell can be the subject of a ghost: a whole variable that no edge havocs."""
    place = own_place(program, template, cell)
    if place is None:
        return False
    body = program.procedure[template.body]
    return not any(
        isinstance(edge.action, Command) and place in edge.action.havocs for edge in body.edges
    )


def describe(program: Program, exposed: Exposure) -> str:
    """A predicate as a person would write it, e.g. `at L2` or `left == 1`."""
    values = list(dict.fromkeys(v for v in exposed.values if v is not None))
    template = program.template[exposed.template]
    cell = exposed.subject.cell
    if cell is None:
        names = [_location_name(program, v) for v in values if isinstance(v, int)]
        return "at " + " or ".join(names)
    place = own_place(program, template, cell)
    name = place.variable.name if isinstance(place, VariablePlace) else f"cell {cell}"
    if len(values) == 1:
        return f"{name} == {_shown(values[0], place)}"
    return f"{name} == " + "/".join(_shown(v, place) for v in values)


def _location_name(program: Program, place: int) -> str:
    location = program.locations[place]
    if location.labels:
        return location.labels[0]
    return f"line {location.span.line}" if location.span is not None else f"{place}"


def _shown(value: Value, place: Place | None) -> str:
    held: ScalarType | object = place.type if place is not None else None
    if isinstance(held, EnumType) and isinstance(value, int):
        return held.members[value]
    return str(value).lower() if isinstance(value, bool) else str(value)
