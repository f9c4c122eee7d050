"""What a program takes from outside: functions and variables without definition."""

from __future__ import annotations

from collections.abc import Iterator

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.c import tree
from threadwise.frontends.c.library.sharing import may_be_shared
from threadwise.frontends.c.types import VOID, CInteger, CPointer, CRecord, CType, unqualified
from threadwise.frontends.c.walking import nodes


@dataclass(frozen=True)
class Uses:
    """The names that a program refers to but does not define, in order of first use."""

    functions: dict[str, tree.Function]
    variables: dict[str, tree.Variable]
    kept: frozenset[str]
    """Functions whose result some call may use."""
    leading: frozenset[str]
    """Functions that some call gives a pointer, a record, or a number made of pointers."""
    shared: frozenset[str] = frozenset()
    """Of `CLOSING`, those whose first argument may be known to several threads."""


CLOSING = ("fclose", "pclose")
"""Functions that end what they are given."""


def uses_of(program: tree.Program) -> Uses:
    """Walk all bodies and initialisers."""
    functions: dict[str, tree.Function] = {}
    variables: dict[str, tree.Variable] = {}
    called: dict[Same, tree.Call] = {}
    kept: set[str] = set()
    leading: set[str] = set()
    ignored: set[Same] = set()
    for node in _nodes(program):
        match node:
            case tree.Evaluate(value=value):
                ignored.add(Same(_without_void(value)))
            case tree.For(after=after) if after is not None:
                ignored.add(Same(_without_void(after)))
            case tree.Comma(first=first):
                ignored.add(Same(_without_void(first)))
                if Same(node) in ignored:
                    ignored.add(Same(_without_void(node.second)))
            case tree.Call(callee=tree.FunctionName(function=function) as callee):
                called[Same(callee)] = node
                if Same(node) not in ignored:
                    kept.add(function.name)
                if any(map(_may_lead, node.arguments)):
                    leading.add(function.name)
            case tree.FunctionName(function=function):
                if Same(node) not in called:
                    kept.add(function.name)
                    leading.add(function.name)
                if function.body is None:
                    functions.setdefault(function.name, function)
            case tree.VariableRef(variable=variable) if variable.external:
                variables.setdefault(variable.name, variable)
    shared = {
        name for name in CLOSING if name in functions and _is_shared(functions[name], program)
    }
    return Uses(functions, variables, frozenset(kept), frozenset(leading), frozenset(shared))


def _is_shared(closing: tree.Function, program: tree.Program) -> bool:
    """Whether what a function ends may be known to several threads."""
    given = closing.type.parameters
    return given is None or any(may_be_shared(held, program) for held in given)


def leads_to_memory(candidate: CType) -> bool:
    """Whether a value of this type may be, or contain, a pointer."""
    return isinstance(candidate, CPointer | CRecord)


def _may_lead(argument: tree.Expr) -> bool:
    return leads_to_memory(argument.type) or is_made_of_pointers(argument)


def is_made_of_pointers(value: tree.Expr) -> bool:
    """Whether a number is computed from pointers: it may be an address."""
    return isinstance(unqualified(value.type), CInteger) and any(
        isinstance(node, tree.Convert)
        and isinstance(unqualified(node.type), CInteger)
        and isinstance(unqualified(node.operand.type), CPointer)
        for node in nodes(value)
    )


def _without_void(value: tree.Expr) -> tree.Expr:
    while isinstance(value, tree.Convert) and value.type == VOID:
        value = value.operand
    return value


def _nodes(program: tree.Program) -> Iterator[object]:
    """Every node of every initialiser and body, parents first."""
    for variable in program.variables.values():
        yield from nodes(variable.initial)
    for function in program.functions.values():
        yield from nodes(function.body)
