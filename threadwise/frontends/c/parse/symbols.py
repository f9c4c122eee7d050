"""Names: which declarations, in one file or several, are the same entity.

Entities with external linkage are one program-wide; those with internal linkage belong to a file,
those without to a function. `name` is unique in the program (globals, functions) or in the
function (locals); `shown` is what the source says.
"""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import TypeVar

from clang.cindex import LinkageKind, StorageClass, TLSKind

from threadwise.core.diagnostics import DiagnosticBag, Note
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.convert_types import TypeConverter, adjusted
from threadwise.frontends.c.parse.guards import guards_of, joined
from threadwise.frontends.c.parse.native import (
    Kind,
    Node,
    children,
    in_system_header,
    initialiser_of,
    is_inlined,
    parameters,
    pretty_printed,
)
from threadwise.frontends.c.parse.spans import Places
from threadwise.frontends.c.parse.startup import StartUp
from threadwise.frontends.c.types import CArray, CAtomic, CFunction, CPointer, CType

_SIGNAL_FLAG = "sig_atomic_t"
_OTHER_VERSIONS = frozenset({"__sysv_signal"})
"""What labels in system headers make of functions that behave in another way without them."""


@dataclass
class Definition:
    """Where an entity got its value or body, and the part of the tree it will be made from."""

    symbols: UnitSymbols
    node: Node
    span: Span


@dataclass
class Linked:
    """What all files have in common."""

    program: tree.Program
    bag: DiagnosticBag
    bodies: dict[tree.Function, Definition] = field(default_factory=dict)
    values: dict[tree.Variable, Definition] = field(default_factory=dict)
    start_up: StartUp = field(default_factory=StartUp)
    functions: dict[str, tree.Function] = field(default_factory=dict)
    """Those with external linkage."""
    in_headers: dict[str, list[tuple[UnitSymbols, Node]]] = field(default_factory=dict)
    """Declarations in system headers of functions not used yet: most never are."""
    variables: dict[str, tree.Variable] = field(default_factory=dict)

    def fresh(self, name: str) -> str:
        """The name, or a similar one that is not taken."""
        candidate, number = name, 1
        while candidate in self.program.variables or candidate in self.program.functions:
            number += 1
            candidate = f"{name}.{number}"
        return candidate

    def external_function(self, name: str) -> tree.Function | None:
        """The function with external linkage that has a name, as far as it is declared."""
        for symbols, node in self.in_headers.pop(name, ()):
            symbols.declare_function(node)
        return self.functions.get(name)

    def enter_function(self, function: tree.Function) -> None:
        """Make a function part of the program, under its name."""
        if self.program.functions.get(function.name) is not function:
            self._make_room(function.name)
            self.program.functions[function.name] = function

    def enter_variable(self, variable: tree.Variable) -> None:
        """Make a variable part of the program, under its name."""
        if self.program.variables.get(variable.name) is not variable:
            self._make_room(variable.name)
            self.program.variables[variable.name] = variable

    def _make_room(self, name: str) -> None:
        """External names are what they are: an internal one in the way gets another name."""
        _rename(self.program.functions, name, self.fresh(name))
        _rename(self.program.variables, name, self.fresh(name))


_ALIAS = re.compile(r'\b(?:alias|weakref)\("([^"]*)"\)')
_Named = TypeVar("_Named", tree.Function, tree.Variable)


def _rename(table: dict[str, _Named], old: str, new: str) -> None:
    """Give an entry another name, in its place."""
    if old in table:
        table[old].name = new
        items = [(new if key == old else key, each) for key, each in table.items()]
        table.clear()
        table.update(items)


@dataclass
class Locals:
    """The variables of one function."""

    function: tree.Function
    names: set[str] = field(default_factory=set)
    known: dict[int, tree.Variable] = field(default_factory=dict)

    def fresh(self, name: str) -> str:
        """The name, or one like it that no variable of the function has."""
        candidate, number = name, 1
        while candidate in self.names:
            number += 1
            candidate = f"{name}.{number}"
        self.names.add(candidate)
        return candidate


_SIGNAL_FLAG = "sig_atomic_t"


