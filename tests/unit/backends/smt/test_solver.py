"""The solver: answers, limits, counters, cores and models."""

from __future__ import annotations

import pytest

from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.second import is_available, second_opinion
from threadwise.backends.smt.solver import Answer, Effort, Solver
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.core.statistics import Name


def integers(logic: Logic, *names: str) -> list[Term]:
    return [logic.constant(name, logic.integer_sort) for name in names]


def hard(logic: Logic) -> Term:
    """No cube is the sum of two: more than any solver knows."""
    x, y, z = integers(logic, "x", "y", "z")
    return logic.conjunction([x > 2, y > 2, z > 2, x * x * x + y * y * y == z * z * z])


def test_answers_and_models() -> None:
    logic = Logic()
    x, y = integers(logic, "x", "y")
    solver = Solver(logic)
    solver.add(x + y == 7, x > y)
    assert solver.check() is Answer.SATISFIABLE
    model = solver.model()
    assert model.integer(x) + model.integer(y) == 7
    assert model.boolean(x > y)
    solver.push()
    solver.add(x == y)
    assert solver.check() is Answer.UNSATISFIABLE
    solver.pop()
    assert solver.check() is Answer.SATISFIABLE


def test_cores_are_among_the_assumptions() -> None:
    logic = Logic()
    (x,) = integers(logic, "x")
    p, q, r = (logic.constant(name, logic.boolean_sort) for name in "pqr")
    solver = Solver(logic)
    solver.add(
        logic.implication(p, x > 3), logic.implication(q, x < 2), logic.implication(r, x == 9)
    )
    assert solver.check([p, q, r]) is Answer.UNSATISFIABLE
    assert {str(term) for term in solver.core()} <= {"p", "q", "r"}
    assert len(solver.core()) == 2


def test_limits_do_not_depend_on_time() -> None:
    counts = []
    for _ in range(2):
        logic = Logic()
        effort = Effort(limit=200_000)
        solver = Solver(logic, effort)
        assert solver.satisfiable(hard(logic)) is Answer.UNKNOWN
        assert solver.reason
        counts.append(effort.statistics.as_dict())
    assert counts[0] == counts[1]


def test_queries_are_counted_and_kept() -> None:
    logic = Logic()
    (x,) = integers(logic, "x")
    effort = Effort()
    solver = Solver(logic, effort)
    for _ in range(3):
        assert solver.satisfiable(x > 0) is Answer.SATISFIABLE
    assert effort.statistics.get(Name.SOLVER_QUERIES) == 1
    assert effort.statistics.get("solver_cache_hits") == 2
    assert solver.valid(x > 0) is Answer.SATISFIABLE
    assert solver.valid(logic.disjunction([x > 0, x <= 0])) is Answer.UNSATISFIABLE


def test_work_is_paid_in_steps() -> None:
    logic = Logic()
    meter = Meter(Budget(steps=100))
    solver = Solver(logic, Effort(tick=meter.check, limit=100_000))
    with pytest.raises(BudgetExhausted):
        solver.satisfiable(hard(logic))


@pytest.mark.skipif(not is_available(), reason="no second solver")
def test_second_opinion() -> None:
    logic = Logic()
    x, y = integers(logic, "x", "y")
    assert second_opinion(logic, logic.conjunction([x > y, y > x])) is Answer.UNSATISFIABLE
    assert second_opinion(logic, x % 3 == y) is Answer.SATISFIABLE
    assert second_opinion(logic, hard(logic), limit=1000) is Answer.UNKNOWN
    table = logic.constant("t", logic.array_sort(logic.integer_sort))
    changed = logic.store(table, x, y)
    same = logic.select(changed, x) == y
    assert second_opinion(logic, logic.negation(same)) is Answer.UNSATISFIABLE


def test_a_number_of_too_many_digits_is_refused() -> None:
    logic = Logic()
    large = logic.simplify(logic.integer(10**3500) * logic.integer(10**3500))
    with pytest.raises(Unsupported, match="7001 digits"):
        logic.known_integer(large)
    with pytest.raises(Unsupported, match="20001 bits"):
        logic.integer(1 << 20_000)
    assert logic.known_integer(logic.integer(-(10**3000))) == -(10**3000)


def test_a_solver_pays_for_its_own_queries() -> None:
    logic = Logic()
    counts = []
    for _ in range(3):
        meter = Meter(Budget())
        solver = Solver(logic, Effort(tick=meter.check, limit=200_000))
        assert solver.satisfiable(hard(logic)) is Answer.UNKNOWN
        counts.append(meter.steps)
    assert counts[2] < 2 * counts[0]
