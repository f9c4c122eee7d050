"""Evidence about a program: whether it passes its check, and what runs say of it.

    engine's certificate ─ of_record ─▶ one for the program of record ─ checked ─▶ what it proves
                                                                        audited ─▶ its runs

What does not pass is a defect of the engine: EvidenceError.
"""

from __future__ import annotations

from collections.abc import Callable

from threadwise.core.progress import Progress
from threadwise.driver.defects import EvidenceError
from threadwise.driver.running.messages import Send
from threadwise.driver.verdicts.auditing import audit_behind_steps, states_for
from threadwise.driver.verdicts.presumptions import beyond_arrays
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import CheckedProof, Refuted
from threadwise.proofs.base.audit import Audit, Broken, Contradicted, Run
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import Simplify, TransformedCertificate, behind
from threadwise.results.result import DefectKind
from threadwise.transforms.pipeline import Simplified


class UndefinedRun(Exception):  # noqa: N818 - the answer of an audit, not a fault
    """A run of an audit does what C gives no meaning: where, and what."""


class Examiner:
    """Examines certificates about one program, which engines may have seen simplified."""

    def __init__(
        self, simpler: Simplified, tick: Callable[[], None], send: Send, *, second_solver: bool
    ) -> None:
        """`tick` is called now and then; it raises BudgetExhausted."""
        self.simpler = simpler
        self.record = simpler.record
        self._tick = tick
        self._send = send
        self._second_solver = second_solver
        self._steps = tuple(map(Simplify, simpler.names))

    def of_record(self, certificate: Certificate) -> Certificate:
        """A certificate for the program of record: the steps to the simplified one come first."""
        if not self._steps:
            return certificate
        return behind(self._steps, program_hash(self.record), certificate)

    def of_simpler(self, certificate: Certificate) -> Certificate:
        """A certificate for the program of record as one for the simplified program."""
        steps = self._steps
        if not steps:
            return certificate
        if (
            not isinstance(certificate, TransformedCertificate)
            or certificate.steps[: len(steps)] != steps
        ):
            raise EvidenceError("a proof behind other steps", DefectKind.PROOF)
        rest = certificate.steps[len(steps) :]
        if not rest:
            return certificate.inner
        return behind(rest, program_hash(self.simpler.program), certificate.inner)

    def checked(self, engine: str, certificate: Certificate) -> CheckedProof:
        """What a certificate for the program of record proves."""
        self._send(Progress(engine, "checking the proof"))
        try:
            return check_certificate(
                self.record, certificate, self._tick, second_solver=self._second_solver
            )
        except Refuted as refuted:
            told = f"{engine} gave a proof that fails: {refuted}"
            raise EvidenceError(told, DefectKind.PROOF) from refuted

    def audited(
        self,
        engine: str,
        certificate: Certificate,
        proof: CheckedProof,
        spent: int,
        contradicted: Callable[[Contradicted], None],
    ) -> Audit:
        """Test a proof in runs. One that they refute is a defect, as if its check had failed.

        A run that violates the property is a violation as any other: `contradicted` takes it. A
        run that leaves what C gives a meaning refutes nothing; raises UndefinedRun.
        """
        self._send(Progress(engine, "auditing the proof"))
        try:
            states = states_for(spent, len(self.record.edges))
            return audit_behind_steps(self.record, certificate, proof, self._tick, states)
        except Broken as broken:
            self._excuse(broken.run)
            told = f"{engine} gave a proof that a run refutes: {broken}"
            raise EvidenceError(told, DefectKind.PROOF) from broken
        except Contradicted as found:
            self._excuse(found.run)
            contradicted(found)
            told = f"{engine} gave a proof that a run refutes: {found}"
            raise EvidenceError(told, DefectKind.PROOF) from found

    def _excuse(self, run: Run | None) -> None:
        """Raise UndefinedRun if a run does what C gives no meaning, and proofs leave out."""
        about = (self.record, self.simpler.program)
        programs = [p for p in about if run is not None and program_hash(p) == run.program_hash]
        for program in programs[:1]:
            assert run is not None
            left = beyond_arrays(program, run.counts, run.initial, run.moves)
            if left is not None:
                raise UndefinedRun(left)
