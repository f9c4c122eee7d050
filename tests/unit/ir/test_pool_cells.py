"""Which variables are cells of a pool, and which only look like it."""

from threadwise.ir.expr import Scope, Variable
from threadwise.ir.pool import Pool
from threadwise.ir.pool_cells import STATUS, PoolCells, template_of_status
from threadwise.ir.types import INT, ArrayType, PerThread

POOL = Pool.of("worker", 3, [Variable("n", INT, Scope.LOCAL)], INT)


def test_all_cells_of_a_pool_are_recognised() -> None:
    cells = PoolCells("worker")
    assert all(cells.include(declaration.variable) for declaration in POOL.declarations)
    assert [cells.is_argument(d.variable.name) for d in POOL.declarations].count(True) == 1
    assert not any(PoolCells("work").include(d.variable) for d in POOL.declarations)


def test_a_status_has_both_name_and_type() -> None:
    assert template_of_status(POOL.status) == "worker"
    statuses = ArrayType(STATUS, PerThread("worker"))
    assert template_of_status(Variable("mine", statuses, Scope.GLOBAL)) is None
    member = Variable("worker.status", ArrayType(INT, PerThread("worker")), Scope.GLOBAL)
    assert template_of_status(member) is None
    assert POOL.result is not None
    assert template_of_status(POOL.result) is None
