"""The kind `representatives` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

REPRESENTATIVES = Kind(
    name="representatives",
    package="threadwise.proofs.representatives",
    check_part="check:check_representatives",
    write_part="files:write_representatives",
    read_part="files:read_representatives",
    explain_part="explain:explain_representatives",
    summarise_part="explain:summarise_representatives",
    asks_solver=True,
    audit_part="audit:audit_representatives",
)
