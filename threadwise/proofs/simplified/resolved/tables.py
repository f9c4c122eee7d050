"""The objects that pointers may lead to, and the variables that stand for them.

States of the two programs belong together if

    a cell that is no pointer   holds the same in both; if it may hold nothing, its flag
                                (`…$written`) says whether it does
    a pointer                   is an object and an offset: null is (none, 0), an integer k
                                (none, k), an address the object and the offset
    an object that is allocated belongs to one of the listed objects of its site, each to another;
                                `…$state` is 0 for those that none belongs to, 1 while it is
                                alive, 2 when it has ended
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Allocate, Free
from threadwise.ir.expr import Const, Scope, Variable
from threadwise.ir.layout import NO_THREADS, cells_of, has_static_size, size_of, tail_of
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    FillValue,
    ListedValues,
    Program,
)
from threadwise.ir.types import (
    BOOL,
    INT,
    INTEGER_OBJECT,
    NULL,
    UNSET,
    Address,
    ArrayType,
    EnumType,
    MutexType,
    PointerType,
    RangeType,
    RecordType,
    ScalarType,
    Type,
    Value,
    default_value,
    fields_of,
    parts_of,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.normal import Normal

Claims = tuple[Sequence[tuple[str, int | None, str | None]], Collection[tuple[str, str]]]
"""For each object its name, its number if it is a variable, and its site if it is allocated; and
the variables, by procedure and name, whose pointers have offset 0 in all states."""


@dataclass(frozen=True)
class Target:
    """An object: a variable of the program before, or one that a site allocates."""

    position: int
    """The value that stands for it."""
    variable: Variable
    """As the program before has it, or would."""
    number: int | None
    site: str | None

    @property
    def state(self) -> Variable:
        """Whether an object that is allocated is alive."""
        return Variable(f"{self.variable.name}$state", RangeType(0, 2), Scope.GLOBAL, sync=True)


def cells(held: Type) -> list[ScalarType]:
    """The types of the cells of a type."""
    return [cell.type for cell in cells_of(Variable("", held, Scope.GLOBAL), NO_THREADS)]


class Tables:
    """What is claimed of the objects of a program; raises Refuted if it cannot be so."""

    def __init__(self, program: Program, claims: Claims) -> None:
        self.program = program
        self.sites: dict[str, list[Allocate]] = {}
        for edge in program.edges:
            if isinstance(edge.action, Allocate):
                self.sites.setdefault(edge.action.site, []).append(edge.action)
        self.targets = [
            Target(n, self._variable(name, number, site), number, site)
            for n, (name, number, site) in enumerate(claims[0], start=1)
        ]
        names = [target.variable.name for target in self.targets]
        taken = [d.variable.name for d, _ in program.declarations]
        fresh = [t.variable.name for t in self.targets if t.number is None]
        if len({*names}) != len(names) or not {*fresh}.isdisjoint(taken):
            raise Refuted("two objects are one")
        self.kind = EnumType("memory$object", ("none", *names))
        self.whole = frozenset(claims[1])
        self.ends = any(isinstance(edge.action, Free) for edge in program.edges)
        self.by_number = {t.number: t for t in self.targets if t.number is not None}

    def _variable(self, name: str, number: int | None, site: str | None) -> Variable:
        if number is not None:
            if not 0 <= number < len(self.program.globals):
                raise Refuted("an object that does not exist")
            found = self.program.globals[number].variable
            if found.name != name:
                raise Refuted("an object has the name of another one")
            held = found.type
        else:
            held = self._held(site)
            found = Variable(name, held, Scope.GLOBAL)
        if not has_static_size(held):
            raise Refuted("an object whose size depends on threads")
        return found

    def _held(self, site: str | None) -> Type:
        """What a site allocates, always, cleared or not."""
        allocations = self.sites.get(site or "", [])
        kinds = {(_allocated(action), action.cleared) for action in allocations}
        if len(kinds) != 1:
            raise Refuted("a site that allocates objects of several kinds")
        return next(iter(kinds))[0]

    def is_cleared(self, target: Target) -> bool:
        """Whether the cells of an object hold something from the beginning."""
        return all(action.cleared for action in self.sites[target.site or ""])

    def copies(self, site: str) -> list[Target]:
        """The objects of a site."""
        return [target for target in self.targets if target.site == site]

    # -- types and values ------------------------------------------------------------------------

    def is_whole(self, variable: Variable, procedure: str) -> bool:
        """Whether pointers in a variable are claimed to have offset 0 always."""
        return (procedure if variable.scope is Scope.LOCAL else "", variable.name) in self.whole

    def type(self, held: Type, whole: bool) -> Type:
        """A type with two numbers for each pointer, or one without offsets."""
        match held:
            case PointerType() if whole:
                return self.kind
            case PointerType():
                return RecordType("memory$pointer", (("object", self.kind), ("offset", INT)))
            case ArrayType(element, extent):
                return ArrayType(self.type(element, whole), extent)
            case RecordType(name, fields):
                parts = tuple((field, self.type(part, whole)) for field, part in fields)
                new = f"memory$whole${name}" if whole else f"memory${name}"
                return held if parts == fields else RecordType(new, parts)
            case _:
                return held

    def variables(self, variable: Variable, procedure: str) -> list[Variable]:
        """The variables that stand for one."""
        whole = self.is_whole(variable, procedure)
        if isinstance(variable.type, PointerType):
            item = replace(variable, name=f"{variable.name}$object", type=self.kind)
            offset = replace(variable, name=f"{variable.name}$offset", type=INT)
            return [item] if whole else [item, offset]
        return [replace(variable, type=self.type(variable.type, whole))]

    def pair(self, value: Value) -> tuple[Const, Const]:
        """The two numbers of a constant pointer."""
        if value is NULL:
            return Const(0, self.kind), Const(0, INT)
        if isinstance(value, Address) and value.number == INTEGER_OBJECT:
            return Const(0, self.kind), Const(value.offset, INT)
        if isinstance(value, Address) and value.number in self.by_number:
            position = self.by_number[value.number].position
            return Const(position, self.kind), Const(value.offset, INT)
        raise Refuted("an address of something that is no object")

    def starts(
        self, declaration: Declaration, procedure: str
    ) -> Iterator[tuple[Variable, list[Value] | None]]:
        """The variables that stand for one, and their initial values; None for default ones."""
        held, initial = declaration.variable.type, declaration.initial
        variables = self.variables(declaration.variable, procedure)
        whole = self.is_whole(declaration.variable, procedure)
        pointers = any(isinstance(part, PointerType) for part in parts_of(held))
        match initial:
            case DefaultValue():
                yield from ((variable, None) for variable in variables)
                return
            case ListedValues(values):
                listed = list(values)
            case FillValue(value) if has_static_size(held):
                listed = [value] * size_of(held, NO_THREADS)
            case FillValue(value) if value is NULL and pointers:
                yield from ((variable, None) for variable in variables)
                return
            case FillValue() | AnyValue():
                raise Refuted("an initial value that is not looked at")
        found: list[Value] = []
        for cell, value in zip(cells(held), listed, strict=True):
            if isinstance(cell, PointerType):
                pair = self.pair(NULL if value == UNSET else value)
                if whole and pair[1].value != 0:
                    raise Refuted("a pointer begins with an offset")
                found += [half.value for half in (pair[:1] if whole else pair)]
            else:
                found.append(default_value(cell) if value == UNSET else value)
        if len(variables) > 1:
            yield from zip(variables, ([one] for one in found), strict=True)
        else:
            yield variables[0], found


def _allocated(action: Allocate) -> Type:
    if tail_of(action.object_type) is not None:
        raise Refuted("an object that ends in an array without length")
    if action.count is None:
        return action.object_type
    match Normal().of(action.count):
        case Const(int(times), _) if times >= 1 and not isinstance(times, bool):
            return ArrayType(action.object_type, times)
        case _:
            raise Refuted("an object whose size is not known")


def flags(held: Type) -> Type:
    """A type with a flag for each cell."""
    match held:
        case ArrayType(element, extent):
            return ArrayType(flags(element), extent)
        case RecordType(name, fields):
            return RecordType(f"written${name}", tuple((f, flags(part)) for f, part in fields))
        case MutexType(kind):
            parts = tuple((f, flags(part)) for f, part in fields_of(held))
            return RecordType(f"written$mutex${kind.value}", parts)
        case _:
            return BOOL
