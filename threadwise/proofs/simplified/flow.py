"""Which locals are still read where, and whether some guards leave nothing out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from threadwise.ir.commands import Action, Call, Operation
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    Expr,
    IsWritten,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, action_places, root, subexpressions
from threadwise.ir.program import Edge, LocId, Procedure
from threadwise.proofs.simplified.normal import negated

MOST_SPLITS = 2_000
"""So many cases are tried to see whether one of some guards always holds."""

MOST_REMEMBERED = 1 << 16
"""Of so many different actions it is remembered what they read: most pass through most passes."""

Names = frozenset[str]


def reads(edge: Edge) -> Names:
    """The locals that an edge reads; of one that is written in part, the rest is."""
    operation = edge.operation
    if operation is None or operation.subject is None:
        return _own_reads(edge.action)
    return _reads_of_both(edge.action, operation)


def _own_reads(action: Action) -> Names:
    """The locals that an action reads."""
    told = action.told
    found: Names | None = told.get("locals that are read")
    if found is None:
        found = told["locals that are read"] = _reads(action, None)
    return found


@lru_cache(maxsize=MOST_REMEMBERED)
def _reads_of_both(action: Action, operation: Operation) -> Names:
    return _reads(action, operation)


def _reads(action: Action, operation: Operation | None) -> Names:
    found: set[str] = set()
    subject = () if operation is None or operation.subject is None else (operation.subject,)
    for expr in (*action_expressions(action), *subject):
        for part in subexpressions(expr):
            if isinstance(part, Read | IsWritten):
                base = root(part.place)
                if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
                    found.add(base.variable.name)
    for place in action_places(action):
        base = root(place)
        if (
            isinstance(base, VariablePlace)
            and base != place
            and base.variable.scope is Scope.LOCAL
        ):
            found.add(base.variable.name)
    return frozenset(found)


@lru_cache(maxsize=MOST_REMEMBERED)
def names_read(action: Action) -> tuple[str, ...]:
    """The locals that an action reads, in order of their names."""
    return tuple(sorted(_own_reads(action)))


@lru_cache(maxsize=MOST_REMEMBERED)
def local_names(expr: Expr) -> tuple[str, ...]:
    """The locals that a term mentions."""
    found: dict[str, None] = {}
    for part in subexpressions(expr):
        if isinstance(part, Read | IsWritten | AddressOf):
            base = root(part.place)
            if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
                found[base.variable.name] = None
    return tuple(found)


def overwrites(edge: Edge) -> Names:
    """The locals that an edge writes as a whole, before the next one is taken."""
    told = edge.action.told
    found: Names | None = told.get("locals that are overwritten")
    if found is None:
        found = told["locals that are overwritten"] = _overwrites(edge.action)
    return found


def _overwrites(action: Action) -> Names:
    if isinstance(action, Call):
        return frozenset()
    return frozenset(
        place.variable.name
        for place in action_places(action)
        if isinstance(place, VariablePlace) and place.variable.scope is Scope.LOCAL
    )


class Live:
    """By location, the locals that some path from there reads before it writes them."""

    def __init__(self, procedure: Procedure) -> None:
        self._bits: dict[str, int] = {}
        self._masks: dict[Names, int] = {}
        self._found = dict.fromkeys((location.id for location in procedure.locations), 0)
        self._solve(procedure)

    def at(self, here: LocId, name: str) -> bool:
        """Whether a local is read from here on."""
        return bool(self._found[here] & self._bits.get(name, 0))

    def _mask(self, names: Names) -> int:
        mask = self._masks.get(names)
        if mask is None:
            mask = 0
            for name in names:
                mask |= self._bits.setdefault(name, 1 << len(self._bits))
            self._masks[names] = mask
        return mask

    def _solve(self, procedure: Procedure) -> None:
        found, mask, masks = self._found, self._mask, self._masks
        incoming: dict[LocId, list[tuple[LocId, int]]] = {here: [] for here in found}
        following: dict[LocId, list[LocId]] = {here: [] for here in found}
        for edge in procedure.edges:
            source, target = edge.source, edge.target
            read, lost = reads(edge), overwrites(edge)
            if read:
                found[source] |= masks.get(read) or mask(read)
            incoming[target].append((source, (masks.get(lost) or mask(lost)) if lost else 0))
            following[source].append(target)
        order = _last_first(procedure.entry, following)
        waiting = {here for here in order if found[here]}
        while waiting:  # only what is read somewhere is passed on
            for here in order:
                if here not in waiting:
                    continue
                waiting.discard(here)
                after = found[here]
                for source, lost_there in incoming[here]:
                    before = found[source]
                    known = before | (after & ~lost_there if lost_there else after)
                    if known != before:
                        found[source] = known
                        waiting.add(source)


def _last_first(entry: LocId, following: Mapping[LocId, Sequence[LocId]]) -> list[LocId]:
    """All locations, those first that others lead to, but for loops: few are visited again."""
    found: list[LocId] = []
    seen: set[LocId] = set()
    for start in (entry, *following):
        if start in seen:
            continue
        seen.add(start)
        path = [(start, iter(following[start]))]
        while path:
            here, targets = path[-1]
            for there in targets:
                if there not in seen:
                    seen.add(there)
                    path.append((there, iter(following[there])))
                    break
            else:
                found.append(here)
                path.pop()
    return found


def covered(guards: Sequence[Expr], given: Sequence[Expr] = ()) -> bool:
    """Whether one of some formulas in normal form holds wherever the given ones do.

    Whatever the atoms are: one after the other is taken to be true and to be false.
    """
    wanted = [*guards, *map(negated, given)]
    pending: list[dict[Expr, bool]] = [{}]
    for _ in range(MOST_SPLITS):
        if not pending:
            return True
        known = pending.pop()
        found = [_decided(guard, known) for guard in wanted]
        if TRUE in found:
            continue
        atom = next((answer for answer in found if answer != FALSE), None)
        if atom is None:
            return False
        other = negated(atom)
        pending += [{**known, atom: True, other: False}, {**known, atom: False, other: True}]
    return False


def _decided(guard: Expr, known: dict[Expr, bool]) -> Expr:
    """TRUE, FALSE, or the first atom of a formula that has to be known."""
    if isinstance(guard, Const):
        return TRUE if guard.value else FALSE
    if guard in known:
        return TRUE if known[guard] else FALSE
    match guard:
        case Binary(BinaryOp.AND | BinaryOp.OR as op, left, right):
            first = _decided(left, known)
            if first not in (TRUE, FALSE):
                return first
            stops = FALSE if op is BinaryOp.AND else TRUE
            return first if first == stops else _decided(right, known)
        case _:
            return guard
