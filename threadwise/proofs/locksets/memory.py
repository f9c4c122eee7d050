"""What every folded cell may hold, whatever the order of steps: the claim and its rules.

A value is a constant of the program or a `Target`; `None` in place of a set of values stands for
any value. The rules (inclusion-based points-to analysis, Andersen 1994, with constants):

    what a cell holds initially           is among its values
    x := e, with e's values               are among the values of every cell that x may be
    call, return                          likewise for parameters and results
    a fresh object                        its cells hold defaults, or nothing if not cleared
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from threadwise.ir.commands import Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    AddressOf,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IntToPointer,
    Place,
    PointerAdd,
    Read,
    Scope,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_expressions, subexpressions
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    DefaultValue,
    Edge,
    FillValue,
    ListedValues,
    Program,
)
from threadwise.ir.types import (
    BOOL,
    INTEGER_OBJECT,
    NULL,
    UNSET,
    Address,
    ArrayType,
    MutexType,
    PointerType,
    RecordType,
    Type,
    Value,
    default_value,
    fields_of,
)
from threadwise.proofs.locksets.cells import (
    Target,
    astray,
    begins_with,
    field_start,
    folded_size,
    leaves,
    led_astray,
    parts_at,
    unfolded,
)

Values = frozenset[Value | Target] | None
"""What may be held; None: anything of the type."""

NO_VALUES: Values = frozenset()
ANY_INTEGER = Address(INTEGER_OBJECT, 1 << 70)
"""Stands for every integer that a pointer may hold."""


class Unresolved(Exception):  # noqa: N818 - the answer of an analysis, not a fault
    """A pointer may lead to where the rules cannot follow it."""


@dataclass(frozen=True)
class Objects:
    """The objects of a program and their types."""

    program: Program

    @cached_property
    def types(self) -> Mapping[str, Type]:
        """The type of every object, elements of counted allocations included."""
        found: dict[str, Type] = {d.variable.name: d.variable.type for d in self.program.globals}
        for template in self.program.templates:
            for declaration in template.variables:
                found[f"{declaration.variable.name}@"] = declaration.variable.type
        for procedure in self.program.procedures:
            declared = [*procedure.parameters, *(d.variable for d in procedure.locals)]
            for variable in declared:
                found[self.local(variable, procedure.name)] = variable.type
            for edge in procedure.edges:
                if isinstance(edge.action, Allocate):
                    found[self.site(edge.action)] = edge.action.object_type
        return found

    @cached_property
    def numbers(self) -> tuple[str, ...]:
        """The names of the global variables, in the order of their addresses."""
        return tuple(d.variable.name for d in self.program.globals)

    @staticmethod
    def local(variable: Variable, procedure: str) -> str:
        """The object of a variable that is no global one."""
        return f"{procedure}.{variable.name}@"

    @cached_property
    def sites(self) -> Mapping[str, int]:
        """The allocation sites, numbered in the order of the program."""
        actions = (edge.action for edge in self.program.edges)
        named = dict.fromkeys(a.site for a in actions if isinstance(a, Allocate))
        return {site: number for number, site in enumerate(named)}

    @cached_property
    def before(self) -> Mapping[RecordType, int]:
        """The types that pointers are moved by where no array is, numbered."""
        found: dict[RecordType, None] = {}
        for edge in self.program.edges:
            for whole in action_expressions(edge.action):
                for expr in subexpressions(whole):
                    match expr:
                        case PointerAdd(_, Const(1 | -1, _), RecordType() as element):
                            found[element] = None
                        case _:
                            pass
        held = {part for t in self.types.values() for part in _parts(t)}
        return {element: n for n, element in enumerate(e for e in found if e not in held)}

    def site(self, action: Allocate) -> str:
        """The object that stands for all that a site allocates."""
        return f"new {self.sites[action.site]}"

    def of(self, variable: Variable, procedure: str) -> str:
        """The object of any variable."""
        match variable.scope:
            case Scope.GLOBAL:
                return variable.name
            case Scope.THREAD:
                return f"{variable.name}@"
            case Scope.LOCAL:
                return self.local(variable, procedure)

    def target_of(self, address: Address) -> Target | None:
        """The folded form of an address; None if it is in no global variable."""
        if not 0 <= address.number < len(self.numbers):
            return None
        name = self.numbers[address.number]
        cells = unfolded(self.types[name])
        if cells is None:
            return None
        listed = list(cells)
        return Target(name, listed[address.offset]) if address.offset < len(listed) else None


@dataclass(frozen=True)
class Memory:
    """A claim: what the folded cells of every object may hold."""

    objects: Objects
    values: Mapping[Target, Values]

    # -- evaluation ------------------------------------------------------------------------------

    def targets(self, place: Place, procedure: str) -> list[Target]:
        """Every cell that a place may begin at; raises Unresolved."""
        match place:
            case VariablePlace(variable):
                return [Target(self.objects.of(variable, procedure), 0)]
            case IndexPlace(base, _):
                return self.targets(base, procedure)
            case FieldPlace(base, field):
                held = base.type
                start = field_start(held, field)  # type: ignore[arg-type]  # a field of a record
                return [Target(o, c + start) for o, c in self.targets(base, procedure)]
            case DerefPlace(pointer, held):
                return self._pointed(pointer, held, procedure)

    def _pointed(self, pointer: Expr, held: Type, procedure: str) -> list[Target]:
        values = self.of(pointer, procedure)
        if values is None:
            raise Unresolved("a pointer that may point anywhere")
        found = sorted(v for v in values if isinstance(v, Target) and v.cell >= 0)
        for target in found:
            if not self.has_type(target, held):
                raise Unresolved("memory that is accessed as another type")
        return found

    def has_type(self, target: Target, held: Type) -> bool:
        """Whether a part of that type begins at a cell."""
        return held in parts_at(self.objects.types[target.object], target.cell)

    def of(self, expr: Expr, procedure: str) -> Values:
        """The values an expression may have."""
        match expr:
            case Const(Address() as address, PointerType()):
                return self._constant(address)
            case Const(value, _):
                return frozenset({value})
            case Read(place):
                found: set[Value | Target] = set()
                for target in self.targets(place, procedure):
                    held = self.values.get(target, NO_VALUES)
                    if held is None:
                        return None
                    found |= held
                return frozenset(found)
            case AddressOf(place):
                return frozenset(self.targets(place, procedure))
            case Conditional(_, then, otherwise):
                first, second = self.of(then, procedure), self.of(otherwise, procedure)
                return None if first is None or second is None else first | second
            case PointerAdd(pointer, Const(1 | -1 as by, _), RecordType() as element) if (
                element in self.objects.before
            ):
                values = self.of(pointer, procedure)
                return None if values is None else self._across(values, by, element)
            case PointerAdd(pointer, _, element):
                return self._moved(pointer, element, procedure)
            case IntToPointer(operand):
                return self._from_integers(self.of(operand, procedure))
            case Unary(UnaryOp.NOT):
                return frozenset({False, True})
            case _ if expr.type == BOOL:
                return frozenset({False, True})
            case _:
                return None

    def _constant(self, address: Address) -> Values:
        if address == UNSET:
            return NO_VALUES
        if address.number == INTEGER_OBJECT:
            return frozenset({address})
        target = self.objects.target_of(address)
        return None if target is None else frozenset({target})

    def _moved(self, pointer: Expr, element: Type, procedure: str) -> Values:
        """A pointer into an array stays in the array; others are not moved."""
        values = self.of(pointer, procedure)
        if values is None:
            return None
        for value in values:
            if isinstance(value, Target) and not self.has_type(value, element):
                raise Unresolved("arithmetic on a pointer to another type")
        return values

    def _across(self, values: frozenset[Value | Target], by: int, element: RecordType) -> Values:
        """Pointers moved by the members of a record before one of them.

        Back from what is no such member, a pointer is *astray*: it may be moved there again, and
        compared, but not followed.
        """
        found: set[Value | Target] = set()
        size, code = folded_size(element), self.objects.before[element]
        for value in values:
            if not isinstance(value, Target):
                found.add(value)
                continue
            name, cell = value
            held = self.objects.types[name]
            if by < 0 and cell >= 0:
                inside = begins_with(held, cell - size, element)
                found.add(Target(name, cell - size if inside else astray(cell, code)))
            elif by > 0 and cell >= 0 and begins_with(held, cell, element):
                found.add(Target(name, cell + size))
            elif by > 0 and (origin := led_astray(cell, code)) is not None:
                found.add(Target(name, origin))
            else:
                raise Unresolved("arithmetic on a pointer to another type")
        return frozenset(found)

    def _from_integers(self, values: Values) -> Values:
        """Integers in pointers are kept apart from addresses; any integer is as good as none."""
        if values is None:
            return frozenset({ANY_INTEGER, NULL})
        found: set[Value | Target] = set()
        for value in values:
            assert isinstance(value, int)
            found.add(Address(INTEGER_OBJECT, value) if value else NULL)
        return frozenset(found)

    # -- the rules -------------------------------------------------------------------------------

    def initial(self) -> Iterator[tuple[Target, Values]]:
        """What cells hold before the first step."""
        program = self.objects.program
        for declaration in program.globals:
            yield from self._declared(declaration.variable.name, declaration)
        for template in program.templates:
            for declaration in template.variables:
                yield from self._declared(f"{declaration.variable.name}@", declaration)
        for procedure in program.procedures:
            for declaration in procedure.locals:
                name = self.objects.local(declaration.variable, procedure.name)
                yield from self._declared(name, declaration)

    def _declared(self, name: str, declaration: Declaration) -> Iterator[tuple[Target, Values]]:
        held = declaration.variable.type
        match declaration.initial:
            case AnyValue():
                for cell in range(folded_size(held)):
                    yield Target(name, cell), None
            case FillValue(value):
                for cell in range(folded_size(held)):
                    yield Target(name, cell), self._held(value)
            case ListedValues(values):
                cells = unfolded(held)
                if cells is None:
                    for cell in range(folded_size(held)):
                        yield Target(name, cell), None
                    return
                for cell, value in zip(cells, values, strict=True):
                    yield Target(name, cell), self._held(value)
            case DefaultValue():
                for cell, scalar in enumerate(leaves(held)):
                    yield Target(name, cell), frozenset({default_value(scalar)})

    def _held(self, value: Value) -> Values:
        if value == UNSET and not isinstance(value, bool | int):
            return NO_VALUES
        return self._constant(value) if isinstance(value, Address) else frozenset({value})

    def stored(self, edge: Edge, procedure: str) -> Iterator[tuple[Target, Values]]:
        """What an edge may put where; raises Unresolved."""
        program = self.objects.program
        match edge.action:
            case Command(_, assignments, havocs):
                for assignment in assignments:
                    values = self.of(assignment.value, procedure)
                    for target in self.targets(assignment.target, procedure):
                        yield target, values
                for place in havocs:
                    for target in self.targets(place, procedure):
                        yield target, None
            case Allocate() as action:
                yield from self._allocated(action, procedure)
            case Call(name, arguments, _, _):
                called = program.procedure[name]
                for parameter, argument in zip(called.parameters, arguments, strict=True):
                    target = Target(self.objects.local(parameter, name), 0)
                    yield target, self.of(argument, procedure)
                for declaration in called.locals:
                    yield from self._declared(
                        self.objects.local(declaration.variable, name), declaration
                    )
            case Return(value, _):
                if value is not None:
                    yield from self._returned(self.of(value, procedure), procedure)
            case Free():
                pass

    def _allocated(self, action: Allocate, procedure: str) -> Iterator[tuple[Target, Values]]:
        site = self.objects.site(action)
        if action.cleared:
            for cell, scalar in enumerate(leaves(action.object_type)):
                yield Target(site, cell), frozenset({default_value(scalar)})
        for target in self.targets(action.target, procedure):
            yield target, frozenset({Target(site, 0)})

    def _returned(self, values: Values, procedure: str) -> Iterator[tuple[Target, Values]]:
        for caller in self.objects.program.procedures:
            for edge in caller.edges:
                action = edge.action
                if not isinstance(action, Call) or action.procedure != procedure:
                    continue
                if action.result is not None:
                    for target in self.targets(action.result, caller.name):
                        yield target, values


def _parts(held: Type) -> Iterator[Type]:
    """A type, and the types of all its parts."""
    yield held
    match held:
        case ArrayType(element):
            yield from _parts(element)
        case RecordType() | MutexType():
            for _, part in fields_of(held):
                yield from _parts(part)
        case _:
            pass


def includes(claimed: Values, values: Values) -> bool:
    """Whether a claim covers values."""
    return claimed is None or (values is not None and values <= claimed)
