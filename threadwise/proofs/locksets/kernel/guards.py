"""Whether an edge may be taken: no condition that it waits for is known to be false.

An edge to a limit is not taken either if only an invalid pointer leads there: memory is used by
another type than its own, but wherever the pointer may lead to is a value of the type. To use an
invalid pointer is undefined behaviour of C, which is assumed not to happen.
"""

from __future__ import annotations

import threadwise.ir.expr as ir
from threadwise.ir.fold import conjuncts, rebuild
from threadwise.ir.folding import folded, opposite
from threadwise.ir.program import Edge, FailureKind
from threadwise.ir.types import INT, Value
from threadwise.proofs.locksets.kernel.ground import Ground
from threadwise.proofs.locksets.kernel.view import View


def is_possible(ground: Ground, edge: Edge, view: View) -> bool:
    """Whether a thread that knows a case may take an edge."""
    key = edge.id, view.case
    if key not in ground.possible:
        ground.possible[key] = _is_possible(ground, edge, view)
    return ground.possible[key]


def _is_possible(ground: Ground, edge: Edge, view: View) -> bool:
    procedure = ground.program.procedure_of[edge.source].name
    failure = ground.program.locations[edge.target].failure
    limit = failure is not None and failure.kind is FailureKind.CELLS
    for part in conjuncts(edge.action.guard):
        if limit and _typed(ground, part, procedure) == ir.FALSE:
            return False
        name = _with_instances(ground, view.truth(part), view)
        if _is_false(ground, name, view, procedure):
            return False
    return True


def _with_instances(ground: Ground, expr: ir.Expr, view: View) -> ir.Expr:
    """A condition, where it is known of which template the thread is that a variable names."""
    match expr:
        case ir.IsInstance(x, template) if x in view.handles:
            same = ground.threads.spawns.get(view.handles[x][0]) == template
            return ir.TRUE if same else ir.FALSE
        case _:
            return folded(rebuild(expr, lambda part: _with_instances(ground, part, view)))


def _is_false(ground: Ground, name: ir.Expr, view: View, procedure: str) -> bool:
    """Whether a condition, named as the thread does, is known to be false."""
    if name == ir.FALSE or opposite(name) in view.facts:
        return True
    match name:
        case ir.Binary(ir.BinaryOp.EQ, x, ir.SelfId()) if x in view.handles:
            return True  # no thread spawns itself
        case ir.Unary(ir.UnaryOp.NOT, ir.HoldsInteger(x)):
            return not ground.memory.leads(x, procedure)
        case ir.Binary(op, left, right) if op in ir.COMPARISONS:
            one, two = (ground.memory.values(each, procedure) for each in (left, right))
            pairs = ((x, y) for x in one or () for y in two or () if not _is_other(left, x, view))
            return (
                one is not None
                and two is not None
                and not any(
                    folded(ir.Binary(op, ir.Const(x, INT), ir.Const(y, INT))) != ir.FALSE
                    for x, y in pairs
                )
            )
        case _:
            return False


def _is_other(expr: ir.Expr, value: Value, view: View) -> bool:
    """Whether an expression is known not to have a value."""
    constants = (ir.Const(value, held) for held in (expr.type, INT))
    return any(ir.Binary(ir.BinaryOp.NE, expr, each) in view.facts for each in constants)


def _typed(ground: Ground, expr: ir.Expr, procedure: str) -> ir.Expr:
    """A condition, if pointers are valid that lead to values of the type that is asked for."""
    match expr:
        case ir.IsValid(pointer, held):
            cells = ground.memory.leads(pointer, procedure)
            shapes = ground.objects.shapes
            fits = held is None or all(shapes[o].always_fits(cell, held) for o, cell in cells)
            return ir.TRUE if fits else expr
        case _:
            return folded(rebuild(expr, lambda part: _typed(ground, part, procedure)))
