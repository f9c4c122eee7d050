"""State-set certificates: each obligation, broken on purpose."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.semantics import heap_programs as memory
from tests.unit.semantics.running import model
from threadwise.core.errors import BudgetExhausted
from threadwise.ir.expr import IsValid, Read
from threadwise.ir.fold import number
from threadwise.ir.program import EdgeId, LocId, Program
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import Address
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.semantics.oracle import explore
from threadwise.semantics.state import Frame, HeapObject, LocalStore, State

PROGRAM = model("""
    int[0..3] x; tid o;
    int[0..3] f(int[0..3] p) { return p; }
    thread t[2] { int[0..3] r; r = f(1); x = r; }
    invariant small: x <= 1; invariant zero: x == 0;
""")


def whole(program: Program, *names: str) -> StateSetCertificate:
    states = sorted(explore(program, ()).states, key=repr)
    return StateSetCertificate(program_hash(program), names, states)


GOOD = whole(PROGRAM, "small", "range")


def check(certificate: StateSetCertificate, program: Program = PROGRAM) -> CheckedProof:
    return check_certificate(program, certificate, lambda: None)


def test_the_whole_set_is_a_proof() -> None:
    proof = check(GOOD)
    assert proof.properties == ("small", "range")
    assert len(proof.taken_edges) == len([e for e in PROGRAM.edges if e.span])


def refused(certificate: StateSetCertificate, message: str, program: Program = PROGRAM) -> None:
    with pytest.raises(Refuted, match=message):
        check(certificate, program)


def test_the_program_must_be_the_same() -> None:
    refused(replace(GOOD, program_hash="x"), "another program")


def test_properties_must_exist() -> None:
    refused(replace(GOOD, properties=("smal",)), "no property `smal`")


def test_properties_must_hold() -> None:
    refused(replace(GOOD, properties=("small", "zero")), "violates `zero`")


def test_initial_states_must_be_there() -> None:
    first = next(s for s in GOOD.states if s.g.cells[0] == 0 and s.stacks == ((), ()))
    rest = [s for s in GOOD.states if s != first]
    with pytest.raises(Refuted):
        check(replace(GOOD, states=rest))
    refused(replace(GOOD, states=[]), "initial state is missing")


def test_steps_must_stay_inside() -> None:
    ended = [s for s in GOOD.states if s.g.cells[0] == 1]
    rest = [s for s in GOOD.states if s not in ended]
    refused(replace(GOOD, states=rest), r"a step of t\[[01]\] leaves")


def test_limits_are_no_proof() -> None:
    program = model("thread w() { skip; } thread t { while (true) { spawn w(); } }")
    refused(whole(program, "range"), "limit of the model", program)


def test_any_number_of_threads_is_out_of_reach() -> None:
    program = model("int[0..3] x; thread t[*] { x = 1; }")
    certificate = StateSetCertificate(program_hash(program), ("range",), [])
    refused(certificate, "any number", program)


def altered(state: State) -> list[tuple[State, str]]:
    """States that are none, and why."""
    l = state.locals[0]
    frame = Frame(EdgeId(0), ())
    return [
        (state._replace(locals=state.locals[:1]), "number of threads"),
        (state._replace(stacks=()), "number of threads"),
        (state._replace(g=state.g._replace(cells=(0,))), "number of cells"),
        (state._replace(g=state.g._replace(cells=(4, -1))), "no value of x"),
        (state._replace(g=state.g._replace(cells=(-1, -1))), "no value of x"),
        (state._replace(g=state.g._replace(cells=(True, -1))), "no value of x"),
        (state._replace(g=state.g._replace(cells=(None, -1))), "no value of x"),
        (state._replace(g=state.g._replace(cells=(Address(0, 0), -1))), "no value of x"),
        (state._replace(g=state.g._replace(cells=(0, 2))), "no value of o"),
        (state._replace(g=state.g._replace(cells=(0, -2))), "no value of o"),
        (_moved(state, l._replace(pc=LocId(999))), "nowhere"),
        (_moved(state, l._replace(pc=LocId(-1))), "nowhere"),
        (_moved(state, l._replace(locals=(0, 0, 0))), "number of cells"),
        (_moved(state, l._replace(thread=(0,))), "number of cells"),
        (state._replace(stacks=((frame,), ())), "frame"),
        (state._replace(stacks=((frame._replace(call=EdgeId(999)),), ())), "no call"),
    ]


def _moved(state: State, l: LocalStore) -> State:
    return state._replace(locals=(l, *state.locals[1:]))


@pytest.mark.parametrize("number", range(16))
def test_everything_listed_must_be_a_state(number: int) -> None:
    start = next(s for s in GOOD.states if s.stacks == ((), ()))
    strange, message = altered(start)[number]
    refused(replace(GOOD, states=[*GOOD.states, strange]), message)


def test_a_thread_in_a_procedure_needs_a_caller() -> None:
    inside = next(s for s in GOOD.states if s.stacks[0])
    orphan = inside._replace(stacks=((), inside.stacks[1]))
    refused(replace(GOOD, states=[*GOOD.states, orphan]), "does not start in the body")


def test_superfluous_states_are_harmless_if_closed() -> None:
    extra = [s._replace(g=s.g._replace(cells=(s.g.cells[0], 1))) for s in GOOD.states]
    check(replace(GOOD, states=[*GOOD.states, *extra]))


HEAP = memory.program(
    [memory.new(memory.P), memory.set_(memory.X, number(1), guard=IsValid(Read(memory.P)))],
    [memory.set_(memory.Q, Read(memory.P))],
)


@pytest.mark.parametrize(
    ("heap", "pointer", "message"),
    [
        ((), Address(4, 0), "points at no object"),
        ((), Address(-1, 0), "points at no object"),
        ((HeapObject("here", (0, None), alive=True),), Address(99, 0), "points at no object"),
        ((HeapObject("here", (0, Address(9, 0)), alive=True),), None, "points at no object"),
        ((HeapObject("there", (0, None), alive=True),), None, "none that the program allocates"),
        ((HeapObject("here", (0,), alive=True),), None, "wrong number of cells"),
        ((HeapObject("here", (None, None), alive=True),), None, "is no value of here.value"),
        ((HeapObject("here", (0, None) * 2, alive=True),), None, "wrong number of cells"),
    ],
)
def test_heaps_must_be_heaps(
    heap: tuple[HeapObject, ...], pointer: Address | None, message: str
) -> None:
    good = whole(HEAP, "races")
    start = good.states[0]
    cells = (*start.g.cells[:-1], pointer)
    strange = start._replace(g=start.g._replace(cells=cells, heap=heap))
    refused(replace(good, states=[*good.states, strange]), message, HEAP)


def test_heaps_may_be_listed() -> None:
    good = whole(model("int[0..1] x; thread t { x = 1; }"), "range")
    check(good, model("int[0..1] x; thread t { x = 1; }"))
    good = whole(HEAP)
    assert any(state.g.heap for state in good.states)
    check(good, HEAP)


def test_checking_can_be_stopped() -> None:
    def stop() -> None:
        raise BudgetExhausted("enough")

    with pytest.raises(BudgetExhausted):
        check_certificate(PROGRAM, GOOD, stop)