class UnitSymbols:
    """The entities that one file can name."""

    def __init__(
        self, linked: Linked, types: TypeConverter, places: Places, *, library: bool
    ) -> None:
        self.linked = linked
        self.types = types
        self.places = places
        self.library = library
        self._variables: dict[str, tree.Variable] = {}
        self._functions: dict[str, tree.Function] = {}

    # -- functions ------------------------------------------------------------------------------

    def function(self, node: Node) -> tree.Function:
        """The function that a reference means; it becomes part of the program."""
        function = self._declared_function(node)
        self.linked.enter_function(function)
        return function

    def _declared_function(self, node: Node) -> tree.Function:
        shown = node.spelling
        internal = node.linkage == LinkageKind.INTERNAL
        symbol = shown if internal else _symbol(node)
        if symbol != shown and (own := _internal(node, symbol)) is not None:
            return self._declared_function(own)
        if internal:
            function = self._functions.get(symbol)
        else:
            function = self.linked.external_function(symbol)
        if function is None:
            kind = self.types.convert(node.type)
            if not isinstance(kind, CFunction):
                kind = CFunction(kind, None)
            name = self.linked.fresh(shown) if internal else symbol
            span = self.places.of_name(node)
            function = tree.Function(name, shown, kind, (), span, no_return=_no_return(node))
            functions = self._functions if internal else self.linked.functions
            functions[symbol] = function
        return function

    def external_function(self, name: str, like: tree.Function) -> tree.Function:
        """A function that no declaration names, of another one's type."""
        function = self.linked.external_function(name)
        if function is None:
            function = tree.Function(name, name, like.type, (), like.span)
            self.linked.functions[name] = function
        self.linked.enter_function(function)
        return function

    def named_function(self, name: str) -> tree.Function | None:
        """The function that a name at file scope means; it becomes part of the program."""
        function = self._functions.get(name) or self.linked.external_function(name)
        if function is not None:
            self.linked.enter_function(function)
        return function

    def note_function(self, node: Node) -> None:
        """Declare a function, or remember to do so as soon as it is used."""
        if (
            in_system_header(node)
            and not node.is_definition()
            and node.linkage != LinkageKind.INTERNAL
        ):
            self.linked.in_headers.setdefault(node.spelling, []).append((self, node))
        else:
            self.declare_function(node)

    def declare_function(self, node: Node) -> None:
        """Take note of a declaration or definition at file scope."""
        function = self._declared_function(node)
        function.no_return |= _no_return(node)
        self.linked.start_up.note(function, node, self)
        function.guards = joined(function.guards, guards_of(node, self.places))
        declared = self.types.convert(node.type)
        if isinstance(declared, CFunction):
            if function.type.parameters is None and function not in self.linked.bodies:
                function.type = declared
            elif not _compatible(function.type, declared):
                self._mismatch(node, function.span, function.shown)
        if node.is_definition() and not _is_only_for_inlining(node):
            self._define_function(node, function)

    def _define_function(self, node: Node, function: tree.Function) -> None:
        span = self.places.of_name(node)
        earlier = self.linked.bodies.get(function)
        if earlier is not None:
            if not is_inlined(node) and earlier.symbols is not self:
                self._twice(span, earlier.span, function.shown)
            return
        self.linked.enter_function(function)
        function.span = span
        function.library = self.library
        function.parameters = tuple(map(self._parameter, parameters(node)))
        # Of an old-style definition libclang tells the promoted types.
        kinds = tuple(each.type for each in function.parameters)
        function.type = replace(function.type, parameters=kinds)
        self.linked.bodies[function] = Definition(self, node, span)

    def _parameter(self, node: Node) -> tree.Variable:
        return tree.Variable(
            node.spelling,
            node.spelling,
            adjusted(self.types.convert(node.type)),
            tree.Storage.LOCAL,
            self.places.of_name(node),
        )

    # -- variables ------------------------------------------------------------------------------

    def global_variable(self, node: Node) -> tree.Variable:
        """The variable with linkage that a reference means; it becomes part of the program."""
        variable = self._declared_variable(node)
        self.linked.enter_variable(variable)
        return variable

    def _declared_variable(self, node: Node) -> tree.Variable:
        shown = node.spelling
        internal = node.linkage == LinkageKind.INTERNAL
        variables = self._variables if internal else self.linked.variables
        symbol = shown if internal else _symbol(node)
        if symbol != shown and (own := _internal(node, symbol)) is not None:
            return self._declared_variable(own)
        variable = variables.get(symbol)
        if variable is None:
            variable = tree.Variable(
                self.linked.fresh(shown) if internal else symbol,
                shown,
                self.types.convert(node.type),
                storage_of(node),
                self.places.of_name(node),
                constant=is_constant(node),
                external=True,
                signal_flag=is_signal_flag(node),
            )
            variables[symbol] = variable
        return variable

    def declare_variable(self, node: Node) -> None:
        """Take note of a declaration, tentative definition or definition at file scope."""
        variable = self._declared_variable(node)
        variable.guards = joined(variable.guards, guards_of(node, self.places))
        self.linked.start_up.note_variable(variable, node)
        declared = self.types.convert(node.type)
        if isinstance(variable.type, CArray) and variable.type.size is None:
            if isinstance(declared, CArray):
                variable.type = declared
        elif not _compatible(variable.type, declared):
            self._mismatch(node, variable.span, variable.shown)
        value = initialiser_of(node)
        if node.storage_class == StorageClass.EXTERN and value is None:
            return
        self.linked.enter_variable(variable)
        if variable.external:
            variable.external = False
            variable.span = self.places.of_name(node)
        if value is None:
            return
        earlier = self.linked.values.get(variable)
        if earlier is not None and earlier.symbols is not self:
            self._twice(self.places.of_name(node), earlier.span, variable.shown)
            return
        variable.span = self.places.of_name(node)
        self.linked.values[variable] = Definition(self, value, variable.span)

    def static_local(self, node: Node, function: tree.Function) -> tree.Variable:
        """A `static` (or thread-local) variable of a function."""
        name = self.linked.fresh(f"{function.name}.{node.spelling}")
        variable = tree.Variable(
            name,
            node.spelling,
            self.types.convert(node.type),
            storage_of(node),
            self.places.of_name(node),
            constant=is_constant(node),
            signal_flag=is_signal_flag(node),
        )
        self.linked.enter_variable(variable)
        return variable

    # -- mistakes -------------------------------------------------------------------------------

    def _twice(self, span: Span, earlier: Span, name: str) -> None:
        note = Note(f"`{name}` is defined here too", earlier)
        self.linked.bag.error(f"`{name}` is defined twice", span, notes=[note])

    def _mismatch(self, node: Node, earlier: Span, name: str) -> None:
        if self.library or in_system_header(node):
            return
        note = Note(f"`{name}` is declared here", earlier)
        span = self.places.of_name(node)
        message = f"`{name}` is declared with different types"
        self.linked.bag.error(message, span, notes=[note])


