"""What users say about movers: verified, used where true, refused where not, never believed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.engines.reduction.test_reduction import answers as reduce
from tests.unit.engines.summaries.test_summaries import answers as summarise
from tests.unit.semantics.running import model
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Proved, Task
from threadwise.engines.movers.classify import Movers, choose_source, classify
from threadwise.engines.movers.commutation import Commutation
from threadwise.engines.movers.statements import classify_statements
from threadwise.engines.reduction.reduction_engine import ReductionEngine
from threadwise.engines.summaries.summaries_engine import SummariesEngine
from threadwise.ir.program import Edge, MoverClaim, Program
from threadwise.ir.text.printer import print_program
from threadwise.ir.text.reader import read_program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.systems.concrete import ConcreteSystem

COUNTERS = """int[0..7] wrap x; int[0..7] wrap y;
thread t[3] {{ {claim} x = x + 1; {claim} y = y + 1; {claim} x = x + 2; assert(true); }}"""


def nothing() -> None:
    """A tick that never stops anything."""


def movers_of(program: Program) -> tuple[ConcreteSystem, Movers]:
    system = ConcreteSystem(program)
    return system, classify(choose_source(system, nothing))


def classes(text: str) -> dict[str, tuple[bool, bool, bool]]:
    """Per statement with an annotation: right, left, whether it is refuted."""
    found: dict[str, tuple[bool, bool, bool]] = {}
    for statement in classify_statements(model(text), nothing):
        least = statement.classes[0]
        if "annotated" in least.reason:
            found[statement.text] = (least.right, least.left, least.refuted)
    return found


def test_steps_that_commute_move_as_annotated() -> None:
    """Increments conflict, so nothing is inferred; but they commute."""
    plain, annotated = model(COUNTERS.format(claim="")), model(COUNTERS.format(claim="mover both"))
    for run in (reduce, summarise):
        (found, before), (same, after) = run(plain), run(annotated)
        assert found == same
        assert after.statistics.get("states") < before.statistics.get("states")


@pytest.mark.parametrize(
    ("statement", "other", "right", "left"),
    [
        ("x = x + 1;", "x = x + 1;", True, True),
        ("x = 1;", "x = 2;", False, False),
        ("x = 1;", "r = x;", False, False),
        ("x = 1;", "assume(x == 1);", False, True),  # it enables the other step
        ("assume(x == 0);", "x = 1;", False, False),  # the other step disables it
        ("assume(x != 3);", "x = 1;", True, True),
    ],
)
def test_what_commutes(statement: str, other: str, right: bool, left: bool) -> None:
    for claim, holds in (("right", right), ("left", left), ("both", right and left)):
        text = f"""int[0..3] wrap x;
thread t {{ mover {claim} {statement} }}
thread u {{ int[0..3] wrap r; {other} }}"""
        found = classes(text).get(statement.removesuffix(";"))
        expected = (claim != "left", claim != "right", False) if holds else (False, False, True)
        assert found == expected, (claim, statement)


def test_a_wrong_annotation_is_refused_where_it_stands() -> None:
    program = model(
        """int[0..3] x;
thread t { x = 1; mover both x = 2; }
thread u { assert(x != 1); }"""
    )
    for engine in (ReductionEngine(), SummariesEngine()):
        with pytest.raises(Unsupported) as refused:
            list(engine.run(Task(program, program.properties)))
        assert refused.value.span is not None
        assert (refused.value.span.line, refused.value.span.column) == (2, 30)
        assert "does not commute with `assert(x != 1)` of u at line 3" in str(refused.value)


WRONG = """int[0..1] x; int[0..1] y;
thread t { mover both x = 1; mover both y = 1; }
thread u { assume(x == 1); assert(y == 1); }"""


@pytest.mark.parametrize("engine", [ReductionEngine(), SummariesEngine()])
def test_a_believed_annotation_is_refused_by_the_checker(
    engine: ReductionEngine | SummariesEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = model(WRONG)
    (checked,) = (p for p in program.properties if p.name == "assert:3")
    monkeypatch.setattr(Commutation, "right", lambda *_: None)
    monkeypatch.setattr(Commutation, "left", lambda *_: None)
    (proof,) = engine.run(Task(program, (checked,)))
    assert isinstance(proof, Proved)  # the error is lost
    with pytest.raises(Refuted, match="does not move as claimed"):
        check_certificate(program, proof.certificate, nothing)


def test_a_left_mover_must_not_be_disabled() -> None:
    """As QRR §4 has it, `assume` of t moves left: whenever u steps first, t cannot step at all.

    Then t would finish its transaction at once, and y == 0 would never be seen.
    """
    text = """int[0..1] x; int[0..1] y; int[0..1] z;
thread t { z = 1; mover left await(x == 0) { y = 1; } }
thread u { z = 0; x = 1; assert(y == 1); }"""
    assert classes(text)["await(x == 0)"] == (False, False, True)
    assert summarise(model(text.replace("mover left", "")))[0]["assert:3"] == "UNSAFE"


def test_annotations_are_part_of_the_program() -> None:
    program = model(COUNTERS.format(claim="mover right"))
    claims = {edge.mover for edge in program.edges}
    assert claims == {MoverClaim.RIGHT, None}
    assert read_program(print_program(program)) == program


def test_an_annotation_belongs_to_the_first_edge_of_a_block() -> None:
    program = model("int[0..1] x; thread t { mover left atomic { x = 1; x = 0; } x = 1; }")
    assert [edge.mover for edge in program.edges] == [MoverClaim.LEFT, None, None, None][
        : len(program.edges)
    ]


def test_claims_that_are_inferred_anyway_cost_nothing() -> None:
    program = model("mutex m; thread t[2] { mover right acquire(m); mover left release(m); }")
    system, movers = movers_of(program)
    assert not list(movers.refuted())
    reasons = {
        movers.of(t, l, edge).reason
        for t in system.roles
        for l in movers.stores(t)
        for edge in movers.at(t, l)
    }
    assert reasons >= {"acquire of m", "release of m"}


def test_one_thread_may_claim_anything() -> None:
    text = "int[0..1] x; thread t { mover both x = 1; x = 0; }"
    assert all(not s.classes[0].refuted for s in classify_statements(model(text), nothing))


def test_any_number_of_threads_has_no_movers() -> None:
    with pytest.raises(Unsupported):
        classify_statements(model("thread t[*] { skip; }"), nothing)


def test_edges_compare_with_their_claims() -> None:
    program = model("int[0..1] x; thread t { x = 1; }")
    edge: Edge = program.edges[0]
    assert replace(edge, mover=MoverClaim.BOTH) != edge
