"""Tables that only fit a wrong evaluation of the program: dropped heaps, numbers that overflow."""

from __future__ import annotations

import pytest

from tests.unit.semantics.heap_programs import P, Q, new
from tests.unit.semantics.running import model
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.commands import Command
from threadwise.ir.expr import Binary, BinaryOp, Read
from threadwise.ir.fold import negation
from threadwise.ir.program import Failure, FailureKind, Program, Template
from threadwise.ir.properties import FailureProperty, PropertyKind
from threadwise.ir.text.printer import program_hash
from threadwise.ir.types import POINTER
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.frontier.certificate import FrontierCertificate
from threadwise.proofs.state_set import check as state_set
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.semantics.oracle import explore
from threadwise.semantics.state import GlobalStore, State
from threadwise.semantics.step import Interpreter


def _two_objects() -> Program:
    """p = malloc(); q = malloc(); assert(p == q)."""
    builder = ProgramBuilder("objects")
    builder.shared("p", POINTER)
    builder.shared("q", POINTER)
    body = builder.procedure("t")
    nodes = [body.node() for _ in range(3)]
    body.edge(nodes[0], nodes[1], new(P, site="first"))
    body.edge(nodes[1], nodes[2], new(Q, site="second"))
    same = Binary(BinaryOp.EQ, Read(P), Read(Q))
    wrong = body.failure(Failure(FailureKind.ASSERTION, "same", "assertion fails"), None)
    body.edge(nodes[2], wrong, Command(negation(same)))
    body.edge(nodes[2], body.node(final=True), Command(same))
    builder.template(Template("t", 1, "t"))
    builder.property(FailureProperty("same", PropertyKind.ASSERTION))
    return builder.build()


def test_a_chain_without_the_heap() -> None:
    """Without the heap, the second object is where the first one is."""
    program = _two_objects()
    interpreter = Interpreter(program)
    start = next(interpreter.initial_states())
    pairs = [(start.g.cells, start.locals[0])]
    while True:
        cells, l = pairs[-1]
        found = next(interpreter.step(0, GlobalStore(cells), l), None)
        if found is None:
            break
        pairs.append((found.g.cells, found.l))
    stores = list(dict.fromkeys(cells for cells, _ in pairs))
    chain = [[[(stores.index(cells), l)]] for cells, l in pairs]
    forged = FrontierCertificate(program_hash(program), ("same",), stores, chain)
    assert all(program.locations[l.pc].failure is None for _, l in pairs)
    with pytest.raises(Refuted, match="a heap"):
        check_certificate(program, forged, lambda: None)


OVERFLOWS = {
    "wrap": ("int[-9000000000000000000..0] wrap y", "4600000000000000000", "z"),
    "wrap_above": ("int[0..9000000000000000000] wrap y", "-4600000000000000000", "z"),
    "saturate": ("int[0..9000000000000000000] saturate y", "4600000000000000000", "z + z + z"),
    "product": ("int y", "4600000000", "z * z"),
    "sum": ("int y", "4600000000000000000", "z + z + 23372036854775808"),
    "negation": ("int y", "4611686018427387904", "-(z + z)"),
    "complement": ("int y", "9223372036854775807", "~z"),
    "shift": ("int y", "3", "z << 62"),
    "both_bits": ("int y", "-4611686018427387905", "(z & -6917529027641081857) + (z & 1)"),
}


def _value(declared: str, z: str, formula: str) -> int:
    program = model(f"int z = {z}; {declared}; thread t {{ y = {formula}; }}")
    values = {state.g.cells[1] for state in explore(program, program.properties, 5).states}
    (value,) = values - {0}
    assert isinstance(value, int)
    return value


@pytest.mark.parametrize("name", OVERFLOWS)
def test_tables_with_other_values(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another value put where the true one is: no table of wrong values is closed."""
    monkeypatch.setattr(state_set, "MANY_STATES", 1)
    declared, z, formula = OVERFLOWS[name]
    truth = _value(declared, z, formula)
    text = f"int z = {z}; {declared}; thread t {{ y = {formula}; assert(y != %s); }}"
    program, sibling = model(text % truth), model(text % 5)
    states = explore(sibling, sibling.properties, 5).states
    check_certificate(sibling, _proof(sibling, list(states)), lambda: None)
    for other in _wrong_values(truth):
        forged = [_with(state, truth, other) for state in states]
        with pytest.raises(Refuted):
            check_certificate(program, _proof(program, forged), lambda: None)


def _proof(program: Program, states: list[State]) -> StateSetCertificate:
    names = [p.name for p in program.properties if p.kind is PropertyKind.ASSERTION]
    return StateSetCertificate(program_hash(program), tuple(names), states)


def _wrong_values(truth: int) -> list[int]:
    """What 64 bits might make of a value, for ranges of several sizes."""
    word, size = 1 << 64, 9000000000000000001
    around = [(truth + (1 << 63)) % word - (1 << 63), truth % size, truth % size - size + 1]
    around += [-9000000000000000000 + (truth + 9000000000000000000 - word) % size]
    around += [(truth + word) % size, (truth - word) % size, 0, 4846744073709551615]
    around += [(4600000000000000000 + 9000000000000000000 - word) % size - 9000000000000000000]
    return [value for value in dict.fromkeys(around) if value != truth]


def _with(state: State, old: int, new_: int) -> State:
    z, y = state.g.cells
    return state._replace(g=GlobalStore((z, new_ if y == old else y)))
