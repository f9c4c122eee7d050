"""Calls of library functions that a program declares with another result.

Old programs say `extern int malloc();`, or nothing at all, and mean the function of the library.
Whether what they call returns a pointer is then known from the library:

    malloc(n);                  the result is not used: it may be what it is
    (T *)malloc(n)              the pointer, not an `int` that was made one
    v = malloc(n); … (T *)v     likewise, if v is a local variable that holds nothing else and is
                                used for nothing else: it is of type `void *`

That no bits of the pointer are lost on the way is an assumption: where `int` is as wide as
pointers are none are lost, elsewhere such programs do not work. What is left is a limit where it
is called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from threadwise.frontends.c import tree
from threadwise.frontends.c.types import VOID, CInteger, CPointer, CType, CVoid, unqualified
from threadwise.frontends.c.walking import names_of_parts, nodes, parts

ASSUMED = "{}, which is declared with another result, returns all of its pointer"


def use_results_of_the_library(program: tree.Program) -> tuple[str, ...]:
    """Give calls the results that functions of the library have; what that relies on."""
    assumed: dict[str, None] = {}
    for function in program.functions.values():
        if function.body is None or function.library:
            continue
        if any(_differs(node) for node in nodes(function.body)):
            change = _Change(_holders(function))
            function.body = change.of(function.body)
            assumed |= {ASSUMED.format(name): None for name in change.pointers}
    return tuple(assumed)


def _differs(node: object) -> tree.Function | None:
    """The library's function that is called with another result."""
    match node:
        case tree.Call(tree.FunctionName(function)) if function.library:
            declared, real = unqualified(node.type), unqualified(function.type.result)
            differs = isinstance(declared, CPointer) != isinstance(real, CPointer)
            return function if differs else None
        case _:
            return None


def _gives_pointer(node: object) -> bool:
    """Whether a call, converted between integers or not, has a pointer for a result."""
    while isinstance(node, tree.Convert) and isinstance(unqualified(node.type), CInteger):
        node = node.operand
    found = _differs(node)
    return found is not None and isinstance(unqualified(found.type.result), CPointer)


def _holders(function: tree.Function) -> frozenset[tree.Variable]:
    """The local integers that hold nothing but such results, and become pointers again."""
    given: set[tree.Variable] = set()
    spoilt: set[tree.Variable] = set(function.parameters)
    pending: list[object] = [function.body]
    while pending:
        node = pending.pop()
        match node:
            case tree.Evaluate(tree.Assign(tree.VariableRef(variable), value)) | tree.Declare(
                variable, tree.ScalarInitial(value)
            ) if _gives_pointer(value):
                given.add(variable)
                pending.append(value)
            case tree.Convert(tree.Load(tree.VariableRef(variable)), CPointer()):
                pass
            case tree.Declare(variable, None, _, length):
                pending.append(length)
            case tree.VariableRef(variable):
                spoilt.add(variable)
            case tree.Declare(variable, initial):
                spoilt.add(variable)
                pending.append(initial)
            case _:
                pending.extend(parts(node))
    return frozenset(
        variable
        for variable in given - spoilt
        if isinstance(unqualified(variable.type), CInteger)
        and variable.storage is tree.Storage.LOCAL
        and not variable.address_taken
    )


class _Change:
    def __init__(self, holders: frozenset[tree.Variable]) -> None:
        self.holders = holders
        self.pointers: dict[str, None] = {}
        """The functions whose pointers were declared to be integers."""
        for variable in holders:
            variable.type = CPointer(VOID)

    def of(self, node: Any) -> Any:
        """A node in which calls have the results of the library."""
        match node:
            case tree.VariableRef(variable) if variable in self.holders:
                return replace(node, type=variable.type)
            case tree.Load(tree.VariableRef(variable) as place) if variable in self.holders:
                return replace(node, place=self.of(place), type=variable.type)
            case tree.Evaluate(tree.Assign(tree.VariableRef(variable) as place, value) as assign):
                if variable in self.holders:
                    given = replace(
                        assign, place=self.of(place), value=self._call(value), type=variable.type
                    )
                    return replace(node, value=given)
            case tree.Declare(variable, tree.ScalarInitial(value)) if variable in self.holders:
                return replace(node, initial=tree.ScalarInitial(self._call(value)))
            case tree.Convert(operand, target) if _is_pointer(target) and _gives_pointer(operand):
                return replace(node, operand=self._call(operand))
            case tree.Evaluate(value) if _differs(_ignored(value)):
                return replace(node, value=self._retyped(_ignored(value)))
            case _:
                pass
        return self._below(node)

    def _call(self, value: Any) -> tree.Expr:
        """The call inside conversions, with its pointer for a result."""
        while isinstance(value, tree.Convert):
            value = value.operand
        found = _differs(value)
        assert found is not None
        self.pointers[found.shown] = None
        return self._retyped(value)

    def _retyped(self, call: Any) -> tree.Expr:
        found = _differs(call)
        assert found is not None
        changed: tree.Call = replace(self._below(call), type=found.type.result)
        given: list[tree.Expr] = list(changed.arguments)
        for position, (argument, parameter) in enumerate(
            zip(given, found.parameters, strict=False)
        ):
            if _is_pointer(argument.type) != _is_pointer(parameter.type):  # such as 0 for null
                given[position] = tree.Convert(argument, parameter.type, argument.span)
        return replace(changed, arguments=tuple(given))

    def _below(self, node: Any) -> Any:
        changed = dict(_changed(node, self.of))
        if isinstance(node, tuple):
            return tuple(changed.get(n, part) for n, part in enumerate(node))
        return replace(node, **changed) if changed else node


def _is_pointer(held: CType) -> bool:
    return isinstance(unqualified(held), CPointer)


def _ignored(expr: tree.Expr) -> tree.Expr:
    """An expression whose value nobody uses, without the conversion to `void`."""
    while isinstance(expr, tree.Convert) and isinstance(expr.type, CVoid):
        expr = expr.operand
    return expr


def _changed(node: Any, change: Callable[[Any], Any]) -> Iterator[tuple[Any, Any]]:
    """The parts of a node that are not what they were."""
    each = (
        enumerate(node)
        if isinstance(node, tuple)
        else ((name, getattr(node, name)) for name in names_of_parts(node))
    )
    for name, part in each:
        after = change(part)
        if after is not part:
            yield name, after
