"""How jumps disappear: what is left of each shape of graph."""

from __future__ import annotations

from threadwise.ir.builder import Node, ProcedureBuilder, ProgramBuilder
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Assignment, Command, Return
from threadwise.ir.expr import TRUE, Binary, BinaryOp, Expr, Read, Scope, Variable, VariablePlace
from threadwise.ir.fold import number
from threadwise.ir.program import Failure, FailureKind, Procedure, Template
from threadwise.ir.text.printer import print_action
from threadwise.ir.types import INT

X = VariablePlace(Variable("x", INT, Scope.GLOBAL))


def assign(value: int) -> Command:
    return Command(assignments=(Assignment(X, number(value)),))


def graph(procedure: Procedure) -> list[str]:
    """The edges, as text."""
    return [f"{e.source}->{e.target} {print_action(e.action)}" for e in procedure.edges]


def nodes(builder: ProcedureBuilder, count: int) -> list[Node]:
    return [builder.node() for _ in range(count)]


def test_single_jump_merges() -> None:
    builder = ProcedureBuilder("p")
    a, b, c = nodes(builder, 3)
    builder.label(a, "first")
    builder.label(b, "second")
    builder.jump(a, b)
    builder.edge(b, c, assign(1))
    procedure = builder.build(0, 0)
    assert graph(procedure) == ["0->1 x := 1"]
    assert procedure.entry == 0
    assert procedure.locations[0].labels == ("first", "second")


def test_chain_of_jumps_merges() -> None:
    builder = ProcedureBuilder("p")
    a, b, c, d = nodes(builder, 4)
    builder.edge(a, b, assign(1))
    builder.jump(b, c)
    builder.jump(c, d)
    builder.edge(d, a, assign(2))
    assert graph(builder.build(0, 0)) == ["0->1 x := 1", "1->0 x := 2"]


def test_either_offers_the_edges_of_both_branches() -> None:
    builder = ProcedureBuilder("p")
    a, left, right, end = nodes(builder, 4)
    builder.label(left, "left")
    builder.jump(a, left)
    builder.jump(a, right)
    builder.edge(left, end, assign(1))
    builder.edge(right, end, assign(2))
    procedure = builder.build(0, 0)
    assert graph(procedure) == ["0->1 x := 1", "0->1 x := 2"]
    assert procedure.locations[0].labels == ("left",)


def test_branch_that_is_also_a_target_stays() -> None:
    builder = ProcedureBuilder("p")
    a, loop, other = nodes(builder, 3)
    builder.jump(a, loop)
    builder.jump(a, other)
    builder.edge(loop, loop, assign(1))
    builder.edge(other, loop, assign(2))
    assert graph(builder.build(0, 0)) == ["0->1 x := 1", "0->1 x := 2", "1->1 x := 1"]


def test_circle_of_jumps_becomes_a_skip_to_itself() -> None:
    builder = ProcedureBuilder("p")
    a, b = nodes(builder, 2)
    builder.jump(a, b)
    builder.jump(b, a)
    procedure = builder.build(0, 0)
    assert graph(procedure) == ["0->0 skip"]
    assert len(procedure.locations) == 1


def test_jump_to_the_end_merges_if_there_is_no_alternative() -> None:
    builder = ProcedureBuilder("p")
    a, b = nodes(builder, 2)
    end = builder.node(final=True)
    builder.edge(a, b, assign(1))
    builder.jump(b, end)
    procedure = builder.build(0, 0)
    assert graph(procedure) == ["0->1 x := 1"]
    assert procedure.locations[1].final


def test_jump_to_the_end_or_something_else_gets_a_skip() -> None:
    builder = ProcedureBuilder("p")
    (a,) = nodes(builder, 1)
    end = builder.node(final=True)
    builder.edge(a, a, assign(1))
    builder.jump(a, end)
    procedure = builder.build(0, 0)
    assert graph(procedure) == ["0->0 x := 1", "0->1 skip"]
    assert not procedure.locations[0].final


def test_jump_to_a_failure_or_something_else_gets_a_skip() -> None:
    builder = ProcedureBuilder("p")
    (a,) = nodes(builder, 1)
    wrong = builder.failure(Failure(FailureKind.LIMIT, "bound", ""), None)
    builder.edge(a, a, assign(1))
    builder.jump(a, wrong)
    procedure = builder.build(0, 0)
    assert graph(procedure) == ["0->0 x := 1", "0->1 skip"]
    assert procedure.locations[1].failure is not None


