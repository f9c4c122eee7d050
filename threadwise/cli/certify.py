"""`threadwise certify`: check a recorded proof."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from threadwise.cli import terminal
from threadwise.cli.exit_codes import ExitCode
from threadwise.cli.failures import guarded
from threadwise.cli.options import AnswerFormat, File, Given, TimeLimit, takes_options

if TYPE_CHECKING:
    from threadwise.core.load_options import LoadOptions
    from threadwise.driver.rechecking import Certification


@guarded
@takes_options("certify")
def certify(
    file: File,
    certificate: Annotated[
        str,
        typer.Argument(
            metavar="CERTIFICATE", help="What `check --certificate` wrote.", show_default=False
        ),
    ],
    time_limit: TimeLimit = None,
    format_: AnswerFormat = None,
    *,
    given: Given,
) -> ExitCode:
    """Check a proof without searching for it again.

    The checker verifies every obligation of this kind of proof, and its claims are tested in
    concrete runs of the program. The program is loaded with the options of the run that wrote it;
    those that differ from the defaults are shown, and so is what the proof assumes.

    \b
    Example:
      threadwise check counter.tw --certificate proof.json
      threadwise certify counter.tw proof.json

    Exit code: 0 the proof is valid, 1 it is refuted, 2 it is malformed or for another program,
    3 it is valid, but proves some locations only, or a limit was reached.
    """
    from threadwise.cli.options import budget_from, is_json
    from threadwise.cli.settings import without_file
    from threadwise.driver.rechecking import certify_file
    from threadwise.proofs.base.answer import Refuted

    as_json = is_json(format_)
    settings = without_file(given)
    budget = budget_from(time_limit, settings.memory_limit)
    try:
        found = certify_file(
            file, certificate, budget, second_solver=settings.second_solver, audit=settings.audit
        )
    except Refuted as refuted:
        if as_json:
            terminal.out(_json(file, certificate, valid=False, reason=str(refuted)))
        else:
            terminal.out(f"refuted: {refuted}\n")
        return ExitCode.UNSAFE
    if as_json:
        from threadwise.report.rechecked import proof_to_json

        proofs = [
            proof_to_json(
                proof.kind,
                proof.checked.properties,
                proof.load,
                proof.assumptions,
                proof.audit,
                proof.checked.locations,
            )
            for proof in found.proofs
        ]
        terminal.out(_json(file, certificate, valid=True, proofs=proofs))
    else:
        terminal.out(_text(file, certificate, found))
    return ExitCode.UNKNOWN if found.partial else ExitCode.SAFE


def _text(file: str, certificate: str, found: Certification) -> str:
    """Proofs of a program that was loaded in the same way, resting on the same, are told once."""
    from threadwise.report.rechecked import partial_text, valid_text

    told: list[str] = []
    waiting = list(found.proofs)
    while waiting:
        like = [p for p in waiting if _rests_on(p) == _rests_on(waiting[0])]
        waiting = [p for p in waiting if p not in like]
        names = [name for proof in like for name in proof.checked.properties]
        audits = [proof.audit for proof in like if proof.audit is not None]
        load, rests = _rests_on(like[0])
        for proof in like:
            for name in proof.checked.partial:
                locations = proof.checked.locations[name]
                told.append(partial_text(file, certificate, proof.load, name, locations))
        told.append(valid_text(file, certificate, load, names, rests, audits))
    return "".join(told)


def _rests_on(proof: Proof) -> tuple[LoadOptions, tuple[str, ...]]:
    return proof.load, proof.assumptions


def _json(file: str, certificate: str, /, **answer: object) -> str:
    import json

    from threadwise.report.rechecked import FORMAT_VERSION

    about = {"format_version": FORMAT_VERSION, "file": file, "certificate": certificate}
    return json.dumps({**about, **answer}, indent=2) + "\n"


if TYPE_CHECKING:
    from threadwise.driver.rechecking import Proof
