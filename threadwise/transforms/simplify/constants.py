"""Constant propagation: known values are put in, and branches that are never taken are removed.

- A cell of a global variable is *constant* if nothing writes it and no pointer leads to its
  variable: it keeps its initial value. (The kind of a mutex that is initialised statically does.)
  So it is if only its initial value is written, and all steps that read or write it synchronise:
  none of them is part of a race. (`pthread_mutex_init` does that.) A write with an index that is
  computed may write that part of every element of the array, and no others.
- A local variable is constant at a location if every path there has given it the same value: the
  usual forward analysis, along edges that can be taken (Wegman & Zadeck 1991).

Edges whose guard is false are removed, together with what is then unreachable. Reads of constant
cells are no accesses any more; no step writes these cells, so no read of them was part of a race.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from threadwise.analyses.escape import exposed_variables
from threadwise.analyses.graphs import loops_first, numbered_again, outgoing_edges
from threadwise.analyses.liveness import live_masks
from threadwise.analyses.uses import EdgeUses, Uses
from threadwise.analyses.worklist import OrderedWorklist
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Action, Allocate, Assignment, Command, OperationKind, Return
from threadwise.ir.expr import (
    FALSE,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Scope,
    VariablePlace,
)
from threadwise.ir.fold import action_places, rebuild, rebuild_place, root, subexpressions
from threadwise.ir.folding import Folding, folded, typed
from threadwise.ir.layout import NO_THREADS, cells_of, has_static_size, initial_choices
from threadwise.ir.mentions import edge_expressions
from threadwise.ir.program import (
    DEFAULT,
    AnyValue,
    Edge,
    EdgeId,
    LocId,
    Procedure,
    Program,
    stated_values,
)
from threadwise.ir.rewriting import rewritten_action
from threadwise.ir.types import (
    UNSET,
    ArrayType,
    MutexType,
    RecordType,
    Value,
    default_value,
    is_scalar,
)

Values = dict[str, Const]
"""What locals are known to hold; one that is missing may hold anything."""

NOTHING_KNOWN: Values = {}
_INDEX = re.compile(r"(\[[^\]]*\])")

Cells = dict[str, dict[str, Const]]
"""The constant cells of global variables, by variable and name (as in `m.kind`)."""


def put_in_constants(program: Program, uses: Uses | None = None) -> Program:
    """The program with constants put in and dead edges removed."""
    uses = uses or Uses()
    elements = _elements(program, _constant_cells(program, uses))
    substitution = _Substitution(elements, _may_be_unset(program, uses), uses)
    known: dict[LocId, Values] = {}
    changed: list[Procedure] = []
    for procedure in program.procedures:
        propagation = _Propagation(procedure, substitution)
        changed.append(propagation.run())
        known |= propagation.known
    program.found["constants"] = known
    return replace(program, procedures=numbered_again(changed))


# -- global cells --------------------------------------------------------------------------------


def _constant_cells(program: Program, uses: Uses) -> Cells:
    """The constant cells of global variables."""
    exposed = exposed_variables(program, uses)
    written = _written(program, uses)
    plain = _plainly_read(program, uses, written) if written else frozenset()
    found: Cells = {}
    for declaration in program.globals:
        variable = declaration.variable
        if (
            variable.name in exposed
            or isinstance(declaration.initial, AnyValue)
            or not has_static_size(variable.type)
            or (variable.name in written and not is_scalar(variable.type))
        ):
            continue
        values = initial_choices(declaration, NO_THREADS)
        found[variable.name] = {
            cell.name: Const(choice[0], cell.type)
            for cell, choice in zip(cells_of(variable, NO_THREADS), values, strict=True)
            if choice is not None
            and choice[0] != UNSET
            and _keeps(cell.name, choice[0], written, plain)
        }
    return found


def _elements(program: Program, cells: Cells) -> dict[str, Const]:
    """Constant cells by their names, those with `[*]` included if all elements are alike."""
    found: dict[str, Const | None] = {}
    for declaration in program.globals:
        variable = declaration.variable
        known = cells.get(variable.name)
        if not known:
            continue
        for cell in cells_of(variable, NO_THREADS):
            value = known.get(cell.name)
            for name in _names(cell.name):
                found[name] = value if found.get(name, value) == value else None
    return {name: value for name, value in found.items() if value is not None}


def _keeps(
    cell: str, value: Value, written: Mapping[str, set[Value | None]], plain: frozenset[str]
) -> bool:
    """Whether a cell always has a value: what is written to it is that, and no read can race."""
    names = [name for name in _names(cell) if name in written]
    if not names:
        return True
    return type(value) in (int, bool) and all(
        written[name] == {value} and name not in plain for name in names
    )


def _written(program: Program, uses: Uses) -> dict[str, set[Value | None]]:
    """The names of cells that are written, with the numbers; None: something else, or plainly."""
    found: dict[str, set[Value | None]] = {}
    seen: set[tuple[Action, bool]] = set()
    for edge in program.edges:
        if not uses.of(edge).written_globals or (edge.action, edge.sync) in seen:
            continue
        seen.add((edge.action, edge.sync))
        known: list[tuple[Place, Value | None]] = [(p, None) for p in action_places(edge.action)]
        if isinstance(edge.action, Command):
            known = [(place, None) for place in edge.action.havocs]
            known += [
                (a.target, _number(a.value) if edge.sync or _never_races(a.target) else None)
                for a in edge.action.assignments
            ]
        for place, value in known:
            if _is_global(place):
                found.setdefault(_name(place), set()).add(value)
    return found


def _number(expr: Expr) -> Value | None:
    known = isinstance(expr, Const) and type(expr.value) in (int, bool)
    return expr.value if known and isinstance(expr, Const) else None


def _never_races(place: Place) -> bool:
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.sync


def _plainly_read(
    program: Program, uses: Uses, written: Mapping[str, set[Value | None]]
) -> frozenset[str]:
    """The names among those of written cells that edges read which do not synchronise."""
    alike: dict[str, list[str]] = {}
    for name in written:
        alike.setdefault(_INDEX.sub("[]", name), []).append(name)
    read = {
        _name(part.place)
        for edge in program.edges
        if not edge.sync and uses.of(edge).read_globals
        for expr in edge_expressions(edge)
        for part in subexpressions(expr)
        if isinstance(part, Read | IsWritten)
        and _is_global(part.place)
        and not _never_races(part.place)
    }
    return frozenset(
        other
        for name in read
        for other in alike.get(_INDEX.sub("[]", name), ())
        if _may_be_same(name, other)
    )


def _is_global(place: Place) -> bool:
    base = root(place)
    return isinstance(base, VariablePlace) and base.variable.scope is Scope.GLOBAL


def _name(place: Place) -> str:
    """The name of a cell, with `[*]` for indices that are computed."""
    match place:
        case VariablePlace(variable):
            return variable.name
        case FieldPlace(base, field):
            owner = isinstance(base.type, MutexType) and field == "owner"
            return _name(base) if owner else f"{_name(base)}.{field}"
        case IndexPlace(base, Const(int(value), _)):
            return f"{_name(base)}[{value}]"
        case IndexPlace(base, _):
            return f"{_name(base)}[*]"
        case DerefPlace():
            raise AssertionError("no variable")


def _names(cell: str) -> Iterator[str]:
    """The names under which a cell may have been written."""
    start = cell.find("[")
    if start < 0:
        yield cell
        return
    stop = cell.index("]", start) + 1
    for rest in _names(cell[stop:]):
        yield f"{cell[:stop]}{rest}"
        yield f"{cell[:start]}[*]{rest}"


def _may_be_same(first: str, second: str) -> bool:
    """Whether two names may mean one cell."""
    one, two = _INDEX.split(first), _INDEX.split(second)
    return len(one) == len(two) and all(
        a == b or (n % 2 == 1 and "[*]" in (a, b))
        for n, (a, b) in enumerate(zip(one, two, strict=True))
    )


def _may_be_unset(program: Program, uses: Uses) -> frozenset[str] | None:
    """The variables with a cell that may be unset; None if memory of any kind may be.

    What is unset cannot be copied, so it is unset from the start or by an assignment that says so.
    """
    found: set[str] = set()
    for declaration, _ in program.declarations:
        if UNSET in stated_values(declaration.initial):
            found.add(declaration.variable.name)
    assigned = any(UNSET in used.addresses for used in uses.in_program(program))
    for action in program.actions:
        if isinstance(action, Allocate) and not action.cleared:
            return None
        if isinstance(action, Command) and assigned:
            for assignment in action.assignments:
                if Const(UNSET, assignment.value.type) in subexpressions(assignment.value):
                    base = root(assignment.target)
                    if not isinstance(base, VariablePlace):
                        return None
                    found.add(base.variable.name)
    return frozenset(found)


# -- locals --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Effect:
    """What an action does to what is known of locals."""

    lost: tuple[str, ...]
    stored: Values
    """Constants that are assigned."""
    told: Values
    """What the guard says, if nothing was known before."""


class _Substitution:
    """Puts constants into edges; those that do the same, knowing the same, are changed once."""

    def __init__(
        self, elements: Mapping[str, Const], unset: frozenset[str] | None, uses: Uses
    ) -> None:
        self.elements = elements
        self.unset = unset
        self.uses = uses
        self.values: Values = NOTHING_KNOWN
        """What is known about locals where an edge is being changed."""
        self.folding = Folding(self._known, self._written)
        self._folded: dict[Expr, Expr] = {}
        """Terms of which nothing is known where they are evaluated, folded."""
        self._changed: dict[tuple[EdgeUses | Const | None, ...], tuple[Action, Expr | None]] = {}
        self._effects: dict[Action, _Effect] = {}
        self._roots = frozenset(name.partition("[")[0].partition(".")[0] for name in elements)

    def edge(self, edge: Edge, values: Values) -> Edge:
        """The edge with what is known of locals and cells put in."""
        used, operation = self.uses.of(edge), edge.operation
        plain = (
            values.keys().isdisjoint(used.read)
            and used.read_globals.isdisjoint(self._roots)
            and (self.unset is None or not used.computes)
        )
        if plain and used in self.uses.settled:
            return edge if operation is None else _without_idle_lock(edge)
        key = (used, *map(values.get, used.read))
        found = self._changed.get(key)
        if found is None:
            self.values = values
            fold = self._plainly if plain else self.folding.of
            action = rewritten_action(edge.action, self._put_place, fold)
            subject = None if operation is None else operation.subject
            if subject is not None:
                subject = fold(subject)
            found = self._changed[key] = action, subject
            same = operation is None or operation.subject is subject
            if plain and same and action is edge.action:
                self.uses.settled.add(used)
        action, subject = found
        if operation is not None and operation.subject is not subject:
            operation = replace(operation, subject=subject)
        if action is not edge.action or operation is not edge.operation:
            edge = replace(edge, action=action, operation=operation)
        return edge if edge.operation is None else _without_idle_lock(edge)

    def after(self, action: Action, values: Values) -> Values:
        """What is known behind an action."""
        effect = self._effects.get(action)
        if effect is None:
            effect = self._effects[action] = _effect_of(action)
        if not (effect.lost or effect.told):
            return values
        after = dict(values)
        for name in effect.lost:
            after.pop(name, None)
        after |= effect.stored
        after |= {name: value for name, value in effect.told.items() if name not in after}
        return after

    def _plainly(self, expr: Expr) -> Expr:
        """A term folded where nothing is known of what it reads, but for what never changes.

        It is then the same everywhere: conditions that fail share most of their parts.
        """
        if isinstance(expr, Const):
            return expr
        found = self._folded.get(expr)
        if found is None:
            if isinstance(expr, Read | IsWritten):
                found = self.folding.of(expr)
            else:
                found = folded(rebuild(expr, self._plainly))
            self._folded[expr] = found
        return found

    def _put_place(self, place: Place) -> Place:
        return rebuild_place(place, self.folding.of)

    def _known(self, place: Place) -> Const | None:
        base = root(place)
        if not isinstance(base, VariablePlace):
            return None
        match base.variable.scope:
            case Scope.LOCAL if base is place:
                return self.values.get(base.variable.name)
            case Scope.GLOBAL:
                return self.elements.get(_name(place))
            case _:
                return None

    def _written(self, place: Place) -> bool:
        base = root(place)
        if self.unset is None or not isinstance(base, VariablePlace):
            return self.unset == frozenset()
        return base.variable.name not in self.unset


class _Propagation:
    def __init__(self, procedure: Procedure, substitution: _Substitution) -> None:
        self.procedure = procedure
        self.substitution = substitution
        self.outgoing = outgoing_edges(procedure)
        self.live = live_masks(procedure, substitution.uses)
        """Live variables: only of these it matters whether their values are known."""
        self.known: dict[LocId, Values] = {}
        self.done: dict[EdgeId, tuple[Values, Edge]] = {}
        """How edges were changed last, and for which values."""

    def run(self) -> Procedure:
        """The procedure with constants put in."""
        entry = self.procedure.entry
        self.known[entry] = self._initial()
        pending = OrderedWorklist(loops_first(entry, self.outgoing), [entry])
        for here in pending:
            values = self.known[here]
            for edge in self.outgoing[here]:
                if self.known.get(edge.target) == NOTHING_KNOWN:
                    continue  # nothing is left that another path could take away
                action = self._put_in(edge, values).action
                if action.guard == FALSE or isinstance(action, Return):
                    continue
                if self._join(edge.target, self.substitution.after(action, values)):
                    pending.add(edge.target)
        kept: list[Edge] = []
        for edge in self.procedure.edges:
            if edge.source in self.known:
                changed = self._put_in(edge, self.known[edge.source])
                if changed.action.guard != FALSE:
                    kept.append(changed)
        locations = tuple(loc for loc in self.procedure.locations if loc.id in self.known)
        return replace(self.procedure, locations=locations, edges=tuple(kept))

    def _initial(self) -> Values:
        entry = self.procedure.entry
        return {
            d.variable.name: Const(default_value(d.variable.type), d.variable.type)
            for d in self.procedure.locals
            if d.initial == DEFAULT
            and self.live.has(entry, d.variable.name)
            and not isinstance(d.variable.type, ArrayType | RecordType | MutexType)
        }

    def _join(self, location: LocId, values: Values) -> bool:
        """Add what holds on one more path; whether that changes something."""
        before = self.known.get(location)
        if before is None:
            self.known[location] = self.live.among(values, location)
            return True
        common = {
            name: c for name, c in before.items() if (other := values.get(name)) is c or other == c
        }
        if len(common) == len(before):
            return False
        self.known[location] = common
        return True

    def _put_in(self, edge: Edge, values: Values) -> Edge:
        """The edge with what is known put in."""
        done = self.done.get(edge.id)
        if done is not None and done[0] is values:
            return done[1]
        changed = self.substitution.edge(edge, values)
        self.done[edge.id] = values, changed
        return changed


def _effect_of(action: Action) -> _Effect:
    bases = [root(place) for place in action_places(action)]
    lost = {
        base.variable.name: None
        for base in bases
        if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL
    }
    stored: Values = {}
    told: Values = {}
    if isinstance(action, Command):
        for target, value in _last_writes(action.assignments).items():
            constant = typed(value, target) if isinstance(value, Const) else None
            if constant is not None and target not in action.havocs:
                stored[target.variable.name] = constant
        told = _told_by(action)
    return _Effect(tuple(lost), stored, told)


def _last_writes(assignments: tuple[Assignment, ...]) -> dict[VariablePlace, Expr]:
    """What whole locals are assigned, the last assignment counting."""
    return {
        a.target: a.value
        for a in assignments
        if isinstance(a.target, VariablePlace) and a.target.variable.scope is Scope.LOCAL
    }


def _told_by(action: Command) -> Values:
    """Locals that a guard of the form `x == c && …` pins, unless the action writes them."""
    written = {p.variable.name for p in action_places(action) if isinstance(p, VariablePlace)}
    found: Values = {}
    pending = [action.guard]
    while pending:
        match pending.pop():
            case Binary(BinaryOp.AND, left, right):
                pending += [left, right]
            case Binary(BinaryOp.EQ, Read(VariablePlace(variable) as place), Const() as constant):
                known = typed(constant, place)
                if (
                    known is not None
                    and variable.scope is Scope.LOCAL
                    and variable.name not in written
                ):
                    found[variable.name] = known
            case _:
                pass
    return found


def _without_idle_lock(edge: Edge) -> Edge:
    """The edge; of a mutex whose owner never changes nobody need know what it does with it."""
    operation = edge.operation
    if operation is None or operation.kind not in (OperationKind.AWAIT, OperationKind.RELEASE):
        return edge
    return replace(edge, operation=None) if isinstance(operation.subject, Const) else edge
