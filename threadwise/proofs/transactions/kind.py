"""The kinds `reduction`, `summaries` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

REDUCTION = Kind(
    name="reduction",
    package="threadwise.proofs.transactions",
    check_part="check_reduction:check_reduction",
    write_part="files:write_reduction",
    read_part="files:read_reduction",
    explain_part="explain:explain_reduction",
    summarise_part="explain:summarise_reduction",
    audit_part="audit:audit_reduction",
)

SUMMARIES = Kind(
    name="summaries",
    package="threadwise.proofs.transactions",
    check_part="check_summaries:check_summaries",
    write_part="files:write_summaries",
    read_part="files:read_summaries",
    explain_part="explain:explain_summaries",
    summarise_part="explain:summarise_summaries",
    audit_part="audit:audit_summaries",
)
