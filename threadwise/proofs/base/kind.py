"""What a kind of proof is.

A kind is a folder of this package. Its parts are named, not imported, so that a run loads those it
needs: the driver a check, `explain` an explanation, and start-up time counts.

    certificate    the data
    check          (program, certificate, tick) -> CheckedProof; raises Refuted
    write, read    to JSON and back; what is read may be malformed, and is checked
    explain        (program, certificate) -> ThreadExplanation ...
    summarise      certificate -> ProofSummary
    audit          (program, certificate) -> Monitor of runs; "" while there is none
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from threadwise.core.documents import Json
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import CheckedProof
from threadwise.proofs.base.certificate import Certificate

if TYPE_CHECKING:
    from threadwise.proofs.base.audit import Monitor
    from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation

Tick = Callable[[], object]


@dataclass(frozen=True)
class Kind:
    """A kind of proof; parts are "module:function", the module in `package`."""

    name: str
    package: str
    check_part: str
    write_part: str
    read_part: str
    explain_part: str
    summarise_part: str
    asks_solver: bool = False
    """Whether its check can be done by two solvers."""
    audit_part: str = ""

    def check(
        self, program: Program, certificate: Certificate, tick: Tick, *, second_solver: bool
    ) -> CheckedProof:
        """What the proof shows; raises Refuted. `tick` is called often, and may raise to stop."""
        options = {"second_solver": second_solver} if self.asks_solver else {}
        found: CheckedProof = self._part(self.check_part)(program, certificate, tick, **options)
        return found

    def write(self, certificate: Certificate) -> dict[str, Json]:
        """The claims for a file."""
        tables: dict[str, Json] = self._part(self.write_part)(certificate)
        return tables

    def read(self, data: Json, program_hash: str, properties: tuple[str, ...]) -> Certificate:
        """The certificate; TypeError, ValueError, KeyError or IndexError if it is malformed."""
        certificate: Certificate = self._part(self.read_part)(data, program_hash, properties)
        return certificate

    def explain(self, program: Program, certificate: Certificate) -> list[ThreadExplanation]:
        """The proof for people."""
        return list(self._part(self.explain_part)(program, certificate))

    def summarise(self, certificate: Certificate) -> ProofSummary:
        """The proof in a phrase."""
        found: ProofSummary = self._part(self.summarise_part)(certificate)
        return found

    def monitor(self, program: Program, certificate: Certificate) -> Monitor | None:
        """What watches runs for claims that do not hold; None if the kind has no such thing.

        The number of threads of the program is fixed.
        """
        if not self.audit_part:
            return None
        monitor: Monitor = self._part(self.audit_part)(program, certificate)
        return monitor

    def _part(self, name: str) -> Callable[..., Any]:
        module, function = name.split(":")
        part: Callable[..., Any] = getattr(import_module(f"{self.package}.{module}"), function)
        return part
