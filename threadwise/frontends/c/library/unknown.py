"""Functions without a description.

A function that can reach memory — it is given a pointer or a record, or it returns one — has no
body: what it may do is decided where it is called (`lower.unknown`), or with
`--unknown-functions strict` it is anything, and calling it a limit. Where there is such a
function, others that are not of the C library may use what it was given, too. Any other function
can only return a value: its result is any value of its type, and that it does nothing else is a
listed assumption. `--assume-pure f` says the same of a function that gets pointers. What a
function of the C library returns is not any value but one that we do not compute: no violation
rests on it.

Functions get their bodies as trees: they have no text that could be parsed.
"""

from __future__ import annotations

from threadwise.core.c_options import UnknownFunctions
from threadwise.frontends.c import tree
from threadwise.frontends.c.library.standard import is_standard
from threadwise.frontends.c.library.uses import leads_to_memory, uses_of
from threadwise.frontends.c.options import COptions
from threadwise.frontends.c.types import (
    VOID,
    CArray,
    CBool,
    CFloat,
    CFunction,
    CInteger,
    CPointer,
    CType,
    CVoid,
)

_PREFIX = "__tw_"
_BUILTIN = ("__builtin_", "__sync_", "__atomic_", "__c11_")
"""Functions of the compiler: what they do is known, but not to us."""
_ANY = {
    (8, True): "schar",
    (8, False): "uchar",
    (16, True): "short",
    (16, False): "ushort",
    (32, True): "int",
    (32, False): "uint",
    (64, True): "longlong",
    (64, False): "ulonglong",
}


def complete(program: tree.Program, options: COptions) -> tuple[str, ...]:
    """Give every function that is used but not defined a body; returns what is assumed.

    To be called when the models are part of the program.
    """
    uses = uses_of(program)
    assumptions = []
    unknown = {
        name: function for name, function in uses.functions.items() if not name.startswith(_PREFIX)
    }
    given = [
        name
        for name in unknown
        if name in uses.leading and name not in options.pure and not name.startswith(_BUILTIN)
    ]
    for name, function in unknown.items():
        reaches = name in uses.leading or leads_to_memory(function.type.result)
        reaches |= bool(given) and not is_standard(function)
        pure = name in options.pure
        ending = _ending(program, function)
        builtin = name.startswith(_BUILTIN)
        if ending is None or ((reaches or builtin) and not pure):
            if builtin or options.unknown_functions is UnknownFunctions.STRICT:
                _define(program, function, [_limit(program, function)])
            continue
        _define(program, function, ending)
        if function.no_return:
            assumptions.append(f"`{name}` ends the program and does nothing else")
        elif function.type.result == VOID:
            assumptions.append(f"`{name}` has no effect on memory")
        else:
            assumptions.append(f"`{name}` has no effect on memory and may return any value")
    return tuple(assumptions)


def _ending(program: tree.Program, function: tree.Function) -> list[tree.Statement] | None:
    """How a function without effect ends; None if there is no value to return."""
    span = function.span
    if function.no_return:
        return [tree.Evaluate(_call(program, "exit_program", function, VOID), span)]
    result = function.type.result
    any_ = "opaque" if is_standard(function) else "any"
    match result:
        case CVoid():
            return [tree.Return(None, span)]
        case CBool():
            return [tree.Return(_call(program, f"{any_}_bool", function, result), span)]
        case CInteger(width=width, signed=signed) if (width, signed) in _ANY:
            kind = f"{any_}_{_ANY[width, signed]}"
            return [tree.Return(_call(program, kind, function, result), span)]
        case CFloat():
            return [tree.Return(_call(program, f"{any_}_double", function, result), span)]
        case _:
            return None


def _limit(program: tree.Program, function: tree.Function) -> tree.Statement:
    text = f"unknown function {function.shown}"
    characters = (*text.encode(), 0)
    span = function.span
    character = CInteger(8, signed=True)
    string = tree.StringLiteral(characters, CArray(character, len(characters)), span)
    argument = tree.Decay(string, CPointer(character), span)
    return tree.Evaluate(_call(program, "limit", function, VOID, argument), span)


def _define(
    program: tree.Program, function: tree.Function, statements: list[tree.Statement]
) -> None:
    function.body = tree.Compound(tuple(statements), function.span)
    function.library = True
    program.functions.setdefault(function.name, function)


def _call(
    program: tree.Program,
    primitive: str,
    caller: tree.Function,
    result: CType,
    *arguments: tree.Expr,
) -> tree.Call:
    """A call of a primitive of headers/threadwise.h."""
    name = _PREFIX + primitive
    kind = CFunction(result, tuple(argument.type for argument in arguments))
    function = program.functions.get(name)
    if function is None:
        function = tree.Function(name, name, kind, (), caller.span)
        program.functions[name] = function
    callee = tree.FunctionName(function, CPointer(function.type), caller.span)
    return tree.Call(callee, arguments, result, caller.span)
