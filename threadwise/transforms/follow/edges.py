"""The transformation of an edge when one thread of a template is followed.

An edge that accesses elements of followed arrays is split into cases: whether the index is κ's
("hit") or not ("miss"). In a hit the element is a plain variable. In a miss it is unknown: a
write to it is left out, a variable that is assigned its value is havocked, a conjunct of the guard
that reads it is left out. Reads of other shared variables are kept, in conjuncts `x == x`, because
they may race.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass, field
from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    FALSE,
    TRUE,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    Expr,
    IndexPlace,
    IsInstance,
    Place,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import (
    action_expressions,
    conjunction,
    conjuncts,
    is_shared,
    negation,
    number,
    place_definedness,
    rebuild,
    rebuild_place,
    subexpressions,
)
from threadwise.ir.program import Edge, FailureKind, Procedure
from threadwise.ir.types import BOOL, PerThread
from threadwise.transforms.follow.names import followed_name
from threadwise.transforms.follow.setting import Role, Setting

MOST_CASES = 64

_NEVER_FULL = {
    (BinaryOp.LT, 0): TRUE,
    (BinaryOp.GE, 0): FALSE,
    (BinaryOp.EQ, 0): FALSE,
    (BinaryOp.NE, 0): TRUE,
    (BinaryOp.LE, 1): TRUE,
    (BinaryOp.GT, 1): FALSE,
}
"""The result of comparing the number of creations with the size of the pool (or one less)."""


class _Unknown(Exception):  # noqa: N818 - an answer: the value depends on a cell that is not kept
    pass


class _Open(Exception):  # noqa: N818 - an answer: a case has to be distinguished first
    def __init__(self, key: object, condition: Expr | None) -> None:
        self.key = key
        self.condition = condition


@dataclass
class _Made:
    """A command in the making."""

    guard: list[Expr] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    havocs: list[Place] = field(default_factory=list)
    filled: dict[Variable, list[tuple[int, Expr]]] = field(default_factory=dict)
    """Elements of local arrays that are written at constant positions."""


Choice = dict[object, tuple[bool, Expr | None]]


class EdgeView:
    """The edges of one procedure, executed in one role."""

    def __init__(
        self,
        setting: Setting,
        role: Role,
        procedure: Procedure,
        index: Variable | None = None,
        elsewhere: Variable | None = None,
    ) -> None:
        self.setting = setting
        self.role = role
        self.procedure = procedure
        self.index = index
        self.elsewhere = elsewhere
        self._choice: Choice = {}

    def commands(self, edge: Edge) -> list[Command]:
        """What the edge becomes, case by case."""
        action = edge.action
        if not isinstance(action, Command):
            raise Unsupported("following a thread through procedure calls", edge.span)
        failure = self.setting.program.locations[edge.target].failure
        failing = failure is not None and failure.kind is not FailureKind.END
        return list(self._cases(lambda: self._command(edge, action, failing=failing)))

    def broken_claims(self, edge: Edge) -> list[Command]:
        """When the edge creates κ with an argument that is not what was claimed."""
        action = edge.action
        assert isinstance(action, Command)
        found: list[Command] = []
        for assignment in action.assignments:
            held = self.setting.cell(assignment.target, self.procedure.name)
            if held is None or held[0].name not in self.setting.following.claims:
                continue
            make = partial(self._broken, action, held[1], assignment.value)
            found += self._cases(make)
        return found

    def _broken(self, action: Command, index: Expr, passed: Expr) -> Command | None:
        made = _Made()
        for conjunct in conjuncts(action.guard):
            self._require(made, conjunct)
        assert isinstance(index, ThreadAt)
        kappa = Read(VariablePlace(self.setting.kappa))
        made.guard.append(Binary(BinaryOp.EQ, self.value(index.position), kappa))
        try:
            made.guard.append(Binary(BinaryOp.NE, self.value(passed), kappa))
        except _Unknown:
            self._touch(made, passed)
        return self._finished(made)

    # -- cases -----------------------------------------------------------------------------------

    def _cases(self, make: Callable[[], Command | None]) -> Iterator[Command]:
        pending: list[Choice] = [{}]
        count = 0
        while pending:
            self._choice = pending.pop()
            count += 1
            if count > MOST_CASES:
                raise Unsupported("an edge with too many indices to follow a thread")
            try:
                made = make()
            except _Open as case:
                for hit in (False, True):
                    pending.append({**self._choice, case.key: (hit, case.condition)})
                continue
            if made is not None:
                yield made

    def _finished(self, made: _Made) -> Command | None:
        """The command, unless it can never be taken; conditions of its cases come last."""
        kappa = Read(VariablePlace(self.setting.kappa))
        for cell, writes in made.filled.items():
            made.assignments.append(Assignment(VariablePlace(cell), _filled(cell, kappa, writes)))
        for hit, condition in self._choice.values():
            if condition is not None:
                made.guard.append(condition if hit else negation(condition))
        guard = conjunction(list(dict.fromkeys(made.guard)))
        parts = set(conjuncts(guard))
        if FALSE in parts or any(negation(part) in parts for part in parts):
            return None
        return Command(guard, tuple(made.assignments), tuple(made.havocs))

    def _command(self, edge: Edge, action: Command, *, failing: bool) -> Command | None:
        if failing and self.role is Role.OTHER:
            return None
        seen = self._designated(action)
        made = _Made()
        for conjunct in conjuncts(action.guard):
            self._require(made, conjunct)
        for assignment in action.assignments:
            self._assign(made, assignment.target, assignment.value)
        for place in action.havocs:
            self._assign(made, place, None)
        if self.role is not Role.STRANGER:
            # First, since other conjuncts may use the index as one.
            made.guard[:0] = self._entering(edge)
        elif self.elsewhere is not None:
            flag = VariablePlace(self.elsewhere)
            handle = self._handle(action) if seen is False else None
            if failing and seen is False:
                if handle is None:
                    return None
                made.guard += [negation(handle), negation(Read(flag))]
            if failing and seen is None:
                made.guard.append(negation(Read(flag)))
            if not failing and seen is not None:
                value: Expr = Const(not seen, BOOL)
                if handle is not None:
                    value = Binary(BinaryOp.OR, Read(flag), handle)
                made.assignments.append(Assignment(flag, value))
        return self._finished(made)

    def _designated(self, action: Command) -> bool | None:
        """Whether the first element of a followed array that the edge reads is κ's, if any."""
        for whole in action_expressions(action):
            for part in subexpressions(whole):
                held = self._followed(part)
                if held is not None and not any(
                    self._followed(inner) for inner in subexpressions(held[1])
                ):
                    return self._is_hit(held[0], held[1])
        return None

    def _handle(self, action: Command) -> Expr | None:
        """Whether the accessed element is the cell of a thread of the template at all.

        An id may be that of a thread of another template: then there is no such cell. None if that
        is impossible, because there is no such template, or the index is no id.
        """
        templates = self.setting.program.templates
        names = {template.name for template in templates}
        pools = [
            t
            for t in templates
            if t.name != self.setting.template
            and (t.pool or followed_name(t.name, "others") in names)
        ]
        for whole in action_expressions(action):
            for part in subexpressions(whole):
                held = self._followed(part)
                if held is None or any(self._followed(p) for p in subexpressions(held[1])):
                    continue
                array, index, _ = held
                per_thread = array.type.extent == PerThread(self.setting.template)  # type: ignore[union-attr]
                if not pools or not per_thread or isinstance(index, ThreadAt | SelfId):
                    return None
                try:
                    there = self.value(index)
                except _Unknown:
                    return FALSE
                return Binary(
                    BinaryOp.OR,
                    IsInstance(there, self.setting.template),
                    IsInstance(there, self.setting.others),
                )
        return None

    def _followed(self, part: Expr) -> tuple[Variable, Expr, Variable] | None:
        if not isinstance(part, Read):
            return None
        return self.setting.cell(part.place, self.procedure.name)

    def _entering(self, edge: Edge) -> list[Expr]:
        """What is known of the index of a thread of the template where it begins."""
        if edge.source != self.procedure.entry:
            return []
        kappa = Read(VariablePlace(self.setting.kappa))
        template = self.setting.program.template[self.setting.template]
        mine: Expr = kappa if self.index is None else Read(VariablePlace(self.index))
        known: list[Expr] = [Binary(BinaryOp.GE, mine, number(0))]
        if self.index is not None:
            known.append(Binary(BinaryOp.NE, mine, kappa))
        if not template.pool and template.count is not None:
            known.append(Binary(BinaryOp.LT, mine, number(template.count)))
        if self.setting.next is not None:
            created = Read(VariablePlace(self.setting.next[1]))
            known.append(Binary(BinaryOp.LT, mine, created))
        return known

    # -- parts of commands -----------------------------------------------------------------------

    def _require(self, made: _Made, conjunct: Expr) -> None:
        try:
            made.guard.append(self.value(conjunct))
        except _Unknown:
            self._touch(made, conjunct)

    def _assign(self, made: _Made, target: Place, value: Expr | None) -> None:
        """Assign a value, or any value if there is none."""
        held = self.setting.cell(target, self.procedure.name)
        if held is not None:
            array, index, cell = held
            if array.scope is not Scope.GLOBAL and isinstance(index, Const) and value is not None:
                try:
                    known = self.value(value)
                except _Unknown:
                    raise Unsupported("an unknown value at a constant index") from None
                assert isinstance(index.value, int)
                made.filled.setdefault(cell, []).append((index.value, known))
                return
            if not self._is_hit(array, index):
                for part in (index,) if value is None else (index, value):
                    self._touch(made, part)
                return
            place: Place = VariablePlace(cell)
        else:
            place = self._place(target)
        if value is None:
            made.havocs.append(place)
            return
        try:
            made.assignments.append(Assignment(place, self.value(value)))
        except _Unknown:
            self._touch(made, value)
            made.havocs.append(place)

    def _touch(self, made: _Made, expr: Expr) -> None:
        """Keep reading what an expression reads of the shared variables, and nothing more."""
        for part in subexpressions(expr):
            if not isinstance(part, Read) or not is_shared(part.place):
                continue
            held = self._followed(part)
            if held is not None:
                if not self._is_hit(held[0], held[1]):
                    continue
                place: Place = VariablePlace(held[2])
            else:
                place = self._place(part.place)
            reading = Binary(BinaryOp.EQ, Read(place), Read(place))
            defined = place_definedness(place)
            made.guard.append(
                reading if defined == TRUE else Binary(BinaryOp.IMPLIES, defined, reading)
            )

    def _place(self, place: Place) -> Place:
        """A place that is no element of a followed array."""
        try:
            if isinstance(place, VariablePlace):
                return VariablePlace(self._variable(place.variable))
            return self._moved(place)
        except _Unknown:
            raise Unsupported("an element at an unknown index of an array not followed") from None

    def _moved(self, place: Place) -> Place:
        if isinstance(place, IndexPlace):
            extent = place.base.type.extent  # type: ignore[union-attr]
            if extent == PerThread(self.setting.template):
                raise Unsupported("an array with a cell per thread that is not followed")
        return rebuild_place(place, self.value)

    def _variable(self, variable: Variable) -> Variable:
        counter = self.setting.next
        return counter[1] if counter is not None and variable == counter[0] else variable

    # -- expressions -----------------------------------------------------------------------------

    def value(self, expr: Expr) -> Expr:
        """An expression in the program that follows; raises _Unknown or _Open."""
        setting = self.setting
        match expr:
            case Read(place):
                return self._read(place)
            case SelfIndex() if self.role is not Role.STRANGER:
                return Read(VariablePlace(self.index or setting.kappa))
            case ThreadAt(template, position) if template == setting.template:
                if not self._is_case(_equals(self.value(position), setting)):
                    raise _Unknown
                return setting.followed_id
            case IsInstance(operand, template) if template == setting.template:
                if isinstance(operand, ThreadAt) and operand.template == template:
                    return Binary(BinaryOp.GE, self.value(operand.position), number(0))
                inner = self.value(operand)
                return Binary(
                    BinaryOp.OR, IsInstance(inner, template), IsInstance(inner, setting.others)
                )
            case Binary(op, Read(VariablePlace(variable)), Const(int(size), _)) if (
                setting.next is not None and variable == setting.next[0]
            ):
                slots = setting.program.template[setting.template].count
                assert slots is not None
                if (op, slots - size) in _NEVER_FULL:
                    return _NEVER_FULL[op, slots - size]
                return rebuild(expr, self.value)
            case _:
                return _folded(rebuild(expr, self.value))

    def _read(self, place: Place) -> Expr:
        held = self.setting.cell(place, self.procedure.name)
        if held is None:
            if isinstance(place, VariablePlace):
                return Read(VariablePlace(self._variable(place.variable)))
            return Read(self._moved(place))
        array, index, cell = held
        if self.index is not None and isinstance(index, SelfId):
            if array.name in self.setting.following.claims:
                return Read(VariablePlace(self.index))
            raise _Unknown
        if not self._is_hit(array, index):
            raise _Unknown
        return Read(VariablePlace(cell))

    def _is_hit(self, array: Variable, index: Expr) -> bool:
        """Whether an element of a followed array is κ's, in the case at hand."""
        setting = self.setting
        try:
            per_thread = array.type.extent == PerThread(setting.template)  # type: ignore[union-attr]
            if not per_thread:
                return self._is_case(_equals(self.value(index), setting))
            match index:
                case SelfId() if self.role is not Role.STRANGER:
                    return self.role is Role.FOLLOWED
                case ThreadAt(_, position):
                    return self._is_case(_equals(self.value(position), setting))
                case _:
                    same = Binary(BinaryOp.EQ, self.value(index), setting.followed_id)
                    return self._is_case(same)
        except _Unknown:
            return self._is_case(None, index)

    def _is_case(self, condition: Expr | None, unknown: Expr | None = None) -> bool:
        if condition == TRUE:
            return True
        key = condition if condition is not None else ("unknown", unknown)
        if key not in self._choice:
            raise _Open(key, condition)
        return self._choice[key][0]


