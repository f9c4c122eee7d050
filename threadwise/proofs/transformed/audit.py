"""What proofs about transformed programs mean in a run: the run has an image in the transformed
program, and the claims of the inner proof hold there (`threadwise.proofs.transformed.images`).

The first step decides how: simplification (`simplified_runs`), or a change that an engine makes
(`changed_runs`, loaded only where there is one).
"""

from __future__ import annotations

from dataclasses import replace

from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.audit import Monitor, Steers
from threadwise.proofs.base.registry import monitor_of
from threadwise.proofs.transformed.certificate import Simplify, TransformedCertificate
from threadwise.proofs.transformed.simplified_runs import SimplifiedMonitor, SteeredMonitor
from threadwise.proofs.transformed.steps import without_passes


def audit_transformed(program: Program, certificate: TransformedCertificate) -> Monitor | None:
    """The monitor of a proof about a changed program: images by the first step, and so on."""
    if not certificate.steps:
        return monitor_of(program, certificate.inner)
    if isinstance(certificate.steps[0], Simplify):
        return _audit_simplified(program, certificate)
    from threadwise.proofs.transformed.changed_runs import ImagesMonitor, changes_by

    first, rest = certificate.steps[0], certificate.steps[1:]
    changes = changes_by(program, first)
    inner = replace(certificate, steps=rest) if rest else certificate.inner
    return ImagesMonitor(program, changes, inner)


def _audit_simplified(program: Program, certificate: TransformedCertificate) -> Monitor:
    """The monitor of a proof about a simplified program.

    Passes are applied to the program with any number of threads, if it is an instance of one.
    """
    is_record = certificate.program_hash == program_hash(program)
    general = program if is_record else program.instance_of or program
    simpler, inner = without_passes(general, certificate)
    monitor = SimplifiedMonitor(program, simpler, inner)
    if isinstance(monitor.monitor, Steers):
        return SteeredMonitor(program, simpler, inner)
    return monitor
