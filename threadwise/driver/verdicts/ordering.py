"""Which programs may order less, by the rules of C, than their interleavings show.

Those with atomic accesses of weak orders, and those that try locks: one that is not had orders
nothing. POSIX leaves open whether `pthread_mutex_trylock` does then, C says that it does not.
"""

from __future__ import annotations

from threadwise.core.memory_orders import MemoryOrders
from threadwise.ir.commands import OperationKind
from threadwise.ir.expr import Read
from threadwise.ir.fold import action_places
from threadwise.ir.program import Edge, Program


def may_order_less(program: Program, orders: MemoryOrders) -> bool:
    """Whether accesses that no interleaving has next to each other may race."""
    return orders.are_weak or any(map(is_refused_lock, program.edges))


def is_refused_lock(edge: Edge) -> bool:
    """Whether an edge tries a lock in vain."""
    operation = edge.operation
    if operation is None or operation.kind is not OperationKind.TRY_ACQUIRE:
        return False
    owner = operation.subject
    return isinstance(owner, Read) and owner.place not in action_places(edge.action)
