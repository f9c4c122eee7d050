"""Any number of threads that are joined: proofs about parametric programs with accounts.

`transforms.accounts` adds ghosts that count threads and sum up what finished threads have added,
and `transforms.parametric` makes created threads a parametric template. One thread of each
template is analysed (`analysis`); it also runs beside others of its kind. That no thread of a pool
runs once all were joined is an equation between a ghost and numbers of threads, which the proof
has as a lemma (`counting`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from threadwise.core.errors import Unsupported
from threadwise.ir.program import LocId, Program
from threadwise.ir.quantities import CellQuantity, LinearInvariant, LocationCount
from threadwise.proofs.transformed.certificate import Account, Interrupt, Parametrise, Step
from threadwise.transforms.accounts.accounts import PoolGhosts, accounts, with_accounts
from threadwise.transforms.interrupt import interrupt
from threadwise.transforms.parametric import Most, parametrise
from threadwise.transforms.parametric.creations import creations
from threadwise.transforms.parametric.names import created_name


@dataclass(frozen=True)
class ParametricThreads:
    """A parametric program with accounts."""

    program: Program
    """What the proof is about."""
    told: Program
    """The same; its edges say which of them create threads, begin and finish."""
    pools: tuple[str, ...]
    """The templates whose threads are created."""
    joined: Mapping[LocId, frozenset[str]]
    """Where all threads of pools have finished."""
    most: Most
    interrupted: bool
    """Whether there were loops inside atomic regions."""

    @staticmethod
    def of(program: Program) -> ParametricThreads:
        """What is made of a program; raises Unsupported."""
        told = accounts(program)
        settled = with_accounts(program)
        most: Most = tuple((name, found.most) for name, found in creations(settled).items())
        whole = parametrise(settled, most)
        parametric = interrupt(whole)
        operations = {edge.id: edge.operation for edge in settled.edges}
        procedures = tuple(
            replace(p, edges=tuple(replace(e, operation=operations[e.id]) for e in p.edges))
            for p in parametric.procedures
        )
        return ParametricThreads(
            parametric,
            replace(parametric, procedures=procedures),
            tuple(t.name for t in settled.templates if t.pool),
            told.known,
            most,
            parametric is not whole,
        )

    @property
    def steps(self) -> tuple[Step, ...]:
        """What leads to the program."""
        steps: tuple[Step, ...] = (Account(), Parametrise(self.most))
        return (*steps, Interrupt()) if self.interrupted else steps

    def lemmas(self) -> tuple[LinearInvariant, ...]:
        """How many threads of each pool run, as numbers of threads at locations."""
        return tuple(self._running(name) for name in self.pools if self._is_counted(name))

    def _is_counted(self, pool: str) -> bool:
        name = PoolGhosts.of(pool).running.name
        return any(d.variable.name == name for d in self.program.globals)

    def _running(self, pool: str) -> LinearInvariant:
        body = self.program.procedure[self.program.template[pool].body]
        places = [
            here.id
            for here in body.locations
            if here.id != body.entry
            and not here.atomic
            and here.failure is None
            and self.program.outgoing[here.id]
        ]
        running = CellQuantity(PoolGhosts.of(pool).running.name)
        return LinearInvariant(((running, 1), *((LocationCount(here), -1) for here in places)), 0)

    def created(self, pool: str) -> str:
        """The variable that says whether threads of a pool were created."""
        return created_name(pool)

    def finished(self, pool: str) -> str | None:
        """The variable that says how many threads of a pool have finished."""
        return PoolGhosts.of(pool).finished.name if self._is_counted(pool) else None


def parametric_of(program: Program) -> ParametricThreads | None:
    """The parametric program with accounts, if there is one."""
    if not any(template.pool for template in program.templates):
        return None
    try:
        return ParametricThreads.of(program)
    except Unsupported:
        return None
