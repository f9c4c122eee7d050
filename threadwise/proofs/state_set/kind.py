"""The kind `state-set` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

STATE_SET = Kind(
    name="state-set",
    package="threadwise.proofs.state_set",
    check_part="check:check_state_set",
    write_part="files:write_state_set",
    read_part="files:read_state_set",
    explain_part="explain:explain_state_set",
    summarise_part="explain:summarise_state_set",
    audit_part="audit:audit_state_set",
)
