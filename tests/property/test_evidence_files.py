"""Evidence files, whole, truncated and damaged: read back exactly, or refused properly."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.property.comparison import MAX_DEPTH, load
from tests.property.evidence_samples import TEXTS, Sample, sample
from threadwise.core.errors import InputError
from threadwise.core.load_documents import load_from_json
from threadwise.core.load_options import LoadOptions
from threadwise.driver.rechecking import Certification, certify_file, replay_file
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.registry import ENGINES
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.documents import certificate_from_json, certificate_to_json
from threadwise.traces.files import differences, trace_from_json, trace_to_json
from threadwise.traces.replay import ReplayFailure, replay
from threadwise.traces.trace import DescribedTrace

LOAD = LoadOptions(max_threads=2)
ROUNDS = 25
NAMES = sorted(TEXTS)


def certificates(given: Sample) -> list[Certificate]:
    found: list[Certificate] = [given.states]
    if given.tables is not None:
        found.append(given.tables)
    return [*found, *_proofs(given.text)]


@cache
def _proofs(text: str) -> tuple[Certificate, ...]:
    """The proofs of engines whose certificates are made of several tables."""
    program = load(text)
    options = EngineOptions(max_depth=MAX_DEPTH)
    return tuple(
        finding.certificate
        for name in ("thread-modular", "reduction", "summaries")
        for finding in ENGINES[name].create().run(Task(program, program.properties, options))
        if isinstance(finding, Proved)
    )


class Files:
    """A program and a piece of evidence on disk."""

    def __init__(self, folder: Path, given: Sample) -> None:
        self.given = given
        self.model = folder / "random.tw"
        self.model.write_text(given.text, encoding="utf-8")
        self.evidence = folder / "evidence.json"

    def certify(self, text: str) -> Certification:
        self.evidence.write_text(text, encoding="utf-8")
        return certify_file(str(self.model), str(self.evidence))

    def replay(self, text: str) -> DescribedTrace:
        self.evidence.write_text(text, encoding="utf-8")
        return replay_file(str(self.model), str(self.evidence)).described


def described(given: Sample) -> list[DescribedTrace]:
    return [replay(given.program, trace) for trace in given.traces]


@pytest.mark.parametrize("name", NAMES)
def test_files_are_read_back_exactly(name: str, tmp_path: Path) -> None:
    given = sample(name)
    files = Files(tmp_path, given)
    for certificate in certificates(given):
        data = json.loads(json.dumps(certificate_to_json(certificate, LOAD)))
        assert certificate_to_json(certificate_from_json(data, "f"), LOAD) == data
        assert load_from_json(data, "f") == LOAD
        assert files.certify(json.dumps(data)).properties == certificate.properties
    for trace in described(given):
        data = json.loads(json.dumps(trace_to_json(trace, LOAD)))
        assert trace_from_json(data, "f") == trace.trace
        assert list(differences(trace, LOAD, data)) == []
        replayed = files.replay(json.dumps(data))
        assert (replayed.trace, replayed.violation) == (trace.trace, trace.violation)
        assert [step.changes for step in replayed.steps] == [s.changes for s in trace.steps]


@pytest.mark.parametrize("name", ["locked", "unlocked"])
def test_truncated_files(name: str, tmp_path: Path) -> None:
    given = sample(name)
    files = Files(tmp_path, given)
    for certificate in certificates(given):
        text = json.dumps(certificate_to_json(certificate, LOAD))
        for length in range(0, len(text), max(1, len(text) // ROUNDS)):
            with pytest.raises(InputError):
                files.certify(text[:length])
    for trace in described(given):
        text = json.dumps(trace_to_json(trace, LOAD))
        for length in range(0, len(text), max(1, len(text) // ROUNDS)):
            with pytest.raises(InputError):
                files.replay(text[:length])


@pytest.mark.parametrize("text", ["null", "[]", "{}", '"x"', "1", "NaN", "[" * 100_000, "\x00"])
def test_files_of_another_kind(text: str, tmp_path: Path) -> None:
    files = Files(tmp_path, sample("locked"))
    with pytest.raises(InputError):
        files.certify(text)
    with pytest.raises(InputError):
        files.replay(text)


def test_traces_and_certificates_are_not_mixed_up(tmp_path: Path) -> None:
    given = sample("unlocked")
    files = Files(tmp_path, given)
    with pytest.raises(InputError, match="not a threadwise-certificate file"):
        files.certify(json.dumps(trace_to_json(described(given)[0], LOAD)))
    with pytest.raises(InputError, match="not a threadwise-trace file"):
        files.replay(json.dumps(certificate_to_json(given.states, LOAD)))


@pytest.mark.parametrize("version", [0, 1, "2", None])
def test_other_versions_are_refused(version: object, tmp_path: Path) -> None:
    given = sample("locked")
    data = {**certificate_to_json(given.states, LOAD), "format_version": version}
    with pytest.raises(InputError, match="format"):
        Files(tmp_path, given).certify(json.dumps(data))


@pytest.mark.parametrize("name", ["locked", "unlocked"])
def test_changed_program(name: str, tmp_path: Path) -> None:
    given = sample(name)
    files = Files(tmp_path, given)
    files.model.write_text(given.text + "invariant more: x <= 2;\n", encoding="utf-8")
    for certificate in certificates(given):
        with pytest.raises(InputError, match="another program"):
            files.certify(json.dumps(certificate_to_json(certificate, LOAD)))
    for trace in described(given):
        with pytest.raises(ReplayFailure, match="another program"):
            files.replay(json.dumps(trace_to_json(trace, LOAD)))


def test_comments_and_layout_do_not_change_a_program(tmp_path: Path) -> None:
    given = sample("atomics")
    files = Files(tmp_path, given)
    files.model.write_text("// moved\n\n" + given.text.replace(";", " ;"), encoding="utf-8")
    files.certify(json.dumps(certificate_to_json(given.states, LOAD)))


@pytest.mark.parametrize("name", ["unlocked", "spawned"])
def test_what_a_trace_shows_must_be_what_happens(name: str, tmp_path: Path) -> None:
    """Whatever is changed in what a file tells its reader is noticed, part by part."""
    given = sample(name)
    files = Files(tmp_path, given)
    folder = str(tmp_path)
    told = 0
    for trace in described(given):
        data = json.loads(json.dumps(trace_to_json(trace, LOAD)))
        for path in nodes(data):
            if path[0] in ("format", "format_version", "load") or path[-1] == "file":
                continue
            told += 1
            with pytest.raises((ReplayFailure, InputError)) as failure:
                files.replay(json.dumps(_with_another(data, path)))
            assert folder not in str(failure.value) or isinstance(failure.value, InputError)
            with pytest.raises((ReplayFailure, InputError)):
                files.replay(json.dumps(_without(data, path)))
        for key in ("", "verdict", "steps2"):
            with pytest.raises(ReplayFailure, match="nothing that a trace tells"):
                files.replay(json.dumps({**data, key: "SAFE"}))
    assert told > 100


def _with_another(data: Any, path: tuple[Any, ...]) -> Any:
    """A copy in which one part is another one of the same kind."""
    broken = copy.deepcopy(data)
    *way, last = path
    inside = broken
    for key in way:
        inside = inside[key]
    match inside[last]:
        case bool(value):
            inside[last] = not value
        case int(value):
            inside[last] = value + 1
        case str(value):
            inside[last] = value + "!"
        case list(value):
            inside[last] = [*value, {}]
        case dict(value):
            inside[last] = {**value, "more": 1}
        case _:
            inside[last] = "something"
    return broken


def _without(data: Any, path: tuple[Any, ...]) -> Any:
    """A copy in which one part is missing."""
    broken = copy.deepcopy(data)
    *way, last = path
    inside = broken
    for key in way:
        inside = inside[key]
    del inside[last]
    return broken


JUNK: list[Any] = [None, True, -1, 0, 1, 7, 10**6, 2.5, "", "x", [], {}, [[]], [None], {"a": 1}]


def nodes(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths to all parts of a JSON value but the whole."""
    if path:
        yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from nodes(value, (*path, key))
    elif isinstance(data, list):
        for key, value in enumerate(data):
            yield from nodes(value, (*path, key))


