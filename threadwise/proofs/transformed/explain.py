"""Proofs about transformed programs, for people: the inner proof, in the words of its program."""

from __future__ import annotations

from threadwise.core.words import count
from threadwise.ir.program import Program
from threadwise.proofs.base.explanation import ProofSummary, ThreadExplanation
from threadwise.proofs.base.registry import explain_proof, summarise
from threadwise.proofs.transformed.certificate import (
    FollowingCertificate,
    ForgettingCertificate,
    SplitCertificate,
)
from threadwise.proofs.transformed.named_copies import named_copies
from threadwise.transforms.follow import follow_all
from threadwise.transforms.forget import forget
from threadwise.transforms.split import split


def explain_forgetting(
    program: Program, certificate: ForgettingCertificate
) -> list[ThreadExplanation]:
    """The proof for what is left of the program."""
    return explain_proof(forget(program, certificate.forgotten), certificate.inner)


def explain_following(
    program: Program, certificate: FollowingCertificate
) -> list[ThreadExplanation]:
    """The proof for the program that follows."""
    return explain_proof(follow_all(program, certificate.followings).program, certificate.inner)


def explain_split(program: Program, certificate: SplitCertificate) -> list[ThreadExplanation]:
    """The proof for the split program, its locations named by what they tell."""
    return explain_proof(named_copies(split(program)), certificate.inner)


def summarise_forgetting(certificate: ForgettingCertificate) -> ProofSummary:
    """The inner proof, and how much is forgotten."""
    told = summarise(certificate.inner)
    forgotten = count(len(certificate.forgotten), "variable")
    return ProofSummary(told.size, f"{told.words}, with {forgotten} forgotten")


def summarise_following(certificate: FollowingCertificate) -> ProofSummary:
    """The inner proof, and whom it follows."""
    told = summarise(certificate.inner)
    names = " and ".join(f"`{following.template}`" for following in certificate.followings)
    return ProofSummary(told.size, f"{told.words}, following one thread {names}")


def summarise_split(certificate: SplitCertificate) -> ProofSummary:
    """The inner proof."""
    told = summarise(certificate.inner)
    words = f"{told.words}, with locations told apart by what threads remember"
    return ProofSummary(told.size, words)
