"""A program of the IR as SMV text, so that NuSMV checks what our engines check.

One input chooses a thread, another one of the steps it has where it is; a step that is not enabled
changes nothing, which no invariant notices. Edges inside an atomic region that `joined_edges` does
not join are steps of their own: while a thread is inside, nobody else moves and the invariant is
not looked at. The same holds once a thread has stopped in a failure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product

from benchmarks.mhwl.joined_edges import Step, joined_steps
from threadwise.backends.bdd.fields import Field
from threadwise.backends.bdd.space import Space, ThreadFields
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
from threadwise.ir.layout import extent_of, field_offset, size_of
from threadwise.ir.program import Program
from threadwise.ir.properties import InvariantProperty
from threadwise.ir.types import ArrayType, MutexType, PerThread, RecordType, Value

OPERATORS = {
    BinaryOp.AND: "&",
    BinaryOp.OR: "|",
    BinaryOp.IMPLIES: "->",
    BinaryOp.EQ: "=",
    BinaryOp.MOD: "mod",
}


def smv_text(program: Program, checked: str) -> str:
    """The program and one of its invariants."""
    return "\n".join(_Writer(program).lines(checked)) + "\n"


class _Writer:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.space = Space(program)
        self.numbers = self.space.numbers
        self.names: dict[str, str] = {}
        for number, field in enumerate(self.space.fields()):
            self.names[field.name] = f"v{number}"
        self.updates: dict[str, list[str]] = {}
        self.steps = {
            template.name: joined_steps(program, program.procedure[template.body])
            for template in program.templates
        }
        self.choices = max(len(s) for found in self.steps.values() for s in found.values())
        """Of how many steps a thread chooses, at most."""

    def lines(self, checked: str) -> Iterator[str]:
        """All of it."""
        yield "MODULE main"
        yield f"IVAR who : 0..{len(self.space.threads) - 1};"
        if self.choices > 1:
            yield f"  step : 0..{self.choices - 1};"
        yield "VAR"
        for field in self.space.fields():
            yield f"  {self.names[field.name]} : {self._domain(field)}; -- {field.name}"
        defines = [line for thread in self.space.threads for line in self._steps(thread)]
        yield "DEFINE"
        for t, inside in self.busy.items():
            yield f"  busy{t} := {inside};"
        yield from defines
        yield "ASSIGN"
        for thread in self.space.threads:
            yield from self._starts(self.space.initial_own(thread))
        yield from self._starts(self.space.initial_shared())
        for field in self.space.fields():
            name = self.names[field.name]
            cases = " ".join(self.updates.get(field.name, []))
            yield f"  next({name}) := case {cases} TRUE : {name}; esac;"
        wanted = next(p for p in self.program.properties if p.name == checked)
        assert isinstance(wanted, InvariantProperty)
        busy = "".join(f"busy{t} | " for t in self.busy)
        yield f"INVARSPEC {busy}{self._expr(wanted.formula, None, {})};"

    def _starts(self, values: list[tuple[Field, Value]]) -> Iterator[str]:
        for field, value in values:
            yield f"  init({self.names[field.name]}) := {self._value(value)};"

    def _domain(self, field: Field) -> str:
        if field.values == (False, True):
            return "boolean"
        if field.thread is not None and field == self.space.threads[field.thread].location:
            places = self.steps[self.space.threads[field.thread].template]
            return "{" + ", ".join(map(str, places)) + "}"
        return f"{field.values[0]}..{field.values[-1]}"

    @cached_property
    def busy(self) -> dict[int, str]:
        """When each thread keeps the others from moving, if it ever does."""
        found: dict[int, str] = {}
        for thread in self.space.threads:
            places = [self.program.locations[place] for place in self.steps[thread.template]]
            inside = [str(here.id) for here in places if here.atomic or here.failure is not None]
            if inside:
                at = self.names[thread.location.name]
                found[thread.thread] = f"{at} in {{{', '.join(inside)}}}"
        return found

    def _steps(self, thread: ThreadFields) -> Iterator[str]:
        t = thread.thread
        at = self.names[thread.location.name]
        free = [f"!busy{u}" for u in self.busy if u != t]
        for place, steps in self.steps[thread.template].items():
            for number, step in enumerate(steps):
                name = f"on{t}_{place}_{number}"
                chosen = [f"who = {t}", f"{at} = {place}"]
                if self.choices > 1:
                    chosen.append(f"step = {number}")
                guards = [self._expr(guard, thread, {}) for guard in step.guards]
                needed = [*chosen, *(g for g in guards if g != "TRUE"), *free]
                yield f"  {name} := {' & '.join(needed)};"
                self._changes(thread, step, name)

    def _changes(self, thread: ThreadFields, step: Step, name: str) -> None:
        self._update(thread.location, name, str(step.target))
        for assignment in step.assignments:
            value = self._expr(assignment.value, thread, {})
            self._write(assignment.target, thread, name, value)
        for place in step.havocs:
            self._write(place, thread, name, None)

    def _write(self, place: Place, thread: ThreadFields, name: str, value: str | None) -> None:
        for field, condition in self._cells(place, thread, {}):
            when = name if condition == "TRUE" else f"({name} & {condition})"
            new = value if value is not None else self._any(field)
            self._update(field, when, new)

    def _any(self, field: Field) -> str:
        return "{" + ", ".join(self._value(value) for value in field.values) + "}"

    def _update(self, field: Field, when: str, value: str) -> None:
        self.updates.setdefault(field.name, []).insert(0, f"{when} : {value};")

    # -- places and expressions -------------------------------------------------------------------

    def _cells(
        self, place: Place, thread: ThreadFields | None, bound: Mapping[str, int]
    ) -> list[tuple[Field, str]]:
        region, offsets = self._offsets(place, thread, bound)
        return [(region[offset], condition) for offset, condition in offsets]

    def _offsets(
        self, place: Place, thread: ThreadFields | None, bound: Mapping[str, int]
    ) -> tuple[tuple[Field, ...], list[tuple[int, str]]]:
        layout = self.space.layout
        match place:
            case VariablePlace(variable) if variable.scope is Scope.GLOBAL:
                return self.space.shared, [(layout.globals.offset[variable.name], "TRUE")]
            case VariablePlace(variable):
                assert thread is not None
                if variable.scope is Scope.THREAD:
                    slot = layout.thread[thread.template].offset[variable.name]
                else:
                    body = self.program.template[thread.template].body
                    slot = thread.scoped + layout.local[body].offset[variable.name]
                return thread.own, [(slot, "TRUE")]
            case FieldPlace(base, name):
                held = base.type
                assert isinstance(held, RecordType | MutexType)
                region, offsets = self._offsets(base, thread, bound)
                skipped = field_offset(held, name, self.numbers)
                return region, [(offset + skipped, c) for offset, c in offsets]
            case IndexPlace(base, index):
                return self._elements(base, index, thread, bound)
            case _:
                raise NotImplementedError("pointers")

    def _elements(
        self, base: Place, index: Expr, thread: ThreadFields | None, bound: Mapping[str, int]
    ) -> tuple[tuple[Field, ...], list[tuple[int, str]]]:
        held = base.type
        assert isinstance(held, ArrayType)
        region, offsets = self._offsets(base, thread, bound)
        first = 0
        if isinstance(held.extent, PerThread):
            first = self.numbers.ranges[held.extent.template].start
        width = size_of(held.element, self.numbers)
        told = self._expr(index, thread, bound)
        found: list[tuple[int, str]] = []
        for position in range(extent_of(held, self.numbers)):
            here = f"{told} = {first + position}"
            if told.lstrip("-").isdigit():
                if int(told) != first + position:
                    continue
                here = "TRUE"
            for offset, condition in offsets:
                both = here if condition == "TRUE" else f"({condition} & {here})"
                found.append((offset + position * width, both))
        return region, found

    def _value(self, value: Value) -> str:
        return str(value).upper() if isinstance(value, bool) else str(value)

    def _expr(  # noqa: C901, PLR0911 - a case per node
        self, expr: Expr, thread: ThreadFields | None, bound: Mapping[str, int]
    ) -> str:
        def told(part: Expr) -> str:
            return self._expr(part, thread, bound)

        match expr:
            case Const(value, _):
                return self._value(value)
            case Read(place):
                cells = self._cells(place, thread, bound)
                if len(cells) == 1:
                    return self.names[cells[0][0].name]
                cases = [f"{condition} : {self.names[f.name]};" for f, condition in cells[:-1]]
                last = self.names[cells[-1][0].name]
                return f"(case {' '.join(cases)} TRUE : {last}; esac)"
            case Unary(UnaryOp.NOT, operand):
                return f"!({told(operand)})"
            case Unary(_, operand):
                return f"-({told(operand)})"
            case Binary(op, left, right):
                return f"({told(left)} {OPERATORS.get(op, op.value)} {told(right)})"
            case Conditional(condition, then, otherwise):
                return f"({told(condition)} ? {told(then)} : {told(otherwise)})"
            case Wrap(low, high, operand):
                size = high - low + 1
                return f"(((({told(operand)} - {low}) mod {size}) + {size}) mod {size} + {low})"
            case Clamp(low, high, operand):
                inside = told(operand)
                beyond = f"{inside} < {low} : {low}; {inside} > {high} : {high};"
                return f"(case {beyond} TRUE : {inside}; esac)"
            case SelfId():
                assert thread is not None
                return str(thread.thread)
            case SelfIndex():
                assert thread is not None
                return str(thread.thread - self.numbers.ranges[thread.template].start)
            case ThreadAt(template, position):
                return f"({told(position)} + {self.numbers.ranges[template].start})"
            case IsInstance(operand, template):
                ids = self.numbers.ranges[template]
                return f"({told(operand)} in {ids.start}..{ids.stop - 1})"
            case ThreadVariable(name, _):
                return str(bound[name])
            case AtLabel(ThreadVariable(name, _), procedure, label):
                return self._at(self.space.threads[bound[name]], procedure, label)
            case ThreadRead(ThreadVariable(name, _), place):
                return self._expr(Read(place), self.space.threads[bound[name]], bound)
            case Quantified(quantifier, variables, body):
                ranges = [self.numbers.ranges[v.template] for v in variables]
                parts = [
                    self._expr(body, thread, {**bound, **dict(zip(names, chosen, strict=True))})
                    for names in [[v.name for v in variables]]
                    for chosen in product(*ranges)
                ]
                joint = " & " if quantifier is Quantifier.FORALL else " | "
                return f"({joint.join(parts)})"
            case _:
                raise NotImplementedError("pointers")

    def _at(self, thread: ThreadFields, procedure: str, label: str) -> str:
        places = [
            str(location.id)
            for location in self.program.procedure[procedure].locations
            if label in location.labels
        ]
        return f"({self.names[thread.location.name]} in {{{', '.join(places)}}})"
