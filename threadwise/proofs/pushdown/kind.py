"""The kind `pushdown` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

PUSHDOWN = Kind(
    name="pushdown",
    package="threadwise.proofs.pushdown",
    check_part="check:check_pushdown",
    write_part="files:write_pushdown",
    read_part="files:read_pushdown",
    explain_part="explain:explain_pushdown",
    summarise_part="explain:summarise_pushdown",
    audit_part="audit:audit_pushdown",
)
