"""Flow-insensitive facts about global variables.

taken        its address is taken, or occurs as a constant
addressed    a pointer may lead there: it is taken, and some pointer is followed
own          only threads of one template touch it, of which there is one, and no pointer does
unwritten    nothing writes it, and no pointer leads there
harmless     no access to it is part of a race: it is one of these, or all accesses synchronise
fixed cells  hold their initial value for ever: nothing else is ever written there; and if
             something is written at all, all accesses to them synchronise, because of their
             edges or since the variable is one that never races
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Action, Allocate, Call, Command, Free, Operation
from threadwise.ir.expr import (
    AddressOf,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, root, subexpressions
from threadwise.ir.layout import NO_THREADS, has_static_size, initial_choices
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import AnyValue, Edge, Program, Template, stated_values
from threadwise.ir.types import (
    UNSET,
    Address,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    Value,
    fields_of,
)
from threadwise.proofs.simplified.created import Threads

MOST_REMEMBERED = 1 << 16
"""Of so many different actions it is remembered what they do: most pass through most passes."""

Path = tuple[str | int | None, ...]
"""A cell of a variable: its name, then fields and indices; None is an index that is computed."""


@dataclass(frozen=True)
class _Seen:
    """What an edge does with global variables."""

    follows: bool
    written: tuple[tuple[str, Path, Value | None], ...]
    read: tuple[tuple[str, Path], ...]
    taken: frozenset[str]
    addresses: frozenset[Address]


_NOTHING = _Seen(follows=False, written=(), read=(), taken=frozenset(), addresses=frozenset())


def _seen_of(edge: Edge) -> _Seen:
    """What an edge does, found once for each action: the subjects of few operations matter."""
    operation = edge.operation
    if operation is not None and operation.subject is not None:
        return _seen_with(edge.action, operation)
    told = edge.action.told
    found: _Seen | None = told.get("global variables")
    if found is None:
        found = told["global variables"] = _seen(edge.action, None)
    return found


@lru_cache(maxsize=MOST_REMEMBERED)
def _seen_with(action: Action, operation: Operation) -> _Seen:
    return _seen(action, operation)


def _seen(action: Action, operation: Operation | None) -> _Seen:
    values: dict[int, Value | None] = {}
    if isinstance(action, Command):
        for position, assignment in enumerate(action.assignments):
            values[position] = _number(assignment.value)
    follows = isinstance(action, Free)
    written: list[tuple[str, Path, Value | None]] = []
    for position, place in enumerate(action_places(action)):
        follows |= isinstance(root(place), DerefPlace)
        if _is_global(place):
            written.append((_name(place), path_of(place), values.get(position)))
    read: list[tuple[str, Path]] = []
    taken: set[str] = set()
    addresses: set[Address] = set()
    subject = () if operation is None or operation.subject is None else (operation.subject,)
    for expr in (*action_expressions(action), *subject):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten):
                follows |= isinstance(root(part.place), DerefPlace)
            if isinstance(part, Read | IsWritten) and _is_global(part.place):
                read.append((_name(part.place), path_of(part.place)))
            elif isinstance(part, AddressOf) and _is_global(part.place):
                taken.add(_name(part.place))
            elif isinstance(part, Const) and isinstance(part.value, Address):
                addresses.add(part.value)
    found = _Seen(follows, tuple(written), tuple(read), frozenset(taken), frozenset(addresses))
    return _NOTHING if found == _NOTHING else found


class Shared:
    """The global variables of a program."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.read: dict[str, list[tuple[Edge, Path]]] = {}
        self.written: dict[str, list[tuple[Edge, Path, Value | None]]] = {}
        """The number that is written, if it is one."""
        self.taken: set[str] = set()
        self.follows = False
        """Whether a pointer is followed anywhere."""
        self.addresses: set[Address] = set()
        """Those that occur as constants."""
        names = [declaration.variable.name for declaration in program.globals]
        for edge in program.edges:
            self._look(edge)
        for declaration, _ in program.declarations:
            for value in stated_values(declaration.initial):
                if isinstance(value, Address):
                    self.addresses.add(value)
        for address in self.addresses:
            if 0 <= address.number < len(names):
                self.taken.add(names[address.number])

    @property
    def addressed(self) -> set[str]:
        """Variables that a pointer may lead to."""
        return self.taken if self.follows else set()

    def _look(self, edge: Edge) -> None:
        seen = _seen_of(edge)
        if seen is _NOTHING:
            return
        self.follows |= seen.follows
        for name, path, value in seen.written:
            self.written.setdefault(name, []).append((edge, path, value))
        for name, path in seen.read:
            self.read.setdefault(name, []).append((edge, path))
        if seen.taken:
            self.taken |= seen.taken
        if seen.addresses:
            self.addresses |= seen.addresses

    @cached_property
    def unwritten(self) -> frozenset[str]:
        """Variables that keep their values, whatever these are."""
        names = {declaration.variable.name for declaration in self.program.globals}
        return frozenset(names - self.written.keys() - self.addressed)

    @cached_property
    def own(self) -> frozenset[str]:
        """Variables that no other thread touches."""
        runners: dict[str, set[str]] = {}
        called = {
            procedure.name: {
                edge.action.procedure for edge in procedure.edges if isinstance(edge.action, Call)
            }
            for procedure in self.program.procedures
        }
        for template in self.program.templates:
            for procedure in _reachable(called, template.body):
                runners.setdefault(procedure, set()).add(template.name)
        procedure_of = self.program.procedure_of
        users: dict[str, set[str]] = {}
        for name in {*self.read, *self.written}:
            inside = {procedure_of[edge.source].name for edge in self._used(name)}
            users[name] = set().union(*(runners.get(each, ()) for each in inside))
        threads = Threads(self.program)
        single = {t.name for t in self.program.templates if self._is_single(t, threads)}
        return frozenset(
            declaration.variable.name
            for declaration in self.program.globals
            if declaration.variable.name not in self.addressed
            and len(users.get(declaration.variable.name, ())) <= 1
            and users.get(declaration.variable.name, set()) <= single
        )

    def _is_single(self, template: Template, threads: Threads) -> bool:
        """Whether there is never more than one thread of a template.

        Proofs may be about pools of any size: that one has a single slot says nothing.
        """
        if template.count != 1:
            return False
        pool = PoolCells(template.name)
        if template.pool and {pool.next, pool.status} & self.taken:
            return False
        return threads.most(template) == 1

    @cached_property
    def harmless(self) -> frozenset[str]:
        """Variables whose accesses cannot race."""
        synchronise = {
            declaration.variable.name
            for declaration in self.program.globals
            if declaration.variable.sync
            or (
                declaration.variable.name not in self.addressed
                and all(edge.sync for edge in self._used(declaration.variable.name))
            )
        }
        return self.own | self.unwritten | synchronise

    def _used(self, name: str) -> Iterator[Edge]:
        yield from (entry[0] for entry in self.read.get(name, ()))
        yield from (entry[0] for entry in self.written.get(name, ()))

    def may_race(self, place: Place) -> bool:
        """Whether an access to a place may be part of a race."""
        base = root(place)
        if isinstance(base, DerefPlace):
            return True
        return base.variable.scope is Scope.GLOBAL and base.variable.name not in self.harmless

    @cached_property
    def fixed(self) -> dict[Path, Const]:
        """The cells that keep their initial value, with it."""
        found: dict[Path, Const] = {}
        for declaration in self.program.globals:
            variable = declaration.variable
            static = has_static_size(variable.type) and not isinstance(
                declaration.initial, AnyValue
            )
            if not static or variable.name in self.addressed:
                continue
            choices = initial_choices(declaration, NO_THREADS)
            cells = _cells((variable.name,), variable.type)
            stores = _ByPath((p, (e, n)) for e, p, n in self.written.get(variable.name, ()))
            loads = _ByPath((p, (e, None)) for e, p in self.read.get(variable.name, ()))
            for (path, held), values in zip(cells, choices, strict=True):
                if values is None or len(values) != 1 or values[0] == UNSET:
                    continue
                if self._keeps(path, values[0], stores, loads, synchronised=variable.sync):
                    found[path] = Const(values[0], held)
        return found

    def _keeps(
        self, path: Path, value: Value, written: _ByPath, read: _ByPath, *, synchronised: bool
    ) -> bool:
        """Whether a cell keeps a value, given the accesses to its variable."""
        stores = list(written.overlapping(path))
        if not stores:
            return True
        if type(value) not in (int, bool):
            return False
        if not all(type(number) is type(value) and number == value for _, number in stores):
            return False
        return synchronised or (
            all(edge.sync for edge, _ in stores)
            and all(edge.sync for edge, _ in read.overlapping(path))
        )

    @cached_property
    def _alike(self) -> dict[Path, Const | None]:
        """Cells with computed indices, if all elements are fixed and alike."""
        found: dict[Path, Const | None] = {}
        for declaration in self.program.globals:
            variable = declaration.variable
            if not has_static_size(variable.type):
                continue
            for path, _ in _cells((variable.name,), variable.type):
                value = self.fixed.get(path)
                for general in _generalised(path):
                    found[general] = value if found.get(general, value) == value else None
        return found

    def value(self, place: Place) -> Const | None:
        """The constant that a place of a global variable holds for ever, if it holds one."""
        if not _is_global(place):
            return None
        path = path_of(place)
        if None in path:
            return self._alike.get(path)
        return self.fixed.get(path)

    @cached_property
    def may_be_unset(self) -> frozenset[str] | None:
        """Variables with a cell that may be unset; None if any memory may be.

        What is unset cannot be copied: it is so from the start, or by an assignment that says so.
        """
        found = {
            declaration.variable.name
            for declaration, _ in self.program.declarations
            if UNSET in stated_values(declaration.initial)
        }
        for action in self.program.actions:
            if isinstance(action, Allocate) and not action.cleared:
                return None
            for assignment in action.assignments if isinstance(action, Command) else ():
                if _mentions_unset(assignment.value):
                    base = root(assignment.target)
                    if isinstance(base, DerefPlace):
                        return None
                    found.add(base.variable.name)
        return frozenset(found)

    def is_written(self, place: Place) -> bool:
        """Whether a place surely holds something."""
        base = root(place)
        if isinstance(base, DerefPlace) or self.may_be_unset is None:
            return self.may_be_unset == frozenset()
        return base.variable.name not in self.may_be_unset


