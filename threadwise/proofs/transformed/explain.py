"""Explanations of proofs about transformed programs: the inner proof, in terms of its program."""

from __future__ import annotations

from threadwise.analyses.uses import Uses
from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.base.registry import explain_proof, summarise
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
    Tally,
    TransformedCertificate,
)
from threadwise.proofs.transformed.named_copies import named_copies
from threadwise.proofs.transformed.source_names import SourceNames
from threadwise.proofs.transformed.steps import program_after
from threadwise.transforms.split import split


def explain_transformed(
    program: Program, certificate: TransformedCertificate
) -> list[ThreadExplanation]:
    """The proof for the program after the steps; names of split locations include the values."""
    uses, names = Uses(), SourceNames(program)
    for step in certificate.steps:
        if isinstance(step, SplitLocations):
            program = named_copies(split(program))
        else:
            program = program_after(program, step, uses).program
    return list(map(names.explanation, explain_proof(program, certificate.inner)))


def summarise_transformed(certificate: TransformedCertificate) -> ProofSummary:
    """The inner proof, and the steps of the transformation, simplifications left out."""
    told = summarise(certificate.inner)
    words = told.words
    for step in certificate.steps:
        match step:
            case Forget(forgotten):
                words = f"{words}, with {count(len(forgotten), 'variable')} forgotten"
            case Own(owned):
                words = f"{words}, with ghosts of who wrote to {', '.join(owned)}"
            case Follow(followings):
                names = " and ".join(f"`{following.template}`" for following in followings)
                words = f"{words}, following one thread {names}"
            case Parametrise(most):
                limits = " and ".join(f"at most {n:,} threads `{name}`" for name, n in most)
                words = f"{words}, for {limits or 'any number of created threads'}"
            case SplitLocations():
                words = f"{words}, with locations told apart by what threads remember"
            case Tally():
                words = f"{words}, with tallies of what each thread adds"
            case Reduce():
                words = f"{words}, with critical sections as single steps"
            case Account():
                words = f"{words}, with accounts of what finished threads have added"
            case Simplify() | Presume() | Merge() | Interrupt():
                pass
    return ProofSummary(told.size, words)
