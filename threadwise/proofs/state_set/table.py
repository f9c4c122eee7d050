"""Many states in one array: a row per state, a column per cell.

A row lists the shared cells, then for each thread its location and its own cells, as `flattened`
does. States with a heap or with stacks do not fit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from threadwise.core.errors import Unsupported
from threadwise.ir.encoding import decoded, encoded
from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.program import LocId, Program
from threadwise.ir.types import Value
from threadwise.semantics.state import GlobalStore, LocalStore, State

WORD = 8

Rows = npt.NDArray[np.void]
Column = npt.NDArray[np.int64]


class Columns:
    """Which columns belong to what."""

    def __init__(self, program: Program, layout: ProgramLayout) -> None:
        self.shared = layout.globals.cells
        self.kept = [layout.thread[name].cells for name in layout.numbers.templates]
        bodies = [program.template[name].body for name in layout.numbers.templates]
        self.local = [layout.local[name].cells for name in bodies]
        self.location: list[int] = []
        """The column with the location of each thread; those of its cells follow."""
        end = len(self.shared)
        for thread, kept in enumerate(self.kept):
            self.location.append(end)
            end += 1 + len(kept) + len(self.local[thread])
        self.count = end

    def own(self, thread: int) -> range:
        """The columns of a thread's own cells."""
        first = self.location[thread] + 1
        return range(first, first + len(self.kept[thread]) + len(self.local[thread]))

    def cells(self) -> Iterator[Cell | None]:
        """The cell of each column; None for a location."""
        yield from self.shared
        for kept, local in zip(self.kept, self.local, strict=True):
            yield None
            yield from kept
            yield from local


def flattened(state: State) -> list[int]:
    """The cells of a state as a row has them."""
    row = list(map(encoded, state.g.cells))
    for l in state.locals:
        row += [l.pc, *map(encoded, l.thread), *map(encoded, l.locals)]
    return row


def whole(rows: Rows) -> Rows:
    """The same rows, without fields: numpy does not copy the bytes between fields."""
    return np.ascontiguousarray(rows).view(np.dtype((np.void, rows.dtype.itemsize)))


class StateTable(Sequence[State]):
    """States, each made when it is asked for; `rows` has the fields 0, 1, 2, …"""

    def __init__(self, rows: Rows, columns: Columns) -> None:
        self.rows = rows
        self.columns = columns
        self._types = [None if cell is None else cell.type for cell in columns.cells()]

    @staticmethod
    def of(states: Sequence[State], columns: Columns) -> StateTable:
        """A table of given states; raises Unsupported if one of them does not fit."""
        if any(state.g.heap or any(state.stacks) for state in states):
            raise Unsupported("a heap or stacks in a table")
        rows = [flattened(state) for state in states]
        if any(len(row) != columns.count for row in rows):
            raise Unsupported("states with other cells in a table")
        table = np.array(rows, dtype=np.int64)
        fields = np.dtype([(str(number), "<i8") for number in range(columns.count)])
        return StateTable(np.ascontiguousarray(table).view(fields).reshape(-1), columns)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, position: int) -> State: ...

    @overload
    def __getitem__(self, position: slice) -> StateTable: ...

    def __getitem__(self, position: int | slice) -> State | StateTable:
        if isinstance(position, slice):
            return StateTable(self.rows[position], self.columns)
        values: list[Value] = [
            int(value) if held is None else decoded(int(value), held)
            for value, held in zip(self.rows[position].item(), self._types, strict=True)
        ]
        columns = self.columns
        locals_: list[LocalStore] = []
        for thread, first in enumerate(columns.location):
            own = columns.own(thread)
            middle = own.start + len(columns.kept[thread])
            locals_.append(
                LocalStore(
                    LocId(int(values[first])),  # type: ignore[arg-type]  # a number
                    tuple(values[own.start : middle]),
                    tuple(values[middle : own.stop]),
                )
            )
        shared = tuple(values[: len(columns.shared)])
        return State(GlobalStore(shared), tuple(locals_), tuple(() for _ in locals_))

    def padded(self) -> StateTable:
        """The same states in rows of whole words, which are compared without a copy of them."""
        held = self.rows.dtype
        names, fields = held.names, held.fields
        if held.itemsize % WORD == 0 or names is None or fields is None:
            return self
        wider = np.dtype(
            {
                "names": list(names),
                "formats": [fields[name][0] for name in names],
                "offsets": [fields[name][1] for name in names],
                "itemsize": held.itemsize + -held.itemsize % WORD,
            }
        )
        raw = np.zeros((len(self.rows), wider.itemsize), dtype=np.uint8)
        given = np.ascontiguousarray(self.rows).view(np.uint8)
        raw[:, : held.itemsize] = given.reshape(len(self.rows), held.itemsize)
        return StateTable(raw.view(wider).reshape(-1), self.columns)

    def select(self, chosen: npt.NDArray[Any]) -> StateTable:
        """Some of the states, by number or by a truth value for each."""
        numbers = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen
        return StateTable(whole(self.rows).take(numbers).view(self.rows.dtype), self.columns)

    def column(self, number: int) -> Column:
        """One cell of every state."""
        return self.rows[str(number)].astype(np.int64)

    def table(self, numbers: range) -> npt.NDArray[np.int64]:
        """Some cells of every state."""
        found = np.empty((len(self.rows), len(numbers)), dtype=np.int64)
        for position, number in enumerate(numbers):
            found[:, position] = self.rows[str(number)]
        return found
