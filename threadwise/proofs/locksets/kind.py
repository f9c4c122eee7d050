"""The kind `locksets` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

LOCKSETS = Kind(
    name="locksets",
    package="threadwise.proofs.locksets",
    check_part="kernel_first:check_locksets",
    write_part="written_files:write_locksets",
    read_part="files:read_locksets",
    explain_part="explain:explain_locksets",
    summarise_part="explain:summarise_locksets",
    audit_part="audit:audit_locksets",
)
