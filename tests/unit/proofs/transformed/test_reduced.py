"""Critical sections may be single steps; what loses a failure is refused."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from tests.unit.proofs.base.audited import accepted, broken_by, c_program, prove
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.ir.program import LocId, Program
from threadwise.ir.properties import FailureProperty, Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.transformed import changed_runs
from threadwise.proofs.transformed.certificate import (
    Parametrise,
    Reduce,
    Simplify,
    TransformedCertificate,
    behind,
)
from threadwise.proofs.transformed.order import check_order
from threadwise.proofs.transformed.reduced import check_reduced
from threadwise.semantics.oracle import explore
from threadwise.transforms.reduce import Reduced, reduce

LOCKED = """
mutex m; int[0..9] x; int[0..9] y;
thread t[2] {
    int[0..9] r;
    acquire(m);
    r = x; x = r + 1; y = x;
    assert(x == y);
    release(m);
}
"""


def failures(program: Program) -> Sequence[Property]:
    return [p for p in program.properties if isinstance(p, FailureProperty)]


def accept(before: Program, made: Reduced) -> None:
    check_reduced(before, made.program, made.held, made.protecting, failures(before))


def closed(before: Program, after: Program) -> set[LocId]:
    pairs = zip(before.locations, after.locations, strict=True)
    return {old.id for old, new in pairs if new.atomic and not old.atomic}


def closing(program: Program, chosen: set[LocId]) -> Program:
    """The program with some locations atomic."""
    return replace(
        program,
        procedures=tuple(
            replace(
                p,
                locations=tuple(
                    replace(here, atomic=here.atomic or here.id in chosen) for here in p.locations
                ),
            )
            for p in program.procedures
        ),
    )


# -- sections -------------------------------------------------------------------------------------


def test_a_critical_section_is_a_single_step() -> None:
    program = model(LOCKED)
    made = reduce(program)
    accept(program, made)
    inside = [here.id for here in program.locations if made.held.get(here.id)]
    assert inside
    assert closed(program, made.program) == {
        here for here in inside if program.locations[here].failure is None
    }
    before, after = (explore(p, p.properties) for p in (program, made.program))
    assert len(after.states) < len(before.states)
    assert made.protecting == {"x": "m", "y": "m"}


def test_a_loop_inside_a_section_can_be_interrupted() -> None:
    text = """
    mutex m; int[0..3] x;
    thread t[2] { acquire(m); while (x < 3) { x = x + 1; } release(m); }
    """
    program = model(text)
    made = reduce(program)
    accept(program, made)
    assert any(made.held.get(h.id) and not h.atomic for h in made.program.locations)


def test_what_is_set_up_before_threads_start_needs_no_lock() -> None:
    text = """
    int[0..3] x; int[0..3] n; mutex m;
    thread w() { acquire(m); x = n; x = n; release(m); }
    thread main { x = 1; n = 2; tid a = spawn w(); tid b = spawn w(); join a; join b; }
    """
    program = model(text)
    made = reduce(program)
    accept(program, made)
    assert made.protecting["x"] == "m"
    assert len(closed(program, made.program)) >= 3


@pytest.mark.parametrize(
    "text",
    [
        "int[0..3] x; thread t[2] { x = 1; x = 2; }",
        """mutex m; int[0..3] x;
        thread t[2] { bool b; b = try_acquire(m); if (b) { x = 1; x = 2; release(m); } }""",
    ],
    ids=["no lock", "a lock that is tried"],
)
def test_there_may_be_no_sections(text: str) -> None:
    with pytest.raises(Unsupported):
        reduce(model(text))


VIOLATED = {
    "inside": """
        mutex m; int[0..9] x;
        thread t[2] { acquire(m); x = x + 1; assert(x < 2); release(m); }""",
    "outside": """
        mutex m; int[0..9] x;
        thread t[2] { acquire(m); x = 1; x = 2; release(m); assert(x == 1); }""",
    "half-way, by another one": """
        mutex m; int[0..9] x; thread t { acquire(m); x = 1; x = 2; release(m); }
        thread u { assert(x != 1); }""",
    "by another lock": """
        mutex m; mutex l; int[0..9] x; thread t { acquire(m); x = 1; x = 2; release(m); }
        thread u { acquire(l); assert(x != 1); release(l); }""",
    "before a section that waits for ever": """
        mutex m; bool go; int[0..9] x;
        thread t { acquire(m); x = 1; await(go); x = 2; release(m); }
        thread u { go = x == 0; assert(!go); }""",
    "by one that gives up the lock": """
        mutex m; int[0..9] x;
        thread t[2] { acquire(m); x = 1; release(m); acquire(m); x = 0; release(m); }
        thread u { acquire(m); assert(x == 0); release(m); }""",
    "while another one is inside": """
        mutex m; int[0..9] x; bool f;
        thread t { acquire(m); f = true; x = 1; f = false; release(m); }
        thread u { assert(!f); }""",
    "after two locks": """
        mutex m; mutex l; int[0..9] x; int[0..9] y;
        thread t[2] { acquire(m); x = 1; acquire(l); y = x; x = 2; release(l); x = 3; release(m); }
        thread u { acquire(l); assert(y != 1); release(l); }""",
    "in main while threads run": """
        int[0..3] x; mutex m;
        thread w() { acquire(m); x = 1; x = 2; release(m); }
        thread main { tid a = spawn w(); acquire(m); assert(x == 0); release(m); join a; }""",
    "in main without the lock": """
        int[0..3] x; mutex m;
        thread w() { acquire(m); x = 1; x = 2; release(m); }
        thread main { tid a = spawn w(); assert(x != 1); join a; }""",
}


@pytest.mark.parametrize("text", VIOLATED.values(), ids=VIOLATED)
def test_failures_are_kept(text: str) -> None:
    program = model(text)
    before = explore(program, failures(program)).violated
    assert before
    made = reduce(program)
    accept(program, made)
    assert explore(made.program, failures(program)).violated == before


# -- near misses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("text", VIOLATED.values(), ids=VIOLATED)
def test_a_location_that_may_not_be_closed_is_refused(text: str) -> None:
    """Whatever further location is closed: it is refused, or no failure is lost."""
    program = model(text)
    made = reduce(program)
    known = explore(program, failures(program)).violated
    refused = 0
    for here in program.locations:
        if here.atomic or made.program.locations[here.id].atomic:
            continue
        more = replace(made, program=closing(made.program, {here.id}))
        try:
            accept(program, more)
        except Refuted:
            refused += 1
        else:
            assert explore(more.program, failures(program)).violated == known
    assert refused


def forged(**changes: object) -> tuple[Program, Reduced]:
    program = model(LOCKED)
    return program, replace(reduce(program), **changes)  # type: ignore[arg-type]  # as named


def test_locks_that_are_not_held_are_refused() -> None:
    program = model(LOCKED)
    entry = program.procedure[program.templates[0].body].entry
    everywhere = {here.id: frozenset({"m"}) for here in program.locations}
    for held in (everywhere, {h: t for h, t in everywhere.items() if h != entry}):
        with pytest.raises(Refuted, match="held"):
            accept(*forged(held=held))


def test_what_is_accessed_without_the_lock_is_refused() -> None:
    text = LOCKED.replace("release(m);", "release(m); y = 3;")
    program = model(text)
    made = reduce(program)
    assert "y" not in made.protecting
    both: Mapping[str, str] = {**made.protecting, "y": "m"}
    with pytest.raises(Refuted, match="`y` is accessed without `m`"):
        accept(program, replace(made, protecting=both))


def test_a_variable_that_nothing_protects_is_refused() -> None:
    with pytest.raises(Refuted, match="no right mover"):
        accept(*forged(protecting={}))


@pytest.mark.parametrize("name", ["x", "nothing"])
def test_what_is_no_lock_is_refused(name: str) -> None:
    program, made = forged(protecting={"x": name, "y": name})
    with pytest.raises(Refuted):
        accept(program, made)


def test_another_program_is_refused() -> None:
    program, made = model(LOCKED), reduce(model(LOCKED))
    with pytest.raises(Refuted, match="another program"):
        accept(program, replace(made, program=replace(made.program, name="other")))
    opened = replace(made, program=program)
    with pytest.raises(Refuted, match="another program"):
        accept(made.program, opened)


def test_only_failures_may_be_claimed() -> None:
    program, made = model(LOCKED), reduce(model(LOCKED))
    for checked in program.properties:
        if not isinstance(checked, FailureProperty):
            with pytest.raises(Refuted, match="failures only"):
                check_reduced(program, made.program, made.held, made.protecting, [checked])


@pytest.mark.parametrize(
    "use",
    ["bool b; b = try_acquire(m); if (b) { release(m); }"],
    ids=["trying"],
)
def test_a_lock_that_is_used_in_another_way_is_refused(use: str) -> None:
    program = model(LOCKED)
    other = model(LOCKED + f"thread u {{ {use} }}")
    made = reduce(program)
    here = closed(program, made.program)
    with pytest.raises(Refuted, match="in another way"):
        accept(other, Reduced(closing(other, here), made.held, made.protecting))


def test_threads_that_are_there_from_the_start_see_what_main_sets_up() -> None:
    """There is no time before threads start: x is not protected by what only one of them takes."""
    text = """
    mutex m; int[0..9] x;
    thread main { x = 1; x = 2; }
    thread u { acquire(m); x = 3; assert(x == 3); release(m); }
    """
    program = model(text)
    made = reduce(program)
    accept(program, made)
    assert "x" not in made.protecting
    assert (
        explore(made.program, failures(program)).violated
        == explore(program, failures(program)).violated
        != frozenset()
    )


def test_main_goes_on_beside_threads_that_it_starts() -> None:
    """What main does after the first thread was started is not set up before."""
    text = """
    mutex m; int[0..9] x;
    thread w() { acquire(m); x = 3; assert(x == 3); release(m); }
    thread main { tid a = spawn w(); x = 1; join a; }
    """
    program = model(text)
    made = reduce(program)
    accept(program, made)
    assert "x" not in made.protecting
    assert explore(made.program, failures(program)).violated


# -- certificates ---------------------------------------------------------------------------------


def certificate(program: Program) -> TransformedCertificate:
    made = reduce(program)
    inner = prove(made.program, "explicit", *(p.name for p in failures(program)))
    return behind((Reduce(),), program_hash(program), inner)


def test_a_proof_about_whole_sections_is_one_of_the_program() -> None:
    program = model(LOCKED)
    proof = certificate(program)
    again = certificate_from_json(certificate_to_json(proof, LoadOptions()), "proof.json")
    assert again == proof
    assert accepted(program, again).states


def test_an_audit_notices_sections_that_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """
    mutex m; int[0..9] x; bool f;
    thread t { acquire(m); f = true; x = 1; f = false; release(m); }
    thread u { bool r; r = f; assert(!r || x < 2); }
    """
    program = model(text)
    proof = certificate(program)
    wrong = closing(program, {h.id for h in program.locations if reduce(program).held.get(h.id)})
    made = replace(reduce(program), program=wrong)
    inner = prove(wrong, "explicit", *(p.name for p in failures(program)))
    monkeypatch.setattr(changed_runs, "reduce", lambda _: made)
    broken_by(program, replace(proof, inner=inner))


def test_races_are_not_claimed_of_whole_sections() -> None:
    program = model(LOCKED)
    proof = certificate(program)
    others = [p for p in program.properties if not isinstance(p, FailureProperty)]
    with pytest.raises(Refuted, match="failures only"):
        check_order(proof, others)
    twice = replace(proof, steps=(Reduce(), Simplify("skips"), Reduce()))
    with pytest.raises(Refuted, match="a change of a changed program"):
        check_order(twice, failures(program))
    later = replace(proof, steps=(Parametrise(), Reduce()))
    with pytest.raises(Refuted, match="a change of a changed program"):
        check_order(later, failures(program))


COUNTED = """
#include <assert.h>
#include <pthread.h>
int started, finished;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *w(void *a) {
    pthread_mutex_lock(&m); started++; pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m); finished++; assert(%s); pthread_mutex_unlock(&m);
    return a;
}
int main(void) {
    pthread_t t;
    for (;;)
        pthread_create(&t, 0, w, 0);
}
"""


def test_counters_under_a_lock_are_proved_for_any_number_of_threads() -> None:
    program = c_program(COUNTED % "finished <= started")
    proof = prove(program, "horn", "assert:8")
    assert isinstance(proof, TransformedCertificate)
    assert Reduce() in proof.steps
    assert accepted(program, proof).states
