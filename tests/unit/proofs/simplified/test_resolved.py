"""Programs without pointers that do not stand for the one with pointers are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from threadwise.analyses.uses import Uses
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.ir.commands import Allocate, Assignment, Command, Free
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    FieldPlace,
    IndexPlace,
    Read,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import conjunction, conjuncts, number
from threadwise.ir.program import Edge, EdgeId, ListedValues, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import UNSET, PointerType
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.resolved.check import check_resolved
from threadwise.transforms.memory import PASS
from threadwise.transforms.pipeline import STAMPED, applied

SOURCE = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; };
int a[3], *cursor;
struct node *head;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_t t;
void *work(void *argument)
{
    struct node *n = malloc(sizeof *n);
    n->value = 1;
    n->next = 0;
    pthread_mutex_lock(&m);
    head = n;
    *cursor = 2;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    unsigned i = __VERIFIER_nondet_int();
    if (i > 2) return 0;
    cursor = &a[i];
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    assert(*cursor == 2);
    assert(head->value == 1);
    if (head != 0) free(head);
}
"""


@pytest.fixture(scope="module")
def pair() -> tuple[Program, Program]:
    program = load_c_sources([SourceFile("m.c", SOURCE)], LoadOptions()).program
    return program, applied(program, PASS, Uses())


def _check(before: Program, after: Program, claims: object = None) -> None:
    told = before.found[PASS] if claims is None else claims
    check_resolved(before, after, told)  # type: ignore[arg-type]  # the claims of the pass


def _claims(program: Program) -> tuple[list[Any], list[Any]]:
    objects, whole = cast("tuple[list[Any], list[Any]]", program.found[PASS])
    return objects, whole


def test_what_the_pass_makes_is_accepted(pair: tuple[Program, Program]) -> None:
    _check(*pair)
    assert STAMPED in pair[0].made


def _changed(program: Program, edges: dict[EdgeId, Edge | None]) -> Program:
    procedures = tuple(
        replace(
            procedure,
            edges=tuple(
                found for e in procedure.edges if (found := edges.get(e.id, e)) is not None
            ),
        )
        for procedure in program.procedures
    )
    count = 0
    numbered = []
    for procedure in procedures:
        own = tuple(replace(e, id=EdgeId(count + n)) for n, e in enumerate(procedure.edges))
        count += len(own)
        numbered.append(replace(procedure, edges=own))
    return replace(program, procedures=tuple(numbered))


def test_no_edge_can_be_left_out(pair: tuple[Program, Program]) -> None:
    before, after = pair
    accepted = []
    for edge in after.edges:
        try:
            _check(before, _changed(after, {edge.id: None}))
            accepted.append(edge)
        except Refuted:
            pass
    assert not accepted


def _origin(before: Program, edge: Edge) -> Edge:
    return before.edges[edge.origin[0][0]]


def _commands(before: Program, after: Program, wanted: Callable[[Edge], bool]) -> list[Edge]:
    return [e for e in after.edges if isinstance(e.action, Command) and wanted(_origin(before, e))]


def _stores_other_values(edge: Edge) -> Edge | None:
    action = edge.action
    assert isinstance(action, Command)
    for position, store in enumerate(action.assignments):
        held = store.target.type
        if isinstance(store.value, Const) and type(store.value.value) is int:
            value = Const(store.value.value + 1, held)
            stores = list(action.assignments)
            stores[position] = Assignment(store.target, value)
            return replace(edge, action=replace(action, assignments=tuple(stores)))
    return None


def _stores_less(edge: Edge) -> Edge | None:
    action = edge.action
    assert isinstance(action, Command)
    if not action.assignments:
        return None
    return replace(edge, action=replace(action, assignments=action.assignments[:-1]))


def _stores_elsewhere(edge: Edge) -> Edge | None:
    action = edge.action
    assert isinstance(action, Command)
    for position, store in enumerate(action.assignments):
        if isinstance(store.target, IndexPlace):
            stores = list(action.assignments)
            stores[position] = Assignment(replace(store.target, index=number(1)), store.value)
            return replace(edge, action=replace(action, assignments=tuple(stores)))
        if isinstance(store.target, FieldPlace):
            other = "next" if store.target.field == "value" else "value"
            if store.target.base.type.__class__.__name__ == "RecordType" and any(
                name == other
                for name, _ in store.target.base.type.fields  # type: ignore[union-attr]
            ):
                stores = list(action.assignments)
                target = replace(store.target, field=other)
                stores[position] = Assignment(target, store.value)
                return replace(edge, action=replace(action, assignments=tuple(stores)))
    return None


