"""What the kernel settles of a certificate, in the terms of its checker.

A certificate is only a hint for the kernel: what it says is weakened until it is inductive. That
may take long; after as much work as a few looks at every claim, nothing is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.expr import Place, Scope, Variable, VariablePlace
from threadwise.ir.program import EdgeId, Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.types import MUTEX
from threadwise.proofs.base.locations import Location
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.locksets.kernel.apart import Access
from threadwise.proofs.locksets.kernel.check import Kernel, Pair
from threadwise.proofs.locksets.kernel.claims import Cell, Refused
from threadwise.proofs.locksets.kernel.found import KernelFound
from threadwise.proofs.locksets.kernel.names import is_personal
from threadwise.proofs.locksets.kernel.weaken import Knowing, sites, weakened
from threadwise.proofs.locksets.memory.cells import Target
from threadwise.proofs.locksets.naming import SYNC, WORDS, Names, in_order

LOOKS = 12
"""How often each step from a case may be looked at."""
ENOUGH = 2_000
"""And so many more."""


@dataclass(frozen=True)
class Settlement:
    """What the kernel shows of a program."""

    program: Program
    kernel: Kernel
    pairs: tuple[Pair, ...]

    @property
    def taken(self) -> frozenset[EdgeId]:
        """The edges that threads may take."""
        return frozenset(self.kernel.taken)

    @property
    def found(self) -> KernelFound:
        """What is claimed, for runs to test."""
        return KernelFound(self.kernel.claims, self.taken)

    @property
    def visited(self) -> frozenset[int]:
        """The locations that threads may reach."""
        return frozenset(map(int, self.kernel.claims.cases))

    @property
    def assumes(self) -> bool:
        """Whether undefined behaviour is assumed not to happen."""
        failures = (self.program.locations[at].failure for at in self.kernel.claims.cases)
        return any(failure is not None and failure.kind.has_no_meaning for failure in failures)

    def reaches(self, name: str) -> bool:
        """Whether a thread may reach a failure of a property."""
        failures = (self.program.locations[at].failure for at in self.kernel.claims.cases)
        return any(failure is not None and failure.property == name for failure in failures)

    def is_free(self, checked: RaceProperty) -> bool:
        """Whether there are no races on the variables of a property."""
        return all(rule is not None for _, _, _, rule in self._concerned(checked))

    def _concerned(self, checked: RaceProperty) -> Iterator[Pair]:
        names = checked.variables
        return (pair for pair in self.pairs if names is None or pair[0].object in names)

    @cached_property
    def cells(self) -> frozenset[Target]:
        """The cells that all accesses to are settled of."""
        left = {cell for cell, _, _, rule in self.pairs if rule is None}
        return frozenset(self._target(cell) for cell, _, _, _ in self.pairs if cell not in left)

    def _target(self, cell: Cell) -> Target:
        return Target(self._sites.get(cell.object, cell.object), cell.cell)

    @cached_property
    def _sites(self) -> dict[str, str]:
        return {name: number for number, name in sites(self.program).items()}

    def locations(self, checked: RaceProperty) -> tuple[Location, ...]:
        """The shared locations of a property, which are all settled, and what protects each."""
        names = Names(self.program)
        found: dict[Target, dict[str, None]] = {}
        for cell, first, second, rule in self._concerned(checked):
            target = self._target(cell)
            if rule not in (None, "reads", "alone") and names.internal(target) is None:
                reason = self._reason(names, str(rule), first, second)
                found.setdefault(target, {})[reason] = None
        told = (Location(names.of(t), tuple(in_order(r)), kernel=True) for t, r in found.items())
        return tuple(sorted(told, key=lambda location: location.name))

    def _reason(self, names: Names, rule: str, first: Access, second: Access) -> str:
        if rule != "locked":
            return WORDS[SYNC if rule == "sync" else rule]
        common = first.locks & second.locks
        cells = [each[1] for each in common if isinstance(each, tuple) and each[0] == "cell"]
        locks = [self._single(cell) for cell in cells if isinstance(cell, Cell)]
        same = [m for m in first.names & second.names if not is_personal(m)]
        told = names.locks(same or locks or first.names, first.edge)
        return f"under {' and '.join(told)}"

    def _single(self, cell: Cell) -> Place:
        """A mutex that is one cell, by a name that `Names` knows."""
        target = self._target(cell)
        return VariablePlace(Variable(f"{target.object}#{target.cell}", MUTEX, Scope.GLOBAL))


def settlement(
    program: Program,
    certificate: LocksetCertificate,
    knowledge: Knowing,
    tick: Callable[[], object],
) -> Settlement | None:
    """What the kernel shows with the help of a certificate; None: it lacks rules."""
    steps = sum(len(cases) * len(program.outgoing[at]) for at, cases in knowledge.items())
    left = iter(range(LOOKS * steps + ENOUGH))

    def bounded() -> None:
        tick()
        if next(left, None) is None:
            raise Refused("it takes long")

    try:
        kernel = Kernel(program, weakened(program, certificate, knowledge, bounded), bounded)
        kernel.check()
        return Settlement(program, kernel, tuple(kernel.pairs()))
    except Refused:
        return None
