"""Pointers and the heap, in programs built by hand."""

from __future__ import annotations

import pytest

from tests.unit.semantics.heap_programs import (
    DECLARED,
    NODE,
    A,
    P,
    Q,
    X,
    at,
    chain,
    new,
    program,
    set_,
)
from tests.unit.semantics.running import Run
from threadwise.core.errors import Unsupported
from threadwise.engines.api import Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.ir.builder import ProgramBuilder
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Action, Allocate, Assignment, Command, Free
from threadwise.ir.expr import (
    TRUE,
    AddressOf,
    Binary,
    BinaryOp,
    Expr,
    FieldPlace,
    HoldsInteger,
    IndexPlace,
    IntToPointer,
    IsValid,
    IsWritten,
    PointerAdd,
    PointerDifference,
    PointerToInt,
    Read,
    SameObject,
    Scope,
    Variable,
    VariablePlace,
)
from threadwise.ir.fold import number
from threadwise.ir.program import (
    EdgeId,
    Failure,
    FailureKind,
    LocId,
    Program,
    Template,
)
from threadwise.ir.properties import FailureProperty, PropertyKind
from threadwise.ir.types import (
    INT,
    NULL,
    POINTER,
    Address,
    ArrayType,
    Value,
)
from threadwise.proofs.base.registry import check_certificate
from threadwise.semantics.evaluate import CellRef, Region, Undefined, View
from threadwise.semantics.memory import canonical, store
from threadwise.semantics.oracle import explore
from threadwise.semantics.state import Frame, GlobalStore, HeapObject, LocalStore, State
from threadwise.semantics.step import Interpreter
from threadwise.traces.replay import replay


def test_allocation_gives_a_fresh_object() -> None:
    run = Run(program([new(P), new(Q)])).step(0, 0)
    assert run.shared()["p"] == Address(DECLARED, 0)
    assert run.shared()["q"] == Address(DECLARED + 1, 0)
    assert run.state.g.heap == (HeapObject("here", (0, NULL), alive=True),) * 2


def test_stores_and_loads_through_pointers() -> None:
    value = FieldPlace(at(P), "value")
    next_ = FieldPlace(at(P), "next")
    actions: list[Action] = [
        new(P),
        set_(value, number(7)),
        set_(next_, Read(P)),
        set_(Q, Read(next_)),
        set_(X, Read(FieldPlace(at(Q), "value"))),
    ]
    run = Run(program(actions)).finish(0)
    assert run.shared()["x"] == 7
    assert run.shared()["q"] == run.shared()["p"]


def test_addresses_of_variables() -> None:
    second = IndexPlace(A, number(1))
    actions: list[Action] = [
        set_(P, AddressOf(second)),
        set_(at(P, INT), number(5)),
        set_(Q, PointerAdd(Read(P), number(1), INT)),
        set_(X, Read(at(Q, INT))),
    ]
    run = Run(program(actions)).finish(0)
    assert run.shared()["p"] == Address(1, 1)
    assert run.shared()["q"] == Address(1, 2)
    assert [run.shared()[name] for name in ("a[0]", "a[1]", "a[2]", "x")] == [10, 5, 12, 12]


def test_pointers_move_by_whole_objects() -> None:
    pair = ArrayType(NODE, 2)
    actions: list[Action] = [
        new(P, pair),
        set_(Q, PointerAdd(Read(P), number(1), NODE)),
        set_(FieldPlace(at(Q), "value"), number(9)),
    ]
    run = Run(program(actions)).finish(0)
    assert run.state.g.heap[0].cells == (0, NULL, 9, NULL)
    assert run.shared()["q"] == Address(DECLARED, 2)


