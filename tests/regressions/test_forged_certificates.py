"""Forgeries by hand, of every kind: proofs of what is wrong, none of them valid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.ir.program import EdgeId, LocId, Program
from threadwise.ir.quantities import CellQuantity, LinearInvariant, LocationCount
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import UNSET
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.inductive.certificate import Conjunct, FormulaCertificate
from threadwise.proofs.interleavings.certificate import InterleavingsCertificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.persistent.certificate import PersistentCertificate
from threadwise.proofs.pushdown.certificate import PushdownCertificate
from threadwise.proofs.representatives.certificate import (
    RepresentativesCertificate,
    RepresentativesFormula,
)
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.proofs.transactions.certificate import ReductionCertificate, SummaryCertificate
from threadwise.proofs.transformed.certificate import (
    Follow,
    Forget,
    Parametrise,
    SplitLocations,
    TransformedCertificate,
)
from threadwise.semantics.oracle import explore
from threadwise.semantics.state import State
from threadwise.semantics.step import Interpreter
from threadwise.transforms.follow.names import Following
from threadwise.transforms.forget import forget
from threadwise.transforms.ghosts import IdGhost
from threadwise.transforms.parametric import parametrise

ALONE = "int[0..1] x;\nthread t { x = 1; assert(x == %s); }"
LOCKED = """
mutex m; int[0..2] x;
thread t[2] { acquire(m); x = 1; use: assert(x == %s); x = 0; release(m); }
"""
ANY_NUMBER = """
mutex m; int[0..2] x;
thread t[*] { acquire(m); x = 1; use: assert(x == %s); x = 0; release(m); }
"""
CALLED = """
int[0..2] x;
int[0..2] f(int[0..2] p) { return p; }
thread t[2] { int[0..2] r; r = f(1); assert(r == %s); }
"""
CREATED = """
int[0..2] x;
thread t() { x = 1; assert(x == %s); }
thread main { while (true) { spawn t(); } }
"""
MEETING = """
int[0..2] x;
thread t[2] { skip; use: skip; }
invariant alone: forall i, j: t. i != j ==> !(at(i, use) && at(j, use));
"""
COUNTED = """
int[0..3] n;
thread t[2] { n = n + 1; assert(n == 1); n = n - 1; }
"""
FIRST = """
int[0..1] x;
thread t[2] { if (self.index == 0) { x = 1; assert(x == %s); } }
"""
RACY = """
mutex m[2]; int[0..2] x;
thread t[2] { acquire(m[LOCK]); x = 1; release(m[LOCK]); }
race_free x;
"""


def right(text: str) -> Program:
    return model(text.replace("%s", "1").replace("LOCK", "0"))


def wrong(text: str) -> Program:
    program = model(text.replace("%s", "0").replace("LOCK", "self.index"))
    assert program.has_any_number or name_of(program) in violated(program)
    return program


@cache
def violated(program: Program) -> frozenset[str]:
    return explore(program, program.properties, 5).violated


def name_of(program: Program) -> str:
    """The property that is violated."""
    (name,) = (
        p.name for p in program.properties if p.name.startswith(("assert", "alone", "race_free"))
    )
    return name


def about(program: Program) -> tuple[str, tuple[str, ...]]:
    return program_hash(program), (name_of(program),)


@cache
def proof(text: str, engine: str, *, symmetry: bool = False) -> Any:
    """What an engine proves about the right program."""
    program = right(text)
    wanted = tuple(p for p in program.properties if p.name == name_of(program))
    options = EngineOptions(max_depth=5, symmetry=symmetry)
    task = Task(program, wanted, options, Meter(Budget(steps=20_000)))
    (found,) = (f for f in ENGINES[engine].create().run(task) if isinstance(f, Proved))
    check_certificate(program, found.certificate, lambda: None)
    return found.certificate


def carried(text: str, engine: str, *, symmetry: bool = False, **changes: Any) -> Any:
    """The proof of the right program as one of the wrong program."""
    known = program_hash(wrong(text))
    certificate = proof(text, engine, symmetry=symmetry)
    if isinstance(certificate, ReductionCertificate | SummaryCertificate) and certificate.pairs:
        certificate = replace(certificate, pairs=replace(certificate.pairs, program_hash=known))
    return replace(certificate, program_hash=known, **changes)


def states(program: Program, *, failed: bool = False) -> list[State]:
    """The reachable states, without those in which somebody failed unless these are wanted."""
    interpreter = Interpreter(program)
    found = sorted(explore(program, program.properties, 5).states, key=repr)
    return [state for state in found if failed or not interpreter.is_stopped(state)]


Forgery = tuple[Program, Certificate]
FORGERIES: dict[str, Callable[[], Forgery]] = {}


def forgery(make: Callable[[], Forgery]) -> Callable[[], Forgery]:
    FORGERIES[make.__name__] = make
    return make


# -- sets of states ------------------------------------------------------------------------------


@forgery
def the_failing_state_is_left_out() -> Forgery:
    program = wrong(ALONE)
    return program, StateSetCertificate(*about(program), states(program))


@forgery
def the_failing_thread_is_said_to_have_ended() -> Forgery:
    program = wrong(ALONE)
    end = next(l.id for l in program.locations if l.final)
    moved = [
        state._replace(locals=tuple(l._replace(pc=end) for l in state.locals))
        for state in states(program, failed=True)
    ]
    return program, StateSetCertificate(*about(program), [*states(program), *moved])


@forgery
def nothing_is_ever_written() -> Forgery:
    program = wrong(ALONE)
    unset = [s._replace(g=s.g._replace(cells=(UNSET,))) for s in states(program)]
    return program, StateSetCertificate(*about(program), [*states(program), *unset])


@forgery
def truth_values_for_numbers() -> Forgery:
    program = wrong(ALONE)
    found = [
        s._replace(g=s.g._replace(cells=tuple(map(bool, s.g.cells))))
        for s in states(program, failed=True)
    ]
    return program, StateSetCertificate(*about(program), found)


@forgery
def no_states_at_all() -> Forgery:
    program = wrong(ALONE)
    return program, StateSetCertificate(*about(program), [])


@forgery
def another_name_for_the_property() -> Forgery:
    program = wrong(ALONE)
    names = (name_of(program) + " ",)
    return program, StateSetCertificate(program_hash(program), names, states(program))


@forgery
def one_thread_stands_for_all() -> Forgery:
    program = wrong(LOCKED)
    found = states(program)
    futures = [[(0, 0)] * len(program.locations)] * 2
    return program, PersistentCertificate(*about(program), found, [0] * len(found), futures)


@forgery
def nobody_stands_for_all() -> Forgery:
    program = wrong(LOCKED)
    found = states(program)[:1]
    futures = [[(-1, -1)] * len(program.locations)] * 2
    return program, PersistentCertificate(*about(program), found, [-1], futures)


# -- tables per thread ---------------------------------------------------------------------------


@forgery
def threads_meet_at_two_copies_of_a_store() -> Forgery:
    """The same store twice, so that pairs of different threads have none in common."""
    program = wrong(MEETING)
    found = states(program)
    stores = list(dict.fromkeys(s.g.cells for s in found))
    reached = [
        [(stores.index(s.g.cells) + t * len(stores), s.locals[t]) for s in found] for t in (0, 1)
    ]
    same = [(g, h) for g in range(2 * len(stores)) for h in range(2 * len(stores))]
    return program, ThreadModularCertificate(
        *about(program), [*stores, *stores], reached, [same, same]
    )


@forgery
def both_copies_have_some_pairs() -> Forgery:
    program, certificate = threads_meet_at_two_copies_of_a_store()
    assert isinstance(certificate, ThreadModularCertificate)
    start = Interpreter(program)
    last = len(certificate.globals) - 1
    more = [[*rows, (last, start.initial_local(t))] for t, rows in enumerate(certificate.reached)]
    return program, replace(certificate, reached=more)


@forgery
def guarantees_are_forgotten() -> Forgery:
    program = wrong(LOCKED)
    return program, carried(LOCKED, "thread-modular", guarantees=[[], []])


@forgery
def the_proof_of_the_right_program() -> Forgery:
    return wrong(LOCKED), carried(LOCKED, "thread-modular")


@forgery
def tables_of_one_thread_less() -> Forgery:
    certificate = carried(LOCKED, "thread-modular")
    less = {"reached": certificate.reached[:1], "guarantees": certificate.guarantees[:1]}
    return wrong(LOCKED), replace(certificate, **less)


@forgery
def calls_never_return() -> Forgery:
    certificate = carried(CALLED, "thread-modular")
    assert isinstance(certificate, PushdownCertificate)
    return wrong(CALLED), replace(certificate, callers=[[], []])


@forgery
def calls_in_a_table_without_stacks() -> Forgery:
    program = wrong(CALLED)
    found = [state for state in states(program) if not any(state.stacks)]
    stores = list(dict.fromkeys(s.g.cells for s in found))
    reached = [[(stores.index(s.g.cells), s.locals[t]) for s in found] for t in (0, 1)]
    return program, ThreadModularCertificate(*about(program), stores, reached, [[], []])


@forgery
def a_chain_that_begins_and_ends_at_once() -> Forgery:
    program = wrong(LOCKED)
    start = states(program)
    first = next(Interpreter(program).initial_states())
    assert first in start
    chain = [[[(0, l)] for l in first.locals]]
    return program, FrontierCertificate(*about(program), [first.g.cells], chain)


@forgery
def a_chain_in_which_nobody_meets() -> Forgery:
    """A step needs every thread to be somewhere: here the second one is nowhere later on."""
    certificate = carried(LOCKED, "cartesian-frontier")
    assert isinstance(certificate, FrontierCertificate)
    chain = [certificate.chain[0], *([sets[0], []] for sets in certificate.chain[1:])]
    return wrong(LOCKED), replace(certificate, chain=chain)


@forgery
def one_thread_for_any_number() -> Forgery:
    certificate = carried(ANY_NUMBER, "thread-modular", symmetry=True, counts={"t": 1})
    assert isinstance(certificate, SymmetricCertificate)
    return wrong(ANY_NUMBER), certificate


@forgery
def no_thread_for_any_number() -> Forgery:
    certificate = carried(ANY_NUMBER, "thread-modular", symmetry=True)
    assert isinstance(certificate, SymmetricCertificate)
    nobody: dict[str, Any] = {"counts": {"t": 0}, "threads": (), "reached": [], "guarantees": []}
    return wrong(ANY_NUMBER), replace(certificate, **nobody)


@forgery
def equations_that_exclude_everything() -> Forgery:
    never = LinearInvariant(((CellQuantity("x", (), None), 1),), 7)
    certificate = carried(ANY_NUMBER, "thread-modular", symmetry=True, lemmas=(never,))
    return wrong(ANY_NUMBER), certificate


# -- transactions --------------------------------------------------------------------------------


@forgery
def all_steps_move() -> Forgery:
    certificate = carried(LOCKED, "reduction")
    assert isinstance(certificate, ReductionCertificate)
    program = wrong(LOCKED)
    claims = [
        [
            row._replace(
                before_commit=True,
                after_commit=True,
                right=tuple(EdgeId(e.id) for e in program.outgoing[row.l.pc]),
                left=tuple(EdgeId(e.id) for e in program.outgoing[row.l.pc]),
            )
            for row in rows
        ]
        for rows in certificate.claims
    ]
    return program, replace(certificate, claims=claims)


@forgery
def transactions_that_never_end() -> Forgery:
    certificate = carried(LOCKED, "reduction")
    assert isinstance(certificate, ReductionCertificate)
    inside = ["L" * len(parts) for parts in certificate.parts]
    return wrong(LOCKED), replace(certificate, parts=inside, ranks=[9] * len(inside))


@forgery
def movers_without_pairs() -> Forgery:
    certificate = carried(LOCKED, "summaries")
    assert isinstance(certificate, SummaryCertificate)
    return wrong(LOCKED), replace(certificate, pairs=None)


@forgery
def summaries_of_the_right_program() -> Forgery:
    return wrong(CALLED), carried(CALLED, "summaries")


# -- formulas ------------------------------------------------------------------------------------


@forgery
def an_equation_that_says_nothing() -> Forgery:
    program = wrong(COUNTED)
    return program, CountingCertificate(*about(program), (LinearInvariant((), 0),))


@forgery
def an_equation_that_is_false_at_first() -> Forgery:
    program = wrong(COUNTED)
    return program, CountingCertificate(*about(program), (LinearInvariant((), 1),))


@forgery
def an_equation_about_one_location_only() -> Forgery:
    program = wrong(COUNTED)
    busy = program.edges[0].target
    equation = LinearInvariant(((CellQuantity("n", (), None), 1), (LocationCount(busy), -1)), 0)
    return program, CountingCertificate(*about(program), (equation,))


@forgery
def runs_that_are_shorter_than_they_are() -> Forgery:
    program = wrong(LOCKED)
    return program, InterleavingsCertificate(*about(program), (1, 1))


@forgery
def runs_of_negative_length() -> Forgery:
    program = wrong(LOCKED)
    return program, InterleavingsCertificate(*about(program), (-1, -1))


@forgery
def runs_of_some_threads_only() -> Forgery:
    program = wrong(LOCKED)
    return program, InterleavingsCertificate(*about(program), (9,))


def _formulas(program: Program, text: str, k: int = 1) -> RepresentativesCertificate:
    rows = [
        RepresentativesFormula(("t",) * k, (None,) * k, text),
    ]
    return RepresentativesCertificate(*about(program), k, rows)


@forgery
def two_representatives_of_one_thread() -> Forgery:
    program = wrong(ALONE)
    return program, RepresentativesCertificate(*about(program), 2, [])


@forgery
def nothing_is_possible() -> Forgery:
    program = wrong(ANY_NUMBER)
    return program, _formulas(program, "false")


@forgery
def what_holds_at_first_holds_for_ever() -> Forgery:
    program = wrong(ANY_NUMBER)
    return program, _formulas(program, "x == 0")


@forgery
def a_ghost_with_the_name_of_a_variable() -> Forgery:
    program = wrong(ANY_NUMBER)
    ghosts = (IdGhost("x", (EdgeId(0),)),)
    return program, replace(_formulas(program, "true"), ghosts=ghosts)


@forgery
def a_ghost_on_an_edge_that_is_none() -> Forgery:
    program = wrong(ANY_NUMBER)
    ghosts = (IdGhost("g", (EdgeId(-1),), (EdgeId(99),)),)
    return program, replace(_formulas(program, "true"), ghosts=ghosts)


@forgery
def a_proof_with_no_representative() -> Forgery:
    program = wrong(ANY_NUMBER)
    return program, _formulas(program, "true", 0)


@forgery
def an_invariant_that_is_false() -> Forgery:
    program = wrong(LOCKED)
    return program, FormulaCertificate(*about(program), (), (), (), (), (Conjunct((), 0),))


@forgery
def threads_that_are_not_alike() -> Forgery:
    certificate = carried(FIRST, "afr")
    assert isinstance(certificate, FormulaCertificate)
    return wrong(FIRST), replace(certificate, alike=("t",))


# -- changed programs ----------------------------------------------------------------------------


def _forgetting(names: tuple[str, ...]) -> Forgery:
    """All that happens in the program that has forgotten, without what goes wrong."""
    program = wrong(LOCKED)
    rest = forget(program, names)
    inner = StateSetCertificate(program_hash(rest), (name_of(program),), states(rest))
    return program, TransformedCertificate(*about(program), (Forget(names),), inner)


@forgery
def the_variable_is_forgotten() -> Forgery:
    return _forgetting(("x",))


@forgery
def nothing_is_forgotten() -> Forgery:
    return _forgetting(())


@forgery
def the_inner_proof_is_about_another_program() -> Forgery:
    program = wrong(LOCKED)
    inner = proof(LOCKED, "explicit")
    return program, TransformedCertificate(*about(program), (Forget(()),), inner)


@forgery
def the_inner_proof_claims_something_else() -> Forgery:
    program = wrong(LOCKED)
    inner = StateSetCertificate(program_hash(program), (), states(program))
    return program, TransformedCertificate(*about(program), (Forget(()),), inner)


@forgery
def a_followed_thread_that_does_not_exist() -> Forgery:
    program = wrong(ANY_NUMBER)
    inner = _formulas(program, "true")
    steps = (Follow((Following("u", (), ()),)),)
    return program, TransformedCertificate(*about(program), steps, inner)


@forgery
def an_inner_proof_of_another_kind() -> Forgery:
    program = wrong(LOCKED)
    inner = StateSetCertificate(*about(program), states(program))
    return program, TransformedCertificate(*about(program), (SplitLocations(),), inner)


@forgery
def split_locations_nobody_is_at() -> Forgery:
    program = wrong(ANY_NUMBER)
    inner = _formulas(program, "false")
    return program, TransformedCertificate(*about(program), (SplitLocations(),), inner)


@forgery
def parametric_threads_nobody_is_of() -> Forgery:
    program = wrong(CREATED)
    inner = _formulas(parametrise(program), "false")
    return program, TransformedCertificate(*about(program), (Parametrise(),), inner)


@forgery
def a_parametric_program_that_is_searched() -> Forgery:
    program = wrong(CREATED)
    inner = StateSetCertificate(*about(program), states(program))
    return program, TransformedCertificate(*about(program), (Parametrise(),), inner)


# -- locksets ------------------------------------------------------------------------------------


@forgery
def knowledge_of_the_right_program() -> Forgery:
    certificate = carried(RACY, "locksets")
    assert isinstance(certificate, LocksetCertificate)
    return wrong(RACY), certificate


@forgery
def nobody_gets_anywhere() -> Forgery:
    certificate = carried(RACY, "locksets")
    assert isinstance(certificate, LocksetCertificate)
    return wrong(RACY), replace(certificate, knowledge={})


@forgery
def every_thread_is_the_only_one() -> Forgery:
    certificate = carried(RACY, "locksets")
    assert isinstance(certificate, LocksetCertificate)
    first = LocId(0)
    lies: dict[str, Any] = {"alone": frozenset({"t"}), "absent": {"t": frozenset({"t"})}}
    known = {first: certificate.knowledge[first]}
    return wrong(RACY), replace(certificate, knowledge=known, **lies)


@pytest.mark.parametrize("name", FORGERIES)
def test_forgeries(name: str) -> None:
    program, certificate = FORGERIES[name]()
    try:
        check_certificate(program, certificate, lambda: None)
    except (Refuted, Unsupported, BudgetExhausted):
        return
    pytest.fail(f"{name} is valid")
