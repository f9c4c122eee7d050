"""Parametric abstraction of created threads: any number of identical threads from the start.

A parametric template stands for the threads of a pool, such as those created
in a loop. `parametrise(program, most)` gives a program in which every pool T is a template with
any number of threads, or with at most as many as `most` says: not more can be created
(`creations`).

    T.created       is new: whether a thread of T has been created; threads of T wait for it before
                    they begin
    T.next …        the cells of the pool are gone, and so is its bound: creating a thread always
                    succeeds
    handles         of threads (variables and arrays of ids) are abstracted to the pool that the
                    thread is of: `pool::T`, `pool::nobody`, or `pool::elsewhere`, see below
    a[…]            of an array of handles one cell is kept, the one at `a.kappa`: a symbolic
                    constant that may be any position. Reading another one gives `elsewhere`

Handles that are never read are left out, and types are narrower (`tidying`).

A value that depends on removed cells becomes any value, a condition on them is left out: a join
does not wait, and the argument of a thread may be anything, unless all get the same constant. So
threads of a pool need not be distinguished, and proofs need one representative where programs that
follow a thread (`transforms.follow`) have two.

Soundness. Let P be the program without a bound on its pools. Every run of P is a run of the
abstraction, for every choice of the constants: the n-th thread that P creates is any thread of its
template that has not begun, the same edges are taken, conditions are replaced by weaker ones
(`edges`), and what has a value has the same. One thing is not kept for every choice: an edge to a
*limit* whose condition is about one handle is left out where that handle is `elsewhere`. If P
takes it, it does so with a handle that was read at some position, and the abstraction takes it if
the constant is that position: what may be elsewhere is never put into an array, where it would
have a second position.

Deadlocks and invariants are not preserved. Races are: an edge accesses what it did (checked).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from threadwise.analyses.uses import Uses
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.ir.commands import Command
from threadwise.ir.expr import Scope, Variable
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    Procedure,
    Program,
    Template,
    stated_values,
)
from threadwise.ir.properties import FailureProperty, Property, RaceProperty
from threadwise.ir.types import BOOL, NONE, ArrayType, TidType, Type
from threadwise.transforms.follow.discipline import check_discipline
from threadwise.transforms.follow.names import Following
from threadwise.transforms.follow.setting import Setting
from threadwise.transforms.parametric.edges import ParametricEdges
from threadwise.transforms.parametric.names import ParametricPools, created_name
from threadwise.transforms.parametric.tidying import tidied
from threadwise.transforms.pipeline import applied

__all__ = ["Most", "parametrise", "parametrised_in_view"]


Most: TypeAlias = tuple[tuple[str, int], ...]
"""Pools, and how many threads they have at most."""


def parametrise(program: Program, most: Most = ()) -> Program:
    """The program whose pools are parametric templates; edges and locations keep their ids. Or
    Unsupported."""
    return applied(parametrised_in_view(program, most), "silent steps", Uses())


def parametrised_in_view(program: Program, most: Most = ()) -> Program:
    """The same before silent steps are hidden. Or Unsupported."""
    name = f"parametric in view {most}"
    known = program.made.get(name)
    if known is None:
        known = program.made[name] = _Assembly(program, dict(most)).run()
    return known


@dataclass(frozen=True)
class _Assembly:
    program: Program
    most: Mapping[str, int]

    def run(self) -> Program:
        pools = [template for template in self.program.templates if template.pool]
        if not pools:
            raise Unsupported("parametric threads where none are created")
        for template in pools:
            if sum(other.body == template.body for other in self.program.templates) != 1:
                raise Unsupported(
                    "a parametric template whose body is shared with another template"
                )
            check_discipline(self.program, Setting.of(self.program, Following(template.name)))
        names = [template.name for template in pools]
        told = ParametricPools.of(self.program, names, self._handles())
        made = replace(
            self.program,
            enums=(*self.program.enums, told.kinds),
            globals=tuple(self._globals(told)),
            procedures=tuple(self._procedure(told, p) for p in self.program.procedures),
            templates=tuple(self._template(told, t) for t in self.program.templates),
        )
        kept = tuple(
            checked
            for checked in self.program.properties
            if isinstance(checked, FailureProperty | RaceProperty)
        )
        self._check_named(kept, told)
        return tidied(replace(made, properties=kept), told)

    def _check_named(self, kept: Sequence[Property], told: ParametricPools) -> None:
        """Raises Unsupported if a property names a variable that has another name now."""
        left = {declaration.variable.name for declaration in self._globals(told)}
        for checked in kept:
            if isinstance(checked, RaceProperty) and not set(checked.variables or ()) <= left:
                raise Unsupported("races for ids of threads, in a parametric program")

    def _handles(self) -> dict[tuple[str, str], Variable]:
        """Variables of ids, and arrays of them, by procedure (of globals: none) and name."""
        found: dict[tuple[str, str], Variable] = {}
        for declaration, procedure in self.program.declarations:
            variable = declaration.variable
            if _holds_handles(variable.type):
                if variable.scope is Scope.THREAD:
                    raise Unsupported(
                        "ids of threads in variables of threads, in a parametric program"
                    )
                named = isinstance(declaration.initial, AnyValue)
                if named or set(stated_values(declaration.initial)) - {NONE}:
                    raise Unsupported(
                        "ids of threads that are there from the start, in a parametric program"
                    )
                found[procedure, variable.name] = variable
        return found

    def _globals(self, told: ParametricPools) -> Iterator[Declaration]:
        for declaration in self.program.globals:
            handle = told.handle(declaration.variable, "")
            if handle is not None:
                yield Declaration(handle.variable)
            elif not told.is_gone(declaration.variable):
                yield declaration
        for name in told.pools:
            yield Declaration(Variable(created_name(name), BOOL, Scope.GLOBAL, sync=True))
        for handle in told.handles.values():
            if handle.kappa is not None:
                yield Declaration(handle.kappa, AnyValue())

    def _template(self, told: ParametricPools, template: Template) -> Template:
        if template.name not in told.pools:
            return template
        return replace(template, count=None, pool=False, most=self.most.get(template.name))

    def _procedure(self, told: ParametricPools, old: Procedure) -> Procedure:
        if any(isinstance(held, TidType) for held in (old.result, *_types(old))):
            raise Unsupported("ids of threads as parameters, in a parametric program")
        owners = [t.name for t in self.program.templates if t.body == old.name]
        view = ParametricEdges(self.program, told, old.name, owners)
        edges = []
        for edge in old.edges:
            if not isinstance(edge.action, Command):
                view.refuse(edge)
                edges.append(edge)
                continue
            action = view.command(edge, edge.action)
            edges.append(replace(edge, action=action, operation=None))
        locals_ = []
        for declaration in old.locals:
            handle = told.handle(declaration.variable, old.name)
            locals_.append(declaration if handle is None else Declaration(handle.variable))
        return replace(old, edges=tuple(edges), locals=tuple(locals_))


def _types(procedure: Procedure) -> list[Type]:
    return [parameter.type for parameter in procedure.parameters]


def _holds_handles(held: Type) -> bool:
    if isinstance(held, ArrayType):
        return isinstance(held.element, TidType) and isinstance(held.extent, int)
    return isinstance(held, TidType)
