"""How many threads a program starts, guessed from its text before anything is lowered.

Where `main` alone starts threads, one by one and outside of loops, the first round of lowering
finds out exactly what is guessed here, and there is no second one. A wrong guess costs nothing: it
is a fact of a round that never was, and the rounds go on as without it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from threadwise.frontends.c import tree
from threadwise.frontends.c.walking import nodes

_STARTS = {"pthread_create": 2, "thrd_create": 1}
"""Functions that start threads, and which argument says what these do."""
_AGAIN = (tree.For, tree.While, tree.DoWhile, tree.Goto)
"""What may lead to a place a second time."""


def threads_of(program: tree.Program, main: tree.Function) -> dict[str, int]:
    """By function, how many threads `main` starts for it; empty where that is not plain."""
    found: Counter[str] = Counter()
    for function in program.functions.values():
        if function is not main and not function.library and any(_starts(function.body)):
            return {}
    for node in nodes(main.body):
        if isinstance(node, _AGAIN) and (isinstance(node, tree.Goto) or any(_starts(node))):
            return {}
    for call in _starts(main.body):
        started = _started(call)
        if started is None or started.body is None:
            return {}
        found[started.name] += 1
    return dict(found)


def _starts(body: object) -> Iterator[tree.Call]:
    for node in nodes(body):
        if isinstance(node, tree.Call) and _named(node.callee) in _STARTS:
            yield node


def _named(callee: object) -> str | None:
    names = (part for part in nodes(callee) if isinstance(part, tree.FunctionName))
    return next((part.function.name for part in names), None)


def _started(call: tree.Call) -> tree.Function | None:
    """The function that a thread begins with, if the call names it."""
    position = _STARTS[_named(call.callee) or ""]
    if len(call.arguments) <= position:
        return None
    parts = list(nodes(call.arguments[position]))
    names = [part.function for part in parts if isinstance(part, tree.FunctionName)]
    plain = all(
        isinstance(part, tree.FunctionName | tree.Function | tree.Convert | tuple)
        for part in parts
    )
    return names[0] if plain and len(names) == 1 else None
