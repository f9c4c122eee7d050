"""Programs written in Python mean what the same text means."""

from collections.abc import Callable
from pathlib import Path

import pytest

from threadwise import api
from threadwise.core.errors import InputError
from threadwise.ir.modelling import ANY, NOBODY, SELF, Model, forall
from threadwise.ir.program import Program
from threadwise.ir.types import Overflow
from threadwise.results.result import Result


def answers(source: str | Program) -> tuple[dict[str, str], object]:
    result: Result = api.check(source, properties="all", engine="explicit", in_process=True)
    # Assertions are named by their line in a text and by their number in a model.
    verdicts = {
        "assert" if p.kind == "assertion" else p.name: p.verdict.value for p in result.properties
    }
    return verdicts, result.statistics["states"]


def counter() -> Model:
    model = Model("counter")
    x = model.integer("x", 0, 2)
    m = model.mutex("m")
    with model.thread("worker", 2) as worker:
        own = worker.integer("own", 0, 2)
        with worker.holding(m):
            worker.assign(own, x)
            worker.label("between")
            worker.assign(x, own + 1)
        worker.check(x > 0)
    i, j = worker.any_of("i", "j")
    alone = ((i != j) & i.at("between")).implies(~j.at("between"))
    model.invariant("alone", forall([i, j], alone))
    model.invariant("copied", forall([i], (i.at("between")).implies(i.value(own) == x)))
    return model


COUNTER = """
int[0..2] x; mutex m;
thread worker[2] {
    int[0..2] own;
    acquire(m);
    own = x;
    between: x = own + 1;
    release(m);
    assert(x > 0);
}
invariant alone: forall i, j: worker. i != j && at(i, between) ==> !at(j, between);
invariant copied: forall i: worker. at(i, between) ==> i.own == x;
"""


def control() -> Model:
    model = Model("control")
    flag = model.boolean("flag", ANY)
    x = model.integer("x", 0, 3, overflow=Overflow.WRAP)
    y = model.integer("y", 0, 3, 3, overflow=Overflow.SATURATE)
    with model.thread("t", 2) as t:
        n = t.integer("n", 0, 2)
        with t.while_(n < 2):
            with t.if_(flag):
                t.assign(x, x + 1)
            with t.else_():
                t.assign_all((x, y), (y, x))
            with t.if_(x == 2):
                t.skip()
            t.assign(n, n + 1)
        with t.either() as choice:
            with choice.branch():
                t.assign(y, y + 2)
            with choice.branch():
                t.assume(x != 1)
                t.havoc(flag)
        with t.atomic():
            t.assign(x, 0)
            t.assign(y, x - 1)
    with model.thread("spinner") as spinner, spinner.loop():
        spinner.assume(flag)
        spinner.assign(flag, False)
    return model


CONTROL = """
bool flag = *; int[0..3] wrap x; int[0..3] saturate y = 3;
thread t[2] {
    int[0..2] n;
    while (n < 2) {
        if (flag) { x = x + 1; } else { x, y = y, x; }
        if (x == 2) { skip; }
        n = n + 1;
    }
    either { y = y + 2; } or { assume(x != 1); havoc flag; }
    atomic { x = 0; y = x - 1; }
}
thread spinner {
    while (true) { assume(flag); flag = false; }
}
"""


def arrays() -> Model:
    model = Model("arrays")
    forks = model.mutex("fork", size=2)
    meals = model.integer("meals", 0, 2, size=2)
    last = model.thread_id("last")
    mode = model.enumeration("mode", ["thinking", "eating"])
    with model.thread("eater", 2) as eater:
        k = eater.integer("k", 0, 2)
        eater.havoc(k)
        eater.acquire(forks[k])
        eater.assign(meals[k], meals[k] + 1)
        eater.assign(mode, "eating")
        eater.assign(last, SELF)
        eater.check((mode == "eating") & (forks[k].owner != NOBODY) & forks[k].is_mine)
        eater.release(forks[k])
        eater.assign(k, meals[0] / meals[1])
    model.race_free(meals)
    model.deadlock_free()
    return model


ARRAYS = """
mutex fork[2]; int[0..2] meals[2]; tid last; enum mode_t { thinking, eating } mode_t mode;
thread eater[2] {
    int[0..2] k;
    havoc k;
    acquire(fork[k]);
    meals[k] = meals[k] + 1;
    mode = eating;
    last = self;
    assert(mode == eating && fork[k] != none && holds(fork[k]));
    release(fork[k]);
    k = meals[0] / meals[1];
}
race_free meals;
deadlock_free;
"""


