"""Functions that run before or after `main`, by an attribute (GNU)."""

from __future__ import annotations

import re

from threadwise.frontends.c import tree
from threadwise.frontends.c.parse.native import Kind, Node, children, pretty_printed
from threadwise.frontends.c.types import CPointer

_CONSTRUCTOR = re.compile(r"\b_*constructor_*\b\s*(?:\(\s*(\d+)\s*\))?")
_DESTRUCTOR = re.compile(r"\b_*destructor_*\b")
_LAST = 1 << 16
"""The priority of a constructor without one."""


class StartUp:
    """The constructors of a program, in the order in which they run."""

    def __init__(self) -> None:
        self._constructors: list[tuple[int, int, tree.Function]] = []
        self._destructors: list[tree.Function] = []

    def note(self, function: tree.Function, node: Node) -> None:
        """Look at the attributes of a definition."""
        if all(child.kind != Kind.UNEXPOSED_ATTR for child in children(node)):
            return
        head = pretty_printed(node).partition("{")[0]
        found = _CONSTRUCTOR.search(head)
        if found is not None:
            priority = int(found[1]) if found[1] else _LAST
            self._constructors.append((priority, len(self._constructors), function))
        if _DESTRUCTOR.search(head):
            self._destructors.append(function)

    def attach(self, main: tree.Function | None) -> None:
        """Let `main` begin with the constructors."""
        if main is None or main.body is None:
            return
        before: list[tree.Statement] = [
            _call(each) for _, _, each in sorted(self._constructors, key=_order)
        ]
        before += [
            tree.UnsupportedStatement(f"the destructor {each.shown}", each.span)
            for each in self._destructors
        ]
        self._constructors, self._destructors = [], []
        if before:
            main.body = tree.Compound((*before, *main.body.statements), main.body.span)


def _order(constructor: tuple[int, int, tree.Function]) -> tuple[int, int]:
    return constructor[:2]


def _call(function: tree.Function) -> tree.Statement:
    callee = tree.FunctionName(function, CPointer(function.type), function.span)
    called = tree.Call(callee, (), function.type.result, function.span)
    return tree.Evaluate(called, function.span)
