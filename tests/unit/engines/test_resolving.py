"""Engines that know no memory, on programs with pointers: proofs and traces are about these."""

from __future__ import annotations

from dataclasses import replace

import pytest

from threadwise.core.errors import Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import load_c_sources
from threadwise.engines.api import Finding, Proved, Task, Undecided, Violated
from threadwise.engines.registry import ENGINES
from threadwise.engines.resolving import AGAIN, is_resolvable, resolved
from threadwise.ir.program import Program
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.auditing import audit_certificate
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.simplified.check import is_verified
from threadwise.proofs.transformed.certificate import Simplify, TransformedCertificate
from threadwise.traces.replay import replay

SOURCE = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
struct account {{ pthread_mutex_t lock; int paid, spent; }} *shared;
void *work(void *argument)
{{
    struct account *a = argument;
    pthread_mutex_lock(&a->lock);
    a->paid += 5;
    {body}
    pthread_mutex_unlock(&a->lock);
    return 0;
}}
int main(void)
{{
    pthread_t t;
    shared = malloc(sizeof *shared);
    pthread_mutex_init(&shared->lock, 0);
    shared->paid = shared->spent = 0;
    pthread_create(&t, 0, work, shared);
    pthread_mutex_lock(&shared->lock);
    assert(shared->paid == shared->spent);
    pthread_mutex_unlock(&shared->lock);
    return 0;
}}
"""
RIGHT, WRONG = "a->spent += 5;", "a->spent += 4;"


def _program(body: str) -> Program:
    source = SourceFile("account.c", SOURCE.format(body=body))
    return load_c_sources([source], LoadOptions()).program


def _findings(engine: str, program: Program, *names: str) -> list[Finding]:
    asked = tuple(p for p in program.properties if p.name.startswith(names))
    return list(ENGINES[engine].create().run(Task(program, asked, accepts=is_verified)))


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("horn", "tar")]


@pytest.mark.parametrize("engine", [*SLOW, "bounded"])
def test_assertions_about_the_heap_are_proved(engine: str) -> None:
    program = _program(RIGHT)
    (proved,) = [f for f in _findings(engine, program, "assert") if isinstance(f, Proved)]
    certificate = proved.certificate
    assert isinstance(certificate, TransformedCertificate)
    assert certificate.steps[0] == Simplify(AGAIN[0])
    proof = check_certificate(program, certificate, lambda: None)
    audit = audit_certificate(program, certificate, proof, lambda: None)
    assert audit.states


def test_races_of_the_heap_are_proved_without_data() -> None:
    program = _program(RIGHT)
    findings = _findings("digest", program, "races")
    assert any(isinstance(f, Proved) for f in findings)


@pytest.mark.parametrize("engine", [pytest.param("horn", marks=pytest.mark.slow), "bounded"])
def test_violations_are_those_of_the_program(engine: str) -> None:
    program = _program(WRONG)
    findings = _findings(engine, program, "assert")
    assert not any(isinstance(f, Proved) for f in findings)
    for finding in findings:
        if isinstance(finding, Violated):
            replay(program, finding.trace)
    assert engine == "horn" or any(isinstance(f, Violated) for f in findings)


def test_deadlocks_are_not_preserved() -> None:
    program = _program(RIGHT)
    (undecided,) = _findings("bounded", program, "deadlocks")
    assert isinstance(undecided, Undecided)
    (proved,) = [f for f in _findings("bounded", program, "assert") if isinstance(f, Proved)]
    certificate = proved.certificate
    assert isinstance(certificate, TransformedCertificate)
    forged = replace(
        certificate,
        properties=("deadlocks",),
        inner=replace(certificate.inner, properties=("deadlocks",)),
    )
    with pytest.raises(Refuted, match="keeps races and failures only"):
        check_certificate(program, forged, lambda: None)


def test_what_is_not_verified_is_not_used() -> None:
    program = _program(RIGHT)
    refusing = Task(program, program.properties, accepts=lambda *_: False)
    with pytest.raises(Unsupported, match="not verified"):
        resolved(refusing)


ELEMENTS = """
#include <pthread.h>
int cells[3000];
int *last;
void *work(void *argument) {{ int *mine = argument; {body} return 0; }}
int main(void)
{{
    pthread_t t;
    for (int i = 0; i < 3000; i++) {{ {before} pthread_create(&t, 0, work, {given}); {after} }}
    return 0;
}}
"""
"""Thousands of threads with an element each: more cells than objects as variables may have."""


def _with_elements(
    given: str = "&cells[i]",
    body: str = "*mine = *mine + 1;",
    before: str = "cells[i] = i;",
    after: str = "",
) -> Program:
    text = ELEMENTS.format(given=given, body=body, before=before, after=after)
    return load_c_sources([SourceFile("elements.c", text)], LoadOptions()).worked_on


def test_elements_of_thousands_of_threads_do_not_race() -> None:
    program = _with_elements()
    assert is_resolvable(program)
    (found,) = _findings("horn", program, "races")
    assert isinstance(found, Proved)
    certificate = found.certificate
    assert isinstance(certificate, TransformedCertificate)
    assert Simplify("element pointers") in certificate.steps
    check_certificate(program, certificate, lambda: None)


@pytest.mark.slow
@pytest.mark.parametrize(
    "parts",
    [
        {"given": "&cells[i / 2]", "before": ""},
        {"given": "&cells[i % 7]", "before": ""},
        {"given": "i ? &cells[i - 1] : &cells[0]", "before": ""},
        {"body": "cells[5] = 1;", "before": ""},
        {"body": "last = mine; *last = 1;"},
        {"before": "", "after": "cells[i] = i;"},
        {"before": "cells[0] = i;"},
    ],
)
def test_elements_that_are_shared_are_not_proved(parts: dict[str, str]) -> None:
    found = _findings("horn", _with_elements(**parts), "races")
    assert not any(isinstance(each, Proved) for each in found)