def _asks_more(edge: Edge) -> Edge | None:
    action = edge.action
    other = Read(VariablePlace(Variable("other", TRUE.type, Scope.GLOBAL)))
    guard = conjunction([*conjuncts(action.guard), other])
    return replace(edge, action=replace(action, guard=guard))


def _other_annotation(edge: Edge) -> Edge | None:
    return None if edge.operation is None else replace(edge, operation=None)


def _other_sync(edge: Edge) -> Edge:
    return replace(edge, sync=not edge.sync)


@pytest.mark.parametrize(
    "fault",
    [
        _stores_other_values,
        _stores_less,
        _stores_elsewhere,
        _asks_more,
        _other_annotation,
        _other_sync,
    ],
)
def test_faults_in_edges_are_noticed(
    pair: tuple[Program, Program], fault: Callable[[Edge], Edge | None]
) -> None:
    before, after = pair
    tried = 0
    for edge in after.edges:
        limit = after.locations[edge.target].origin is None
        if limit or not isinstance(edge.action, Command):
            continue
        if isinstance(_origin(before, edge).action, Free) and fault is _stores_other_values:
            continue  # what is left in an object that has ended does not matter
        wrong = fault(edge)
        if wrong is None or wrong == edge:
            continue
        tried += 1
        with pytest.raises(Refuted):
            _check(before, _changed(after, {edge.id: wrong}))
    assert tried >= 3


def test_an_allocation_takes_an_object_that_was_not_used(pair: tuple[Program, Program]) -> None:
    before, after = pair
    edges = _commands(before, after, lambda e: isinstance(e.action, Allocate))
    (first,) = [e for e in edges if after.locations[e.target].origin is not None]
    (limit,) = [e for e in edges if after.locations[e.target].origin is None]
    always = replace(first, action=replace(first.action, guard=TRUE))
    _check(before, _changed(after, {first.id: always}))  # the limit can still be taken
    with pytest.raises(Refuted):
        _check(before, _changed(after, {first.id: always, limit.id: None}))
    used = replace(first, action=replace(first.action, guard=limit.action.guard))
    with pytest.raises(Refuted):
        _check(before, _changed(after, {first.id: used}))


def test_an_object_that_ends_is_written_as_a_whole(pair: tuple[Program, Program]) -> None:
    before, after = pair
    edges = _commands(before, after, lambda e: isinstance(e.action, Free))
    assert edges
    for edge in edges:
        assert isinstance(edge.action, Command)
        wrong = replace(edge.action, assignments=edge.action.assignments[1:])
        with pytest.raises(Refuted):
            _check(before, _changed(after, {edge.id: replace(edge, action=wrong)}))


def test_variables_start_as_they_should(pair: tuple[Program, Program]) -> None:
    before, after = pair
    for position, declaration in enumerate(after.globals):
        initial = declaration.initial
        if not isinstance(initial, ListedValues):
            continue
        values = tuple(not v if isinstance(v, bool) else 2 for v in initial.values)
        changed = replace(declaration, initial=ListedValues(values))
        listed = (*after.globals[:position], changed, *after.globals[position + 1 :])
        with pytest.raises(Refuted):
            _check(before, replace(after, globals=listed))


def test_new_locations_are_limits(pair: tuple[Program, Program]) -> None:
    before, after = pair
    (limit,) = [here for here in after.locations if here.origin is None]
    procedures = tuple(
        replace(
            p,
            locations=tuple(
                replace(here, failure=None) if here == limit else here for here in p.locations
            ),
        )
        for p in after.procedures
    )
    with pytest.raises(Refuted, match="no limit"):
        _check(before, replace(after, procedures=procedures))


def test_flags_are_needed(pair: tuple[Program, Program]) -> None:
    before, after = pair
    kept = tuple(d for d in after.globals if not d.variable.name.endswith("$written"))
    assert kept != after.globals
    with pytest.raises(Refuted):
        _check(before, replace(after, globals=kept))


@pytest.mark.parametrize("place", ["cursor", "head"])
def test_false_claims_about_offsets(pair: tuple[Program, Program], place: str) -> None:
    before, after = pair
    objects, whole = _claims(before)
    claimed = tuple({*whole} ^ {("", place)})
    with pytest.raises(Refuted):
        _check(before, after, (objects, claimed))


