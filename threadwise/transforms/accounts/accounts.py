"""A program with ghosts that count threads and sum up what finished threads have added.

For a pool T all of whose threads are joined somewhere (`joins`):

    $T.count        how many threads were created
    $T.running      how many have begun and not finished
    $T.finished     how many have finished

A thread begins only `when $T.count - $T.running - $T.finished > 0`: it is one of those. For a
machine integer x that only such pools and their creating thread M write there is

    $x.own          in each thread that writes x: what it has added
    $x.settled      what all finished threads have added

`x := e` also adds `e - x` to $x.own, modulo the size of x; a thread of a pool that finishes adds
that to $x.settled. At locations of M where all threads of T were joined, steps have the conditions
`$T.running == 0 && $T.finished == $T.count`, and, where that is so of all pools that write x,
`x == wrap(first value + $x.settled + $x.own)`. An edge of M to a limit of the model has
the condition that a handle is of T, where it is. These conditions always hold.

Nobody reads ghosts otherwise, so the behaviours are those of the program before. Atomicity is the
same, but shared variables are read more often: races are not preserved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Assignment, Call, Command, OperationKind
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    IsInstance,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import conjunction, number, read_places, root
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import (
    DEFAULT,
    Declaration,
    Edge,
    EdgeId,
    FillValue,
    ListedValues,
    LocId,
    Procedure,
    Program,
)
from threadwise.ir.properties import FailureProperty
from threadwise.ir.types import INT, MachineType
from threadwise.transforms.accounts.joins import Joins, joins
from threadwise.transforms.expose import GHOST


@dataclass(frozen=True)
class PoolGhosts:
    """The ghosts that count the threads of a pool."""

    count: Variable
    running: Variable
    finished: Variable

    @staticmethod
    def of(pool: str) -> PoolGhosts:
        """Those of a pool."""
        names = (f"{GHOST}{pool}.{what}" for what in ("count", "running", "finished"))
        return PoolGhosts(*(Variable(name, INT, Scope.GLOBAL, sync=True) for name in names))

    @property
    def all(self) -> tuple[Variable, ...]:
        """All three."""
        return self.count, self.running, self.finished


@dataclass(frozen=True)
class Sum:
    """A shared integer, and what is added to it."""

    variable: Variable
    first: int
    pools: frozenset[str]
    """Those whose threads write it."""
    writers: frozenset[str]
    """The same, and the template of the creating thread if that writes it."""

    @property
    def settled(self) -> Variable:
        """What finished threads have added."""
        return Variable(f"{GHOST}{self.variable.name}.settled", INT, Scope.GLOBAL, sync=True)

    @property
    def own(self) -> Variable:
        """What a thread has added."""
        return Variable(f"{GHOST}{self.variable.name}.own", INT, Scope.LOCAL)


@dataclass(frozen=True)
class Accounts:
    """What is counted, what is summed up, and where what all threads have done is known."""

    creator: str
    pools: tuple[str, ...]
    sums: tuple[Sum, ...]
    known: Mapping[LocId, frozenset[str]]
    """By location of the creating thread: pools whose threads have all finished."""
    sure: Mapping[EdgeId, tuple[tuple[Variable, str], ...]]
    """Edges to limits of the model, and handles that are of a pool there."""


def accounts(program: Program) -> Accounts:
    """What can be accounted for; raises Unsupported if nothing can be."""
    if any(isinstance(edge.action, Call) for edge in program.edges):
        raise Unsupported("accounts in a program with calls")
    found = joins(program)
    if not found or len({each.creator for each in found.values()}) != 1:
        raise Unsupported("accounts of threads that are not joined by one thread")
    creator = next(iter(found.values())).creator
    pools = tuple(name for name in found if _is_plain(program, name))
    known: dict[LocId, frozenset[str]] = {}
    for here in program.procedure[program.template[creator].body].locations:
        done = frozenset(name for name in pools if here.id in found[name].all_done)
        if done:
            known[here.id] = done
    if not known:
        raise Unsupported("accounts of threads that are not joined")
    sums = tuple(_sums(program, creator, pools))
    taken = {d.variable.name for d, _ in program.declarations}
    ghosts = [v for pool in pools for v in PoolGhosts.of(pool).all]
    ghosts += [v for each in sums for v in (each.settled, each.own)]
    if any(ghost.name in taken for ghost in ghosts):
        raise Unsupported("a ghost that is called as something else is")
    sure = {
        edge.id: told
        for edge in program.procedure[program.template[creator].body].edges
        if _is_limit(program, edge) and (told := tuple(_sure(edge, pools, found)))
    }
    return Accounts(creator, pools, sums, _first_known(program, known), sure)


def _sure(
    edge: Edge, pools: tuple[str, ...], found: Mapping[str, Joins]
) -> Iterator[tuple[Variable, str]]:
    """The handles that an edge asks about, and the pools that they are of."""
    asked = set(read_places(edge.action.guard))
    for pool in pools:
        for named in found[pool].sure.get(edge.source, ()):
            if VariablePlace(named.handle) in asked:
                yield named.handle, pool


def _is_limit(program: Program, edge: Edge) -> bool:
    failure = program.locations[edge.target].failure
    return failure is not None and failure.kind.is_limit


def _first_known(
    program: Program, known: Mapping[LocId, frozenset[str]]
) -> dict[LocId, frozenset[str]]:
    """Locations where more is known than at a location before."""
    return {
        here: done
        for here, done in known.items()
        if any(
            not done <= known.get(edge.source, frozenset())
            for edge in program.edges
            if edge.target == here
        )
        or here == program.procedure_of[here].entry
    }


def _is_plain(program: Program, pool: str) -> bool:
    """Whether the first step of a thread is not its last."""
    body = program.procedure[program.template[pool].body]
    kinds = [e.operation.kind for e in body.edges if e.operation is not None]
    begins = [edge for edge in body.edges if edge.source == body.entry]
    shared = sum(t.body == body.name for t in program.templates) > 1
    return (
        not shared
        and OperationKind.FINISH in kinds
        and not any(_is_finish(edge) for edge in begins)
        and not any(edge.target == body.entry for edge in body.edges)
    )


def _is_finish(edge: Edge) -> bool:
    return edge.operation is not None and edge.operation.kind is OperationKind.FINISH


def _sums(program: Program, creator: str, pools: tuple[str, ...]) -> Iterator[Sum]:
    bodies = {program.template[name].body: name for name in (*pools, creator)}
    for declaration in program.globals:
        variable = declaration.variable
        first = _first(declaration)
        if first is None or not isinstance(variable.type, MachineType):
            continue
        place = VariablePlace(variable)
        writers: set[str] = set()
        fine = True
        for procedure in program.procedures:
            for edge in procedure.edges:
                action = edge.action
                if not isinstance(action, Command):
                    continue
                values = [a.value for a in action.assignments if root(a.target) == place]
                havocked = any(root(p) == place for p in action.havocs)
                if not values and not havocked:
                    continue
                writers.add(bodies.get(procedure.name, ""))
                fine &= not havocked and len(values) == 1 and not _is_finish(edge)
                fine &= bool(values) and summand(values[0], variable.type) is not None
        if fine and "" not in writers and writers - {creator}:
            yield Sum(variable, first, frozenset(writers - {creator}), frozenset(writers))


def _first(declaration: Declaration) -> int | None:
    """What a variable starts with."""
    match declaration.initial:
        case FillValue(int(value)) | ListedValues((int(value),)):
            return value
        case initial if initial == DEFAULT:
            return 0
        case _:
            return None


def with_accounts(program: Program) -> Program:
    """The program with ghosts; edges and locations keep their ids. Or Unsupported."""
    known = program.made.get("settled")
    if known is None:
        known = program.made["settled"] = _with_accounts(program, accounts(program))
    return known


def _with_accounts(program: Program, told: Accounts) -> Program:
    ghosts = [v for pool in told.pools for v in PoolGhosts.of(pool).all]
    ghosts += [each.settled for each in told.sums]
    template_of = {t.body: t.name for t in program.templates}
    return replace(
        program,
        globals=(*program.globals, *map(Declaration, ghosts)),
        procedures=tuple(
            _procedure(told, procedure, template_of.get(procedure.name, ""))
            for procedure in program.procedures
        ),
        properties=tuple(p for p in program.properties if isinstance(p, FailureProperty)),
    )


def _procedure(told: Accounts, procedure: Procedure, template: str) -> Procedure:
    own = [each.own for each in told.sums if template in each.writers]
    return replace(
        procedure,
        locals=(*procedure.locals, *map(Declaration, own)),
        edges=tuple(_edge(told, procedure, template, edge) for edge in procedure.edges),
    )


def _edge(told: Accounts, procedure: Procedure, template: str, edge: Edge) -> Edge:
    action = edge.action
    if not isinstance(action, Command):
        return edge
    conditions: list[Expr] = [action.guard]
    more: list[Assignment] = []
    for each in told.sums:
        place = VariablePlace(each.variable)
        for value in (a.value for a in action.assignments if a.target == place):
            more.append(_added(each.own, _change(value, each.variable)))
    for pool in told.pools:
        ghosts = PoolGhosts.of(pool)
        if _creates(edge, pool):
            more.append(_added(ghosts.count, number(1)))
        if template != pool:
            continue
        if edge.source == procedure.entry:
            waiting = _read(ghosts.count)
            for other in (ghosts.running, ghosts.finished):
                waiting = Binary(BinaryOp.SUB, waiting, _read(other))
            conditions.append(Binary(BinaryOp.GT, waiting, number(0)))
            more.append(_added(ghosts.running, number(1)))
        if _is_finish(edge):
            more.append(_added(ghosts.running, number(-1)))
            more.append(_added(ghosts.finished, number(1)))
            more += [_added(s.settled, _read(s.own)) for s in told.sums if pool in s.pools]
    conditions += _known(told, edge.source)
    conditions += [IsInstance(_read(handle), pool) for handle, pool in told.sure.get(edge.id, ())]
    if not more and len(conditions) == 1:
        return edge
    changed = replace(
        action, guard=conjunction(conditions), assignments=(*action.assignments, *more)
    )
    return replace(edge, action=changed)


def _known(told: Accounts, here: LocId) -> Iterator[Expr]:
    """What holds where all threads of some pools have finished."""
    done = told.known.get(here, frozenset())
    for pool in sorted(done):
        ghosts = PoolGhosts.of(pool)
        yield Binary(BinaryOp.EQ, _read(ghosts.running), number(0))
        yield Binary(BinaryOp.EQ, _read(ghosts.finished), _read(ghosts.count))
    for each in told.sums:
        if each.pools <= done:
            held = each.variable.type
            assert isinstance(held, MachineType)
            total = Binary(BinaryOp.ADD, number(each.first), _read(each.settled))
            if told.creator in each.writers:
                total = Binary(BinaryOp.ADD, total, _read(each.own))
            yield Binary(BinaryOp.EQ, _read(each.variable), Wrap(held.low, held.high, total))


def _creates(edge: Edge, pool: str) -> bool:
    assert isinstance(edge.action, Command)
    targets = (a.target for a in edge.action.assignments if isinstance(a.target, VariablePlace))
    return any(target.variable.name == PoolCells(pool).next for target in targets)


def _read(variable: Variable) -> Expr:
    return Read(VariablePlace(variable))


def _added(variable: Variable, change: Expr) -> Assignment:
    return Assignment(VariablePlace(variable), Binary(BinaryOp.ADD, _read(variable), change))


def _change(value: Expr, variable: Variable) -> Expr:
    """What an assignment adds; for a value that was computed before, the least such number."""
    held = variable.type
    assert isinstance(held, MachineType)
    new = summand(value, held)
    assert new is not None
    change = Binary(BinaryOp.SUB, new, Read(VariablePlace(variable)))
    if not isinstance(new, Read):
        return change
    half = (held.high - held.low + 1) // 2
    return Wrap(-half, half - 1, change)


def summand(expr: Expr, held: object) -> Expr | None:
    """What is assigned, without what does not matter modulo the size of a machine integer; None
    if it may have no value."""
    assert isinstance(held, MachineType)
    return _modulo(expr, held.high - held.low + 1)


def _modulo(expr: Expr, size: int) -> Expr | None:
    match expr:
        case Const(value, _) if type(value) is int:
            return expr
        case Read(VariablePlace(variable)) if isinstance(variable.type, MachineType):
            return expr
        case Wrap(low, high, operand):
            values = high - low + 1
            if values % size == 0:
                return _modulo(operand, size)
            inner = _modulo(operand, values)
            return None if inner is None else Wrap(low, high, inner)
        case Unary(UnaryOp.NEG, operand):
            inner = _modulo(operand, size)
            return None if inner is None else Unary(UnaryOp.NEG, inner)
        case Binary(BinaryOp.ADD | BinaryOp.SUB | BinaryOp.MUL as op, left, right):
            a, b = _modulo(left, size), _modulo(right, size)
            return None if a is None or b is None else Binary(op, a, b)
        case _:
            return None