class _ByPath:
    """Accesses to one variable, found by the cells that they may be to (`may_overlap`).

    A large array has many cells, and code that copies it cell by cell as many accesses: a cell is
    not compared with each of them. Those of one shape, of a length and with computed indices at
    some positions, may overlap a cell if they agree with it at the other positions.
    """

    def __init__(self, accesses: Iterable[tuple[Path, tuple[Edge, Value | None]]]) -> None:
        self._shapes: dict[tuple[bool, ...], dict[Path, list[tuple[Edge, Value | None]]]] = {}
        for path, access in accesses:
            shape = tuple([part is not None for part in path])
            self._shapes.setdefault(shape, {}).setdefault(path, []).append(access)

    def overlapping(self, cell: Path) -> Iterator[tuple[Edge, Value | None]]:
        """The accesses that may be to a cell, which has no computed index."""
        for shape, paths in self._shapes.items():
            if len(shape) <= len(cell):
                key = tuple(
                    [part if known else None for part, known in zip(cell, shape, strict=False)]
                )
                yield from paths.get(key, ())
            else:
                for path, accesses in paths.items():
                    if may_overlap(path, cell):
                        yield from accesses


def _mentions_unset(value: Expr) -> bool:
    return any(isinstance(part, Const) and part.value == UNSET for part in subexpressions(value))


