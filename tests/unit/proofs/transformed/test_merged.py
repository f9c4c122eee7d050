"""Locations that differ by idle steps only may be one; what loses behaviour is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import pytest

from tests.property.test_simplify import plain_program
from tests.unit.proofs.base.audited import prove
from tests.unit.proofs.transformed.forging import with_command, with_edge, with_location
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.ir.commands import Command
from threadwise.ir.expr import FALSE
from threadwise.ir.program import EdgeId, LocId, Program
from threadwise.ir.properties import DeadlockProperty, FailureProperty, Property, RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.audit import Broken
from threadwise.proofs.base.auditing import audit_certificate
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed import changed_runs
from threadwise.proofs.transformed.certificate import (
    Forget,
    Merge,
    TransformedCertificate,
    behind,
)
from threadwise.proofs.transformed.merged import check_merged
from threadwise.semantics.oracle import explore
from threadwise.transforms.forget import forget
from threadwise.transforms.merge import Merged, is_idle, merge

TEXT = """
mutex m; int[0..3] x; int[0..3] y; int[0..9] data; bool busy;
thread t[2] {
    bool mine;
    while (true) {
        if (data > 3) { data = 1; } else { data = 7; }
        atomic { data = 2; y = 1; data = 3; y = 2; data = 4; }
        atomic { data = 5; data = 6; }
        acquire(m); x = 1; release(m);
        data = 2;
    }
}
"""


class Case(NamedTuple):
    """A program after merging, and what it is said to be made from."""

    program: Program
    places: Sequence[LocId]
    edges: Sequence[EdgeId]


def about(text: str, *names: str) -> Program:
    program = model(text)
    return replace(program, properties=(RaceProperty("races", names),))


def claims(program: Program) -> Sequence[Property]:
    return [p for p in program.properties if isinstance(p, RaceProperty | FailureProperty)]


def accept(before: Program, case: Case | Merged) -> None:
    check_merged(before, case.program, case.places, case.edges, claims(before))


BEFORE = forget(about(TEXT, "x", "y"), ("data",))
MERGED = merge(BEFORE)
AFTER = Case(MERGED.program, MERGED.places, MERGED.edges)


def test_merging_is_accepted() -> None:
    assert len(AFTER.edges) < len(BEFORE.edges)
    accept(BEFORE, AFTER)
    same = Case(BEFORE, [here.id for here in BEFORE.locations], [edge.id for edge in BEFORE.edges])
    accept(BEFORE, same)


@pytest.mark.parametrize("seed", range(20))
def test_merging_in_random_programs_is_accepted(seed: int) -> None:
    program = plain_program(seed)
    names = [d.variable.name for d in program.globals if not d.variable.sync]
    claimed = replace(program, properties=tuple(claims(program)))
    accept(claimed, merge(claimed))
    for name in names[:2]:
        part = replace(program, properties=(RaceProperty("races", (name,)),))
        accept(part, merge(part))


@pytest.mark.parametrize("seed", range(8))
def test_merged_programs_have_the_same_races(seed: int) -> None:
    program = replace(plain_program(seed), properties=(RaceProperty("races", None),))
    name, *others = (d.variable.name for d in program.globals if not d.variable.sync)
    part = replace(program, properties=(RaceProperty("races", tuple(others)),))
    try:
        sliced = forget(part, [name])
    except Unsupported:
        pytest.skip("nothing that can be forgotten")
    for before in (program, sliced):
        assert races(before) == races(merge(before).program)


def races(program: Program) -> bool:
    return bool(explore(program, program.properties).violated)


# -- forgeries -----------------------------------------------------------------------------------


def _kept(text: str) -> EdgeId:
    return next(edge.id for edge in AFTER.program.edges if edge.text == text)


def _place(change: Callable[[list[LocId]], object]) -> Case:
    places = list(AFTER.places)
    change(places)
    return AFTER._replace(places=places)


def _inside() -> LocId:
    """A location between two writes of one step."""
    (first, _) = (edge for edge in BEFORE.edges if edge.text in ("y = 1", "y = 2"))
    assert BEFORE.locations[first.target].atomic
    return first.target


def _without(text: str) -> Case:
    """The program without an edge, which is numbered away."""
    from threadwise.analyses.graphs import numbered_again

    gone = _kept(text)
    procedures = [
        replace(p, edges=tuple(e for e in p.edges if e.id != gone))
        for p in AFTER.program.procedures
    ]
    program = replace(AFTER.program, procedures=numbered_again(procedures))
    return Case(program, AFTER.places, [e for k, e in enumerate(AFTER.edges) if k != gone])


def _opened() -> Case:
    """The step of two writes is cut in the middle."""
    inside = AFTER.places[_inside()]
    return AFTER._replace(program=with_location(AFTER.program, inside, atomic=False))


def _merged_amidst() -> Case:
    """The middle of a step is the place before it."""
    source = next(edge.source for edge in BEFORE.edges if edge.text == "acquire(m)")
    return _place(lambda places: places.__setitem__(_inside(), places[source]))


def _swapped() -> Case:
    order = list(AFTER.edges)
    order[0], order[1] = order[1], order[0]
    return AFTER._replace(edges=order)


FORGERIES: dict[str, Callable[[], Case]] = {
    "an edge that is lost": lambda: _without("x = 1"),
    "a lock that is not taken": lambda: _without("acquire(m)"),
    "a part of a step that is lost": lambda: _without("y = 2"),
    "a guard that nothing satisfies": lambda: AFTER._replace(
        program=with_command(AFTER.program, _kept("x = 1"), lambda c: replace(c, guard=FALSE))
    ),
    "a write that is lost": lambda: AFTER._replace(
        program=with_command(AFTER.program, _kept("x = 1"), lambda _: Command())
    ),
    "an edge that synchronises": lambda: AFTER._replace(
        program=with_edge(AFTER.program, _kept("x = 1"), sync=True)
    ),
    "an edge to elsewhere": lambda: AFTER._replace(
        program=with_edge(
            AFTER.program, _kept("x = 1"), target=AFTER.program.edges[_kept("x = 1")].source
        )
    ),
    "an operation that is lost": lambda: AFTER._replace(
        program=with_edge(AFTER.program, _kept("acquire(m)"), operation=None)
    ),
    "a step that is cut": _opened,
    "a step whose middle is elsewhere": _merged_amidst,
    "a location that is hidden": lambda: AFTER._replace(
        program=with_location(
            AFTER.program, AFTER.program.edges[_kept("x = 1")].source, atomic=True
        )
    ),
    "a location that is final": lambda: AFTER._replace(
        program=with_location(
            AFTER.program, AFTER.program.edges[_kept("x = 1")].source, final=True
        )
    ),
    "another entry": lambda: AFTER._replace(
        program=replace(
            AFTER.program,
            procedures=tuple(
                replace(p, entry=p.locations[-1].id) for p in AFTER.program.procedures
            ),
        )
    ),
    "edges with other origins": _swapped,
    "an origin twice": lambda: AFTER._replace(edges=[AFTER.edges[0], *AFTER.edges[:-1]]),
    "too few origins": lambda: AFTER._replace(edges=AFTER.edges[1:]),
    "too few places": lambda: AFTER._replace(places=AFTER.places[1:]),
    "a place that is another one": lambda: _place(
        lambda places: places.__setitem__(
            next(e.source for e in BEFORE.edges if e.text == "x = 1"),
            places[next(e.source for e in BEFORE.edges if e.text == "release(m)")],
        )
    ),
    "one thread fewer": lambda: AFTER._replace(
        program=replace(AFTER.program, templates=(replace(AFTER.program.templates[0], count=1),))
    ),
    "other variables": lambda: AFTER._replace(
        program=replace(AFTER.program, globals=AFTER.program.globals[1:])
    ),
    "a procedure that is lost": lambda: AFTER._replace(
        program=replace(AFTER.program, procedures=())
    ),
    "other properties": lambda: AFTER._replace(program=replace(AFTER.program, properties=())),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_what_loses_behaviour_is_refused(name: str) -> None:
    forged = FORGERIES[name]()
    assert forged != AFTER
    with pytest.raises(Refuted):
        accept(BEFORE, forged)


def test_only_steps_that_do_nothing_are_left_out() -> None:
    """Locations around a write, a wait or an operation are told to be one."""
    before = about("int[0..3] x; bool b; thread t[2] { while (true) { x = 1; await(b); } }", "x")
    places = [LocId(0) for _ in before.locations]
    (procedure,) = before.procedures
    one = replace(procedure, locations=procedure.locations[:1], edges=())
    with pytest.raises(Refuted, match="left out"):
        accept(before, Case(replace(before, procedures=(one,)), places, []))


def test_deadlocks_are_not_kept() -> None:
    with pytest.raises(Refuted, match="races and failures"):
        check_merged(BEFORE, *AFTER, [DeadlockProperty("deadlocks")])


def test_an_idle_edge_inside_a_region_is_kept() -> None:
    """Between two writes of one step there is nothing to merge with."""
    kept = [AFTER.program.edges[k] for k in range(len(AFTER.edges))]
    inside = [e for e in kept if is_idle(e) and AFTER.program.locations[e.source].atomic]
    assert inside


# -- certificates and runs -----------------------------------------------------------------------

FLAGGED = """
mutex m; int[0..3] y; int[0..9] data; bool busy;
thread t[2] {
    bool mine;
    data = 1; if (data > 2) { data = 3; } else { data = 4; }
    acquire(m); mine = !busy; if (mine) busy = true; release(m);
    data = 5;
    if (mine) { y = 2; data = 6; acquire(m); busy = false; release(m); }
}
"""


def certificate() -> tuple[Program, TransformedCertificate]:
    program = about(FLAGGED, "y")
    merged = merge(forget(program, ("data",))).program
    inner = prove(merged, "explicit", "races")
    return program, behind((Forget(("data",)), Merge()), program_hash(program), inner)


def test_a_proof_for_the_merged_program_is_one_for_the_program() -> None:
    program, found = certificate()
    proof = check_certificate(program, found, lambda: None)
    assert proof.properties == ("races",)
    assert {edge.id for edge in program.edges if edge.text == "data = 5"} <= proof.taken_edges
    assert proof.visited_locations >= {e.source for e in program.edges if "data" in e.text}
    audit_certificate(program, found, proof, lambda: None)
    read = certificate_from_json(certificate_to_json(found, LoadOptions()), "proof.json")
    assert read == found


def test_locations_are_merged_once_and_after_data_is_forgotten() -> None:
    program, found = certificate()
    for steps in ((Merge(), Forget(("data",))), (Forget(("data",)), Merge(), Merge())):
        forged = replace(found, steps=steps)
        with pytest.raises(Refuted, match="a change of a changed program"):
            check_certificate(program, forged, lambda: None)


def test_runs_notice_that_too_much_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fault: locations before and after a write are one, and the write is lost."""
    program, found = certificate()
    proof = check_certificate(program, found, lambda: None)

    def faulty(before: Program) -> Merged:
        right = merge(before)
        lost = next(k for k, e in enumerate(right.program.edges) if e.text == "busy = true")
        edges = [right.edges[0] if k == lost else e for k, e in enumerate(right.edges)]
        return replace(right, edges=edges)

    monkeypatch.setattr(changed_runs, "merge", faulty)
    with pytest.raises(Broken):
        audit_certificate(program, found, proof, lambda: None)
