"""The certificate of a proof by formulas about k threads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.program import EdgeId, LocId
from threadwise.ir.quantities import LinearInvariant

if TYPE_CHECKING:  # the driver loads this module first of all, and these take long to load
    from threadwise.transforms.ghosts import IdGhost


class RepresentativesFormula(NamedTuple):
    """What holds of k different threads while they are at some locations."""

    templates: tuple[str, ...]
    """Of the threads t1 … tk, in the order of the program's templates."""
    locations: tuple[LocId | None, ...]
    """Where each of them is; None: anywhere."""
    formula: str
    """See `threadwise.ir.text.thread_formulas`."""
    context: int = 0
    """In a program with calls, the context in which the thread runs the procedure it is in."""


class ContextCall(NamedTuple):
    """A call from one context into another."""

    template: str
    caller: int
    call: EdgeId
    callee: int
    formula: str
    """What holds of the caller's locals until it goes on."""


@dataclass(frozen=True)
class RepresentativesCertificate:
    """R_k: a formula over the shared variables and k different threads, for any number of threads.

    Where several formulas fit the locations of k threads, one of them holds; where none does,
    threads are never there together. With k = 1 this is R of a thread-modular proof; in a program
    with calls it is split by *contexts*, the formulas of one run of a procedure each: P of FQ §3.1
    with a formula for the entry, `calls` standing for Q.
    """

    kind: ClassVar[str] = "representatives"

    program_hash: str
    properties: tuple[str, ...]
    k: int
    formulas: Sequence[RepresentativesFormula]
    lemmas: tuple[LinearInvariant, ...] = ()
    """Equations about numbers of threads, which the proof uses."""
    calls: Sequence[ContextCall] = ()
    ghosts: tuple[IdGhost, ...] = ()
    """The formulas are about the program with these ghosts."""
