"""The program that R behind the movers is about: the program itself, or less of it.

Movers follow from R because R has every pair of stores that can occur together (QRR §4). R of a
program that has forgotten data (`threadwise.transforms.forget`) will do as well: every step and
every access of the program is one of the other, by the same edges. What is asked for here:

    (1) the other program has forgotten data, and nothing else (`transformed.forgotten`)
    (2) forgetting opens no atomic region: an edge stands for the same region in both programs

R may also follow every thread *alone*, without the rule ENV, if

    (3) every shared variable is a lock or holds a single value, and all locks are free initially

Of the shared store a thread then sees the locks that it holds itself and the others as free. No
other thread changes that: it can neither take nor release a lock that t holds. And a step of t in
the program is a step in this view: t acquires what is free, and releases what it holds. A
pair (g, l) of t and a pair (h, m) of u can occur together only if no lock is held in both.
"""

from __future__ import annotations

from collections.abc import Sequence

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import replace
from threadwise.ir.expr import Variable
from threadwise.ir.layout import Layout
from threadwise.ir.program import Program
from threadwise.ir.types import NONE, RangeType, TidType, parts_of
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.transformed.forgotten import check_forgotten
from threadwise.semantics.state import Cells, LocalStore
from threadwise.semantics.step import Interpreter
from threadwise.transforms.forget import forget, variable_key


class Digest:
    """A program without some of its data, and how its stores are related to those before."""

    def __init__(self, interpreter: Interpreter, forgotten: Sequence[str], *, alone: bool) -> None:
        self.whole = interpreter
        self.alone = alone
        self.interpreter = interpreter
        self.is_whole = not forgotten and not alone
        if forgotten:
            self.interpreter = Interpreter(_forget(interpreter.program, forgotten))
        self.program = self.interpreter.program
        old, new = interpreter.layout, self.interpreter.layout
        names = frozenset(forgotten)
        self._thread = {
            name: _sources(old.thread[name], layout, names, "")
            for name, layout in new.thread.items()
        }
        self._local = {
            name: _sources(old.local[name], layout, names, name)
            for name, layout in new.local.items()
        }

    def store(self, t: int, l: LocalStore) -> LocalStore:
        """What is left of a local store of t."""
        if self.interpreter is self.whole:
            return l
        template = self.whole.layout.numbers.templates[t]
        procedure = self.program.procedure_of[l.pc].name
        return LocalStore(
            l.pc,
            _taken(self._thread[template], l.thread),
            _taken(self._local[procedure], l.locals),
        )

    def check_alone(self, locks: set[str]) -> None:
        """(3)."""
        for declared in self.program.globals:
            if declared.variable.name not in locks and not _has_one_value(declared.variable):
                raise Refuted(f"threads alone do not know about `{declared.variable.name}`")
        owners = self.owner_slots()
        for store in self.interpreter.initial_globals():
            if any(store.cells[slot] != NONE for slot in owners):
                raise Refuted("threads alone, but a lock is held initially")

    def owner_slots(self) -> list[int]:
        """The shared cells that say who holds a lock."""
        cells = self.interpreter.layout.globals.cells
        return [slot for slot, cell in enumerate(cells) if isinstance(cell.type, TidType)]


def _forget(program: Program, forgotten: Sequence[str]) -> Program:
    try:  # (1)
        bare = replace(program, properties=())  # so that all accesses are kept
        rest = forget(bare, forgotten)
    except Unsupported as error:
        raise Refuted(f"this cannot be forgotten: {error}") from error
    check_forgotten(bare, rest, ())
    pairs = zip(program.locations, rest.locations, strict=True)
    if any(before.atomic != after.atomic for before, after in pairs):  # (2)
        raise Refuted("forgetting opens an atomic region")
    return replace(rest, properties=program.properties)


def _sources(
    old: Layout, new: Layout, forgotten: frozenset[str], procedure: str
) -> tuple[int | None, ...]:
    """Where each cell has its value from; None for what is forgotten, which is 0."""
    found: list[int | None] = []
    for slot, cell in enumerate(new.cells):
        name = cell.variable.name
        kept = variable_key(cell.variable, procedure) not in forgotten
        found.append(old.offset[name] + slot - new.offset[name] if kept else None)
    return tuple(found)


def _taken(sources: Sequence[int | None], cells: Cells) -> Cells:
    return tuple(0 if source is None else cells[source] for source in sources)


def _has_one_value(variable: Variable) -> bool:
    return all(
        isinstance(part, RangeType) and part.low == part.high for part in parts_of(variable.type)
    )
