"""The BDD library behind one door: CUDD through `dd`, or `dd.autoref` where CUDD is missing.

A node is a `dd` function; nodes of one manager combine by `&`, `|` and `~`. The manager adds what
`dd` leaves out or does differently in its two implementations, counts the work, and enforces a
limit on the number of nodes: by looking after some operations, and by a limit on CUDD's memory
inside of one. Nodes are counted as CUDD allocates them, as in MHWL's tables: those that nothing
needs any more count until they are collected. Dynamic reordering sets in only when the diagrams
have grown: the static order is good enough for most programs, and sifting a thousand variables
takes its time.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

Node = Any
"""A BDD."""

NODE_BYTES = 100
"""What a node takes of CUDD's memory, its share of tables included; generously."""
BASE_BYTES = 48 << 20
"""What CUDD takes before there is a node, and some room for its cache."""
REORDER_FROM = 1_000_000
"""From so many live nodes on the order of variables is improved by sifting."""
RESULT_PERIOD = 16
"""The size of a result is checked once in so many operations."""
TOTAL_PERIOD = 512
"""The number of all nodes is checked once in so many operations, or when a result is large: CUDD
walks through its tables for it."""
NEAR, NEAR_PERIOD = 8, 32
"""From this fraction of the limit on, the number is checked once in so many operations."""
LARGE_RESULT = 20_000


class NodeLimitReached(Exception):  # noqa: N818 - not a failure but a reason for UNKNOWN
    """The diagrams became larger than allowed."""


def _nothing() -> None:
    pass


class Manager:
    """Variables, nodes and operations on them."""

    def __init__(
        self, node_limit: int | None = None, tick: Callable[[], object] = _nothing
    ) -> None:
        self.node_limit = node_limit
        self.tick = tick
        self._peak = 0
        self._operations = 0
        self._period = NEAR_PERIOD
        self._reordering = False
        self._cudd: Any = _cudd()
        if self._cudd is not None:
            self.bdd = self._cudd.BDD()
            self.bdd.configure(reordering=False)
            if node_limit is not None:
                self.bdd.configure(max_memory=BASE_BYTES + NODE_BYTES * node_limit)
        else:
            self.bdd = _autoref()
            self.bdd.configure(reordering=False)
        self.true: Node = self.bdd.true
        self.false: Node = self.bdd.false

    @property
    def library(self) -> str:
        """Which implementation is in use."""
        return "dd.cudd" if self._cudd is not None else "dd.autoref"

    # -- variables --------------------------------------------------------------------------------

    def declare(self, names: Iterable[str]) -> None:
        """Add variables at the end of the order."""
        self.bdd.declare(*names)

    def variable(self, name: str) -> Node:
        """The BDD of a variable."""
        return self.bdd.var(name)

    def cube(self, values: Mapping[str, bool]) -> Node:
        """The conjunction of literals."""
        return self.bdd.cube(values)

    # -- operations -------------------------------------------------------------------------------

    def exists(self, names: Sequence[str], node: Node) -> Node:
        """Some values of the variables satisfy it."""
        return self.bdd.exist(names, node) if names else node

    def forall(self, names: Sequence[str], node: Node) -> Node:
        """All values of the variables satisfy it."""
        return self.bdd.forall(names, node) if names else node

    def and_exists(self, left: Node, right: Node, names: Sequence[str]) -> Node:
        """∃ names. left ∧ right, counted as one operation."""
        if not names:
            result = left & right
        elif self._cudd is not None:
            result = self._cudd.and_exists(left, right, names)
        else:
            result = self.bdd.exist(names, left & right)
        self.account(result)
        return result

    def substitute(self, node: Node, by: Mapping[str, Node]) -> Node:
        """The node with variables replaced by functions, all at once."""
        return self.bdd.let(by, node) if by else node

    def cofactor(self, node: Node, values: Mapping[str, bool]) -> Node:
        """The node with variables replaced by constants."""
        return self.bdd.let(values, node) if values else node

    def union(self, nodes: Iterable[Node]) -> Node:
        """The disjunction, in a balanced tree so that intermediate results stay small."""
        layer = list(nodes)
        while len(layer) > 1:
            paired = [a | b for a, b in zip(layer[::2], layer[1::2], strict=False)]
            layer = paired + ([layer[-1]] if len(layer) % 2 else [])
        return layer[0] if layer else self.false

    def pick(self, node: Node, names: Sequence[str]) -> dict[str, bool]:
        """A satisfying assignment of the variables: the least one, bit by bit, in their order."""
        chosen: dict[str, bool] = {}
        support = self.support(node)
        for name in names:
            chosen[name] = False
            if name not in support:
                continue
            lower = self.bdd.let({name: False}, node)
            if lower == self.false:
                chosen[name] = True
                lower = self.bdd.let({name: True}, node)
            node = lower
        return chosen

    def satisfied(self, node: Node, values: Mapping[str, bool]) -> bool:
        """Whether an assignment of all variables satisfies it."""
        relevant = {name: values[name] for name in self.support(node)}
        return bool(self.cofactor(node, relevant) == self.true)

    def support(self, node: Node) -> set[str]:
        """The variables a node depends on."""
        return set(self.bdd.support(node))

    def copy_to(self, node: Node, other: Manager) -> Node:
        """The same function in another manager, which has its variables."""
        return node if other is self else self.bdd.copy(node, other.bdd)

    # -- limits and figures -----------------------------------------------------------------------

    def account(self, result: Node) -> None:
        """Count an operation, check the size; raises NodeLimitReached."""
        self.tick()
        self._operations += 1
        if self._operations % RESULT_PERIOD:
            return
        if len(result) >= LARGE_RESULT or self._operations % self._period == 0:
            self.look()

    def look(self) -> None:
        """Check the number of nodes; raises NodeLimitReached."""
        live, peak = self._sizes()
        near = self.node_limit is not None and peak > self.node_limit // NEAR
        self._period = NEAR_PERIOD if near else TOTAL_PERIOD
        if self.node_limit is not None and peak > self.node_limit:
            raise NodeLimitReached
        if live > REORDER_FROM and not self._reordering:
            self._reordering = True
            self.bdd.configure(reordering=True)

    def peak_nodes(self) -> int:
        """The largest number of nodes allocated so far."""
        return self._sizes()[1]

    def _sizes(self) -> tuple[int, int]:
        """Nodes in use, and the most that were allocated."""
        if self._cudd is None:
            live = len(self.bdd)
            self._peak = max(self._peak, live)
            return live, self._peak
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            figures = self.bdd.statistics()
        return int(figures["n_nodes"]), int(figures["peak_nodes"])


@contextmanager
def within_limits() -> Iterator[None]:
    """Turns CUDD's way to say that its memory limit is reached into `NodeLimitReached`."""
    try:
        yield
    except ValueError as error:
        if "NULL" not in str(error):
            raise
        raise NodeLimitReached from error


def _autoref() -> Any:
    """A manager in Python; unlike the library's own it may be collected together with its nodes.

    `dd.bdd` insists that no node is left when a manager ends, and complains on the terminal; nodes
    and manager that end as one cycle of garbage end in any order.
    """
    from dd import autoref, bdd

    class Table(bdd.BDD):
        def __del__(self) -> None:
            pass

    class Patient(autoref.BDD):
        def __init__(self) -> None:
            table: Any = Table
            self._bdd = table()
            self.vars = self._bdd.vars

    return Patient()


def _cudd() -> Any:
    try:
        from dd import cudd
    except ImportError:
        return None
    return cudd
