"""Where a run leaves an array that lies in a larger object.

C gives that no meaning: a pointer into an array may be moved to its elements and right behind the
last one, and not be followed there. In the reference semantics a pointer counts cells in its
object, and goes on to the members next to the array. So what a run does from there on is nothing
that the source does, and proofs say nothing about it: they let pointers stay in their arrays.

An address right behind an array may be that of the next member. Which pointers were moved behind
an array is followed along the run:

    p + n, &a[n]          is *behind* if it is right behind the array that p leads into
    x := e                makes x behind iff e is; so do arguments and results
    p + n                 with p behind is judged by the array that p is behind of
    *p                    with p behind leaves the array
    &a[n]                 is *made of an element*, and so is what is moved from there, or copied

A row of a matrix is no array of its own here: who takes a matrix for the array of all its
elements does so in practice. Nor are objects as a whole: whoever leaves those accesses nothing.
Nor are bytes at the beginning of a record: the pointer may be one to the bytes of the record, if
it was not made of an element.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from threadwise.core.source import Span
from threadwise.ir.commands import Allocate, Call, Command, Return
from threadwise.ir.expr import (
    AddressOf,
    Conditional,
    DerefPlace,
    Expr,
    IndexPlace,
    IsValid,
    Place,
    PointerAdd,
    Read,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    children,
    root,
    subexpressions,
)
from threadwise.ir.layout import ThreadNumbers, extent_of, size_of
from threadwise.ir.program import Edge, Program
from threadwise.ir.types import (
    Address,
    ArrayType,
    MachineType,
    MutexType,
    RecordType,
    Type,
    fields_of,
)
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.recorded_moves import follow_as_numbered, initial_state
from threadwise.semantics.state import Cells, GlobalStore, Move, State
from threadwise.semantics.step import Interpreter

EVERYWHERE = range(0)
"""In place of an array: the whole object, which no pointer leaves that is followed."""

Key = tuple[Region, int, int, int]
"""A cell: of a thread's frame with this number, or of this object."""


class _Made(NamedTuple):
    """What is known of a pointer besides its value."""

    behind: bool = False
    """It was moved right behind an array."""
    element: bool = False
    """It was made of an element of an array."""


_PLAIN = _Made()


def array_left(program: Program, initial: Cells, moves: tuple[Move, ...]) -> Span | None:
    """Where a run of a program first leaves an array; None if it does not.

    The program has a fixed number of threads. What the threads may do next counts as well. What
    comes after the first place where the run cannot be followed is not looked at.
    """
    if not any(map(_moves_pointers, program.edges)):
        return None
    return _Run(program).leaves(initial, moves)


def _moves_pointers(edge: Edge) -> bool:
    return any(
        isinstance(part, PointerAdd)
        for expr in action_expressions(edge.action)
        for part in subexpressions(expr)
    )