@pytest.mark.parametrize(
    ("actions", "value"),
    [
        ([], False),
        ([new(P)], True),
        ([new(P), Free(TRUE, Read(P))], False),
        ([new(P), set_(P, PointerAdd(Read(P), number(1), INT))], True),
        ([new(P), set_(P, PointerAdd(Read(P), number(2), INT))], False),
        ([new(P), set_(P, PointerAdd(Read(P), number(-1), INT))], False),
        ([set_(P, AddressOf(X))], True),
        ([set_(P, PointerAdd(AddressOf(X), number(1), INT))], False),
        ([set_(P, AddressOf(IndexPlace(A, number(2))))], True),
        ([set_(P, PointerAdd(AddressOf(A), number(3), INT))], False),
    ],
)
def test_validity(actions: list[Action], value: bool) -> None:
    run = Run(program(actions)).finish(0)
    view = View(run.program, run.interpreter.layout, 0, run.state.g, run.state.locals[0])
    assert view.evaluate(IsValid(Read(P))) is value
    if not value:
        with pytest.raises(Undefined):
            view.resolve(at(P, INT))


def view_after(actions: list[Action]) -> View:
    run = Run(program(actions)).finish(0)
    return View(run.program, run.interpreter.layout, 0, run.state.g, run.state.locals[0])


def test_validity_as_a_type() -> None:
    view = view_after([new(P), set_(Q, PointerAdd(Read(P), number(1), INT))])
    assert view.evaluate(IsValid(Read(P), NODE)) is True
    assert view.evaluate(IsValid(Read(P), INT)) is True
    assert view.evaluate(IsValid(Read(P), POINTER)) is False
    assert view.evaluate(IsValid(Read(Q), POINTER)) is True
    assert view.evaluate(IsValid(Read(Q), NODE)) is False
    assert view.evaluate(IsValid(AddressOf(A), ArrayType(INT, 3))) is True
    assert view.evaluate(IsValid(AddressOf(A), ArrayType(INT, 4))) is False


def test_integers_in_pointers() -> None:
    view = view_after([new(Q), set_(P, IntToPointer(number(5)))])
    assert view.evaluate(PointerToInt(Read(P))) == 5
    assert view.evaluate(IntToPointer(number(0))) is NULL
    assert view.evaluate(PointerToInt(IntToPointer(number(0)))) == 0
    assert view.evaluate(HoldsInteger(Read(P))) is True
    assert view.evaluate(HoldsInteger(Read(Q))) is False
    assert view.evaluate(IsValid(Read(P))) is False
    for bad in (PointerToInt(Read(Q)), PointerAdd(Read(P), number(1), INT)):
        with pytest.raises(Undefined):
            view.evaluate(bad)


def test_differences_of_pointers() -> None:
    moved = set_(Q, PointerAdd(Read(P), number(2), NODE))
    view = view_after([new(P, ArrayType(NODE, 3)), moved])
    assert view.evaluate(PointerDifference(Read(Q), Read(P), NODE)) == 2
    assert view.evaluate(PointerDifference(Read(P), Read(Q), NODE)) == -2
    assert view.evaluate(SameObject(Read(P), Read(Q))) is True
    assert view.evaluate(SameObject(Read(P), AddressOf(A))) is False
    with pytest.raises(Undefined):
        view.evaluate(PointerDifference(Read(P), AddressOf(A), INT))


def test_memory_that_was_never_written_is_not_read() -> None:
    fresh = Allocate(TRUE, P, NODE, "here", cleared=False)
    value = FieldPlace(at(P), "value")
    view = view_after([fresh])
    assert view.evaluate(IsWritten(value)) is False
    with pytest.raises(Undefined):
        view.evaluate(Read(value))
    view = view_after([fresh, set_(value, number(3))])
    assert view.evaluate(IsWritten(value)) is True
    assert view.evaluate(Read(value)) == 3
    assert view.evaluate(IsWritten(FieldPlace(at(P), "next"))) is False


def test_objects_of_a_size_known_when_running() -> None:
    actions: list[Action] = [
        set_(X, number(2)),
        Allocate(TRUE, P, NODE, "here", count=Binary(BinaryOp.ADD, Read(X), number(1))),
    ]
    run = Run(program(actions)).finish(0)
    assert run.state.g.heap[0].cells == (0, NULL) * 3
    with pytest.raises(Unsupported):
        Run(program([Allocate(TRUE, P, NODE, "here", count=number(-1))])).finish(0)


