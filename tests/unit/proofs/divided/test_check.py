"""Proofs of races variable by variable: what they accept, and near misses that they refuse."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial

import pytest

from tests.unit.proofs.base.audited import c_program, prove
from tests.unit.semantics.running import model
from threadwise.core.load_options import LoadOptions
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.auditing import audit_certificate
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate, explain_proof, summarise
from threadwise.proofs.divided.audit import AT_ONCE, DividedMonitor
from threadwise.proofs.divided.certificate import DividedCertificate, Part, part_of
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.semantics.state import GlobalStore, Move, State

PROGRAM = model("""
mutex m; int[0..3] x; int[0..3] y; bool busy;
thread t[2] {
    acquire(m); x = 1; release(m);
    acquire(m); if (!busy) { busy = true; release(m); y = 2; acquire(m); busy = false; }
    release(m);
}
""")
VARIABLES = ("x", "busy"), ("y", "m")


def part(program: Program, variables: tuple[str, ...], engine: str) -> Part:
    return Part(variables, prove(part_of(program, "races", variables), engine, "races"))


def divided(*parts: Part, program: Program = PROGRAM) -> DividedCertificate:
    return DividedCertificate(program_hash(program), ("races",), parts)


LOCKED = part(PROGRAM, VARIABLES[0], "locksets")
FLAGGED = part(PROGRAM, VARIABLES[1], "explicit")
WHOLE = divided(LOCKED, FLAGGED)


def nothing() -> None:
    pass


def test_parts_that_are_about_all_variables_prove_the_whole() -> None:
    proof = check_certificate(PROGRAM, WHOLE, nothing)
    assert proof.properties == ("races",)
    assert {location.name for location in proof.locations["races"]} >= {"x", "y"}
    assert all(location.is_proved for location in proof.locations["races"])
    audit_certificate(PROGRAM, WHOLE, proof, nothing)


def test_files_keep_the_parts() -> None:
    read = certificate_from_json(certificate_to_json(WHOLE, LoadOptions()), "proof.json")
    assert read == WHOLE
    check_certificate(PROGRAM, read, nothing)


def test_it_is_explained_part_by_part() -> None:
    assert "2 proofs" in summarise(WHOLE).words
    assert explain_proof(PROGRAM, WHOLE)


def test_a_variable_without_a_part_is_noticed() -> None:
    with pytest.raises(Refuted, match="no part is about `m`"):
        check_certificate(PROGRAM, divided(LOCKED), nothing)


def test_a_proof_of_other_variables_is_none_of_these() -> None:
    stretched = Part(("x", "busy", "y", "m"), LOCKED.proof)
    with pytest.raises(Refuted, match="another program"):
        check_certificate(PROGRAM, divided(stretched), nothing)


def test_a_proof_that_is_renamed_is_checked_again() -> None:
    everything = ("x", "busy", "y", "m")
    named = replace(LOCKED.proof, program_hash=program_hash(part_of(PROGRAM, "races", everything)))
    with pytest.raises(Refuted):
        check_certificate(PROGRAM, divided(Part(everything, named)), nothing)


def test_a_part_that_claims_its_property_in_part_is_none() -> None:
    everything = ("x", "busy", "y", "m")
    lie = replace(
        LOCKED.proof,
        program_hash=program_hash(part_of(PROGRAM, "races", everything)),
        properties=(),
        partial=("races",),
    )
    with pytest.raises(Refuted, match="something else"):
        check_certificate(PROGRAM, divided(Part(everything, lie)), nothing)


def test_only_races_are_divided() -> None:
    program = model("int[0..3] x; thread t[2] { x = 1; assert(x == 1); }")
    claimed = DividedCertificate(program_hash(program), ("assert:1",), ())
    with pytest.raises(Refuted, match="about races"):
        check_certificate(program, claimed, nothing)


def test_pointers_are_refused() -> None:
    program = c_program("""
        #include <pthread.h>
        #include <stdlib.h>
        int *p;
        void *run(void *v) { *p = 1; return 0; }
        int main(void) {
            pthread_t t;
            p = malloc(sizeof(int));
            pthread_create(&t, 0, run, 0);
            return 0;
        }
    """)
    with pytest.raises(Refuted, match="a heap"):
        check_certificate(program, divided(program=program), nothing)


class Watcher:
    """Notes the runs that it is shown."""

    def __init__(self) -> None:
        self.evaluated: Counter[str] = Counter()

    def start(self, state: State) -> None:
        self.evaluated["runs"] += 1

    def step(self, before: State, move: Move, after: State) -> None:
        self.evaluated["steps"] += 1


def _as_it_is(watcher: Watcher) -> Watcher:
    return watcher


@pytest.mark.parametrize(("parts", "runs"), [(1, 3), (4, 3), (5, 10), (11, 11), (30, 30)])
def test_every_part_watches_runs_in_turn(parts: int, runs: int) -> None:
    watchers = [Watcher() for _ in range(parts)]
    monitor = DividedMonitor([partial(_as_it_is, watcher) for watcher in watchers])
    state = State(GlobalStore(()), (), ())
    for _ in range(runs):
        monitor.start(state)
        monitor.step(state, Move(0, ()), state)
    shown = [watcher.evaluated["runs"] for watcher in watchers]
    assert max(shown) - min(shown) <= 1
    assert min(shown) == min(AT_ONCE, parts) * runs // parts
    assert shown == [watcher.evaluated["steps"] for watcher in watchers]
    assert monitor.evaluated["runs"] == sum(shown)


def test_runs_that_break_any_part_are_noticed() -> None:
    """A part that claims too little of `busy` is one of many."""
    proof = replace(check_certificate(PROGRAM, WHOLE, nothing), found=None)
    states = FLAGGED.proof
    assert isinstance(states, StateSetCertificate)
    lie = Part(FLAGGED.variables, replace(states, states=states.states[:3]))
    with pytest.raises(Broken):
        audit_certificate(PROGRAM, divided(*(LOCKED,) * 9, lie), proof, nothing)
