"""Files of evidence with anything in them: refused with a message, never a crash.

Certificates of every kind and traces are changed as JSON values and as texts. Whatever comes out
of it is an answer, and what is accepted holds.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.property.drawing import Draw
from tests.property.evidence_samples import TEXTS
from tests.robustness.command_line import threadwise
from tests.unit.proofs.toolbox.test_features import REFUSED, empty
from tests.unit.semantics.running import model
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted, InputError, Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.driver.rechecking import certify_file, replay_file
from threadwise.engines.api import EngineOptions, Proved, Task, Violated
from threadwise.engines.registry import ENGINES
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_to_json
from threadwise.proofs.base.files import certificate_lines
from threadwise.semantics.oracle import explore
from threadwise.traces.files import trace_to_json
from threadwise.traces.replay import ReplayFailure, replay

LOAD = LoadOptions(max_threads=2)
FAST = ("thread-modular", "reduction", "explicit", "persistent", "summaries")
SOLVING = ("locksets", "digest", "afr", "counting", "horn", "bounded", "cartesian-frontier")
PROGRAMS = ("locked", "unlocked", "procedures", "spawned")


class Sample(NamedTuple):
    """A program, the JSON of a piece of evidence, and what the program violates."""

    text: str
    data: dict[str, Any]
    violated: frozenset[str]


@cache
def certificates() -> list[Sample]:
    """Real ones, and one of each kind that says nothing."""
    found: list[Sample] = []
    for name in PROGRAMS:
        text = TEXTS[name]
        program = model(text)
        violated = explore(program, program.properties, 5).violated
        for engine in (*FAST, *SOLVING) if name == "locked" else FAST:
            for symmetry in (True, False):
                options = EngineOptions(max_depth=5, symmetry=symmetry)
                task = Task(program, program.properties, options, Meter(Budget(steps=5000)))
                try:
                    findings = list(ENGINES[engine].create().run(task))
                except (Unsupported, BudgetExhausted):
                    continue
                for finding in findings:
                    if isinstance(finding, Proved):
                        data = certificate_to_json(finding.certificate, LOAD)
                        found.append(Sample(text, data, violated))
        found += [
            Sample(text, certificate_to_json(empty(kind, program), LOAD), violated)
            for kind in REFUSED
        ]
    return found


@cache
def traces() -> list[Sample]:
    """What is violated, and how."""
    found: list[Sample] = []
    for name in ("unlocked", "procedures", "spawned", "owners"):
        program = model(TEXTS[name])
        violated = explore(program, program.properties, 5).violated
        task = Task(program, program.properties, EngineOptions(max_depth=5))
        for finding in ENGINES["explicit"].create().run(task):
            if isinstance(finding, Violated):
                data = trace_to_json(replay(program, finding.trace), LOAD)
                found.append(Sample(TEXTS[name], data, violated))
    return found


def nested(depth: int) -> Any:
    """A list in a list in a list …"""
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


JUNK: list[Any] = [None, True, False, -1, 0, 1, 2, 7, 10**30, -(10**30), 2.5, float("nan"), ""]
JUNK += ["x", "races", "(" * 3000, "!" * 3000, "t", [], {}, [[]], [None], [0], [0, 0], {"a": 1}]
JUNK += [{"object": 0, "offset": 0}, {"object": 10**6, "offset": 1}, nested(9), nested(150)]


def parts(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all parts of a JSON value but the whole, and how many threads there may be."""
    if path and path != ("load", "max_threads"):
        yield path
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from parts(value, (*path, key))


def damage(draw: Draw, data: Any) -> None:
    """Change something inside of a value."""
    *way, last = draw.pick(list(parts(data)))
    inside = data
    for key in way:
        inside = inside[key]
    others = list(parts(data))
    match draw.number(0, 5):
        case 0:
            del inside[last]
        case 1:
            other: Any = data
            for key in draw.pick(others):
                other = other[key]
            inside[last] = copy.deepcopy(other)
        case 2 if isinstance(inside, list):
            inside.append(copy.deepcopy(inside[last]))
        case 3 if isinstance(inside, dict):
            inside[draw.pick(["", "kind", "inner_kind", "x", "c"])] = copy.deepcopy(
                draw.pick(JUNK)
            )
        case _:
            inside[last] = copy.deepcopy(draw.pick(JUNK))


