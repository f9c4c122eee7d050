"""Programs after the steps of a certificate, each step made when its conditions hold.

    Simplify    a pass of the pipeline, if its result may replace the program before: that is
                verified by `threadwise.proofs.simplified`
    Forget      (1) the certificate claims absence of races and failures only: projection preserves
                those; and only data is projected away (`forgotten`)
    Presume     the certificate claims absence of races only, and nothing changes but that steps to
                failures are left out (`presumed`); the proof says if it assumes something by that
    Own         the certificate claims absence of races and failures only, and the program after is
                the one before with ghosts (`owned`)
    Follow      (2) the certificate claims no absence of deadlocks: following does not preserve
                them
                (3) the inner proof is by formulas, and about no other change; and violations are
                preserved (`follow`)
    Parametrise (1), (4) the inner proof is by formulas, equations or representatives of threads
                that are alike, and the parametric abstraction of created threads preserves
                violations (`parametric`)
    SplitLocations
                (3), and the values that split locations stand for are right (`split_locations`)
    Tally       (3), and the program after is the one before with ghosts (`tallied`)
    Account     (5) a parametric abstraction follows, and the program after is the one before
                with ghosts, and with conditions that always hold (`accounts`)
    Interrupt   (6) the last step; the certificate claims absence of failures, by formulas, and
                nothing changes but that locations inside atomic regions are not any more

(7) Of the passes, the one that resolves memory keeps races and failures only.
(8) After projection, presumption and ghosts a program is as any other: it may be simplified
    again, and be changed further. Each of these happens at most once, in this order.

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
from threadwise.ir.properties import DeadlockProperty, FailureProperty, Property, RaceProperty
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.counting.certificate import CountingCertificate
from threadwise.proofs.representatives.certificate import RepresentativesCertificate
from threadwise.proofs.simplified.check import check_pass
from threadwise.proofs.symmetric.certificate import SymmetricCertificate
from threadwise.proofs.transformed.certificate import (
    RESOLVED,
    Account,
    Follow,
    Forget,
    Interrupt,
    Own,
    Parametrise,
    Presume,
    Simplify,
    SplitLocations,
    Step,
    Tally,
    TransformedCertificate,
)
from threadwise.transforms.pipeline import PASSES, Simplified, applied

if TYPE_CHECKING:
    from threadwise.proofs.transformed.follow.check import Stage
    from threadwise.proofs.transformed.split_locations import Told


@dataclass(frozen=True)
class After:
    """A program after a step."""

    step: Step
    program: Program
    origins: Sequence[frozenset[EdgeId]]
    """For each edge those of the program before that it stands for."""
    places: Mapping[LocId, LocId] = field(default_factory=dict)
    """For locations those of the program before that they are."""
    copies: Sequence[tuple[LocId, Told]] = ()
    """If locations are split: what each is a copy of, and the values it stands for."""
    stages: Sequence[Stage] = ()
    """If threads are followed: the programs in between."""


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
            raise Refuted(f"this cannot be {_PAST[type(step)]}: {error}") from error
        verify(program, after, claimed, tick, second_solver=second_solver)
        yield after
        program = after.program


_PAST = {
    Simplify: "simplified",
    Forget: "forgotten",
    Presume: "presumed",
    Own: "signed",
    Follow: "followed",
    Parametrise: "parametric",
    SplitLocations: "split",
    Tally: "tallied",
    Account: "accounted for",
    Interrupt: "interrupted",
}


def program_after(program: Program, step: Step, uses: Uses) -> After:
    """The program after a step, verified if it is a pass; raises Unsupported or Refuted."""
    match step:
        case Simplify(name):
            after = _after_pass(program, name, uses)
            origins = [frozenset(chain.from_iterable(edge.origin)) for edge in after.edges]
            places = {here.id: here.origin for here in after.locations if here.origin is not None}
            return After(step, after, origins, places)
        case Forget(forgotten):
            from threadwise.transforms.forget import forget

            return _with_same_edges(step, program, forget(program, forgotten))
        case Presume():
            from threadwise.transforms.presume import presume

            return _with_same_edges(step, program, presume(program))
        case Own(owned):
            from threadwise.transforms.owners import with_owners

            return _with_same_edges(step, program, with_owners(program, owned))
        case Follow(followings):
            from threadwise.transforms.follow import follow_all

            followed = follow_all(program, followings)
            origins = [frozenset({e}) for e in followed.origins]
            return After(step, followed.program, origins, stages=followed.stages)
        case Parametrise(most):
            from threadwise.transforms.parametric import parametrise, parametrised_in_view

            parametric, in_view = parametrise(program, most), parametrised_in_view(program, most)
            if parametric is not in_view:
                check_pass("silent steps", in_view, parametric)
            return _with_same_edges(step, program, parametric)
        case SplitLocations():
            from threadwise.transforms.split import split

            divided = split(program)
            origins = [frozenset({e}) for e in divided.origins]
            return After(step, divided.program, origins, copies=divided.copies)
        case Tally():
            from threadwise.transforms.tally import tally

            return _with_same_edges(step, program, tally(program))
        case Account():
            from threadwise.transforms.accounts.accounts import with_accounts

            return _with_same_edges(step, program, with_accounts(program))
        case Interrupt():
            from threadwise.transforms.interrupt import interrupt

            return _with_same_edges(step, program, interrupt(program))


def _with_same_edges(step: Step, before: Program, after: Program) -> After:
    places = {here.id: here.id for here in before.locations}
    return After(step, after, [frozenset({edge.id}) for edge in before.edges], places)


def _after_pass(program: Program, name: str, uses: Uses) -> Program:
    """The program after a pass, verified; raises Refuted."""
    if name not in PASSES:
        raise Refuted(f"there is no pass `{name}`")
    after = applied(program, name, uses)
    if after is program:
        raise Refuted(f"the pass `{name}` changes nothing")
    check_pass(name, program, after)
    return after


def verify(
    program: Program,
    after: After,
    claimed: Sequence[Property],
    tick: Callable[[], object],
    *,
    second_solver: bool = False,
) -> None:
    """Raises Refuted unless claims that hold after a step also hold before it."""
    match after.step:
        case Forget():
            from threadwise.proofs.transformed.forgotten import check_forgotten

            check_forgotten(program, after.program, claimed)
        case Presume():
            from threadwise.proofs.transformed.presumed import check_presumed

            check_presumed(program, after.program, claimed)
        case Own():
            from threadwise.proofs.transformed.owned import check_owned

            check_owned(program, after.program)
        case SplitLocations():
            from threadwise.proofs.transformed.split_locations import check_split_locations

            origins = [edge for (edge,) in after.origins]
            check_split_locations(
                program, after.program, after.copies, origins, tick, second_solver=second_solver
            )
        case Follow(followings):
            from threadwise.proofs.transformed.follow.check import check_follow_all

            try:
                check_follow_all(
                    program,
                    followings,
                    after.stages,
                    after.program,
                    claimed,
                    tick,
                    second_solver=second_solver,
                )
            except Refuted as error:
                raise Unsupported(f"following that is not verified: {error}") from error
        case Parametrise(most, assumed):
            from threadwise.proofs.transformed.parametric.check import check_parametric
            from threadwise.transforms.parametric import parametrised_in_view

            in_view = parametrised_in_view(program, most)
            try:
                check_parametric(
                    program, in_view, claimed, tick, assumed=assumed, second_solver=second_solver
                )
            except Refuted as error:
                raise Unsupported(f"a parametric program that is not verified: {error}") from error
        case Tally():
            from threadwise.proofs.transformed.tallied import check_tallied

            check_tallied(program, after.program)
        case Account():
            from threadwise.proofs.transformed.accounts.check import check_accounts

            try:
                check_accounts(program, after.program, claimed, tick, second_solver=second_solver)
            except Refuted as error:
                raise Unsupported(f"accounts that are not verified: {error}") from error
        case Interrupt():
            check_interrupted(program, after.program)
        case Simplify():
            pass


def check_interrupted(before: Program, after: Program) -> None:
    """Raises Refuted unless programs differ only in locations that are not atomic any more."""
    again = tuple(
        replace(
            new,
            locations=tuple(
                replace(one, atomic=True) if other.atomic and not one.atomic else one
                for one, other in zip(new.locations, old.locations, strict=True)
            ),
        )
        if len(new.locations) == len(old.locations)
        else new
        for new, old in zip(after.procedures, before.procedures, strict=False)
    )
    if len(after.procedures) != len(before.procedures):
        raise Refuted("more or fewer procedures")
    if replace(after, procedures=again) != before:
        raise Refuted("an interrupted program that does something else")


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


def _check_accounting(steps: Sequence[Step], others: Sequence[Step]) -> None:
    """(5): raises Refuted unless a parametric abstraction follows accounts."""
    accounting = [step for step in others if isinstance(step, Account)]
    if not accounting:
        return
    if (
        len(others) != 2
        or others[0] is not accounting[0]
        or not isinstance(others[1], Parametrise)
    ):
        raise Refuted("accounts that no parametric abstraction follows")
    if steps[-2] is not others[0]:
        raise Refuted("a change of a changed program")


def _check_order_after(
    certificate: TransformedCertificate, first: Step, claimed: Sequence[Property]
) -> None:
    """(8): raises Refuted unless steps may follow one after which a program is as any other."""
    steps = certificate.steps
    rest = steps[steps.index(first) + 1 :]
    kinds: tuple[type[Step], ...] = _PLAIN
    later = kinds[kinds.index(type(first)) + 1 :]
    if any(isinstance(step, _PLAIN) and not isinstance(step, later) for step in rest):
        raise Refuted("a change of a changed program")
    check_order(replace(certificate, steps=steps[: -len(rest)]), claimed)
    check_order(replace(certificate, steps=rest), claimed)


def _check_presumption(step: Step, claimed: Sequence[Property]) -> None:
    """Raises Refuted if steps to failures are left out, and something else than races claimed."""
    if isinstance(step, Presume) and not all(isinstance(p, RaceProperty) for p in claimed):
        raise Refuted("undefined behaviour may be assumed not to happen for races only")


def check_order(certificate: TransformedCertificate, claimed: Sequence[Property]) -> None:
    """Raises Refuted unless the steps preserve what is claimed and can be combined."""
    steps = certificate.steps
    others = [step for step in steps if not isinstance(step, Simplify)]
    if Simplify(RESOLVED) in certificate.steps and not all(  # (7)
        isinstance(checked, RaceProperty | FailureProperty) for checked in claimed
    ):
        raise Refuted("memory as variables keeps races and failures only")
    formulas = isinstance(certificate.inner, RepresentativesCertificate)
    if others and isinstance(others[0], _PLAIN) and steps[-1] is not others[0]:
        _check_order_after(certificate, others[0], claimed)
        return
    if sum(isinstance(step, Interrupt) for step in others) > 1:
        raise Refuted("a change of a changed program")
    if others and isinstance(others[-1], Interrupt):  # (6)
        if certificate.steps[-1] is not others[-1] or not formulas:
            raise Refuted("an interrupted program that is changed, or a proof not by formulas")
        if not all(isinstance(checked, FailureProperty) for checked in claimed):
            raise Refuted("interrupting threads keeps failures only")
        check_order(replace(certificate, steps=certificate.steps[:-1]), claimed)
        return
    if any(isinstance(step, Interrupt) for step in others):
        raise Refuted("a change of a changed program")
    _check_accounting(certificate.steps, others)
    others = [step for step in others if not isinstance(step, Account)]
    if len(others) > 1 or (others and certificate.steps[-1] is not others[0]):
        raise Refuted("a change of a changed program")
    if isinstance(certificate.inner, TransformedCertificate):
        raise Refuted("a proof about a changed program within another")
    for step in others:
        _check_presumption(step, claimed)
        if isinstance(step, Forget | Own | Parametrise) and not all(  # (1)
            isinstance(checked, RaceProperty | FailureProperty) for checked in claimed
        ):
            raise Refuted(f"{_DOING[type(step)]} keeps races and failures only")
        if isinstance(step, Follow) and any(  # (2)
            isinstance(checked, DeadlockProperty) for checked in claimed
        ):
            raise Refuted("following a thread does not keep deadlocks")
        if isinstance(step, Follow | SplitLocations | Tally) and not formulas:  # (3)
            raise Refuted(f"a proof about {_ABOUT[type(step)]} that is not by formulas")
        counted = isinstance(certificate.inner, CountingCertificate)
        alike = isinstance(certificate.inner, SymmetricCertificate)
        if isinstance(step, Parametrise) and not (formulas or counted or alike):  # (4)
            raise Refuted(
                "a proof about a parametric program that is not by formulas or equations"
            )


_PLAIN = (Forget, Presume, Own)
"""Steps after which a program is as any other, in their order."""
_DOING = {Forget: "forgetting data", Own: "signing", Parametrise: "parametric threads"}
_ABOUT = {Follow: "a followed thread", SplitLocations: "split locations", Tally: "tallies"}