def damaged(data: Any, rng: random.Random, paths: list[tuple[Any, ...]]) -> Any:
    """A copy with one part replaced or removed."""
    broken = copy.deepcopy(data)
    *way, last = rng.choice(paths)
    inside = broken
    for key in way:
        inside = inside[key]
    if rng.random() < 0.2:
        del inside[last]
    else:
        inside[last] = rng.choice(JUNK)
    return broken


@pytest.mark.parametrize("name", NAMES)
def test_damaged_certificates(name: str, tmp_path: Path) -> None:
    """Refused, or as good as before: never a crash, never a violated property."""
    given = sample(name)
    files = Files(tmp_path, given)
    rng = random.Random(name)
    for certificate in certificates(given):
        data = certificate_to_json(certificate, LOAD)
        paths = [path for path in nodes(data) if path != ("load", "max_threads")]
        for _ in range(ROUNDS):
            try:
                proof = files.certify(json.dumps(damaged(data, rng, paths)))
            except (InputError, Refuted):
                continue
            assert given.oracle.violated.isdisjoint(proof.properties)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("atomics", "locked")])
def test_damaged_traces(name: str, tmp_path: Path) -> None:
    given = sample(name)
    files = Files(tmp_path, given)
    rng = random.Random(name)
    for trace in described(given):
        data = trace_to_json(trace, LOAD)
        paths = [path for path in nodes(data) if path != ("load", "max_threads")]
        for _ in range(ROUNDS):
            try:
                again = files.replay(json.dumps(damaged(data, rng, paths)))
            except (InputError, ReplayFailure):
                continue
            assert again.trace.property in given.oracle.violated


@pytest.mark.parametrize("max_threads", [-1, 0])
def test_impossible_pool_sizes(max_threads: int, tmp_path: Path) -> None:
    given = sample("spawned")
    data = certificate_to_json(given.states, LoadOptions(max_threads=max_threads))
    with pytest.raises(InputError):
        Files(tmp_path, given).certify(json.dumps(data))
