"""The arguments of the relation R about some threads, and what they mean.

Members of enumerations and ids of threads are only compared, so R gets comparisons instead:
whether a cell holds a member, `none`, one of the threads at hand or one that the program names;
whether two cells hold the same thread.
Where positions in a template matter (`self.index`, arrays with a cell per thread of a fixed
count), the positions are arguments, too. Of arrays with a cell for each of any number of
threads, R gets the cells of the threads at hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from threadwise.backends.smt.environments import Environment, Environments, Store
from threadwise.backends.smt.logic import Logic, Term
from threadwise.backends.smt.values import (
    Cells,
    OwnCells,
    Pointer,
    Record,
    Symbolic,
    Table,
    terms_of,
)
from threadwise.core.errors import Unsupported
from threadwise.ir.expr import (
    Binary,
    BinaryOp,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    Place,
    Read,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    number,
    read_places,
    root,
    subexpressions,
)
from threadwise.ir.operations import NOBODY
from threadwise.ir.program import Program
from threadwise.ir.types import ArrayType, EnumType, PerThread, TidType, is_integer
from threadwise.transforms.follow.names import followed_name

MOST_COMPARED = 5
MOST_NUMBERS = 6
"""More cells that hold ids than this are not compared with each other."""


class Argument(NamedTuple):
    """A term, and the expression about named threads that it stands for; None for whole tables."""

    term: Term
    meaning: Expr | None


Reading = Callable[[Place], Expr]


class Arguments:
    """Makes the arguments of relations for one program."""

    def __init__(
        self, program: Program, environments: Environments, *, narrow: bool = False
    ) -> None:
        self.program = program
        self.touched = {
            template.name: frozenset((*_touched(program, template.body), *_numbers(program)))
            for template in program.templates
            if narrow
        }
        """With `narrow`: per template the shared variables that its threads touch, and a few
        integers that relations may be about."""
        self.environments = environments
        self.logic: Logic = environments.logic
        self.positions_matter = not program.has_any_number and _mentions_positions(program)
        self.named = _named_threads(program)
        """Threads that the program names by their positions."""

    def of(
        self,
        shared: Store,
        threads: Sequence[Environment],
        named: Sequence[ThreadVariable],
        live: Callable[[Environment], frozenset[Variable]],
    ) -> list[Argument]:
        """The arguments about a shared store and some threads, which have names."""
        found: list[Argument] = []
        sets = [self.touched[t.template] for t in threads if t.template in self.touched]
        for variable, value in shared.items():
            if sets and not any(variable in touched for touched in sets):
                continue
            place = VariablePlace(variable)
            found.extend(self._value(value, place, Read, (threads, named)))
        for thread, name in zip(threads, named, strict=True):
            needed = live(thread)
            for variable, value in thread.own.items():
                if variable in needed:
                    place = VariablePlace(variable)
                    reading = _reading(name)
                    found.extend(self._value(value, place, reading, (threads, named)))
            found.extend(self._position(thread, name))
        return self._compared(found, list(zip(threads, named, strict=True)))

    def _value(
        self,
        value: Symbolic,
        place: Place,
        reading: Reading,
        at_hand: tuple[Sequence[Environment], Sequence[ThreadVariable]],
    ) -> Iterator[Argument]:
        match value:
            case Record(fields):
                for field, part in fields:
                    yield from self._value(part, FieldPlace(place, field), reading, at_hand)
            case Cells(elements, _):
                for position, element in enumerate(elements):
                    index = self._index(place, position)
                    yield from self._value(element, IndexPlace(place, index), reading, at_hand)
            case OwnCells(ids, elements):
                held = place.type
                assert isinstance(held, ArrayType)
                for thread, name in zip(*at_hand, strict=True):
                    if held.extent != PerThread(thread.template):
                        continue  # there is no cell for such a thread
                    for owner, element in zip(ids, elements, strict=True):
                        if owner.eq(thread.me):
                            mine = IndexPlace(place, name)
                            yield from self._value(element, mine, reading, at_hand)
            case Table():
                for term in terms_of(value):
                    yield Argument(term, None)
            case Pointer():
                raise Unsupported("pointers in Horn clauses")
            case _:
                yield from self._scalar(value, reading(place))

    def _scalar(self, value: Term, meaning: Expr) -> Iterator[Argument]:
        held = meaning.type
        if not isinstance(held, EnumType):
            yield Argument(value, meaning)
            return
        for member in range(len(held.members)):
            here = self.logic.equal(value, self.logic.integer(member))
            yield Argument(here, Binary(BinaryOp.EQ, meaning, Const(member, held)))

    def _index(self, place: Place, position: int) -> Expr:
        held = place.type
        assert isinstance(held, ArrayType)
        if isinstance(held.extent, PerThread):
            return ThreadAt(held.extent.template, number(position))
        return number(position)

    def _position(self, thread: Environment, name: ThreadVariable) -> Iterator[Argument]:
        count = self.program.template[thread.template].count
        if not self.positions_matter or count is None or count < 2:
            return
        start = self.environments.threads.ranges[thread.template][0]
        for position in range(count):
            here = self.logic.equal(thread.me, self.logic.simplify(start + position))
            same = ThreadAt(thread.template, number(position))
            yield Argument(here, Binary(BinaryOp.EQ, name, same))

    def _compared(
        self, found: list[Argument], threads: Sequence[tuple[Environment, ThreadVariable]]
    ) -> list[Argument]:
        """The arguments with comparisons in place of ids."""
        ids = [argument for argument in found if _is_id(argument)]
        result = [argument for argument in found if not _is_id(argument)]
        for term, meaning in ids:
            assert meaning is not None
            nobody = self.logic.equal(term, self.logic.integer(-1))
            result.append(Argument(nobody, Binary(BinaryOp.EQ, meaning, NOBODY)))
            for thread, name in threads:
                same = self.logic.equal(term, thread.me)
                result.append(Argument(same, Binary(BinaryOp.EQ, meaning, name)))
            for known in self.named:
                start = self.environments.threads.ranges[known.template][0]
                assert isinstance(known.position, Const)
                same = self.logic.equal(term, self.logic.simplify(start + known.position.value))
                result.append(Argument(same, Binary(BinaryOp.EQ, meaning, known)))
        if len(ids) <= MOST_COMPARED:
            for (a, left), (b, right) in combinations(ids, 2):
                assert left is not None
                assert right is not None
                same = self.logic.equal(a, b)
                result.append(Argument(same, Binary(BinaryOp.EQ, left, right)))
        return result


def _reading(thread: ThreadVariable) -> Reading:
    return lambda place: ThreadRead(thread, place)


def _numbers(program: Program) -> list[Variable]:
    """Shared integers, if they are few and no thread is followed: sums may be of all of them."""
    names = {template.name for template in program.templates}
    if any(followed_name(name, "others") in names for name in names):
        return []
    found = [
        declaration.variable
        for declaration in program.globals
        if is_integer(declaration.variable.type) and not declaration.variable.sync
    ]
    return found if len(found) <= MOST_NUMBERS else []


def _touched(program: Program, body: str) -> Iterator[Variable]:
    for edge in program.procedure[body].edges:
        places = [*action_places(edge.action)]
        for whole in action_expressions(edge.action):
            places += read_places(whole)
        for place in places:
            base = root(place)
            if isinstance(base, VariablePlace):
                yield base.variable


def _named_threads(program: Program) -> list[ThreadAt]:
    """Constant ids of threads whose number is fixed, as they occur in the program."""
    found: dict[ThreadAt, None] = {}
    for edge in program.edges:
        for whole in action_expressions(edge.action):
            for part in subexpressions(whole):
                if not isinstance(part, ThreadAt) or not isinstance(part.position, Const):
                    continue
                if program.template[part.template].count is not None:
                    found[part] = None
    return list(found)


def _mentions_positions(program: Program) -> bool:
    if any(_per_thread(declaration.variable) for declaration in program.globals):
        return True
    return any(
        isinstance(part, SelfIndex)
        for edge in program.edges
        for whole in action_expressions(edge.action)
        for part in subexpressions(whole)
    )


def _per_thread(variable: Variable) -> bool:
    held = variable.type
    while isinstance(held, ArrayType):
        if isinstance(held.extent, PerThread):
            return True
        held = held.element
    return False


def _is_id(argument: Argument) -> bool:
    """Whether an argument is the id of a thread."""
    return argument.meaning is not None and isinstance(argument.meaning.type, TidType)
