"""Which elements of arrays nobody refers to yet: facts about numbers.

`Unused(a, start, stop)` says that nobody refers to the elements of `a` from `start` on, before
`stop` if there is one (`threadwise.proofs.locksets.containers.pools`). Facts about ranges are
weakened by making these smaller. When an element is used, a range that it is surely in is split,
one that it is surely not in stays, and any other fact is forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import product
from typing import Protocol

from threadwise.ir.expr import Const, Expr, Place, Read
from threadwise.ir.types import is_integer
from threadwise.proofs.locksets.knowledge import Unused
from threadwise.proofs.locksets.order import after, at_most, sum_of, written_out


class Known(Protocol):
    """The part of knowledge that this depends on."""

    @property
    def known(self) -> Mapping[Place, Expr]:
        """Values of variables."""

    @property
    def facts(self) -> frozenset[Expr]:
        """Conditions."""

    @property
    def unused(self) -> frozenset[Unused]:
        """The facts."""


def has_unused(knowledge: Known, unused: Unused) -> bool:
    """Whether a thread knows that nobody refers to some elements."""
    known, facts = knowledge.known, knowledge.facts
    if unused.stop is not None and at_most(unused.stop, unused.start, known, facts):
        return True
    return any(
        (other.variable, other.torn) == (unused.variable, unused.torn)
        and at_most(other.start, unused.start, known, facts)
        and (other.stop is None or _ends_by(unused.stop, other.stop, knowledge))
        for other in knowledge.unused
    )


def _ends_by(stop: Expr | None, other: Expr, knowledge: Known) -> bool:
    return stop is not None and at_most(stop, other, knowledge.known, knowledge.facts)


def one(variable: str, index: Expr, *, torn: bool = False) -> Unused:
    """What is said of a single element."""
    return Unused(variable, index, after(index, {}), torn)


def without_element(knowledge: Known, variable: str, index: Expr) -> frozenset[Unused]:
    """What is left when an element is used."""
    return frozenset(
        part
        for unused in knowledge.unused
        for part in (
            _parts(unused, index, knowledge) if unused.variable == variable else (unused,)
        )
    )


def _parts(unused: Unused, index: Expr, knowledge: Known) -> Iterator[Unused]:
    """What a fact says of other elements than one."""
    known, facts = knowledge.known, knowledge.facts
    next_ = after(index, {})
    before_all = at_most(next_, unused.start, known, facts)
    if before_all or (unused.stop is not None and at_most(unused.stop, index, known, facts)):
        yield unused
        return
    if not at_most(unused.start, index, known, facts):
        return
    inside = unused.stop is None or at_most(index, unused.stop, known, facts)
    if inside and not at_most(index, unused.start, known, facts):
        yield unused._replace(stop=index)
    if unused.stop is None or not at_most(unused.stop, next_, known, facts):
        yield unused._replace(start=next_)


def retold(
    facts: Iterable[Unused], variable: Expr, value: Expr, known: Mapping[Place, Expr]
) -> frozenset[Unused]:
    """The same, and as much by a variable whose value numbers differ from by a constant."""
    found = set(facts)
    core, offset = sum_of(value, known)

    def by_variable(bound: Expr | None) -> Expr | None:
        if bound is None or core is None:
            return bound
        other, more = sum_of(bound, known)
        return written_out(variable, more - offset) if other == core else bound

    for unused in facts:
        start = by_variable(unused.start)
        assert start is not None
        found.add(unused._replace(start=start, stop=by_variable(unused.stop)))
    return frozenset(found)


def common_unused(first: Known, second: Known) -> frozenset[Unused]:
    """What both know, numbers expressed with the variables that hold them."""
    if first.unused == second.unused:
        return first.unused
    found = {
        unused._replace(start=start, stop=stop)
        for side in (first, second)
        for unused in side.unused
        for start, stop in product(_told(unused.start, side), _told(unused.stop, side))
        if start is not None
    }
    return frozenset(u for u in found if has_unused(first, u) and has_unused(second, u))


def _told(bound: Expr | None, side: Known) -> Iterator[Expr | None]:
    """A number, and the same by variables that hold it, or one less."""
    yield bound
    core, value = (bound, 0) if bound is None else sum_of(bound, side.known)
    if bound is None or core is not None:
        return
    for place, held in side.known.items():
        if isinstance(held, Const) and is_integer(held.type) and is_integer(place.type):
            assert isinstance(held.value, int)
            if value - held.value in (0, 1):
                yield written_out(Read(place), value - held.value)


def each_expr(facts: Iterable[Unused]) -> Iterator[Expr]:
    """What facts are expressed with."""
    for unused in facts:
        yield unused.start
        if unused.stop is not None:
            yield unused.stop


def told_by(facts: Iterable[Unused], change: Callable[[Expr], Expr]) -> frozenset[Unused]:
    """The same facts with other names."""
    return frozenset(
        u._replace(start=change(u.start), stop=None if u.stop is None else change(u.stop))
        for u in facts
    )


def left_by(facts: Iterable[Unused], tells: Callable[[Expr], bool]) -> frozenset[Unused]:
    """The facts that are not expressed with something."""
    return frozenset(u for u in facts if not any(map(tells, each_expr((u,)))))
