"""The declarations of a model: names first, then what they mean.

Constants and enumerations are resolved in the order of the file, each from those before it; all
other declarations may use any constant. `-D` replaces the value of a constant, `--threads` the
count of a template.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.suggestions import did_you_mean
from threadwise.frontends.model.reporter import Placed, Reporter
from threadwise.frontends.model.syntax import ast
from threadwise.frontends.model.typing.expressions import Expressions
from threadwise.frontends.model.typing.symbols import (
    BROKEN,
    OPERATIONS,
    ProcedureSymbol,
    Symbols,
    TemplateSymbol,
)
from threadwise.frontends.model.typing.typed import describe
from threadwise.frontends.model.typing.types import (
    DEFAULT,
    contents,
    declared_type,
    initial,
    value_type,
)
from threadwise.ir.expr import Const, Scope, Variable
from threadwise.ir.pool import Pool
from threadwise.ir.program import Declaration, Initial
from threadwise.ir.types import INT, BoolType, EnumType, IntType, RangeType, Type, contains

Defines = Mapping[str, str | int]
Counts = Mapping[str, int | None]


class Declarations:
    """Fills the global name space from the items of a model."""

    def __init__(self, model: ast.Model, reporter: Reporter) -> None:
        self.items = model.items
        self.reporter = reporter
        self.symbols = Symbols()
        self.expressions = Expressions(self.symbols, reporter)
        self.globals: list[Declaration] = []

    def collect(self, defines: Defines, counts: Counts, max_threads: int) -> Symbols:
        """Resolve every declaration."""
        kept = self._register()
        self._check_options(defines, counts)
        for item in kept:
            if isinstance(item, ast.Enum):
                self._enum(item)
            elif isinstance(item, ast.Const):
                self._constant(item, defines)
        for item in kept:
            if isinstance(item, ast.Thread):
                self._template(item, counts, max_threads)
        for item in kept:
            if isinstance(item, ast.Declaration):
                self._variable(item)
            elif isinstance(item, ast.Procedure):
                self._procedure(item)
        return self.symbols

    # Names.

    def _register(self) -> list[ast.Item]:
        """Give each name to its first declaration; the items that got theirs."""
        kept: list[ast.Item] = []
        for item in self.items:
            match item:
                case ast.Const() | ast.Enum() | ast.Declaration() | ast.Procedure() | ast.Thread():
                    if self._claim(item.name):
                        kept.append(item)
                case _:
                    kept.append(item)
        return kept

    def _claim(self, name: ast.Name) -> bool:
        if name.name in OPERATIONS:
            self.reporter.error(name, f"`{name.name}` is the name of a built-in operation")
            return False
        first = self.symbols.places.setdefault(name.name, name)
        if first is name:
            return True
        note = ("first declared here", first)
        self.reporter.error(name, f"`{name.name}` is declared twice", notes=[note])
        return False

    def _check_options(self, defines: Defines, counts: Counts) -> None:
        constants = [item.name.name for item in self.items if isinstance(item, ast.Const)]
        for name in defines:
            if name not in constants:
                self._option(f"-D {name}: the model has no such constant", name, constants)
        templates = [item.name.name for item in self.items if isinstance(item, ast.Thread)]
        for name, count in counts.items():
            if name not in templates:
                self._option(f"--threads {name}: there is no such thread", name, templates)
            elif count is not None and count < 0:
                self._option(f"--threads {name}={count}: a count cannot be negative")

    def _option(self, message: str, name: str = "", candidates: Iterable[str] = ()) -> None:
        hint = did_you_mean(name, candidates)
        self.reporter.bag.add(Diagnostic(Severity.ERROR, message, hint=hint))

    # Constants.

    def _enum(self, item: ast.Enum) -> None:
        names = [member.name for member in item.members]
        enum = EnumType(item.name.name, tuple(names))
        self.symbols.enums[enum.name] = enum
        for position, member in enumerate(item.members):
            if self._claim(member):
                self.symbols.constants[member.name] = Const(position, enum)

    def _constant(self, item: ast.Const, defines: Defines) -> None:
        name = item.name.name
        held = value_type(item.type, self.expressions)
        value: Const | None = None
        if held is not None:
            if name in defines:
                value = self._defined(name, defines[name], held)
            else:
                value = self.expressions.constant(item.value, held)
                if value is not None:
                    value = self._fitting(item.value, value, held)
        if value is None:
            self.symbols.variables[name] = BROKEN
        else:
            self.symbols.constants[name] = value

    def _fitting(self, node: Placed, value: Const, held: Type) -> Const | None:
        if isinstance(held, RangeType) and not contains(held, value.value):
            self.reporter.error(node, f"value {value.value} outside {describe(held)}")
            return None
        return value

    def _defined(self, name: str, text: str | int, held: Type) -> Const | None:
        """The value of a constant given by the user of the model."""
        value = _read_value(text, held)
        if value is None or not contains(held, value.value):  # type: ignore[arg-type]
            self._option(f"-D {name}={text}: expected {describe(held)}")
            return None
        return value

    # Threads and procedures.

    def _template(self, item: ast.Thread, counts: Counts, max_threads: int) -> None:
        name = item.name.name
        count: int | None = 1
        if item.parameters is not None:
            count = max_threads
        elif isinstance(item.count, ast.AnyNumber):
            count = None
        elif item.count is not None:
            fixed = self.expressions.constant(item.count, INT)
            if fixed is not None:
                assert isinstance(fixed.value, int)
                count = fixed.value
                if count < 0:
                    self.reporter.error(item.count, f"a count of {count} threads")
        if name in counts:
            count = counts[name]
        parameters = self._parameters(item.parameters or ())
        pool = None
        if item.parameters is not None:
            if count is None:
                self._option(f"--threads {name}=*: a spawned thread needs a number")
                count = max_threads
            pool = Pool.of(name, count, parameters)
        self.symbols.templates[name] = TemplateSymbol(name, item, count, parameters, pool)

    def _procedure(self, item: ast.Procedure) -> None:
        name = item.name.name
        result = None if item.result is None else value_type(item.result, self.expressions)
        parameters = self._parameters(item.parameters)
        if item.result is not None and result is None:
            result = INT
        self.symbols.procedures[name] = ProcedureSymbol(name, item, parameters, result)

    def _parameters(self, parameters: Sequence[ast.Parameter]) -> tuple[Variable, ...]:
        declared: list[Variable] = []
        seen: dict[str, ast.Name] = {}
        for parameter in parameters:
            name = parameter.name
            if name.name in OPERATIONS:
                self.reporter.error(name, f"`{name.name}` is the name of a built-in operation")
            if name.name in seen:
                note = ("first declared here", seen[name.name])
                self.reporter.error(
                    name, f"parameter `{name.name}` is declared twice", notes=[note]
                )
            seen.setdefault(name.name, name)
            held = value_type(parameter.type, self.expressions)
            declared.append(Variable(name.name, held or INT, Scope.LOCAL))
        return tuple(declared)

    # Shared variables.

    def _variable(self, item: ast.Declaration) -> None:
        name = item.name.name
        held = declared_type(item, self.expressions)
        if held is None:
            self.symbols.variables[name] = BROKEN
            return
        start: Initial | None = DEFAULT
        if item.initialiser is not None:
            contained = contents(item.initialiser, held, self.expressions)
            start = None if contained is None else initial(contained)
            if contained is not None and start is None:
                text = self.reporter.text(item.initialiser)
                self.reporter.error(item.initialiser, f"`{text}` is not a constant")
        variable = Variable(name, held, Scope.GLOBAL)
        self.symbols.variables[name] = variable
        self.globals.append(Declaration(variable, start or DEFAULT))


def _read_value(text: str | int, held: Type) -> Const | None:
    """A value as written after `-D name=`."""
    match held:
        case BoolType():
            words = {"true": True, "false": False}
            value = words.get(str(text).strip().lower())
            return None if value is None else Const(value, held)
        case EnumType(_, members):
            name = str(text).strip()
            return Const(members.index(name), held) if name in members else None
        case IntType() | RangeType():
            try:
                return Const(int(str(text).strip(), 0), INT)
            except ValueError:
                return None
        case _:
            return None
