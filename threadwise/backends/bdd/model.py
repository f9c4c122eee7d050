"""A program as BDDs: what the symbolic engines work on.

`Model.of` encodes a program twice if need be: the first time shows which thread writes which cell,
and the order of variables follows from that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from threadwise.backends.bdd.big_steps import Regions
from threadwise.backends.bdd.expressions import Viewer
from threadwise.backends.bdd.fields import Field, FieldSets
from threadwise.backends.bdd.manager import Manager, Node
from threadwise.backends.bdd.order import variable_order
from threadwise.backends.bdd.space import Space
from threadwise.backends.bdd.threads import Action, Case, ThreadEncoder
from threadwise.backends.bdd.values import Choices
from threadwise.ir.expr import Expr
from threadwise.ir.program import Program
from threadwise.ir.types import Value


@dataclass(frozen=True)
class ThreadModel:
    """The steps of a thread."""

    thread: int
    actions: tuple[Action, ...]
    """T of the thread: shared and own cells."""
    guarantee: tuple[Action, ...]
    """T with the thread's own cells quantified away, without what changes nothing."""
    reach: Node
    initial: Node
    """The thread's own cells at the start."""
    stopped: Node
    """Its failure locations."""
    visible: tuple[tuple[Action, Action], ...] = field(repr=False)
    """The actions that change something shared: what they do to it, and the whole."""
    writes: frozenset[str]
    """The shared fields that it writes."""


class Model:
    """A program in one manager."""

    def __init__(
        self, space: Space, order: Iterable[Field], manager: Manager, *, everywhere: bool = False
    ) -> None:
        self.space = space
        self._everywhere = everywhere
        self.manager = manager
        self.order = tuple(order)
        self.manager.declare(bit for f in self.order for bit in f.bits)
        self.sets = FieldSets(self.manager)
        for thread in space.threads:
            for own in thread.own:
                if own.derived is not None:
                    self.sets.derive(own, thread.location)
        self.choices = Choices(self.manager)
        regions = Regions(space.program)
        self.threads = tuple(self._thread(t.thread, regions) for t in space.threads)

    @staticmethod
    def of(
        program: Program,
        manager: Callable[[], Manager] = Manager,
        like: Model | None = None,
    ) -> Model:
        """Encode a program; `like` is a model of it with fewer ghosts, and saves a round."""
        if like is not None:
            space = Space(program, like.space.derived)
            return Model(space, variable_order(space, like.writers), manager())
        space = Space(program)
        first = variable_order(space, {})
        model = Model(space, first, manager())
        derived = dict(model.functions_of_location())
        better = variable_order(space, model.writers)
        if better == first and not derived:
            return model
        space = Space(program, derived)
        return Model(space, variable_order(space, model.writers), manager())

    @staticmethod
    def with_all_stores(program: Program, manager: Callable[[], Manager] = Manager) -> Model:
        """Encode a program with the steps from all local stores, reachable or not."""
        space = Space(program)
        first = Model(space, variable_order(space, {}), manager(), everywhere=True)
        return Model(space, variable_order(space, first.writers), manager(), everywhere=True)

    def functions_of_location(
        self,
    ) -> Iterator[tuple[tuple[int, int], tuple[tuple[Value, Value], ...]]]:
        """The own cells whose value follows from the location, with their values."""
        for thread, fields in zip(self.threads, self.space.threads, strict=True):
            at = [
                (place, here)
                for place, node in self.sets.literals(fields.location).items()
                if (here := thread.reach & node) != self.manager.false
            ]
            for slot, own in enumerate(fields.own):
                values = [(place, self._only_value(own, here)) for place, here in at]
                known = [(place, value) for place, value in values if value is not None]
                if len(known) == len(values):
                    yield (fields.thread, slot), tuple(known)

    def _only_value(self, own: Field, states: Node) -> Value:
        value = own.decode(self.manager.pick(states, own.bits))
        differs = states & ~self.sets.literal(own, value)
        return value if differs == self.manager.false else None

    def viewer(self, thread: int | None, bound: Mapping[str, int] | None = None) -> Viewer:
        """Evaluates expressions for a thread, or for none."""
        return Viewer(self.space, self.sets, self.choices, thread, bound=bound or {})

    def _thread(self, t: int, regions: Regions) -> ThreadModel:
        encoder = ThreadEncoder(self.viewer(t), regions, everywhere=self._everywhere)
        cases = encoder.cases()
        self.manager.look()
        actions = [encoder.action(case) for case in cases]
        visible = tuple(self._visible(encoder, cases, actions))
        own = self.space.threads[t]
        initial = self._cube(self.space.initial_own(own))
        program = self.space.program
        failures = [
            self.sets.literal(own.location, place)
            for place in own.location.values
            if isinstance(place, int) and program.locations[place].failure is not None
        ]
        return ThreadModel(
            t,
            tuple(actions),
            tuple(self._guarantee(encoder, visible)),
            encoder.reach,
            initial,
            self.manager.union(failures) & encoder.reach,
            visible,
            frozenset(f.name for case in cases for f in case.values if f.thread is None),
        )

    def _visible(
        self, encoder: ThreadEncoder, cases: Sequence[Case], actions: Sequence[Action]
    ) -> Iterator[tuple[Action, Action]]:
        for case, action in zip(cases, actions, strict=True):
            shared = encoder.action(case, [f for f in case.values if f.thread is None])
            if action.guard & ~shared.result != self.manager.false:
                yield shared, action

    def _guarantee(
        self, encoder: ThreadEncoder, visible: Iterable[tuple[Action, Action]]
    ) -> list[Action]:
        """Quantify the own cells away; actions that write the same are one."""
        found: dict[tuple[tuple[str, ...], Node], Action] = {}
        for shared, whole in visible:
            guard = self.manager.exists(encoder.me.bits, whole.guard)
            key = (shared.written, shared.result)
            old = found.get(key)
            if old is not None:
                guard = guard | old.guard
            found[key] = Action(guard, shared.written, shared.result)
        return list(found.values())

    def _cube(self, values: Iterable[tuple[Field, object]]) -> Node:
        bits: dict[str, bool] = {}
        for f, value in values:
            bits.update(f.assignment(value))  # type: ignore[arg-type]  # values of the field
        return self.manager.cube(bits)

    @cached_property
    def initial_shared(self) -> Node:
        """The shared cells at the start."""
        given = self.space.initial_shared()
        known = {f.name for f, _ in given}
        node = self._cube(given)
        for f in self.space.shared:
            if f.name not in known:
                node = node & self.sets.valid(f)
        return node

    @property
    def initial(self) -> Node:
        """The initial states of the whole program."""
        node = self.initial_shared
        for thread in self.threads:
            node = node & thread.initial
        return node

    @property
    def writers(self) -> dict[str, list[int]]:
        """Which threads write each shared field, so far as any does."""
        found: dict[str, list[int]] = {}
        for thread in self.threads:
            for name in thread.writes:
                found.setdefault(name, []).append(thread.thread)
        return found

    def violation(self, formula: Expr, bound: Mapping[str, int]) -> Node:
        """The states in which a formula about quantified threads is not true."""
        return ~self.viewer(None, bound).yes(formula)

    def valid(self, fields: Iterable[Field]) -> Node:
        """The codes that are values of these fields."""
        node = self.manager.true
        for f in fields:
            node = node & self.sets.valid(f)
        return node

    @cached_property
    def state_bits(self) -> tuple[str, ...]:
        """All bits, in the order in which a state is picked."""
        return tuple(bit for f in self.space.fields() for bit in f.bits)
