"""The kind `interleavings` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

INTERLEAVINGS = Kind(
    name="interleavings",
    package="threadwise.proofs.interleavings",
    check_part="check:check_interleavings",
    write_part="files:write_interleavings",
    read_part="files:read_interleavings",
    explain_part="explain:explain_interleavings",
    summarise_part="explain:summarise_interleavings",
    asks_solver=True,
    audit_part="audit:audit_interleavings",
)
