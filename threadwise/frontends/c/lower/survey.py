"""Syntactic facts about a function: what it assigns, its loops, how it returns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.c import tree
from threadwise.frontends.c.walking import nodes, parts

_LOOPS = (tree.While, tree.DoWhile, tree.For)
_WRITES = (tree.Assign, tree.CompoundAssign, tree.Step)
_TRIPS_LIMIT = 10_000
_STARTS, _JOINS = {"pthread_create", "thrd_create"}, {"pthread_join", "thrd_join"}


@dataclass(frozen=True)
class Survey:
    """Facts about one function."""

    assigned: frozenset[tree.Variable]
    """Variables that something assigns, or whose address is taken."""
    in_loop: frozenset[tree.Variable]
    """Variables declared inside a loop."""
    in_block: frozenset[tree.Variable]
    """Variables that die before the function ends: declared inside an inner block."""
    given: frozenset[tree.Variable]
    """Variables whose address is what a thread is started with, where none is joined."""
    has_goto: bool
    returns_last: bool
    """Whether its only `return` is its last statement, at the outermost level."""
    labelled: frozenset[Same]
    """The statements that contain labels, by identity: there is another way into them."""


@cache
def survey(function: tree.Function) -> Survey:
    """Analyse a function."""
    assigned: set[tree.Variable] = set()
    in_loop: set[tree.Variable] = set()
    in_block: set[tree.Variable] = set()
    returns = 0
    has_goto = False
    for node in nodes(function.body):
        if isinstance(node, _WRITES):
            assigned.update(_written(node.place))
        elif isinstance(node, tree.Assembly):
            assigned.update(v for place in node.written for v in _written(place))
        elif isinstance(node, tree.VariableRef) and node.variable.address_taken:
            assigned.add(node.variable)
        elif isinstance(node, _LOOPS):
            in_loop.update(n.variable for n in nodes(node.body) if isinstance(n, tree.Declare))
            in_loop.update(n.variable for n in nodes(node) if isinstance(n, tree.CompoundLiteral))
            in_block.update(_declared(node))
        elif isinstance(node, tree.Goto):
            has_goto = True
        elif isinstance(node, tree.Compound) and node is not function.body:
            in_block.update(_declared(node))
        elif isinstance(node, tree.Return):
            returns += 1
    labelled: set[Same] = set()
    _labelled(function.body, labelled)
    body = function.body
    last = body.statements[-1] if body is not None and body.statements else None
    return Survey(
        frozenset(assigned),
        frozenset(in_loop),
        frozenset(in_block),
        _given(function),
        has_goto,
        returns == 1 and isinstance(last, tree.Return),
        frozenset(labelled),
    )


def _given(function: tree.Function) -> frozenset[tree.Variable]:
    """See `Survey.given`."""
    found: set[tree.Variable] = set()
    for node in nodes(function.body):
        called = node.callee if isinstance(node, tree.Call) else None
        if not isinstance(node, tree.Call) or not isinstance(called, tree.FunctionName):
            continue
        if called.function.name in _JOINS:
            return frozenset()
        if called.function.name in _STARTS and node.arguments:
            passed = strip(node.arguments[-1])
            variable = None if passed is None else _element_of(passed)
            if variable is not None and variable.storage is tree.Storage.LOCAL:
                found.add(variable)
    return frozenset(found)


def _labelled(node: object, found: set[Same]) -> bool:
    """Note what contains labels; whether this does."""
    inside = isinstance(node, tree.Label | tree.Case | tree.Default)
    for part in parts(node):
        inside |= _labelled(part, found)
    if inside:
        found.add(Same(node))
    return inside


def _declared(node: object) -> Iterator[tree.Variable]:
    for each in nodes(node):
        if isinstance(each, tree.Declare | tree.CompoundLiteral):
            yield each.variable


def root_variable(place: tree.LValue | tree.ValueMember) -> tree.Variable | None:
    """The variable that a place is a part of; None if it is found through a pointer."""
    current: object = place
    while isinstance(current, tree.Member):
        current = current.base
    if isinstance(current, tree.VariableRef):
        return current.variable
    if isinstance(current, tree.Deref):
        return _element_of(current.pointer)
    return None


def _written(place: tree.LValue) -> list[tree.Variable]:
    variable = root_variable(place)
    return [] if variable is None else [variable]


def _element_of(pointer: tree.Expr) -> tree.Variable | None:
    if isinstance(pointer, tree.PointerArithmetic):
        return _element_of(pointer.pointer)
    if isinstance(pointer, tree.Decay | tree.AddressOf):
        return root_variable(pointer.place)
    return None


def trips(loop: tree.For) -> int | None:
    """How often a counting loop runs at most; None if that is not evident."""
    start, variable = _start(loop.first)
    condition = strip(loop.condition)
    if variable is None or start is None or not isinstance(condition, tree.Binary):
        return None
    if not _is_load(condition.left, variable) or not isinstance(
        strip(condition.right), tree.IntegerConstant
    ):
        return None
    bound = strip(condition.right)
    assert isinstance(bound, tree.IntegerConstant)
    step = _stride(loop.after, variable)
    if step is None or variable.address_taken:
        return None
    if any(
        isinstance(node, _WRITES) and root_variable(node.place) is variable
        for node in nodes(loop.body)
    ):
        return None
    return _count(start, condition.op, bound.value, step)


def _count(start: int, op: tree.BinaryOp, bound: int, step: int) -> int | None:
    holds = {
        tree.BinaryOp.LESS: lambda i: i < bound,
        tree.BinaryOp.LESS_EQUAL: lambda i: i <= bound,
        tree.BinaryOp.GREATER: lambda i: i > bound,
        tree.BinaryOp.GREATER_EQUAL: lambda i: i >= bound,
        tree.BinaryOp.NOT_EQUAL: lambda i: i != bound,
    }.get(op)
    if holds is None:
        return None
    value, count = start, 0
    while holds(value):
        value += step
        count += 1
        if count > _TRIPS_LIMIT:
            return None
    return count


def _start(first: tree.Statement | None) -> tuple[int | None, tree.Variable | None]:
    while isinstance(first, tree.Compound) and len(first.statements) == 1:
        first = first.statements[0]
    match first:
        case tree.Declare(variable, tree.ScalarInitial(value)):
            return _constant(value), variable
        case tree.Evaluate(tree.Assign(tree.VariableRef(variable), value)):
            return _constant(value), variable
        case _:
            return None, None


def _stride(after: tree.Expr | None, variable: tree.Variable) -> int | None:
    match strip(after):
        case tree.Step(tree.VariableRef(stepped), decrement) if stepped is variable:
            return -1 if decrement else 1
        case tree.CompoundAssign(op, tree.VariableRef(stepped), value) if stepped is variable:
            by = _constant(value)
            if by is None or by <= 0:
                return None
            return {tree.BinaryOp.ADD: by, tree.BinaryOp.SUBTRACT: -by}.get(op)
        case _:
            return None


def strip(expr: tree.Expr | None) -> tree.Expr | None:
    """An expression without conversions around it."""
    while isinstance(expr, tree.Convert):
        expr = expr.operand
    return expr


def _constant(expr: tree.Expr) -> int | None:
    found = strip(expr)
    return found.value if isinstance(found, tree.IntegerConstant) else None


def _is_load(expr: tree.Expr, variable: tree.Variable) -> bool:
    found = strip(expr)
    return (
        isinstance(found, tree.Load)
        and isinstance(found.place, tree.VariableRef)
        and found.place.variable is variable
    )
