"""The transformation of properties when one thread of a template is followed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from threadwise.core.quick_dataclass import replace
from threadwise.ir.expr import (
    AtLabel,
    Expr,
    Quantified,
    Quantifier,
    Read,
    ThreadRead,
    ThreadVariable,
)
from threadwise.ir.fold import conjunction, rebuild, rebuild_place, root, subexpressions
from threadwise.ir.program import Program
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.types import ArrayType
from threadwise.transforms.follow.names import Following, followed_name
from threadwise.transforms.follow.setting import Setting


def kept_properties(program: Program, following: Following) -> tuple[Property, ...]:
    """The properties of a program, as the program that follows has them."""
    setting = Setting.of(program, following)
    return tuple(kept for p in program.properties for kept in _kept(setting, p))


def _kept(setting: Setting, checked: Property) -> Iterator[Property]:
    match checked:
        case FailureProperty() | RaceProperty():
            yield checked
        case DeadlockProperty():
            return
        case InvariantProperty():
            formula = _invariant(setting, checked.formula)
            if formula is not None:
                yield replace(checked, formula=formula)


def _invariant(setting: Setting, formula: Expr) -> Expr | None:
    """An invariant, with κ as one of the threads it is about; None if that is not enough."""
    variables, body = _prenex(formula)
    if any(isinstance(part, Quantified) for part in subexpressions(body)):
        return None
    if any(_looks_into_arrays(part) for part in subexpressions(body)):
        return None
    ours = [v for v in variables if v.template == setting.template]
    if len(ours) <= 1:
        return formula
    if len(ours) > 2:
        return None
    first, second = ours
    other = ThreadVariable(second.name, setting.others)
    bodies = [
        _renamed(body, {second.name: first}, setting),
        _renamed(body, {second.name: other}, setting),
        _renamed(body, {first.name: other, second.name: first}, setting),
    ]
    rest = tuple(v for v in variables if v is not second)
    return Quantified(Quantifier.FORALL, (*rest, other), conjunction(bodies))


def _prenex(formula: Expr) -> tuple[Sequence[ThreadVariable], Expr]:
    variables: list[ThreadVariable] = []
    while isinstance(formula, Quantified) and formula.quantifier is Quantifier.FORALL:
        variables.extend(formula.variables)
        formula = formula.body
    return variables, formula


def _looks_into_arrays(part: Expr) -> bool:
    if not isinstance(part, Read | ThreadRead):
        return False
    base = root(part.place)
    return isinstance(base.type, ArrayType)


def _renamed(expr: Expr, names: Mapping[str, ThreadVariable], setting: Setting) -> Expr:
    def thread(old: ThreadVariable) -> ThreadVariable:
        return names.get(old.name, old)

    match expr:
        case ThreadVariable():
            return thread(expr)
        case AtLabel(old, procedure, label):
            new = thread(old)
            if new.template == setting.others:
                procedure = followed_name(procedure, "others")
            return AtLabel(new, procedure, label)
        case ThreadRead(old, place):
            moved = rebuild_place(place, lambda part: _renamed(part, names, setting))
            return ThreadRead(thread(old), moved)
        case _:
            return rebuild(expr, lambda part: _renamed(part, names, setting))
