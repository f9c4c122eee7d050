"""States in which a failure ends the program, for properties that relate several threads.

A failed node b of P(a, b) belongs to every state of Ω in which t started towards it: in a, or in
a caller of a, or in a caller of that one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

from threadwise.engines.summaries.nodes import Node
from threadwise.engines.summaries.rules import SummaryRules
from threadwise.engines.summaries.traces import Expansion
from threadwise.semantics.state import Choice
from threadwise.systems.api import Role

Steps: TypeAlias = list[tuple[Choice, ...]]
_Calls: TypeAlias = dict[Node, tuple[Node, Node, Choice] | None]
"""Per start node, how it calls on towards the failure; None where the failure is."""


def failing_states(rules: SummaryRules) -> Iterator[tuple[int, Role, Node, Callable[[], Steps]]]:
    """A state of Ω, a thread that can fail from there, its failed node, and its steps to it."""
    for t in rules.system.roles:
        relations = rules.threads[t]
        for a, targets in relations.path.items():
            for b in targets:
                if rules.program.has_failed(b):
                    calls = _callers(rules, t, a)
                    for start in calls:
                        path = partial(_path, rules, t, start, b, calls)
                        for positions in relations.waiting[start].values():
                            for position in positions:
                                yield position, t, b, path


def _callers(rules: SummaryRules, t: Role, a: Node) -> _Calls:
    """The nodes from which t gets into a, by calls alone or by none."""
    found: _Calls = {a: None}
    pending = [a]
    for n in pending:
        for callers in rules.threads[t].callers[n].values():
            for (caller, at), call in callers.items():
                if caller not in found:
                    found[caller] = (n, at, call)
                    pending.append(caller)
    return found


def _path(rules: SummaryRules, t: Role, start: Node, b: Node, calls: _Calls) -> Steps:
    expansion = Expansion(rules)
    steps: Steps = []
    call = calls[start]
    while call is not None:
        n, at, choice = call
        steps += [*expansion.steps(t, start, at), (choice,)]
        start, call = n, calls[n]
    return [*steps, *expansion.steps(t, start, b)]