def spoilt(draw: Draw, text: str) -> str:
    """A text with some characters changed."""
    position = draw.number(0, max(0, len(text) - 1))
    piece = draw.pick(["", "{", "[", '"', "1", "\n", "\0", ",", "\ud7ff", "[" * 5000, "-", "e9"])
    return text[:position] + piece + text[position + draw.number(0, 3) :]


@st.composite
def damaged(draw: st.DrawFn, *, proofs: bool) -> tuple[Sample, str]:
    """A sample, and the text of a file that is close to its evidence."""
    source = Draw(draw)
    chosen = source.pick(certificates() if proofs else traces())
    data = copy.deepcopy(chosen.data)
    for _ in range(source.number(1, 3)):
        damage(source, data)
    try:
        in_lines = proofs and source.flag()
        text = "\n".join(certificate_lines(data)) if in_lines else json.dumps(data)
    except TypeError:  # not the tables that could be written line by line
        text = json.dumps(data)
    return chosen, spoilt(source, text) if source.number(0, 3) == 0 else text


def _certify(folder: Path, chosen: Sample, text: str) -> None:
    program, evidence = folder / "program.tw", folder / "evidence.json"
    program.write_text(chosen.text, encoding="utf-8")
    evidence.write_text(text, encoding="utf-8")
    budget = Budget(steps=20_000)
    try:
        found = certify_file(str(program), str(evidence), budget)
    except (InputError, Refuted, Unsupported, BudgetExhausted):
        return
    assert chosen.violated.isdisjoint(found.properties)


def _replay(folder: Path, chosen: Sample, text: str) -> None:
    program, evidence = folder / "program.tw", folder / "evidence.json"
    program.write_text(chosen.text, encoding="utf-8")
    evidence.write_text(text, encoding="utf-8")
    try:
        found = replay_file(str(program), str(evidence))
    except (InputError, ReplayFailure, Unsupported):
        return
    assert found.described.trace.property in chosen.violated


FEW = settings(suppress_health_check=list(HealthCheck), deadline=None)
MANY = settings(FEW, max_examples=5_000)


@given(damaged(proofs=True))
@FEW
def test_damaged_certificates(tmp_path_factory: pytest.TempPathFactory, case: Any) -> None:
    _certify(tmp_path_factory.getbasetemp(), *case)


@given(damaged(proofs=False))
@FEW
def test_damaged_traces(tmp_path_factory: pytest.TempPathFactory, case: Any) -> None:
    _replay(tmp_path_factory.getbasetemp(), *case)


@pytest.mark.slow
@given(damaged(proofs=True))
@MANY
def test_many_damaged_certificates(tmp_path_factory: pytest.TempPathFactory, case: Any) -> None:
    _certify(tmp_path_factory.getbasetemp(), *case)


@pytest.mark.slow
@given(damaged(proofs=False))
@MANY
def test_many_damaged_traces(tmp_path_factory: pytest.TempPathFactory, case: Any) -> None:
    _replay(tmp_path_factory.getbasetemp(), *case)


DEEP = "[" * 60_000 + "]" * 60_000


@pytest.mark.parametrize("where", ["rows", "header", "formula"])
def test_nesting_is_no_crash(where: str, tmp_path: Path) -> None:
    """As users meet it: exit code 2, and a line that says where."""
    (tmp_path / "program.tw").write_text(TEXTS["locked"], encoding="utf-8")
    (chosen, *_) = (s for s in certificates() if s.data["kind"] == "state-set")
    lines = list(certificate_lines(chosen.data))
    if where == "rows":
        lines[1] = '{"table": "globals", "rows": ' + DEEP + "}"
    elif where == "header":
        lines[0] = lines[0].replace('"properties": [', f'"properties": [{DEEP}, ', 1)
    else:
        lines[1] = lines[1].replace("[[", "[" * 900 + "]" * 900 + ", [[", 1)
    (tmp_path / "proof.json").write_text("\n".join(lines), encoding="utf-8")
    outcome = threadwise("certify", "program.tw", "proof.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("error: proof.json:")
    assert len(outcome.err) < 500