def _equals(index: Expr, setting: Setting) -> Expr:
    kappa = Read(VariablePlace(setting.kappa))
    return TRUE if index == kappa else Binary(BinaryOp.EQ, index, kappa)


def _filled(cell: Variable, kappa: Expr, writes: list[tuple[int, Expr]]) -> Expr:
    """The new value of a cell after writes at constant positions, runs of equal ones at once."""
    result: Expr = Read(VariablePlace(cell))
    start = 0
    while start < len(writes):
        stop = start + 1
        first, value = writes[start]
        while stop < len(writes) and writes[stop] == (first + stop - start, value):
            stop += 1
        low = Binary(BinaryOp.GE, kappa, number(first))
        high = Binary(BinaryOp.LE, kappa, number(first + stop - start - 1))
        result = Conditional(Binary(BinaryOp.AND, low, high), value, result)
        start = stop
    return result


def _folded(expr: Expr) -> Expr:
    """Without constants that come from pools which are never full."""
    match expr:
        case Unary(UnaryOp.NOT, Const() as operand):
            return negation(operand)
        case Binary(BinaryOp.AND, left, right):
            if FALSE in (left, right):
                return FALSE
            return right if left == TRUE else left if right == TRUE else expr
        case Binary(BinaryOp.OR, left, right):
            if TRUE in (left, right):
                return TRUE
            return right if left == FALSE else left if right == FALSE else expr
        case _:
            return expr
