"""C text to the typed tree, by libclang.

First every file is read, then all declarations of all files are linked, then bodies and
initialisers are translated: so a body knows the entities of the other files. `Parser.add` may be
called again, with the library models that the program turned out to need.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from threadwise.core.diagnostics import Diagnostic, DiagnosticBag
from threadwise.core.errors import InputError, Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import SourceFile, Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.options import COptions, DataModel
from threadwise.frontends.c.parse.context import Context
from threadwise.frontends.c.parse.convert_types import Records, TypeConverter
from threadwise.frontends.c.parse.native import Kind, parameters
from threadwise.frontends.c.parse.substitutes import Substitutes
from threadwise.frontends.c.parse.symbols import Definition, Linked, Locals, UnitSymbols
from threadwise.frontends.c.parse.units import Unit, read_units, without_headers_of_the_system
from threadwise.frontends.c.types import CFunction

_POINTER_WIDTH = {DataModel.LP64: 64, DataModel.ILP32: 32}


@dataclass(frozen=True)
class Parsed:
    """A program, and what the user should know about how it was read."""

    program: tree.Program
    warnings: tuple[Diagnostic, ...]


def parse_c(files: Sequence[SourceFile], options: COptions | None = None) -> Parsed:
    """Read the files of one program; raises InputError."""
    parser = Parser(options or COptions())
    parser.add(files)
    return Parsed(parser.program, parser.warnings)


class Parser:
    """Reads the files of a program, and then the models of the library functions it uses."""

    def __init__(self, options: COptions, opaque_types: Mapping[str, str] | None = None) -> None:
        """`opaque_types` maps names of types to the types of ours that stand for them."""
        self._options = options
        self._opaque = dict(opaque_types or {})
        self._bag = DiagnosticBag()
        self._records = Records()
        self.program = tree.Program(
            records=self._records.known, pointer_width=_POINTER_WIDTH[options.data_model]
        )
        self._linked = Linked(self.program, self._bag)
        self._told: set[tuple[str, Span | None]] = set()
        self._units: list[Unit] = []
        self._own: list[Unit] = []
        """Those that are not ours."""

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What was noticed so far."""
        return self._bag.diagnostics()

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the user that were read, headers included, each once."""
        read = [path for unit in self._own for path in unit.files]
        return tuple(dict.fromkeys(read))

    @property
    def declared(self) -> Collection[tree.Function]:
        """All functions that were declared, used or not."""
        return self._linked.functions.values()

    def add(
        self,
        files: Sequence[SourceFile],
        *,
        own: Mapping[str, COptions] | None = None,
        library: bool = False,
    ) -> None:
        """Read more files, some with options of their own, into the program.

        Raises InputError.
        """
        try:
            self._add(files, own or {}, library=library)
        except RecursionError:
            raise Unsupported("C that is nested too deeply") from None

    def _add(
        self, files: Sequence[SourceFile], own: Mapping[str, COptions], *, library: bool
    ) -> None:
        usual = without_headers_of_the_system(self._options) if library else self._options
        options = {**{file.path: usual for file in files}, **own}
        units = read_units(files, options, self._bag)
        self._units += units
        self._own += [] if library else units
        for unit in units:
            self._linked.start_up.note_late(unit.late_attributes, unit.texts())
            substitutes = Substitutes(self._opaque, self._options, self._records)
            types = TypeConverter(
                self._records,
                None if library else substitutes,
                None if library else unit.places,
            )
            self._declare(unit, UnitSymbols(self._linked, types, unit.places, library=library))
        if self._bag.has_errors:
            raise InputError(self._bag.diagnostics())
        self._define()
        defined = {f: found.symbols for f, found in self._linked.bodies.items()}
        named = (*self._options.entry_init, *self._options.entry)
        entries = [self._linked.external_function(name) for name in named]
        self._linked.start_up.attach(
            self._linked.external_function("main"),
            [f for f in entries if f is not None],
            defined,
            self.external_function,
        )

    def external_function(self, name: str, kind: CFunction, span: Span) -> tree.Function:
        """A function that no declaration of the user's need name."""
        function = self._linked.external_function(name)
        if function is None:
            function = tree.Function(name, name, kind, (), span)
            self._linked.functions[name] = function
        self._linked.enter_function(function)
        return function

    def warn(self, message: str, span: Span | None) -> None:
        """Add a warning, once."""
        if (message, span) not in self._told:
            self._told.add((message, span))
            self._bag.warning(message, span)

    def add_models(self, models: SourceFile, overrides: Collection[str] = ()) -> None:
        """Read models of library functions; `overrides` replace bodies that the program has."""
        replaced = [
            function
            for function in self.program.functions.values()
            if function.shown in overrides and function.body is not None
        ]
        for function in replaced:
            function.body = None
            self._linked.bodies.pop(function, None)
        self.add([models], library=True)
        for function in replaced:
            model = self._linked.external_function(function.shown)
            if function.body is None and model is not None and model.body is not None:
                # One with internal linkage does what its namesake does.
                function.parameters, function.body = model.parameters, model.body
                function.library = True

    def _declare(self, unit: Unit, symbols: UnitSymbols) -> None:
        for node in unit.declarations:
            if node.kind == Kind.FUNCTION_DECL:
                symbols.note_function(node)
            elif node.kind == Kind.VAR_DECL:
                symbols.declare_variable(node)

    def _define(self) -> None:
        """Translate what has been declared and not yet translated."""
        for variable, definition in self._linked.values.items():
            if variable.initial is None:
                context = Context(definition.symbols)
                variable.initial = context.initialisers.of(definition.node, variable.type)
        for function, definition in list(self._linked.bodies.items()):
            if function.body is None:
                function.body = _body(function, definition)


def _body(function: tree.Function, definition: Definition) -> tree.Compound:
    locals_ = Locals(function)
    for node, parameter in zip(parameters(definition.node), function.parameters, strict=True):
        parameter.name = locals_.fresh(parameter.name or "unnamed")
        locals_.known[node.hash] = parameter
    return Context(definition.symbols, locals_).statements.body(definition.node)