def test_the_end_of_the_program_stops_every_thread() -> None:
    builder = ProgramBuilder("end")
    shared = VariablePlace(builder.shared("x", INT))
    main = builder.procedure("main")
    begin = main.node()
    over = main.failure(Failure(FailureKind.END, "", "the program ended"), None)
    main.edge(begin, over, Command())
    other = builder.procedure("other")
    start, done = other.node(), other.node(final=True)
    other.edge(start, done, Command(assignments=(Assignment(shared, number(1)),)))
    builder.template(Template("main", 1, "main"))
    builder.template(Template("other", 1, "other"))
    whole = builder.build()
    assert validate(whole) == []
    interpreter = Interpreter(whole)
    (first,) = interpreter.initial_states()
    after = [transition.state for transition in interpreter.successors(first)]
    assert [list(interpreter.successors(state)) == [] for state in after] == [True, False]


def test_arithmetic_on_null_has_no_value() -> None:
    run = Run(program([]))
    view = View(run.program, run.interpreter.layout, 0, run.state.g, run.state.locals[0])
    with pytest.raises(Undefined):
        view.evaluate(PointerAdd(Read(P), number(1), INT))
    assert view.evaluate(Binary(BinaryOp.EQ, Read(P), Read(Q))) is True


def test_freed_objects_stay_as_long_as_somebody_points_at_them() -> None:
    actions: list[Action] = [new(P), set_(Q, Read(P)), Free(TRUE, Read(P)), set_(P, Read(X))]
    run = Run(program(actions[:3])).finish(0)
    assert [item.alive for item in run.state.g.heap] == [False]
    assert run.shared()["q"] == Address(DECLARED, 0)


# -- canonical heaps ------------------------------------------------------------------------------


def heap_state(cells: tuple[Value, ...], heap: tuple[HeapObject, ...]) -> State:
    return State(GlobalStore(cells, heap), (), ())


def test_numbering_does_not_matter() -> None:
    one, two = HeapObject("a", (1,), alive=True), HeapObject("b", (2,), alive=True)
    first = heap_state((Address(2, 0), Address(3, 0)), (one, two))
    second = heap_state((Address(3, 0), Address(2, 0)), (two, one))
    assert first != second
    assert canonical(first, 2) == canonical(second, 2) == first


def test_garbage_is_dropped() -> None:
    kept, lost = HeapObject("a", (1,), alive=True), HeapObject("b", (2,), alive=True)
    state = heap_state((Address(2, 0),), (lost, kept))
    assert canonical(state, 1) == heap_state((Address(1, 0),), (kept,))


def test_what_objects_point_at_is_kept() -> None:
    inner = HeapObject("b", (NULL,), alive=True)
    outer = HeapObject("a", (Address(1, 0),), alive=True)
    state = heap_state((Address(2, 0),), (inner, outer))
    expected = heap_state((Address(1, 0),), (HeapObject("a", (Address(2, 0),), alive=True), inner))
    assert canonical(state, 1) == expected


def test_threads_and_frames_keep_objects_alive() -> None:
    item = HeapObject("a", (1,), alive=True)
    l = LocalStore(LocId(0), (Address(2, 0),), ())
    frame = Frame(EdgeId(0), (Address(1, 0),))
    state = State(GlobalStore((0,), (item, item._replace(site="b"))), (l,), ((frame,),))
    after = canonical(state, 1)
    assert [found.site for found in after.g.heap] == ["b", "a"]
    assert after.locals[0].thread == (Address(1, 0),)
    assert after.stacks[0][0].locals == (Address(2, 0),)


def test_addresses_of_variables_are_left_alone() -> None:
    item = HeapObject("a", (Address(0, 0),), alive=True)
    state = heap_state((Address(0, 0), Address(2, 0)), (item,))
    assert canonical(state, 2) == state


