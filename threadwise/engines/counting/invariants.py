"""Linear invariants of a program: the exact kernel of its effects.

A vector w of factors is inductive iff w · v = 0 for every vector v of an effect; the kernel has
all of them. The invariant is then w · x = w · x₀, where the initial x₀ is known: entries of
templates hold their threads (a symbol, `ThreadTotal`, where that is any number), cells their
initial values. A cell that may start with any value is free, as is one with a change that is no
constant.

`candidates` adds what would be invariant if setting a flag always changed it, if no sum wrapped
around, and if constants were only stored to begin with; and that no thread is where a failure is
the only way on. The checker decides which of these are invariants.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.backends.exact import integer_kernel
from threadwise.core.errors import Unsupported
from threadwise.engines.counting.effects import effects, reachable_procedures
from threadwise.ir.commands import Call, Command
from threadwise.ir.expr import Expr, Wrap
from threadwise.ir.fold import action_expressions, subexpressions, uses_memory
from threadwise.ir.program import Edge, FailureKind, LocId, Program
from threadwise.ir.quantities import (
    FrameCount,
    LinearInvariant,
    LocationCount,
    Quantity,
    ThreadTotal,
    cell_quantities,
    initial_value,
)

MOST_CELLS = 400
"""Programs with more shared cells than this are not counted."""


def candidates(program: Program) -> tuple[LinearInvariant, ...]:
    """The linear invariants, and guesses."""
    sure = linear_invariants(program)
    guessed = linear_invariants(program, toggling=True)
    if any(isinstance(part, Wrap) for e in program.edges for part in _inside(e)):
        guessed += linear_invariants(program, plain=True)
        guessed += linear_invariants(program, toggling=True, plain=True)
        guessed += linear_invariants(program, toggling=True, plain=True, usual=True)
    doomed = (LinearInvariant(((LocationCount(here), 1),), 0) for here in _doomed(program))
    return tuple(dict.fromkeys((*sure, *guessed, *doomed)))


def _doomed(program: Program) -> list[LocId]:
    """The visible locations from which all ways lead to failures, other than the end."""
    lost = {
        here.id
        for here in program.locations
        if here.failure is not None and here.failure.kind is not FailureKind.END
    }
    while more := {
        here.id
        for here in program.locations
        if here.id not in lost
        and program.outgoing[here.id]
        and all(edge.target in lost for edge in program.outgoing[here.id])
        and all(isinstance(edge.action, Command) for edge in program.outgoing[here.id])
    }:
        lost |= more
    reached = {here.id for p in reachable_procedures(program) for here in p.locations}
    entries = {p.entry for p in program.procedures}
    return [
        here.id
        for here in program.locations
        if here.id in lost & reached - entries and here.failure is None and not here.atomic
    ]


def _inside(edge: Edge) -> Iterator[Expr]:
    return (part for expr in action_expressions(edge.action) for part in subexpressions(expr))


def linear_invariants(
    program: Program, *, toggling: bool = False, plain: bool = False, usual: bool = False
) -> tuple[LinearInvariant, ...]:
    """A basis of the linear invariants; raises Unsupported for programs with a heap."""
    if uses_memory(program):
        raise Unsupported("a heap in counting")
    cells = list(cell_quantities(program))
    if len(cells) > MOST_CELLS:
        raise Unsupported(f"counting with more than {MOST_CELLS} shared cells")
    found = effects(program, toggling=toggling, plain=plain, usual=usual)
    free = dict(found.free)
    start: dict[Quantity, int] = {}
    for cell in cells:
        value = initial_value(program, cell)
        if value is None:
            free[cell] = None
        else:
            start[cell] = value
    quantities: list[Quantity] = [cell for cell in cells if cell not in free]
    quantities.extend(_control(program))
    position = {quantity: k for k, quantity in enumerate(quantities)}
    rows = [
        {position[q]: change for q, change in vector.items() if q in position}
        for vector in found.vectors
    ]
    kernel = integer_kernel(rows, len(quantities))
    return tuple(_invariant(program, quantities, factors, start) for factors in kernel)


def _control(program: Program) -> list[Quantity]:
    """The counts of visible locations and of waiting frames."""
    found: list[Quantity] = []
    for procedure in reachable_procedures(program):
        for location in procedure.locations:
            if not location.atomic and location.failure is None:
                found.append(LocationCount(location.id))
        for edge in procedure.edges:
            if isinstance(edge.action, Call):
                found.append(FrameCount(edge.id))
    return found


def _invariant(
    program: Program, quantities: list[Quantity], factors: list[int], start: dict[Quantity, int]
) -> LinearInvariant:
    terms = {q: factor for q, factor in zip(quantities, factors, strict=True) if factor}
    constant = -sum(factor * start.get(q, 0) for q, factor in terms.items())
    totals: dict[Quantity, int] = {}
    for template in program.templates:
        at_entry = terms.get(LocationCount(program.procedure[template.body].entry), 0)
        if not at_entry:
            continue
        if template.count is None:
            totals[ThreadTotal(template.name)] = -at_entry
        else:
            constant -= at_entry * template.count
    return LinearInvariant((*terms.items(), *totals.items()), constant)
