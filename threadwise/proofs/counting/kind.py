"""The kind `counting` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

COUNTING = Kind(
    name="counting",
    package="threadwise.proofs.counting",
    check_part="check:check_counting",
    write_part="files:write_counting",
    read_part="files:read_counting",
    explain_part="explain:explain_counting",
    summarise_part="explain:summarise_counting",
    audit_part="audit:audit_counting",
)
