"""Which constellations of pairs violate a property: the error obligation of modular proofs.

Pairs of different threads fit together if their global stores are equal. Every property is decided
global store by global store, with the reference semantics:

    assertion, range, mutex   some pair is in a failure location of the property
    race        two threads have conflicting accesses from their pairs
    deadlock    threads have pairs in which they may wait for each other, for ended threads or for
                what no thread can do (`threadwise.proofs.toolbox.stuck_pairs`)
    invariant   some choice of threads and pairs makes the formula false

Threads in a failure location have ended the program and take part in failures only.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    AtLabel,
    Binary,
    DerefPlace,
    Expr,
    Place,
    Quantified,
    Quantifier,
    ThreadVariable,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    children,
    read_places,
    root,
    subexpressions,
)
from threadwise.ir.program import Program
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.semantics.evaluate import Undefined, View
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Cells, GlobalStore, LocalStore, State
from threadwise.semantics.step import Access, Interpreter

PRODUCT_LIMIT = 1_000_000
"""More combinations than this of all threads' pairs are not enumerated."""


@dataclass(frozen=True)
class Pairs:
    """R by global store: per store and thread the local stores, and which of them can step."""

    stores: Sequence[GlobalStore]
    at: Sequence[Sequence[Sequence[LocalStore]]]
    moving: frozenset[tuple[int, int, LocalStore]]

    @staticmethod
    def of_rows(
        globals_: Sequence[Cells],
        rows: Sequence[Sequence[tuple[int, LocalStore]]],
        moving: set[tuple[int, int, LocalStore]],
    ) -> Pairs:
        """Pairs that name stores by position; `moving` lists (thread, store, local store)."""
        at: list[list[list[LocalStore]]] = [[[] for _ in rows] for _ in globals_]
        for t, pairs in enumerate(rows):
            for g, l in pairs:
                at[g][t].append(l)
        stores = [GlobalStore(tuple(cells)) for cells in globals_]
        return Pairs(stores, at, frozenset(moving))


