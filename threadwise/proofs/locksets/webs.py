"""Pointers that are used for several purposes one after the other become several variables.

    s = malloc(n); read(0, s, n); … free(s); s = conf->name; …

What cells may hold is claimed whatever the order of steps (`threadwise.proofs.locksets.memory`),
so `read` would write to `conf->name`. Here s becomes two variables. A *web* of a variable is a set
of locations that are connected by edges that do not assign it, in either direction. An edge that
assigns it may lead from one web to another (def-use webs, Muchnick 1997, without liveness):

    s := e        from a web with s1 to one with s2 becomes        s2 := e, s1 := null

so that in every state one of the variables holds the value of s, the one of the location where the
thread is, and the others are null. Every edge, every location and every access to memory is as
before; so are all runs, and all races. Webs in which a variable is null, or what it begins with,
share the variable with others: nothing is lost.

Only pointers of procedures are split, which nothing but reads and assignments mentions: addresses
are those of global variables and objects. Edges that no run takes (`threadwise.ir.beyond`) do not
lead to other webs, nor do calls and allocations.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping

from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.beyond import is_beyond
from threadwise.ir.commands import Allocate, Assignment, Call, Command
from threadwise.ir.expr import (
    Const,
    Expr,
    IsWritten,
    Place,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import rebuild, rebuild_place
from threadwise.ir.layout import NO_THREADS, has_static_size, size_of
from threadwise.ir.program import DEFAULT, Declaration, Edge, EdgeId, LocId, Procedure, Program
from threadwise.ir.rewriting import rewritten_edge
from threadwise.ir.types import NULL, PointerType
from threadwise.semantics.state import Cells, LocalStore, State

_SPLIT = "webs"
_WEB = "$web"
Webs = Mapping[Variable, Mapping[LocId, Variable]]
"""Per variable that is split the variable that stands for it, by location."""


@dataclass(frozen=True)
class Split:
    """A program, and the same with variables that are split."""

    before: Program
    program: Program
    webs: Mapping[str, Webs]
    """Per procedure."""

    def state(self, state: State) -> State:
        """The state of the program with split variables that a state of the other stands for."""
        if self.program is self.before:
            return state
        found = tuple(self._own(own) for own in state.locals)
        stacks = tuple(
            tuple(
                frame._replace(
                    locals=self._cells(self.before.edges[frame.call].source, frame.locals)
                )
                for frame in stack
            )
            for stack in state.stacks
        )
        return state._replace(locals=found, stacks=stacks)

    def _own(self, own: LocalStore) -> LocalStore:
        return own._replace(locals=self._cells(own.pc, own.locals))

    def _cells(self, location: LocId, cells: Cells) -> Cells:
        procedure = self.before.procedure_of[location]
        webs = self.webs.get(procedure.name)
        if webs is None:
            return cells
        found: list[object] = []
        at = 0
        for variable in (*procedure.parameters, *(d.variable for d in procedure.locals)):
            size = size_of(variable.type, NO_THREADS)
            if variable in webs:
                here = webs[variable][location]
                found += (cells[at] if each == here else NULL for each in _all(webs[variable]))
            else:
                found += cells[at : at + size]
            at += size
        return tuple(found)  # type: ignore[arg-type]


def split(program: Program) -> Split:
    """The program with pointers that are used for one purpose each; kept with the program."""
    known = program.__dict__.get(_SPLIT)
    if known is None:
        known = program.__dict__[_SPLIT] = _split(program)
    assert isinstance(known, Split)
    return known


def _split(program: Program) -> Split:
    webs = {p.name: found for p in program.procedures if (found := _webs(p))}
    if not webs:
        return Split(program, program, {})
    procedures = tuple(
        _divided(p, webs[p.name]) if p.name in webs else p for p in program.procedures
    )
    return Split(program, replace(program, procedures=procedures), webs)


def _all(web: Mapping[LocId, Variable]) -> list[Variable]:
    """The variables that stand for one, beginning with itself."""
    return list(dict.fromkeys(sorted(web.values(), key=lambda v: (len(v.name), v.name))))


# -- webs ----------------------------------------------------------------------------------------


def _webs(procedure: Procedure) -> Webs:
    """The variables to be split, with one that stands for each at every location."""
    named = {declaration.variable for declaration in procedure.locals}
    if not all(has_static_size(variable.type) for variable in named):
        return {}
    split_before = {each.name.partition(_WEB)[0] for each in named if _WEB in each.name}
    defined: defaultdict[Variable, list[Edge]] = defaultdict(list)
    for edge in procedure.edges:
        for place, value in _assigned(edge):
            if isinstance(place, VariablePlace) and not _is_null(value):
                defined[place.variable].append(edge)
    leading = _leading_on(procedure)
    return {
        variable: found
        for variable, edges in defined.items()
        if len(edges) > 1 and variable in named
        if variable.name.partition(_WEB)[0] not in split_before
        if variable.scope is Scope.LOCAL and isinstance(variable.type, PointerType)
        if len(set((found := _web(procedure, variable, edges, leading[variable])).values())) > 1
    }


def _assigned(edge: Edge) -> Iterator[tuple[Place, Expr | None]]:
    match edge.action:
        case Command(_, assignments, havocs):
            yield from ((each.target, each.value) for each in assignments)
            yield from ((place, None) for place in havocs)
        case Allocate(_, target):
            yield target, None
        case Call(_, _, result) if result is not None:
            yield result, None
        case _:
            pass


def _is_null(value: Expr | None) -> bool:
    return isinstance(value, Const) and value.value == NULL


def _leading_on(procedure: Procedure) -> Mapping[Variable, set[EdgeId]]:
    """The edges that may lead from one web of a variable to another: they assign it, in a run."""
    found: defaultdict[Variable, set[EdgeId]] = defaultdict(set)
    for edge in procedure.edges:
        if isinstance(edge.action, Command) and not is_beyond(edge):
            for each in edge.action.assignments:
                if isinstance(each.target, VariablePlace):
                    found[each.target.variable].add(edge.id)
    return found


def _web(
    procedure: Procedure, variable: Variable, defined: list[Edge], leading: Collection[EdgeId]
) -> dict[LocId, Variable]:
    """Which variable stands for one at each location."""
    parents = {location.id: location.id for location in procedure.locations}

    def find(location: LocId) -> LocId:
        while parents[location] != location:
            parents[location] = location = parents[parents[location]]
        return location

    for edge in procedure.edges:
        if edge.id not in leading:
            one, two = find(edge.source), find(edge.target)
            parents[max(one, two)] = min(one, two)
    first = find(procedure.entry)
    used = {find(edge.target) for edge in defined}
    names: dict[LocId, Variable] = {}
    for number, web in enumerate(sorted(used, key=lambda web: (web != first, web)), start=1):
        other = replace(variable, name=f"{variable.name}{_WEB}{number}")
        names[web] = variable if number == 1 else other
    return {location: names.get(find(location), variable) for location in parents}


# -- the program with split variables ------------------------------------------------------------


def _divided(procedure: Procedure, webs: Webs) -> Procedure:
    declared: list[Declaration] = []
    for declaration in procedure.locals:
        declared.append(declaration)
        _, *others = _all(webs[declaration.variable]) if declaration.variable in webs else [None]
        declared += (Declaration(other, DEFAULT) for other in others if other is not None)
    edges = tuple(_renamed(edge, webs) for edge in procedure.edges)
    return replace(procedure, locals=tuple(declared), edges=edges)


def _renamed(edge: Edge, webs: Webs) -> Edge:
    def expr(part: Expr) -> Expr:
        match part:
            case Read(VariablePlace(variable)) if variable in webs:
                return Read(VariablePlace(webs[variable][edge.source]))
            case IsWritten(VariablePlace(variable)) if variable in webs:
                return IsWritten(VariablePlace(webs[variable][edge.source]))
            case _:
                return rebuild(part, expr)

    def place(target: Place) -> Place:
        match target:
            case VariablePlace(variable) if variable in webs:
                return VariablePlace(webs[variable][edge.target])
            case _:
                return rebuild_place(target, expr)

    found = rewritten_edge(edge, place, expr)
    ended = [
        VariablePlace(webs[variable][edge.source])
        for variable in webs
        if webs[variable][edge.source] != webs[variable][edge.target]
    ]
    if not ended:
        return found
    assert isinstance(found.action, Command)
    null = tuple(Assignment(place, Const(NULL, place.type)) for place in ended)
    action = replace(found.action, assignments=(*found.action.assignments, *null))
    return replace(found, action=action)
