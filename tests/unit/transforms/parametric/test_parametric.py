"""Programs whose created threads are parametric, and proofs about them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.unit.frontends.model.loading import load
from threadwise.api import check
from threadwise.core.errors import Unsupported
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.engines.api import Proved, Task
from threadwise.engines.counting.counting_engine import CountingEngine
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.frontends.c.options import COptions
from threadwise.ir.check.validate import validate
from threadwise.ir.commands import Command
from threadwise.ir.program import Program
from threadwise.ir.properties import RaceProperty
from threadwise.ir.text.printer import print_program
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import Parametrise, TransformedCertificate
from threadwise.transforms.parametric import parametrise

TURNS = """
bool busy; int[0..2] inside;
thread w() {
    await(!busy) { busy = true; }
    inside = 1; assert(inside == 1); inside = 0;
    busy = false;
}
thread main { while (true) { spawn w(); } }
"""
HEADERS = "#include <assert.h>\n#include <pthread.h>\n"
WORK = "static int x;\nstatic void *work(void *a) { (void)a; return 0; }\n"


def c_program(text: str) -> Program:
    return load_c([SourceFile("x.c", HEADERS + text)], COptions()).program


def abstraction(program: Program) -> Program:
    made = parametrise(program)
    assert not validate(made)
    assert [edge.id for edge in made.edges] == [edge.id for edge in program.edges]
    return made


def test_a_pool_is_a_template_with_any_number_of_threads() -> None:
    text = print_program(abstraction(load(TURNS)))
    assert "thread w[*] runs w" in text
    assert "global w.created: bool sync" in text
    assert "w.next" not in text
    assert "w.status" not in text
    assert "when (w.created)" in text


def test_proofs_are_about_any_number() -> None:
    program = load(TURNS, max_threads=2)
    for engine in (CountingEngine(), HornEngine()):
        task = Task(program, program.properties[:1])
        proofs = [found for found in engine.run(task) if isinstance(found, Proved)]
        if engine.name == "horn":
            (proof,) = proofs
            assert isinstance(proof.certificate, TransformedCertificate)
            assert proof.certificate.steps == (Parametrise(),)
            check_certificate(program, proof.certificate, lambda: None)


def test_handles_tell_the_pool_and_one_cell_of_an_array_is_kept() -> None:
    made = abstraction(
        c_program(
            WORK
            + """int main(void) { pthread_t t[100];
            for (int i = 0; i < 100; i++) pthread_create(&t[i], 0, work, 0);
            for (int i = 0; i < 100; i++) pthread_join(t[i], 0);
            return 0; }"""
        )
    )
    text = print_program(made)
    assert "global main.t.kappa: int[0..99] sync = *" in text
    assert "t.pool := i == main.t.kappa ?" in text
    assert "array[" not in text


def test_handles_that_nobody_looks_at_are_left_out() -> None:
    made = abstraction(
        c_program(
            WORK
            + """int main(void) { pthread_t t[100];
            for (int i = 0; i < 100; i++) pthread_create(&t[i], 0, work, 0);
            return 0; }"""
        )
    )
    assert ".pool" not in print_program(made).replace("enum `pool`", "")
    assert ".kappa" not in print_program(made)


def test_what_may_be_elsewhere_is_not_hidden_in_an_array() -> None:
    """A handle that is copied inside an array was at two positions: the copy may be any."""
    text = """int main(void) { pthread_t t[70], u;
    for (int i = 0; i < 60; i++) pthread_create(&t[i], 0, work, 0);
    u = t[65]; t[0] = u; pthread_join(t[0], 0);
    return 0; }"""
    assert "havoc t.pool" in print_program(abstraction(c_program(WORK + text)))


def test_arguments_are_any_values_unless_they_are_all_the_same() -> None:
    spawning = "thread main { while (true) { spawn w(%s); } }\n"
    body = "int[0..9] x; thread w(int[0..9] n) { x = n; }\n"
    assert "n := 7" in print_program(abstraction(load(body + spawning % "7")))
    assert "havoc n" in print_program(abstraction(load(body + spawning % "x")))


def test_shared_integers_that_get_constants_have_a_range() -> None:
    text = """static int flag;
    static void *work(void *a) { flag = 3; assert(flag < 4); return 0; }
    int main(void) { pthread_t t; while (1) pthread_create(&t, 0, work, 0); }"""
    assert "global flag: int[0..3]" in print_program(abstraction(c_program(text)))
    grown = text.replace("flag = 3;", "flag++;")
    assert "global flag: int32" in print_program(abstraction(c_program(grown)))


def test_without_created_threads_there_is_none() -> None:
    with pytest.raises(Unsupported):
        parametrise(load("int x; thread t[2] { x = 1; }"))


LOOKING = """static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int a, b;
static void *work(void *arg) {
    pthread_mutex_lock(&m); a++; b++; %s pthread_mutex_unlock(&m); %s
    return 0; }
