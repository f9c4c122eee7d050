"""Expressions as terms, places as paths.

The term of an expression has its value wherever the expression has one (`fold.definedness` says
where) and an arbitrary one elsewhere: a guard that holds rules that out, so an edge never depends
on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product

from threadwise.backends.smt.bounds import bounds
from threadwise.backends.smt.environments import Environment, Environments
from threadwise.backends.smt.integers import Integers
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.memory import Located, Memory
from threadwise.backends.smt.values import Pointer, Step, Symbolic
from threadwise.core.errors import InternalError, Unsupported
from threadwise.ir.expr import (
    AddressOf,
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsAllocated,
    IsInstance,
    IsValid,
    IsWritten,
    Place,
    PointerAdd,
    PointerDifference,
    PointerToInt,
    Quantified,
    Quantifier,
    Read,
    SameObject,
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
from threadwise.ir.fold import children, definedness, root, subexpressions
from threadwise.ir.layout import size_of
from threadwise.ir.types import INTEGER_OBJECT, ScalarType, is_scalar

PointerExpr = (
    AddressOf
    | PointerAdd
    | PointerDifference
    | IntToPointer
    | PointerToInt
    | HoldsInteger
    | SameObject
    | IsValid
    | IsAllocated
    | IsWritten
)
_BITWISE = (BinaryOp.BIT_AND, BinaryOp.BIT_OR, BinaryOp.BIT_XOR)
_SHIFTS = (BinaryOp.SHL, BinaryOp.SHR)


class Encoder:
    """Encodes the expressions of one program.

    With `pointers`, a dereference is a case split over the variables whose address is taken; what
    it means beyond them is left open, so that only what is replayed may rest on it.
    """

    def __init__(self, environments: Environments, *, pointers: bool = False) -> None:
        self.environments = environments
        self.program = environments.program
        self.logic = environments.logic
        self.values = environments.values
        self.threads = environments.threads
        self.integers = Integers(self.logic)
        self.memory = Memory(environments) if pointers else None

    def defined(self, expr: Expr, env: Environment) -> Term:
        """Whether an expression has a value."""
        if not any(isinstance(part, Quantified) for part in subexpressions(expr)):
            return self.term(definedness(expr), env)
        match expr:
            case Quantified():
                bodies = [(expr.body, bound) for bound in self._instances(expr, env)]
                return self._chain(bodies, stops_at=expr.quantifier is Quantifier.EXISTS)
            case Binary(BinaryOp.AND, left, right) | Binary(BinaryOp.IMPLIES, left, right):
                return self._chain([(left, env), (right, env)], stops_at=False)
            case Binary(BinaryOp.OR, left, right):
                return self._chain([(left, env), (right, env)], stops_at=True)
            case _:
                parts = [self.defined(part, env) for part in children(expr)]
                return self.logic.conjunction(parts)

    def _chain(self, formulas: Sequence[tuple[Expr, Environment]], *, stops_at: bool) -> Term:
        """Whether formulas have values, evaluated one by one until one has a certain value."""
        result = self.logic.true
        for formula, env in reversed(formulas):
            value = self.term(formula, env)
            goes_on = self.logic.negation(value) if stops_at else value
            later = self.logic.implication(goes_on, result)
            result = self.logic.conjunction([self.defined(formula, env), later])
        return result

    def holds(self, formula: Expr, env: Environment) -> Term:
        """Whether a formula has a value, and it is true."""
        return self.logic.conjunction([self.defined(formula, env), self.term(formula, env)])

    def term(self, expr: Expr, env: Environment) -> Term:
        """The value of an expression that is no pointer."""
        return self.value(expr, env)

    # -- places -----------------------------------------------------------------------------------

    def path(self, place: Place, env: Environment) -> tuple[Variable, list[Step]]:
        """The variable a place is part of, and the way from it to the place."""
        steps: list[Step] = []
        while not isinstance(place, VariablePlace):
            match place:
                case FieldPlace(base, name):
                    steps.append(name)
                    place = base
                case IndexPlace(base, index):
                    steps.append(self.term(index, env))
                    place = base
                case DerefPlace():
                    raise Unsupported("a pointer that is dereferenced, in SMT")
        return place.variable, steps[::-1]

    def located(self, place: Place, env: Environment) -> list[Located]:
        """The parts of variables that a place may mean: one, unless a pointer leads to it."""
        base = root(place)
        if not isinstance(base, DerefPlace):
            variable, steps = self.path(place, env)
            return [Located(self.logic.true, variable, tuple(steps))]
        memory = self._memory()
        return list(memory.located(self._address(place, env), place.type))

    def _address(self, place: Place, env: Environment) -> Pointer:
        """The address of a place in shared memory."""
        memory = self._memory()
        base = root(place)
        if not isinstance(base, DerefPlace):
            variable, steps = self.path(place, env)
            return memory.address(variable, variable.type, tuple(steps))
        inner: list[Step] = []
        current = place
        while not isinstance(current, DerefPlace | VariablePlace):
            step = current.field if isinstance(current, FieldPlace) else None
            if isinstance(current, IndexPlace):
                step = self.term(current.index, env)
            inner.append(step)
            current = current.base
        pointer = self.value(base.pointer, env)
        moved = memory.offset(base.type, tuple(inner[::-1]))
        return Pointer(pointer.number, self.logic.simplify(pointer.offset + moved))

    def _memory(self) -> Memory:
        if self.memory is None:
            raise Unsupported("pointers in SMT")
        return self.memory

    def read(self, place: Place, env: Environment) -> Symbolic:
        """What a place holds; anything if it is behind an invalid pointer."""
        parts = self.located(place, env)
        if not parts:
            raise Unsupported("a pointer to nothing whose address is taken, in SMT")
        result = self.values.read(env.value(parts[-1].variable), parts[-1].path)
        for part in reversed(parts[:-1]):
            value = self.values.read(env.value(part.variable), part.path)
            result = self.values.choice(part.condition, value, result)
        return result

    def write(self, parts: Sequence[Located], new: Symbolic, env: Environment) -> Environment:
        """The environment after an assignment to a place that was located before."""
        for part in parts:
            whole = env.value(part.variable)
            value = new
            if not self.logic.is_true(part.condition):
                old = self.values.read(whole, part.path)
                value = self.values.choice(part.condition, new, old)
            env = env.with_value(part.variable, self.values.write(whole, part.path, value))
        return env

    # -- expressions ------------------------------------------------------------------------------

    def value(self, expr: Expr, env: Environment) -> Symbolic:  # noqa: C901, PLR0911 - a case per node
        """The value of an expression."""
        logic = self.logic
        match expr:
            case Const(value, held):
                if not is_scalar(held):
                    raise InternalError("a literal that is no scalar")
                return self.environments.shapes.literal(_scalar(held), value)
            case Read(place):
                return self.read(place, env)
            case Unary(op, operand):
                return self._unary(op, self.term(operand, env))
            case Binary(op, left, right):
                return self._binary(op, left, right, env)
            case Conditional(condition, then, otherwise):
                chosen = self.term(condition, env)
                return self.values.choice(
                    chosen, self.value(then, env), self.value(otherwise, env)
                )
            case Wrap(low, high, operand):
                return self._wrap(low, high, operand, env)
            case Clamp(low, high, operand):
                return self.integers.clamp(low, high, self.term(operand, env))
            case SelfId():
                return env.me
            case SelfIndex():
                return logic.simplify(env.me - self.threads.ranges[env.template][0])
            case ThreadAt(template, position):
                return logic.simplify(self.threads.ranges[template][0] + self.term(position, env))
            case IsInstance(operand, template):
                return self.environments.is_thread(self.term(operand, env), template)
            case ThreadVariable(name, _):
                return env.others[name].me
            case ThreadRead(ThreadVariable(name, _), place):
                return self.read(place, replace(env.others[name], others=env.others))
            case AtLabel(ThreadVariable(name, _), procedure, label):
                return self._is_at(env.others[name], procedure, label)
            case Quantified():
                return self._quantified(expr, env)
            case _:
                return self._pointer(expr, env)

    def _unary(self, op: UnaryOp, operand: Term) -> Term:
        match op:
            case UnaryOp.NOT:
                return self.logic.negation(operand)
            case UnaryOp.NEG:
                return -operand
            case UnaryOp.BIT_NOT:
                return -operand - 1

    def _binary(self, op: BinaryOp, left: Expr, right: Expr, env: Environment) -> Term:
        a, b = self.value(left, env), self.value(right, env)
        if op in (BinaryOp.EQ, BinaryOp.NE):
            same = self.values.equal(a, b)
            return same if op is BinaryOp.EQ else self.logic.negation(same)
        if op in _BITWISE:
            return self.integers.bitwise(op, a, b, (bounds(left), bounds(right)))
        if op in _SHIFTS:
            return self._shift(op, left, right, (a, b))
        if op in (BinaryOp.DIV, BinaryOp.MOD):
            return self.integers.divided(op, a, b, bounds(right))
        return self._simple(op, a, b)

    def _simple(self, op: BinaryOp, a: Term, b: Term) -> Term:
        match op:
            case BinaryOp.AND:
                return self.logic.conjunction([a, b])
            case BinaryOp.OR:
                return self.logic.disjunction([a, b])
            case BinaryOp.IMPLIES:
                return self.logic.implication(a, b)
            case BinaryOp.ADD:
                return a + b
            case BinaryOp.SUB:
                return a - b
            case BinaryOp.MUL:
                return a * b
            case BinaryOp.LT:
                return a < b
            case BinaryOp.LE:
                return a <= b
            case BinaryOp.GT:
                return a > b
            case BinaryOp.GE:
                return a >= b
            case _:
                raise InternalError(f"operator {op.value} needs its own case")

    def _shift(
        self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        terms: tuple[Term, Term],
        most: int | None = None,
    ) -> Term:
        if op is BinaryOp.SHR:
            low, high = bounds(left)
            if low is not None and high is not None:
                most = max(low.bit_length(), high.bit_length())
        return self.integers.shift(op, *terms, bounds(right), most)

    def _wrap(self, low: int, high: int, operand: Expr, env: Environment) -> Term:
        period = high - low + 1
        match operand:
            case Binary(BinaryOp.SHL, left, right) if period & (period - 1) == 0:
                # Beyond the width of the result every shift leaves a multiple of the period.
                terms = self.term(left, env), self.term(right, env)
                width = period.bit_length() - 1
                shifted = self._shift(BinaryOp.SHL, left, right, terms, width)
                return self.integers.wrap(low, high, shifted, bounds(operand))
            case _:
                known = bounds(operand)
                return self.integers.wrap(low, high, self.term(operand, env), known)

    # -- several threads --------------------------------------------------------------------------

    def _is_at(self, thread: Environment, procedure: str, label: str) -> Term:
        places = [
            location.id
            for location in self.program.procedure[procedure].locations
            if label in location.labels
        ]
        if thread.location is None:
            raise InternalError("a thread without a location")
        if isinstance(thread.location, int):
            return self.logic.boolean(thread.location in places)
        return self.logic.disjunction([thread.location == place for place in places])

    def _quantified(self, expr: Quantified, env: Environment) -> Term:
        parts = [self.term(expr.body, bound) for bound in self._instances(expr, env)]
        if expr.quantifier is Quantifier.FORALL:
            return self.logic.conjunction(parts)
        return self.logic.disjunction(parts)

    def _instances(self, expr: Quantified, env: Environment) -> Iterator[Environment]:
        """The environments of the body, for every choice of threads, in the order of ids."""
        numbers = self.threads.numbers
        if numbers is None or len(env.everyone) != len(numbers.templates):
            raise Unsupported("a quantifier over threads that are not all known")
        names = [variable.name for variable in expr.variables]
        for chosen in product(*(numbers.ranges[v.template] for v in expr.variables)):
            bound = {name: env.everyone[t] for name, t in zip(names, chosen, strict=True)}
            yield replace(env, others={**env.others, **bound})

    # -- pointers ---------------------------------------------------------------------------------

    def _pointer(self, expr: PointerExpr, env: Environment) -> Symbolic:
        memory = self._memory()
        logic = self.logic
        match expr:
            case AddressOf(place):
                return self._address(place, env)
            case PointerAdd(pointer, count, element):
                base = self.value(pointer, env)
                moved = self.term(count, env) * size_of(element, memory.numbers)
                return Pointer(base.number, logic.simplify(base.offset + moved))
            case PointerDifference(left, right, element):
                apart = self.value(left, env).offset - self.value(right, env).offset
                size = logic.integer(size_of(element, memory.numbers))
                return self.integers.quotient(apart, size)
            case IntToPointer(operand):
                return Pointer(logic.integer(INTEGER_OBJECT), self.term(operand, env))
            case PointerToInt(pointer):
                return self.value(pointer, env).offset
            case HoldsInteger(pointer):
                number = self.value(pointer, env).number
                return logic.equal(number, logic.integer(INTEGER_OBJECT))
            case SameObject(left, right):
                numbers = (self.value(left, env).number, self.value(right, env).number)
                return logic.equal(*numbers)
            case IsValid(pointer, held):
                return memory.is_valid(self.value(pointer, env), held)
            case IsAllocated():
                return logic.false
            case IsWritten():
                return logic.true


def _scalar(held: object) -> ScalarType:
    return held  # type: ignore[return-value]  # callers made sure that it is one
