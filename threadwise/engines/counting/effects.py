"""What each step does to the quantities of a program: one vector per step and case.

    a step from p to q          −1 on p, +1 on q, and the change of each shared cell
    a call                      −1 on the caller's location, +1 on the frames of the call, +1 on
                                the callee's entry; a return undoes it, for each call it answers
    a step into a failure       none: the program ends there

A change that is not a constant has no vector; the cell is then *free*, and no invariant mentions
it. Guards help: `await(b) { b = false; }` takes 1 from b, though `b = false` alone does not.
Steps are split into cases by the positions of array accesses, and by the old values of small
cells that would be free otherwise.

With `toggling`, a step that sets a small cell to a constant is taken to change it. That is a
guess: `busy = false` mostly happens where busy is true. Invariants found so must be checked.
With `plain`, sums are taken not to wrap around, a guess as well: machine integers that count
threads do not, where threads are few enough.
With `usual`, constants are taken to be stored where a cell has its first value (`sem_init`), and
no cell comes near the ends of its type (`sem_post` fails there).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from threadwise.analyses.worklist import reached
from threadwise.engines.counting.paths import MOST_PATHS, Opaque, Path, paths_from
from threadwise.engines.counting.simplify import folded, linear, plus, unwrapped
from threadwise.ir.commands import Call, Return
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import action_places, is_shared, number, rebuild, root
from threadwise.ir.program import Edge, LocId, Procedure, Program
from threadwise.ir.quantities import (
    CellQuantity,
    FrameCount,
    LocationCount,
    Quantity,
    cell_quantities,
    initial_value,
    place_of,
)
from threadwise.ir.types import BOOL, BoolType, RangeType

MOST_VALUES = 4
"""Cells with more values than this are not split by their old value."""

EXTREME = 2**15 - 1
"""What a cell with a usual value is nearer to 0 than."""

_NEGATED = {
    BinaryOp.LT: BinaryOp.GE,
    BinaryOp.LE: BinaryOp.GT,
    BinaryOp.GT: BinaryOp.LE,
    BinaryOp.GE: BinaryOp.LT,
}

Vector = dict[Quantity, int]


@dataclass
class Effects:
    """The vectors of all steps, and the quantities that change by no constant."""

    vectors: list[Vector] = field(default_factory=list)
    free: dict[CellQuantity, None] = field(default_factory=dict)


def reachable_procedures(program: Program) -> list[Procedure]:
    """The procedures that some thread may execute, in program order."""

    def called(name: str) -> Iterator[str]:
        for edge in program.procedure[name].edges:
            if isinstance(edge.action, Call):
                yield edge.action.procedure

    found = reached((each.body for each in program.templates if each.count != 0), called)
    return [procedure for procedure in program.procedures if procedure.name in found]


def effects(
    program: Program, *, toggling: bool = False, plain: bool = False, usual: bool = False
) -> Effects:
    """The effects of all steps of a program."""
    collector = _Collector(program, toggling, plain, usual)
    for procedure in reachable_procedures(program):
        for location in procedure.locations:
            if not location.atomic:
                for edge in program.outgoing[location.id]:
                    collector.edge(edge)
    return collector.result


class _Collector:
    def __init__(self, program: Program, toggling: bool, plain: bool, usual: bool) -> None:
        self.program = program
        self.toggling = toggling
        self.plain = plain
        self.usual = usual
        self.result = Effects()
        self.cells: dict[Place, list[CellQuantity]] = {}
        for cell in cell_quantities(program):
            self.cells.setdefault(place_of(program, cell), []).append(cell)
        self.calls: dict[str, list[Edge]] = {}
        for procedure in reachable_procedures(program):
            for edge in procedure.edges:
                if isinstance(edge.action, Call):
                    self.calls.setdefault(edge.action.procedure, []).append(edge)

    def edge(self, edge: Edge) -> None:
        """The vectors of the steps that begin with an edge."""
        moves: list[tuple[Quantity, int]]
        match edge.action:
            case Call(procedure):
                entry = self.program.procedure[procedure].entry
                moves = [(LocationCount(edge.source), -1), (FrameCount(edge.id), 1)]
                self._vector([*moves, (LocationCount(entry), 1)])
            case Return():
                for call in self.calls.get(self.program.procedure_of[edge.source].name, ()):
                    moves = [(LocationCount(edge.source), -1), (FrameCount(call.id), -1)]
                    self._vector([*moves, (LocationCount(call.target), 1)])
            case _:
                self._steps(edge)

    def _vector(self, moves: list[tuple[Quantity, int]]) -> None:
        vector: Vector = {}
        for quantity, change in moves:
            vector[quantity] = vector.get(quantity, 0) + change
        self.result.vectors.append({q: change for q, change in vector.items() if change})

    def _steps(self, edge: Edge) -> None:
        try:
            paths = paths_from(self.program, edge.source, edge)
        except Opaque:
            self._opaque(edge)
            return
        for path in paths:
            if self.usual and any(_is_extreme(*fact) for fact in path.facts.items()):
                continue
            if self.program.locations[path.target].failure is None:
                for case in self._cases(path):
                    self._path(edge.source, case)

    def _opaque(self, first: Edge) -> None:
        """Everything that a step may write is free; where it may end is counted."""
        seen: dict[int, Edge] = {}
        pending = [first]
        while pending:
            edge = pending.pop()
            if edge.id in seen:
                continue
            seen[edge.id] = edge
            for place in action_places(edge.action):
                if is_shared(place):
                    self._free_below(place)
            target = self.program.locations[edge.target]
            if target.atomic:
                pending.extend(self.program.outgoing[edge.target])
            elif target.failure is None:
                self._vector([(LocationCount(first.source), -1), (LocationCount(target.id), 1)])

    def _free_below(self, place: Place) -> None:
        base = root(place)
        for cell in cell_quantities(self.program):
            if not isinstance(base, VariablePlace) or cell.variable == base.variable.name:
                self.result.free[cell] = None

    def _cases(self, path: Path) -> Iterator[Path]:
        """The path, split by the old values of small cells whose change is no constant."""
        cases = [path]
        for place in path.values:
            held = place.type
            if place not in self.cells or self._changes(path, place) is not None:
                continue
            if isinstance(held, BoolType):
                values: list[Const] = [Const(value, BOOL) for value in (False, True)]
            elif isinstance(held, RangeType) and held.high - held.low < MOST_VALUES:
                values = [number(value) for value in range(held.low, held.high + 1)]
            else:
                continue
            new = path.again(path.values[place])
            values = [value for value in values if _allows(path, Read(place), value)]
            if self.toggling and isinstance(new, Const) and len(values) == 2:
                values = [value for value in values if value.value != new.value]
            if len(cases) * len(values) <= MOST_PATHS:
                cases = [_with(case, Read(place), value) for case in cases for value in values]
        return iter(cases)

    def _path(self, source: LocId, path: Path) -> None:
        moves: list[tuple[Quantity, int]] = [
            (LocationCount(source), -1),
            (LocationCount(path.target), 1),
        ]
        for place in path.values:
            if place not in self.cells:
                continue
            changes = self._changes(path, place)
            for cell in self.cells[place]:
                change = None if changes is None else changes[cell]
                if change is None:
                    self.result.free[cell] = None
                else:
                    moves.append((cell, change))
        self._vector(moves)

    def _changes(self, path: Path, place: Place) -> dict[CellQuantity, int | None] | None:
        """By how much the quantities of a written cell change; None if one change is unknown."""
        new, old = path.again(path.values[place]), path.again(Read(place))
        if new == old:
            return dict.fromkeys(self.cells[place], 0)
        changes: dict[CellQuantity, int | None] = {}
        for cell in self.cells[place]:
            if cell.equals is None:
                change = self._difference(path.values[place], Read(place))
                change = self._difference(new, old) if change is None else change
                changes[cell] = self._from_the_first(cell, new) if change is None else change
            else:
                after, before = _is(path, new, cell.equals), _is(path, old, cell.equals)
                changes[cell] = None if after is None or before is None else after - before
        return None if None in changes.values() and len(changes) == 1 else changes

    def _from_the_first(self, cell: CellQuantity, new: Expr) -> int | None:
        """By how much a cell changes that has its first value so far; None if that is unknown."""
        if not self.usual or not isinstance(new, Const) or not isinstance(new.value, int):
            return None
        first = initial_value(self.program, cell)
        return None if first is None else int(new.value) - first

    def _difference(self, new: Expr, old: Expr) -> int | None:
        """By how much two expressions differ; None if that is not constant."""
        if self.plain:
            new, old = unwrapped(new), unwrapped(old)
        terms, constant = plus(linear(new), linear(old), -1)
        return None if terms else constant


def _is_extreme(fact: Expr, told: Expr) -> bool:
    """Whether a guard says that a number is near an end of its type."""
    match fact:
        case Binary(op, Read(place), Const(int(limit), _)) if is_shared(place) and op in _NEGATED:
            if told == FALSE:
                op = _NEGATED[op]
            above = op in (BinaryOp.GT, BinaryOp.GE)
            return limit >= EXTREME if above else limit <= -EXTREME
        case _:
            return False


def _is(path: Path, expr: Expr, value: int) -> int | None:
    """Whether an expression has a value, as 0 or 1; None if that is unknown."""
    if isinstance(expr, Const):
        return int(expr.value == value)
    if value < 0 and path.is_some_thread(expr):
        return 0
    return None


def _allows(path: Path, expr: Expr, value: Expr) -> bool:
    """Whether an old value is possible, in the light of the guards."""
    case = _with(path, expr, value)
    return all(
        not isinstance(known, Const) or known == told
        for fact, told in path.facts.items()
        if told in (TRUE, FALSE)
        for known in [folded(rebuild(fact, case.again))]
    )


def _with(path: Path, expr: Expr, value: Expr) -> Path:
    case = path.copy()
    case.facts[expr] = value
    return case