int main(void) { pthread_t t[10000];
    for (int i = 0; i < 10000; i++) pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 10000; i++) pthread_join(t[i], 0);
    return 0; }"""


def test_ten_thousand_threads_are_proved_as_any_number(tmp_path: pytest.TempPathFactory) -> None:
    path = tmp_path / "x.c"  # type: ignore[operator]
    path.write_text(HEADERS + LOOKING % ("assert(a == b);", ""))
    result = check(path, engine="horn", properties="assertions", in_process=True)
    assert str(result.verdict) == "SAFE"


def test_a_bug_is_found_with_few(tmp_path: pytest.TempPathFactory) -> None:
    path = tmp_path / "x.c"  # type: ignore[operator]
    path.write_text(HEADERS + LOOKING % ("", "assert(a == b);"))
    result = check(path, engine="walks", properties="assertions", in_process=True)
    assert str(result.verdict) == "UNSAFE"


def test_handles_that_threads_race_for_are_kept() -> None:
    """Nobody looks at them, but two threads use them at the same time."""
    text = """
    tid last, saved;
    thread w() { saved = last; }
    thread main { while (true) { last = spawn w(); } }
    """
    with pytest.raises(Unsupported, match="races for ids"):
        parametrise(load(text + "race_free saved;"))
    program = load(text)
    made = print_program(abstraction(program))
    assert "global last.pool" in made
    assert "global saved.pool" in made
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    for engine in (CountingEngine(), HornEngine()):
        assert not [f for f in engine.run(Task(program, races)) if isinstance(f, Proved)]


def test_a_look_at_a_handle_is_kept_if_the_copy_is_not_used() -> None:
    text = """
    tid last;
    thread w() { tid mine; mine = last; }
    thread main { while (true) { last = spawn w(); } }
    """
    program = load(text)
    races = tuple(p for p in program.properties if isinstance(p, RaceProperty))
    for engine in (CountingEngine(), HornEngine()):
        assert not [f for f in engine.run(Task(program, races)) if isinstance(f, Proved)]


def test_an_argument_that_some_creation_leaves_out_is_any_value() -> None:
    text = "int x; thread w(int[0..3] n) { x = n; } thread main { while (true) { spawn w(2); } }"
    program = load(text + " thread more { spawn w(2); }")
    assert "n := 2" in print_program(abstraction(program))
    left_out = False
    procedures = []
    for procedure in program.procedures:
        edges = list(procedure.edges)
        for number, edge in enumerate(edges):
            if procedure.name == "more" and isinstance(edge.action, Command):
                kept = tuple(a for a in edge.action.assignments if "argument" not in repr(a))
                left_out |= kept != edge.action.assignments
                edges[number] = replace(edge, action=replace(edge.action, assignments=kept))
        procedures.append(replace(procedure, edges=tuple(edges)))
    assert left_out
    assert "n := 2" not in print_program(
        abstraction(replace(program, procedures=tuple(procedures)))
    )
