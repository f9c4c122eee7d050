"""Evidence is tested by breaking it: whatever still passes must be right.

Mutants of traces are compared with the graph of all states. A certificate that claims a property
which brute force violates must be refused whatever it contains; mutants of good certificates are
refused unless what they claim is still a proof.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tests.property.comparison import nothing
from tests.property.evidence_samples import TEXTS, Sample, sample
from threadwise.ir.program import LocId
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.properties import PropertyChecker
from threadwise.semantics.state import Choice, Move, State
from threadwise.semantics.step import Interpreter
from threadwise.traces.replay import ReplayFailure, replay
from threadwise.traces.trace import Trace

ROUNDS = 25
NAMES = sorted(TEXTS)
WITH_TABLES = [name for name in NAMES if name != "procedures"]
WITH_TRACES = [name for name in NAMES if name not in ("atomics", "locked")]


def test_samples_are_varied() -> None:
    samples = [sample(name) for name in NAMES]
    kinds = {p.kind for s in samples for p in s.program.properties if p.name in s.oracle.violated}
    assert {kind.value for kind in kinds} == {
        "assertion",
        "deadlock",
        "invariant",
        "mutex",
        "race",
        "range",
    }
    assert [name for name in NAMES if sample(name).tables] == WITH_TABLES
    assert [name for name in NAMES if sample(name).traces] == WITH_TRACES
    assert all(s.states.properties for s in samples)


@pytest.mark.parametrize("name", NAMES)
def test_evidence_is_accepted_as_it_is(name: str) -> None:
    given = sample(name)
    check_certificate(given.program, given.states, nothing)
    assert {trace.property for trace in given.traces} == set(given.violated)
    for trace in given.traces:
        replay(given.program, trace)
    if given.tables is not None:
        check_certificate(given.program, given.tables, nothing)


# -- traces ---------------------------------------------------------------------------------------

Graph = dict[State, dict[Move, State]]


@cache
def graph(name: str) -> Graph:
    """All transitions of a program."""
    given = sample(name)
    interpreter = Interpreter(given.program)
    return {state: dict(interpreter.successors(state)) for state in given.oracle.states}


def is_valid(name: str, trace: Trace) -> bool:
    """Whether a trace is a path in the graph that ends in a violation of its property."""
    given = sample(name)
    if trace.program_hash != given.states.program_hash or trace.counts:
        return False
    interpreter = Interpreter(given.program)
    kinds = [type(value) for value in trace.initial]  # 0 is not false
    here = [
        state
        for state in interpreter.initial_states()
        if state.g.cells == trace.initial and list(map(type, state.g.cells)) == kinds
    ]
    for move in trace.moves:
        here = [after for state in here if (after := graph(name)[state].get(move)) is not None]
    named = [p for p in given.program.properties if p.name == trace.property]
    checker = PropertyChecker(interpreter)
    return any(checker.violated(checked, state) for state in here for checked in named)


def trace_mutants(given: Sample, trace: Trace, rng: random.Random) -> Iterator[Trace]:
    moves = list(trace.moves)
    every_edge = [edge.id for edge in given.program.edges]
    for k, (thread, choices) in enumerate(moves):
        yield replace(trace, moves=(*moves[:k], *moves[k + 1 :]))
        yield replace(trace, moves=(*moves[: k + 1], *moves[k:]))
        yield replace(trace, moves=tuple(moves[:k]))
        if k:
            swapped = [*moves[: k - 1], moves[k], moves[k - 1], *moves[k + 1 :]]
            yield replace(trace, moves=tuple(swapped))
        others = [
            Move(thread + 1, choices),
            Move(-1, choices),
            Move(thread, ()),
            Move(thread, (*choices, choices[-1])),
            Move(thread, choices[:-1]),
            Move(thread, (Choice(rng.choice(every_edge), choices[0].values), *choices[1:])),
            *(
                Move(thread, (*choices[:-1], Choice(choices[-1].edge, values)))
                for values in [(), (0,), (1,), (2,), (99,), (None,)]
            ),
        ]
        for other in others:
            yield replace(trace, moves=(*moves[:k], other, *moves[k + 1 :]))
    for slot, value in enumerate(trace.initial):
        for changed in (0, 1, 2, 99, False, True, None):
            if changed is not value:
                cells = (*trace.initial[:slot], changed, *trace.initial[slot + 1 :])
                yield replace(trace, initial=cells)
    yield replace(trace, initial=trace.initial[1:])
    yield replace(trace, initial=())
    for checked in given.program.properties:
        yield replace(trace, property=checked.name)
    yield replace(trace, property="no such property")
    yield replace(trace, program_hash="0" * 64)
    yield replace(trace, counts={"t": 2})
    yield replace(trace, counts={"nobody": 2})


@pytest.mark.parametrize("name", WITH_TRACES)
def test_mutated_traces(name: str) -> None:
    given = sample(name)
    rng = random.Random(name)
    refused = 0
    for trace in given.traces:
        for mutant in trace_mutants(given, trace, rng):
            valid = is_valid(name, mutant)
            try:
                replay(given.program, mutant)
            except ReplayFailure:
                assert not valid, mutant
                refused += 1
            else:
                assert valid, mutant
    assert refused > 5 * len(given.traces)


def test_trace_of_another_program_is_refused() -> None:
    given, other = sample("unlocked"), sample("choices")
    with pytest.raises(ReplayFailure, match="another program"):
        replay(other.program, given.traces[0])


# -- certificates ---------------------------------------------------------------------------------


def is_refused(given: Sample, certificate: StateSetCertificate | ThreadModularCertificate) -> bool:
    """Whether the checker refuses; any other exception is a defect."""
    try:
        check_certificate(given.program, certificate, nothing)
    except Refuted:
        return True
    return False


@pytest.mark.parametrize("name", NAMES)
def test_no_certificate_claims_what_is_violated(name: str) -> None:
    given = sample(name)
    certificates = [c for c in (given.states, given.tables) if c is not None]
    for certificate in certificates:
        for violated in given.violated:
            assert is_refused(given, replace(certificate, properties=(violated,)))
            also = (*certificate.properties, violated)
            assert is_refused(given, replace(certificate, properties=also))
        assert is_refused(given, replace(certificate, properties=("no such property",)))
        assert is_refused(given, replace(certificate, program_hash="0" * 64))


@pytest.mark.parametrize("name", NAMES)
def test_every_state_is_needed(name: str) -> None:
    """All states are reachable, so a set that lacks one is not closed."""
    given = sample(name)
    states = list(given.states.states)
    step = max(1, len(states) // ROUNDS)
    for k in range(0, len(states), step):
        kept = [*states[:k], *states[k + 1 :]]
        assert is_refused(given, replace(given.states, states=kept))
    assert is_refused(given, replace(given.states, states=[]))
    doubled = [*states, *states]
    assert not is_refused(given, replace(given.states, states=doubled))


def changed_state(given: Sample, rng: random.Random) -> State:
    """A state with one part taken from another state, or with a strange value."""
    state, other = rng.choice(given.states.states), rng.choice(given.states.states)
    thread = rng.randrange(len(state.locals))
    cells = list(state.g.cells)
    strange: Any = rng.choice([0, 1, 2, -1, 99, True, False, None, 10**30])
    match rng.randrange(7):
        case 0:
            return state._replace(g=other.g)
        case 1:
            locals_ = list(state.locals)
            locals_[thread] = other.locals[thread]
            stacks = list(state.stacks)
            stacks[thread] = other.stacks[thread]
            return state._replace(locals=tuple(locals_), stacks=tuple(stacks))
        case 2:
            locals_ = list(state.locals)
            locals_[thread] = rng.choice(other.locals)
            return state._replace(locals=tuple(locals_))
        case 3 if cells:
            cells[rng.randrange(len(cells))] = strange
            return state._replace(g=state.g._replace(cells=tuple(cells)))
        case 4:
            place = LocId(strange if type(strange) is int else 0)
            moved = state.locals[thread]._replace(pc=place)
            return _with_local(state, thread, moved)
        case 5:
            held = state.locals[thread]
            values = [strange if rng.random() < 0.5 else value for value in held.locals]
            return _with_local(state, thread, held._replace(locals=tuple(values)))
        case _:
            return state._replace(stacks=tuple(reversed(other.stacks)))


def _with_local(state: State, thread: int, l: Any) -> State:
    return state._replace(locals=(*state.locals[:thread], l, *state.locals[thread + 1 :]))


@pytest.mark.parametrize("name", NAMES)
def test_states_added_or_changed(name: str) -> None:
    given = sample(name)
    rng = random.Random(name)
    states = list(given.states.states)
    for _ in range(ROUNDS):
        changed = changed_state(given, rng)
        added = [*states, changed]
        k = rng.randrange(len(states))
        swapped = [*states[:k], changed, *states[k + 1 :]]
        is_refused(given, replace(given.states, states=added))
        if changed not in given.oracle.states:
            assert is_refused(given, replace(given.states, states=swapped))
        for violated in given.violated:
            certificate = replace(given.states, states=added, properties=(violated,))
            assert is_refused(given, certificate)


@pytest.mark.parametrize("name", [name for name in NAMES if name != "locked"])
def test_violations_cannot_be_hidden_in_state_sets(name: str) -> None:
    """Without the violating states, and without what leads there, the set is not closed."""
    given = sample(name)
    checker = PropertyChecker(Interpreter(given.program))
    by_name = {checked.name: checked for checked in given.program.properties}
    for violated in given.violated:
        bad = {s for s in given.oracle.states if checker.violated(by_name[violated], s)}
        while bad != given.oracle.states:
            kept = [state for state in given.states.states if state not in bad]
            certificate = replace(given.states, states=kept, properties=(violated,))
            assert is_refused(given, certificate)
            leading = {s for s, out in graph(name).items() if not bad.isdisjoint(out.values())}
            if leading <= bad:
                break
            bad |= leading


# -- tables ---------------------------------------------------------------------------------------

Mutation = Callable[[ThreadModularCertificate, random.Random], ThreadModularCertificate]


def drop_pair(tables: ThreadModularCertificate, rng: random.Random) -> ThreadModularCertificate:
    reached = [list(pairs) for pairs in tables.reached]
    chosen = rng.choice([pairs for pairs in reached if pairs])
    del chosen[rng.randrange(len(chosen))]
    return replace(tables, reached=reached)


def drop_guarantee(
    tables: ThreadModularCertificate, rng: random.Random
) -> ThreadModularCertificate:
    guarantees = [list(made) for made in tables.guarantees]
    chosen = rng.choice([made for made in guarantees if made])
    del chosen[rng.randrange(len(chosen))]
    return replace(tables, guarantees=guarantees)


def add_pair(tables: ThreadModularCertificate, rng: random.Random) -> ThreadModularCertificate:
    reached = [list(pairs) for pairs in tables.reached]
    source = rng.choice([pairs for pairs in reached if pairs] or [[]])
    if source:
        _, l = rng.choice(source)
        rng.choice(reached).append((rng.randrange(-1, len(tables.globals) + 1), l))
    return replace(tables, reached=reached)


def add_guarantee(
    tables: ThreadModularCertificate, rng: random.Random
) -> ThreadModularCertificate:
    guarantees = [list(made) for made in tables.guarantees]
    numbers = range(-1, len(tables.globals) + 1)
    rng.choice(guarantees).append((rng.choice(numbers), rng.choice(numbers)))
    return replace(tables, guarantees=guarantees)


def swap_threads(tables: ThreadModularCertificate, rng: random.Random) -> ThreadModularCertificate:
    order = list(range(len(tables.reached)))
    rng.shuffle(order)
    reached = [tables.reached[k] for k in order]
    if rng.random() < 0.5:
        return replace(tables, reached=reached)
    return replace(tables, reached=reached, guarantees=[tables.guarantees[k] for k in order])


def change_global(
    tables: ThreadModularCertificate, rng: random.Random
) -> ThreadModularCertificate:
    stores = [list(cells) for cells in tables.globals]
    cells = rng.choice(stores)
    cells[rng.randrange(len(cells))] = rng.choice([0, 1, 2, -1, 99, True, False, None])
    return replace(tables, globals=[tuple(cells) for cells in stores])


def change_local(tables: ThreadModularCertificate, rng: random.Random) -> ThreadModularCertificate:
    reached = [list(pairs) for pairs in tables.reached]
    pairs = rng.choice([pairs for pairs in reached if pairs] or [[]])
    if pairs:
        k = rng.randrange(len(pairs))
        g, l = pairs[k]
        strange: Any = rng.choice([0, 1, 2, -1, 99, True, False])
        if l.locals and rng.random() < 0.7:
            slot = rng.randrange(len(l.locals))
            l = l._replace(locals=(*l.locals[:slot], strange, *l.locals[slot + 1 :]))
        else:
            l = l._replace(pc=LocId(int(strange)))
        pairs[k] = (g, l)
    return replace(tables, reached=reached)


def drop_thread(tables: ThreadModularCertificate, rng: random.Random) -> ThreadModularCertificate:
    return replace(tables, reached=tables.reached[1:], guarantees=tables.guarantees[1:])


def repeat_global(
    tables: ThreadModularCertificate, rng: random.Random
) -> ThreadModularCertificate:
    """List a global store twice, and let some pairs and guarantees name the copy."""
    old, new = rng.randrange(len(tables.globals)), len(tables.globals)

    def moved(g: int) -> int:
        return new if g == old and rng.random() < 0.5 else g

    return replace(
        tables,
        globals=[*tables.globals, tables.globals[old]],
        reached=[[(moved(g), l) for g, l in pairs] for pairs in tables.reached],
        guarantees=[[(moved(a), moved(b)) for a, b in made] for made in tables.guarantees],
    )


MUTATIONS: list[Mutation] = [
    drop_pair,
    drop_guarantee,
    add_pair,
    add_guarantee,
    swap_threads,
    change_global,
    change_local,
    drop_thread,
    repeat_global,
]


@pytest.mark.parametrize("name", WITH_TABLES)
def test_every_pair_and_guarantee_is_needed(name: str) -> None:
    """R and G are least: without one member the rules are not satisfied."""
    given = sample(name)
    assert given.tables is not None
    for seed in range(ROUNDS):
        for mutate in (drop_pair, drop_guarantee, drop_thread):
            assert is_refused(given, mutate(given.tables, random.Random(seed)))


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
@pytest.mark.parametrize("name", WITH_TABLES)
def test_mutated_tables_never_prove_a_violated_property(name: str, mutate: Mutation) -> None:
    given = sample(name)
    assert given.tables is not None
    rng = random.Random(f"{name} {mutate.__name__}")
    for _ in range(ROUNDS):
        mutant = mutate(given.tables, rng)
        for _ in range(rng.randrange(3)):
            mutant = rng.choice(MUTATIONS[:-2])(mutant, rng)
        is_refused(given, mutant)
        for violated in given.violated:
            assert is_refused(given, replace(mutant, properties=(violated,)))


@pytest.mark.parametrize("name", [name for name in WITH_TABLES if name != "locked"])
def test_violations_cannot_be_hidden_in_tables(name: str) -> None:
    """Without the pairs in which a violation shows the rules are not satisfied."""
    given = sample(name)
    assert given.tables is not None
    checker = PropertyChecker(Interpreter(given.program))
    by_name = {checked.name: checked for checked in given.program.properties}
    for violated in given.violated:
        bad = [s for s in given.oracle.states if checker.violated(by_name[violated], s)]
        for thread in range(len(given.tables.reached)):
            hidden = {(state.g.cells, state.locals[thread]) for state in bad}
            reached = [list(pairs) for pairs in given.tables.reached]
            reached[thread] = [
                (g, l)
                for g, l in given.tables.reached[thread]
                if (given.tables.globals[g], l) not in hidden
            ]
            mutant = replace(given.tables, reached=reached, properties=(violated,))
            assert is_refused(given, mutant)


def test_tables_are_no_proof_for_another_program() -> None:
    given, other = sample("locked"), sample("atomics")
    assert given.tables is not None
    with pytest.raises(Refuted, match="another program"):
        check_certificate(other.program, given.tables, nothing)


def test_tables_are_no_proof_where_there_are_calls() -> None:
    given, tables = sample("procedures"), sample("locked").tables
    assert tables is not None
    forged = replace(tables, program_hash=given.states.program_hash)
    with pytest.raises(Refuted, match="calls"):
        check_certificate(given.program, forged, nothing)