class Constellations:
    """Decides properties of all constellations of a set of pairs."""

    def __init__(self, interpreter: Interpreter, pairs: Pairs) -> None:
        self.interpreter = interpreter
        self.program = interpreter.program
        self.layout = interpreter.layout
        self.checker = PropertyChecker(interpreter)
        self.pairs = pairs

    def violation(self, checked: Property) -> str | None:
        """Why the property may be violated; None if it cannot be."""
        match checked:
            case FailureProperty():
                return self._failure(checked)
            case RaceProperty():
                return self._race(checked)
            case DeadlockProperty():
                from threadwise.proofs.toolbox.stuck_pairs import stuck_pairs

                return stuck_pairs(self.checker, self.pairs)
            case InvariantProperty():
                return self._invariant(checked)

    def _live(self, g: int, t: int) -> list[LocalStore]:
        return [l for l in self.pairs.at[g][t] if self.program.locations[l.pc].failure is None]

    def _failure(self, checked: FailureProperty) -> str | None:
        for at in self.pairs.at:
            for t, ls in enumerate(at):
                for l in ls:
                    failure = self.program.locations[l.pc].failure
                    if failure is not None and failure.property == checked.name:
                        return f"{failure.message} in {self.layout.numbers.name(t)}"
        return None

    # -- races ------------------------------------------------------------------------------------

    def _race(self, checked: RaceProperty) -> str | None:
        relevant = self._relevant_locations(checked)
        for g, store in enumerate(self.pairs.stores):
            users: defaultdict[Access, set[int]] = defaultdict(set)
            for t in self.interpreter.threads:
                for l in self._live(g, t):
                    if l.pc in relevant:
                        for access in self._accesses(checked, store, t, l):
                            users[access].add(t)
            for first, second in product(users, repeat=2):
                conflict = (first.write or second.write) and not (first.sync and second.sync)
                if (
                    conflict
                    and first.cell == second.cell
                    and len(users[first] | users[second]) > 1
                ):
                    return "two threads may access the same cell"
        return None

    def _accesses(
        self, checked: RaceProperty, store: GlobalStore, t: int, l: LocalStore
    ) -> list[Access]:
        count = len(self.interpreter.threads)
        state = State(store, (l,) * count, ((),) * count)
        return self.checker.accesses(checked, state, t)

    def _relevant_locations(self, checked: RaceProperty) -> frozenset[int]:
        """Locations from which a step may touch the property's variables."""
        touching = {
            int(edge.source)
            for edge in self.program.edges
            if any(map(self._concerns(checked), _places(edge.action)))
        }
        changed = True
        while changed:
            before = len(touching)
            touching |= {
                int(edge.source)
                for edge in self.program.edges
                if self.program.locations[edge.target].atomic and edge.target in touching
            }
            changed = len(touching) > before
        return frozenset(touching)

    @staticmethod
    def _concerns(checked: RaceProperty) -> Callable[[Place], bool]:
        def concerns(place: Place) -> bool:
            base = root(place)
            if checked.variables is None or isinstance(base, DerefPlace):
                return True
            return base.variable.name in checked.variables

        return concerns

    # -- invariants -------------------------------------------------------------------------------

    def _invariant(self, checked: InvariantProperty) -> str | None:
        variables, body = _universal_prefix(checked.formula)
        inner = any(isinstance(part, Quantified) for part in subexpressions(body))
        for g in range(len(self.pairs.stores)):
            combinations = (
                self._all_threads(g, checked) if inner else self._chosen(g, variables, body)
            )
            for bound, others in combinations:
                view = View(
                    self.program,
                    self.layout,
                    -1,
                    self.pairs.stores[g],
                    None,  # type: ignore[arg-type]  # formulas have no local store of their own
                    others=others,  # type: ignore[arg-type]  # indexed by thread
                    bound=bound,
                )
                if not _holds(view, checked.formula if inner else body):
                    return "some pairs make it false"
        return None

    def _visible(self, g: int, t: int, labels: Sequence[AtLabel]) -> list[LocalStore]:
        """One local store of a thread for each way in which a formula can see it."""
        seen: dict[object, LocalStore] = {}
        for l in self._live(g, t):
            seen.setdefault(_look(self.program, l, labels), l)
        return list(seen.values())

    def _all_threads(
        self, g: int, checked: InvariantProperty
    ) -> Iterator[tuple[Mapping[str, int], Mapping[int, LocalStore]]]:
        labels = [p for p in subexpressions(checked.formula) if isinstance(p, AtLabel)]
        visible = [self._visible(g, t, labels) for t in self.interpreter.threads]
        size = 1
        for ls in visible:
            size *= len(ls)
        if size > PRODUCT_LIMIT:
            raise Refuted("too many combinations of threads to check an invariant")
        for ls_chosen in product(*visible):
            yield {}, dict(enumerate(ls_chosen))

    def _chosen(
        self, g: int, variables: Sequence[ThreadVariable], body: Expr
    ) -> Iterator[tuple[Mapping[str, int], Mapping[int, LocalStore]]]:
        """Threads for the variables, with local stores; equal threads have equal stores.

        If the formula distinguishes threads only by comparing its variables, threads with the same
        projection are interchangeable, and as many of them as there are variables suffice.
        """
        labels = [p for p in subexpressions(body) if isinstance(p, AtLabel)]
        anonymous = not _names_threads(body)
        alike: defaultdict[object, int] = defaultdict(int)
        looks: dict[int, list[LocalStore]] = {}
        for t in self.interpreter.threads:
            template = self.layout.numbers.templates[t]
            if all(v.template != template for v in variables):
                continue
            kept: list[LocalStore] = []
            for l in self._visible(g, t, labels):
                look = (template, _look(self.program, l, labels))
                alike[look] += 1
                if not anonymous or alike[look] <= len(variables):
                    kept.append(l)
            looks[t] = kept
        ids = [
            [t for t in self.layout.numbers.ranges[v.template] if looks.get(t)] for v in variables
        ]
        for chosen in product(*ids):
            distinct = sorted(set(chosen))
            for ls in product(*(looks[t] for t in distinct)):
                bound = {v.name: t for v, t in zip(variables, chosen, strict=True)}
                yield bound, dict(zip(distinct, ls, strict=True))


def _look(program: Program, l: LocalStore, labels: Sequence[AtLabel]) -> object:
    """All that a formula with these labels can see of a local store."""
    procedure = program.procedure_of[l.pc].name
    location = program.locations[l.pc]
    flags = tuple(at.procedure == procedure and at.label in location.labels for at in labels)
    return flags, l.thread


def _holds(view: View, formula: Expr) -> bool:
    try:
        return view.holds(formula)
    except Undefined:
        return False


def _universal_prefix(formula: Expr) -> tuple[tuple[ThreadVariable, ...], Expr]:
    variables: tuple[ThreadVariable, ...] = ()
    while isinstance(formula, Quantified) and formula.quantifier is Quantifier.FORALL:
        variables += formula.variables
        formula = formula.body
    return variables, formula


def _names_threads(expr: Expr) -> bool:
    """Whether a formula uses a thread's id other than to compare two of its variables."""
    if isinstance(expr, ThreadVariable):
        return True
    if isinstance(expr, Binary) and all(
        isinstance(side, ThreadVariable) for side in (expr.left, expr.right)
    ):
        return False
    return any(_names_threads(child) for child in children(expr))


def _places(action: object) -> Iterator[Place]:
    if isinstance(action, Command):
        yield from action_places(action)
        for whole in action_expressions(action):
            yield from read_places(whole)
