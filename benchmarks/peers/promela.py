"""A program of the IR as Promela text, so that SPIN searches what `explicit` searches.

Locations and variables are global arrays with the cells of our stores, so that a state of SPIN is
a state of ours. A thread is a process that goes round one loop: each step is a branch, and the
edges of an atomic region are branches inside of it. In a region SPIN would let others go on where
no edge is enabled, which is not our meaning: programs whose regions wait in the middle must not be
written this way (`await` waits at the beginning, and may).

Failures are assertions; invariants are watched by a process that moves only when one is false.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from threadwise.ir.commands import Command
from threadwise.ir.expr import (
    AtLabel,
    Binary,
    BinaryOp,
    Clamp,
    Conditional,
    Const,
    Expr,
    FieldPlace,
    IndexPlace,
    IsInstance,
    Place,
    Quantified,
    Quantifier,
    Read,
    Scope,
    SelfId,
    SelfIndex,
    ThreadAt,
    ThreadRead,
    ThreadVariable,
    Unary,
    UnaryOp,
    VariablePlace,
    Wrap,
)
from threadwise.ir.layout import Cell, ProgramLayout, field_offset, initial_choices, size_of
from threadwise.ir.program import Edge, Program, Template
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import (
    NONE,
    ArrayType,
    BoolType,
    EnumType,
    MutexType,
    PerThread,
    RangeType,
    RecordType,
    ScalarType,
    TidType,
)


class NotWritableError(ValueError):
    """The program has something that this writer leaves out."""


def promela_text(program: Program) -> str:
    """The program with all its invariants."""
    return "\n".join(_Writer(program).lines()) + "\n"


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.layout = ProgramLayout.of(program)
        self.numbers = self.layout.numbers

    # -- declarations -----------------------------------------------------------------------------

    def lines(self) -> Iterator[str]:
        """The whole text."""
        count = len(self.numbers.templates)
        yield f"{'byte' if len(self.program.locations) < 256 else 'short'} pc[{count}];"
        for declaration in self.program.globals:
            variable = declaration.variable
            cells = self.layout.cells_of_type(variable.type)
            yield f"{_kind(cells)} {_name('g', variable.name)}[{max(1, len(cells))}];"
        for template in self.program.templates:
            cells = self.own(template)
            width = max(1, len(cells)) * max(1, template.count or 0)
            yield f"{_kind(cells)} {_name('own', template.name)}[{width}];"
        deepest = max((self._temporaries(edge) for edge in self.program.edges), default=0)
        for number in range(deepest):
            yield f"hidden int v{number}; hidden int s{number};"
        most = max((len(_command(edge).havocs) for edge in self.program.edges), default=0)
        for number in range(most):
            yield f"int h{number};"  # hidden choices would look alike to the search
        for template in self.program.templates:
            yield from self._process(template)
        yield from self._watch()
        yield from self._init()

    def own(self, template: Template) -> tuple[Cell, ...]:
        """The cells of a thread."""
        kept = self.layout.thread[template.name].cells
        return (*kept, *self.layout.local[template.body].cells)

    @staticmethod
    def _temporaries(edge: Edge) -> int:
        command = _command(edge)
        return len(command.assignments) + len(command.havocs)

    def _init(self) -> Iterator[str]:
        yield "init {"
        yield "  atomic {"
        for declaration in self.program.globals:
            name = _name("g", declaration.variable.name)
            for slot, values in enumerate(initial_choices(declaration, self.numbers)):
                if values is None:
                    raise NotWritableError("initial values of any kind")
                yield f"    {name}[{slot}] = {_number(values[0])};"
        for thread, name in enumerate(self.numbers.templates):
            template = self.program.template[name]
            body = self.program.procedure[template.body]
            yield f"    pc[{thread}] = {body.entry};"
            declared = [*template.variables, *body.locals]
            choices = [v for d in declared for v in initial_choices(d, self.numbers)]
            width = len(self.own(template))
            first = (thread - self.numbers.ranges[name].start) * width
            for slot, found in enumerate(choices):
                if found is None:
                    raise NotWritableError("initial values of any kind")
                yield f"    {_name('own', name)}[{first + slot}] = {_number(found[0])};"
        for thread, name in enumerate(self.numbers.templates):
            yield f"    run {_name('thread', name)}({thread});"
        yield "    run watch()"
        yield "  }"
        yield "}"

    # -- steps ------------------------------------------------------------------------------------

    def _process(self, template: Template) -> Iterator[str]:
        yield f"proctype {_name('thread', template.name)}(byte me) {{"
        yield "end: do"
        body = self.program.procedure[template.body]
        for location in body.locations:
            if not location.atomic:
                for edge in self.program.outgoing[location.id]:
                    guard = self._guard(template, edge)
                    yield f"  :: atomic {{ (pc[me] == {location.id} && {guard}) ->"
                    yield from self._effect(template, edge, "     ")
                    yield from self._inside(template, edge, "     ")
                    yield "     }"
        yield "  od"
        yield "}"

    def _guard(self, template: Template, edge: Edge) -> str:
        return _Text(self, template).expr(_command(edge).guard)

    def _effect(self, template: Template, edge: Edge, indent: str) -> Iterator[str]:
        command = _command(edge)
        text = _Text(self, template)
        targets = [*(a.target for a in command.assignments), *command.havocs]
        values = [f"v{number}" for number in range(len(command.assignments))]
        for number, target in enumerate(targets):
            yield f"{indent}s{number} = {text.slot(target)[1]};"
        for value, assignment in zip(values, command.assignments, strict=True):
            yield f"{indent}{value} = {text.expr(assignment.value)};"
        for number, place in enumerate(command.havocs):
            values.append(f"h{number}")
            yield f"{indent}{_chosen(number, place, len(self.numbers.templates))};"
        for number, (target, value) in enumerate(zip(targets, values, strict=True)):
            yield f"{indent}{text.slot(target)[0]}[s{number}] = {value};"
            yield f"{indent}{value} = 0;"
        yield f"{indent}pc[me] = {edge.target};"
        if self.program.locations[edge.target].failure is not None:
            yield f"{indent}assert(false);"

    def _inside(self, template: Template, edge: Edge, indent: str) -> Iterator[str]:
        """The edges of a region after one of them; loops go round."""
        if not self.program.locations[edge.target].atomic:
            return
        yield f"{indent}do"
        yield from self._branches(template, indent)
        yield f"{indent}:: else -> break"
        yield f"{indent}od;"

    def _branches(self, template: Template, indent: str) -> Iterator[str]:
        """All edges inside of regions: where the thread is decides which are possible."""
        for location in self.program.procedure[template.body].locations:
            if location.atomic:
                for edge in self.program.outgoing[location.id]:
                    guard = self._guard(template, edge)
                    yield f"{indent}:: (pc[me] == {location.id} && {guard}) ->"
                    yield from self._effect(template, edge, indent + "   ")

    def _watch(self) -> Iterator[str]:
        formulas = [
            _Text(self, None).expr(p.formula)
            for p in self.program.properties
            if isinstance(p, InvariantProperty)
        ]
        whole = " && ".join(formulas) or "true"
        yield "active [0] proctype watch() {"
        yield f"end: atomic {{ !({whole}) -> assert(false) }}"
        yield "}"


class _Text:
    """Expressions of one template, or of a formula about all threads."""

    def __init__(
        self, writer: _Writer, template: Template | None, others: Mapping[str, int] | None = None
    ) -> None:
        self.writer = writer
        self.layout = writer.layout
        self.template = template
        self.others = others or {}

    def slot(self, place: Place) -> tuple[str, str]:
        """The array that a place is in, and its position there."""
        numbers = self.layout.numbers
        match place:
            case VariablePlace(variable) if variable.scope is Scope.GLOBAL:
                return _name("g", variable.name), "0"
            case VariablePlace(variable):
                assert self.template is not None
                start = numbers.ranges[self.template.name].start
                return _name("own", self.template.name), self._local(
                    self.template, variable.name, variable.scope, f"(me - {start})"
                )
            case FieldPlace(base, name):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                array, position = self.slot(base)
                return array, f"{position} + {field_offset(held, name, numbers)}"
            case IndexPlace(base, index):
                held = base.type
                assert isinstance(held, ArrayType)
                array, position = self.slot(base)
                first = 0
                if isinstance(held.extent, PerThread):
                    first = numbers.ranges[held.extent.template].start
                size = size_of(held.element, numbers)
                return array, f"{position} + ({self.expr(index)} - {first}) * {size}"
            case _:
                raise NotWritableError("pointers")

    def _local(self, template: Template, name: str, scope: Scope, thread: str) -> str:
        kept = self.layout.thread[template.name]
        offset = (
            kept.offset[name]
            if scope is Scope.THREAD
            else len(kept.cells) + self.layout.local[template.body].offset[name]
        )
        return f"{thread} * {len(self.writer.own(template))} + {offset}"

    def expr(self, expr: Expr) -> str:
        """The text of an expression."""
        if isinstance(expr, ThreadVariable | AtLabel | ThreadRead | Quantified):
            return self._about_threads(expr)
        return self._plain(expr)

    def _plain(self, expr: Expr) -> str:
        numbers = self.layout.numbers
        match expr:
            case Const(value, _):
                return _number(value)
            case Read(place):
                array, position = self.slot(place)
                return f"{array}[{position}]"
            case Unary(op, operand):
                return f"({'!' if op is UnaryOp.NOT else op.value}{self.expr(operand)})"
            case Binary(BinaryOp.IMPLIES, left, right):
                return f"(!{self.expr(left)} || {self.expr(right)})"
            case Binary(op, left, right):
                return f"({self.expr(left)} {op.value} {self.expr(right)})"
            case Conditional(condition, then, otherwise):
                chosen = f"{self.expr(condition)} -> {self.expr(then)} : {self.expr(otherwise)}"
                return f"({chosen})"
            case Wrap(low, high, operand):
                size = high - low + 1
                moved = f"({self.expr(operand)} - {low})"
                return f"({low} + (({moved} % {size}) + {size}) % {size})"
            case Clamp(low, high, operand):
                text = self.expr(operand)
                return f"({text} < {low} -> {low} : ({text} > {high} -> {high} : {text}))"
            case SelfId():
                return "me"
            case SelfIndex():
                assert self.template is not None
                return f"(me - {numbers.ranges[self.template.name].start})"
            case ThreadAt(template, position):
                return f"({numbers.ranges[template].start} + {self.expr(position)})"
            case IsInstance(operand, template):
                members = numbers.ranges[template]
                text = self.expr(operand)
                return f"({text} >= {members.start} && {text} < {members.stop})"
            case _:
                raise NotWritableError(type(expr).__name__)

    def _about_threads(self, expr: Expr) -> str:
        numbers = self.layout.numbers
        match expr:
            case ThreadVariable(name, _):
                return str(self.others[name])
            case AtLabel(ThreadVariable(name, _), procedure, label):
                places = [
                    f"pc[{self.others[name]}] == {location.id}"
                    for location in self.writer.program.procedure[procedure].locations
                    if label in location.labels
                ]
                return f"({' || '.join(places) or 'false'})"
            case ThreadRead(ThreadVariable(name, template), VariablePlace(variable)):
                number = self.others[name] - numbers.ranges[template].start
                owner = self.writer.program.template[template]
                position = self._local(owner, variable.name, variable.scope, str(number))
                return f"{_name('own', template)}[{position}]"
            case Quantified(quantifier, variables, body):
                return self._quantified(quantifier, variables, body)
            case _:
                raise NotWritableError(type(expr).__name__)

    def _quantified(
        self, quantifier: Quantifier, variables: Sequence[ThreadVariable], body: Expr
    ) -> str:
        names = [variable.name for variable in variables]
        ranges = [self.layout.numbers.ranges[variable.template] for variable in variables]
        cases = [
            _Text(
                self.writer, self.template, {**self.others, **dict(zip(names, case, strict=True))}
            ).expr(body)
            for case in product(*ranges)
        ]
        joint, none = (" && ", "true") if quantifier is Quantifier.FORALL else (" || ", "false")
        return f"({joint.join(cases) or none})"


def _command(edge: Edge) -> Command:
    if not isinstance(edge.action, Command):
        raise NotWritableError("calls and a heap")
    return edge.action


def _chosen(number: int, place: Place, threads: int) -> str:
    """A statement that gives a temporary any value of a place."""
    match place.type:
        case BoolType():
            low, high = 0, 1
        case EnumType(_, members):
            low, high = 0, len(members) - 1
        case TidType():
            low, high = NONE, threads - 1
        case RangeType(low, high):
            pass
        case _:
            raise NotWritableError("an input with so many values")
    return f"select(h{number} : {low} .. {high})"


def _kind(cells: Sequence[Cell]) -> str:
    """The smallest type for all the cells."""
    kinds = ["bit", "byte", "short", "int"]
    return kinds[max((kinds.index(_scalar(cell.type)) for cell in cells), default=0)]


def _scalar(held: ScalarType) -> str:
    match held:
        case BoolType():
            return "bit"
        case EnumType():
            return "byte"
        case TidType():
            return "short"
        case RangeType(low, high) if low >= 0 and high < 256:
            return "byte"
        case RangeType(low, high) if low >= -(1 << 15) and high < 1 << 15:
            return "short"
        case _:
            return "int"


def _number(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if not isinstance(value, int):
        raise NotWritableError("pointers")
    return str(value)


def _name(kind: str, name: str) -> str:
    return f"{kind}_{name.replace('.', '_')}"
