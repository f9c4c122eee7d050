"""Records become one variable per field, where they are not used as a whole.

A record variable that no pointer leads to is only ever accessed field by field. With a variable
per field (`account.balance`), what is said about one field says nothing about its neighbours: the
data of a struct can be forgotten while the lock in it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.analyses.addresses import numbered_variables
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import replace
from threadwise.ir.expr import (
    AddressOf,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Scope,
    ThreadRead,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import rebuild, root
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import Declaration, Edge, Initial, ListedValues, Program
from threadwise.ir.rewriting import Rewriting
from threadwise.ir.types import RecordType, Type
from threadwise.transforms.simplify.opaque_pointers import constant_addresses


def split_records(program: Program, uses: Uses | None = None) -> Program:
    """The program with the fields of global records as variables, if no address is a number.

    Addresses count global variables, so nothing is split where one could notice.
    """
    uses = uses or Uses()
    if numbered_variables(program, uses) or constant_addresses(program, uses):
        return program
    taken = {declaration.variable.name for declaration in program.globals}
    split = {
        declaration.variable.name
        for declaration in program.globals
        if isinstance(declaration.variable.type, RecordType)
        and has_static_size(declaration.variable.type)
        and not any(v.name in taken for v, _ in _parts(declaration.variable))
    }
    return _Splitting(split, uses).program(program) if split else program


def _parts(variable: Variable) -> Iterator[tuple[Variable, int]]:
    """The variables for the fields, and how many cells each has."""

    def fields(name: str, held: Type) -> Iterator[tuple[Variable, int]]:
        if isinstance(held, RecordType):
            for field, part in held.fields:
                yield from fields(f"{name}.{field}", part)
        else:
            yield replace(variable, name=name, type=held), size_of(held, NO_THREADS)

    return fields(variable.name, variable.type)


class _Splitting:
    def __init__(self, split: set[str], uses: Uses) -> None:
        self.split = split
        self.uses = uses
        self.rewriting = Rewriting(self._place, self._expr)

    def program(self, program: Program) -> Program:
        """The whole program."""
        declared = [part for d in program.globals for part in self._declarations(d)]
        procedures = tuple(
            replace(p, edges=tuple(map(self._edge, p.edges))) for p in program.procedures
        )
        return replace(program, globals=tuple(declared), procedures=procedures)

    def _declarations(self, declaration: Declaration) -> Iterator[Declaration]:
        if declaration.variable.name not in self.split:
            yield declaration
            return
        start = 0
        for variable, size in _parts(declaration.variable):
            initial: Initial = declaration.initial
            if isinstance(initial, ListedValues):
                initial = ListedValues(initial.values[start : start + size])
            start += size
            yield Declaration(variable, initial)

    def _edge(self, edge: Edge) -> Edge:
        used = self.uses.of(edge)  # no address is taken
        if self.split.isdisjoint(used.read_globals | used.written_globals):
            return edge
        return self.rewriting.edge(edge)

    def _place(self, place: Place) -> Place:
        match place:
            case VariablePlace():
                return place
            case FieldPlace(base, field):
                inner = self._place(base)
                whole = inner.variable if isinstance(inner, VariablePlace) else None
                if whole is not None and self._is_split(place, whole):
                    name = f"{whole.name}.{field}"
                    return VariablePlace(replace(whole, name=name, type=place.type))
                return FieldPlace(inner, field)
            case IndexPlace(base, index):
                return IndexPlace(self._place(base), self._expr(index))
            case DerefPlace(pointer, held):
                return DerefPlace(self._expr(pointer), held)

    def _is_split(self, place: Place, part: Variable) -> bool:
        """Whether a place is a field of a record that is split, of which `part` is left."""
        base = root(place)
        assert isinstance(base, VariablePlace)
        whole = base.variable
        is_part = whole.scope is Scope.GLOBAL and whole.name in self.split
        return is_part and isinstance(part.type, RecordType)

    def _expr(self, expr: Expr) -> Expr:
        match expr:
            case Read(place):
                return Read(self._place(place))
            case IsWritten(place):
                return IsWritten(self._place(place))
            case AddressOf(place):
                return AddressOf(self._place(place))
            case ThreadRead():
                return expr
            case _:
                return rebuild(expr, self._expr)
