"""A program that follows one thread, expressed with the variables of the program before.

To compare their steps, both are evaluated in the same states. The program before gets more
variables, which describe the state of the program after:

    κ       the index that is followed
    N       how many slots a pool has; what the program compares with its size it compares with N
    a@κ     the element of κ of a followed array

Ids of the program after stand for those of the program before: that of the one thread of T for the
κ-th thread, those of `T.others` for all other threads of T, each with its index. There may be any
number of others, so there is such a choice; ids are only compared (the inner proof's checker
ensures that), so nothing depends on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from threadwise.ir.commands import Assignment, Command
from threadwise.ir.expr import (
    COMPARISONS,
    AtLabel,
    Binary,
    BinaryOp,
    Conditional,
    Const,
    DerefPlace,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    Quantified,
    Read,
    Scope,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import rebuild, rebuild_place
from threadwise.ir.pool_cells import PoolCells
from threadwise.ir.program import Declaration, Procedure, Program, Template
from threadwise.ir.types import (
    BOOL,
    INT,
    NONE,
    TID,
    ArrayType,
    PerThread,
    TidType,
    has_cells_inside,
)
from threadwise.proofs.base.answer import Refuted

KAPPA = Variable("κ!", INT, Scope.GLOBAL, sync=True)
SLOTS = Variable("slots!", INT, Scope.GLOBAL, sync=True)
NO_ID = Const(NONE - 1, TID)
_ABOUT_SEVERAL = (AtLabel, Quantified, ThreadRead, ThreadVariable)


def kappa() -> Expr:
    """The index that is followed."""
    return Read(VariablePlace(KAPPA))


@dataclass(frozen=True)
class Names:
    """What is followed, and the names of variables in both programs."""

    program: Program
    template: Template
    arrays: Mapping[Variable, Variable]
    """For each followed array the variable that is the element of κ, in the program after."""
    counter: Variable | None
    """The number of creations, if the template is a pool."""

    @staticmethod
    def of(program: Program, template: str, arrays: frozenset[str]) -> Names:
        """Find out what is followed; raises Refuted."""
        found = program.template.get(template)
        if found is None or sum(t.body == found.body for t in program.templates) != 1:
            raise Refuted(f"`{template}` is no template with a body of its own")
        names: dict[Variable, Variable] = {}
        counter: Variable | None = None
        for declaration, key in _declared(program):
            variable = declaration.variable
            held = variable.type
            if has_cells_inside(held, template):
                raise Refuted(f"`{variable.name}` has cells of followed threads inside")
            if isinstance(held, ArrayType) and (
                held.extent == PerThread(template) or key in arrays
            ):
                names[variable] = replace(variable, type=held.element)
            elif found.pool and key == PoolCells(template).next and variable.scope is Scope.GLOBAL:
                counter = variable
        return Names(program, found, names, counter)

    @property
    def others(self) -> str:
        """The template of all other threads."""
        return f"{self.template.name}.others"

    @property
    def kappa(self) -> Variable:
        """κ in the program after."""
        return Variable(f"{self.template.name}.kappa", INT, Scope.GLOBAL, sync=True)

    @property
    def index(self) -> Variable:
        """The index of another thread, in the program after."""
        return Variable(f"{self.template.name}.index", INT, Scope.LOCAL)

    @property
    def elsewhere(self) -> Variable:
        """Whether a thread of another template last read an element that is not κ's."""
        return Variable(f"{self.template.name}.elsewhere", BOOL, Scope.LOCAL)

    @property
    def followed_id(self) -> Expr:
        """The thread with index κ, in the program before; no id at all if there is none."""
        there = Binary(BinaryOp.LT, kappa(), Read(VariablePlace(SLOTS)))
        return Conditional(there, ThreadAt(self.template.name, kappa()), NO_ID)

    def counted(self, variable: Variable) -> Variable:
        """A variable; the counter of creations has no bound."""
        return replace(variable, type=INT) if variable == self.counter else variable

    def at_kappa(self, array: Variable) -> Place:
        """The element of κ, in the program before."""
        held = array.type
        assert isinstance(held, ArrayType)
        per_thread = isinstance(held.extent, PerThread)
        return IndexPlace(VariablePlace(array), self.followed_id if per_thread else kappa())

    # -- the program before ----------------------------------------------------------------------

    def widened(self) -> Program:
        """The program before with pools of any size, and with the variables above."""
        cells = [Declaration(self.cell(a)) for a in self.arrays if a.scope is Scope.GLOBAL]
        shared = [replace(d, variable=self.counted(d.variable)) for d in self.program.globals]
        extra = [Declaration(KAPPA), Declaration(SLOTS), *cells]
        templates = tuple(
            replace(t, count=None, pool=False) if t is self.template and t.pool else t
            for t in self.program.templates
        )
        return replace(
            self.program,
            globals=(*shared, *extra),
            procedures=tuple(map(self._procedure, self.program.procedures)),
            templates=templates,
            properties=(),
        )

    def cell(self, array: Variable) -> Variable:
        """The variable a@κ."""
        return replace(self.arrays[array], name=f"{array.name}@κ")

    def _procedure(self, old: Procedure) -> Procedure:
        own = [d.variable for d in old.locals]
        own += [
            d.variable for t in self.program.templates if t.body == old.name for d in t.variables
        ]
        cells = [
            Declaration(replace(self.cell(a), scope=Scope.LOCAL)) for a in own if a in self.arrays
        ]
        edges = tuple(
            replace(e, action=self.command(e.action)) if isinstance(e.action, Command) else e
            for e in old.edges
        )
        extra = (*cells, Declaration(self.elsewhere))
        return replace(old, locals=(*old.locals, *extra), edges=edges)

    def command(self, command: Command) -> Command:
        """A command of the program before, with pools of any size."""
        return Command(
            self.general(command.guard),
            tuple(
                Assignment(self._general_place(a.target), self.general(a.value))
                for a in command.assignments
            ),
            tuple(map(self._general_place, command.havocs)),
        )

    def general(self, expr: Expr) -> Expr:
        """An expression of the program before, with pools of any size."""
        match expr:
            case Binary(op, Read(VariablePlace(variable)), Const(int(size), _)) if (
                op in COMPARISONS
                and variable == self.counter
                and self.template.count in (size, size + 1)
            ):
                slots: Expr = Read(VariablePlace(SLOTS))
                if self.template.count == size + 1:
                    slots = Binary(BinaryOp.SUB, slots, Const(1, INT))
                return Binary(op, Read(VariablePlace(self.counted(variable))), slots)
            case Read(place):
                return Read(self._general_place(place))
            case _:
                return rebuild(expr, self.general)

    def _general_place(self, place: Place) -> Place:
        if isinstance(place, VariablePlace):
            return VariablePlace(self.counted(place.variable))
        if isinstance(place, DerefPlace):
            raise Refuted("a pointer is followed")
        return rebuild_place(place, self.general)


