"""Relaxed stores that others see before what the thread did earlier.

A store without release order may become visible early: before writes that precede it in its own
thread, so that who sees it need not see them. A proof should not rely on their order, so where
that is allowed (`threadwise.core.doubts`) the thread may do the store at any earlier place, as
far back as C lets it, and leaves it out where it stands:

    data = 1; x = 1;        { x = 1; early = 1; } data = 1; { if (early) early = 0; else x = 1; }

It cannot move before

- what acquires: locks, joins and other waits, loads and updates with acquire order, the thread's
  own beginning;
- a fence with release order;
- an access of the same place by the thread itself;
- an input, or an atomic load, that its address or its value depends on.

Values that are computed from local variables, or loaded from plain memory, may be known earlier
(compilers remember what was stored there), so going back over an assignment substitutes it.
Conditions over local variables become part of the early store's guard. Conditions that read shared
memory are passed: then the thread may store what it will not store in the end. That is more than C
allows, like any guard that is dropped: a proof for more runs. Updates (exchange, fetch-and-add,
compare-and-exchange) are done early as a whole; what they have read is kept until it is asked for.
Where we cannot tell how far a store moves, or what it stores (procedures, local aggregates,
pointers that may lead to its value, loops that change it), the place is a limit, and no proof
allows it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeAlias

from threadwise.core.doubts import EARLY, Doubt
from threadwise.core.quick_dataclass import replace
from threadwise.core.source import Span
from threadwise.frontends.c.lower.graph import Arc, Region
from threadwise.frontends.c.lower.parallel import (
    Store,
    Unknown,
    Ways,
    is_never_taken,
    stores,
    variables,
)
from threadwise.frontends.c.lower.values.types import BIT
from threadwise.ir.commands import (
    TAKING,
    WAITING,
    Allocate,
    Assignment,
    Call,
    Command,
    Free,
    OperationKind,
    Return,
)
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Expr,
    Place,
    Read,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    conjunction,
    conjuncts,
    is_shared,
    mentions_shared,
    number,
    read_places,
    root,
)
from threadwise.ir.mentions import mentioned_places
from threadwise.ir.program import Failure, FailureKind

if TYPE_CHECKING:
    from threadwise.frontends.c.lower.body import Body

BEYOND = "a relaxed store that others may see early, from a place that is not known"
_MOST_STATES = 400
_MOST_CONDITIONS = 6
_MOST_GUARDS = 3
"""A store is brought to a place under so many guards; after that, under any."""
_BOUNDARIES = (*WAITING, *TAKING, OperationKind.HELD, OperationKind.BEGIN)
_State: TypeAlias = tuple[int, int, Store]
"""A node, inside how many regions, and the store there."""


def let_stores_be_early(body: Body) -> None:
    """Note which relaxed stores may be seen early, and let those be that are allowed to."""
    ways: Ways | None = None
    for region in body.graph.weak:
        doubt = Doubt.of(EARLY, region.span)
        allowed = doubt.is_allowed(body.unit.options.doubts)
        ways = ways or Ways(body.graph)
        try:
            moved = _Backwards(body, region, ways)
            moved.run()
        except Unknown:
            body.unit.doubts[doubt] = None
            if allowed:
                _give_up(body, region, doubt)
        else:
            if not moved.places:
                continue
            body.unit.doubts[doubt] = None
            if allowed:
                _apply(body, region, moved, doubt)
        ways = None if allowed else ways


# -- backwards -----------------------------------------------------------------------------------


class _Backwards:
    """Goes back from a region along all paths, as far as its stores may move."""

    def __init__(self, body: Body, region: Region, ways: Ways) -> None:
        self.body = body
        self.graph = body.graph
        self.region = region
        self.ways = ways
        self.stores = stores(ways, region)
        self.places: dict[tuple[int, Store], None] = {}
        """Where they may be done early, and what they are there."""

    def run(self) -> None:
        """Find the places; raises Unknown."""
        pending: list[_State] = [(self.region.begin, 1, store) for store in self.stores]
        seen = set(pending)
        alike: Counter[_State] = Counter()
        while pending:
            for node, depth, store in self._before(*pending.pop()):
                weakest = (node, depth, replace(store, guard=TRUE))
                state = (node, depth, store) if alike[weakest] < _MOST_GUARDS else weakest
                if state not in seen:
                    alike[weakest] += 1
                    seen.add(state)
                    pending.append(state)
            if len(seen) > _MOST_STATES:
                raise Unknown

    def _before(self, node: int, depth: int, store: Store) -> Iterator[_State]:
        """The states before a node that is inside so many regions."""
        graph = self.graph
        if node in graph.ordered:
            return
        if node == 0 and self.body.procedure:
            raise Unknown
        for source in self.ways.jumping.get(node, ()):
            change, _ = graph.marks.get((source, node), (0, 0))
            if depth >= change:
                yield source, depth - change, store
                if change > 0 and depth == 1 and node != self.region.begin:
                    self.places[source, store] = None
        for arc in self.ways.entering.get(node, ()):
            passed = _before(arc, store, atomic=arc.sync or depth > 0)
            if passed is not None:
                yield arc.source, depth, passed
                if depth == 0 and _is_visible(arc) and not graph.points[arc.source].atomic:
                    self.places[arc.source, passed] = None


def _is_visible(arc: Arc) -> bool:
    """Whether others may notice when the step happens."""
    return isinstance(arc.action, Free) or any(map(is_shared, mentioned_places(arc)))


def _before(arc: Arc, store: Store, *, atomic: bool) -> Store | None:
    """The store before a step of its thread; None if it cannot be earlier than that."""
    if is_never_taken(arc):
        return None
    if arc.operation is not None and arc.operation.kind in _BOUNDARIES:
        return None
    match arc.action:
        case Command(guard, assignments, havocs):
            values = {
                a.target.variable: a.value
                for a in assignments
                if isinstance(a.target, VariablePlace) and not is_shared(a.target)
            }
            _refuse_parts([*(a.target for a in assignments), *havocs], store)
            chosen = {root(place).variable for place in havocs if not is_shared(place)}  # type: ignore[union-attr]
        case Allocate(guard, target):
            _refuse_parts([target], store)
            values = {}
            chosen = set() if is_shared(target) else {root(target).variable}  # type: ignore[union-attr]
        case Free(guard):
            values, chosen = {}, set()
        case Call() | Return():
            raise Unknown
    loaded = {variable for variable, value in values.items() if mentions_shared(value)}
    awaited = chosen | (loaded if atomic else set())
    if awaited & store.needed:
        return None
    if (chosen | loaded) & variables(store.guard):
        store = replace(store, guard=TRUE)
    found = store.before({v: e for v, e in values.items() if v not in awaited})
    if _touches(arc, {write.target for write in found.writes}):
        return None
    found = _before_writes(arc, found)
    if not mentions_shared(guard):
        found = replace(found, guard=_bounded(found.guard, guard))
    return found


def _touches(arc: Arc, places: set[Place]) -> bool:
    """Whether a step reads or writes one of some places."""
    read = (place for expr in action_expressions(arc.action) for place in read_places(expr))
    return not places.isdisjoint((*action_places(arc.action), *read))


def _before_writes(arc: Arc, store: Store) -> Store:
    """The store before what a step writes to memory that its value is loaded from."""
    own = {write.target for write in store.writes}
    loads = {place for place in store.loads if place not in own}
    written = [place for place in action_places(arc.action) if is_shared(place)]
    if not loads or not written:
        return store
    given = (
        {a.target: a.value for a in arc.action.assignments}
        if isinstance(arc.action, Command)
        else {}
    )
    for place in written:
        others = {load for load in loads if load != place}
        if (place in loads and place not in given) or any(_may_alias(place, o) for o in others):
            raise Unknown
    return store.with_memory(given)


def _may_alias(one: Place, other: Place) -> bool:
    """Whether two places may be the same memory: not if they lie in different variables."""
    bases = root(one), root(other)
    known = [base for base in bases if isinstance(base, VariablePlace)]
    return one.type == other.type and not (len(known) == 2 and known[0] != known[1])


def _refuse_parts(written: Iterable[Place], store: Store) -> None:
    """Writes of parts of a thread's own variables are not followed."""
    needed = store.needed | variables(store.guard)
    for place in written:
        if not is_shared(place) and not isinstance(place, VariablePlace):
            base = root(place)
            if isinstance(base, VariablePlace) and base.variable in needed:
                raise Unknown


