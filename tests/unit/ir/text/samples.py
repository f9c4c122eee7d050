"""A small program with a bit of everything, and its text."""

from __future__ import annotations

from pathlib import Path

from threadwise.core.source import Span
from threadwise.ir import operations
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.commands import Allocate, Assignment, Call, Command, Free, Return
from threadwise.ir.expr import (
    TRUE,
    AtLabel,
    Binary,
    BinaryOp,
    Const,
    DerefPlace,
    FieldPlace,
    IndexPlace,
    IsValid,
    Quantified,
    Quantifier,
    Read,
    Scope,
    SelfId,
    ThreadRead,
    ThreadVariable,
    Variable,
    VariablePlace,
    Wrap,
)
from threadwise.ir.fold import number, within
from threadwise.ir.program import (
    AnyValue,
    Declaration,
    Failure,
    FailureKind,
    FillValue,
    ListedValues,
    Program,
    Template,
)
from threadwise.ir.properties import (
    DeadlockProperty,
    FailureProperty,
    InvariantProperty,
    PropertyKind,
    RaceProperty,
)
from threadwise.ir.types import (
    BOOL,
    INT,
    MUTEX,
    POINTER,
    ArrayType,
    EnumType,
    MachineType,
    PerThread,
    RangeType,
    RecordType,
)

TEXT = Path(__file__).with_name("sample.ir").read_text("utf-8")


def at(line: int, path: str = "sample.tw") -> Span:
    return Span.at(path, line, 1)


def sample() -> Program:
    """The program that `TEXT` shows."""
    program = ProgramBuilder("sample")
    colour = program.enum(EnumType("colour", ("red", "green")))
    byte = MachineType(8, signed=False)
    node = RecordType("node", (("value", byte), ("next", POINTER)))
    m = VariablePlace(program.shared("m", MUTEX))
    x = VariablePlace(program.shared("x", RangeType(0, 3), FillValue(1)))
    light = VariablePlace(program.shared("light", colour, FillValue(1)))
    each = ArrayType(BOOL, PerThread("client"))
    flags = VariablePlace(program.shared("flags", each, sync=True))
    signed = ArrayType(MachineType(8, signed=True), 2)
    pair = VariablePlace(program.shared("pair", signed, ListedValues((-1, 2))))
    head = VariablePlace(program.shared("head", POINTER, AnyValue()))
    r = VariablePlace(Variable("r", INT, Scope.THREAD))

    client = program.procedure("client", span=Span.at("sample.tw", 4, 1, 6))
    i = VariablePlace(client.local("i", RangeType(0, 3)))
    start = client.node(span=at(5), labels=["start"])
    inside = client.node(atomic=True)
    use = client.node(labels=["use"])
    end = client.node(final=True)
    acquire = operations.acquire(m)
    client.edge(
        start,
        inside,
        acquire.command,
        span=at(5),
        operation=acquire.operation,
        sync=True,
        text="acquire(m);",
    )
    total = Binary(BinaryOp.ADD, Read(x), Read(i))
    red = Binary(BinaryOp.EQ, Read(light), Const(0, colour))
    client.checked_edge(
        inside,
        use,
        Command(assignments=(Assignment(x, total), Assignment(IndexPlace(flags, SelfId()), red))),
        [(within(total, 0, 3), Failure(FailureKind.RANGE, "range:6", "x out of range"))],
        span=at(6),
    )
    client.edge(use, end, Call("get", (Read(r), Const(7, byte)), r))
    client.edge(use, use, Allocate(TRUE, head, node, "sample.tw:9"))
    client.edge(use, use, Free(IsValid(Read(head)), Read(head)))
    doubled = Binary(BinaryOp.MUL, Read(IndexPlace(pair, Read(i))), number(2))
    value = FieldPlace(DerefPlace(Read(head), node), "value")
    client.edge(use, use, Command(TRUE, (Assignment(value, Wrap(0, 255, doubled)),), (x,)))

    parameters = (Variable("r", INT, Scope.LOCAL), Variable("call", byte, Scope.LOCAL))
    get = program.procedure("get", parameters, INT)
    body = get.node()
    own = Read(VariablePlace(parameters[0]))
    get.edge(body, body, Return(Binary(BinaryOp.ADD, Read(r), own)))

    span = Span.at("sample.tw", 4, 1, 6)
    program.template(
        Template(
            "client", 3, "client", (Declaration(Variable("r", INT, Scope.THREAD)),), span=span
        )
    )
    program.property(FailureProperty("range:6", PropertyKind.RANGE, at(6, "lib.tw")))
    program.property(RaceProperty("race", None, default=False))
    program.property(DeadlockProperty("deadlock"))
    one, two = ThreadVariable("i", "client"), ThreadVariable("j", "client")
    both = Binary(
        BinaryOp.AND,
        Binary(BinaryOp.AND, Binary(BinaryOp.NE, one, two), AtLabel(one, "client", "use")),
        AtLabel(two, "client", "use"),
    )
    differ = Binary(BinaryOp.NE, ThreadRead(one, r), ThreadRead(two, r))
    formula = Binary(BinaryOp.IMPLIES, both, differ)
    program.property(
        InvariantProperty("exclusive", Quantified(Quantifier.FORALL, (one, two), formula))
    )
    return program.build()
