"""All engines on one program: nobody proves what another one refutes, and none breaks.

`Agreement.of(seed)` draws a program, which of its properties are asked about, and options. Each
engine gets a slice of steps; what it claims is checked as the driver does, so that evidence
that fails its check fails the comparison. Where programs are small, brute force in the reference
semantics has the last word.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from tests.property.comparison import MAX_DEPTH, load, nothing, reachable
from tests.property.mixed_programs import mixed_program_of
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, Unsupported
from threadwise.engines.api import EngineOptions, Finding, Proved, Task, Violated
from threadwise.engines.auto import steps_within
from threadwise.engines.registry import ENGINES, EngineInfo
from threadwise.ir.program import Program
from threadwise.ir.properties import Property
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.lock_order.certificate import LockOrderCertificate
from threadwise.proofs.locksets.certificate import LocksetCertificate
from threadwise.proofs.transformed.certificate import (
    Follow,
    Parametrise,
    TransformedCertificate,
)
from threadwise.semantics.oracle import explore
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.replay import replay

SLICES = (60_000, 15_000, 15_000, 15_000)
"""About so many microseconds engines get, in steps of their own; program by program in turn."""
STATE_LIMIT = 2_000
"""Programs with more states are not searched by brute force."""
INSTANCES = (0, 1, 2)
"""How many threads stand for any number of them in brute force."""


@dataclass
class Agreement:
    """A program, what is asked about it, and what engines say."""

    text: str
    program: Program
    properties: tuple[Property, ...]
    options: EngineOptions
    slice: int
    proved: dict[str, list[str]] = field(default_factory=dict)
    """By property: who proves it."""
    violated: dict[str, list[str]] = field(default_factory=dict)
    """By property: who refutes it."""
    defects: list[str] = field(default_factory=list)
    """What else is wrong."""
    bounded_pools: bool = False
    """Whether a proof holds only if no more threads are started than a pool has slots."""
    answers: Counter[str] = field(default_factory=Counter)
    """How many findings there were, by engine and verdict."""

    @staticmethod
    def of(seed: int) -> Agreement:
        """The program of a seed with everything that is drawn for it."""
        text = mixed_program_of(seed)
        program = load(text)
        rng = random.Random(-seed - 1)
        asked = program.properties
        if rng.random() < 0.5:
            some = rng.sample(range(len(asked)), rng.randint(1, len(asked)))
            asked = tuple(asked[position] for position in sorted(some))
        options = EngineOptions(
            max_depth=MAX_DEPTH,
            max_instances=2,
            symmetry=rng.random() < 0.7,
            facts=rng.random() < 0.3,
            expose=rng.choice([None, None, True, False]),
        )
        return Agreement(text, program, asked, options, SLICES[seed % len(SLICES)])

    def run(self, engines: Iterable[str] = tuple(ENGINES)) -> None:
        """Ask engines, and compare."""
        for name in engines:
            self._ask(ENGINES[name])
        self._brute_force()
        both = self.proved.keys() & self.violated.keys()
        said = f"proved: {self.proved}\nrefuted: {self.violated}\n{self.text}"
        assert not both, said
        assert not self.defects, "\n".join([*self.defects, said])

    def _ask(self, info: EngineInfo) -> None:
        meter = Meter(Budget(steps=steps_within(info, self.program, self.slice)))
        task = Task(self.program, self.properties, self.options, meter)
        try:
            for finding in info.create().run(task):
                self._take(info.name, finding)
        except (Unsupported, BudgetExhausted):
            self.answers[f"{info.name} gave up"] += 1
        except Exception as error:
            self.defects.append(f"{info.name}: {type(error).__name__}: {error}")

    def _take(self, engine: str, finding: Finding) -> None:
        """Check a finding as the driver does, and note it."""
        if isinstance(finding, Violated):
            replay(self.program, finding.trace)
            self.violated.setdefault(finding.trace.property, []).append(engine)
            self.answers[f"{engine} UNSAFE"] += 1
        elif isinstance(finding, Proved):
            proof = check_certificate(self.program, finding.certificate, nothing)
            assert set(finding.properties) <= set(proof.properties)
            self.bounded_pools |= _counts_slots(finding.certificate)
            for name in finding.properties:
                self.proved.setdefault(name, []).append(engine)
                self.answers[f"{engine} SAFE"] += 1

    def _brute_force(self) -> None:
        """What all states say, for few threads where there may be any number."""
        for instance in self._instances():
            found = None
            with suppress(Unsupported):
                if reachable(ConcreteSystem(instance), STATE_LIMIT) is not None:
                    found = explore(instance, self.properties, MAX_DEPTH)
            if found is None:
                continue
            self.answers["brute force"] += 1
            for name in found.violated:
                self.violated.setdefault(name, []).append("brute force")
            if found.limits and self.bounded_pools:
                self.defects.append(f"a proof although there is a limit: {found.limits}")
            if not found.cut and instance is self.program:
                for name in self.violated.keys() - found.violated:
                    self.defects.append(f"brute force does not refute {name}")

    def _instances(self) -> list[Program]:
        program = self.program
        if not program.has_any_number:
            return [program]
        names = [template.name for template in program.templates if template.count is None]
        return [program.with_counts(dict.fromkeys(names, count)) for count in INSTANCES]


def _counts_slots(certificate: Certificate) -> bool:
    """Whether a proof depends on the size of pools; the others hold for any size."""
    if isinstance(certificate, TransformedCertificate):
        return not any(isinstance(step, Follow | Parametrise) for step in certificate.steps)
    return not isinstance(certificate, LocksetCertificate | LockOrderCertificate)
