"""Programs after the steps of a certificate, each step made when its conditions hold.

    Simplify    a pass of the pipeline, if its result may replace the program before: that is
                verified by `threadwise.proofs.simplified`
    others      see `changes`; which may follow which, and what they keep, is in `order`

The program after a step is computed here, from the program before. That computation is not
trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import chain, takewhile
from typing import TYPE_CHECKING

from threadwise.analyses.uses import Uses
from threadwise.core.errors import Unsupported
from threadwise.core.quick_dataclass import dataclass
from threadwise.ir.program import EdgeId, LocId, Program
from threadwise.ir.properties import Property
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.simplified.check import check_pass
from threadwise.proofs.transformed.certificate import (
    Simplify,
    Step,
    TransformedCertificate,
)
from threadwise.transforms.pipeline import PASSES, Simplified, applied

if TYPE_CHECKING:
    from threadwise.proofs.transformed.follow.check import Stage
    from threadwise.proofs.transformed.split_locations import Told
    from threadwise.transforms.reduce import Reduced


@dataclass(frozen=True)
class After:
    """A program after a step."""

    step: Step
    program: Program
    origins: Sequence[frozenset[EdgeId]]
    """For each edge those of the program before that it stands for."""
    places: Mapping[LocId, LocId] = field(default_factory=dict)
    """For locations those of the program before that they are."""
    merged: Sequence[LocId] = ()
    """If locations are merged: what each of the program before is now."""
    copies: Sequence[tuple[LocId, Told]] = ()
    """If locations are split: what each is a copy of, and the values it stands for."""
    stages: Sequence[Stage] = ()
    """If threads are followed: the programs in between."""
    reduced: Reduced | None = None
    """If critical sections are single steps: which locks are held where, and protect what."""


def programs_after(
    program: Program,
    steps: Sequence[Step],
    claimed: Sequence[Property],
    tick: Callable[[], object] = lambda: None,
    *,
    second_solver: bool = False,
) -> Iterator[After]:
    """The programs after the steps, one after the other, for a claim; raises Refuted."""
    uses = Uses()
    for step in steps:
        try:
            after = program_after(program, step, uses)
        except Unsupported as error:
            raise Refuted(f"this step cannot be made: {type(step).__name__}: {error}") from error
        if not isinstance(step, Simplify):
            from threadwise.proofs.transformed.changes import verify

            verify(program, after, claimed, tick, second_solver=second_solver)
        yield after
        program = after.program


def program_after(program: Program, step: Step, uses: Uses) -> After:
    """The program after a step, verified if it is a pass; raises Unsupported or Refuted."""
    if isinstance(step, Simplify):
        after = _after_pass(program, step.name, uses)
        origins = [frozenset(chain.from_iterable(edge.origin)) for edge in after.edges]
        places = {here.id: here.origin for here in after.locations if here.origin is not None}
        return After(step, after, origins, places)
    from threadwise.proofs.transformed.changes import changed

    return changed(program, step)


def _after_pass(program: Program, name: str, uses: Uses) -> Program:
    """The program after a pass, verified; raises Refuted."""
    if name not in PASSES:
        raise Refuted(f"there is no pass `{name}`")
    after = applied(program, name, uses)
    if after is program:
        raise Refuted(f"the pass `{name}` changes nothing")
    check_pass(name, program, after)
    return after


def without_passes(
    program: Program, certificate: TransformedCertificate
) -> tuple[Simplified, Certificate]:
    """The program after simplification, and what the certificate says about that one."""
    leading = takewhile(lambda step: isinstance(step, Simplify), certificate.steps)
    passes = [step for step in leading if isinstance(step, Simplify)]
    rest = certificate.steps[len(passes) :]
    uses = Uses()
    programs: list[Program] = []
    for step in passes:
        programs.append(_after_pass(programs[-1] if programs else program, step.name, uses))
    simpler = Simplified(program, tuple(step.name for step in passes), tuple(programs))
    if not rest:
        return simpler, certificate.inner
    about = program_hash(simpler.program)
    return simpler, replace(certificate, program_hash=about, steps=rest)
