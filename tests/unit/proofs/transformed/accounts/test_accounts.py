"""Accounts of what finished threads have added: what their checkers refuse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.unit.proofs.transformed.forging import edge_of, with_command, with_edge, with_location
from tests.unit.semantics.running import model
from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    TRUE,
    Binary,
    BinaryOp,
    Expr,
    Read,
    Scope,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import conjunction, conjuncts, number
from threadwise.ir.pool_cells import FINISHED, STARTED
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import INT
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.transformed.accounts.check import _plain, check_accounts, check_ghosts
from threadwise.proofs.transformed.accounts.joined import Joined
from threadwise.proofs.transformed.certificate import Account, Interrupt, Parametrise, Step, Tally
from threadwise.proofs.transformed.certificate import TransformedCertificate as Transformed
from threadwise.proofs.transformed.changes import check_interrupted
from threadwise.semantics.oracle import explore
from threadwise.transforms.accounts.accounts import Accounts, PoolGhosts, accounts, with_accounts
from threadwise.transforms.accounts.joins import Claims, Done, Joins, Named, Stored, joins
from threadwise.transforms.interrupt import interrupt

COUNTING = """
#include <assert.h>
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
unsigned char c = 3;
int d;
void *f(void *v) {
    pthread_mutex_lock(&m);
    c += 100;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void) {
    pthread_t t[50];
    for (int i = 0; i < 50; i++) pthread_create(&t[i], 0, f, 0);
    c += 2;
    for (int i = 0; i < 50; i++) pthread_join(t[i], 0);
    d = 1;
    assert(d && c == (5005 & 255));
    return 0;
}
"""


@cache
def program() -> Program:
    return load_c([SourceFile("t.c", COUNTING)], COptions()).program


def told() -> Accounts:
    return accounts(program())


def claims() -> Joins:
    return joins(program())["f"]


def sure() -> list[tuple[LocId, Named]]:
    return [(here, named) for here, every in claims().sure.items() for named in every]


def test_what_is_right_is_accepted() -> None:
    before = program()
    after = with_accounts(before)
    asked = [p for p in before.properties if p.name.startswith("assert")]
    check_accounts(before, after, asked, lambda: None)
    assert told().pools == ("f",)
    assert [each.variable.name for each in told().sums] == ["c"]


def test_races_are_not_kept() -> None:
    asked = [p for p in program().properties if isinstance(p, RaceProperty)]
    with pytest.raises(Refuted, match="failures only"):
        check_accounts(program(), with_accounts(program()), asked, lambda: None)


def test_wraps_are_left_out_only_where_they_do_not_matter() -> None:
    """Inside a wrap to ten values, one to a multiple of the size of the sum does."""
    x = number(300)
    byte, word = Wrap(0, 255, x), Wrap(0, 65535, x)
    assert _plain(word, 256) == x
    assert _plain(Wrap(0, 255, word), 65536) == byte
    assert _plain(Wrap(0, 9, word), 256) != _plain(Wrap(0, 9, x), 256)


# -- the program with ghosts ---------------------------------------------------------------------


def writing(name: str, after: Program) -> Edge:
    """The first edge that writes a ghost."""
    return next(
        edge
        for edge in after.edges
        if isinstance(edge.action, Command)
        and any(_named(a.target) == name for a in edge.action.assignments)
    )


def _named(place: object) -> str:
    return place.variable.name if isinstance(place, VariablePlace) else ""


def without(name: str) -> Callable[[Program], Program]:
    """An edge no longer writes a ghost."""

    def change(after: Program) -> Program:
        edge = writing(name, after)
        return with_command(
            after,
            edge.id,
            lambda c: replace(
                c, assignments=tuple(a for a in c.assignments if _named(a.target) != name)
            ),
        )

    return change


def adding(name: str, more: Expr) -> Callable[[Program], Program]:
    """An edge adds something else to a ghost."""

    def change(after: Program) -> Program:
        edge = writing(name, after)

        def forged(each: Assignment) -> Assignment:
            if _named(each.target) != name:
                return each
            return Assignment(each.target, Binary(BinaryOp.ADD, Read(each.target), more))

        return with_command(
            after,
            edge.id,
            lambda c: replace(c, assignments=tuple(map(forged, c.assignments))),
        )

    return change


def asking(condition: Expr) -> Callable[[Program], Program]:
    """An edge has one more condition."""
    return lambda after: with_command(
        after, after.edges[0].id, lambda c: replace(c, guard=conjunction([c.guard, condition]))
    )


def everywhere(after: Program) -> Program:
    """The condition that nobody runs is moved to another edge."""
    nobody = Binary(BinaryOp.EQ, Read(VariablePlace(PoolGhosts.of("f").running)), number(0))
    guarded = next(e for e in after.edges if nobody in set(conjuncts(e.action.guard)))
    freed = with_command(after, guarded.id, lambda c: replace(c, guard=TRUE))
    creating = writing("$f.count", after)
    return with_command(
        freed, creating.id, lambda c: replace(c, guard=conjunction([c.guard, nobody]))
    )


def reading(after: Program) -> Program:
    """A variable of the program gets the value of a ghost."""
    edge = next(
        e
        for e in after.edges
        if isinstance(e.action, Command)
        and any(_named(a.target) == "d" for a in e.action.assignments)
    )
    value = Read(VariablePlace(PoolGhosts.of("f").finished))
    return with_command(
        after,
        edge.id,
        lambda c: replace(
            c,
            assignments=tuple(
                Assignment(a.target, value) if _named(a.target) == "d" else a
                for a in c.assignments
            ),
        ),
    )


COUNT, OWN = "$f.count", "$c.own"
PROGRAMS: dict[str, Callable[[Program], Program]] = {
    "a creation is not counted": without(COUNT),
    "a creation counts twice": adding(COUNT, number(2)),
    "a begin is not counted": without("$f.running"),
    "an end is not counted": without("$f.finished"),
    "what a thread added is lost": without("$c.settled"),
    "what a thread added counts twice": adding(
        "$c.settled",
        Binary(BinaryOp.MUL, number(2), Read(VariablePlace(Variable(OWN, INT, Scope.LOCAL)))),
    ),
    "an addition is lost": without(OWN),
    "something else is added": adding(OWN, number(100)),
    "a condition more": asking(Binary(BinaryOp.EQ, number(0), number(1))),
    "a condition elsewhere": everywhere,
    "a ghost is read": reading,
    "a location is another": lambda after: with_edge(
        after, after.edges[0].id, target=after.edges[1].target
    ),
}


@pytest.mark.parametrize("forge", PROGRAMS.values(), ids=PROGRAMS)
def test_another_program_is_refused(forge: Callable[[Program], Program]) -> None:
    after = with_accounts(program())
    forged = forge(after)
    assert forged != after
    with pytest.raises(Refuted):
        check_ghosts(program(), forged, told())


# -- the program before --------------------------------------------------------------------------


def changed_cells(value: Expr, to: Expr) -> Callable[[Program], Program]:
    """A status that is set gets another value."""

    def change(before: Program) -> Program:
        edge = next(
            e
            for e in before.edges
            if isinstance(e.action, Command)
            and any(a.value == value for a in e.action.assignments)
        )
        return with_command(
            before,
            edge.id,
            lambda c: replace(
                c,
                assignments=tuple(
                    Assignment(a.target, to) if a.value == value else a for a in c.assignments
                ),
            ),
        )

    return change


def begin(before: Program) -> Edge:
    entry = before.procedure["f"].entry
    return next(edge for edge in before.edges if edge.source == entry)


def finish(before: Program) -> Edge:
    return next(
        e
        for e in before.procedure["f"].edges
        if isinstance(e.action, Command) and any(a.value == FINISHED for a in e.action.assignments)
    )


BEFORE: dict[str, Callable[[Program], Program]] = {
    "created threads have finished": changed_cells(STARTED, FINISHED),
    "finished threads are started": changed_cells(FINISHED, STARTED),
    "threads do not wait": lambda p: with_command(
        p, begin(p).id, lambda c: replace(c, guard=TRUE)
    ),
    "threads begin again": lambda p: with_edge(p, finish(p).id, target=begin(p).source),
    "threads go on": lambda p: with_edge(p, finish(p).id, target=begin(p).target),
    "another first value": lambda p: replace(
        p,
        globals=tuple(
            replace(d, initial=p.globals[-1].initial) if d.variable.name == "c" else d
            for d in p.globals
        ),
    ),
    "any value": lambda p: with_command(
        p,
        edge_of(p, "d = 1").id,
        lambda c: replace(c, havocs=(VariablePlace(told().sums[0].variable),)),
    ),
}


@pytest.mark.parametrize("forge", BEFORE.values(), ids=BEFORE)
def test_another_program_before_is_refused(forge: Callable[[Program], Program]) -> None:
    forged = forge(program())
    assert forged != program()
    with pytest.raises(Refuted):
        check_ghosts(forged, with_accounts(program()), told())


# -- where all were joined -----------------------------------------------------------------------


def check(forged: Joins, done: list[LocId] | None = None) -> None:
    places = sorted(claims().all_done) if done is None else done
    Joined(program(), lambda: None).check(forged, places, sure())


def test_right_claims_are_accepted() -> None:
    check(claims())


def _replaced(each: Claims, changes: dict[str, Any]) -> Claims:
    return replace(each, **changes)


def with_claims(change: Callable[..., object], kind: str) -> Joins:
    """Claims of one kind, changed at all locations."""
    found = {
        here: _replaced(each, {kind: tuple(map(change, getattr(each, kind)))})
        for here, each in claims().claims.items()
    }
    return replace(claims(), claims=found)


def more_done(each: Done) -> Done:
    return Done((each.below[0], each.below[1] + 1))


def more_stored(each: Stored) -> Stored:
    return replace(each, high=(each.high[0], each.high[1] + 1))


def shifted(each: Stored) -> Stored:
    return replace(each, displacement=each.displacement + 1)


def next_thread(each: Named) -> Named:
    return Named(each.handle, (each.number[0], each.number[1] + 1))


def invented(number_of: int) -> Joins:
    """That all have finished is claimed at a location where nothing says so."""
    here = sorted(claims().claims)[number_of]
    known = claims().claims[here]
    everything = replace(known, done=(Done((claims().counter, 0)),))
    return replace(claims(), claims={**claims().claims, here: everything})


def test_more_is_refused() -> None:
    forged = [
        with_claims(more_done, "done"),
        with_claims(more_stored, "stored"),
        with_claims(shifted, "stored"),
        with_claims(next_thread, "named"),
    ]
    for each in forged:
        assert each != claims()
        with pytest.raises(Refuted):
            check(each)


def test_invented_claims_are_refused() -> None:
    refused = 0
    for k, here in enumerate(sorted(claims().claims)):
        if here in claims().all_done or here == program().procedure["main"].entry:
            continue
        try:
            check(invented(k), [here])
        except Refuted:
            refused += 1
    wanted = len(claims().claims) - len(claims().all_done) - 1
    assert refused >= wanted - 2, "but where no thread was created yet"


def test_locations_without_claims_are_not_reached() -> None:
    for here in claims().claims:
        rest = {place: each for place, each in claims().claims.items() if place != here}
        with pytest.raises(Refuted):
            check(replace(claims(), claims=rest))


def test_all_are_joined_only_behind_the_joins() -> None:
    creating = writing("$f.count", with_accounts(program())).target
    with pytest.raises(Refuted):
        check(claims(), [creating])


def test_claims_are_about_what_others_do_not_change() -> None:
    other = Variable("d", INT, Scope.GLOBAL)
    forged = with_claims(lambda each: Done((other, each.below[1])), "done")
    with pytest.raises(Refuted, match="others may change"):
        check(forged)


def test_handles_of_other_threads_are_refused() -> None:
    entry = program().procedure["main"].entry
    handle = sure()[0][1]
    with pytest.raises(Refuted):
        Joined(program(), lambda: None).check(claims(), [], [(entry, handle)])


def test_another_creator_is_refused() -> None:
    with pytest.raises(Refuted, match="single"):
        check(replace(claims(), creator="f"))


# -- certificates --------------------------------------------------------------------------------

ORDERS: dict[str, tuple[Step, ...]] = {
    "accounts alone": (Account(),),
    "accounts behind": (Parametrise(), Account()),
    "accounts twice": (Account(), Account(), Parametrise()),
    "accounts and tallies": (Account(), Tally()),
    "accounts and more": (Account(), Parametrise(), Tally()),
    "interrupted first": (Interrupt(), Parametrise()),
    "interrupted in between": (Account(), Interrupt(), Parametrise()),
    "interrupted twice": (Parametrise(), Interrupt(), Interrupt()),
    "interrupted without a parametric abstraction": (Account(), Interrupt()),
}


@pytest.mark.parametrize("steps", ORDERS.values(), ids=ORDERS)
def test_other_orders_of_steps_are_refused(steps: tuple[Step, ...]) -> None:
    names = tuple(p.name for p in program().properties if p.name.startswith("assert"))
    about = program_hash(program())
    inner = RepresentativesCertificate(about, names, 1, ())
    with pytest.raises(Refuted, match=r"accounts|change"):
        check_certificate(program(), Transformed(about, names, steps, inner), lambda: None)


# -- loops inside atomic regions -----------------------------------------------------------------

LOOPING = """
int[0..9] x;
thread t[2] { int[0..9] i; atomic { while (i < 3) { i = i + 1; } x = i; } assert(x == 3); }
"""


def test_loops_inside_atomic_regions_are_interrupted() -> None:
    before = model(LOOPING)
    after = interrupt(before)
    check_interrupted(before, after)
    assert explore(after, after.properties).violated == explore(before, before.properties).violated
    assert interrupt(after) is after
    assert sum(here.atomic for here in after.locations) < sum(h.atomic for h in before.locations)


@pytest.mark.parametrize("kind", ["more atomic", "another edge", "another failure", "fewer"])
def test_other_changes_are_refused(kind: str) -> None:
    before = model(LOOPING)
    after = interrupt(before)
    visible = next(h for h in before.locations if not h.atomic and h.failure is None)
    forged = {
        "more atomic": with_location(after, visible.id, atomic=True),
        "another edge": with_edge(after, after.edges[0].id, target=visible.id),
        "another failure": replace(after, properties=()),
        "fewer": replace(after, procedures=()),
    }[kind]
    with pytest.raises(Refuted):
        check_interrupted(before, forged)