class _Run:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.interpreter = Interpreter(program)
        self.types = _Types(program, self.interpreter.layout.numbers)
        self.made: dict[Key, _Made] = {}
        """The cells that hold pointers of which more is known."""
        self.thread = self.depth = 0
        """Whose step it is, and in how many calls."""

    def leaves(self, initial: Cells, moves: Iterable[Move]) -> Span | None:
        state = initial_state(self.interpreter, initial)
        for move in moves:
            if state is None:
                return None
            self.thread, self.depth = move.thread, len(state.stacks[move.thread])
            edge = self._step(state, move)
            if edge is not None:
                return edge.span
            state = follow_as_numbered(self.interpreter, state, move)
        return None if state is None else self._next(state)

    def _next(self, state: State) -> Span | None:
        """Where a thread is about to leave an array: a race is between what comes next."""
        for thread, l in enumerate(state.locals):
            self.thread, self.depth = thread, len(state.stacks[thread])
            view = View(self.program, self.interpreter.layout, thread, state.g, l)
            for edge in self.program.outgoing[l.pc]:
                try:
                    if view.holds(edge.action.guard) and self._edge_leaves(view, edge):
                        return edge.span
                except Undefined:
                    continue
        return None

    def _step(self, state: State, move: Move) -> Edge | None:
        """The edge of a step that leaves an array; otherwise what it writes is noted."""
        g, l, t = state.g, state.locals[move.thread], move.thread
        for choice in move.choices:
            edge = self.program.edges[choice.edge]
            view = View(self.program, self.interpreter.layout, t, g, l)
            try:
                if self._edge_leaves(view, edge):
                    return edge
                self._note(view, edge, state)
            except Undefined:
                return None
            after = next(iter(self.interpreter.fire(edge, t, g, l, choice.values)), None)
            if after is None:
                return None
            _, g, l, _ = after
        return None

    def _edge_leaves(self, view: View, edge: Edge) -> bool:
        if not isinstance(edge.action, Call):
            accessed = map(root, action_places(edge.action))
            if any(self._is_followed_behind(view, place) for place in accessed):
                return True
        return any(self._leaves(view, expr) for expr in action_expressions(edge.action))

    def _leaves(self, view: View, expr: Expr) -> bool:
        """Whether an expression leaves an array; tests of pointers leave none."""
        match expr:
            case IsValid():
                return False
            case Read(place) if self._is_followed_behind(view, root(place)):
                return True
            case PointerAdd():
                array = self._array(view, expr.pointer, expr.element)
                moved = _evaluated(view, expr)
                if array and moved is not None and not array.start <= moved.offset <= array.stop:
                    return self.types.contains(moved, view.g)
            case _:
                pass
        return any(self._leaves(view, child) for child in children(expr))

    def _is_followed_behind(self, view: View, place: Place) -> bool:
        return isinstance(place, DerefPlace) and self._is_behind(view, place.pointer)

    def _array(self, view: View, pointer: Expr, element: Type) -> range | None:
        """The array that a pointer moves in."""
        address = _evaluated(view, pointer)
        if address is None:
            return None
        found, made = None, self._is_element(view, pointer)
        if not self._is_behind(view, pointer):
            found = self.types.array(address, element, view.g, made=made)
        if found is None:
            before = -size_of(element, self.types.numbers)
            last = address._replace(offset=address.offset + before)
            found = self.types.array(last, element, view.g, made=made)
        return found

    def _is_behind(self, view: View, pointer: Expr) -> bool:
        """Whether a pointer leads right behind an array, because it was moved there."""
        match pointer:
            case Read(place):
                return self.made.get(self._key(view.resolve(place)), _PLAIN).behind
            case PointerAdd(base, _, element):
                array, moved = self._array(view, base, element), _evaluated(view, pointer)
                return bool(array and moved and moved.offset == array.stop)
            case AddressOf(IndexPlace(base, index)):
                array_type = base.type
                assert isinstance(array_type, ArrayType)
                extent = extent_of(array_type, self.types.numbers)
                return 0 < extent == view.integer(index) and not isinstance(base, IndexPlace)
            case Conditional(condition, then, otherwise):
                return self._is_behind(view, then if view.holds(condition) else otherwise)
            case _:
                return False

    def _is_element(self, view: View, pointer: Expr) -> bool:
        """Whether a pointer was made of an element of an array."""
        match pointer:
            case Read(place):
                return self.made.get(self._key(view.resolve(place)), _PLAIN).element
            case PointerAdd(base, _, _):
                return self._is_element(view, base)
            case AddressOf(IndexPlace()):
                return True
            case Conditional(condition, then, otherwise):
                return self._is_element(view, then if view.holds(condition) else otherwise)
            case _:
                return False

    def _made(self, view: View, pointer: Expr) -> _Made:
        return _Made(self._is_behind(view, pointer), self._is_element(view, pointer))

    # -- what edges write ------------------------------------------------------------------------

    def _note(self, view: View, edge: Edge, state: State) -> None:
        match edge.action:
            case Command(_, assignments, havocs):
                found = [(a.target, self._made(view, a.value)) for a in assignments]
                for place, made in (*found, *((place, _PLAIN) for place in havocs)):
                    self._mark(self._key(view.resolve(place)), made)
            case Allocate(_, target):
                self._mark(self._key(view.resolve(target)), _PLAIN)
            case Call(name, arguments):
                offset = self.interpreter.layout.local[name].offset
                called = self.program.procedure[name].parameters
                for parameter, argument in zip(called, arguments, strict=True):
                    slot = offset[parameter.name]
                    key = Region.LOCAL, self.thread, self.depth + 1, slot
                    self._mark(key, self._made(view, argument))
            case Return(value):
                made = _PLAIN if value is None else self._made(view, value)
                own = (Region.LOCAL, self.thread, self.depth)
                self.made = {key: kept for key, kept in self.made.items() if key[:3] != own}
                self._returned(view, state, made)
            case _:
                pass

    def _returned(self, view: View, state: State, made: _Made) -> None:
        frame = state.stacks[self.thread][-1]
        call = self.program.edges[frame.call]
        assert isinstance(call.action, Call)
        if call.action.result is not None:
            l = view.l._replace(pc=call.source, locals=frame.locals)
            caller = View(self.program, self.interpreter.layout, self.thread, view.g, l)
            self.depth -= 1
            self._mark(self._key(caller.resolve(call.action.result)), made)

    def _mark(self, key: Key, made: _Made) -> None:
        if made == _PLAIN:
            self.made.pop(key, None)
        else:
            self.made[key] = made

    def _key(self, ref: CellRef) -> Key:
        match ref.region:
            case Region.LOCAL:
                return ref.region, self.thread, self.depth, ref.slot
            case Region.THREAD:
                return ref.region, self.thread, 0, ref.slot
            case _:
                return ref.region, 0, ref.number, ref.slot


