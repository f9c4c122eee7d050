"""The kind `lock-order` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

LOCK_ORDER = Kind(
    name="lock-order",
    package="threadwise.proofs.lock_order",
    check_part="check:check_lock_order",
    write_part="files:write_lock_order",
    read_part="files:read_lock_order",
    explain_part="explain:explain_lock_order",
    summarise_part="explain:summarise_lock_order",
    audit_part="audit:audit_lock_order",
)
