"""Pointers to variables of the thread itself that need not be pointers.

Preprocessed programs find `errno` by `int *p = __errno_location(); … *p …`. A variable whose
address is kept lives in memory; but such a pointer means the same variable of the same thread
wherever it is used, so that `*p` may be the variable itself:

    *locate()               is the variable that `locate`, a function of the library, tells of
    p = locate(); … *p …    likewise, if p is a local variable that is assigned nothing else and
                            used for nothing else, and surely assigned where it is used
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from threadwise.frontends.c import tree
from threadwise.frontends.c.walking import names_of_parts, nodes, parts

_LABELS = tree.Label | tree.Case | tree.Default
_ADDRESSES = tree.AddressOf | tree.Decay
Located = dict[tree.Variable, tree.Variable]
"""Pointers, and what they point to."""


def use_variables_themselves(program: tree.Program) -> None:
    """Replace pointers to variables of the thread itself by these, function by function."""
    found = {f: _told_of(f) for f in program.functions.values() if f.library}
    locating = {f: variable for f, variable in found.items() if variable is not None}
    if not locating:
        return
    for function in program.functions.values():
        if function.body is not None and any(_called(n) in locating for n in nodes(function.body)):
            change = _Change(locating, _pointers(function, locating))
            function.body = change.of(function.body)
    _note_addresses(program, locating)


def _told_of(function: tree.Function) -> tree.Variable | None:
    """The variable of the thread whose address is all that a function returns."""
    if function.body is None or len(function.body.statements) != 1:
        return None
    match function.body.statements[0]:
        case tree.Return(tree.AddressOf(tree.VariableRef(variable))):
            return variable if variable.storage is tree.Storage.THREAD else None
        case _:
            return None


def _called(node: object) -> tree.Function | None:
    match node:
        case tree.Call(tree.FunctionName(function), ()):
            return function
        case _:
            return None


def _note_addresses(program: tree.Program, locating: dict[tree.Function, tree.Variable]) -> None:
    """Variables whose address is still taken, where it is not used any more."""
    used: set[tree.Function] = set()
    for function in program.functions.values():
        used |= {n.function for n in nodes(function.body) if isinstance(n, tree.FunctionName)}
    taken = {
        node.place.variable
        for function in program.functions.values()
        if function in used or function not in locating
        for node in nodes(function.body)
        if isinstance(node, _ADDRESSES) and isinstance(node.place, tree.VariableRef)
    }
    for function, variable in locating.items():
        if function not in used and variable not in taken:
            variable.address_taken = False


# -- which pointers -------------------------------------------------------------------------------


def _pointers(function: tree.Function, locating: dict[tree.Function, tree.Variable]) -> Located:
    """The local variables that point to a variable of the thread, and are used for it only."""
    found: Located = {}
    spoilt: set[tree.Variable] = set()
    for node in nodes(function.body):
        pointer, value = _assigned(node)
        if pointer is None:
            continue
        located = locating.get(_called(value)) if value is not None else None  # type: ignore[arg-type]
        if located is None or found.setdefault(pointer, located) is not located:
            spoilt.add(pointer)
    spoilt |= {v for v in found if v.address_taken or v.storage is not tree.Storage.LOCAL}
    spoilt |= set(function.parameters)
    uses = _Uses(frozenset(found.keys() - spoilt))
    if function.body is not None:
        uses.visit(function.body, set())
    return {v: located for v, located in found.items() if v not in spoilt | uses.others}


def _assigned(node: object) -> tuple[tree.Variable | None, tree.Expr | None]:
    """The variable that a statement gives a value, and the value."""
    match node:
        case tree.Evaluate(tree.Assign(tree.VariableRef(variable), value)):
            return variable, value
        case tree.Declare(variable, tree.ScalarInitial(value)):
            return variable, value
        case _:
            return None, None


def _pointer(node: object) -> tree.Variable | None:
    """The variable p of `*p`."""
    match node:
        case tree.Deref(tree.Load(tree.VariableRef(variable))):
            return variable
        case _:
            return None


class _Uses:
    """How a function uses some of its variables."""

    def __init__(self, pointers: frozenset[tree.Variable]) -> None:
        self.pointers = pointers
        self.others: set[tree.Variable] = set()
        """Those that are used otherwise than by `*p`, or perhaps before they are assigned."""

    def visit(self, node: object, assigned: set[tree.Variable]) -> None:
        """Look at what happens after some of them were assigned; what else is."""
        given, value = _assigned(node)
        pointer = _pointer(node)
        if given in self.pointers:
            self.visit(value, assigned)
            assigned.add(given)
        elif pointer in self.pointers:
            if pointer not in assigned:
                self.others.add(pointer)
        elif isinstance(node, tree.VariableRef):
            self.others.add(node.variable)
        elif isinstance(node, tree.Compound):
            self._block(node, assigned)
        else:
            if isinstance(node, _LABELS):
                assigned = set()
            for part in parts(node):
                self.visit(part, set(assigned))

    def _block(self, block: tree.Compound, assigned: set[tree.Variable]) -> None:
        for statement in block.statements:
            while isinstance(statement, _LABELS):  # all of what is behind it runs from there
                assigned.clear()
                statement = statement.body
            if any(isinstance(node, _LABELS) for node in nodes(statement)):
                self.visit(statement, set(assigned))
                assigned.clear()
            else:
                self.visit(statement, assigned)


# -- changing the text ----------------------------------------------------------------------------


class _Change:
    def __init__(self, locating: dict[tree.Function, tree.Variable], pointers: Located) -> None:
        self.locating = locating
        self.pointers = pointers

    def of(self, node: Any) -> Any:
        """A node with variables in place of what points to them."""
        variable = self._meant(node)
        if variable is not None:
            return tree.VariableRef(variable, variable.type, node.span)
        given, _ = _assigned(node)
        if given in self.pointers:
            return tree.Empty(node.span)
        changed = dict(self._changed(node, self.of))
        if isinstance(node, tuple):
            return tuple(changed.get(n, part) for n, part in enumerate(node))
        return replace(node, **changed) if changed else node

    def _meant(self, node: object) -> tree.Variable | None:
        """The variable that `*p` or `*locate()` is."""
        pointer = _pointer(node)
        if pointer in self.pointers:
            return self.pointers[pointer]
        called = _called(node.pointer) if isinstance(node, tree.Deref) else None
        return None if called is None else self.locating.get(called)

    @staticmethod
    def _changed(node: Any, change: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
        """The parts of a node that are not what they were."""
        each = enumerate(node) if isinstance(node, tuple) else _named(node)
        for name, part in each:
            after = change(part)
            if after is not part:
                yield name, after


def _named(node: object) -> Iterator[tuple[str, object]]:
    return ((name, getattr(node, name)) for name in names_of_parts(node))
