"""Which threads are alike, decided by how the program uses ids.

Threads of a template are *alike* if the program only copies ids, compares them for equality and
takes any of them: then renaming ids maps runs to runs. `self.index`, an id computed from a
position, and arrays with a cell per thread tell threads apart; a finite template that uses them is
split into classes of one thread each. A template with any number of threads cannot be split: there
only a thread's own cell `a[self]` may be used.

The *instance* is a concrete program with enough threads of each class to tell apart every id that
a view can mention; views are written in its ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.analyses.graphs import reachable_procedures
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Call
from threadwise.ir.expr import Const, Expr, IndexPlace, Place, SelfId, SelfIndex, ThreadAt
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    read_places,
    subexpressions,
    uses_memory,
)
from threadwise.ir.layout import ProgramLayout
from threadwise.ir.program import Edge, Program, Template
from threadwise.ir.types import NONE, TID, ArrayType, PerThread, TidType, has_cells_inside


@dataclass(frozen=True)
class ThreadClass:
    """Threads that are alike: their ids in the instance, and whether there may be more."""

    template: str
    ids: range
    count: int | None
    """How many such threads the program has; None: any number."""

    @property
    def me(self) -> int:
        """The representative."""
        return self.ids.start

    @property
    def is_single(self) -> bool:
        """Whether there is exactly one such thread."""
        return self.count == 1


@dataclass(frozen=True)
class Symmetry:
    """The classes of a program, and the instance its views live in."""

    instance: Program
    classes: tuple[ThreadClass, ...]

    @property
    def is_useful(self) -> bool:
        """Whether some class has more than one thread."""
        return any(not members.is_single for members in self.classes)


def find_symmetry(program: Program, related: int) -> Symmetry:
    """The classes of a program; `related` is how many threads a property relates at once.

    Raises Unsupported if a template with any number of threads distinguishes its threads.
    """
    if uses_memory(program):
        raise Unsupported("a heap in a symmetric view")
    split = {t.name for t in program.templates if _is_split(program, t)}
    widest = _id_cells(program)
    enough = 2 + related * (1 + widest) + widest
    counts = {
        t.name: t.count if t.name in split and t.count is not None else _fewest(t.count, enough)
        for t in program.templates
    }
    instance = program.with_counts(counts)
    numbers = ProgramLayout.of(instance).numbers
    classes: list[ThreadClass] = []
    for template in program.templates:
        ids = numbers.ranges[template.name]
        if template.name in split:
            classes.extend(ThreadClass(template.name, range(t, t + 1), 1) for t in ids)
        elif ids:
            classes.append(ThreadClass(template.name, ids, template.count))
    return Symmetry(instance, tuple(classes))


def frames_hold_ids(program: Program) -> bool:
    """Whether a procedure that calls another has variables for ids.

    Its frame would remember names while the callee, step by step, gives ids new ones.
    """
    callers = {
        proc.name
        for proc in program.procedures
        if any(isinstance(edge.action, Call) for edge in proc.edges)
    }
    layout = ProgramLayout.of(
        program.with_counts({t.name: 1 for t in program.templates if t.count is None})
    )
    return any(
        isinstance(cell.type, TidType) for name in callers for cell in layout.local[name].cells
    )


def _fewest(count: int | None, enough: int) -> int:
    return enough if count is None else min(count, enough)


def _id_cells(program: Program) -> int:
    """How many ids a pair of global and local store can mention at most."""
    layout = ProgramLayout.of(
        program.with_counts({t.name: 1 for t in program.templates if t.count is None})
    )

    def ids(cells: object) -> int:
        return sum(isinstance(cell.type, TidType) for cell in cells)  # type: ignore[attr-defined]

    own = max((ids(part.cells) for part in layout.local.values()), default=0)
    kept = max((ids(part.cells) for part in layout.thread.values()), default=0)
    return ids(layout.globals.cells) + own + kept


def _is_split(program: Program, template: Template) -> bool:
    """Whether the threads of a template are distinguished."""
    reason = next(_distinctions(program, template), None)
    if template.count is None and reason is not None:
        raise Unsupported(f"{reason} among any number of `{template.name}` threads", template.span)
    return reason is not None or template.count == 1


def _distinctions(program: Program, template: Template) -> Iterator[str]:
    """How the program distinguishes threads of a template."""
    if template.pool:
        yield "starting threads by `spawn`"
    for declaration in program.globals:
        held = declaration.variable.type
        name = declaration.variable.name
        if has_cells_inside(held, template.name):
            yield f"the array `{name}` with cells per thread inside"
        if not isinstance(held, ArrayType) or held.extent != PerThread(template.name):
            continue
        if template.count is not None or not _only_own_cells(program, name):
            yield f"the array `{name}` with a cell per thread"
    for edge in _edges_of(program, template):
        for whole in action_expressions(edge.action):
            for part in subexpressions(whole):
                if isinstance(part, SelfIndex):
                    yield "`self.index`"
                elif isinstance(part, ThreadAt):
                    yield "an id computed from a position"
                elif isinstance(part, Const) and part.type == TID and part.value != NONE:
                    yield "a literal thread id"


def _edges_of(program: Program, template: Template) -> Iterator[Edge]:
    """The edges that threads of a template can run, in its body and what it calls."""
    for name in reachable_procedures(program, template.body):
        yield from program.procedure[name].edges


def _only_own_cells(program: Program, array: str) -> bool:
    """Whether an array with a cell per thread is only ever indexed by `self`."""

    def indexes(place: Place) -> Iterator[tuple[str, Expr]]:
        if isinstance(place, IndexPlace):
            root = place.base
            if not isinstance(root, IndexPlace) and hasattr(root, "variable"):
                yield root.variable.name, place.index
            yield from indexes(place.base)
        elif hasattr(place, "base"):
            yield from indexes(place.base)

    for edge in program.edges:
        places = list(action_places(edge.action))
        for whole in action_expressions(edge.action):
            places.extend(read_places(whole))
        for place in places:
            if any(name == array and index != SelfId() for name, index in indexes(place)):
                return False
    return True
