"""The program that proofs are about: the given one, or that of `proofs.locksets.translated`."""

from threadwise.ir.commands import Call
from threadwise.ir.program import Program
from threadwise.ir.types import PointerType
from threadwise.proofs.base.answer import CheckedProof


def _is_plain(program: Program) -> bool:
    """Whether threads have no pointers and no procedure is called: then no more is loaded."""
    own = (each.variable.type for p in program.procedures for each in p.locals)
    called = any(isinstance(edge.action, Call) for edge in program.edges)
    return not called and not any(isinstance(held, PointerType) for held in own)


def analysed(program: Program) -> Program:
    """The program that is analysed."""
    if _is_plain(program):
        return program
    from threadwise.proofs.locksets.translated import translated

    return translated(program).program


def given(program: Program, proof: CheckedProof) -> CheckedProof:
    """A proof about that, by edges and locations of the given program."""
    if _is_plain(program):
        return proof
    from threadwise.proofs.locksets.translated import translated

    return translated(program).proof(proof)
