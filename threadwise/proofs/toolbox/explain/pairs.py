"""Explanations of tables of what threads can see: invariants by location, and guarantees.

Ids are shown as the thread sees them: `self`, `none`, or another thread of a template. Threads
whose explanations are the same are explained once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.layout import Cell
from threadwise.ir.program import Program
from threadwise.ir.types import NONE, Address, ArrayType, EnumType, PerThread, TidType, Value
from threadwise.proofs.base.explanation import (
    Fact,
    Formula,
    GuardedUpdate,
    Place,
    ThreadExplanation,
)
from threadwise.proofs.toolbox.explain.calls import CallTables, summaries
from threadwise.proofs.toolbox.explain.cubes import (
    Shown,
    ShownVariable,
    Valuation,
    bounds,
    conjunction,
    formula,
    merge,
    universe,
)
from threadwise.semantics.state import Cells, GlobalStore, LocalStore, State
from threadwise.semantics.step import Interpreter
from threadwise.transforms.forget import ONE_VALUE

STEP_LIMIT = 20_000
"""For more pairs than this the statements behind a guarantee are not looked up."""


@dataclass(frozen=True)
class Pairs:
    """R and G of one thread, with the thread's id."""

    thread: int
    reached: Sequence[tuple[Cells, LocalStore]]
    changes: Sequence[tuple[Cells, Cells]]


def pairs_of_states(states: Sequence[State]) -> Iterator[Pairs]:
    """What each thread sees in some states."""
    for t in range(len(states[0].locals) if states else 0):
        yield Pairs(
            t, list(dict.fromkeys((state.g.cells, state.locals[t]) for state in states)), []
        )


def pairs_of_tables(
    threads: Iterable[int],
    stores: Sequence[Cells],
    reached: Sequence[Sequence[tuple[int, LocalStore]]],
    guarantees: Sequence[Sequence[tuple[int, int]]],
) -> Iterator[Pairs]:
    """R and G of some threads, from tables that name global stores by position."""
    for t, pairs, made in zip(threads, reached, guarantees, strict=True):
        yield Pairs(
            t,
            [(tuple(stores[g]), l) for g, l in pairs],
            [(tuple(stores[a]), tuple(stores[b])) for a, b in made],
        )


def explain_pairs(
    program: Program,
    found: Iterable[Pairs],
    *,
    counts: Mapping[str, int] | None = None,
    calls: CallTables | None = None,
) -> Iterator[ThreadExplanation]:
    """Explain threads, those that are explained alike together.

    With `counts` the pairs are those of one representative per class, in an instance with so many
    threads.
    """
    instance = program if counts is None else program.with_counts(counts)
    explainer = Explainer(program, instance)
    members: dict[tuple[str, ThreadExplanation], list[int]] = {}
    for pairs in found:
        explanation = explainer.thread(pairs)
        if calls is not None:
            told = summaries(instance, calls, pairs.thread, explainer.show)
            explanation = replace(explanation, summaries=tuple(told))
        template = explainer.layout.numbers.templates[pairs.thread]
        members.setdefault((template, explanation), []).append(pairs.thread)
    for (_, explanation), threads in members.items():
        yield replace(explanation, title=explainer.title(threads, counts is not None))