def _bounded(guard: Expr, more: Expr) -> Expr:
    """A conjunction, or only its first part if that would be long."""
    parts = dict.fromkeys(part for each in (guard, more) for part in conjuncts(each))
    return conjunction(list(parts)) if len(parts) <= _MOST_CONDITIONS else guard


# -- the program with early stores ---------------------------------------------------------------


def _apply(body: Body, region: Region, moved: _Backwards, doubt: Doubt) -> None:
    graph = body.graph
    early = VariablePlace(body.local("early", BIT))
    kept = [each.target for each in moved.stores[0].kept]
    saved = [VariablePlace(body.local("early", place.type)) for place in kept]
    not_yet, done = (Binary(BinaryOp.EQ, Read(early), number(bit)) for bit in (0, 1))
    for node, store in moved.places:
        guard = conjunction([not_yet, store.guard])
        effects = (
            *store.writes,
            *(Assignment(to, each.value) for to, each in zip(saved, store.kept, strict=True)),
            Assignment(early, number(1)),
        )
        early_step = _if_defined(body, Command(guard, effects))
        graph.arcs.append(_arc(node, node, early_step, region.span, doubt))
    way = _insert(body, region)
    back = tuple(Assignment(place, Read(held)) for place, held in zip(kept, saved, strict=True))
    restored = Command(done, (*back, Assignment(early, number(0))))
    text = region.text
    graph.arcs.append(Arc(way, region.begin, Command(not_yet), region.span, None, True, text))
    graph.arcs.append(Arc(way, region.end, restored, region.span, None, True, text))


def _if_defined(body: Body, action: Command) -> Command:
    """The step, where it has a meaning: at earlier places pointers may lead elsewhere."""
    needed = [condition for condition, _ in body.unit.requirements.of_action(action)]
    return replace(action, guard=conjunction([*needed, action.guard]))


def _give_up(body: Body, region: Region, doubt: Doubt) -> None:
    """A proof would have to know more than we do."""
    graph = body.graph
    way = _insert(body, region)
    limit = graph.failure(Failure(FailureKind.LIMIT, "", BEYOND), region.span)
    graph.arcs.append(_arc(way, limit, Command(), region.span, doubt))
    graph.arcs.append(Arc(way, region.begin, Command(), region.span, None, True, region.text))


def _arc(source: int, target: int, action: Command, span: Span | None, doubt: Doubt) -> Arc:
    return Arc(source, target, action, span, None, True, doubt.told)


def _insert(body: Body, region: Region) -> int:
    """A node at the beginning of a region."""
    graph = body.graph
    found = graph.node()
    graph.points[found].reached = graph.points[region.begin].reached
    graph.marks[region.before, found] = graph.marks.pop((region.before, region.begin))
    graph.jumps = [
        (source, found if (source, target) == (region.before, region.begin) else target)
        for source, target in graph.jumps
    ]
    return found
