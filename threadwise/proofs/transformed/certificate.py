"""What proofs about transformed programs leave behind: the step, and the inner proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from threadwise.proofs.base.union import Certificate
    from threadwise.transforms.follow.names import Following


@dataclass(frozen=True)
class ForgettingCertificate:
    """A proof for the program that has forgotten some variables
    (`threadwise.transforms.forget`)."""

    program_hash: str
    properties: tuple[str, ...]
    forgotten: tuple[str, ...]
    inner: Certificate


@dataclass(frozen=True)
class FollowingCertificate:
    """A proof for the program that follows a thread with a creation index, of each of some
    templates (`threadwise.transforms.follow`)."""

    program_hash: str
    properties: tuple[str, ...]
    followings: tuple[Following, ...]
    inner: Certificate


@dataclass(frozen=True)
class SplitCertificate:
    """A proof for the program whose locations are told apart (`threadwise.transforms.split`)."""

    program_hash: str
    properties: tuple[str, ...]
    inner: Certificate
