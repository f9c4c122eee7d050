"""Engines that claim what a test tells them to, and the driver at work on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import pytest

from tests.unit.semantics.running import model
from threadwise.driver import checking
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.engines.api import Finding, Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.registry import EngineInfo
from threadwise.ir.program import Program
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.results.result import Defect, Result
from threadwise.traces.trace import Trace

TEXT = """
int[0..3] x;
thread t[2] { x = x + 1; }
invariant small: x < 2; invariant fine: x <= 2;
"""
PROGRAM = model(TEXT)
NAMES = ("small", "fine")

Script = Callable[[Task], Iterator[Finding]]


@dataclass
class Scripted:
    """An engine that claims what it is told to claim."""

    script: Script
    name: str = "scripted"

    def run(self, task: Task) -> Iterator[Finding]:
        return self.script(task)


def check(
    monkeypatch: pytest.MonkeyPatch,
    *scripts: Script,
    program: Program = PROGRAM,
    in_process: bool = True,
    options: CheckOptions | None = None,
) -> Result:
    """Check with the given engines and nothing else."""

    def info(number: int, script: Script) -> EngineInfo:
        name = f"scripted-{number}"
        return EngineInfo(name, "", "", "", lambda: Scripted(script, name))

    engines = [info(n, script) for n, script in enumerate(scripts)]
    monkeypatch.setattr(checking, "auto_engines", lambda: engines)
    chosen = options or CheckOptions(properties=NAMES)
    return check_loaded("x.tw", lambda: program, chosen, in_process=in_process)


def good_trace(task: Task) -> Trace:
    (found,) = (f for f in ExplicitEngine().run(task) if isinstance(f, Violated))
    return found.trace


def good_certificate(task: Task) -> StateSetCertificate:
    properties = tuple(p for p in task.properties if p.name == "fine")
    quiet = replace(task, properties=properties, listener=lambda _: None)
    (found,) = ExplicitEngine().run(quiet)
    assert isinstance(found, Proved)
    assert isinstance(found.certificate, StateSetCertificate)
    return found.certificate


def honest(task: Task) -> Iterator[Finding]:
    return ExplicitEngine().run(task)


def silent(task: Task) -> Iterator[Finding]:
    return iter(())


def wrong_proof(task: Task) -> Iterator[Finding]:
    certificate = good_certificate(task)
    yield Proved(("fine",), replace(certificate, states=certificate.states[:-1]))


def proof_of_a_violated_property(task: Task) -> Iterator[Finding]:
    yield Proved(NAMES, replace(good_certificate(task), properties=NAMES))


def only_defect(result: Result) -> Defect:
    (defect,) = result.defects
    return defect


def comparable(result: Result) -> object:
    """All of a result that does not depend on the clock or on where the work was done."""
    answers = [replace(p, check_time_s=None) for p in result.properties]
    tried = [(a.engine, a.outcome) for a in result.tried]
    counted = {k: v for k, v in result.statistics.items() if k in ("states", "guarantees")}
    return answers, tried, counted, result.unreached, result.bounds, result.program_hash
