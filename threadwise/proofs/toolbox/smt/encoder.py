"""Expressions as terms: the definitions of `threadwise.semantics.evaluate`, case by case.

`value` is the value of an expression wherever it has one, `defined` says where that is; there
`value` may be anything, and no edge whose guard holds gets there. Pointers and heaps are not
treated: checkers refuse programs that have them before they encode anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from threadwise.backends.smt.handle import Term
from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir.expr import (
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    Quantified,
    Quantifier,
    Read,
    SelfId,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import children
from threadwise.ir.types import ArrayType, PerThread, ScalarType
from threadwise.proofs.toolbox.smt.arithmetic import Arithmetic, bounds
from threadwise.proofs.toolbox.smt.environments import Environment, Environments
from threadwise.proofs.toolbox.smt.values import PathStep, Symbolic

_LOGICAL = (BinaryOp.AND, BinaryOp.OR, BinaryOp.IMPLIES)


class Encoder:
    """The expressions of one program."""

    def __init__(self, environments: Environments) -> None:
        self.environments = environments
        self.program = environments.program
        self.logic = environments.logic
        self.values = environments.values
        self.arithmetic = Arithmetic(self.logic)

    def holds(self, formula: Expr, env: Environment) -> Term:
        """Whether a formula has a value, and it is true."""
        return self.logic.conjunction([self.defined(formula, env), self.value(formula, env)])

    # -- places -----------------------------------------------------------------------------------

    def path(self, place: Place, env: Environment) -> tuple[Variable, list[PathStep]]:
        """The variable that a place is part of, and the way from it to the place."""
        match place:
            case VariablePlace(variable):
                return variable, []
            case FieldPlace(base, name):
                variable, steps = self.path(base, env)
                return variable, [*steps, name]
            case IndexPlace(base, index):
                variable, steps = self.path(base, env)
                return variable, [*steps, self.logic.simplify(self.value(index, env))]
            case _:
                raise Unsupported("a pointer that is dereferenced, in SMT")

    def read(self, place: Place, env: Environment) -> Symbolic:
        """What a place holds."""
        variable, steps = self.path(place, env)
        return self.values.read(env.value(variable), steps)

    # -- values -----------------------------------------------------------------------------------

    def value(self, expr: Expr, env: Environment) -> Term:  # noqa: C901, PLR0911 - a case per node
        """The value of an expression."""
        logic = self.logic
        match expr:
            case Const(value, held):
                scalar: ScalarType = held  # type: ignore[assignment]  # validated: literals are scalars
                return self.environments.literal(scalar, value)
            case Read(place):
                return self.read(place, env)
            case Unary(UnaryOp.NOT, operand):
                return logic.negation(self.value(operand, env))
            case Unary(UnaryOp.NEG, operand):
                return -self.value(operand, env)
            case Unary(UnaryOp.BIT_NOT, operand):
                return -1 - self.value(operand, env)
            case Binary(op, left, right):
                return self._binary(op, left, right, env)
            case Conditional(condition, then, otherwise):
                chosen = self.value(condition, env)
                return logic.choice(chosen, self.value(then, env), self.value(otherwise, env))
            case Wrap(low, high, operand):
                inner = self._modulo(operand, high - low + 1, env)
                return self.arithmetic.wrapped(low, high, inner, bounds(operand))
            case Clamp(low, high, operand):
                return self.arithmetic.clamped(low, high, self.value(operand, env))
            case SelfId():
                return env.me
            case SelfIndex():
                return logic.simplify(env.me - self.environments.ranges[env.template][0])
            case ThreadAt(template, position):
                first, _ = self.environments.ranges[template]
                return logic.simplify(first + self.value(position, env))
            case IsInstance(operand, template):
                return self.environments.is_thread(self.value(operand, env), template)
            case ThreadVariable(name, _):
                return env.others[name].me
            case ThreadRead(ThreadVariable(name, _), place):
                return self.read(place, replace(env.others[name], others=env.others))
            case AtLabel(ThreadVariable(name, _), procedure, label):
                return self._is_at(env.others[name], procedure, label)
            case Quantified(quantifier, _, body):
                every = quantifier is Quantifier.FORALL
                parts = [self.value(body, bound) for bound in self._instances(expr, env)]
                return logic.conjunction(parts) if every else logic.disjunction(parts)
            case _:
                raise Unsupported("a pointer in a proof by formulas")

    def _binary(self, op: BinaryOp, left: Expr, right: Expr, env: Environment) -> Term:  # noqa: C901, PLR0911 - a case per operator
        a, b = self.value(left, env), self.value(right, env)
        match op:
            case BinaryOp.AND:
                return self.logic.conjunction([a, b])
            case BinaryOp.OR:
                return self.logic.disjunction([a, b])
            case BinaryOp.IMPLIES:
                return self.logic.implication(a, b)
            case BinaryOp.EQ:
                return self.logic.equal(a, b)
            case BinaryOp.NE:
                return self.logic.negation(self.logic.equal(a, b))
            case BinaryOp.LT:
                return a < b
            case BinaryOp.LE:
                return a <= b
            case BinaryOp.GT:
                return a > b
            case BinaryOp.GE:
                return a >= b
            case BinaryOp.ADD:
                return a + b
            case BinaryOp.SUB:
                return a - b
            case BinaryOp.MUL:
                return a * b
            case BinaryOp.DIV | BinaryOp.MOD:
                return self.arithmetic.divided(op, a, b, bounds(right))
            case BinaryOp.SHL:
                return self.arithmetic.shifted(op, a, b, bounds(right))
            case BinaryOp.SHR:
                return self.arithmetic.shifted(op, a, b, _useful(bounds(left), bounds(right)))
            case BinaryOp.BIT_AND | BinaryOp.BIT_OR | BinaryOp.BIT_XOR:
                return self.arithmetic.bitwise(op, a, b, (bounds(left), bounds(right)))

    def _modulo(self, operand: Expr, size: int, env: Environment) -> Term:
        """A value that is congruent to that of an operand modulo a size.

        Modulo 2^n, a number shifted left by n or more is 0, as it is if shifted by n.
        """
        match operand:
            case Binary(BinaryOp.SHL as op, left, right) if size & (size - 1) == 0:
                least, most = bounds(right)
                width = size.bit_length() - 1
                if most is None or most > width:
                    a, b = self.value(left, env), self.value(right, env)
                    return self.arithmetic.shifted(op, a, b, (least, width))
        return self.value(operand, env)

    # -- definedness ------------------------------------------------------------------------------

    def defined(self, expr: Expr, env: Environment) -> Term:
        """Whether an expression has a value."""
        match expr:
            case Binary(op, left, right) if op in _LOGICAL:
                return self._one_by_one([(left, env), (right, env)], stops_at=op is BinaryOp.OR)
            case Quantified(quantifier, _, body):
                bodies = [(body, bound) for bound in self._instances(expr, env)]
                return self._one_by_one(bodies, stops_at=quantifier is Quantifier.EXISTS)
            case Conditional(condition, then, otherwise):
                branches = self.defined(then, env), self.defined(otherwise, env)
                chosen = self.logic.choice(self.value(condition, env), *branches)
                return self.logic.conjunction([self.defined(condition, env), chosen])
            case Read(place):
                return self._exists(place, env)
            case ThreadRead(ThreadVariable(name, _), place):
                return self._exists(place, replace(env.others[name], others=env.others))
            case _:
                parts = [self.defined(child, env) for child in children(expr)]
                return self.logic.conjunction([*parts, *self._needed(expr, env)])

    def _needed(self, expr: Expr, env: Environment) -> Iterator[Term]:
        """What an operator needs of its operands."""
        match expr:
            case Binary(BinaryOp.DIV | BinaryOp.MOD, _, right):
                zero = self.logic.equal(self.value(right, env), self.logic.integer(0))
                yield self.logic.negation(zero)
            case Binary(BinaryOp.SHL | BinaryOp.SHR, _, right):
                yield self.value(right, env) >= 0
            case _:
                return

    def _one_by_one(self, formulas: Sequence[tuple[Expr, Environment]], *, stops_at: bool) -> Term:
        """Whether formulas have values, evaluated until one has a certain value."""
        result = self.logic.true
        for formula, env in reversed(formulas):
            value = self.value(formula, env)
            stops = value if stops_at else self.logic.negation(value)
            rest = self.logic.disjunction([stops, result])
            result = self.logic.conjunction([self.defined(formula, env), rest])
        return result

    def _exists(self, place: Place, env: Environment) -> Term:
        """Whether the indices of a place have values inside the bounds."""
        match place:
            case VariablePlace():
                return self.logic.true
            case FieldPlace(base, _):
                return self._exists(base, env)
            case IndexPlace(base, index):
                held = base.type
                assert isinstance(held, ArrayType)
                position = self.value(index, env)
                inside = self.logic.simplify(self._is_index(held, position))
                return self.logic.conjunction(
                    [self._exists(base, env), self.defined(index, env), inside]
                )
            case _:
                raise Unsupported("a pointer that is dereferenced, in SMT")

    def _is_index(self, held: ArrayType, position: Term) -> Term:
        if isinstance(held.extent, PerThread):
            return self.environments.is_thread(position, held.extent.template)
        return self.logic.conjunction([position >= 0, position < held.extent])

    # -- several threads --------------------------------------------------------------------------

    def _is_at(self, thread: Environment, procedure: str, label: str) -> Term:
        if thread.location is None:
            raise InternalError("a thread without a location")
        at = thread.location
        here = self.logic.integer(at) if isinstance(at, int) else at
        return self.logic.disjunction(
            [
                self.logic.equal(here, self.logic.integer(location.id))
                for location in self.program.procedure[procedure].locations
                if label in location.labels
            ]
        )

    def _instances(self, expr: Quantified, env: Environment) -> Iterator[Environment]:
        """The environments of the body, for every choice of threads, in the order of ids."""
        numbers = self.environments.numbers
        if numbers is None or len(env.everyone) != len(numbers.templates):
            raise Unsupported("a quantifier over threads that are not all known")
        names = [variable.name for variable in expr.variables]
        for chosen in product(*(numbers.ranges[v.template] for v in expr.variables)):
            bound = {name: env.everyone[t] for name, t in zip(names, chosen, strict=True)}
            yield replace(env, others={**env.others, **bound})


def _useful(
    shifted: tuple[int | None, int | None], distances: tuple[int | None, int | None]
) -> tuple[int | None, int | None]:
    """By how much to shift right: beyond the length of a number nothing changes."""
    low, high = shifted
    least, most = distances
    if low is None or high is None:
        return distances
    length = max(low.bit_length(), high.bit_length())
    return least, length if most is None else min(most, length)