def test_store_changes_one_cell() -> None:
    g = GlobalStore((1, 2), (HeapObject("a", (3, 4), alive=True),))
    l = LocalStore(LocId(0), (5,), (6, 7))
    assert store(g, l, CellRef(Region.GLOBAL, 0, 1), 9) == (g._replace(cells=(1, 9)), l)
    assert store(g, l, CellRef(Region.THREAD, 0, 0), 9) == (g, l._replace(thread=(9,)))
    assert store(g, l, CellRef(Region.LOCAL, 0, 1), 9) == (g, l._replace(locals=(6, 9)))
    changed, _ = store(g, l, CellRef(Region.HEAP, 0, 0), 9)
    assert changed.heap == (HeapObject("a", (9, 4), alive=True),)


# -- whole programs -------------------------------------------------------------------------------


def test_two_allocations_in_either_order_are_the_same_state() -> None:
    built = program([new(P)], [new(Q)])
    states = explore(built, ()).states
    assert len(states) == 4


def test_a_loop_that_allocates_and_forgets_is_finite() -> None:
    builder = ProgramBuilder("loop")
    builder.shared("p", POINTER)
    body = builder.procedure("t")
    here = body.node()
    body.edge(here, here, new(VariablePlace(Variable("p", POINTER, Scope.GLOBAL))))
    builder.template(Template("t", 1, "t"))
    assert len(explore(builder.build(), ()).states) == 2


def test_races_on_the_heap() -> None:
    value = FieldPlace(at(P), "value")
    ready = IsValid(Read(P))
    racing = program([new(P), set_(value, number(1))], [set_(value, number(2), guard=ready)])
    assert explore(racing, racing.properties).violated == {"races"}
    apart = program(
        [new(P), set_(FieldPlace(at(P), "value"), number(1))],
        [new(Q), set_(FieldPlace(at(Q), "value"), number(2))],
    )
    assert explore(apart, apart.properties).violated == frozenset()


def test_freeing_writes_the_whole_object() -> None:
    both = program(
        [new(P), Free(IsValid(Read(P)), Read(P))],
        [set_(X, Read(FieldPlace(at(P), "value")), guard=IsValid(Read(P)))],
    )
    assert explore(both, both.properties).violated == {"races"}


def use_after_free() -> Program:
    """One thread frees what the other uses."""
    builder = ProgramBuilder("use_after_free")
    p = VariablePlace(builder.shared("p", POINTER))
    builder.property(FailureProperty("pointer", PropertyKind.ASSERTION))
    first = builder.procedure("t")
    chain(first, [new(p, INT), Free(IsValid(Read(p)), Read(p))])
    second = builder.procedure("u")
    start, known, done = second.node(), second.node(), second.node()
    wrong = second.failure(Failure(FailureKind.ASSERTION, "pointer", "bad pointer"), None)
    second.edge(start, known, Command(IsValid(Read(p))))
    second.edge(known, done, set_(at(p, INT), number(1), guard=IsValid(Read(p))))
    second.edge(known, wrong, Command(Binary(BinaryOp.EQ, IsValid(Read(p)), _false())))
    builder.template(Template("t", 1, "t"))
    builder.template(Template("u", 1, "u"))
    return builder.build()


def _false() -> Expr:
    return Binary(BinaryOp.EQ, number(0), number(1))


def test_explicit_search_runs_the_heap() -> None:
    built = use_after_free()
    (finding,) = ExplicitEngine().run(Task(built, built.properties))
    assert isinstance(finding, Violated)
    assert len(replay(built, finding.trace).steps) == 4


def test_heaps_in_certificates() -> None:
    built = program([new(P), set_(FieldPlace(at(P), "value"), number(1))], [new(Q)])
    (finding,) = ExplicitEngine().run(Task(built, built.properties))
    assert isinstance(finding, Proved)
    check_certificate(built, finding.certificate, lambda: None)
