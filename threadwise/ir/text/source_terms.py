"""Text of places as the reader of a C source would write them: `ports[i].lock`, `p->next`.

Local variables lose the function they are in (`uart_read.p` is `p`), addresses of variables become
the variables, and conversions between integers are left out. Nothing reads this text back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from threadwise.ir.commands import Action, Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    AddressOf,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    PointerAdd,
    Read,
    Scope,
    ThreadVariable,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import rebuild, rebuild_place
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import Procedure, Program
from threadwise.ir.text.syntax import ATOM_LEVEL
from threadwise.ir.text.terms import Piece, Terms
from threadwise.ir.types import (
    INT,
    Address,
    ArrayType,
    MutexType,
    PointerType,
    RecordType,
    Type,
    fields_of,
)

ANY = "#"
"""How variables are named that stand for any pointer or index: `#0`, `#1`."""


class SourceTerms(Terms):
    """Places for people who know the source and nothing else."""

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.globals = tuple(declaration.variable for declaration in program.globals)
        self._meanings: dict[str, dict[Variable, Expr]] = {}

    def told(self, place: Place, procedure: Procedure) -> str:
        """A place that a procedure names, temporaries by what is computed into them."""
        if procedure.name not in self._meanings:
            self._meanings[procedure.name] = _meanings(procedure)
        return self.place(_without_temporaries(place, self._meanings[procedure.name]))

    def variable(self, variable: Variable) -> str:
        """A reference to a variable, as in the source."""
        if variable.name.startswith(ANY):
            return _letter(variable)
        if variable.scope is Scope.GLOBAL:
            return variable.name
        name = variable.name.rpartition(".")[2]
        if _is_temporary(variable):
            return "…"
        own, _, _ = name.partition("$")
        return own or name

    def _pieces(self, expr: Expr) -> list[Piece]:
        if isinstance(expr, Wrap):
            return self._operand(expr.operand, ATOM_LEVEL)
        if isinstance(expr, Const) and isinstance(expr.value, Address):
            place = self._at(expr.value, None)
            return [self.constant(expr)] if place is None else ["(&", place, ")"]
        return super()._pieces(expr)

    def _place_pieces(self, place: Place, thread: ThreadVariable | None = None) -> list[Piece]:
        match self._named(place):
            case FieldPlace(DerefPlace(pointer), field) if not isinstance(pointer, PointerAdd):
                return [*self._operand(pointer, ATOM_LEVEL), f"->{self.field(field)}"]
            case FieldPlace(base, field):
                return [base, f".{self.field(field)}"]
            case IndexPlace(DerefPlace() as base, index):
                return ["(", base, ")[", _plain(index), "]"]
            case IndexPlace(base, index):
                return [base, "[", _plain(index), "]"]
            case DerefPlace(PointerAdd(pointer, count, _)):
                return [*self._operand(pointer, ATOM_LEVEL), "[", _plain(count), "]"]
            case named:
                return super()._place_pieces(named, thread)

    def _named(self, place: Place) -> Place:
        """The same place without the detour over an address that is known."""
        match place:
            case FieldPlace(base, field):
                return FieldPlace(self._named(base), field)
            case IndexPlace(base, index):
                return IndexPlace(self._named(base), index)
            case DerefPlace(PointerAdd(pointer, count, element), held) if element == held:
                first = self._pointed(pointer, held)
                if isinstance(first, IndexPlace) and first.index == Const(0, INT):
                    return IndexPlace(first.base, count)
                return place
            case DerefPlace(pointer, held):
                return self._pointed(pointer, held) or place
            case VariablePlace():
                return place

    def _pointed(self, pointer: Expr, held: Type) -> Place | None:
        """What a pointer to a variable points to; None: it is computed."""
        match pointer:
            case AddressOf(there) if there.type == held:
                return self._named(there)
            case Const(Address() as address):
                return self._at(address, held)
            case _:
                return None

    def _at(self, address: Address, wanted: Type | None) -> Place | None:
        """What of a variable begins at an address, of a type or the largest; None: nothing."""
        if not 0 <= address.number < len(self.globals):
            return None
        variable = self.globals[address.number]
        place: Place = VariablePlace(variable)
        offset = address.offset
        while offset or (wanted is not None and place.type != wanted):
            inner = _part(place, offset)
            if inner is None:
                return None
            place, offset = inner
        return place


def _part(place: Place, offset: int) -> tuple[Place, int] | None:
    """The element or member that a cell is in, and where it is in that."""
    held = place.type
    if not has_static_size(held):
        return None
    match held:
        case ArrayType(element):
            size = size_of(element, NO_THREADS)
            if size:
                return IndexPlace(place, Const(offset // size, INT)), offset % size
        case RecordType() | MutexType():
            for name, part in fields_of(held):
                size = size_of(part, NO_THREADS)
                if offset < size:
                    return FieldPlace(place, name), offset
                offset -= size
        case _:
            pass
    return None


def _plain(index: Expr) -> Expr:
    """An index without the conversions around it."""
    while isinstance(index, Wrap):
        index = index.operand
    return index


def _letter(variable: Variable) -> str:
    """Any object by `p`, `q` or `r`, any index by `i`, `j` or `k`."""
    number = int(variable.name.removeprefix(ANY))
    first = "p" if isinstance(variable.type, PointerType) else "i"
    return chr(ord(first) + number) if number < 3 else f"{first}{number}"


def is_of_library(held: Type) -> bool:
    """Whether a type is one of the thread library: a lock, a condition variable, a semaphore."""
    return isinstance(held, RecordType) and held.name.rpartition(" ")[2].startswith("__tw_")


# -- temporaries ---------------------------------------------------------------------------------

_DEEPEST = 4
"""So often a temporary is replaced by an expression with others in it."""


def _is_temporary(variable: Variable) -> bool:
    return variable.scope is Scope.LOCAL and variable.name.startswith("t$")


def _meanings(procedure: Procedure) -> dict[Variable, Expr]:
    """What is computed into temporaries that are assigned once."""
    found: dict[Variable, Expr | None] = {}
    for edge in procedure.edges:
        for place, value in _written(edge.action):
            if isinstance(place, VariablePlace) and _is_temporary(place.variable):
                known = found.setdefault(place.variable, value)
                found[place.variable] = value if known == value else None
    return {variable: value for variable, value in found.items() if value is not None}


def _written(action: Action) -> Iterator[tuple[Place | None, Expr | None]]:
    match action:
        case Command(_, assignments, havocs):
            yield from ((each.target, each.value) for each in assignments)
            yield from ((place, None) for place in havocs)
        case Allocate(_, target):
            yield target, None
        case Call(_, _, result):
            yield result, None
        case Free() | Return():
            return


def _without_temporaries(place: Place, meanings: Mapping[Variable, Expr]) -> Place:
    def change(expr: Expr, depth: int) -> Expr:
        match expr:
            case Read(VariablePlace(variable)) if variable in meanings and depth < _DEEPEST:
                return change(meanings[variable], depth + 1)
            case _:
                return rebuild(expr, lambda part: change(part, depth))

    return rebuild_place(place, lambda part: change(part, 0))
