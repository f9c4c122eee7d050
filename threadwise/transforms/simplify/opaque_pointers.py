"""Pointers that are only copied and compared become an enumeration.

Once no dereference and no arithmetic is left, an address is a name and nothing more. Then every
pointer gets the type `pointer`: an enumeration of `null` and of the addresses that occur in the
program. Engines that know nothing of memory can work on the result.
"""

from __future__ import annotations

from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import allocates, rebuild
from threadwise.ir.program import (
    Declaration,
    FillValue,
    Initial,
    ListedValues,
    Program,
    stated_values,
)
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.rewriting import Rewriting
from threadwise.ir.types import (
    NULL,
    UNSET,
    Address,
    ArrayType,
    EnumType,
    IntType,
    MachineType,
    PointerType,
    RecordType,
    Type,
    Value,
)


def name_pointers(program: Program, uses: Uses | None = None) -> Program:
    """The program with pointers as an enumeration, if they are nothing more."""
    uses = uses or Uses()
    if not _are_names(program, uses):
        return program
    addresses = sorted(constant_addresses(program, uses))
    if not addresses and not _has_pointers(program):
        return program
    names = [declaration.variable.name for declaration in program.globals]
    members = ("null", *(_shown(address, names) for address in addresses))
    kind = EnumType("pointer", members)
    values: dict[Value, int] = {NULL: 0}
    values |= {address: position for position, address in enumerate(addresses, start=1)}
    return PointerReplacement(kind, values).program(program)


def _shown(address: Address, names: list[str]) -> str:
    if not 0 <= address.number < len(names):
        return f"integer {address.offset}"
    suffix = f"+{address.offset}" if address.offset else ""
    return f"&{names[address.number]}{suffix}"


def _are_names(program: Program, uses: Uses) -> bool:
    """Whether pointers are only copied and compared, and none of them is unset."""
    if allocates(program) or any(enum.name == "pointer" for enum in program.enums):
        return False
    if any(isinstance(checked, InvariantProperty) for checked in program.properties):
        return False
    if any(used.follows or used.computes for used in uses.in_program(program)):
        return False
    for action in program.actions:
        if isinstance(action, Command) and any(
            isinstance(place.type, PointerType) for place in action.havocs
        ):
            return False
    return UNSET not in constant_addresses(program, uses)


def constant_addresses(program: Program, uses: Uses) -> set[Address]:
    """The addresses that occur in the text of the program."""
    found: set[Address] = set()
    for declaration, _ in program.declarations:
        values = stated_values(declaration.initial)
        found.update(value for value in values if isinstance(value, Address))
    return found.union(*(used.addresses for used in uses.in_program(program)))


def _has_pointers(program: Program) -> bool:
    variables = [declaration.variable for declaration, _ in program.declarations]
    variables += [
        parameter for procedure in program.procedures for parameter in procedure.parameters
    ]
    return any(_holds_pointer(variable.type) for variable in variables)


def _holds_pointer(held: Type) -> bool:
    match held:
        case PointerType():
            return True
        case ArrayType(element, _):
            return _holds_pointer(element)
        case RecordType(_, fields):
            return any(_holds_pointer(part) for _, part in fields)
        case _:
            return False


class PointerReplacement:
    """Replaces the type of pointers, and constants of that type, in a whole program."""

    def __init__(self, kind: EnumType | IntType | MachineType, values: dict[Value, int]) -> None:
        self.kind = kind
        self.values = values

    def program(self, program: Program) -> Program:
        """The whole program."""
        rewriting = Rewriting(self._place, self.expr)
        return replace(
            program,
            enums=(*program.enums, self.kind)
            if isinstance(self.kind, EnumType)
            else program.enums,
            globals=tuple(map(self._declaration, program.globals)),
            templates=tuple(
                replace(t, variables=tuple(map(self._declaration, t.variables)))
                for t in program.templates
            ),
            procedures=tuple(
                replace(
                    p,
                    parameters=tuple(map(self._variable, p.parameters)),
                    result=None if p.result is None else self._type(p.result),
                    locals=tuple(map(self._declaration, p.locals)),
                    edges=tuple(map(rewriting.edge, p.edges)),
                )
                for p in program.procedures
            ),
        )

    def _type(self, held: Type) -> Type:
        match held:
            case PointerType():
                return self.kind
            case ArrayType(element, extent):
                return ArrayType(self._type(element), extent)
            case RecordType(name, fields) if _holds_pointer(held):
                return RecordType(name, tuple((f, self._type(part)) for f, part in fields))
            case _:
                return held

    def _variable(self, variable: Variable) -> Variable:
        if not _holds_pointer(variable.type):
            return variable
        return replace(variable, type=self._type(variable.type))

    def _value(self, value: Value) -> Value:
        return self.values[value] if value is NULL or isinstance(value, Address) else value

    def _declaration(self, declaration: Declaration) -> Declaration:
        initial: Initial = declaration.initial
        match initial:
            case FillValue(value):
                initial = FillValue(self._value(value))
            case ListedValues(values):
                initial = ListedValues(tuple(map(self._value, values)))
            case _:
                pass
        return Declaration(self._variable(declaration.variable), initial)

    def _place(self, place: Place) -> Place:
        match place:
            case VariablePlace(variable):
                named = self._variable(variable)
                return place if named is variable else VariablePlace(named)
            case FieldPlace(base, field):
                inner = self._place(base)
                return place if inner is base else FieldPlace(inner, field)
            case IndexPlace(base, index):
                inner, position = self._place(base), self.expr(index)
                same = inner is base and position is index
                return place if same else IndexPlace(inner, position)
            case DerefPlace():
                return place

    def expr(self, expr: Expr) -> Expr:
        """An expression of the new program."""
        match expr:
            case Const(value, PointerType()):
                return Const(self._value(value), self.kind)
            case Read(place):
                found = self._place(place)
                return expr if found is place else Read(found)
            case _:
                return rebuild(expr, self.expr)
