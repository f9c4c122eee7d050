"""What the analysis found, as formulas about one thread at a location.

A thread of a template is at a location in one of several cases: which thread of the template it
is, which mutexes it holds, which threads it has created and joined. A claim holds in one case; its
formula is a disjunction, `not in this case || claim`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from threadwise.engines.tallies.analysis import Analysis
from threadwise.engines.tallies.cells import Cell, Resolving, Thread, is_owner
from threadwise.engines.tallies.handing import Node
from threadwise.engines.tallies.states import FREE, State
from threadwise.engines.tallies.thread_analysis import DIFFERENCE, ThreadAnalysis
from threadwise.ir.expr import (
    FALSE,
    Binary,
    BinaryOp,
    Const,
    Expr,
    Read,
    ThreadRead,
    ThreadVariable,
    Wrap,
)
from threadwise.ir.fold import conjunction, conjuncts, negation, number
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import LocId
from threadwise.ir.types import INT, MachineType
from threadwise.transforms.accounts.accounts import PoolGhosts

Place = tuple[str, LocId]
Candidates = dict[Place, list[Expr]]


def me(template: str) -> ThreadVariable:
    """The thread that formulas are about."""
    return ThreadVariable("t1", template)


@dataclass(frozen=True)
class Case:
    """A thread at a node, and what is known there."""

    thread: Thread
    node: Node
    state: State


def candidates(analysis: Analysis, given: Sequence[Expr] = ()) -> Candidates:
    """Formulas for every location where threads may rest; `given` is what the cases are under."""
    found: Candidates = {}
    program = analysis.program
    for template in program.templates:
        threads = [t for t in analysis.threads if t.template == template.name]
        for location in program.procedure[template.body].locations:
            if location.atomic or location.failure is not None:
                continue
            writer = _Writer(analysis, template.name, location.id, given)
            for thread in threads:
                writer.thread(thread)
            found[template.name, location.id] = list(dict.fromkeys(writer.found))
    return found


class _Writer:
    """Writes the formulas of one location."""

    def __init__(
        self, analysis: Analysis, template: str, location: LocId, given: Sequence[Expr]
    ) -> None:
        self.analysis = analysis
        self.program = analysis.program
        self.template = template
        self.location = location
        self.given = list(given)
        self.me = me(template)
        self.several = (self.program.template[template].count or 0) > 1
        self.is_entry = self.program.procedure[self.program.template[template].body].entry == (
            location
        )
        self.found: list[Expr] = []

    def thread(self, thread: Thread) -> None:
        """The formulas about one thread."""
        which = [Binary(BinaryOp.EQ, self.me, thread.id)] if self.several else []
        nodes = [
            Case(thread, node, state)
            for node, state in self.analysis.found.get(thread, {}).items()
            if node.location == self.location
        ]
        cells = {**self.analysis.shared, **self.analysis.own[self.template]}
        created = thread != self.analysis.first
        pooled = created and thread not in self.analysis.present
        begun: list[Expr] = []
        if self.is_entry and pooled:
            begun = self._begun(thread)
            self._add(which, self._untouched(thread, cells))
        elif not nodes:
            self._add([*which, *self.given], [FALSE])
            return
        told = self._telling(nodes)
        if told:
            cases = [conjunction(self._gates(case, told)) for case in nodes]
            alone = any(not created and not self.analysis.running(case.node) for case in nodes)
            self._add([*which, *begun, *([] if alone else self.given)], [_one_of(cases)])
        for case in nodes:
            alone = not created and not self.analysis.running(case.node)
            gates = [*which, *begun, *self._gates(case, told)]
            gates += [] if alone else self.given
            self._add(gates, self._of_node(case, cells))
        several = [c for c in nodes if created or self.analysis.running(c.node)]
        for case in several:
            gates = [*which, *begun, *self.given]
            if len(several) < len(nodes):
                gates += self._gates(case, told)
            self._add(gates, self._common(case))
        if len(nodes) > 1:
            together = nodes[0].state
            for case in nodes[1:]:
                together = together.joined(case.state)
            alone = any(not created and not self.analysis.running(case.node) for case in nodes)
            self._add([*which, *begun, *([] if alone else self.given)], self._claims(together))

    def _add(self, gates: Sequence[Expr], claims: Iterable[Expr]) -> None:
        for claim in claims:
            whole = claim
            for gate in reversed(gates):
                shut = negation(gate)
                whole = shut if whole == FALSE else Binary(BinaryOp.OR, shut, whole)
            self.found.append(whole)

    # -- cases -----------------------------------------------------------------------------------

    def _begun(self, thread: Thread) -> list[Expr]:
        """What holds once a thread was created."""
        parametric = self.analysis.parametric
        if parametric is not None:
            return [Read(self.analysis.shared[parametric.created(thread.template)].place)]
        resolving = Resolving(thread, {}, {}, lambda _: False)
        found: list[Expr] = []
        for edge in self.program.outgoing[self.location]:
            for part in conjuncts(resolving.of(edge.action.guard)):
                match part:
                    case Binary(BinaryOp.EQ, Read(place), Const() as value):
                        cell = self.analysis.shared.get(place.variable.name)  # type: ignore[union-attr]
                        if cell is not None:
                            found.append(Binary(BinaryOp.EQ, Read(cell.place), value))
                    case _:
                        pass
        return list(dict.fromkeys(found))

    def _untouched(self, thread: Thread, cells: Mapping[str, Cell]) -> Iterator[Expr]:
        """What a thread has that has not begun: what only it writes is as it was."""
        kind = self.program.template[thread.template]
        body = self.program.procedure[kind.body]
        declared = (*self.program.globals, *kind.variables, *body.locals)
        start = self.analysis.initial(declared)
        for name, (low, _) in start.known.items():
            own = not cells[name].is_shared or self.analysis.writers(name) <= {thread}
            if low is not None and own:
                yield Binary(BinaryOp.EQ, self._cell(name), number(low))
        for name, value in start.values.items():
            if not cells[name].is_shared:
                yield Binary(BinaryOp.EQ, self._cell(name), value)
        for lock in (name for name in cells if is_owner(name)):
            yield Binary(BinaryOp.NE, self._cell(lock), self.me)

    def _telling(self, nodes: Sequence[Case]) -> list[str]:
        """Few cells that are constants in all cases, and tell as many cases apart as can be."""
        found = self._constants(nodes)
        chosen: list[str] = []
        while True:
            known = [tuple(_constant(case.state, name) for name in chosen) for case in nodes]
            best = max(
                found,
                key=lambda name: len(
                    {
                        (k, _constant(case.state, name))
                        for k, case in zip(known, nodes, strict=True)
                    }
                ),
                default=None,
            )
            if best is None:
                return chosen
            more = {(k, _constant(c.state, best)) for k, c in zip(known, nodes, strict=True)}
            if len(more) == len(set(known)):
                return chosen
            chosen.append(best)

    def _constants(self, nodes: Sequence[Case]) -> list[str]:
        """Cells that are constants in all cases, not always the same one; integers first."""
        found: list[str] = []
        for name in nodes[0].state.known if len(nodes) > 1 else ():
            values = [case.state.known.get(name, FREE) for case in nodes]
            single = all(low is not None and low == high for low, high in values)
            if single and len(set(values)) > 1 and not name.startswith(DIFFERENCE):
                found.append(name)
        for name in nodes[0].state.values if len(nodes) > 1 else ():
            told = [case.state.values.get(name) for case in nodes]
            if None not in told and len(set(told)) > 1 and not is_owner(name):
                found.append(name)
        return found

    def _gates(self, case: Case, told: list[str]) -> list[Expr]:
        found: list[Expr] = []
        for name in told:
            if name in case.state.values:
                found.append(Binary(BinaryOp.EQ, self._cell(name), case.state.values[name]))
            else:
                low, _ = case.state.known[name]
                assert low is not None
                found.append(Binary(BinaryOp.EQ, self._cell(name), number(low)))
        held = {
            lock
            for other in self.analysis.found[case.thread]
            if other.location == self.location
            for lock in other.held ^ case.node.held
        }
        for lock in sorted(held):
            op = BinaryOp.EQ if lock in case.node.held else BinaryOp.NE
            found.append(Binary(op, self._cell(lock), self.me))
        return found

    # -- claims ----------------------------------------------------------------------------------

    def _of_node(self, case: Case, cells: Mapping[str, Cell]) -> Iterator[Expr]:
        """What holds in a case."""
        for lock in (name for name in cells if is_owner(name)):
            op = BinaryOp.EQ if lock in case.node.held else BinaryOp.NE
            yield Binary(op, self._cell(lock), self.me)
        yield from self._claims(case.state, ThreadAnalysis(self.analysis, case.thread))

    def _common(self, case: Case) -> Iterator[Expr]:
        """What holds of shared cells: always, while mutexes are free, once threads have ended."""
        known = self.analysis.known
        always: list[Expr] = []
        if known.always.state is not None:
            always = list(self._claims(known.always.state))
        yield from always
        for lock, handed in known.locks.items():
            if lock not in case.node.held and handed.state is not None:
                owner = Read(self.analysis.shared[lock].place)
                free = Binary(BinaryOp.NE, owner, NOBODY)
                for claim in self._claims(handed.state):
                    if claim not in always:
                        yield Binary(BinaryOp.OR, free, claim)
        yield from self._of_finished(case, always)
        for (name, value), thread in self.analysis.ends.items():
            end = known.end.get(thread)
            if thread == case.thread or end is None or end.state is None:
                continue
            runs = Binary(BinaryOp.NE, Read(self.analysis.shared[name].place), value)
            for claim in self._claims(end.state):
                if claim not in always and thread not in case.node.joined:
                    yield Binary(BinaryOp.OR, runs, claim)

    def _of_finished(self, case: Case, always: Sequence[Expr]) -> Iterator[Expr]:
        """What holds of parametric threads: how many run, and what those that have finished
        leave behind."""
        parametric = self.analysis.parametric
        for pool in parametric.pools if parametric is not None else ():
            assert parametric is not None
            yield from self._numbers(pool)
        for thread, end in self.analysis.known.end.items() if parametric is not None else ():
            assert parametric is not None
            name = parametric.finished(thread.template)
            if name is None or end.state is None:
                continue
            finished = Read(self.analysis.shared[name].place)
            nobody = Binary(BinaryOp.EQ, finished, number(0))
            sequential = self.analysis.is_sequential(thread)
            count = PoolGhosts.of(thread.template).count.name
            some = Binary(BinaryOp.NE, finished, Read(self.analysis.shared[count].place))
            for claim in self._claims(end.state):
                if claim not in always and thread not in case.node.joined:
                    yield Binary(BinaryOp.OR, nobody, claim)
                    if sequential:
                        yield Binary(BinaryOp.OR, some, claim)

    def _numbers(self, pool: str) -> Iterator[Expr]:
        """No more threads have begun than were created; if each is joined before the next is
        created, no more than one runs."""
        names = [ghost.name for ghost in PoolGhosts.of(pool).all]
        if not set(names) <= self.analysis.shared.keys():
            return
        count, running, finished = (Read(self.analysis.shared[name].place) for name in names)
        begun = Binary(BinaryOp.ADD, running, finished)
        yield Binary(BinaryOp.LE, begun, count)
        if self.analysis.is_sequential(Thread(pool, 0)):
            yield Binary(BinaryOp.LE, count, Binary(BinaryOp.ADD, finished, number(1)))

    def _claims(self, state: State, thread: ThreadAnalysis | None = None) -> Iterator[Expr]:
        """What a state says of cells that types do not."""
        cells = {**self.analysis.shared, **self.analysis.own[self.template]}
        for name, value in state.values.items():
            if name in cells and not is_owner(name):
                yield Binary(BinaryOp.EQ, self._cell(name), value)
        names = {*state.space.rows, *(n for r in state.space.rows.values() for n in r.factors)}
        others = sorted(name for name in names if name not in cells)
        known = state.space.freed(others)
        for factors, constant in known.equations():
            yield from self._equation(factors, constant, cells)
        wrapping = sorted(n for n in names if n in cells and self._may_wrap(cells[n]))
        if wrapping:
            for factors, constant in known.freed(wrapping).equations():
                yield from self._equation(factors, constant, cells)
        for name, (low, high) in state.known.items():
            if name.startswith(DIFFERENCE):
                if thread is None or low == high:
                    continue
                form = thread.differences[name]
                whole = self._sum({n: int(v) for n, v in form.factors.items()}, 0)
                limits: tuple[int | None, int | None] = (None, None)
            elif name in cells:
                whole, limits = self._cell(name), cells[name].limits
            else:
                continue
            if low is not None and low == high:
                continue
            if low is not None and (limits[0] is None or low > limits[0]):
                yield Binary(BinaryOp.GE, whole, number(low))
            if high is not None and (limits[1] is None or high < limits[1]):
                yield Binary(BinaryOp.LE, whole, number(high))

    def _may_wrap(self, cell: Cell) -> bool:
        """Whether equations about a cell hold modulo a size only, if others do without it."""
        parametric = self.analysis.parametric
        return parametric is not None and cell.is_shared and isinstance(cell.type, MachineType)

    def _equation(
        self, factors: Mapping[str, int], constant: int, cells: Mapping[str, Cell]
    ) -> Iterator[Expr]:
        left = {name: factor for name, factor in factors.items() if factor > 0}
        right = {name: -factor for name, factor in factors.items() if factor < 0}
        yield Binary(
            BinaryOp.EQ,
            self._sum(left, max(constant, 0)),
            self._sum(right, max(-constant, 0)),
        )
        for name, factor in factors.items():
            held = cells[name].type
            if len(factors) > 1 and abs(factor) == 1 and isinstance(held, MachineType):
                rest = {n: -f * factor for n, f in factors.items() if n != name}
                total = self._sum(rest, -constant * factor)
                yield Binary(BinaryOp.EQ, self._cell(name), Wrap(held.low, held.high, total))
                return

    def _sum(self, factors: Mapping[str, int], constant: int) -> Expr:
        total: Expr | None = number(constant) if constant or not factors else None
        for name, factor in factors.items():
            cell = self._cell(name)
            size = abs(factor)
            term = cell if size == 1 else Binary(BinaryOp.MUL, Const(size, INT), cell)
            if total is None:
                total = term if factor > 0 else Binary(BinaryOp.SUB, number(0), term)
            else:
                total = Binary(BinaryOp.ADD if factor > 0 else BinaryOp.SUB, total, term)
        assert total is not None
        return total

    def _cell(self, name: str) -> Expr:
        shared = self.analysis.shared.get(name)
        if shared is not None:
            return Read(shared.place)
        return ThreadRead(self.me, self.analysis.own[self.template][name].place)


def _constant(state: State, name: str) -> object:
    return state.values[name] if name in state.values else state.known[name]


def _one_of(cases: Sequence[Expr]) -> Expr:
    found = list(dict.fromkeys(cases))
    whole = found[0]
    for case in found[1:]:
        whole = Binary(BinaryOp.OR, whole, case)
    return whole
