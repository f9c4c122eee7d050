"""Named figures of a run, as they appear in the output.

The names of the JSON output are listed in `Name`; an engine may add figures of its own under other
names. Only what was recorded is reported, in a fixed order: listed names first, then the others
alphabetically. Names that start with `peak_` are maxima, all others are sums: this is what `merge`
goes by.
"""

from collections.abc import Mapping
from enum import StrEnum

Number = int | float

_PEAK = "peak_"


class Name(StrEnum):
    """The figures that have a fixed name in the output."""

    TIME_S = "time_s"
    PEAK_MEMORY_BYTES = "peak_memory_bytes"
    STATES = "states"
    GUARANTEES = "guarantees"
    PATH_EDGES = "path_edges"
    SUMMARIES = "summaries"
    REFINEMENTS = "refinements"
    PREDICATES = "predicates"
    PEAK_BDD_NODES = "peak_bdd_nodes"
    SOLVER_QUERIES = "solver_queries"


_ORDER = {str(name): position for position, name in enumerate(Name)}


class Statistics:
    """A collection of counters; picklable, so that a worker can send it."""

    def __init__(self, values: Mapping[str, Number] | None = None) -> None:
        self._values: dict[str, Number] = {}
        for name, value in (values or {}).items():
            self.set(name, value)

    def set(self, name: str, value: Number) -> None:
        """Record a value, replacing an earlier one."""
        self._values[str(name)] = value

    def add(self, name: str, amount: Number = 1) -> None:
        """Increase a counter, which starts at 0."""
        self._values[str(name)] = self._values.get(name, 0) + amount

    def maximum(self, name: str, value: Number) -> None:
        """Record the value if it is the largest so far."""
        self._values[str(name)] = max(self._values.get(name, value), value)

    def get(self, name: str, default: Number = 0) -> Number:
        """The value recorded under a name."""
        return self._values.get(name, default)

    def merge(self, other: "Statistics") -> None:
        """Take in another collection: peaks by maximum, everything else by sum."""
        for name, value in other._values.items():
            if name.startswith(_PEAK):
                self.maximum(name, value)
            else:
                self.add(name, value)

    def as_dict(self) -> dict[str, Number]:
        """The recorded values in the fixed order."""
        return dict(
            sorted(self._values.items(), key=lambda item: (_ORDER.get(item[0], len(_ORDER)), item))
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Statistics) and self._values == other._values

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Statistics({self.as_dict()})"
