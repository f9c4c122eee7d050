"""The kind `frontier` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

FRONTIER = Kind(
    name="frontier",
    package="threadwise.proofs.frontier",
    check_part="check:check_frontier",
    write_part="files:write_frontier",
    read_part="files:read_frontier",
    explain_part="explain:explain_frontier",
    summarise_part="explain:summarise_frontier",
    audit_part="audit:audit_frontier",
)
