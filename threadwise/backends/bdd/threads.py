"""The steps of one thread as actions: a guard, and constants for the cells that change.

    post(S) = (∃W. S ∧ guard) ∧ W = constants          W: the bits that are written
    pre(S)  = guard ∧ ∃W. (S ∧ W = constants)

No bit needs a second copy for the state after the step: an assignment of something else than a
constant becomes one action per value that it can have, and cells that keep their value are not
written. So `a[j] := v` with N values of j gives N actions, and `x := x + 1` one for each
value of x.

Local stores that the thread cannot reach even if the others do as they like to the shared cells
are left out (`reach`): it is a property of the thread alone, cheap to compute, and it tells which
cells an index can mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from threadwise.analyses.worklist import Worklist
from threadwise.backends.bdd.big_steps import BigSteps, Path, Regions
from threadwise.backends.bdd.expressions import Viewer
from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.manager import Manager, Node
from threadwise.core.errors import Unsupported
from threadwise.ir.program import LocId
from threadwise.ir.types import Value

MOST_CASES = 1 << 12
"""More actions than this for one path are not listed."""


@dataclass(frozen=True)
class Action:
    """What a thread may do at once."""

    guard: Node
    written: tuple[str, ...]
    """The bits that change, or are set to what they are."""
    result: Node
    """Their values, as a cube."""

    def post(self, manager: Manager, states: Node) -> Node:
        """The states after it."""
        return manager.and_exists(states, self.guard, self.written) & self.result

    def pre(self, manager: Manager, states: Node) -> Node:
        """The states before it."""
        return manager.and_exists(states, self.result, self.written) & self.guard


@dataclass(frozen=True)
class Case:
    """A guarded assignment of constants, before it is written in bits."""

    guard: Node
    values: Mapping[Field, Value]


class ThreadEncoder:
    """Encodes one thread."""

    def __init__(self, viewer: Viewer, regions: Regions, *, everywhere: bool = False) -> None:
        self.viewer = viewer
        self.me = viewer.me
        self.sets = viewer.sets
        self.manager = viewer.choices.manager
        self.steps = BigSteps(viewer, regions)
        self.body = viewer.space.program.template[self.me.template].body
        self.narrow = regions.needs_reach(self.body)
        """Whether to execute from reachable local stores only, at the price of repetition."""
        kept = (f for f in self.me.own if f.derived is None)
        self.own = {f.name: f for f in kept}
        self.fields = {f.name: f for f in viewer.space.shared} | self.own
        self.everywhere = everywhere
        """Whether to have the steps from local stores that the thread cannot be in, too."""
        self.reach: Node = self.manager.false
        """The local stores the thread can be in."""

    def cases(self) -> list[Case]:
        """All steps from local stores that the thread can be in."""
        paths = self._paths_and_reach()
        found: list[Case] = []
        where = self._all_stores() if self.everywhere else self.reach
        for source, path in paths:
            at = where & self.sets.literal(self.me.location, source) & path.condition
            if at != self.manager.false:
                found.extend(self._split(path, at, self.fields))
        return _united(found)

    def _all_stores(self) -> Node:
        """The local stores with any values."""
        node = self.manager.true
        for field in (self.me.location, *self.own.values()):
            node = node & self.sets.valid(field)
        return node

    def _paths_and_reach(self) -> list[tuple[LocId, Path]]:
        """The paths from each location, computing what is reachable on the way."""
        literal = self.sets.literals(self.me.location)
        known: dict[LocId, list[Path]] = {}
        self.reach = self.manager.true
        for field, value in self.viewer.space.initial_own(self.me):
            self.reach = self.reach & self.sets.literal(field, value)
        waiting = Worklist([self.viewer.space.program.procedure[self.body].entry])
        for place in waiting:
            if place not in known or self.narrow:
                where = self.reach & literal[place] if self.narrow else literal[place]
                known[place] = list(self.steps.paths(place, where))
            for path in known[place]:
                for case in self._own(path):
                    after = self.action(case).post(self.manager, self.reach)
                    if after & ~self.reach != self.manager.false:
                        self.reach = self.reach | after
                        waiting.add(path.target)
        for value in literal if self.everywhere else ():
            assert isinstance(value, int)
            there = LocId(value)
            if there not in known:
                known[there] = list(self.steps.paths(there, literal[value]))
        return [(p, path) for p, paths in known.items() for path in paths]

    def _own(self, path: Path) -> Iterator[Case]:
        """What a path does to the thread's own cells, whatever the shared ones are."""
        for case in self._split(path, path.condition, self.own):
            guard = self.manager.exists(self.viewer.space.shared_bits, case.guard)
            yield Case(guard, case.values)

    # -- constants --------------------------------------------------------------------------------

    def _split(self, path: Path, where: Node, fields: Mapping[str, Field]) -> list[Case]:
        """A path as assignments of constants to some fields."""
        found: list[tuple[Node, dict[Field, Value]]] = [(where, {self.me.location: path.target})]
        choices = self.viewer.choices
        for name, choice in path.store.items():
            field = fields.get(name)
            if field is None:
                continue
            possible = choices.restricted(choice, where)
            if len(possible) == 1:
                value = next(iter(possible))
                for _, values in found:
                    values[field] = value
                continue
            same = self.manager.union(
                node & self.sets.literal(field, value) for value, node in possible.items()
            )
            if where & ~same == self.manager.false:
                continue
            longer: list[tuple[Node, dict[Field, Value]]] = []
            for guard, values in found:
                if guard & same != self.manager.false:
                    longer.append((guard & same, dict(values)))
                for value, node in possible.items():
                    changed = guard & node & ~same
                    if changed != self.manager.false:
                        longer.append((changed, {**values, field: value}))
            found = longer
            if len(found) > MOST_CASES:
                raise Unsupported("too many outcomes of one step, in BDDs")
        return [Case(guard, values) for guard, values in found]

    def action(self, case: Case, fields: Iterable[Field] | None = None) -> Action:
        """A case in bits; with `fields`, what it does to those only."""
        written: list[str] = []
        bits: dict[str, bool] = {}
        chosen = case.values if fields is None else {f: case.values[f] for f in fields}
        for field, value in chosen.items():
            written.extend(field.bits)
            bits.update(field.assignment(value))
        return Action(case.guard, tuple(written), self.manager.cube(bits))


def _united(cases: Iterable[Case]) -> list[Case]:
    """Cases that assign the same are one."""
    found: dict[tuple[tuple[str, Value], ...], Case] = {}
    for case in cases:
        key = tuple(sorted((f.name, v) for f, v in case.values.items()))
        old = found.get(key)
        found[key] = case if old is None else Case(old.guard | case.guard, old.values)
    return list(found.values())
