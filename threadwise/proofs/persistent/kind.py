"""The kind `persistent` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

PERSISTENT = Kind(
    name="persistent",
    package="threadwise.proofs.persistent",
    check_part="check:check_persistent",
    write_part="files:write_persistent",
    read_part="files:read_persistent",
    explain_part="explain:explain_persistent",
    summarise_part="explain:summarise_persistent",
    audit_part="audit:audit_persistent",
)
