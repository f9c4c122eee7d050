"""How many threads a program creates at most: what is found, and what its checker refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.unit.transforms.parametric.test_parametric import HEADERS, c_program
from threadwise.core.errors import Unsupported
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c
from threadwise.engines.api import Proved, Task
from threadwise.engines.counting.counting_engine import CountingEngine
from threadwise.frontends.c.options import COptions
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.ir.properties import FailureProperty, Property
from threadwise.ir.text.printer import print_program
from threadwise.ir.text.reader import read_program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import Parametrise, TransformedCertificate
from threadwise.proofs.transformed.parametric.check import check_parametric
from threadwise.transforms.parametric import parametrised_in_view
from threadwise.transforms.parametric.creations import Creations, Equation, creations

WORK = "static void *work(void *a) { return 0; }\n"


def created_by(body: str, declared: str = "") -> dict[str, int]:
    text = f"{declared}\n{WORK}int main(void) {{ pthread_t t; {body} return 0; }}"
    return {name: found.most for name, found in creations(c_program(text)).items()}


CREATE = "pthread_create(&t, 0, work, 0);"


@pytest.mark.parametrize(
    ("body", "most"),
    [
        (f"for (int i = 0; i < 10000; i++) {CREATE}", 10000),
        (f"for (int i = 0; i <= 10000; i++) {CREATE}", 10001),
        (f"for (int i = 100; i > 0; i--) {CREATE}", 100),
        (f"for (int i = 0; i < 100; i += 2) {CREATE}", 50),
        (
            f"for (int i = 0; i < 30; i++) for (int j = 0; j < 20; j++) {CREATE}",
            620,
        ),  # i is taken to be at most 30
        (f"for (int i = 0; i < 30; i++) {CREATE} for (int j = 0; j < 20; j++) {CREATE}", 50),
        (f"for (int i = 0; i < 30; i++) {{ {CREATE} {CREATE} }}", 60),
        (f"{CREATE} {CREATE} {CREATE}", 3),
    ],
)
def test_loops_bound_the_number_of_creations(body: str, most: int) -> None:
    assert created_by(body) == {"work": most}


@pytest.mark.parametrize(
    "body",
    [
        f"while (1) {CREATE}",
        f"for (int i = 0; i < 10; ) {CREATE}",
        f"for (unsigned i = 10; i >= 0; i--) {CREATE}",
        f"for (int i = 0; i < 10; i++) {{ if (i == 5) i = 0; {CREATE} }}",
    ],
)
def test_without_a_bound_nothing_is_said(body: str) -> None:
    assert created_by(body) == {}


def test_threads_that_are_created_by_several_are_not_counted() -> None:
    text = (
        "static void *work(void *a) { return 0; }\n"
        "static void *more(void *a) { pthread_t t; for (int i = 0; i < 5; i++) "
        "pthread_create(&t, 0, work, 0); return 0; }\n"
        "int main(void) { pthread_t t; for (int i = 0; i < 5; i++)"
        " pthread_create(&t, 0, more, 0); return 0; }"
    )
    found = creations(c_program(text))
    assert {name: each.most for name, each in found.items()} == {"more": 5}


MANAGED = (
    "static void *work(void *a) { return 0; }\n"
    "static void *more(void *a) { pthread_t t; for (int i = 0; i < 5; i++) "
    "pthread_create(&t, 0, work, 0); return 0; }\n"
    "int main(int argc, char **argv) { pthread_t t; CREATE return 0; }"
)
ONE_SLOT = replace(COptions(), max_threads=1)


def managed(create: str) -> Program:
    """Threads that created threads create, in pools of one slot."""
    source = SourceFile("x.c", HEADERS + MANAGED.replace("CREATE", create))
    return load_c([source], ONE_SLOT).program


def test_a_created_thread_counts_its_creations_if_it_is_the_only_one() -> None:
    program = managed("pthread_create(&t, 0, more, 0);")
    assert {name: each.most for name, each in creations(program).items()} == {"more": 1, "work": 5}
    after = parametrised_in_view(program, (("more", 1), ("work", 5)))
    check_parametric(program, after, [], lambda: None)


def test_a_pool_of_one_slot_may_have_several_threads() -> None:
    program = managed("for (int i = 0; i < argc; i++) pthread_create(&t, 0, more, 0);")
    assert program.template["more"].count == 1
    assert "work" not in creations(program)
    single = creations(managed("pthread_create(&t, 0, more, 0);"))["work"]
    for most in ((("work", 5),), (("more", 1), ("work", 5))):
        program.found["creations"] = {**creations(program), "work": single}
        with pytest.raises(Refuted):
            check_parametric(program, parametrised_in_view(program, most), [], lambda: None)


# -- the checker ---------------------------------------------------------------------------------

LOOP = c_program(
    f"{WORK}int main(void) {{ pthread_t t; for (int i = 0; i < 100; i++) {CREATE} assert(0); }}"
)


def accept(program: Program, most: int) -> None:
    after = parametrised_in_view(program, (("work", most),))
    claimed: list[Property] = [p for p in after.properties if isinstance(p, FailureProperty)]
    check_parametric(program, after, claimed, lambda: None)


def test_a_bound_is_accepted() -> None:
    accept(LOOP, 100)
    accept(LOOP, 101)


def test_a_smaller_bound_is_refused() -> None:
    with pytest.raises(Refuted, match="may be full"):
        accept(LOOP, 99)


def test_a_bound_that_nobody_knows_of_is_refused() -> None:
    program = c_program(f"{WORK}int main(void) {{ pthread_t t; while (1) {CREATE} }}")
    with pytest.raises(Refuted, match="nothing is known"):
        accept(program, 1_000_000)


def forged(program: Program, change: Callable[[Creations], Creations]) -> Program:
    """The program with other guesses about its creations."""
    changed = replace(program)
    changed.found["creations"] = {"work": change(creations(program)["work"])}
    return changed


def _fewer(claims: Creations) -> Creations:
    """Creations by half as many steps, consistently."""
    halved = {
        here: tuple(
            Equation(
                tuple((v, 2 * f if v.name == "work.next" else f) for v, f in each.terms),
                each.constant,
            )
            for each in told
        )
        for here, told in claims.equations.items()
    }
    bounds = {
        here: {
            v: (low, high // 2 if v.name == "work.next" and high else high)
            for v, (low, high) in known.items()
        }
        for here, known in claims.bounds.items()
    }
    return replace(claims, equations=halved, bounds=bounds)


def _nothing(claims: Creations) -> Creations:
    return replace(claims, equations={}, bounds={})


def _empty(claims: Creations) -> Creations:
    """No integer has a value after the beginning."""
    never = {
        here: dict.fromkeys(known, (1, 0)) if here else known
        for here, known in claims.bounds.items()
    }
    return replace(claims, bounds=never)


def _others(claims: Creations) -> Creations:
    return replace(claims, creator="work")


def _of_others(claims: Creations) -> Creations:
    """True at the beginning and kept by the thread that creates, but nobody else has to."""
    shared = next(d.variable for d in LOOP.globals if d.variable.name != "work.next")
    bounds = {here: {**known, shared: (None, None)} for here, known in claims.bounds.items()}
    return replace(claims, bounds=bounds)


@pytest.mark.parametrize("change", [_fewer, _nothing, _empty, _others, _of_others])
def test_forged_claims_are_refused(change: Callable[[Creations], Creations]) -> None:
    with pytest.raises(Refuted):
        accept(forged(LOOP, change), 100)
    with pytest.raises(Refuted):
        accept(forged(LOOP, change), 50)


# -- proofs --------------------------------------------------------------------------------------


def counter(width: str, threads: int) -> Program:
    return c_program(
        "#include <stdatomic.h>\n"
        f"static _Atomic {width} users;\n"
        "static void *work(void *a) { atomic_fetch_add(&users, 1); assert(users > 0);"
        " atomic_fetch_sub(&users, 1); return 0; }\n"
        f"int main(void) {{ pthread_t t; for (int i = 0; i < {threads}; i++) {CREATE} return 0; }}"
    )


def proved(program: Program) -> list[Proved]:
    asked = tuple(p for p in program.properties if p.name.startswith("assert"))
    task = Task(program, asked)
    return [found for found in CountingEngine().run(task) if isinstance(found, Proved)]


def test_a_counter_of_threads_does_not_wrap_if_they_are_few() -> None:
    program = counter("unsigned char", 255)
    (found,) = proved(program)
    assert isinstance(found.certificate, TransformedCertificate)
    assert found.certificate.steps == (Parametrise((("work", 255),)),)
    check_certificate(program, found.certificate, lambda: None)


@pytest.mark.parametrize(("width", "threads"), [("unsigned char", 256), ("signed char", 128)])
def test_a_counter_of_threads_may_wrap_if_they_are_many(width: str, threads: int) -> None:
    assert not proved(counter(width, threads))


def test_a_forged_bound_is_refused() -> None:
    (found,) = proved(counter("unsigned char", 255))
    assert isinstance(found.certificate, TransformedCertificate)
    for threads in (256, 300):
        program = counter("unsigned char", threads)
        with pytest.raises(Refuted):
            check_certificate(program, replace(found.certificate, program_hash=""), lambda: None)
        forged_certificate = replace(
            found.certificate,
            program_hash=hash_of(program),
            steps=(Parametrise((("work", 255),)),),
        )
        with pytest.raises(Unsupported, match="may be full"):
            check_certificate(program, forged_certificate, lambda: None)


def hash_of(program: Program) -> str:
    from threadwise.ir.text.printer import program_hash

    return program_hash(program)


def test_the_bound_of_a_template_is_read_back() -> None:
    after = parametrised_in_view(LOOP, (("work", 100),))
    text = print_program(after)
    assert "thread work[* <= 100] runs work" in text
    assert read_program(text).templates == after.templates
    assert not validate(after)
    assert after.with_counts({"work": 2}).template["work"].most is None
