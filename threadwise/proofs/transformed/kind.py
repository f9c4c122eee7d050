"""The kinds `forgetting`, `following`, `split` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

FORGETTING = Kind(
    name="forgetting",
    package="threadwise.proofs.transformed",
    check_part="forget:check_forgetting",
    write_part="files:write_forgetting",
    read_part="files:read_forgetting",
    explain_part="explain:explain_forgetting",
    summarise_part="explain:summarise_forgetting",
    asks_solver=True,
    audit_part="audit:audit_forgetting",
)

FOLLOWING = Kind(
    name="following",
    package="threadwise.proofs.transformed",
    check_part="follow:check_following",
    write_part="files:write_following",
    read_part="files:read_following",
    explain_part="explain:explain_following",
    summarise_part="explain:summarise_following",
    asks_solver=True,
    audit_part="audit:audit_following",
)

SPLIT = Kind(
    name="split",
    package="threadwise.proofs.transformed",
    check_part="split:check_split",
    write_part="files:write_split",
    read_part="files:read_split",
    explain_part="explain:explain_split",
    summarise_part="explain:summarise_split",
    asks_solver=True,
    audit_part="audit:audit_split",
)
