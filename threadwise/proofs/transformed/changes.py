"""Steps of certificates that are no simplifications: the programs after them, and why they may
stand for those before.

    Forget      only data is projected away (`forgotten`)
    Presume     nothing changes but that steps to failures are left out (`presumed`); the proof
                says if it assumes something by that
    Merge       nothing is done between locations that become one (`merged`)
    Own         the program after is the one before with ghosts (`owned`)
    Reduce      what threads do under locks commutes with the steps of others (`reduced`)
    Follow      violations are preserved (`follow`)
    Parametrise the parametric abstraction of created threads preserves violations (`parametric`)
    SplitLocations
                the values that split locations stand for are right (`split_locations`)
    Tally       the program after is the one before with ghosts (`tallied`)
    Account     the same, and with conditions that always hold (`accounts`)
    Interrupt   nothing changes but that locations inside atomic regions are not any more

The program after a step is computed here, from the program before. That computation is not
trusted. `order` says which steps may follow which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from threadwise.core.errors import Unsupported
from threadwise.ir.program import Program
from threadwise.ir.properties import Property
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.simplified.check import check_pass
from threadwise.proofs.transformed.certificate import (
    Account,
    Follow,
    Forget,
    Interrupt,
    Merge,
    Own,
    Parametrise,
    Presume,
    Reduce,
    Simplify,
    SplitLocations,
    Step,
    Tally,
)
from threadwise.proofs.transformed.steps import After


def changed(program: Program, step: Step) -> After:
    """The program after a step that is no pass; raises Unsupported or Refuted."""
    match step:
        case Forget(forgotten):
            from threadwise.transforms.forget import forget

            return _with_same_edges(step, program, forget(program, forgotten))
        case Presume():
            from threadwise.transforms.presume import presume

            return _with_same_edges(step, program, presume(program))
        case Merge():
            from threadwise.transforms.merge import merge

            merged = merge(program)
            kept = [frozenset({edge}) for edge in merged.edges]
            return After(step, merged.program, kept, merged=merged.places)
        case Own(owned):
            from threadwise.transforms.owners import with_owners

            return _with_same_edges(step, program, with_owners(program, owned))
        case Reduce():
            from threadwise.transforms.reduce import reduce

            reduced = reduce(program)
            return replace(_with_same_edges(step, program, reduced.program), reduced=reduced)
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
        case Simplify():
            raise AssertionError("passes are elsewhere")


def _with_same_edges(step: Step, before: Program, after: Program) -> After:
    places = {here.id: here.id for here in before.locations}
    return After(step, after, [frozenset({edge.id}) for edge in before.edges], places)


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
        case Merge():
            from threadwise.proofs.transformed.merged import check_merged

            edges = [edge for (edge,) in after.origins]
            check_merged(program, after.program, after.merged, edges, claimed)
        case Own():
            from threadwise.proofs.transformed.owned import check_owned

            check_owned(program, after.program)
        case Reduce():
            _verify_reduced(program, after, claimed)
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
            _verify_accounts(program, after, claimed, tick, second_solver=second_solver)
        case Interrupt():
            check_interrupted(program, after.program)
        case Simplify():
            pass


def _verify_accounts(
    program: Program,
    after: After,
    claimed: Sequence[Property],
    tick: Callable[[], object],
    *,
    second_solver: bool,
) -> None:
    from threadwise.proofs.transformed.accounts.check import check_accounts

    try:
        check_accounts(program, after.program, claimed, tick, second_solver=second_solver)
    except Refuted as error:
        raise Unsupported(f"accounts that are not verified: {error}") from error


def _verify_reduced(program: Program, after: After, claimed: Sequence[Property]) -> None:
    from threadwise.proofs.transformed.reduced import check_reduced

    told = after.reduced
    if told is None:
        raise Refuted("whole critical sections without a reason")
    check_reduced(program, after.program, told.held, told.protecting, claimed)


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
