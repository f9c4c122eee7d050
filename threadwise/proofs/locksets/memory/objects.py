"""The objects of a program: variables and allocation sites, with their types."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from threadwise.analyses.addresses import numbered_variables
from threadwise.analyses.uses import Uses
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.commands import Allocate, Call
from threadwise.ir.expr import (
    Const,
    DerefPlace,
    Expr,
    PointerAdd,
    PointerToInt,
    Read,
    Scope,
    Variable,
)
from threadwise.ir.fold import action_expressions, root, subexpressions
from threadwise.ir.program import Edge, EdgeId, Program
from threadwise.ir.types import (
    POINTER,
    Address,
    ArrayType,
    MutexType,
    RecordType,
    Type,
    fields_of,
)
from threadwise.proofs.locksets.memory.cells import INSIDE, UNKNOWN, Target, unfolded

BYTES = Target("bytes$", 0)
"""Holds all pointers that were turned into numbers or bytes."""


RECAST = Target("recast$", 0)
"""Holds the pointers to elements of arrays of bytes that are used as ones to records."""


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
        return {**found, UNKNOWN: POINTER, BYTES.object: POINTER, RECAST.object: POINTER}

    @cached_property
    def exposed(self) -> tuple[str, ...]:
        """The objects that a pointer may lead to: all that is allocated, and addressed ones."""
        named = numbered_variables(self.program, Uses())
        sites = [f"new {number}" for number in self.sites.values()]
        return (*sites, *(name for name in self.numbers if name in named), UNKNOWN)

    def views(self, edge: Edge) -> tuple[Expr, ...]:
        """The parts of an edge by which pointers may become bytes: reads, and numbers."""
        if edge.id not in self._views:
            self._views[edge.id] = tuple(
                part
                for whole in action_expressions(edge.action)
                for part in subexpressions(whole)
                if isinstance(part, PointerToInt)
                or (isinstance(part, Read) and isinstance(root(part.place), DerefPlace))
            )
        return self._views[edge.id]

    @cached_property
    def calls(self) -> Mapping[str, Sequence[tuple[Call, str]]]:
        """The calls of each procedure, and in which procedure each of them is."""
        found: defaultdict[str, list[tuple[Call, str]]] = defaultdict(list)
        for caller in self.program.procedures:
            for edge in caller.edges:
                if isinstance(edge.action, Call):
                    found[edge.action.procedure].append((edge.action, caller.name))
        return found

    @cached_property
    def leaves(self) -> dict[str, tuple[Type, ...]]:
        """The types of the cells of objects that were asked for."""
        return {}

    @cached_property
    def _views(self) -> dict[EdgeId, tuple[Expr, ...]]:
        return {}

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
        """The folded form of an address; None if it is in no global variable.

        Before or behind all cells of its variable it is somewhere: it may be moved back.
        """
        if not 0 <= address.number < len(self.numbers):
            return None
        name = self.numbers[address.number]
        cells = unfolded(self.types[name])
        if cells is None:
            return None
        listed = list(cells)
        inside = 0 <= address.offset < len(listed)
        return Target(name, listed[address.offset] if inside else INSIDE)


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


def whole_types(objects: Objects) -> frozenset[Type]:
    """The types of records that are whole objects, never elements or members of others."""
    parts: set[Type] = set()
    for held in objects.types.values():
        parts.update(part for part in _parts(held) if part != held)
    for edge in objects.program.edges:
        if isinstance(edge.action, Allocate) and edge.action.count is not None:
            parts.add(edge.action.object_type)
    records = {held for held in objects.types.values() if isinstance(held, RecordType)}
    return frozenset(records - parts)
