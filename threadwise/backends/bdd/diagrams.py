"""BDDs as plain data: decisions "field = value", shared where they are equal.

A node of the BDD whose first variable belongs to a field becomes a chain of tests, one for each
value of the field but those of one outcome, which is left when all tests fail.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass

from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.ir.types import Value

FALSE, TRUE = 0, 1


@dataclass(frozen=True)
class Values:
    """The values of a field that are looked at; the outcome of `default` is what is left."""

    listed: Sequence[Value]
    default: Value = None


def all_values(field: Field) -> Values:
    """Every value, the most frequent outcome being left."""
    return Values(field.values)


class Diagrams:
    """Collects decisions; `test` numbers the atomic formulas."""

    def __init__(self, model: Model, test: Callable[[Field, Value], int]) -> None:
        self.model = model
        self.manager = model.manager
        self.test = test
        self.decisions: list[tuple[int, int, int]] = []
        self._unique: dict[tuple[int, int, int], int] = {}
        self._field = {bit: f for f in model.order for bit in f.bits}

    def root(self, node: Node, tested: Callable[[Field], Values] = all_values) -> int:
        """The number of the node that stands for a BDD."""
        known: dict[Hashable, int] = {self.manager.false: FALSE, self.manager.true: TRUE}
        pending = [node]
        while pending:
            current = pending[-1]
            if current in known:
                pending.pop()
                continue
            field = self._field[current.var]
            looked_at = tested(field)
            children = [
                (value, self.manager.cofactor(current, field.assignment(value)))
                for value in looked_at.listed
            ]
            missing = [child for _, child in children if child not in known]
            if missing:
                pending.extend(missing)
                continue
            pending.pop()
            outcomes = {value: known[child] for value, child in children}
            known[current] = self._chain(field, outcomes, looked_at.default)
        return known[node]

    def _chain(self, field: Field, outcomes: Mapping[Value, int], default: Value) -> int:
        """Tests one value after the other."""
        numbers = list(outcomes.values())
        last = max(dict.fromkeys(numbers), key=numbers.count)
        if default is not None:
            last = outcomes[default]
        result = last
        for value, number in outcomes.items():
            if number != last:
                result = self.decision(self.test(field, value), number, result)
        return result

    def decision(self, test: int, then: int, otherwise: int) -> int:
        """The number of a decision."""
        if then == otherwise:
            return then
        key = (test, then, otherwise)
        if key not in self._unique:
            self._unique[key] = len(self.decisions) + 2
            self.decisions.append(key)
        return self._unique[key]
