"""Whether programs follow one thread of each of some templates: declarations, properties, claims.

Obligations (1) and (6) of `followed`, and how properties are transformed:

    a property      that is claimed is unchanged; an invariant about two threads of T is there for
                    κ and another one, in all three ways
    a claim         that what was passed to a thread is its index: for every index j, a thread j
                    that is not unused any more has been passed j. That holds at the beginning
                    (all are unused); an edge keeps it for j, or the program that follows j has an
                    edge to a limit, which the inner proof excludes. Threads begin when they are
                    not unused any more, and are never unused again
    creations       likewise: for every index j, a thread j that is not unused any more is among
                    those created, j < next. If some edge may not keep this, it is not assumed
    hidden steps    are silent: no other thread can observe them
                    (`threadwise.proofs.simplified.silent`)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    AtLabel,
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Quantified,
    Quantifier,
    Read,
    SelfId,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import rebuild, subexpressions
from threadwise.ir.pool_cells import UNUSED, PoolCells
from threadwise.ir.program import (
    DEFAULT,
    AnyValue,
    Declaration,
    EdgeId,
    FailureKind,
    FillValue,
    ListedValues,
    LocId,
    Procedure,
    Program,
    Template,
)
from threadwise.ir.properties import (
    FailureProperty,
    InvariantProperty,
    Property,
    RaceProperty,
)
from threadwise.ir.types import ArrayType, PerThread
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.shared import Shared
from threadwise.proofs.simplified.silent import check_silent
from threadwise.proofs.toolbox.plain import refuse_memory
from threadwise.proofs.transformed.follow.followed import Body, Following, Role
from threadwise.proofs.transformed.follow.words import Names, Retold, kappa


class Followed(Protocol):
    """What is claimed to be followed."""

    @property
    def template(self) -> str:
        """The template of the thread."""

    @property
    def arrays(self) -> tuple[str, ...]:
        """Of which arrays one element is kept."""

    @property
    def claims(self) -> tuple[str, ...]:
        """The cells through which threads are passed their index."""


Stage = tuple[Program, Sequence[EdgeId]]
"""A program that follows a thread, and for each of its edges the original edge."""


def check_follow_all(
    before: Program,
    followings: Sequence[Followed],
    stages: Sequence[Stage],
    after: Program,
    claimed: Sequence[Property],
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> None:
    """Raises Refuted unless claims that hold in the program after also hold in the one before."""
    if len(stages) != len(followings):
        raise Refuted("more or fewer threads are followed")
    names = {checked.name for checked in claimed}
    program = before
    for following, (made, origins) in zip(followings, stages, strict=True):
        _check_stage(program, following, made, origins, names, tick, second_solver=second_solver)
        program = made
    _check_hidden(program, after, names)


def _check_hidden(program: Program, after: Program, names: set[str]) -> None:
    shown = tuple(
        replace(
            new,
            locations=tuple(
                replace(here, atomic=program.locations[here.id].atomic) for here in new.locations
            ),
        )
        for new in after.procedures
    )
    if replace(after, procedures=shown) != program:
        raise Refuted("another program is hidden")
    if after == program:
        return
    looking = [
        part
        for checked in after.properties
        if checked.name in names and isinstance(checked, InvariantProperty)
        for part in subexpressions(checked.formula)
        if isinstance(part, AtLabel | ThreadRead)
    ]
    if looking:
        raise Refuted("an invariant looks at threads inside steps that are hidden")
    check_silent(program, after, Shared(program))


# -- (1) -----------------------------------------------------------------------------------------


def _check_stage(
    before: Program,
    following: Followed,
    after: Program,
    origins: Sequence[EdgeId],
    claimed: set[str],
    tick: Callable[[], object],
    *,
    second_solver: bool,
) -> None:
    refuse_memory(before)
    if not all(isinstance(edge.action, Command) for edge in before.edges):
        raise Refuted("calls are followed")
    names = Names.of(before, following.template, frozenset(following.arrays))
    _check_program(names, after, origins)
    about = [p for p in before.properties if p.name in claimed]
    _check_properties(names, about, after)
    shared = {d.variable.name: d.variable for d in before.globals}
    claims = [
        shared[name]
        for name in following.claims
        if name in shared and _is_per_thread(shared[name], names.template.name)
    ]
    if len(claims) != len(following.claims) or (claims and not names.template.pool):
        raise Refuted("a claim about nothing")
    whole = Following(
        names,
        after,
        origins,
        claims,
        tick,
        claimed=about,
        second_solver=second_solver,
    )
    bodies = list(_bodies(names, after))
    whole.used = _known_to_be_created(whole, bodies)
    for body in bodies:
        whole.check(body)
    for claim in claims:
        passed = Binary(BinaryOp.EQ, Read(names.at_kappa(claim)), kappa())
        _check_claim(whole, bodies, passed)


def _check_program(names: Names, after: Program, origins: Sequence[EdgeId]) -> None:
    before = names.program
    if (after.name, after.enums) != (before.name, before.enums):
        raise Refuted("another program")
    shared = [_declared(names, d) for d in before.globals]
    _check_declarations([*shared, Declaration(names.kappa, AnyValue())], after.globals)
    templates = [each for old in before.templates for each in _templates(names, old)]
    if len(templates) != len(after.templates):
        raise Refuted("other threads")
    for old, new in zip(templates, after.templates, strict=True):
        if replace(new, variables=()) != replace(old, variables=()):
            raise Refuted(f"other threads `{old.name}`")
        _check_declarations([_declared(names, d) for d in old.variables], new.variables)
    numbers = [edge.id for edge in after.edges], [here.id for here in after.locations]
    if numbers != (list(range(len(origins))), list(range(len(after.locations)))):
        raise Refuted("edges or locations have other numbers")
    if not set(origins) <= {edge.id for edge in before.edges}:
        raise Refuted("edges come from nowhere")


def _templates(names: Names, old: Template) -> list[Template]:
    if old is not names.template:
        return [old]
    others = replace(old, name=names.others, body=f"{old.body}.others", count=None, pool=False)
    return [replace(old, count=1, pool=False), others]


def _declared(names: Names, old: Declaration) -> Declaration:
    """A declaration, as the program after has it; `AnyValue` may stand for any."""
    variable = old.variable
    if variable == names.counter:
        if old.initial != DEFAULT:
            raise Refuted("a pool that does not start empty")
        return Declaration(names.counted(variable))
    if variable not in names.arrays:
        return old
    cell = names.arrays[variable]
    if isinstance(old.initial, ListedValues):
        same = len(set(old.initial.values)) == 1
        return Declaration(cell, FillValue(old.initial.values[0]) if same else AnyValue())
    return Declaration(cell, old.initial)


def _check_declarations(wanted: Sequence[Declaration], found: Sequence[Declaration]) -> None:
    if len(wanted) != len(found):
        raise Refuted("other variables")
    for one, other in zip(wanted, found, strict=True):
        if one.variable != other.variable or other.initial not in (one.initial, AnyValue()):
            raise Refuted(f"`{one.variable.name}` starts otherwise")


def _bodies(names: Names, after: Program) -> Iterator[Body]:
    for template in names.program.templates:
        old = names.program.procedure[template.body]
        if template is names.template:
            yield _body(names, after, Role.FOLLOWED, old, old.name)
            yield _body(names, after, Role.OTHER, old, f"{old.name}.others")
        else:
            yield _body(names, after, Role.STRANGER, old, old.name)


def _body(names: Names, after: Program, role: Role, old: Procedure, name: str) -> Body:
    new = after.procedure.get(name)
    if new is None or (new.parameters, new.result) != (old.parameters, old.result):
        raise Refuted(f"there is no procedure `{name}`")
    other = role is Role.OTHER
    locations = new.locations[other:]
    extra = locations[len(old.locations) :]
    if len(locations) < len(old.locations) or len(extra) > 1:
        raise Refuted(f"other locations in `{name}`")
    places = {there.id: here.id for here, there in zip(old.locations, locations, strict=False)}
    for here, there in zip(old.locations, locations, strict=False):
        if replace(there, id=here.id) != here:
            raise Refuted(f"location {there.id} is another one")
    limit = extra[0].id if extra else None
    if extra and (extra[0].failure is None or extra[0].failure.kind is not FailureKind.LIMIT):
        raise Refuted(f"location {limit} is no limit")
    wanted = [_declared(names, d) for d in old.locals]
    wanted += [Declaration(names.index)] if other else []
    if role is Role.STRANGER and len(new.locals) > len(wanted):
        wanted.append(Declaration(names.elsewhere))
    _check_declarations(wanted, new.locals)
    if len({d.variable.name for d in new.locals}) != len(new.locals):
        raise Refuted("a variable is declared twice")
    start = _start(names, old, new, places) if other else None
    if not other and places.get(new.entry) != old.entry:
        raise Refuted("threads begin elsewhere")
    return Body(role, old, new, places, limit, start)


def _start(names: Names, old: Procedure, new: Procedure, places: dict[LocId, LocId]) -> EdgeId:
    """The edge by which another thread chooses its index, once."""
    first = new.locations[0]
    leaving = [edge for edge in new.edges if edge.source == first.id]
    coming = [edge for edge in new.edges if edge.target == first.id]
    chosen = Command(havocs=(VariablePlace(names.index),))
    fine = (
        new.entry == first.id
        and not first.atomic
        and first.failure is None
        and not coming
        and len(leaving) == 1
        and leaving[0].action == chosen
        and leaving[0].sync
        and places.get(leaving[0].target) == old.entry
    )
    if not fine:
        raise Refuted("others do not choose an index first")
    return leaving[0].id


# -- properties ----------------------------------------------------------------------------------


def _check_properties(names: Names, claimed: Sequence[Property], after: Program) -> None:
    there = {checked.name: checked for checked in after.properties}
    for checked in claimed:
        kept = there.get(checked.name)
        if kept is None or type(kept) is not type(checked):
            raise Refuted(f"`{checked.name}` is not kept")
        if not isinstance(checked, InvariantProperty):
            if kept != checked or not isinstance(checked, FailureProperty | RaceProperty):
                raise Refuted(f"`{checked.name}` is another property")
        elif kept != replace(checked, formula=_about_kappa(names, checked.formula)):
            raise Refuted(f"`{checked.name}` is another invariant")


def _about_kappa(names: Names, formula: Expr) -> Expr:
    """What a formula about all threads says about κ, and another thread if it is about two."""
    variables: list[ThreadVariable] = []
    body = formula
    while isinstance(body, Quantified) and body.quantifier is Quantifier.FORALL:
        variables += body.variables
        body = body.body
    for part in subexpressions(body):
        if isinstance(part, Quantified):
            raise Refuted("an invariant with quantifiers inside")
        if isinstance(part, Read | ThreadRead) and not _is_plain(part.place):
            raise Refuted("an invariant that looks into arrays")
    ours = [v for v in variables if v.template == names.template.name]
    if len(ours) <= 1:
        return formula
    if len(ours) > 2:
        raise Refuted("an invariant about three threads")
    first, second = ours
    other = ThreadVariable(second.name, names.others)
    ways = ({second: first}, {second: other}, {first: other, second: first})
    bodies = [_renamed(body, way, names.others) for way in ways]
    whole = Binary(BinaryOp.AND, Binary(BinaryOp.AND, bodies[0], bodies[1]), bodies[2])
    rest = tuple(v for v in variables if v is not second)
    return Quantified(Quantifier.FORALL, (*rest, other), whole)


def _is_plain(place: Place) -> bool:
    while isinstance(place, FieldPlace):
        place = place.base
    return isinstance(place, VariablePlace) and not isinstance(place.type, ArrayType)


def _renamed(expr: Expr, names: dict[ThreadVariable, ThreadVariable], others: str) -> Expr:
    match expr:
        case ThreadVariable():
            return names.get(expr, expr)
        case AtLabel(thread, procedure, label):
            meant = names.get(thread, thread)
            inside = f"{procedure}.others" if meant.template == others else procedure
            return AtLabel(meant, inside, label)
        case ThreadRead(thread, place):
            return ThreadRead(names.get(thread, thread), place)
        case _:
            return rebuild(expr, lambda part: _renamed(part, names, others))


def _is_per_thread(variable: Variable, template: str) -> bool:
    held = variable.type
    return isinstance(held, ArrayType) and held.extent == PerThread(template)


# -- (6) claims, (8) creations -------------------------------------------------------------------


def _known_to_be_created(whole: Following, bodies: Sequence[Body]) -> Expr | None:
    """That a thread is used, if used threads are among those that were created."""
    names = whole.names
    if names.counter is None:
        return None
    created = Read(VariablePlace(names.counted(names.counter)))
    try:
        return _check_claim(whole, bodies, Binary(BinaryOp.LT, kappa(), created))
    except Refuted:
        return None


def _check_claim(whole: Following, bodies: Sequence[Body], claim: Expr) -> Expr:
    """Raises Refuted unless something holds for κ once it is used; returns that a thread is."""
    names = whole.names
    status = next(
        (
            d
            for d in names.program.globals
            if d.variable.name == PoolCells(names.template.name).status
        ),
        None,
    )
    if status is None or status.initial != DEFAULT or status.variable not in names.arrays:
        raise Refuted("a pool whose threads have no status")
    used = _used(status.variable)
    for body in bodies:
        retold = Retold(
            names,
            body.old,
            stranger=body.role is Role.STRANGER,
            other=body.role is Role.OTHER,
        )
        for old in body.old.edges:
            _check_edge(whole, body, old.id, claim, status.variable, retold)
            if body.role is Role.FOLLOWED and old.source == body.old.entry:
                _check_begin(whole, old.id, used)
    return used


def _used(status: Variable) -> Expr:
    return Binary(BinaryOp.NE, Read(IndexPlace(VariablePlace(status), SelfId())), UNUSED)


def _check_begin(whole: Following, old: EdgeId, used: Expr) -> None:
    """A thread that begins is used."""
    edge = whole.widened.edges[old]
    slot = whole.obligations.slot(0, whole.names.template.name, edge.source)
    guard = whole.encoder.holds(edge.action.guard, slot.env)
    known = whole.logic.conjunction([whole.obligations.known([slot]), guard])
    if not whole.obligations.follows(known, whole.encoder.holds(used, slot.env)):
        raise Refuted("a thread that does not wait to be started")


def _check_edge(
    whole: Following, body: Body, old: EdgeId, claim: Expr, status: Variable, retold: Retold
) -> None:
    """For the index κ: the claim holds if it is used, or there is a limit; used stays used."""
    names, logic, encoder = whole.names, whole.logic, whole.encoder
    edge = whole.widened.edges[old]
    action = edge.action
    assert isinstance(action, Command)
    used = Binary(BinaryOp.NE, Read(names.at_kappa(status)), UNUSED)
    broken = [
        retold.value(e.action.guard)
        for e in body.new.edges
        if body.limit is not None
        and e.target == body.limit
        and whole.origins[e.id] == old
        and body.places.get(e.source) == edge.source
    ]
    for template in [t.name for t in names.program.templates if t.body == body.old.name]:
        slot = whole.obligations.slot(0, template, edge.source)
        fired = whole.obligations.walk.firing.fire(edge, slot.env)
        before = logic.implication(encoder.value(used, slot.env), encoder.value(claim, slot.env))
        after = logic.implication(
            encoder.value(used, fired.after), encoder.value(claim, fired.after)
        )
        stays = logic.implication(encoder.value(used, slot.env), encoder.value(used, fired.after))
        limits = [encoder.holds(guard, slot.env) for guard in broken]
        begun = body.role is not Role.STRANGER and edge.source != body.old.entry
        known = logic.conjunction(
            [
                *whole.described(body.role, slot),
                whole.has_kappa(status, slot.env),
                encoder.holds(action.guard, slot.env),
                fired.condition,
                before,
                encoder.holds(_used(status), slot.env) if begun else logic.true,
            ]
        )
        goal = logic.conjunction([stays, logic.disjunction([after, *limits])])
        if not whole.obligations.follows(known, goal):
            raise Refuted(f"edge {old} may break what is claimed of used threads")
