"""How an abstract error came about: for each thread involved, the rules that led it there.

    client[0]: available[0] = false, m = none; at line 12, r = 0
        INIT
        STEP  line 10: acquire(m)   [m: none → client[0]]
        ENV   a step of client[1]   [m: client[1] → none]

In a symmetric view threads have no names of their own: a thread calls itself `self`, and what it
says about others is about some other thread of their kind.
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
from threadwise.ir.layout import Cell
from threadwise.ir.text.values import ValueRenderer
from threadwise.ir.types import TidType, Value
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
        self.fixpoint = fixpoint
        if isinstance(system, SymmetricSystem):
            self.system = system.concrete
            self.threads = [Role(members.me) for members in system.classes]
            self.nameless = {
                t for members in system.classes if not members.is_single for t in members.ids
            }
        else:
            self.system = system
            self.threads = list(system.roles)
            self.nameless = set()
        self.render = ValueRenderer(self.system.layout)

    def explain(self, witnesses: Sequence[Witness[Global, Local]]) -> Iterator[str]:
        """Each thread's part in the abstract error, and the derivation of it."""
        seen: set[Role] = set()
        for t, g, l in witnesses:
            yield f"{self._title(t, again=t in seen)}: {self._shared(t, g)}; {self._own(t, l)}"
            yield from (f"    {line}" for line in self._derivation(t, g, l))
            seen.add(t)

    def _title(self, t: Role, *, again: bool) -> str:
        me = self.threads[t]
        if me not in self.nameless:
            return self.system.layout.numbers.name(me)
        return f"{'another' if again else 'a'} {self.system.layout.numbers.templates[me]}"

    def _value(self, t: Role, cell: Cell, value: Value) -> str:
        """A value as thread t sees it."""
        if isinstance(cell.type, TidType) and value in self.nameless:
            assert isinstance(value, int)
            if value == self.threads[t]:
                return "self"
            return f"other {self.system.layout.numbers.templates[value]}"
        return self.render(cell, value)

    def _shared(self, t: Role, g: Global) -> str:
        cells = self.system.layout.globals.cells
        shown = [f"{c.name} = {self._value(t, c, v)}" for c, v in zip(cells, g, strict=True)]
        return ", ".join(shown) or "nothing shared"

    def _own(self, t: Role, l: Local) -> str:
        store = self.system.reference_local(self.threads[t], l)
        location = self.system.program.locations[store.pc]
        layout = self.system.layout
        cells = (
            *layout.thread[layout.numbers.templates[self.threads[t]]].cells,
            *layout.local[self.system.program.procedure_of[store.pc].name].cells,
        )
        values = (*store.thread, *store.locals)
        shown = [f"{c.name} = {self._value(t, c, v)}" for c, v in zip(cells, values, strict=True)]
        place = f"at line {location.span.line}" if location.span else "at its end"
        return ", ".join([place, *shown])

    def _derivation(self, t: Role, g: Global, l: Local) -> Iterator[str]:
        """The rules from the initial pair to this one, in order."""
        lines: list[str] = []
        while True:
            match self.fixpoint.reached[t][g, l]:
                case Initial():
                    lines.append("INIT")
                    return reversed(lines)
                case Stepped(before_g, before_l, choices):
                    edge = self.system.program.edges[choices[0].edge]
                    line = f"line {edge.span.line}: " if edge.span else ""
                    lines.append(f"STEP  {line}{edge.text}{self._change(t, before_g, g)}")
                case Disturbed(before_g, before_l, by, _):
                    who = self._title(by, again=t == by)
                    lines.append(f"ENV   a step of {who}{self._change(t, before_g, g)}")
            g, l = before_g, before_l

    def _change(self, t: Role, before: Global, after: Global) -> str:
        cells = self.system.layout.globals.cells
        changes = [
            f"{cell.name}: {self._value(t, cell, old)} → {self._value(t, cell, new)}"
            for cell, old, new in zip(cells, before, after, strict=True)
            if old != new
        ]
        return f"   [{', '.join(changes)}]" if changes else ""
