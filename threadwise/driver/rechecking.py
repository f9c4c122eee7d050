"""Evidence from files, checked again: `certify` and `replay`.

With a limit on time or memory the work, reading included, is done by a worker process that is
killed at the limit.

    file ── reader ──▶ evidence, how the program was loaded ── front end ──▶ program
                          │                                                     │
                          └───────────── checker or replay ─────────────────────┘
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from threadwise.core.budget import UNLIMITED, Budget, Meter
from threadwise.core.errors import (
    BudgetExhausted,
    InputError,
    InternalError,
    Resource,
    Unsupported,
)
from threadwise.core.load_options import LoadOptions
from threadwise.core.reading import read_lines, read_source
from threadwise.driver.loading import Input, check_meaning, load_input
from threadwise.driver.verdicts.ordering import may_order_less
from threadwise.driver.verdicts.presumptions import doubt_about, hidden_by_misuse, presumed
from threadwise.proofs.base.answer import CheckedProof, Refuted

if TYPE_CHECKING:
    from threadwise.proofs.base.audit import Audit
    from threadwise.proofs.base.certificate import Certificate
    from threadwise.traces.trace import DescribedTrace

Load = Callable[[LoadOptions], Input]
Item = TypeVar("Item")


@dataclass(frozen=True)
class Proof:
    """A valid proof: what it is about, and what it rests on."""

    checked: CheckedProof
    kind: str
    load: LoadOptions
    """How the program was loaded."""
    assumptions: tuple[str, ...]
    """Those of the program and those of the proof."""
    audit: Audit | None
    """How thoroughly it was tested in runs; None if no audit was asked for."""
    program_hash: str
    """The program that it is about: the same file read with other options may be another one."""


@dataclass(frozen=True)
class Certification:
    """The valid proofs of a file."""

    proofs: tuple[Proof, ...]

    @property
    def properties(self) -> tuple[str, ...]:
        """Everything that is proved."""
        return tuple(name for proof in self.proofs for name in proof.checked.properties)

    @property
    def partial(self) -> tuple[str, ...]:
        """What is proved of some locations only."""
        proved = {(p.program_hash, name) for p in self.proofs for name in p.checked.properties}
        parts = ((p.program_hash, name) for p in self.proofs for name in p.checked.partial)
        return tuple(part[1] for part in parts if part not in proved)


@dataclass(frozen=True)
class Replayed:
    """A trace of a file that reproduces: what it is about, and what it rests on."""

    described: DescribedTrace
    load: LoadOptions
    assumptions: tuple[str, ...]


def replay_file(path: str, trace_path: str, budget: Budget = UNLIMITED) -> Replayed:
    """Replay a trace file; raises ReplayFailure if it does not reproduce."""
    return replay_recorded(
        lambda load: load_input(path, load.found_from(path)), trace_path, budget
    )


def replay_recorded(load: Load, trace_path: str, budget: Budget = UNLIMITED) -> Replayed:
    """Replay a trace file on a program that is loaded as the trace says."""
    return _within(budget, lambda _: _replayed(load, trace_path))


def _replayed(load: Load, path: str) -> Replayed:
    from threadwise.core.documents import TRACE_FORMAT, parse
    from threadwise.core.load_documents import load_from_json
    from threadwise.traces.files import differences, trace_from_json
    from threadwise.traces.replay import ReplayFailure, replay

    data = parse(read_source(path).text, path, TRACE_FORMAT)
    trace = trace_from_json(data, path)
    options = load_from_json(data, path)
    check_meaning(options)
    loaded = load(options)
    described = replay(loaded.program, trace)
    for difference in differences(described, options, data):
        raise ReplayFailure(difference)
    if (doubt := doubt_about(loaded.program, trace, loaded.approximated)) is not None:
        raise ReplayFailure(doubt)
    return Replayed(described, options, loaded.assumptions)


def certify_file(
    path: str,
    certificate_path: str,
    budget: Budget = UNLIMITED,
    *,
    second_solver: bool = False,
    audit: bool = True,
) -> Certification:
    """Check the certificates in a file; raises Refuted, or InputError if for another program."""
    return certify_recorded(
        path,
        lambda load: load_input(path, load.found_from(path)),
        certificate_path,
        budget,
        second_solver=second_solver,
        audit=audit,
    )


def certify_recorded(
    name: str,
    load: Load,
    certificate_path: str,
    budget: Budget = UNLIMITED,
    *,
    second_solver: bool = False,
    audit: bool = True,
) -> Certification:
    """Check certificates for a program that is loaded as each certificate says."""
    return _within(
        budget,
        lambda meter: _certified(
            name, load, certificate_path, meter, second_solver=second_solver, audit=audit
        ),
    )


@dataclass(frozen=True)
class _Checked:
    """A valid proof, before it is known what the others prove."""

    proof: CheckedProof
    kind: str
    loaded: Input
    options: LoadOptions
    audit: Audit | None
    program_hash: str


def _certified(
    name: str, load: Load, path: str, meter: Meter, *, second_solver: bool, audit: bool
) -> Certification:
    from threadwise.core.load_documents import load_from_json
    from threadwise.ir.text.printer import program_hash
    from threadwise.proofs.base.documents import certificate_from_json
    from threadwise.proofs.base.files import read_certificates
    from threadwise.proofs.base.registry import check_certificate

    found: list[_Checked] = []
    for data, line in read_certificates(read_lines(path), path):
        place = f"{path}:{line}"
        certificate = certificate_from_json(data, place)
        options = load_from_json(data, place)
        kind = data["kind"]
        data.clear()  # large, and all of it is in the certificate
        if not certificate.properties and not getattr(certificate, "partial", ()):
            raise InputError.of(f"{place}: a certificate that claims no property")
        loaded = load(options)
        if certificate.program_hash != program_hash(loaded.program):
            raise InputError.of(f"{place}: a certificate for another program than {name}")
        try:
            checked = check_certificate(
                loaded.program, certificate, meter.check, second_solver=second_solver
            )
        except Unsupported as error:  # engines may try something else; a recorded proof is wrong
            if isinstance(error.__cause__, Refuted):
                raise Refuted(error.construct) from error
            raise
        _refuse_hidden(loaded, checked, meter.check)
        looked = _audited(loaded, certificate, checked, meter) if audit else None
        about = certificate.program_hash
        found.append(_Checked(checked, kind, loaded, options, looked, about))
    return Certification(tuple(_told(each, found) for each in found))


def _audited(loaded: Input, certificate: Certificate, proof: CheckedProof, meter: Meter) -> Audit:
    """Test a proof in runs; the code for that is no part of what is trusted."""
    from threadwise.driver.verdicts.auditing import audited

    return audited(loaded.program, certificate, proof, meter.check)


def _refuse_hidden(loaded: Input, proof: CheckedProof, tick: Callable[[], object]) -> None:
    """Raise Refuted for a proof that says nothing about the source, as `check` does.

    One that ends where a lock is surely misused, or of what interleavings do not show.
    """
    hidden = hidden_by_misuse(loaded.program, proof, loaded.misuse)
    if hidden is not None:
        raise Refuted(hidden)
    if may_order_less(loaded.program, loaded.orders):
        from threadwise.driver.verdicts.weak_orders import beyond_interleavings

        claimed = [each for each in loaded.program.properties if each.name in proof.properties]
        for told in beyond_interleavings(loaded.program, loaded.orders, claimed, tick).values():
            raise Refuted(told)


def _told(checked: _Checked, others: list[_Checked]) -> Proof:
    """A proof with everything that it rests on, and that others of the program do not prove."""
    from threadwise.report.doubts import listed_doubts

    loaded, proof, about = checked.loaded, checked.proof, checked.program_hash
    alike = (each.proof for each in others if each.program_hash == about)
    proved = {name for each in alike for name in each.properties}
    assumptions = (
        *loaded.assumptions,
        *proof.assumptions,
        *presumed(loaded.program, proof, loaded.misuse, proved),
        *listed_doubts(loaded.denied),
    )
    rests = tuple(dict.fromkeys(assumptions))
    slim = replace(proof, simpler=None, simplified=None)
    return Proof(slim, checked.kind, checked.options, rests, checked.audit, about)


@dataclass(frozen=True)
class _Answer:
    """What a worker found, or why evidence is refused."""

    value: object


def _within(budget: Budget, work: Callable[[Meter], Item]) -> Item:
    """Do some work; where there is a limit, in a process that is killed there."""
    if budget.time_s is None and budget.memory_bytes is None:
        return work(Meter(budget))
    from threadwise.core.processes.supervisor import Ending, EndingKind, Send, supervise
    from threadwise.traces.replay import ReplayFailure

    answers: list[_Answer] = []

    def job(send: Send) -> None:
        try:
            send(_Answer(work(Meter(Budget(steps=budget.steps)))))
        except (Refuted, ReplayFailure) as refusal:
            send(_Answer(refusal))

    def take(message: object) -> None:
        assert isinstance(message, _Answer)
        answers.append(message)

    ending: Ending = supervise(job, budget, take)
    match ending.kind:
        case EndingKind.FINISHED:
            (answer,) = answers
            if isinstance(answer.value, Refuted | ReplayFailure):
                raise answer.value
            return answer.value  # type: ignore[return-value]  # what the work gave
        case EndingKind.TIME_LIMIT | EndingKind.MEMORY_LIMIT | EndingKind.STEP_LIMIT:
            raise BudgetExhausted(ending.reason, _RESOURCES[ending.kind.value])
        case EndingKind.INTERRUPTED:
            raise KeyboardInterrupt
        case EndingKind.FAILED if ending.error is not None:
            raise ending.error
        case EndingKind.FAILED | EndingKind.CRASHED:
            raise InternalError(ending.reason, {"traceback": ending.traceback or ""})


_RESOURCES = {
    "time limit": Resource.TIME,
    "memory limit": Resource.MEMORY,
    "step limit": Resource.STEPS,
}
