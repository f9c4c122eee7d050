"""The kind `transformed` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

TRANSFORMED = Kind(
    name="transformed",
    package="threadwise.proofs.transformed",
    check_part="check:check_transformed",
    write_part="files:write_transformed",
    read_part="files:read_transformed",
    explain_part="explain:explain_transformed",
    summarise_part="explain:summarise_transformed",
    asks_solver=True,
    audit_part="audit:audit_transformed",
)