def storage_of(node: Node) -> tree.Storage:
    """How long a variable at file scope, or a `static` one, lives."""
    thread_local = node.tls_kind != TLSKind.NONE
    return tree.Storage.THREAD if thread_local else tree.Storage.GLOBAL


def is_constant(node: Node) -> bool:
    """Whether a variable is declared `const`."""
    checked = node.type
    while checked.kind.name in {"CONSTANTARRAY", "INCOMPLETEARRAY"}:
        checked = checked.get_array_element_type()
    return bool(checked.get_canonical().is_const_qualified())


def is_signal_flag(node: Node) -> bool:
    """Whether a variable is declared `volatile sig_atomic_t`, by that name."""
    declared = node.type
    return bool(declared.is_volatile_qualified()) and declared.get_typedef_name() == _SIGNAL_FLAG


def _symbol(node: Node) -> str:
    """The name by which an entity with external linkage is known to other files.

    An `asm` label or the attribute `alias` may give it another one than it has in the source.
    System headers use labels to choose among versions of a function: there only those count that
    name a function which does something else.
    """
    name = str(node.spelling)
    attributes = [child for child in children(node) if child.kind.is_attribute()]
    if not attributes:
        return name
    labels = [str(c.spelling) for c in attributes if c.kind == Kind.ASM_LABEL_ATTR]
    if in_system_header(node):
        return next((label for label in labels if label in _OTHER_VERSIONS), name)
    if labels:
        return labels[-1]
    head = pretty_printed(node).partition("{")[0]
    if "ifunc(" in head:
        raise Unsupported(f"the attribute ifunc of {name}")
    found = _ALIAS.search(head)
    return name if found is None else found[1]


def _internal(node: Node, name: str) -> Node | None:
    """The entity of its file with internal linkage that a declaration is another name of."""
    for child in children(node.translation_unit.cursor):
        same = child.kind == node.kind and child.spelling == name
        if same and child.linkage == LinkageKind.INTERNAL:
            return child
    return None


def _is_only_for_inlining(node: Node) -> bool:
    """Whether the body is a copy: the function itself is elsewhere (GNU `extern inline`)."""
    if node.storage_class != StorageClass.EXTERN or not is_inlined(node):
        return False
    return "gnu_inline" in pretty_printed(node).partition("{")[0]


def _no_return(node: Node) -> bool:
    return "noreturn" in node.type.spelling or (
        any(child.kind == Kind.UNEXPOSED_ATTR for child in children(node))
        and "_Noreturn" in pretty_printed(node).partition("{")[0]
    )


def _compatible(left: CType, right: CType) -> bool:
    """Whether two declarations can be of one entity; pointers are not followed."""
    if isinstance(left, CFunction) and isinstance(right, CFunction):
        if not _compatible(left.result, right.result):
            return False
        if left.parameters is None or right.parameters is None:
            return True
        pairs = zip(left.parameters, right.parameters, strict=False)
        return len(left.parameters) == len(right.parameters) and all(
            _compatible(one, other) for one, other in pairs
        )
    if isinstance(left, CArray) and isinstance(right, CArray):
        sizes = left.size is None or right.size is None or left.size == right.size
        return sizes and _compatible(left.element, right.element)
    if isinstance(left, CPointer) and isinstance(right, CPointer):
        return True
    if isinstance(left, CAtomic) and isinstance(right, CAtomic):
        return _compatible(left.inner, right.inner)
    return left == right
