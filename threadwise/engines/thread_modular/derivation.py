"""How an abstract error came about: for each thread involved, the rules that led it there.

client[0]: available = [false, true], m = none, at line 12
    STEP  line 10: acquire(m)
    ENV   a step of client[1]: m: client[1] → none
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from threadwise.engines.thread_modular.pushdown import PushdownFixpoint
from threadwise.engines.thread_modular.rules import (
    Disturbed,
    Initial,
    Stepped,
    ThreadModularFixpoint,
)
from threadwise.evidence.values import ValueRenderer
from threadwise.systems.api import Role, Witness
from threadwise.systems.concrete import ConcreteSystem, Frame
from threadwise.systems.python_code import Global, Local
from threadwise.systems.symmetric.system import SymmetricSystem


class Derivations:
    """Explains elements of R."""

    def __init__(
        self,
        system: ConcreteSystem | SymmetricSystem,
        fixpoint: ThreadModularFixpoint[Global, Local, Any]
        | PushdownFixpoint[Global, Local, Frame, Any],
    ) -> None:
        if isinstance(system, SymmetricSystem):
            self.threads = [Role(members.me) for members in system.classes]
            self.system = system.concrete
        else:
            self.threads = list(system.roles)
            self.system = system
        self.fixpoint = fixpoint
        self.render = ValueRenderer(system.layout)

    def explain(self, witnesses: Sequence[Witness[Global, Local]]) -> Iterator[str]:
        """The abstract error state, then the derivation of each thread's part in it."""
        if witnesses:
            yield f"shared: {self._shared(witnesses[0].g)}"
        for t, g, l in witnesses:
            name = self.system.layout.numbers.name(self.threads[t])
            yield f"{name}: {self._own(t, l)}"
            yield from (f"    {line}" for line in self._derivation(t, g, l))

    def _shared(self, g: Global) -> str:
        cells = self.system.layout.globals.cells
        shown = [f"{c.name} = {self.render(c, v)}" for c, v in zip(cells, g, strict=True)]
        return ", ".join(shown) or "nothing"

    def _own(self, t: Role, l: Local) -> str:
        store = self.system.reference_local(self.threads[t], l)
        location = self.system.program.locations[store.pc]
        layout = self.system.layout
        cells = (
            *layout.thread[layout.numbers.templates[self.threads[t]]].cells,
            *layout.local[self.system.program.procedure_of[store.pc].name].cells,
        )
        values = (*store.thread, *store.locals)
        shown = [f"{c.name} = {self.render(c, v)}" for c, v in zip(cells, values, strict=True)]
        place = f"at line {location.span.line}" if location.span else "at its end"
        return ", ".join([place, *shown])

    def _derivation(self, t: Role, g: Global, l: Local) -> Iterator[str]:
        """The rules from the initial pair to this one, in order."""
        lines: list[str] = []
        while True:
            origin = self.fixpoint.reached[t][g, l]
            match origin:
                case Initial():
                    lines.append("INIT")
                    break
                case Stepped(before_g, before_l, choices):
                    edge = self.system.program.edges[choices[0].edge]
                    line = f"line {edge.span.line}: " if edge.span else ""
                    lines.append(f"STEP  {line}{edge.text}{self._change(before_g, g)}")
                    g, l = before_g, before_l
                case Disturbed(before_g, before_l, by, _):
                    name = self._another(t, by)
                    lines.append(f"ENV   a step of {name}{self._change(before_g, g)}")
                    g, l = before_g, before_l
        return reversed(lines)

    def _another(self, t: Role, by: Role) -> str:
        name = self.system.layout.numbers.name(self.threads[by])
        return (
            name
            if t != by
            else f"another {self.system.layout.numbers.templates[self.threads[by]]}"
        )

    def _change(self, before: Global, after: Global) -> str:
        cells = self.system.layout.globals.cells
        changes = [
            f"{cell.name}: {self.render(cell, old)} → {self.render(cell, new)}"
            for cell, old, new in zip(cells, before, after, strict=True)
            if old != new
        ]
        return f"   [{', '.join(changes)}]" if changes else ""
