"""The correspondence between a program and its parametric version: threads, locations, variables.

By name. A variable of the program before is

    kept        declared as before
    narrowed    an integer with a range as its type, which contains what it starts with
    a handle    an id, or an array of ids: `h.pool` tells the pool that the thread is of; of an
                array it does so for the element at the constant `a.kappa`, which may be any
    gone        otherwise

and `T.created` is new for every pool T. Nothing else is. Threads keep their ids: both programs are
considered with pools of any size N, the parametric one (the abstraction) with N threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    Const,
    IndexPlace,
    Read,
    Scope,
    SelfId,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import action_places
from threadwise.ir.pool_cells import STATUS, PoolCells
from threadwise.ir.program import (
    DEFAULT,
    AnyValue,
    Declaration,
    Procedure,
    Program,
    stated_values,
)
from threadwise.ir.properties import Property
from threadwise.ir.types import (
    BOOL,
    NONE,
    ArrayType,
    EnumType,
    MachineType,
    PerThread,
    RangeType,
    RecordType,
    TidType,
    Type,
    contains,
    default_value,
)
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.toolbox.plain import places_read, variable_of
from threadwise.proofs.toolbox.smt.environments import LISTED
from threadwise.proofs.transformed.parametric.any_size import AnySize

NOBODY, ELSEWHERE, FIRST = 0, 1, 2
"""Members of the type of handles: of no pool, not known, and the pools."""


@dataclass(frozen=True)
class Handle:
    """A variable of ids, and the variable that holds its pool."""

    old: Variable
    new: Variable
    kappa: Variable | None
    """Which element of an array is meant."""


@dataclass(frozen=True)
class Declared:
    """The variables of one scope, by what they correspond to."""

    kept: frozenset[Variable]
    narrowed: Mapping[Variable, Variable]
    handles: tuple[Handle, ...]


class Words:
    """The variables of a program and its abstraction; raises Refuted if they do not correspond."""

    def __init__(self, before: Program, after: Program, claimed: Sequence[Property]) -> None:
        self.before = before
        self.after = after
        self.pools = tuple(t for t in before.templates if t.pool)
        if not self.pools:
            raise Refuted("no threads are created")
        self.kinds = self._kinds()
        self.any_size = AnySize(before)
        self.counters = self.any_size.counters
        self.status = {t.name: self._status(t.name) for t in self.pools}
        self.created = {
            t.name: Variable(f"{t.name}.created", BOOL, Scope.GLOBAL, sync=True)
            for t in self.pools
        }
        self.shared = self._declared(before.globals, after.globals, "")
        self._check_threads()
        self.local = {
            old.name: self._procedure(old, new)
            for old, new in zip(before.procedures, after.procedures, strict=True)
        }
        self._check_new()
        if (
            not {p.name: p for p in claimed}.items()
            <= {p.name: p for p in after.properties}.items()
        ):
            raise Refuted("what is claimed is no property of the parametric program")

    # -- declarations ----------------------------------------------------------------------------

    def _kinds(self) -> EnumType:
        *enums, kinds = self.after.enums or [None]
        if tuple(enums) != self.before.enums or kinds is None:
            raise Refuted("other types")
        if len(kinds.members) != FIRST + len(self.pools):
            raise Refuted("handles that tell something else")
        return kinds

    def _status(self, pool: str) -> Variable:
        variable = Variable(
            PoolCells(pool).status, ArrayType(STATUS, PerThread(pool)), Scope.GLOBAL, sync=True
        )
        if Declaration(variable) not in self.before.globals:
            raise Refuted(f"a pool `{pool}` whose threads have no status")
        return variable

    def _declared(
        self, old: Sequence[Declaration], new: Sequence[Declaration], procedure: str
    ) -> Declared:
        there = {d.variable.name: d for d in new}
        if len(there) != len(new):
            raise Refuted("a variable is declared twice")
        kept: set[Variable] = set()
        narrowed: dict[Variable, Variable] = {}
        handles: list[Handle] = []
        for one in old:
            variable = one.variable
            if variable.name in there and not procedure and variable.name in self.counters:
                raise Refuted("a pool that still counts its threads")
            other = there.get(variable.name)
            told = there.get(f"{variable.name}.pool")
            if other is not None:
                if _is_narrower(one, other):
                    narrowed[variable] = other.variable
                elif one == other:
                    kept.add(variable)
                else:
                    raise Refuted(f"`{variable.name}` is another variable")
            elif told is not None:
                handles.append(self._handle(one, told, procedure))
        return Declared(frozenset(kept), narrowed, tuple(handles))

    def _handle(self, one: Declaration, told: Declaration, procedure: str) -> Handle:
        variable, held = one.variable, one.variable.type
        is_array = isinstance(held, ArrayType)
        element = held.element if isinstance(held, ArrayType) else held
        new = replace(variable, name=f"{variable.name}.pool", type=self.kinds)
        if not isinstance(element, TidType) or not _is_nobody(one) or told != Declaration(new):
            raise Refuted(f"`{variable.name}` is no handle")
        if not is_array:
            return Handle(variable, new, None)
        if not isinstance(held, ArrayType) or not isinstance(held.extent, int):
            raise Refuted(f"`{variable.name}` has an element per thread")
        called = f"{procedure}.{variable.name}" if procedure else variable.name
        positions = RangeType(0, held.extent - 1)
        kappa = Variable(f"{called}.kappa", positions, Scope.GLOBAL, sync=True)
        return Handle(variable, new, kappa)

    def _check_new(self) -> None:
        """Raises Refuted if a variable has no original, or has a name that was taken."""
        every = [self.shared, *self.local.values()]
        kappas = [h.kappa for told in every for h in told.handles if h.kappa is not None]
        fresh = [Declaration(each) for each in self.created.values()]
        fresh += [Declaration(kappa, AnyValue()) for kappa in kappas]
        fresh += [Declaration(h.new) for h in self.shared.handles]
        old = {d.variable.name for d, _ in self.before.declarations}
        for declaration in fresh:
            name = declaration.variable.name
            if self.after.globals.count(declaration) != 1 or name in old:
                raise Refuted(f"`{name}` is not declared as it has to be")
        known = len(fresh) + len(self.shared.kept) + len(self.shared.narrowed)
        if len(self.after.globals) != known:
            raise Refuted("a variable comes from nowhere")

    # -- threads and procedures ------------------------------------------------------------------

    def _check_threads(self) -> None:
        most = {t.name: t.most for t in self.after.templates}
        wanted = tuple(
            replace(t, count=None, pool=False, most=most.get(t.name)) if t.pool else t
            for t in self.before.templates
        )
        if self.after.templates != wanted or self.after.name != self.before.name:
            raise Refuted("other threads")
        if len(self.before.procedures) != len(self.after.procedures):
            raise Refuted("more or fewer procedures")

    def _procedure(self, old: Procedure, new: Procedure) -> Declared:
        if replace(new, edges=old.edges, locals=old.locals) != old:
            raise Refuted(f"another procedure `{old.name}`")
        if len(new.edges) != len(old.edges):
            raise Refuted(f"more or fewer steps in `{old.name}`")
        told = self._declared(old.locals, new.locals, old.name)
        taken = {d.variable.name for d in old.locals} | {p.name for p in old.parameters}
        if told.narrowed or any(h.new.name in taken for h in told.handles):
            raise Refuted(f"other variables in `{old.name}`")
        if len(new.locals) != len(told.kept) + len(told.handles):
            raise Refuted("a variable comes from nowhere")
        return told

    def known(self, procedure: Procedure) -> set[Variable]:
        """The variables that a procedure of the abstraction may mention."""
        told = self.shared, self.local[procedure.name]
        own = {
            d.variable
            for t in self.before.templates
            if t.body == procedure.name or not self.owned(procedure)
            for d in t.variables
        }
        return {
            *own,
            *procedure.parameters,
            *self.created.values(),
            *(v for each in told for v in (*each.kept, *each.narrowed.values())),
            *(h.new for each in told for h in each.handles),
            *(h.kappa for each in told for h in each.handles if h.kappa is not None),
        }

    def owned(self, procedure: Procedure) -> list[str]:
        """The templates whose body a procedure is."""
        return [t.name for t in self.before.templates if t.body == procedure.name]

    def handles(self, procedure: str) -> tuple[Handle, ...]:
        """The handles that a procedure sees."""
        return (*self.shared.handles, *self.local[procedure].handles)

    # -- pools of any size -----------------------------------------------------------------------

    def size(self, pool: str) -> Variable:
        """How many slots a pool has."""
        return self.any_size.size(pool)

    def widened(self) -> Program:
        """The program before with pools of any size."""
        return self.any_size.program(self.after.templates)

    def counter(self, pool: str) -> Variable | None:
        """The number of creations, without bound."""
        found = [
            d.variable for d in self.before.globals if d.variable.name == PoolCells(pool).next
        ]
        return self.any_size.counted(found[0]) if found else None

    # -- claims, to be verified ------------------------------------------------------------------

    def sure(self) -> frozenset[Variable]:
        """Handles that get nothing that was read from an array."""
        every = [h for p in self.before.procedures for h in self.handles(p.name)]
        unsure = self._given({h.old for h in every if h.kappa is not None})
        return frozenset(h.old for h in every) - unsure

    def ids(self) -> frozenset[Variable]:
        """Variables with ids of threads, or none: not tables, nor what calls or tables give."""
        declared = [d for d, _ in self.before.declarations if _has_ids(d.variable.type)]
        unsure = {
            variable_of(place)
            for edge in self.before.edges
            if not isinstance(edge.action, Command)
            for place in action_places(edge.action)
        }
        unsure |= {p for procedure in self.before.procedures for p in procedure.parameters}
        unsure |= {d.variable for d in declared if _has_tables(d.variable.type)}
        unsure |= {d.variable for d in declared if d.initial != DEFAULT}
        return frozenset(d.variable for d in declared) - self._given(unsure)

    def _given(self, sources: set[Variable]) -> set[Variable]:
        """Variables, and those that get something from them, directly or not."""
        found = set(sources)
        copies = [
            (variable_of(a.target), {variable_of(place) for place in places_read(a.value)})
            for edge in self.before.edges
            if isinstance(edge.action, Command)
            for a in edge.action.assignments
        ]
        while more := {target for target, read in copies if read & found} - found:
            found |= more
        return found

    def passed(self) -> Iterator[tuple[str, Variable, Const]]:
        """Pools, cells of arguments and what the abstraction takes for them."""
        for old, new in zip(self.before.edges, self.after.edges, strict=True):
            if not isinstance(old.action, Command) or not isinstance(new.action, Command):
                continue
            given = {a.target: a.value for a in new.action.assignments}
            for target, value in ((a.target, a.value) for a in old.action.assignments):
                constant = given.get(target)
                match value:
                    case Read(IndexPlace(VariablePlace(variable), SelfId())) if (
                        isinstance(constant, Const) and variable.scope is Scope.GLOBAL
                    ):
                        for pool in self.pools:
                            held = variable.type
                            if isinstance(held, ArrayType) and held.extent == PerThread(pool.name):
                                yield pool.name, variable, constant


def _has_ids(held: Type) -> bool:
    match held:
        case ArrayType(element, _):
            return _has_ids(element)
        case RecordType(_, fields):
            return any(_has_ids(inner) for _, inner in fields)
        case _:
            return isinstance(held, TidType)


def _has_tables(held: Type) -> bool:
    """Whether a part of a value is an array that formulas do not list."""
    match held:
        case ArrayType(element, extent):
            return not isinstance(extent, int) or extent > LISTED or _has_tables(element)
        case RecordType(_, fields):
            return any(_has_tables(inner) for _, inner in fields)
        case _:
            return False


def _is_nobody(one: Declaration) -> bool:
    """Whether no handle is of a thread when a program starts."""
    stated = stated_values(one.initial)
    return one.initial == DEFAULT or (bool(stated) and all(value == NONE for value in stated))


def _is_narrower(one: Declaration, other: Declaration) -> bool:
    """Whether a scalar has a range as its type now, and starts with the same value."""
    was, now = one.variable.type, other.variable.type
    if was == now or not isinstance(was, MachineType) or not isinstance(now, RangeType):
        return False
    if one.initial == DEFAULT and default_value(was) != default_value(now):
        return False
    if isinstance(one.initial, AnyValue) or other.initial != one.initial:
        return False
    within = all(contains(now, value) for value in stated_values(one.initial))
    return within and replace(other.variable, type=was) == one.variable