def test_false_claims_about_objects(pair: tuple[Program, Program]) -> None:
    before, after = pair
    objects, whole = _claims(before)
    for position, (name, number_, site) in enumerate(objects):
        others = [*objects[:position], *objects[position + 1 :]]
        wrong: list[list[Any]] = [others, [*objects, objects[position]]]
        if number_ is not None:
            wrong.append([*others, (name, number_ + 1, None)])
        else:
            wrong.append([*others, (name, None, f"{site}!")])
        for listed in wrong:
            with pytest.raises(Refuted):
                _check(before, after, (tuple(listed), whole))


def test_a_pointer_without_an_offset_gets_none() -> None:
    """Even if the program after agrees with the claim."""
    text = SOURCE.replace("cursor = &a[i]", "cursor = &a[1]")
    program = load_c_sources([SourceFile("m.c", text)], LoadOptions()).program
    after = applied(program, PASS, Uses())
    _check(program, after)
    objects, whole = _claims(program)
    if ("", "cursor") in whole:
        pytest.skip("the pointer was resolved before")
    with pytest.raises(Refuted):
        _check(program, after, (objects, (*whole, ("", "cursor"))))


def test_variables_of_threads_hold_something() -> None:
    """They have no flags, so whether they were written could not be told."""
    before = load_c_sources([SourceFile("m.c", SOURCE)], LoadOptions()).program

    def unset(program: Program, name: str) -> Program:
        procedures = tuple(
            replace(
                p,
                locals=tuple(
                    replace(d, initial=ListedValues((UNSET,))) if d.variable.name == name else d
                    for d in p.locals
                ),
            )
            for p in program.procedures
        )
        return replace(program, procedures=procedures)

    pointers = [
        d.variable.name
        for p in before.procedures
        for d in p.locals
        if isinstance(d.variable.type, PointerType)
    ]
    wrong = unset(before, pointers[0])
    claims = applied(before, PASS, Uses()), before.found[PASS]
    with pytest.raises(Refuted, match="holds nothing at first"):
        _check(wrong, *claims)


def test_a_site_clears_its_objects_or_does_not(pair: tuple[Program, Program]) -> None:
    before, after = pair
    (edge,) = [e for e in before.edges if isinstance(e.action, Allocate)]
    (home,) = [p for p in before.procedures if edge in p.edges]
    assert isinstance(edge.action, Allocate)
    other = replace(edge.action, cleared=not edge.action.cleared)
    twin = replace(edge, id=EdgeId(len(before.edges)), action=other)
    procedures = tuple(
        replace(p, edges=(*p.edges, twin)) if p is home else p for p in before.procedures
    )
    claims = before.found[PASS]
    with pytest.raises(Refuted, match="several kinds"):
        _check(_changed(replace(before, procedures=procedures), {}), after, claims)


def test_races_of_single_variables_are_not_kept(pair: tuple[Program, Program]) -> None:
    before, after = pair
    races = RaceProperty("races of head", ("head",))
    with pytest.raises(Refuted, match="single variables"):
        _check(
            replace(before, properties=(races,)),
            replace(after, properties=(races,)),
            before.found[PASS],
        )


FOLLOWED = """
int __VERIFIER_nondet_int(void);
struct node { int value; struct node *next; } one, two;
struct node *first, *second;
int main(void)
{
    one.next = &two;
    if (__VERIFIER_nondet_int()) first = &one;
    second = first->next;
}
"""


@pytest.mark.parametrize("swapped", [False, True])
def test_a_pointer_that_is_not_chosen_may_lead_nowhere(swapped: bool) -> None:
    """`first ? first->next : 0` as a value: where `first` is null, the edge is taken."""
    program = load_c_sources([SourceFile("m.c", FOLLOWED)], LoadOptions()).program
    for edge in program.edges:
        match edge.action:
            case Command(_, (Assignment(target, Read(FieldPlace(DerefPlace(p), _)) as value),)):
                null = Const(None, p.type)
                sides = (null, value) if swapped else (value, null)
                op = BinaryOp.EQ if swapped else BinaryOp.NE
                chosen = Conditional(Binary(op, p, null), *sides)
                action = Command(TRUE, (Assignment(target, chosen),))
                before = _changed(program, {edge.id: replace(edge, action=action)})
                break
            case _:
                pass
    else:
        raise AssertionError
    after = applied(before, PASS, Uses())
    with pytest.raises(Refuted, match="perhaps followed"):
        _check(before, after)