def _evaluated(view: View, pointer: Expr) -> Address | None:
    """Where a pointer leads, if it leads anywhere."""
    try:
        found = view.evaluate(pointer)
    except Undefined:
        return None
    return found if isinstance(found, Address) else None


def _is_byte(element: Type) -> bool:
    """Whether a type is one of characters, as which C lets access any object."""
    return isinstance(element, MachineType) and element.width == 8


class _Types:
    """What objects are made of."""

    def __init__(self, program: Program, numbers: ThreadNumbers) -> None:
        self.program = program
        self.numbers = numbers
        actions = (edge.action for edge in program.edges)
        self.sites = {a.site: a.object_type for a in actions if isinstance(a, Allocate)}

    def contains(self, address: Address, g: GlobalStore) -> bool:
        """Whether an address is in an object, or right behind it."""
        return 0 <= address.offset <= self._object(address, g)[1]

    def array(
        self, address: Address, element: Type, g: GlobalStore, *, made: bool
    ) -> range | None:
        """The array around an element; a move by arrays is one by their elements.

        It is the outermost one, if there is nothing but elements in it. None if no such element
        begins there, or one that is in no array. Whether a pointer was `made` of an element tells
        whether it may be one to a record instead that begins there.
        """
        if isinstance(element, ArrayType):
            inner = self.array(address, element.element, g, made=made)
            if inner is not None:
                return inner
        held, size = self._object(address, g)
        if held is None or not 0 <= address.offset < size:
            return None
        return self._around(held, address.offset, element, made=made)

    def _object(self, address: Address, g: GlobalStore) -> tuple[Type | None, int]:
        """The type of an object or, of several in a row, of each; and how many cells it has."""
        declared = len(self.program.globals)
        if address.number < 0:
            return None, 0
        if address.number < declared:
            held = self.program.globals[address.number].variable.type
            return held, size_of(held, self.numbers)
        item = g.heap[address.number - declared]
        return self.sites.get(item.site), len(item.cells)

    def _around(self, held: Type, offset: int, element: Type, *, made: bool) -> range | None:
        size = size_of(held, self.numbers)
        if size == 0:
            return None
        start = offset - offset % size if offset >= 0 else 0
        offset -= start
        among: range | None = EVERYWHERE
        records: set[int] = set()
        while offset >= 0:
            if offset == 0 and held == element:
                return among
            match held:
                case ArrayType(part):
                    if among is None and start in records and _is_byte(element) and not made:
                        return None
                    if among is None:
                        among = range(start, start + size_of(held, self.numbers))
                    size = size_of(part, self.numbers)
                    if size == 0:
                        return None
                    start += offset - offset % size
                    offset, held = offset % size, part
                case RecordType() | MutexType():
                    fields = fields_of(held)
                    if len(fields) > 1:
                        among = None
                        records.add(start)
                    for _, part in fields:
                        size = size_of(part, self.numbers)
                        if offset < size:
                            held = part
                            break
                        offset, start = offset - size, start + size
                    else:
                        return None
                case _:
                    return None
        return None
