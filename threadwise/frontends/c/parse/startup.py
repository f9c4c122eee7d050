"""Functions that run before or after `main`, by an attribute (GNU).

Those that run after it are registered by `atexit` before anything else: the last one runs first.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from threadwise.core.source import Span
from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.native import Kind, Node, children, pretty_printed
from threadwise.frontends.c.types import INT, VOID, CFunction, CPointer

_CONSTRUCTOR = re.compile(r"\b_*constructor_*\b\s*(?:\(\s*(\d+)\s*\))?")
_DESTRUCTOR = re.compile(r"\b_*destructor_*\b\s*(?:\(\s*(\d+)\s*\))?")
_LISTING = re.compile(r'section\("\.(?:(?:pre)?init_array|fini_array|ctors|dtors)')
_LAST = 1 << 16
"""The priority of a constructor or destructor without one."""
_REGISTER = "atexit"
_REGISTERED = CPointer(CFunction(VOID, ()))

External = Callable[[str, CFunction, Span], tree.Function]
"""A function that no declaration of the user's need name."""


class StartUp:
    """The constructors of a program, in the order in which they run.

    An attribute of any declaration counts, if it is in the file of the definition.
    """

    def __init__(self) -> None:
        self._constructors: list[tuple[tree.Function, object, int]] = []
        self._destructors: list[tuple[tree.Function, object, int]] = []
        self._listed: list[tree.Variable] = []
        self._late: list[Span] = []

    def note(self, function: tree.Function, node: Node, unit: object) -> None:
        """Look at the attributes of a declaration or definition in a file."""
        if all(child.kind != Kind.UNEXPOSED_ATTR for child in children(node)):
            return
        head = pretty_printed(node).partition("{")[0]
        found = _CONSTRUCTOR.search(head)
        if found is not None:
            priority = int(found[1]) if found[1] else _LAST
            self._constructors.append((function, unit, priority))
        found = _DESTRUCTOR.search(head)
        if found is not None:
            priority = int(found[1]) if found[1] else _LAST
            self._destructors.append((function, unit, priority))

    def note_variable(self, variable: tree.Variable, node: Node) -> None:
        """Look whether a variable lists functions that run before or after `main`."""
        attributes = any(child.kind == Kind.UNEXPOSED_ATTR for child in children(node))
        if attributes and _LISTING.search(pretty_printed(node)):
            self._listed.append(variable)

    def note_late(self, places: Iterable[Span], texts: Iterable[str]) -> None:
        """Note attributes behind the bodies of functions, which the tree does not have.

        They may be those of constructors if these words are in the texts of the file at all.
        """
        late = list(places)
        if late and any(_CONSTRUCTOR.search(t) or _DESTRUCTOR.search(t) for t in texts):
            self._late += late

    def attach(
        self,
        main: tree.Function | None,
        entries: Sequence[tree.Function],
        units: Mapping[tree.Function, object],
        external: External,
    ) -> None:
        """Let `main` begin with the constructors; `units` are the files of definitions.

        Threads that call entry functions run from the beginning: nothing runs before them.
        """
        first = _in_order(self._constructors, units)
        last = _in_order(self._destructors, units)
        unmodelled = [
            *((f"functions that {v.shown} lists for the linker", v.span) for v in self._listed),
            *(("an attribute behind the body of its function", span) for span in self._late),
        ]
        if entries:
            unmodelled += [(f"the constructor {f.shown}", f.span) for f in first]
            unmodelled += [(f"the destructor {f.shown}", f.span) for f in last]
        ends = [tree.UnsupportedStatement(what, span) for what, span in dict.fromkeys(unmodelled)]
        roots = entries or ([] if main is None else [main])
        if not any(root.body for root in roots):
            return
        self._constructors, self._destructors, self._listed, self._late = [], [], [], []
        calls = [] if entries else [*(_register(f, external) for f in last), *map(_call, first)]
        for root in roots:
            if root.body is not None and (calls or ends):
                statements = (*calls, *ends, *root.body.statements)
                root.body = tree.Compound(statements, root.body.span)


def _in_order(
    noted: Iterable[tuple[tree.Function, object, int]], units: Mapping[tree.Function, object]
) -> list[tree.Function]:
    """Functions by priority, then as they are defined."""
    order = {function: position for position, function in enumerate(units)}
    priorities: dict[tree.Function, int] = {}
    for function, unit, priority in noted:
        if units.get(function) is unit:
            priorities[function] = min(priority, priorities.get(function, _LAST))
    return sorted(priorities, key=lambda function: (priorities[function], order[function]))


def _call(function: tree.Function) -> tree.Statement:
    callee = tree.FunctionName(function, CPointer(function.type), function.span)
    called = tree.Call(callee, (), function.type.result, function.span)
    return tree.Evaluate(called, function.span)


def _register(function: tree.Function, external: External) -> tree.Statement:
    register = external(_REGISTER, CFunction(INT, (_REGISTERED,)), function.span)
    callee = tree.FunctionName(register, CPointer(register.type), function.span)
    given = tree.FunctionName(function, CPointer(function.type), function.span)
    called = tree.Call(callee, (given,), INT, function.span)
    return tree.Evaluate(called, function.span)
