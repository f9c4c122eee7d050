"""The kind `divided` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

DIVIDED = Kind(
    name="divided",
    package="threadwise.proofs.divided",
    check_part="check:check_divided",
    write_part="files:write_divided",
    read_part="files:read_divided",
    explain_part="explain:explain_divided",
    summarise_part="explain:summarise_divided",
    asks_solver=True,
    audit_part="audit:audit_divided",
)
