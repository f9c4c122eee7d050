"""How many threads of a template there can be, whatever the size of pools.

Proofs may be about pools of any size, so that the slots of one say something only if no more
threads are created. Those of a pool T are created by edges that write `T.next`, or that set the
status of a thread to anything but finished. Such an edge is taken

    once                 if it is on no cycle
    at most K - L times  in a loop with a local counter i: every edge into the loop sets i to a
                         constant, at least L; in the loop i only grows, by positive constants;
                         every cycle has an edge on which it grows, and one with the guard
                         `i < K`; every way to the edge, from where the loop is entered or i
                         grows, has such a guard; and i cannot wrap around between two of them

by each activation of its procedure, of which there are as many as threads that begin with it and
times it is called, counted likewise. (A loop is a strongly connected part: it is entered once.
Between two times i has grown, and it is below K each time.)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    Read,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import action_places, conjuncts, root
from threadwise.ir.pool_cells import FINISHED, PoolCells
from threadwise.ir.program import Edge, LocId, Procedure, Program, Template
from threadwise.ir.types import MachineType


class Threads:
    """How many threads and activations a program can have, each found once."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._known: dict[str, int | None] = {}

    def most(self, template: Template) -> int | None:
        """How many threads of a template can run; None if that is not known."""
        if not template.pool or template.count is None:
            return template.count
        created = self._total(
            template.name, [e for e in self.program.edges if _creates(e, template.name)]
        )
        return template.count if created is not None and created <= template.count else None

    def activations(self, procedure: str) -> int | None:
        """How often a procedure can be active at once, or one after the other; None: not known."""
        calls = [e for e in self.program.edges if _calls(e, procedure)]
        begun = [t for t in self.program.templates if t.body == procedure]
        return self._total(f"{procedure}()", calls, begun)

    def _total(
        self, name: str, edges: Iterable[Edge], begun: Iterable[Template] = ()
    ) -> int | None:
        """How often some edges are taken in all, and how many threads of templates begin.

        What depends on itself has no bound: so it is until it is known.
        """
        if name not in self._known:
            self._known[name] = None
            counts = [self._times(edge) for edge in edges] + [self.most(each) for each in begun]
            known = [count for count in counts if count is not None]
            self._known[name] = sum(known) if len(known) == len(counts) else None
        return self._known[name]

    def _times(self, edge: Edge) -> int | None:
        procedure = self.program.procedure_of[edge.source]
        each, runs = most_times(procedure, edge), self.activations(procedure.name)
        return None if each is None or runs is None else each * runs


def _calls(edge: Edge, procedure: str) -> bool:
    return isinstance(edge.action, Call) and edge.action.procedure == procedure


def _creates(edge: Edge, pool: str) -> bool:
    cells = PoolCells(pool)
    names = {_name(place) for place in action_places(edge.action)}
    if cells.status in names and isinstance(edge.action, Command):
        values = [a.value for a in edge.action.assignments if _name(a.target) == cells.status]
        chosen = any(_name(place) == cells.status for place in edge.action.havocs)
        if chosen or any(value != FINISHED for value in values):
            return True
    return cells.next in names


def _name(place: object) -> str:
    base = root(place)  # type: ignore[arg-type]  # a place
    return base.variable.name if isinstance(base, VariablePlace) else ""


# -- how often an edge is taken ------------------------------------------------------------------


def most_times(procedure: Procedure, edge: Edge) -> int | None:
    """How often an edge can be taken in one activation; None if that is not known."""
    edges = [(each.source, each.target) for each in procedure.edges]
    loop = _reached({edge.target}, edges)
    if edge.source not in loop:
        return 1
    loop &= _reached({edge.source}, [(target, source) for source, target in edges])
    into = [each for each in procedure.edges if each.target in loop]
    inside = [each for each in into if each.source in loop]
    entering = [each for each in into if each.source not in loop]
    if procedure.entry in loop:
        return None
    found = (
        _counted(edge, inside, entering, counter)
        for counter in dict.fromkeys(v for each in inside for v, _ in _limits(each))
    )
    return next((times for times in found if times is not None), None)


