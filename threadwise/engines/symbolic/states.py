"""Single states of the reference semantics in sets of states, and back."""

from __future__ import annotations

from threadwise.backends.bdd.manager import Node
from threadwise.backends.bdd.model import Model
from threadwise.backends.bdd.space import Space
from threadwise.ir.program import LocId
from threadwise.semantics.state import GlobalStore, LocalStore, State


def pick(model: Model, states: Node) -> State:
    """Some state of a set, the least one."""
    return state_of(model.space, model.manager.pick(states, model.state_bits))


def contains(model: Model, states: Node, state: State) -> bool:
    """Whether a set has a state."""
    return model.manager.satisfied(states, bits_of(model.space, state))


def bits_of(space: Space, state: State) -> dict[str, bool]:
    """A state as an assignment of all bits."""
    bits: dict[str, bool] = {}
    for field, value in zip(space.shared, state.g.cells, strict=True):
        bits.update(field.assignment(value))
    for thread, l in zip(space.threads, state.locals, strict=True):
        bits.update(thread.location.assignment(l.pc))
        for field, value in zip(thread.own, (*l.thread, *l.locals), strict=True):
            bits.update(field.assignment(value))
    return bits


def state_of(space: Space, bits: dict[str, bool]) -> State:
    """The state of an assignment of all bits."""
    locals_: list[LocalStore] = []
    for thread in space.threads:
        place = thread.location.decode(bits)
        own = tuple(
            field.decode(bits) if field.derived is None else dict(field.derived)[place]
            for field in thread.own
        )
        assert isinstance(place, int)
        l = LocalStore(LocId(place), own[: thread.scoped], own[thread.scoped :])
        locals_.append(l)
    cells = tuple(field.decode(bits) for field in space.shared)
    return State(GlobalStore(cells), tuple(locals_), tuple(() for _ in locals_))
