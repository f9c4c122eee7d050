"""The kind `symmetric` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

SYMMETRIC = Kind(
    name="symmetric",
    package="threadwise.proofs.symmetric",
    check_part="check:check_symmetric",
    write_part="files:write_symmetric",
    read_part="files:read_symmetric",
    explain_part="explain:explain_symmetric",
    summarise_part="explain:summarise_symmetric",
    audit_part="audit:audit_symmetric",
)
