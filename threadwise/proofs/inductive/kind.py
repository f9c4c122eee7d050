"""The kind `formulas` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

INDUCTIVE = Kind(
    name="formulas",
    package="threadwise.proofs.inductive",
    check_part="check:check_formulas",
    write_part="files:write_inductive",
    read_part="files:read_inductive",
    explain_part="explain:explain_inductive",
    summarise_part="explain:summarise_inductive",
    audit_part="audit:audit_inductive",
)
