"""What all certificates have in common; each kind of proof has a class of its own."""

from __future__ import annotations

from dataclasses import Field
from typing import Any, ClassVar, Protocol


class Certificate(Protocol):
    """What a SAFE leaves behind for a checker: a claim about a program, and its proof.

    It is a frozen dataclass.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    kind: ClassVar[str]
    """The name of the kind of proof, as files have it; see `threadwise.proofs.base.registry`."""

    @property
    def program_hash(self) -> str:
        """The program that the certificate is about."""

    @property
    def properties(self) -> tuple[str, ...]:
        """The names of the properties that it proves."""
