"""Pairs of edges that were found to be alike, for programs of which many slices are checked.

Whether an edge may stand for another one, where some variables are forgotten, depends on both of
them, on what becomes of the variables that the edge before mentions, and on which of these are
watched: see `forgotten`. If all that is the same again, so is the answer. Remembered are only
pairs where the edge after mentions nothing but what becomes of these variables, so that no other
declaration plays a role, and commands only, since calls depend on other procedures.
"""

from __future__ import annotations

from collections.abc import Mapping, Set

from threadwise.core.identity import Same
from threadwise.ir.commands import Command
from threadwise.ir.expr import Variable
from threadwise.ir.fold import action_expressions, action_places
from threadwise.ir.program import Edge, Program
from threadwise.proofs.toolbox.plain import places_read, variable_of

Key = tuple[Same, Same, tuple[int, ...]]

_KNOWN = "known edges"
"""Where it is kept among facts about the code of a program."""


class KnownEdges:
    """The pairs that are known of the slices of one program."""

    def __init__(self) -> None:
        self.alike: set[Key] = set()
        self.variables: dict[Variable, int] = {}
        """The variables that edges mention, with a number each."""
        self.fates: dict[tuple[Variable, Variable | None, bool], int] = {}
        """What may become of a variable, and whether it is watched, with a number each."""
        self._mentioned: dict[Same, tuple[int, ...]] = {}

    @staticmethod
    def of(program: Program) -> KnownEdges:
        """What is kept with the code of a program."""
        known = program.code.setdefault(_KNOWN, KnownEdges())
        assert isinstance(known, KnownEdges)
        return known

    def mentioned(self, edge: Edge) -> tuple[int, ...]:
        """The numbers of the variables that an edge mentions."""
        found = self._mentioned.get(same := Same(edge))
        if found is None:
            variables = {self.variables.setdefault(v, len(self.variables)) for v in _of(edge)}
            found = self._mentioned[same] = tuple(sorted(variables))
        return found


class Comparison:
    """One procedure of a slice beside that of the program, with what is known of such pairs."""

    def __init__(
        self,
        known: KnownEdges,
        names: Mapping[Variable, Variable],
        watched: Set[Variable],
    ) -> None:
        self._known = known
        self._names = names
        self._watched = watched
        self._fates: dict[int, int] = {}
        self._by_number: list[Variable] = []

    def is_known(self, old: Edge, new: Edge) -> bool:
        """Whether a pair was found to be alike, under the same conditions."""
        return self._key(old, new) in self._known.alike

    def remember(self, old: Edge, new: Edge) -> None:
        """A pair was found to be alike."""
        if isinstance(old.action, Command) and isinstance(new.action, Command):
            became = {self._names.get(variable) for variable in _of(old)}
            if None not in became and became.issuperset(_of(new)):
                self._known.alike.add(self._key(old, new))

    def _key(self, old: Edge, new: Edge) -> Key:
        fates = self._fates
        numbers = self._known.mentioned(old)
        for number in numbers:
            if number not in fates:
                fates[number] = self._fate(number)
        return Same(old), Same(new), tuple([fates[number] for number in numbers])

    def _fate(self, number: int) -> int:
        """The number of what becomes of a variable."""
        if number >= len(self._by_number):
            self._by_number = list(self._known.variables)
        variable = self._by_number[number]
        told = variable, self._names.get(variable), variable in self._watched
        return self._known.fates.setdefault(told, len(self._known.fates))


def _of(edge: Edge) -> set[Variable]:
    """The variables that an edge mentions."""
    found = {variable_of(place) for place in action_places(edge.action)}
    expressions = [*action_expressions(edge.action)]
    if edge.operation is not None and edge.operation.subject is not None:
        expressions.append(edge.operation.subject)
    for expr in expressions:
        found.update(map(variable_of, places_read(expr)))
    return found
