"""Properties as error patterns over views.

Views of several threads fit together if some renaming makes their shared stores equal and keeps
the threads apart: then they are views of one state. Failures, races and invariants are decided on
fitted views by the patterns of the concrete system; a deadlock asks all threads, named in the
shared store or not.

For a property that relates k threads, views with the same projection to what it reads are
equivalent, so that products are taken over these projections (*looks*), not over views.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Quantified
from threadwise.ir.fold import subexpressions
from threadwise.ir.properties import DeadlockProperty, InvariantProperty, Property
from threadwise.systems.api import ErrorPattern, ReachedPairs, Role, Witness
from threadwise.systems.concrete_errors import concrete_patterns
from threadwise.systems.invariants import universal_prefix
from threadwise.systems.patterns import FewThreads
from threadwise.systems.python_code import Global, Local
from threadwise.systems.symmetric.deadlocks import SymmetricDeadlock

if TYPE_CHECKING:
    from threadwise.systems.symmetric.system import SymmetricSystem

View = Witness[Global, Local]
Possible = Callable[[Global, Sequence[Local]], bool]


def mixes_quantifiers(checked: Property) -> bool:
    """Whether a property quantifies over threads other than by `forall` at its front."""
    if not isinstance(checked, InvariantProperty):
        return False
    _, body = universal_prefix(checked.formula)
    return any(isinstance(part, Quantified) for part in subexpressions(body))


def related_threads(properties: Sequence[Property]) -> int:
    """How many threads the properties relate at most; Unsupported for mixed quantifiers."""
    most = 2
    for checked in properties:
        if mixes_quantifiers(checked):
            raise Unsupported("an invariant with `exists` in a symmetric view", checked.span)
        if isinstance(checked, InvariantProperty):
            most = max(most, len(universal_prefix(checked.formula)[0]))
    return most


def symmetric_patterns(
    system: SymmetricSystem, checked: Property, possible: Possible | None = None
) -> Iterator[ErrorPattern[Global, Local]]:
    """All ways to violate a property, by threads that can meet as far as `possible` knows."""
    if isinstance(checked, DeadlockProperty):
        yield SymmetricDeadlock(checked, system)
        return
    for pattern in concrete_patterns(system.concrete, checked):
        assert isinstance(pattern, FewThreads)
        yield FittedViews(pattern, system, possible)


@dataclass(frozen=True)
class FittedViews:
    """A pattern over a few threads, searched among views that fit together."""

    pattern: FewThreads[Global, Local]
    system: SymmetricSystem
    possible: Possible | None = None
    """Whether threads in these local stores can meet at a global store."""

    @property
    def property(self) -> Property:
        """The property that is violated."""
        return self.pattern.property

    def violated(self, g: Global, ls: Sequence[Local]) -> bool:
        """Views have no common state of all threads."""
        raise NotImplementedError

    def search(self, reached: ReachedPairs[Global, Local]) -> Sequence[View] | None:
        """Views that fit together and violate the property."""
        if not self.pattern.positions:
            return self._search_shared(reached)
        for looks in self._groups(reached).values():
            for views in product(*(position.values() for position in looks)):
                if self._may_violate(views):
                    return views
        return None

    def _search_shared(self, reached: ReachedPairs[Global, Local]) -> Sequence[View] | None:
        """A view whose shared store alone violates the property."""
        for t in self.system.roles:
            for g, l in reached.pairs[t]:
                if self.pattern.may_hold(g, [], []):
                    return [Witness(t, g, l)]
        return None

    def _groups(
        self, reached: ReachedPairs[Global, Local]
    ) -> dict[Global, list[dict[Hashable, View]]]:
        """By anonymous shared store and position, one view for each projection."""
        groups: dict[Global, list[dict[Hashable, View]]] = {}
        arity = len(self.pattern.positions)
        for t in self.system.roles:
            me = Role(self.system.classes[t].me)
            for g, l in reached.pairs[t]:
                shared = self.system.shared(g)
                for k in range(arity):
                    if me not in self.pattern.positions[k]:
                        continue
                    look = self.pattern.project(k, me, g, l)
                    if look is None:
                        continue
                    if self.possible is not None:
                        look = (look, self.system.location(l))
                    anonymous = self.system.naming.anonymous(shared)
                    group = groups.setdefault(anonymous, [{} for _ in range(arity)])
                    group[k].setdefault((t, shared, look), Witness(t, g, l))
        return groups

    def _may_violate(self, views: Sequence[View]) -> bool:
        counted: dict[Role, int] = {}
        for view in views:
            counted[view.role] = counted.get(view.role, 0) + 1
            limit = self.system.classes[view.role].count
            if limit is not None and counted[view.role] > limit:
                return False
        first = views[0]
        if self.possible is not None and not self.possible(first.g, [v.l for v in views]):
            return False
        me = Role(self.system.classes[first.role].me)
        ids = self.system.ids_of(*first)
        return any(
            self.pattern.may_hold(g, roles, ls)
            for g, roles, ls in self._fit(views[1:], [me], [first.l], first.g, ids)
        )

    def _fit(
        self,
        views: Sequence[View],
        roles: list[Role],
        ls: list[Local],
        g: Global,
        present: list[int],
    ) -> Iterator[tuple[Global, list[Role], list[Local]]]:
        """All ways to see further views in one state, with distinct threads."""
        if not views:
            yield g, roles, ls
            return
        view, rest = views[0], views[1:]
        system = self.system
        matched = system.naming.match(system.shared(view.g), system.shared(g))
        if matched is None:
            return
        me = system.classes[view.role].me
        further = [t for t in system.ids_of(*view) if t not in matched]
        for names in system.naming.extensions(matched, further, present):
            if names[me] in roles:
                continue
            l = system.naming.rename(view.l, system.id_slots(view.role, view.l), names)
            grown = list(dict.fromkeys([*present, *names.values()]))
            placed = system.place_private(g, view, names)
            yield from self._fit(rest, [*roles, Role(names[me])], [*ls, l], placed, grown)
