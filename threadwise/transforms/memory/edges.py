"""Edges of a program without pointers: one for each case of what the pointers lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import replace
from threadwise.ir.beyond import is_beyond
from threadwise.ir.commands import (
    Action,
    Allocate,
    Assignment,
    Call,
    Command,
    Free,
    Operation,
    Return,
)
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsWritten,
    Place,
    Read,
    Unary,
    UnaryOp,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    action_places,
    conjunction,
    conjuncts,
    number,
    root,
)
from threadwise.ir.fold import children as parts_of_expr
from threadwise.ir.program import Edge, LocId, Program
from threadwise.ir.types import BOOL, UNSET, PointerType, ScalarType, Type, default_value
from threadwise.transforms.memory.objects import MemoryObject, Objects
from threadwise.transforms.memory.words import Part, Words, among, cell_places, parts

MOST_CASES = 96
"""An edge has at most so many cases."""

Followed = tuple[Expr, Type]


class Edges:
    """The edges that replace those of a program."""

    def __init__(self, program: Program, objects: Objects) -> None:
        self.program = program
        self.objects = objects
        self.limit = LocId(len(program.locations))
        """Stands for the location of each procedure where there are too many objects."""
        self._parts: dict[tuple[MemoryObject, Type], list[Part]] = {}

    def of(self, edge: Edge) -> Iterator[Edge]:
        """The edges that replace one, with its number."""
        if is_beyond(edge):
            return  # no run takes it
        followed = list(dict.fromkeys(_followed(edge)))
        choices = [list(self._choices(pointer, held)) for pointer, held in followed]
        count = 1
        for options in choices:
            count *= len(options)
        if count > MOST_CASES:
            raise Unsupported(f"pointers with more than {MOST_CASES} cases at one statement")
        for chosen in product(*choices):
            case = dict(zip(followed, chosen, strict=True))
            if _is_consistent(case):
                procedure = self.program.procedure_of[edge.source].name
                yield from self._in_case(edge, Words(self.objects, case, procedure))

    def _choices(self, pointer: Expr, held: Type) -> Iterator[Part]:
        for item in self.objects.listed:
            if (item, held) not in self._parts:
                self._parts[item, held] = parts(item, held)
            yield from self._parts[item, held]

    def _in_case(self, edge: Edge, words: Words) -> Iterator[Edge]:
        tests: list[Expr] = []
        for (pointer, _), part in words.case.items():
            item, offset = words.pair(pointer)
            tests += [words.leads(item, part.item), among(offset, list(part.offsets))]
        if not all(part.is_part for part in words.case.values()):
            whole = _conjunction(tests)
            if whole is not None:
                yield replace(edge, action=Command(whole), target=self.limit, operation=None)
            return
        guard = _conjunction([*tests, words.expr(edge.action.guard)])
        if guard is None:
            return
        for extra, target, action in self._actions(edge.action, words, guard):
            whole = _conjunction([*conjuncts(action.guard), *extra])
            if whole is None:
                continue
            yield replace(
                edge,
                action=replace(action, guard=whole),
                target=edge.target if target is None else target,
                operation=_operation(edge, words) if target is None else None,
            )

    def _actions(
        self, action: Action, words: Words, guard: Expr
    ) -> Iterator[tuple[list[Expr], LocId | None, Action]]:
        """What an action becomes: conditions, where it leads if elsewhere, what it does."""
        match action:
            case Command(_, assignments, havocs):
                yield [], None, self._command(words, guard, assignments, havocs)
            case Allocate():
                yield from self._allocation(action, words, guard)
            case Free(_, pointer):
                item, _ = words.pair(pointer)
                for freed in self.objects.fresh:
                    cells = [Assignment(p, value) for p, value in cell_places(words, freed)]
                    ended = Assignment(VariablePlace(freed.state), number(2))
                    yield [words.leads(item, freed)], None, Command(guard, (*cells, ended))
            case Call(procedure, arguments, result, _):
                yield (
                    [],
                    None,
                    Call(
                        procedure,
                        tuple(map(words.expr, arguments)),
                        None if result is None else words.place(result),
                        guard,
                    ),
                )
            case Return(value, _):
                yield [], None, Return(None if value is None else words.expr(value), guard)

    def _command(
        self,
        words: Words,
        guard: Expr,
        assignments: Sequence[Assignment],
        havocs: Sequence[Place],
    ) -> Command:
        stores = [store for a in assignments for store in _stores(words, a.target, a.value)]
        for place in havocs:
            if isinstance(place.type, PointerType):
                raise Unsupported("pointers that are inputs")
            flag = words.flag(place)
            if flag is not None:
                stores.append(Assignment(flag, TRUE))
        known = {Assignment(p.place, TRUE) for p in conjuncts(guard) if isinstance(p, Read)}
        if all(store.value == TRUE for store in stores if store.target.type == BOOL):
            stores = [store for store in stores if store not in known]
        return Command(guard, tuple(stores), tuple(map(words.place, havocs)))

    def _allocation(
        self, action: Allocate, words: Words, guard: Expr
    ) -> Iterator[tuple[list[Expr], LocId | None, Action]]:
        copies = self.objects.copies(action.site)
        target = words.halves(action.target)
        flag = words.flag(action.target)
        earlier: list[Expr] = []
        for copy in copies:
            state = Read(VariablePlace(copy.state))
            values = (Const(self.objects.position(copy), self.objects.kind), number(0))
            stores = [Assignment(p, v) for p, v in zip(target, values, strict=True) if p]
            if flag is not None:
                stores.append(Assignment(flag, TRUE))
            stores.append(Assignment(VariablePlace(copy.state), number(1)))
            free = Binary(BinaryOp.EQ, state, number(0))
            yield [*earlier, free], None, Command(guard, tuple(stores))
            earlier.append(Binary(BinaryOp.NE, state, number(0)))
        yield earlier, self.limit, Command(guard)


def _stores(words: Words, target: Place, value: Expr) -> Iterator[Assignment]:
    """What an assignment becomes."""
    flag = words.flag(target)
    unset = isinstance(value, Const) and value.value == UNSET
    if unset and flag is None:
        raise Unsupported("a cell without a flag that is made unwritten")
    if isinstance(target.type, PointerType):
        pair = words.pair(Const(None, value.type)) if unset else words.pair(value)
        for place, half in zip(words.halves(target), pair, strict=True):
            if place is not None:
                yield Assignment(place, half)
    elif unset:
        held: ScalarType = target.type  # type: ignore[assignment]  # validated: scalar
        yield Assignment(words.place(target), Const(default_value(held), held))
    else:
        yield Assignment(words.place(target), words.expr(value))
    if flag is not None:
        yield Assignment(flag, Const(not unset, BOOL))


def _operation(edge: Edge, words: Words) -> Operation | None:
    """What an edge is for; nothing is said of pointers, and of what only the subject follows."""
    operation = edge.operation
    if operation is None or operation.subject is None:
        return operation
    if isinstance(operation.subject.type, PointerType):
        return None
    if not words.case.keys() >= {*_in_expr(operation.subject)}:
        return None
    return replace(operation, subject=words.expr(operation.subject))


def _conjunction(tests: Sequence[Expr]) -> Expr | None:
    """All of some conditions, each once; None if one is false."""
    flat = dict.fromkeys(part for test in tests for part in conjuncts(test))
    if FALSE in flat or any(
        isinstance(part, Unary) and part.op is UnaryOp.NOT and part.operand in flat
        for part in flat
    ):
        return None
    return conjunction(list(flat))


def _is_consistent(case: dict[Followed, Part]) -> bool:
    """Whether one pointer leads into one object."""
    found: dict[Expr, MemoryObject] = {}
    return all(
        found.setdefault(pointer, part.item) == part.item for (pointer, _), part in case.items()
    )


def _followed(edge: Edge) -> Iterator[Followed]:
    """The pointers that an edge follows, inner ones first."""
    for place in action_places(edge.action):
        yield from _in_place(place)
    for expr in action_expressions(edge.action):
        yield from _in_expr(expr)


def _in_place(place: Place) -> Iterator[Followed]:
    inner = place
    while not isinstance(inner, VariablePlace | DerefPlace):
        if isinstance(inner, IndexPlace):
            yield from _in_expr(inner.index)
        assert isinstance(inner, IndexPlace | FieldPlace)
        inner = inner.base
    if isinstance(inner, DerefPlace):
        yield from _in_expr(inner.pointer)
        yield inner.pointer, inner.type


def _in_expr(expr: Expr) -> Iterator[Followed]:
    match expr:
        case Read(place) | IsWritten(place):
            yield from _in_place(place)
        case AddressOf(place):
            yield from _address(place)
        case _:
            for part in parts_of_expr(expr):
                yield from _in_expr(part)


def _address(place: Place) -> Iterator[Followed]:
    """What is followed to find a place, which itself is not."""
    base = root(place)
    inner = place
    while isinstance(inner, IndexPlace | FieldPlace):
        if isinstance(inner, IndexPlace):
            yield from _in_expr(inner.index)
        inner = inner.base
    if isinstance(base, DerefPlace):
        yield from _in_expr(base.pointer)
