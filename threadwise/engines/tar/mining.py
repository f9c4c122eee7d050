"""Predicates from the formulas that refute a derivation.

The atoms of a formula become predicates at the location of its node; what it says of all threads
is instantiated with those of the view: the thread itself, and those that its ids name. A
comparison of a variable of a small type with a number becomes equations, `flag == 0`; ids are only
compared for equality. A predicate that is equivalent to one already tracked, or to its negation,
is not new: the old one is tracked at the location as well.

A *family* is what is left of a comparison when the number is taken away. A family with ever new
numbers (x <= 0, x <= 1, x <= 2, …) diverges: each refutation is about one more round of a loop.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from threadwise.backends.smt.decode import Decoder
from threadwise.backends.smt.horn import atoms, comparison
from threadwise.backends.smt.logic import Term
from threadwise.backends.smt.solver import Answer, Solver
from threadwise.core.errors import Unsupported
from threadwise.engines.tar.derivation import Derivation, Replay
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    IsInstance,
    Read,
    SelfId,
    ThreadAt,
)
from threadwise.ir.fold import conjunction, definedness, number
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import LocId
from threadwise.ir.text.thread_formulas import FormulaReader, about, representatives
from threadwise.ir.types import (
    INT,
    EnumType,
    RangeType,
    TidType,
    Type,
    Value,
)
from threadwise.systems.api import Role
from threadwise.systems.predicate.predicates import Predicate, mentioned
from threadwise.systems.predicate.system import PredicateSystem

SMALL = 8
"""Variables with at most this many values are split by their values."""
FEW = 4
"""With at most this many, all its values are distinguished as soon as two of them are."""
DIVERGING = 3
"""A family with more numbers than this diverges."""

_LEVELS = 3
"""How much may be said about thread ids: that they are equal, their templates, which they are."""

_ORDER: Mapping[BinaryOp, Callable[[int, int], bool]] = {
    BinaryOp.LE: lambda a, b: a <= b,
    BinaryOp.LT: lambda a, b: a < b,
    BinaryOp.GE: lambda a, b: a >= b,
    BinaryOp.GT: lambda a, b: a > b,
}
_TURNED = {
    BinaryOp.LE: BinaryOp.GE,
    BinaryOp.LT: BinaryOp.GT,
    BinaryOp.GE: BinaryOp.LE,
    BinaryOp.GT: BinaryOp.LT,
}

Placed: TypeAlias = tuple[Role, LocId, Term]
"""A formula about a thread of a template at a location."""


@dataclass
class Found:
    """What a refutation gave."""

    new: list[Predicate] = field(default_factory=list)
    extended: list[Predicate] = field(default_factory=list)
    """Predicates that are now tracked at more locations."""

    def __bool__(self) -> bool:
        return bool(self.new or self.extended)


class Miner:
    """Collects predicates for one system."""

    def __init__(self, system: PredicateSystem) -> None:
        self.system = system
        self.symbols = system.symbols
        self.precision = system.precision
        self.families: dict[tuple[str, str], set[int]] = {}
        self._readers: dict[str, FormulaReader] = {}
        self._solver = Solver(self.symbols.logic, system.effort)

    # -- from refutations -------------------------------------------------------------------------

    def mine(self, refutations: Sequence[tuple[Derivation, Replay]]) -> list[Found]:
        """For each refutation, the predicates in the formulas of all its nodes."""
        return self._mine(
            [
                [
                    (node.view.role, node.view.l.location, replay.formula(node))
                    for node in derivation.nodes
                ]
                for derivation, replay in refutations
            ]
        )

    def mine_formulas(self, formulas: Iterable[Placed]) -> Found:
        """The predicates in formulas about locations."""
        (found,) = self._mine([formulas])
        return found

    def _mine(self, groups: Sequence[Iterable[Placed]]) -> list[Found]:
        """For each group, its predicates; kinds of threads only if no group has any others."""
        listed = [
            [
                (t, place, atom)
                for t, place, formula in formulas
                for atom in atoms(formula, self._ids(t, place))
            ]
            for formulas in groups
        ]
        for t, _, atom in chain.from_iterable(listed):
            self._note_family(t, atom)
        found = [Found() for _ in groups]
        for level in range(_LEVELS):
            for parts, new in zip(listed, found, strict=True):
                for t, place, atom in parts:
                    for formula in self._formulas(t, place, atom, level):
                        self.track(t, place, formula, new)
            if any(found):
                break
        return found

    def _ids(self, t: Role, place: LocId) -> list[Term]:
        """The ids that a thread sees at a location: its own, and those in its variables."""
        env = self.symbols.view_at(self.system.templates[t], place)
        return [env.me] + [
            term
            for store in (env.shared, env.own)
            for variable, value in store.items()
            if isinstance(variable.type, TidType)
            for term in self.symbols.terms(value)
        ]

    def track(self, role: Role, location: LocId, formula: Expr, found: Found) -> None:
        """Track a formula at a location, unless it says nothing new there."""
        total = conjunction([definedness(formula), formula])
        template = self.system.templates[role]
        if not self._is_expressible(template, location, total):
            return
        known = self._equivalent(template, location, total)
        if known is None:
            predicate = self.precision.add(template, location, total)
            if predicate is not None:
                found.new.append(predicate)
        elif known != "constant" and self.precision.extend(known, location):  # type: ignore[arg-type]  # a predicate
            found.extended.append(known)  # type: ignore[arg-type]  # a predicate

    def _is_expressible(self, template: str, location: LocId, formula: Expr) -> bool:
        """Whether a certificate can contain the formula: solvers know no types but their own."""
        procedure = self.system.program.procedure_of[location].name
        if procedure not in self._readers:
            self._readers[procedure] = FormulaReader(self.system.program, procedure)
        threads = representatives((template,))
        return self._readers[procedure].accepts(about(threads[0], formula), threads)

    def _equivalent(self, template: str, location: LocId, formula: Expr) -> Predicate | str | None:
        """A predicate that always has the same truth value, or always the opposite one."""
        logic = self.symbols.logic
        env = self.symbols.view_at(template, location)
        term = self.symbols.encoder.term(formula, env)
        typed = self.symbols.typed(env)
        variables = mentioned(formula)
        for constant in (term, logic.negation(term)):
            if self._impossible(logic.conjunction([typed, constant])):
                return "constant"
        for predicate in self.precision.predicates:
            if predicate.variables != variables or predicate.template not in (None, template):
                continue
            other = self.symbols.encoder.term(predicate.formula, env)
            opposite = [] if _is_value(formula) else [logic.negation(other)]
            for same in (other, *opposite):
                differ = logic.negation(logic.equal(term, same))
                if self._impossible(logic.conjunction([typed, differ])):
                    return predicate
        return None

    def _impossible(self, formula: Term) -> bool:
        return self._solver.satisfiable(formula) is Answer.UNSATISFIABLE

    # -- atoms to formulas ------------------------------------------------------------------------

    def _formulas(self, t: Role, place: LocId, atom: Term, level: int) -> Iterator[Expr]:
        env = self.symbols.view_at(self.system.templates[t], place)
        decoder = Decoder()
        decoder.environment(env)
        try:
            formula = decoder.expression(atom)
        except Unsupported:
            yield from self._about_ids(decoder, atom, level)
            return
        yield from _refined(formula)

    def _about_ids(self, decoder: Decoder, atom: Term, level: int) -> Iterator[Expr]:
        """Equations between the ids that an atom compares by size.

        If those are not enough: of which template the threads are, then which threads they are.
        """
        ids: list[Expr] = []
        for constant in self.symbols.logic.constants(atom):
            try:
                read = decoder.expression(constant)
            except Unsupported:
                continue
            if isinstance(read.type, TidType) and read not in ids:
                ids.append(read)
        for k, first in enumerate(ids):
            for second in (*ids[:k], SelfId(), NOBODY):
                if first != second and not isinstance(first, SelfId):
                    yield Binary(BinaryOp.EQ, first, second)
        if level >= 1 and len(self.system.templates) > 1:
            for read in ids:
                if not isinstance(read, SelfId):
                    yield from (IsInstance(read, name) for name in self.system.templates)
        if level >= 2 and not self.system.program.has_any_number:
            for read in ids:
                for thread in self._some_threads():
                    yield Binary(BinaryOp.EQ, read, thread)

    def _some_threads(self) -> Iterator[ThreadAt]:
        """All threads, if they are few."""
        counts = {t.name: t.count or 0 for t in self.system.program.templates}
        if sum(counts.values()) <= SMALL:
            for name, count in counts.items():
                yield from (ThreadAt(name, number(position)) for position in range(count))

    # -- divergence -------------------------------------------------------------------------------

    def _note_family(self, t: Role, atom: Term) -> None:
        compared = comparison(atom)
        if compared is not None:
            template = self.system.templates[t]
            self.families.setdefault((template, compared[0]), set()).add(compared[1])

    @property
    def is_diverging(self) -> bool:
        """Whether some family got ever new numbers."""
        return any(len(numbers) > DIVERGING for numbers in self.families.values())

    def calm(self) -> None:
        """Forget about families that diverged."""
        self.families.clear()


def _refined(formula: Expr) -> Iterable[Expr]:
    """Equations instead of comparisons where a variable has few values."""
    if not isinstance(formula, Binary):
        return [formula]
    op, left, right = formula.op, formula.left, formula.right
    if isinstance(left, Const) and op in _TURNED:
        op, left, right = _TURNED[op], right, left
    elif isinstance(left, Const) and op in (BinaryOp.EQ, BinaryOp.NE):
        left, right = right, left
    if not isinstance(right, Const) or not isinstance(left, Read):
        return [formula]
    values = _few_values(left)
    bound = right.value
    if op in (BinaryOp.EQ, BinaryOp.NE):
        if values is not None and (bound not in values or len(values) <= FEW):
            return [Binary(BinaryOp.EQ, left, Const(v, _type_for(left))) for v in values]
        return [Binary(BinaryOp.EQ, left, Const(bound, _type_for(left)))]
    if values is None or op not in _ORDER or not isinstance(bound, int):
        return [formula]
    if len(values) <= FEW:
        return [Binary(BinaryOp.EQ, left, Const(v, _type_for(left))) for v in values]
    test = _ORDER[op]
    inside = [v for v in values if isinstance(v, int) and test(v, bound)]
    outside = [v for v in values if v not in inside]
    fewer = inside if len(inside) <= len(outside) else outside
    return [Binary(BinaryOp.EQ, left, Const(v, _type_for(left))) for v in fewer]


def _is_value(formula: Expr) -> bool:
    """Whether a formula says which value a variable has: `flag == 0` stays beside `flag == 1`."""
    return (
        isinstance(formula, Binary)
        and formula.op is BinaryOp.EQ
        and isinstance(formula.left, Read)
        and isinstance(formula.right, Const)
    )


def _few_values(read: Read) -> list[Value] | None:
    held = read.type
    if isinstance(held, EnumType):
        return list(range(len(held.members)))
    if isinstance(held, RangeType) and held.high - held.low < SMALL:
        return list(range(held.low, held.high + 1))
    return None


def _type_for(read: Read) -> Type:
    held = read.type
    return held if isinstance(held, EnumType | TidType) else INT
