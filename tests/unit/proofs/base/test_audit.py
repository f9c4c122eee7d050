"""Audits: runs look at what certificates claim, and break what is false."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tests.unit.proofs.base.audited import NOTHING, accepted, broken_by, c_program, prove
from tests.unit.semantics.running import model
from threadwise.ir.program import Program
from threadwise.proofs.base import auditing
from threadwise.proofs.base.audit import Audit, Contradicted
from threadwise.proofs.base.auditing import LEAST, audit_certificate
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.runs import Runs
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.state_set.row_index import RowIndex
from threadwise.proofs.state_set.table import Columns, StateTable
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.oracle import explore
from threadwise.semantics.recorded_moves import follow, initial_state
from threadwise.semantics.state import Move, State
from threadwise.semantics.step import Interpreter

COUNTER = model("""
    int[0..4] x;
    thread t[2] { int[0..4] r; r = x; if (r < 4) { x = r + 1; } }
    invariant small: x <= 2; invariant one: x <= 1;
""")
LOCKED = model("""
    mutex m; int[0..2] x; int[0..9] y;
    thread t { while (true) { acquire(m); x = 1; x = 0; release(m); } }
    thread u { acquire(m); assert(x == 0); release(m); havoc y; }
    race_free x;
""")
MANY_INPUTS = model("""
    int x, y;
    thread t { havoc x; if (x == 77777) { y = 1; } }
    invariant never: y == 0;
""")


# -- runs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", [COUNTER, LOCKED])
def test_small_programs_are_seen_completely(program: Program) -> None:
    runs = Runs(program, 0)
    visited = set[State]()
    for start, steps in runs:
        visited.add(start)
        visited.update(after for _, _, after in steps)
    assert visited == explore(program, ()).states
    assert runs.states == len(visited)


def test_every_run_is_a_run() -> None:
    interpreter = Interpreter(LOCKED)
    seen = 0
    for start, steps in Runs(LOCKED, 3):
        state = initial_state(interpreter, start.g.cells)
        assert state == start
        for before, move, after in steps:
            assert before == state
            state = follow(interpreter, before, move)
            assert state == after
            seen += 1
    assert seen > 20


def moves_of(seed: int) -> list[Move]:
    return [move for _, steps in Runs(LOCKED, seed) for _, move, _ in steps]


def test_the_seed_decides() -> None:
    assert moves_of(1) == moves_of(1)
    assert moves_of(1) != moves_of(2)


def test_of_many_inputs_some_are_drawn_and_constants_among_them() -> None:
    reached = Counter(
        after.g.cells[1] for _, steps in Runs(MANY_INPUTS, 0) for _, _, after in steps
    )
    assert reached[1] > 0


# -- what an audit says -------------------------------------------------------------------------


def test_it_says_how_closely_it_looked() -> None:
    proof = prove(COUNTER, "explicit", "small")
    audit = accepted(COUNTER, proof)
    states = len(explore(COUNTER, ()).states)
    assert (audit.states, audit.complete) == (states, True)
    assert audit.locations == audit.claimed_locations
    assert audit.evaluated is not None
    assert audit.evaluated["the set contains the state"] >= states
    assert audit.never == ()


def test_claims_that_no_run_looked_at_are_named() -> None:
    assert Audit(1, True, 1, 1, {"a": 0, "b": 2}).never == ("a",)
    assert Audit(1, True, 1, 1, None).never == ()


def test_a_program_with_more_states_is_seen_in_part() -> None:
    program = model("""
        int[0..9] a, b, c, d;
        thread t[2] { while (true) { either { havoc a; } or { havoc b; } or { havoc c; } } }
        invariant fine: d == 0;
    """)
    audit = accepted(program, prove(program, "explicit", "fine"))
    assert not audit.complete
    assert audit.states >= LEAST


def test_where_there_is_any_number_of_threads_some_numbers_are_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []

    def monitor_of(program: Program, certificate: Certificate) -> None:
        tried.append([template.count for template in program.templates])

    monkeypatch.setattr(auditing, "monitor_of", monitor_of)
    program = model("int[0..1] x; thread t[*] { x = 1; } thread u { } invariant i: x <= 1;")
    audit = accepted(program, prove(program, "thread-modular", "i"))
    assert tried == [[1, 1], [2, 1], [3, 1]]
    assert audit.evaluated is None


def test_a_run_that_violates_the_property_is_a_trace() -> None:
    proof = replace(prove(COUNTER, "explicit", "small"), properties=("small", "one"))
    with pytest.raises(Contradicted) as found:
        audit_certificate(COUNTER, proof, NOTHING, lambda: None)
    assert found.value.name == "one"
    state = initial_state(Interpreter(COUNTER), found.value.run.initial)
    for move in found.value.run.moves:
        assert state is not None
        state = follow(Interpreter(COUNTER), state, move)
    assert state is not None
    assert state.g.cells == (2,)


def test_runs_end_at_limits_and_failures_without_complaint() -> None:
    """The certificate lists no state behind them, and need not."""
    program = model("""
        int[0..2] x;
        thread t { x = 1; assert(x == 0); x = 2; }
        invariant fine: x <= 1;
    """)
    proof = prove(program, "explicit", "fine")
    assert isinstance(proof, StateSetCertificate)
    stopped = Interpreter(program).is_stopped
    alive = [state for state in proof.states if not stopped(state)]
    assert len(alive) < len(proof.states)
    audit_certificate(program, replace(proof, states=alive), NOTHING, lambda: None)


def test_it_stops_when_it_is_told_to() -> None:
    class EnoughError(Exception):
        pass

    def tick() -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        audit_certificate(COUNTER, prove(COUNTER, "explicit", "small"), NOTHING, tick)


# -- all states ---------------------------------------------------------------------------------

HEAP = c_program("""
    #include <pthread.h>
    #include <stdlib.h>
    #include <assert.h>
    struct cell { int v; struct cell *next; } *top;
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
    void *push(void *a) {
        struct cell *c = malloc(sizeof *c);
        if (!c) return 0;
        c->v = 1;
        pthread_mutex_lock(&m); c->next = top; top = c; pthread_mutex_unlock(&m);
        return 0;
    }
    int main(void) {
        pthread_t t;
        pthread_create(&t, 0, push, 0);
        push(0);
        pthread_mutex_lock(&m); if (top) assert(top->v == 1); pthread_mutex_unlock(&m);
        pthread_join(t, 0);
    }