def test_location_before_an_atomic_region_is_not_its_loop_head() -> None:
    builder = ProcedureBuilder("p")
    before = builder.node()
    head = builder.node(atomic=True)
    after = builder.node()
    builder.jump(before, head)
    builder.edge(head, head, assign(1))
    builder.edge(head, after, assign(2))
    procedure = builder.build(0, 0)
    assert [location.atomic for location in procedure.locations] == [False, True, False]
    assert graph(procedure) == ["0->1 x := 1", "0->2 x := 2", "1->1 x := 1", "1->2 x := 2"]


def test_first_location_of_a_region_disappears_if_nothing_returns_to_it() -> None:
    builder = ProcedureBuilder("p")
    before = builder.node()
    head, middle = builder.node(atomic=True), builder.node(atomic=True)
    after = builder.node()
    builder.jump(before, head)
    builder.edge(head, middle, assign(1))
    builder.edge(middle, after, assign(2))
    procedure = builder.build(0, 0)
    assert [location.atomic for location in procedure.locations] == [False, True, False]
    assert graph(procedure) == ["0->1 x := 1", "1->2 x := 2"]


def test_last_location_of_a_region_merges_with_what_follows() -> None:
    builder = ProcedureBuilder("p")
    before = builder.node()
    last = builder.node(atomic=True)
    after = builder.node()
    builder.edge(before, last, assign(1))
    builder.jump(last, after)
    procedure = builder.build(0, 0)
    assert [location.atomic for location in procedure.locations] == [False, False]
    assert graph(procedure) == ["0->1 x := 1"]


def test_leaving_a_region_or_going_on_gets_a_skip() -> None:
    builder = ProcedureBuilder("p")
    before = builder.node()
    inside = builder.node(atomic=True)
    after = builder.node()
    builder.edge(before, inside, assign(1))
    builder.edge(inside, inside, assign(2))
    builder.jump(inside, after)
    builder.edge(after, before, assign(3))
    procedure = builder.build(0, 0)
    assert graph(procedure) == ["0->1 x := 1", "1->1 x := 2", "1->2 skip", "2->0 x := 3"]


def test_checks_are_tried_in_order() -> None:
    builder = ProcedureBuilder("p")
    a, b = nodes(builder, 2)

    def above(bound: int) -> Expr:
        return Binary(BinaryOp.GT, Read(X), number(bound))

    failures = [Failure(FailureKind.RANGE, "range", text) for text in ("first", "second")]
    checks = [(TRUE, failures[0]), (above(0), failures[0]), (above(1), failures[1])]
    builder.checked_edge(a, b, Command(above(2)), checks)
    procedure = builder.build(0, 0)
    assert graph(procedure) == [
        "0->2 when (!(x > 0))",
        "0->3 when (x > 0 && !(x > 1))",
        "0->1 when (x > 0 && x > 1 && x > 2)",
    ]
    assert [location.failure for location in procedure.locations[2:]] == failures


def test_same_failure_of_one_statement_is_one_location() -> None:
    builder = ProcedureBuilder("p")
    failure = Failure(FailureKind.RANGE, "range", "")
    assert builder.failure(failure, None) == builder.failure(failure, None)


def test_return_leads_nowhere() -> None:
    builder = ProcedureBuilder("p")
    a, b = nodes(builder, 2)
    builder.edge(a, b, assign(1))
    builder.edge(b, b, Return())
    assert graph(builder.build(3, 7)) == ["3->4 x := 1", "4->4 return"]
    assert [edge.id for edge in builder.build(3, 7).edges] == [7, 8]


def test_numbers_go_through_the_whole_program() -> None:
    program = ProgramBuilder("two")
    program.declare(())
    program.shared("x", INT)
    for name in ("p", "q"):
        procedure = program.procedure(name)
        start, end = procedure.node(), procedure.node(final=True)
        procedure.edge(start, end, assign(1))
        program.template(Template(name, 1, name))
    built = program.build()
    assert [location.id for location in built.locations] == [0, 1, 2, 3]
    assert [edge.id for edge in built.edges] == [0, 1]
    assert built.procedure["q"].entry == 2
    assert validate(built) == []
