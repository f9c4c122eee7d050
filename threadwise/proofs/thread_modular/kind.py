"""The kind `thread-modular` of proof."""

from __future__ import annotations

from threadwise.proofs.base.kind import Kind

THREAD_MODULAR = Kind(
    name="thread-modular",
    package="threadwise.proofs.thread_modular",
    check_part="check:check_thread_modular",
    write_part="files:write_thread_modular",
    read_part="files:read_thread_modular",
    explain_part="explain:explain_thread_modular",
    summarise_part="explain:summarise_thread_modular",
    audit_part="audit:audit_thread_modular",
)
