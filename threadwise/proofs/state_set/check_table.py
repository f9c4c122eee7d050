"""The checker of state sets that are tables: many states at once.

The obligations are those of `threadwise.proofs.state_set.check`. Successors are computed
column by column (`threadwise.proofs.toolbox.vectors`), part by part of the table; that they are in
the set is looked up row by row, exactly. The reference semantics checks every state in which a
race or a deadlock could be. What a table cannot express raises Unsupported or OverflowError: then
the other checker has to do it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from threadwise.analyses.conflicts import Conflicts
from threadwise.core.errors import Unsupported
from threadwise.ir.encoding import UNWRITTEN
from threadwise.ir.fold import allocates
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.types import (
    INTEGER_OBJECT,
    NONE,
    BoolType,
    EnumType,
    IntType,
    MachineType,
    PointerType,
    RangeType,
    ScalarType,
    TidType,
)
from threadwise.proofs.base.answer import CheckedProof, Refuted, claimed_properties
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.state_set.row_set import RowSet
from threadwise.proofs.state_set.table import Columns, StateTable, flattened
from threadwise.proofs.state_set.vector_formulas import FormulaEvaluator
from threadwise.proofs.toolbox.cached_properties import CachedPropertyChecker
from threadwise.proofs.toolbox.paths import has_calls
from threadwise.proofs.toolbox.vector_paths import outcomes
from threadwise.proofs.toolbox.vectors import Batch, VectorEvaluator
from threadwise.semantics.evaluate import Undefined
from threadwise.semantics.step import Interpreter

PARTS = 8
LEAST_PART, MOST_CELLS = 1 << 14, 1 << 21
"""Into so many parts a table is divided to be checked: what is computed for a part takes several
times its room. None has fewer states, and none many more cells: so large, more parts take no
longer."""

SIDE_BY_SIDE = 64
"""So many rows are compared as one."""

Truths = npt.NDArray[np.bool_]


class StateTableChecker:
    """Discharges the obligations for one table."""

    def __init__(
        self, program: Program, certificate: StateSetCertificate, tick: Callable[[], object]
    ) -> None:
        self.program = program
        self.certificate = certificate
        self.tick = tick
        self.interpreter = Interpreter(program)
        self.layout = self.interpreter.layout
        self.columns = Columns(program, self.layout)
        if allocates(program) or has_calls(program) or not self.columns.location:
            raise Unsupported("a heap, stacks or no threads at all in a table")
        given = certificate.states
        self.states = (
            given if isinstance(given, StateTable) else StateTable.of(given, self.columns)
        )
        self.evaluator = VectorEvaluator(self.interpreter)
        self.formulas = FormulaEvaluator(self.interpreter)
        self.reference = CachedPropertyChecker(self.interpreter)
        self.taken: set[EdgeId] = set()
        self.visited: set[int] = set()
        self.failed = np.array([l.failure is not None for l in program.locations], dtype=np.bool_)
        self.waits = np.array(
            [not (l.final or l.failure is not None) for l in program.locations], dtype=np.bool_
        )

    def run(self) -> CheckedProof:
        """Discharge the obligations."""
        claimed = claimed_properties(self.program, self.certificate.properties)
        races = [p for p in claimed if isinstance(p, RaceProperty)]
        conflicts = Conflicts(self.program, self.layout.numbers, races) if races else None
        self._check_columns()
        self.states = self.states.padded()
        self.known = RowSet(self.states.rows)
        self._check_initial()
        for part in self._parts():
            locations = self._check_shapes(part)  # (1)
            going = self._going(locations)
            self._check_failures(claimed, locations)  # (4), (5)
            moved = self._check_closed(part, going, locations)  # (3)
            suspicious = np.zeros(len(part), dtype=np.bool_)
            if conflicts is not None:
                suspicious |= conflicts.possible(locations)
            if any(isinstance(p, DeadlockProperty) for p in claimed):
                suspicious |= self._may_be_stuck(moved, locations)
            self._check_states(claimed, part, suspicious & going)
        self._check_invariants(claimed)
        return CheckedProof(
            self.certificate.properties, frozenset(self.taken), frozenset(self.visited)
        )

    def _parts(self) -> Iterator[StateTable]:
        size = max(LEAST_PART, min(MOST_CELLS // self.columns.count, len(self.states) // PARTS))
        for first in range(0, len(self.states), size):
            yield self.states[first : first + size]

    def _going(self, locations: Sequence[npt.NDArray[np.int64]]) -> Truths:
        """States in which nothing has failed."""
        found: Truths = ~np.any([self.failed[where] for where in locations], axis=0)
        return found

    # -- shapes -----------------------------------------------------------------------------------

    def _check_columns(self) -> None:
        if self.states.rows.dtype.names != tuple(map(str, range(self.columns.count))):
            raise Refuted("the states have the wrong cells")
        held = [self.states.rows.dtype[name] for name in self.states.rows.dtype.names]
        if not all(np.can_cast(each, np.int64) for each in held):
            raise Unsupported("cells that are no 64-bit numbers in a table")

    def _check_shapes(self, part: StateTable) -> list[npt.NDArray[np.int64]]:
        """Cells fit their types; the location of each thread, which must be a visible one."""
        for number, cell in enumerate(self.columns.cells()):
            if cell is not None:
                column = part.column(number)
                if number < len(self.columns.shared):
                    column = column[column != UNWRITTEN]
                if not self._fit(cell.type, column):
                    raise Refuted(f"a value of {cell.name} does not fit its type")
        found: list[npt.NDArray[np.int64]] = []
        for thread, name in enumerate(self.layout.numbers.templates):
            body = self.program.procedure[self.program.template[name].body]
            places = [location.id for location in body.locations if not location.atomic]
            where = part.column(self.columns.location[thread])
            if not np.isin(where, places).all():
                raise Refuted("a thread is where it cannot be")
            self.visited.update(_places(where))
            found.append(where)
        return found

    def _fit(self, scalar: ScalarType, column: npt.NDArray[np.int64]) -> bool:
        """Whether all values are of a type."""
        if not len(column):
            return True
        least, greatest = int(column.min()), int(column.max())
        match scalar:
            case BoolType():
                return least >= 0 and greatest <= 1
            case EnumType(_, members):
                return least >= 0 and greatest < len(members)
            case TidType():
                return least >= NONE and greatest < len(self.interpreter.threads)
            case RangeType() | MachineType():
                return scalar.low <= least and greatest <= scalar.high
            case PointerType():
                return int(self.evaluator.pointers.objects(column).min()) >= INTEGER_OBJECT
            case IntType():
                return least > UNWRITTEN

    def _check_initial(self) -> None:
        for state in self.interpreter.initial_states():  # (2)
            row = np.zeros(1, dtype=self.states.rows.dtype)
            for number, value in enumerate(flattened(state)):
                row[str(number)] = value
                if row[str(number)][0] != value:
                    raise Refuted("an initial state is missing")
            if not self.known.has_all(row):
                raise Refuted("an initial state is missing")

    # -- steps ------------------------------------------------------------------------------------

    def _check_closed(
        self,
        part: StateTable,
        going: Truths,
        locations: Sequence[npt.NDArray[np.int64]],
    ) -> list[Truths]:
        """Successors are in the set; per thread, from which states it has a step."""
        moved = [np.zeros(len(part), dtype=np.bool_) for _ in locations]
        for thread, where in enumerate(locations):
            template = self.layout.numbers.templates[thread]
            for pc in _places(where[going]):
                self.tick()
                chosen = np.flatnonzero(going & (where == pc))
                states = part.select(chosen)
                batch = self._batch(states, template, thread, pc)
                for after, edges in outcomes(self.evaluator, batch, ()):
                    self.taken.update(edges)
                    moved[thread][chosen[after.origin]] = True
                    self._check_known(states, thread, batch, after)
        return moved

    def _batch(self, states: StateTable, template: str, thread: int, pc: int) -> Batch:
        return Batch(
            template,
            pc,
            np.full(len(states), thread, dtype=np.int64),
            states.table(range(len(self.columns.shared))),
            states.table(self.columns.own(thread)),
            np.arange(len(states)),
        )

    def _check_known(self, states: StateTable, thread: int, before: Batch, after: Batch) -> None:
        """That the states after some steps are in the set: most cells are as before."""
        rows = states.select(after.origin).rows
        for number in _changed(before.shared, after.shared, after.origin):
            self._put(rows, number, after.shared[:, number])
        first = self.columns.own(thread).start
        for position in _changed(before.own, after.own, after.origin):
            self._put(rows, first + position, after.own[:, position])
        pc = np.full(len(rows), after.pc, dtype=np.int64)
        self._put(rows, self.columns.location[thread], pc)
        if not self.known.has_all(rows):
            name = self.layout.numbers.name(thread)
            raise Refuted(f"a step of {name} leaves the set of states")

    @staticmethod
    def _put(rows: npt.NDArray[np.void], number: int, values: npt.NDArray[np.int64]) -> None:
        """Change a column; a value that the table cannot hold is in no state of it."""
        column = rows[str(number)]
        column[:] = values.astype(column.dtype)
        if (column != values).any():
            raise Refuted("a step leads to a value that no state has")

    # -- properties -------------------------------------------------------------------------------

    def _check_failures(
        self, claimed: Sequence[Property], locations: Sequence[npt.NDArray[np.int64]]
    ) -> None:
        names = {p.name for p in claimed if isinstance(p, FailureProperty)}
        for where in locations:
            for pc in _places(where):
                failure = self.program.locations[pc].failure
                if failure is None:
                    continue
                if failure.kind.is_limit:
                    raise Refuted(f"a state is at a limit of the model: {failure.message}")
                if failure.property in names:
                    raise Refuted(f"a state violates `{failure.property}`")

    def _check_invariants(self, claimed: Sequence[Property]) -> None:
        checked = [p for p in claimed if isinstance(p, InvariantProperty)]
        left = [p for p in checked if not self._holds_always(p)]
        for part in self._parts() if left else ():
            places = [part.column(number) for number in self.columns.location]
            going = part.select(self._going(places))
            for invariant in left:
                self.tick()
                try:
                    holds = bool(self.formulas.holds(invariant.formula, going).all())
                except Undefined:
                    holds = False
                if not holds:
                    raise Refuted(f"a state violates `{invariant.name}`")

    def _holds_always(self, invariant: InvariantProperty) -> bool:
        """Whether an invariant is true in all states, be there failed ones; perhaps, if not."""
        try:
            return bool(self.formulas.holds_always(invariant.formula, self.states, self.tick))
        except (Undefined, OverflowError):
            return False

    def _may_be_stuck(
        self, moved: Sequence[Truths], locations: Sequence[npt.NDArray[np.int64]]
    ) -> Truths:
        """States in which a thread that is not at its end has no step."""
        found: Truths = np.zeros(len(moved[0]), dtype=np.bool_)
        for steps, where in zip(moved, locations, strict=True):
            found |= ~steps & self.waits[where]
        return found

    def _check_states(self, claimed: Sequence[Property], part: StateTable, chosen: Truths) -> None:
        """What only the reference semantics decides."""
        asked = [p for p in claimed if isinstance(p, RaceProperty | DeadlockProperty)]
        for position in np.flatnonzero(chosen).tolist():
            self.tick()
            for checked in asked:
                if self.reference.violated(checked, part[position]):
                    raise Refuted(f"a state violates `{checked.name}`")


def _changed(
    before: npt.NDArray[np.int64], after: npt.NDArray[np.int64], origin: npt.NDArray[np.int64]
) -> list[int]:
    """The columns in which some row is not as the one that it comes from."""
    differ = before.take(origin, axis=0) != after
    if not differ.shape[1]:
        return []
    # Many rows side by side: numpy takes long over many short ones.
    many = len(differ) // SIDE_BY_SIDE * SIDE_BY_SIDE
    width = SIDE_BY_SIDE * differ.shape[1]
    folded = differ[:many].reshape(-1, width).any(axis=0).reshape(SIDE_BY_SIDE, -1)
    found: list[int] = np.flatnonzero(folded.any(axis=0) | differ[many:].any(axis=0)).tolist()
    return found


def _places(where: npt.NDArray[np.int64]) -> list[int]:
    """The locations in a column that has nothing else, in their order."""
    found: list[int] = np.flatnonzero(np.bincount(where)).tolist()
    return found