def _counted(
    edge: Edge, inside: list[Edge], entering: list[Edge], counter: Variable
) -> int | None:
    """The bound that a counter of a loop gives."""
    growing: dict[int, int] = {}
    for each in inside:
        if any(_name(place) == counter.name for place in _own_places(each)):
            step = _growth(each, counter)
            if step is None:
                return None
            growing[each.id] = step
    starts = [_constant(each, counter) for each in entering]
    tests = {e.id: k for e in inside for variable, k in _limits(e) if variable == counter}
    if None in starts or not starts or not tests:
        return None
    free = [each for each in inside if each.id not in tests]
    if _is_cyclic(free) or _is_cyclic([each for each in inside if each.id not in growing]):
        return None
    begin = {e.target for e in entering} | {e.target for e in inside if e.id in growing}
    onwards = [(each.source, each.target) for each in free]
    if edge.id not in tests and edge.source in _reached(begin, onwards):
        return None
    numbers = [start for start in starts if start is not None]
    limit, steps = max(tests.values()), sum(growing.values())
    if not _fits(counter, max(limit, *numbers) + steps):
        return None
    return max(0, limit - min(numbers))


def _own_places(edge: Edge) -> list[VariablePlace]:
    bases = [root(place) for place in action_places(edge.action)]
    return [
        base
        for base in bases
        if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL
    ]


def _value(edge: Edge, counter: Variable) -> Expr | None:
    """What an edge assigns to a variable, if it does so once."""
    if not isinstance(edge.action, Command):
        return None
    values = [a.value for a in edge.action.assignments if a.target == VariablePlace(counter)]
    written = [p for p in _own_places(edge) if p.variable.name == counter.name]
    return values[0] if len(values) == len(written) == 1 else None


def _constant(edge: Edge, counter: Variable) -> int | None:
    value = _value(edge, counter)
    return value.value if isinstance(value, Const) and type(value.value) is int else None


def _growth(edge: Edge, counter: Variable) -> int | None:
    """By how much a variable grows along an edge."""
    value = _value(edge, counter)
    if isinstance(value, Wrap):
        same = isinstance(counter.type, MachineType) and counter.type.high == value.high
        value = value.operand if same else None
    match value:
        case Binary(BinaryOp.ADD, Read(VariablePlace(variable)), Const(step, _)) if (
            variable == counter and type(step) is int and step > 0
        ):
            return step
        case _:
            return None


def _limits(edge: Edge) -> list[tuple[Variable, int]]:
    """The locals that are below a number where an edge is taken, with it."""
    found: list[tuple[Variable, int]] = []
    for part in conjuncts(edge.action.guard):
        match part:
            case Binary(
                BinaryOp.LT | BinaryOp.LE as op, Read(VariablePlace(variable)), Const(limit, _)
            ) if variable.scope is Scope.LOCAL and type(limit) is int:
                found.append((variable, limit if op is BinaryOp.LT else limit + 1))
            case _:
                pass
    return found


def _fits(counter: Variable, value: int) -> bool:
    """Whether a variable can hold a value, so that nothing wraps around below it."""
    held = counter.type
    return isinstance(held, MachineType) and value <= held.high


def _reached(starts: Collection[LocId], edges: Iterable[tuple[LocId, LocId]]) -> set[LocId]:
    """These locations, and where edges lead from there."""
    after: dict[LocId, list[LocId]] = {}
    for source, target in edges:
        after.setdefault(source, []).append(target)
    found, pending = set(starts), list(starts)
    while pending:
        for there in after.get(pending.pop(), ()):
            if there not in found:
                found.add(there)
                pending.append(there)
    return found


def _is_cyclic(edges: Collection[Edge]) -> bool:
    """Whether some edges lead round: those that come from where none leads are put away."""
    left = list(edges)
    while left:
        targets = {edge.target for edge in left}
        kept = [edge for edge in left if edge.source in targets]
        if len(kept) == len(left):
            return True
        left = kept
    return False
