"""From a certificate to an explanation: per kind of thread, what holds where, and its guarantee.

Ids are shown as the thread sees them: `self`, `none`, or another thread of a template. Threads
whose explanations are the same are explained once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from threadwise.ir.layout import Cell, ProgramLayout
from threadwise.ir.program import Program
from threadwise.ir.types import NONE, Address, ArrayType, EnumType, PerThread, TidType, Value
from threadwise.proofs.base.union import Certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.counting.explain import equations
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.inductive.certificate import FormulaCertificate
from threadwise.proofs.inductive.explain import FormulaExplainer
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.explain import protections
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.toolbox.explain.cubes import (
    Formula,
    Shown,
    ShownVariable,
    Valuation,
    bounds,
    conjunction,
    formula,
    merge,
    universe,
)
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.proofs.transactions.explain import ProcedureSummary, summaries, tables_of_calls
from threadwise.proofs.transformed.certificate import (
    FollowingCertificate,
    ForgettingCertificate,
    SplitCertificate,
)
from threadwise.proofs.transformed.explain import named_copies
from threadwise.semantics.state import Cells, GlobalStore, LocalStore
from threadwise.semantics.step import Interpreter
from threadwise.transforms.follow import follow_all
from threadwise.transforms.forget import ONE_VALUE, forget
from threadwise.transforms.split import split

STEP_LIMIT = 20_000
"""For more pairs than this the statements behind a guarantee are not looked up."""


@dataclass(frozen=True)
class Place:
    """A location, for the reader."""

    line: int | None
    labels: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class Fact:
    """What holds whenever the thread is at one of some places."""

    places: tuple[Place, ...]
    formula: Formula


@dataclass(frozen=True)
class GuardedUpdate:
    """Changes a thread makes when a condition holds."""

    guard: str
    updates: tuple[str, ...]
    lines: tuple[int, ...]


@dataclass(frozen=True)
class ThreadExplanation:
    """What a proof says about a kind of thread."""

    title: str
    everywhere: tuple[str, ...]
    invariants: tuple[Fact, ...]
    guarantee: tuple[GuardedUpdate, ...]
    summaries: tuple[ProcedureSummary, ...] = ()
    notes: tuple[str, ...] = ()
    """Further lines, as they are."""


@dataclass(frozen=True)
class _Pairs:
    """R and G of one thread, with the thread's id."""

    thread: int
    reached: Sequence[tuple[Cells, LocalStore]]
    changes: Sequence[tuple[Cells, Cells]]


def explain_proof(program: Program, certificate: Certificate) -> list[ThreadExplanation]:
    """Explain a certificate, kind of thread by kind of thread."""
    if isinstance(certificate, RepresentativesCertificate):
        return _explain_formulas(program, certificate)
    if isinstance(certificate, ForgettingCertificate):
        return explain_proof(forget(program, certificate.forgotten), certificate.inner)
    if isinstance(certificate, FollowingCertificate):
        followed = follow_all(program, certificate.followings)
        return explain_proof(followed.program, certificate.inner)
    if isinstance(certificate, SplitCertificate):
        return explain_proof(named_copies(split(program)), certificate.inner)
    match certificate:
        case FormulaCertificate():
            by_formulas = FormulaExplainer(program, certificate)
            lines = (*by_formulas.exposed(), *by_formulas.formulas())
            return [ThreadExplanation("what threads show each other", (), (), (), notes=lines)]
        case LocksetCertificate():
            lines = tuple(protections(program, certificate))
            return [ThreadExplanation("what protects shared memory", (), (), (), notes=lines)]
        case InterleavingsCertificate():
            lines = tuple(_lengths(program, certificate))
            return [ThreadExplanation("how far threads get", (), (), (), notes=lines)]
        case CountingCertificate():
            told = tuple(equations(program, certificate.invariants))
            return [ThreadExplanation("numbers of threads", told, (), ())]
        case SymmetricCertificate():
            instance = program.with_counts(certificate.counts)
            threads = list(certificate.threads)
        case _:
            instance = program
            threads = list(range(len(ProgramLayout.of(program).numbers.templates)))
    explainer = _Explainer(program, instance)
    found: dict[tuple[object, ...], list[int]] = {}
    explained: dict[tuple[object, ...], ThreadExplanation] = {}
    calls = tables_of_calls(certificate)
    for pairs in _pairs(certificate, threads):
        explanation = explainer.thread(pairs)
        if calls is not None:
            found_summaries = summaries(instance, calls, pairs.thread, explainer.show)
            explanation = replace(explanation, summaries=tuple(found_summaries))
        template = explainer.layout.numbers.templates[pairs.thread]
        key = (template, explanation)
        found.setdefault(key, []).append(pairs.thread)
        explained[key] = explanation
    return [
        *_explain_lemmas(program, certificate),
        *(
            replace(
                explained[key],
                title=explainer.title(members, isinstance(certificate, SymmetricCertificate)),
            )
            for key, members in found.items()
        ),
    ]


def _lengths(program: Program, certificate: InterleavingsCertificate) -> Iterator[str]:
    """How many steps each thread takes at most."""
    numbers = ProgramLayout.of(program).numbers
    for t, length in enumerate(certificate.lengths):
        yield f"{numbers.name(t)} takes at most {length} steps"
    yield "a solver found no order of these steps that violates a property"