def _is_global(place: Place) -> bool:
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL


def _name(place: Place) -> str:
    base = root(place)
    assert isinstance(base, VariablePlace)
    return base.variable.name


def _number(expr: Expr) -> Value | None:
    return expr.value if isinstance(expr, Const) and type(expr.value) in (int, bool) else None


def path_of(place: Place) -> Path:
    """The cells of a variable that a place is."""
    match place:
        case VariablePlace(variable):
            return (variable.name,)
        case FieldPlace(base, field):
            return (*path_of(base), field)
        case IndexPlace(base, Const(int(value), _)):
            return (*path_of(base), value)
        case IndexPlace(base, _):
            return (*path_of(base), None)
        case DerefPlace():
            raise AssertionError("no variable")


def _cells(path: Path, held: Type) -> Iterator[tuple[Path, Type]]:
    """The cells of a value of static size, in memory order."""
    match held:
        case ArrayType(element, int(extent)):
            for position in range(extent):
                yield from _cells((*path, position), element)
        case RecordType() | MutexType():
            for field, part in fields_of(held):
                yield from _cells((*path, field), part)
        case _:
            yield path, held


def may_overlap(one: Path, other: Path) -> bool:
    """Whether two paths may lead to a common cell; the shorter one is all that is below it."""
    return all(a == b or a is None or b is None for a, b in zip(one, other, strict=False))


def _generalised(path: Path) -> Iterator[Path]:
    """The ways to write a path with some indices computed, at least one."""
    positions = [n for n, part in enumerate(path) if type(part) is int]
    for mask in range(1, 1 << len(positions)):
        chosen = {positions[k] for k in range(len(positions)) if mask >> k & 1}
        yield tuple(None if n in chosen else part for n, part in enumerate(path))


def _reachable(called: Mapping[str, set[str]], body: str) -> set[str]:
    found = {body}
    pending = [body]
    while pending:
        new = called[pending.pop()] - found
        found |= new
        pending += new
    return found
