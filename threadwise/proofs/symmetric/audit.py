"""What a proof about representatives claims in a run.

The view of a thread is what it sees: the shared cells, its own cell of each array that has one
per thread of its kind, and its own store. Threads of a kind for which one representative speaks
have no names: in a view they are numbered in the order in which it mentions them, itself first. R
has the view of every thread in every state, G what every step changes of what everybody sees. If
there are calls, a view stands with that of the entry of the procedure, and calls are listed, too.

Views of the certificate and of the run are written in the same way, whatever their numbers of
threads are, and compared.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from threadwise.ir.layout import Cell, ProgramLayout, cells_of
from threadwise.ir.program import Program
from threadwise.ir.types import NONE, ArrayType, PerThread, TidType
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.counting.audit import Equations
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.semantics.state import Cells, Frame, LocalStore, Move, State

Form = tuple[object, ...]
"""A view or a change without names."""


def audit_symmetric(program: Program, certificate: SymmetricCertificate) -> SymmetricMonitor:
    """What watches runs."""
    return SymmetricMonitor(program, certificate)


class Writer:
    """Writes views and changes of one instance without names."""

    def __init__(self, program: Program, nameless: frozenset[str]) -> None:
        self._program = program
        self._layout = ProgramLayout.of(program)
        self._templates = self._layout.numbers.templates
        self._nameless = nameless
        self._common: list[tuple[int, Cell]] = []
        """The cells that everybody sees."""
        self._own: list[list[tuple[int, Cell]]] = [[] for _ in self._templates]
        """The cells that only one thread sees."""
        for slot, owner, cell in self._cells():
            (self._common if owner is None else self._own[owner]).append((slot, cell))

    def _cells(self) -> Iterator[tuple[int, int | None, Cell]]:
        """The shared cells with the only thread that sees each, if there is one."""
        slot = 0
        numbers = self._layout.numbers
        for declaration in self._program.globals:
            cells = list(cells_of(declaration.variable, numbers))
            held = declaration.variable.type
            threads: range | None = None
            extent = held.extent if isinstance(held, ArrayType) else None
            if isinstance(extent, PerThread) and extent.template in self._nameless:
                threads = numbers.ranges[extent.template]
            for position, cell in enumerate(cells):
                owner = None
                if threads is not None:
                    owner = threads[position * len(threads) // len(cells)]
                yield slot, owner, cell
                slot += 1

    def view(self, me: int, shared: Cells, l: LocalStore) -> Form:
        """What a thread sees."""
        names: dict[int, object] = {}
        template = self._templates[me]
        kept = self._layout.thread[template].cells
        own = self._layout.local[self._program.procedure_of[l.pc].name].cells
        return (
            self._named(me, names),
            l.pc,
            *(self._value(shared[slot], cell, names) for slot, cell in self._common),
            *(self._value(shared[slot], cell, names) for slot, cell in self._own[me]),
            *(self._value(v, cell, names) for v, cell in zip(l.thread, kept, strict=True)),
            *(self._value(v, cell, names) for v, cell in zip(l.locals, own, strict=True)),
        )

    def change(self, mover: int, before: Cells, after: Cells) -> Form:
        """What a step changes of what everybody sees."""
        names: dict[int, object] = {}
        return (
            self._named(mover, names),
            *(self._value(before[slot], cell, names) for slot, cell in self._common),
            *(self._value(after[slot], cell, names) for slot, cell in self._common),
        )

    def changes(self, before: Cells, after: Cells) -> bool:
        """Whether anything is changed that everybody sees."""
        return any(before[slot] != after[slot] for slot, _ in self._common)

    def _value(self, value: object, cell: Cell, names: dict[int, object]) -> object:
        if isinstance(cell.type, TidType) and isinstance(value, int) and value != NONE:
            return self._named(value, names)
        return value

    def _named(self, thread: int, names: dict[int, object]) -> object:
        """A thread, by its place among those mentioned so far if it has no name."""
        if thread not in names:
            template = self._templates[thread]
            if template in self._nameless:
                known = sum(self._templates[other] == template for other in names)
                names[thread] = template, known
            else:
                position = thread - self._layout.numbers.ranges[template].start
                names[thread] = template, position
        return names[thread]


def _nameless(program: Program, certificate: SymmetricCertificate) -> frozenset[str]:
    """The templates whose threads have one representative."""
    instance = program.with_counts(certificate.counts)
    templates: Sequence[str] = ProgramLayout.of(instance).numbers.templates
    spoken = Counter(templates[thread] for thread in certificate.threads)
    return frozenset(name for name in spoken if spoken[name] < certificate.counts[name])


class SymmetricMonitor:
    """Looks up views and changes, and the equations that the proof uses."""

    def __init__(self, program: Program, certificate: SymmetricCertificate) -> None:
        nameless = _nameless(program, certificate)
        self._writer = Writer(program, nameless)
        self._has_calls = bool(certificate.path_edges)
        listed = Writer(program.with_counts(certificate.counts), nameless)
        stores = [tuple(cells) for cells in certificate.globals]
        self._inside: set[tuple[Form, Form]] = set()
        """Views, each with that of the entry of its procedure; without calls, with itself."""
        self._calls: set[tuple[Form, Form, Frame]] = set()
        self._changes: set[Form] = set()
        for number, thread in enumerate(certificate.threads):
            views = [listed.view(thread, stores[g], l) for g, l in certificate.reached[number]]
            if self._has_calls:
                edges = certificate.path_edges[number]
                self._inside |= {(views[entry], views[now]) for entry, now in edges}
                calls = certificate.callers[number]
                self._calls |= {(views[to], views[by], frame) for to, by, frame in calls}
            else:
                self._inside |= {(view, view) for view in views}
            made = certificate.guarantees[number]
            self._changes |= {listed.change(thread, stores[b], stores[a]) for b, a in made}
        self._equations = Equations(program, certificate.lemmas)
        self._entries: list[list[Form]] = []
        self._known: dict[tuple[int, Cells, LocalStore], Form] = {}
        self._templates = ProgramLayout.of(program).numbers.templates
        self.evaluated: Counter[str] = Counter()
        for name in dict.fromkeys(self._templates):
            self.evaluated[f"R of {name}"] = 0
        if certificate.lemmas:
            self.evaluated["equations"] = 0

    def start(self, state: State) -> None:
        """Every thread has just entered its body."""
        self._entries = [[self._view(state, thread)] for thread in range(len(state.locals))]
        self._look(state)

    def step(self, before: State, move: Move, after: State) -> None:
        """A step, a call or a return; then every thread has a view in R."""
        thread, name = move.thread, self._templates[move.thread]
        entries, stack = self._entries[thread], after.stacks[thread]
        if len(stack) > len(before.stacks[thread]):
            entries.append(self._view(after, thread))
            call = entries[-1], entries[-2], stack[-1]
            self._require(call in self._calls, f"callers of {name}")
        elif len(stack) < len(before.stacks[thread]):
            entries.pop()
        if self._writer.changes(before.g.cells, after.g.cells):
            change = self._writer.change(thread, before.g.cells, after.g.cells)
            self._require(change in self._changes, f"G of {name}")
        self._look(after)

    def _look(self, state: State) -> None:
        if self._equations.invariants:
            self._require(self._equations.broken(state) is None, "equations")
        for thread in range(len(state.locals)):
            view = self._view(state, thread)
            entry = self._entries[thread][-1] if self._has_calls else view
            self._require((entry, view) in self._inside, f"R of {self._templates[thread]}")

    def _view(self, state: State, thread: int) -> Form:
        key = thread, state.g.cells, state.locals[thread]
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._writer.view(*key)
        return found

    def _require(self, holds: bool, table: str) -> None:
        self.evaluated[table] += 1
        if not holds:
            raise Broken(f"{table}: not what happens")
