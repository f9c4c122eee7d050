"""What proofs about transformed programs leave behind: the step, and the inner proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from threadwise.proofs.base.certificate import Certificate
    from threadwise.transforms.follow.names import Following


@dataclass(frozen=True)
class ForgettingCertificate:
    """A proof for the program that has forgotten some variables
    (`threadwise.transforms.forget`)."""

    kind: ClassVar[str] = "forgetting"

    program_hash: str
    properties: tuple[str, ...]
    forgotten: tuple[str, ...]
    inner: Certificate


@dataclass(frozen=True)
class FollowingCertificate:
    """A proof for the program that follows a thread with a creation index, of each of some
    templates (`threadwise.transforms.follow`)."""

    kind: ClassVar[str] = "following"

    program_hash: str
    properties: tuple[str, ...]
    followings: tuple[Following, ...]
    inner: Certificate


@dataclass(frozen=True)
class SplitCertificate:
    """A proof for the program whose locations are told apart (`threadwise.transforms.split`)."""

    kind: ClassVar[str] = "split"

    program_hash: str
    properties: tuple[str, ...]
    inner: Certificate