def _declared(program: Program) -> Iterator[tuple[Declaration, str]]:
    for declaration in program.globals:
        yield declaration, declaration.variable.name
    for template in program.templates:
        for declaration in template.variables:
            yield declaration, f"{template.body}.{declaration.variable.name}@"
    for procedure in program.procedures:
        for declaration in procedure.locals:
            yield declaration, f"{procedure.name}.{declaration.variable.name}@"


class Retold:
    """Commands of a procedure of the program after, with the variables of the program before."""

    def __init__(self, names: Names, procedure: Procedure, *, stranger: bool, other: bool) -> None:
        self.names = names
        self.stranger = stranger
        self.other = other
        self.known: dict[Variable, Expr | Variable] = {names.kappa: KAPPA}
        program = names.program
        shared = [d.variable for d in program.globals]
        own = [d.variable for d in procedure.locals]
        own += [
            d.variable for t in program.templates if t.body == procedure.name for d in t.variables
        ]
        for variable in (*shared, *own):
            if variable in names.arrays:
                cell = names.cell(variable)
                scope = variable.scope if variable.scope is Scope.GLOBAL else Scope.LOCAL
                self.known[names.arrays[variable]] = replace(cell, scope=scope)
            else:
                self.known[names.counted(variable)] = names.counted(variable)
        if other:
            self.known[names.index] = SelfIndex()
        if stranger:
            self.known[names.elsewhere] = names.elsewhere

    def value(self, expr: Expr) -> Expr:
        """An expression; raises Refuted if it means something else in the program after."""
        names = self.names
        match expr:
            case Read(place):
                return self._read(place)
            case SelfIndex() if not self.stranger:
                raise Refuted("the position of a thread that is followed")
            case ThreadAt(template, position):
                if template == names.template.name:
                    if position != Const(0, INT):
                        raise Refuted("an id of a thread that there is not")
                    return names.followed_id
                if template == names.others:
                    raise Refuted("an id of another thread")
                return rebuild(expr, self.value)
            case IsInstance(operand, template) if template == names.template.name:
                return Binary(BinaryOp.EQ, self.value(operand), names.followed_id)
            case IsInstance(operand, template) if template == names.others:
                inner = self.value(operand)
                of_template = IsInstance(inner, names.template.name)
                same = Binary(BinaryOp.EQ, inner, names.followed_id)
                return Binary(BinaryOp.AND, of_template, Unary(UnaryOp.NOT, same))
            case Const(value, TidType()) if value != NONE:
                raise Refuted("the number of a thread")
            case _ if isinstance(expr, _ABOUT_SEVERAL):
                raise Refuted("a step that looks at several threads")
            case _:
                return rebuild(expr, self.value)

    def _read(self, place: Place) -> Expr:
        if isinstance(place, VariablePlace):
            meant = self.known.get(place.variable)
            if meant is None:
                raise Refuted(f"`{place.variable.name}` is not declared")
            return Read(VariablePlace(meant)) if isinstance(meant, Variable) else meant
        return Read(self.place(place))

    def place(self, place: Place) -> Place:
        """A place that may be written."""
        match place:
            case VariablePlace(variable):
                meant = self.known.get(variable)
                if not isinstance(meant, Variable):
                    raise Refuted(f"`{variable.name}` is not to be written")
                return VariablePlace(meant)
            case FieldPlace(base, field):
                return FieldPlace(self.place(base), field)
            case IndexPlace(base, index):
                held = base.type
                if isinstance(held, ArrayType) and held.extent in (
                    PerThread(self.names.template.name),
                    PerThread(self.names.others),
                ):
                    raise Refuted("an array with an element per thread that is followed")
                return IndexPlace(self.place(base), self.value(index))
            case _:
                raise Refuted("a pointer is followed")