def nested() -> Model:
    model = Model("nested")
    a, b = model.boolean("a", ANY), model.boolean("b", ANY)
    x = model.integer("x", 0, 9)
    with model.thread("t", 2) as t:
        with t.if_(a), t.if_(b):
            t.assign(x, 1)
        with t.else_():
            with t.if_(b):
                t.assign(x, 2)
            with t.else_():
                t.assign(x, 3)
        with t.atomic():
            with t.atomic():
                t.assign(x, x + 1)
            with t.if_(a & b):
                t.assign(x, x + 1)
        with t.while_(x > 5):
            with t.if_(a):
                t.assign(x, 0)
            with t.while_(b & (x > 6)):
                t.assign(x, x - 1)
            t.assign(x, 5)
        with t.either() as choice:
            with choice.branch(), t.if_(a):
                t.assume(~a)
            with choice.branch():
                pass
        with t.if_(~b), t.either() as choice:
            with choice.branch():
                t.assign(a, False)
            with choice.branch():
                t.skip()
        t.check(~a | (x != 2))
    return model


NESTED = """
bool a = *; bool b = *; int[0..9] x;
thread t[2] {
    if (a) { if (b) { x = 1; } } else { if (b) { x = 2; } else { x = 3; } }
    atomic { atomic { x = x + 1; } if (a && b) { x = x + 1; } }
    while (x > 5) {
        if (a) { x = 0; }
        while (b && x > 6) { x = x - 1; }
        x = 5;
    }
    either { if (a) { assume(!a); } } or { }
    if (!b) { either { a = false; } or { skip; } }
    assert(!a || x != 2);
}
"""
PAIRS = [(counter, COUNTER), (control, CONTROL), (arrays, ARRAYS), (nested, NESTED)]


@pytest.mark.parametrize(("model", "text"), PAIRS)
def test_a_model_means_what_its_text_means(model: Callable[[], Model], text: str) -> None:
    program = model().build()
    assert answers(program) == answers(text)
    defaults = [p.name for p in program.properties if p.default and ":" not in p.name]
    listed = [p.name for p in api.load(text).properties if p.default and ":" not in p.name]
    assert defaults == listed


def test_building_twice_gives_the_same_program() -> None:
    model = counter()
    assert model.build() == model.build()


def test_statements_know_their_line() -> None:
    program = counter().build()
    (check,) = (p for p in program.properties if p.name == "assert:1")
    assert check.span is not None
    assert Path(check.span.path).resolve() == Path(__file__)
    line = Path(__file__).read_text().splitlines()[check.span.line - 1]
    assert line.strip() == "worker.check(x > 0)"
    assert check.span.column == line.index("worker") + 1


def test_assertions_may_be_named() -> None:
    model = Model("named")
    x = model.integer("x", 0, 1)
    with model.thread("t") as t:
        t.check(x == 0, "starts_at_zero")
        t.check(x == 1)
    names = [p.name for p in model.build().properties]
    assert names == ["range", "mutex", "starts_at_zero", "assert:2", "races", "deadlocks"]


def test_any_number_of_threads() -> None:
    model = Model("crowd")
    with model.thread("t", None) as t:
        t.skip()
    assert model.build().has_any_number


def test_formulas_have_no_truth_value() -> None:
    x = Model("m").integer("x", 0, 1)
    with pytest.raises(TypeError, match="truth value"):
        bool(x == 1)
    with pytest.raises(TypeError):
        0 <= x <= 1  # noqa: B015 - a chained comparison asks for a truth value
    with pytest.raises(TypeError, match="no formula"):
        x + None  # type: ignore[operator]


def test_reflected_operators() -> None:
    x = Model("m").integer("x", 0, 1)
    assert [repr(f) for f in (1 + x, 1 - x, 2 * x, -x, x % 2)] == [
        "<1 + x>",
        "<1 - x>",
        "<2 * x>",
        "<-x>",
        "<x % 2>",
    ]


def test_members_must_exist() -> None:
    mode = Model("m").enumeration("mode", ["on", "off"], "off")
    with pytest.raises(ValueError, match="`of` is none of on, off"):
        _ = mode == "of"


def test_else_needs_an_if() -> None:
    model = Model("m")
    with (
        model.thread("t") as t,
        pytest.raises(ValueError, match="follow directly"),
        t.else_(),
    ):
        pass


def test_what_is_not_well_formed_is_rejected() -> None:
    model = Model("m")
    x = model.integer("x", 0, 1)
    with model.thread("t") as t:
        t.assume(x)
    with pytest.raises(InputError):
        model.build()


def test_mutex_misuse_is_a_failure() -> None:
    model = Model("m")
    lock = model.mutex("lock")
    with model.thread("t") as t:
        t.release(lock)
    verdicts, _ = answers(model.build())
    assert verdicts["mutex"] == "UNSAFE"
