"""Jumps into scopes: `goto` and `switch` may lead past the declarations of variables.

Such a variable lives from the beginning of its block on, but its declaration was not reached: its
value is indeterminate, with an initialiser or without (C11 6.2.4, paragraph 6).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from threadwise.core.identity import Same
from threadwise.core.quick_dataclass import dataclass
from threadwise.frontends.c import tree
from threadwise.frontends.c.walking import parts

Variables = tuple[tree.Variable, ...]
_LABELS = (tree.Case, tree.Default, tree.Label)


@dataclass(frozen=True)
class Scopes:
    """Which variables are declared before each jump and each label of a function."""

    declared: Mapping[Same, Variables]
    labels: Mapping[str, tree.Label]
    skipped: frozenset[tree.Variable]
    """Those whose declarations some jump leads past."""

    def entered(self, jump: tree.Goto | tree.Switch, label: object) -> Variables:
        """The variables whose scopes a jump enters past their declarations."""
        before, behind = self.declared[Same(jump)], self.declared[Same(label)]
        if behind[: len(before)] == before:  # the label of a switch, or one further inside
            return behind[len(before) :]
        known = frozenset(before)
        return tuple(v for v in behind if v not in known)

    def entered_by(self, jump: tree.Goto) -> Variables:
        """The same for a `goto`."""
        label = self.labels.get(jump.name)
        return () if label is None else self.entered(jump, label)


@cache
def scopes(function: tree.Function) -> Scopes:
    """Follow the declarations of a function."""
    walk = _Walk()
    walk.visit(function.body, ())
    found = Scopes(walk.declared, walk.labels, frozenset())
    skipped = {v for jump in walk.jumps for v in found.entered_by(jump)}
    for switch in walk.switches:
        for label in labels_of(switch.body):
            skipped.update(found.entered(switch, label))
    return Scopes(walk.declared, walk.labels, frozenset(skipped))


def labels_of(body: tree.Statement) -> list[tree.Case | tree.Default]:
    """The labels of a switch, without those of switches inside it."""
    found: list[tree.Case | tree.Default] = []
    pending: list[object] = [body]
    while pending:
        node = pending.pop(0)
        if isinstance(node, tree.Case | tree.Default):
            found.append(node)
        if isinstance(node, tree.Switch):
            continue
        pending[:0] = list(parts(node))
    return found


def is_list_of_declarations(node: tree.Compound) -> bool:
    """Whether it is no block: `int a, b;`, or declarations behind a label."""
    return all(isinstance(each, tree.Declare) for each in node.statements)


class _Walk:
    """Notes what is declared before jumps and labels."""

    def __init__(self) -> None:
        self.declared: dict[Same, Variables] = {}
        self.labels: dict[str, tree.Label] = {}
        self.jumps: list[tree.Goto] = []
        self.switches: list[tree.Switch] = []

    def visit(self, node: object, before: Variables) -> Variables:
        """Walk through a node; what is declared behind it, in its block."""
        if isinstance(node, tree.Declare):
            self._inside(node, before)
            return (*before, node.variable) if node.length is None else before
        if isinstance(node, _LABELS):
            self.declared[Same(node)] = before
            if isinstance(node, tree.Label):
                self.labels[node.name] = node
            return self.visit(node.body, before)
        if isinstance(node, tree.Goto):
            self.declared[Same(node)] = before
            self.jumps.append(node)
        elif isinstance(node, tree.Switch):
            self.declared[Same(node)] = before
            self.switches.append(node)
        after = self._inside(node, before)
        if isinstance(node, tree.Compound):
            return after if is_list_of_declarations(node) else before
        return after if isinstance(node, tuple) else before

    def _inside(self, node: object, before: Variables) -> Variables:
        """One part sees what those before it declare: a block, a loop with its first statement."""
        for part in parts(node):
            before = self.visit(part, before)
        return before
