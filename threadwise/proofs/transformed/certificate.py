"""Certificates about transformed programs: the steps of the transformation, and an inner proof."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from threadwise.core.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection

    from threadwise.proofs.base.certificate import Certificate
    from threadwise.transforms.follow.names import Following


@dataclass(frozen=True)
class Simplify:
    """The program after a pass of `threadwise.transforms.pipeline`."""

    name: str


RESOLVED = "memory as variables"
"""The pass after which there are no pointers: it keeps races and failures only."""


@dataclass(frozen=True)
class Forget:
    """The program with some variables projected away (`threadwise.transforms.forget`)."""

    forgotten: tuple[str, ...]


@dataclass(frozen=True)
class Presume:
    """The program if its behaviour is never undefined (`threadwise.transforms.presume`)."""


@dataclass(frozen=True)
class Merge:
    """The program whose locations are one where nothing is done between them
    (`threadwise.transforms.merge`)."""


@dataclass(frozen=True)
class Own:
    """The program with ghosts that say who wrote last to some variables
    (`threadwise.transforms.owners`)."""

    owned: tuple[str, ...]


@dataclass(frozen=True)
class Reduce:
    """The program whose critical sections are single steps (`threadwise.transforms.reduce`)."""


@dataclass(frozen=True)
class Follow:
    """The program that follows a thread with a creation index, of each of some templates
    (`threadwise.transforms.follow`)."""

    followings: tuple[Following, ...]


MOST_CREATED = 2**30 - 1
"""How many threads of a pool a run creates at most, where that has to be assumed: numbers that
count threads do not wrap around, nor do they if they begin with a few or count two pools together.
Creating as many takes hours."""


@dataclass(frozen=True)
class Parametrise:
    """The program whose created threads are parametric templates
    (`threadwise.transforms.parametric`)."""

    most: tuple[tuple[str, int], ...] = ()
    """Pools, and how many of their threads are created at most."""
    assumed: tuple[str, ...] = ()
    """Those of them of which this is assumed: `MOST_CREATED`."""


@dataclass(frozen=True)
class SplitLocations:
    """The program with locations split by values of local variables
    (`threadwise.transforms.split`)."""


@dataclass(frozen=True)
class Tally:
    """The program with ghosts that say how much each thread has changed shared integers
    (`threadwise.transforms.tally`)."""


@dataclass(frozen=True)
class Account:
    """The program with ghosts that count threads and sum up what finished threads have added
    (`threadwise.transforms.accounts`)."""


@dataclass(frozen=True)
class Interrupt:
    """The program without loops inside atomic regions (`threadwise.transforms.interrupt`)."""


Step: TypeAlias = (
    Simplify
    | Forget
    | Presume
    | Merge
    | Own
    | Reduce
    | Follow
    | Parametrise
    | SplitLocations
    | Tally
    | Account
    | Interrupt
)


@dataclass(frozen=True)
class TransformedCertificate:
    """A proof for the program that some steps make of the program it is about."""

    kind: ClassVar[str] = "transformed"

    program_hash: str
    properties: tuple[str, ...]
    steps: tuple[Step, ...]
    inner: Certificate

    @property
    def partial(self) -> tuple[str, ...]:
        """Properties that the inner proof is about without proving them as a whole."""
        return tuple(getattr(self.inner, "partial", ()))


def behind(
    steps: tuple[Step, ...], program_hash: str, certificate: Certificate
) -> TransformedCertificate:
    """A certificate for the program after some steps, as one for the program before."""
    if isinstance(certificate, TransformedCertificate):
        steps, certificate = (*steps, *certificate.steps), certificate.inner
    return TransformedCertificate(program_hash, certificate.properties, steps, certificate)


def claiming(certificate: Certificate, names: Collection[str]) -> Certificate:
    """The same proof, of some of its properties only."""
    kept = tuple(name for name in certificate.properties if name in names)
    if isinstance(certificate, TransformedCertificate):
        return replace(certificate, properties=kept, inner=claiming(certificate.inner, names))
    return replace(certificate, properties=kept)
