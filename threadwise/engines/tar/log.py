"""What happened, iteration by iteration, in the form of HJMQ Table 1.

iteration 2
    predicates: m == 0, m == 1, m == 2
    assumed of t1: nothing
    no error; assumptions are weakened
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from threadwise.engines.tar.derivation import Derivation, Fixpoint, Node
from threadwise.engines.tar.mining import Found
from threadwise.engines.tar.rounds import Assumptions
from threadwise.ir.program import LocId
from threadwise.ir.text.terms import Terms
from threadwise.systems.api import Role
from threadwise.systems.predicate.cubes import Valuation
from threadwise.systems.predicate.predicates import Predicate
from threadwise.systems.predicate.system import AbstractLocal, PredicateSystem

MOST_CHANGES = 12


class Log:
    """Lines about the iterations of one run."""

    def __init__(self, system: PredicateSystem, lines: list[str], notes: list[str]) -> None:
        self.system = system
        self.lines = lines
        self.notes = notes
        self.number = 0
        self.origins: dict[Predicate, str] = {}
        self.assumptions: list[str] = []

    def begin(self, fixpoint: Fixpoint, assumed: Assumptions | None) -> None:
        """A new iteration: what is tracked, and what is assumed."""
        self.number += 1
        predicates = self.system.precision.predicates
        tracked = ", ".join(self.told(p) for p in predicates) or "none but the location"
        self.lines.append(f"iteration {self.number}")
        self.lines.append(f"    predicates: {tracked}")
        if assumed is not None:
            self.assumptions = [self.assumption(t, fixpoint, assumed) for t in self.system.roles]
            self.lines.extend(f"    {line}" for line in self.assumptions)

    def assumption(self, t: Role, fixpoint: Fixpoint, assumed: Assumptions) -> str:
        """What is assumed of the threads of a template."""
        changes = list(self.changes(t, fixpoint, assumed))
        told = "; ".join(changes[:MOST_CHANGES]) or "nothing that the predicates see"
        more = len(changes) - MOST_CHANGES
        rest = f"; and {more} more" if more > 0 else ""
        return f"assumed of {self.system.templates[t]}: {told + rest if assumed[t] else 'nothing'}"

    def conclude(self) -> None:
        """The predicates, why each is there, and the last assumptions."""
        if self.origins:
            self.notes.append("predicates:")
        for predicate, origin in self.origins.items():
            self.notes.append(f"  {self.told(predicate)}   excludes {origin}")
        if self.assumptions:
            self.notes.append("environment assumptions:")
            self.notes.extend(f"  {line}" for line in self.assumptions)

    def changes(self, t: Role, fixpoint: Fixpoint, assumed: Assumptions) -> Iterator[str]:
        """The assumed steps of a role as changes of truth values; steps without any left out."""
        told: dict[str, None] = {}
        for g, l in fixpoint.reached[t]:
            for step in self.system.step(t, g, l):
                if step.action in assumed[t]:
                    change = self.change(g, step.g)
                    if change:
                        told[change] = None
        return iter(told)

    def change(self, before: Valuation, after: Valuation) -> str:
        """`m == 0 → m == 1`; empty if nothing changes."""
        if before == after:
            return ""
        shared = self.system.shared
        changed = [k for k, _ in enumerate(shared) if before[k] != after[k]]
        return f"{self.cube(before, changed)} → {self.cube(after, changed)}"

    def cube(self, values: Valuation, which: Sequence[int]) -> str:
        """The truth values of some shared predicates; false ones only if none is true."""
        shared = self.system.shared
        true = [self.told(shared[k]) for k in which if values[k] is True]
        false = [f"!({self.told(shared[k])})" for k in which if values[k] is False]
        return " && ".join(true or false) or "anything"

    def say(self, line: str) -> None:
        """One more line about this iteration."""
        self.lines.append(f"    {line}")

    def refuted(self, name: str, derivation: Derivation, found: Found) -> None:
        """A spurious interleaving, and the predicates that exclude it."""
        threads = ", ".join(self.where(root) for root in derivation.roots)
        self.say(f"error: {name} ({threads}), which cannot happen")
        for predicate in found.new:
            self.origins[predicate] = f"{name} by {threads} (iteration {self.number})"
            places = ", ".join(sorted(map(self.place, predicate.locations)))
            self.say(f"  new predicate: {self.told(predicate)}, at {places}")
        for predicate in found.extended:
            self.say(f"  tracked at more places: {self.told(predicate)}")

    def told(self, predicate: Predicate) -> str:
        """A predicate as program text."""
        return Terms().expr(predicate.formula)

    def place(self, location: LocId) -> str:
        """A location by its line."""
        span = self.system.program.locations[location].span
        return f"line {span.line}" if span else "the end"

    def where(self, node: Node) -> str:
        """A thread and where it is."""
        name = self.system.templates[node.view.role]
        return f"{name} at {self.place(node.view.l.location)}"


def account(log: Log, derivation: Derivation) -> tuple[str, ...]:
    """For each thread of an abstract error, what it knows and the rules that led it there."""
    lines: list[str] = []
    for node in derivation.confused:
        told = [log.told(p) if value else f"!({log.told(p)})" for p, value in node.known.items()]
        lines.append(f"{log.where(node)}: {', '.join(told) or 'nothing known'}")
        lines.extend(f"    {line}" for line in _rules(log, node))
    return tuple(lines)


def _rules(log: Log, node: Node) -> Iterator[str]:
    path: list[Node] = []
    current: Node | None = node
    while current is not None:
        path.append(current)
        current = current.before
    for step in reversed(path):
        text = "; ".join(edge.text for edge in step.edges)
        if step.rule == "INIT":
            yield "INIT"
        elif step.rule == "ENV":
            mover = log.where(step.other) if step.other else "any thread"
            yield f"ENV   {mover}: {text}"
        elif step.rule == "HAVOC":
            names = ", ".join(sorted(v.name for v in step.written))
            yield f"ENV   any values of {names}"
        else:
            yield f"{step.rule:5} {text}"


def view_text(system: PredicateSystem, t: Role, g: Valuation, l: AbstractLocal) -> str:
    """What a pair knows, as program text."""
    known = system.literals(t, g, l)
    terms = Terms()
    parts = [
        terms.expr(p.formula) if value else f"!({terms.expr(p.formula)})"
        for p, value in known.items()
    ]
    return " && ".join(parts) or "true"