""")


@pytest.mark.parametrize("program", [COUNTER, LOCKED, HEAP])
def test_true_sets_of_states_pass(program: Program) -> None:
    for seed in range(5):
        accepted(program, prove(program, "explicit"), seed)


@pytest.mark.slow
@pytest.mark.parametrize("program", [COUNTER, LOCKED, HEAP])
def test_a_set_without_some_state_is_broken(program: Program) -> None:
    proof = prove(program, "explicit")
    assert isinstance(proof, StateSetCertificate)
    stopped = Interpreter(program).is_stopped
    for number, state in enumerate(proof.states):
        if not stopped(state):
            fewer = [*proof.states[:number], *proof.states[number + 1 :]]
            run = broken_by(program, replace(proof, states=fewer))
            assert len(run.moves) < len(proof.states)


def test_a_table_is_looked_up_like_a_list() -> None:
    states = list(explore(LOCKED, ()).states)
    layout = Interpreter(LOCKED).layout
    table = StateTable.of(states[1:], Columns(LOCKED, layout))
    index = RowIndex(table)
    assert all(state in index for state in states[1:])
    assert states[0] not in index
    proof = prove(LOCKED, "explicit")
    accepted(LOCKED, replace(proof, states=StateTable.of(states, Columns(LOCKED, layout))))
    running = [state for state in states if not Interpreter(LOCKED).is_stopped(state)]
    less = StateTable.of(
        [state for state in states if state != running[0]], Columns(LOCKED, layout)
    )
    broken_by(LOCKED, replace(proof, states=less))


# -- R and G ------------------------------------------------------------------------------------


@pytest.mark.parametrize("program", [COUNTER, LOCKED])
def test_true_pairs_pass(program: Program) -> None:
    for seed in range(5):
        audit = accepted(program, prove(program, "thread-modular", symmetry=False), seed)
        assert audit.never == ()


def pairs() -> ThreadModularCertificate:
    proof = prove(LOCKED, "thread-modular", symmetry=False)
    assert isinstance(proof, ThreadModularCertificate)
    return proof


def test_r_without_a_pair_that_is_reached_is_broken() -> None:
    proof = pairs()
    for state in explore(LOCKED, ()).states:
        for thread, l in enumerate(state.locals):
            pair = proof.globals.index(state.g.cells), l
            fewer = [each for each in proof.reached[thread] if each != pair]
            reached = [*proof.reached[:thread], fewer, *proof.reached[thread + 1 :]]
            broken_by(LOCKED, replace(proof, reached=reached))


def test_g_without_a_change_that_is_made_is_broken() -> None:
    proof = pairs()
    changes = {
        (move.thread, before.g.cells, after.g.cells)
        for before in explore(LOCKED, ()).states
        for move, after in Interpreter(LOCKED).successors(before)
        if before.g != after.g
    }
    for thread, before, after in changes:
        change = proof.globals.index(before), proof.globals.index(after)
        fewer = [each for each in proof.guarantees[thread] if each != change]
        assert len(fewer) == len(proof.guarantees[thread]) - 1
        guarantees = [*proof.guarantees[:thread], fewer, *proof.guarantees[thread + 1 :]]
        run = broken_by(LOCKED, replace(proof, guarantees=guarantees))
        assert run.moves[-1].thread == thread


def test_a_store_that_is_not_listed_is_missed() -> None:
    proof = pairs()
    other = [tuple(9 for _ in cells) for cells in proof.globals[:1]]
    broken_by(LOCKED, replace(proof, globals=[*other, *proof.globals[1:]]))