class Explainer:
    """Explains threads by their invariants and guarantees, with the names of a program."""

    def __init__(self, program: Program, instance: Program) -> None:
        self.record = program
        self.program = instance
        self.interpreter = Interpreter(instance)
        self.layout = self.interpreter.layout
        self.shared = self._visible_cells()

    def title(self, members: Sequence[int], symmetric: bool) -> str:
        """What to call threads that are explained together."""
        template = self.record.template[self.layout.numbers.templates[members[0]]]
        if template.count is None:
            return f"{template.name}, any number of them"
        if template.count == 1:
            return template.name
        if symmetric or len(members) == template.count:
            return f"{template.name}, each of {template.count}"
        return ", ".join(self.layout.numbers.name(t) for t in members)

    def _visible_cells(self) -> list[int]:
        """The shared cells worth showing: not one for each of any number of threads."""

        def is_private(cell: Cell) -> bool:
            held = cell.variable.type
            return cell.type == ONE_VALUE or (
                isinstance(held, ArrayType)
                and isinstance(held.extent, PerThread)
                and self.record.template[held.extent.template].count is None
            )

        cells = self.layout.globals.cells
        return [slot for slot, cell in enumerate(cells) if not is_private(cell)]

    def thread(self, pairs: Pairs) -> ThreadExplanation:
        """Explain one thread; the title is filled in later."""
        by_location: dict[int, list[tuple[Cells, LocalStore]]] = {}
        for g, l in pairs.reached:
            by_location.setdefault(int(l.pc), []).append((g, l))
        cells = [self.layout.globals.cells[slot] for slot in self.shared]
        seen = [self._shared_values(pairs.thread, g) for g, _ in pairs.reached]
        shared = self._variables(cells, seen)
        everywhere = [fact for variable in shared if (fact := bounds(variable)) is not None]
        facts = self._facts(pairs.thread, by_location, shared)
        return ThreadExplanation(
            "", tuple(everywhere), tuple(facts), tuple(self._guarantee(pairs, shared))
        )

    # -- values -----------------------------------------------------------------------------------

    def show(self, thread: int, cell: Cell, value: Value) -> Shown:
        """A value as a thread sees it."""
        match cell.type, value:
            case _, None | Address():
                return "null" if value is None else str(value)
            case TidType(), int():
                if value in (NONE, thread):
                    return "none" if value == NONE else "self"
                template = self.record.template[self.layout.numbers.templates[value]]
                return template.name if template.count == 1 else f"other {template.name}"
            case EnumType(_, members), int():
                return members[value]
            case _:
                return value

    def _shared_values(self, thread: int, g: Cells) -> Valuation:
        cells = self.layout.globals.cells
        return tuple(self.show(thread, cells[slot], g[slot]) for slot in self.shared)

    @staticmethod
    def _variables(cells: Sequence[Cell], seen: Sequence[Valuation]) -> list[ShownVariable]:
        values = universe(seen, len(cells))
        return [
            ShownVariable(cell.name, cell.type, taken)
            for cell, taken in zip(cells, values, strict=True)
        ]

    # -- invariants -------------------------------------------------------------------------------

    def _facts(
        self,
        thread: int,
        by_location: dict[int, list[tuple[Cells, LocalStore]]],
        shared: Sequence[ShownVariable],
    ) -> list[Fact]:
        """The invariant of each location, equal ones together, in program order."""
        grouped: dict[Formula, list[Place]] = {}
        for pc in sorted(by_location):
            told = self._invariant(thread, pc, by_location[pc], shared)
            grouped.setdefault(told, []).append(place(self.program, pc))
        return [Fact(tuple(places), told) for told, places in grouped.items()]

    def _invariant(
        self,
        thread: int,
        pc: int,
        pairs: Sequence[tuple[Cells, LocalStore]],
        shared: Sequence[ShownVariable],
    ) -> Formula:
        template = self.layout.numbers.templates[thread]
        procedure = self.program.procedure_of[pc].name
        own = (*self.layout.thread[template].cells, *self.layout.local[procedure].cells)
        own_values = [
            tuple(
                self.show(thread, cell, value)
                for cell, value in zip(own, (*l.thread, *l.locals), strict=True)
            )
            for _, l in pairs
        ]
        variables = [*shared, *self._typed(own)]
        valuations = {
            (*self._shared_values(thread, g), *values)
            for (g, _), values in zip(pairs, own_values, strict=True)
        }
        return formula(merge(valuations), variables)

    @staticmethod
    def _typed(cells: Iterable[Cell]) -> list[ShownVariable]:
        """Local variables, about which nothing is known beyond their types."""
        return [ShownVariable(cell.name, cell.type, _every_value(cell)) for cell in cells]

    # -- guarantees -------------------------------------------------------------------------------

    def _guarantee(self, pairs: Pairs, shared: Sequence[ShownVariable]) -> Iterator[GuardedUpdate]:
        """The changes as guarded updates; updates with the same guard stand together."""
        lines = self._lines(pairs)
        befores: dict[tuple[str, ...], set[Valuation]] = defaultdict(set)
        sources: dict[tuple[str, ...], set[int]] = defaultdict(set)
        described = self._described(pairs, shared)
        for change, before, update in described:
            befores[update].add(before)
            sources[update] |= lines.get(change, set())
        by_guard: dict[str, tuple[list[str], set[int]]] = {}
        for update, valuations in befores.items():
            for cube in merge(valuations):
                guard = conjunction(cube, shared)
                updates, where = by_guard.setdefault(guard, ([], set()))
                updates.append(", ".join(update) or "no change")
                where |= sources[update]
        quiet = ["no change"]
        for guard, (updates, where) in sorted(by_guard.items(), key=lambda e: e[1][0] == quiet):
            updates.sort(key=lambda update: update == quiet[0])
            yield GuardedUpdate(guard, tuple(updates), tuple(sorted(where)))

    def _described(
        self, pairs: Pairs, shared: Sequence[ShownVariable]
    ) -> list[tuple[tuple[Cells, Cells], Valuation, tuple[str, ...]]]:
        """Each change with the store before and its update: by new values, or by differences.

        Where a group of changes to the same variables has fewer differences than new values, it
        is shown by differences: `x := x + 1`.
        """
        groups: dict[tuple[int, ...], list[tuple[tuple[Cells, Cells], Valuation, Valuation]]]
        groups = defaultdict(list)
        for change in pairs.changes:
            before = self._shared_values(pairs.thread, change[0])
            after = self._shared_values(pairs.thread, change[1])
            changed = tuple(
                k for k, slot in enumerate(self.shared) if change[0][slot] != change[1][slot]
            )
            groups[changed].append((change, before, after))
        result: list[tuple[tuple[Cells, Cells], Valuation, tuple[str, ...]]] = []
        for changed, members in groups.items():
            absolute = [
                tuple(f"{shared[k].name} := {_value(after[k])}" for k in changed)
                for _, _, after in members
            ]
            relative = [
                tuple(_difference(shared[k].name, before[k], after[k]) for k in changed)
                for _, before, after in members
            ]
            best = relative if len(set(relative)) < len(set(absolute)) else absolute
            result.extend(
                (change, before, update)
                for (change, before, _), update in zip(members, best, strict=True)
            )
        return result

    def _lines(self, pairs: Pairs) -> dict[tuple[Cells, Cells], set[int]]:
        """The source lines whose statements make each change."""
        if len(pairs.reached) > STEP_LIMIT:
            return {}
        found: dict[tuple[Cells, Cells], set[int]] = defaultdict(set)
        for g, l in pairs.reached:
            for choices, after, _, _ in self.interpreter.step(pairs.thread, GlobalStore(g), l):
                span = self.program.edges[choices[0].edge].span
                if span is not None:
                    found[g, after.cells].add(span.line)
        return found


def _every_value(cell: Cell) -> frozenset[Shown]:
    match cell.type:
        case EnumType(_, members):
            return frozenset(members)
        case _:
            return frozenset(
                value
                for low, high in [(getattr(cell.type, "low", 0), getattr(cell.type, "high", -1))]
                if high - low < 1 << 16
                for value in range(low, high + 1)
            ) or frozenset([False, True])


def _difference(name: str, before: Shown, after: Shown) -> str:
    if isinstance(before, str | bool) or isinstance(after, str | bool):
        return f"{name} := {_value(after)}"
    sign = "+" if after > before else "-"
    return f"{name} := {name} {sign} {abs(after - before)}"


def _value(value: Shown) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def place(program: Program, pc: int) -> Place:
    """A location, for the reader."""
    location = program.locations[pc]
    texts = dict.fromkeys(edge.text for edge in program.outgoing[pc] if edge.text)
    line = location.span.line if location.span is not None else None
    if location.failure is not None:
        return Place(line, location.labels, f"failed: {location.failure.message}")
    if location.final:
        return Place(line, location.labels, "the end")
    return Place(line, location.labels, next(iter(texts), ""))