def _explain_lemmas(program: Program, certificate: Certificate) -> Iterator[ThreadExplanation]:
    """The equations between cells and numbers of threads that a proof uses."""
    match certificate:
        case RepresentativesCertificate(lemmas=lemmas) | SymmetricCertificate(lemmas=lemmas):
            if lemmas:
                told = tuple(equations(program, lemmas))
                yield ThreadExplanation("numbers of threads", told, (), ())
        case _:
            pass


def _explain_formulas(
    program: Program, certificate: RepresentativesCertificate
) -> list[ThreadExplanation]:
    """The formulas of a certificate, combination of threads by combination.

    In a program with calls context by context: a procedure may be run in several.
    """
    facts: dict[str, list[Fact]] = {}
    for templates, locations, text, context in certificate.formulas:
        places = tuple(
            Place(None, (), "anywhere") if location is None else _place(program, location)
            for location in locations
        )
        title = ", ".join(f"t{i} a `{name}`" for i, name in enumerate(templates, start=1))
        if certificate.calls and locations[0] is not None:
            procedure = program.procedure_of[locations[0]].name
            if procedure != program.template[templates[0]].body:
                title += f" in `{procedure}`, context {context}"
        facts.setdefault(title, []).append(Fact(places, Formula(text, ())))
    explained = [ThreadExplanation(title, (), tuple(found), ()) for title, found in facts.items()]
    lemmas = _explain_lemmas(program, certificate)
    return [*lemmas, *_explain_ghosts(program, certificate), *explained]


def _explain_ghosts(
    program: Program, certificate: RepresentativesCertificate
) -> Iterator[ThreadExplanation]:
    """Which ghosts the formulas use, and who writes them."""
    lines = []
    for ghost in certificate.ghosts:
        for edges, value in ((ghost.mine, "the thread's id"), (ghost.nobody, "none")):
            spans = [program.edges[edge].span for edge in edges]
            at = ", ".join(str(n) for n in dict.fromkeys(span.line for span in spans if span))
            if at:
                lines.append(f"{ghost.name} := {value}, in line {at}")
    if lines:
        yield ThreadExplanation("ghosts", (), (), (), notes=tuple(lines))


def _pairs(certificate: Certificate, threads: Sequence[int]) -> Iterator[_Pairs]:
    match certificate:
        case StateSetCertificate(_, _, states) | PersistentCertificate(_, _, states):
            for t in threads:
                pairs = dict.fromkeys((state.g.cells, state.locals[t]) for state in states)
                yield _Pairs(t, list(pairs), [])
        case ReductionCertificate(pairs=inner) | ForgettingCertificate(inner=inner):
            yield from _pairs(inner, threads)  # Σ leaves states out; R behind the movers does not
        case SummaryCertificate(pairs=None):
            stores = [tuple(cells) for cells in certificate.globals]
            for t, tables in enumerate(certificate.summaries):
                seen = dict.fromkeys((stores[g], l) for g, l, _ in tables.nodes)
                yield _Pairs(t, list(seen), [])
        case SummaryCertificate():
            assert certificate.pairs is not None
            yield from _pairs(certificate.pairs, threads)
        case PushdownCertificate():
            stores = [tuple(cells) for cells in certificate.globals]
            for t in threads:
                yield _Pairs(
                    t,
                    [(stores[g], l) for g, l in certificate.pairs[t]],
                    [(stores[a], stores[b]) for a, b in certificate.guarantees[t]],
                )
        case RepresentativesCertificate() | FollowingCertificate() | SplitCertificate():
            return
        case FrontierCertificate():
            stores = [tuple(cells) for cells in certificate.globals]
            for t in threads:
                rows = dict.fromkeys(row for sets in certificate.chain for row in sets[t])
                yield _Pairs(t, [(stores[g], l) for g, l in rows], [])
        case (
            CountingCertificate()
            | FormulaCertificate()
            | InterleavingsCertificate()
            | LocksetCertificate()
        ):  # see what they say
            return
        case ThreadModularCertificate() | SymmetricCertificate():
            stores = [tuple(cells) for cells in certificate.globals]
            for k, t in enumerate(threads):
                yield _Pairs(
                    t,
                    [(stores[g], l) for g, l in certificate.reached[k]],
                    [(stores[a], stores[b]) for a, b in certificate.guarantees[k]],
                )


class _Explainer:
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

    def thread(self, pairs: _Pairs) -> ThreadExplanation:
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
            grouped.setdefault(told, []).append(_place(self.program, pc))
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

    def _guarantee(
        self, pairs: _Pairs, shared: Sequence[ShownVariable]
    ) -> Iterator[GuardedUpdate]:
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
        self, pairs: _Pairs, shared: Sequence[ShownVariable]
    ) -> list[tuple[tuple[Cells, Cells], Valuation, tuple[str, ...]]]:
        """Each change with the store before and its update: by new values, or by differences.

        Where a group of changes to the same variables has fewer differences than new values, it
        is told by differences: `x := x + 1`.
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

    def _lines(self, pairs: _Pairs) -> dict[tuple[Cells, Cells], set[int]]:
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


def _place(program: Program, pc: int) -> Place:
    location = program.locations[pc]
    texts = dict.fromkeys(edge.text for edge in program.outgoing[pc] if edge.text)
    line = location.span.line if location.span is not None else None
    if location.failure is not None:
        return Place(line, location.labels, f"failed: {location.failure.message}")
    if location.final:
        return Place(line, location.labels, "the end")
    return Place(line, location.labels, next(iter(texts), ""))
