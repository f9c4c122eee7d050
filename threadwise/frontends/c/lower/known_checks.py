"""Failures that cannot happen, for the same was checked on every path that leads there.

Most steps through a pointer are preceded by others through the same one: members are accessed one
after the other, records are copied cell by cell. What a step requires of a pointer (`require` in
`lower.body`) may be known from such a step:

    it holds no number      for ever: that depends on nothing but its value
    it leads to a type      as long as its object is alive: objects keep the type they were made
                            with, and their number is used for no other object
    memory was written      likewise: nothing takes a value back
    its object is alive     inside an atomic region, up to a step that ends objects: no other
                            thread takes a step meanwhile

The value of an expression over local variables does not change until one of them is written: they
belong to one activation, and nothing has their address. So where a step is taken under such a
condition on every path, with the variables not written since, the edges to its failures are never
taken, and those beside them for memory of another type (`lower.beyond`) are for nothing.

Outside of regions other threads may end the object, so that it is alive is checked each time.
Arithmetic on a pointer into an array that has ended since is no failure of its own: what is then
accessed is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

from threadwise.analyses.components import all_components
from threadwise.analyses.worklist import OrderedWorklist
from threadwise.core.quick_dataclass import dataclass, replace
from threadwise.frontends.c.lower.graph import Arc, Graph
from threadwise.frontends.c.lower.values.arithmetic import opposite
from threadwise.frontends.c.lower.values.requirements import is_address, typed_element
from threadwise.ir.commands import Action, Allocate, Call, Command, Free, Return
from threadwise.ir.expr import (
    AddressOf,
    Binary,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    HoldsInteger,
    IsValid,
    IsWritten,
    PointerAdd,
    Read,
    Scope,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import (
    action_places,
    conjunction,
    conjuncts,
    place_expressions,
    root,
    subexpressions,
)
from threadwise.ir.types import Type

Fact = tuple[str, Expr, Type | None]
_ADDRESS, _TYPED, _ARRAY, _WRITTEN, _ALIVE = "address", "typed", "array", "written", "alive"
_PURE = (AddressOf, Binary, Const, PointerAdd, Unary, Wrap)
"""Expressions that only depend on the variables in them."""


def leave_out_known_failures(graph: Graph) -> None:
    """Remove arcs that are never taken since what they deny was found to hold before."""
    _Known(graph).run()


@dataclass(frozen=True)
class _Effect:
    """What an action tells, as bits."""

    tells: int
    """What holds behind it, unless it writes a variable of that."""
    denies: int
    """It is not taken where one of these holds."""
    forgets: int
    """What its writes end."""
    arrays: int
    """The conditions for arithmetic in its guard."""


class _Known:
    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._numbers: dict[Fact, int] = {}
        self._about: dict[str, int] = {}
        """The facts about each local variable."""
        self._variables: dict[Expr, frozenset[str] | None] = {}
        self._conditions: dict[Expr, tuple[int, int]] = {}
        self._alive = 0
        """The facts that say that objects are alive."""

    def run(self) -> None:
        arcs = self.graph.arcs
        found = dict.fromkeys(arc.action for arc in arcs)
        parts = {action: self._parts(action) for action in found}
        if not any(denied for _, denied, _ in parts.values()):
            return
        effects = {
            action: _Effect(told, denied, self._forgotten(action), arrays)
            for action, (told, denied, arrays) in parts.items()
        }
        held = self._solve(effects)
        kept: list[Arc] = []
        failing: set[tuple[int, int, Action]] = set()
        for arc in arcs:
            effect, here = effects[arc.action], held.get(arc.source, 0)
            if effect.denies & here or self._is_told_twice(arc, failing):
                continue
            if effect.arrays & here:
                arc.action = self._without(arc.action, here)
            kept.append(arc)
        self.graph.arcs = kept

    def _is_told_twice(self, arc: Arc, failing: set[tuple[int, int, Action]]) -> bool:
        """Whether another arc fails in the same way: ways that begin alike require the same."""
        if self.graph.points[arc.target].failure is None:
            return False
        key = arc.source, arc.target, arc.action
        if key in failing:
            return True
        failing.add(key)
        return False

    # -- facts -----------------------------------------------------------------------------------

    def _parts(self, action: Action) -> tuple[int, int, int]:
        """What an action tells and denies, and the conditions for arithmetic in it."""
        told = denied = arrays = 0
        guard = tuple(conjuncts(action.guard))
        for part in guard:
            seen = self._conditions.get(part)
            if seen is None:
                seen = self._conditions[part] = self._condition(part)
            told |= seen[0]
            arrays |= seen[1]
            if isinstance(part, Unary) and part.op is UnaryOp.NOT:
                denied |= self._denied(part.operand, guard)
        for place in action_places(action) if isinstance(action, Command) else ():
            base = root(place)
            if isinstance(base, DerefPlace) and IsValid(base.pointer, base.type) in guard:
                told |= self._bit((_WRITTEN, Read(place), None))
        return told, denied, arrays

    def _condition(self, part: Expr) -> tuple[int, int]:
        """What a condition tells, and whether it is one for arithmetic; most occur repeatedly."""
        told = 0
        for fact in _told(part):
            told |= self._bit(fact)
        element = typed_element(part)
        return told, 0 if element is None else self._bit((_ARRAY, *element))

    def _denied(self, condition: Expr, guard: tuple[Expr, ...]) -> int:
        if isinstance(condition, IsValid):
            pointer, held = condition.pointer, condition.held
            if held is None:
                return self._bit((_ALIVE, pointer, None))
            return self._bit((_TYPED, pointer, held)) if IsValid(pointer) in guard else 0
        if isinstance(condition, IsWritten):
            return self._bit((_WRITTEN, Read(condition.place), None))
        address = is_address(condition)
        if address is not None:
            return self._bit((_ADDRESS, address, None))
        element = typed_element(condition)
        return 0 if element is None else self._bit((_ARRAY, *element))

    def _bit(self, fact: Fact) -> int:
        """A fact as a bit; none if it is about more than local variables."""
        number = self._numbers.get(fact)
        if number is not None:
            return 1 << number
        names = self._local(fact[1])
        if not names:
            return 0
        number = self._numbers[fact] = len(self._numbers)
        if fact[0] == _ALIVE:
            self._alive |= 1 << number
        for name in names:
            self._about[name] = self._about.get(name, 0) | 1 << number
        return 1 << number

    def _local(self, pointer: Expr) -> frozenset[str] | None:
        """The variables in an expression; None if there are others than local ones."""
        if pointer not in self._variables:
            self._variables[pointer] = _variables(pointer)
        return self._variables[pointer]

    def _forgotten(self, action: Action) -> int:
        found = self._alive if isinstance(action, Free | Call) else 0
        if isinstance(action, Command | Allocate | Call):
            for place in action_places(action):
                base = root(place)
                if isinstance(base, VariablePlace) and base.variable.scope is Scope.LOCAL:
                    found |= self._about.get(base.variable.name, 0)
        return found

    def _without(self, action: Action, here: int) -> Action:
        """An action that does not ask again whether arithmetic stays in an array."""
        left: list[Expr] = []
        for part in conjuncts(action.guard):
            element = typed_element(part)
            if element is None or not self._bit((_ARRAY, *element)) & here:
                left.append(part)
            else:
                left.append(opposite(HoldsInteger(element[0])))
        return replace(action, guard=conjunction(tuple(dict.fromkeys(left))))

    # -- paths -----------------------------------------------------------------------------------

    def _solve(self, effects: Mapping[Action, _Effect]) -> dict[int, int]:
        """What holds at each node on all paths from the entry."""
        after: dict[int, list[tuple[int, int, int]]] = {}
        lasting = [-1 if point.atomic else ~self._alive for point in self.graph.points]
        for arc in self.graph.arcs:
            if not isinstance(arc.action, Return):
                effect = effects[arc.action]
                keeps = ~effect.forgets & lasting[arc.target]
                after.setdefault(arc.source, []).append((arc.target, effect.tells, keeps))
        for source, target in self.graph.jumps:
            after.setdefault(source, []).append((target, 0, lasting[target]))
        following = {node: [way[0] for way in ways] for node, ways in after.items()}
        order = [node for part in all_components(following) for node in part]
        order.reverse()
        held = {0: 0}
        pending = OrderedWorklist(order, [0])
        for node in pending:
            here = held[node]
            for target, tells, keeps in after.get(node, ()):
                there = (here | tells) & keeps
                known = held.get(target)
                if known is None or known & there != known:
                    held[target] = there if known is None else known & there
                    pending.add(target)
        return held


def _told(part: Expr) -> Iterator[Fact]:
    """What holds for ever where a condition held once."""
    if isinstance(part, IsValid):
        yield (_ADDRESS, part.pointer, None)
        yield (_ALIVE, part.pointer, None)
        if part.held is not None:
            yield (_TYPED, part.pointer, part.held)
        return
    if isinstance(part, IsWritten):
        yield (_WRITTEN, Read(part.place), None)
        return
    pointer = is_address(part)
    if pointer is not None:
        yield (_ADDRESS, pointer, None)
    element = typed_element(part)
    if element is not None:
        yield (_ADDRESS, element[0], None)
        yield (_ARRAY, *element)


def _variables(value: Expr) -> frozenset[str] | None:
    """The variables in an expression, or in a place in memory; None: others than local ones."""
    if isinstance(value, Read) and isinstance(root(value.place), DerefPlace):
        within = place_expressions(value.place)
    else:
        within = (value,)
    found: set[str] = set()
    for part in chain.from_iterable(map(subexpressions, within)):
        if isinstance(part, Read):
            place = part.place
            while isinstance(place, FieldPlace):
                place = place.base
            if not isinstance(place, VariablePlace) or place.variable.scope is not Scope.LOCAL:
                return None
            found.add(place.variable.name)
        elif not isinstance(part, _PURE):
            return None
    return frozenset(found)
