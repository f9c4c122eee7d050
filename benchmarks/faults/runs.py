"""Programs by engines: what they say, what is noticed, and which lines they reach."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

import coverage

from benchmarks.faults import programs
from benchmarks.faults.mutations import ROOT, Fault, apply
from benchmarks.faults.programs import Sample
from benchmarks.faults.shared import RUN_MAPS
from threadwise.core.budget import Budget
from threadwise.core.errors import InputError, Unsupported
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import Input
from threadwise.engines.auto import steps_within
from threadwise.engines.registry import ENGINES
from threadwise.results.result import Defect, DefectKind

ASKED = (
    "locksets",
    "lock-order",
    "horn",
    "digest",
    "tar",
    "bounded",
    "explicit",
    "counting",
    "persistent",
    "thread-modular",
    "tmmcir",
    "reduction",
    "summaries",
)
"""The engines whose proofs differ in kind."""
C_ASKED = ("locksets", "lock-order", "explicit", "persistent", "counting")
"""Those that decide most of C, and are quick; the others have models."""
SLICE, C_SLICE, LIST_SLICE = 30_000, 200_000, 4_000_000
"""About so many microseconds an engine gets, in steps of its own."""
PATIENCE, LIST_PATIENCE = 2.0, 6.0
"""Seconds of processor time after which a run with a fault counts as hanging."""
TRACED = 20.0
"""So many times longer a run may take whose lines are traced."""
NOTICED = 3
"""After so many runs in which something was noticed nothing else is asked."""


T = TypeVar("T")


@dataclass
class Said:
    """What one engine says about one program."""

    program: str
    engine: str
    verdicts: dict[str, str] = field(default_factory=dict)
    noticed: list[str] = field(default_factory=list)
    """By whom something was noticed: checker, audit, replay, crash."""
    seconds: float = 0.0


class Hanging(BaseException):
    """A run takes longer than any run without fault."""


def _hang(*_: object) -> None:
    raise Hanging


def _noticed_by(defect: Defect) -> str:
    if defect.kind is DefectKind.CRASH:
        return "crash"
    if defect.kind is DefectKind.TRACE:
        return "replay"
    return "audit" if "that a run refutes" in defect.message else "checker"


def ask(
    sample: Sample,
    engine: str,
    *,
    audit: bool = True,
    loaded: Input | None = None,
    slower: float = 1.0,
) -> Said:
    """Let an engine look at a program, and its evidence be checked."""
    said = Said(sample.name, engine)
    started = time.process_time()
    signal.signal(signal.SIGVTALRM, _hang)
    is_long = sample.is_list or sample.is_near or sample.is_divided
    patience = slower * (LIST_PATIENCE if is_long else PATIENCE)
    signal.setitimer(signal.ITIMER_VIRTUAL, patience, 1.0)  # again, if it was swallowed
    try:
        found = sample.load() if loaded is None else loaded
        slice_ = LIST_SLICE if is_long else C_SLICE if sample.is_large else SLICE
        steps = steps_within(ENGINES[engine], found.program, slice_)
        options = CheckOptions(
            properties=sample.properties, engine=engine, budget=Budget(steps=steps), audit=audit
        )
        result = check_loaded(sample.name, lambda: found, options, in_process=True)
        said.verdicts = {found.name: found.verdict.value for found in result.properties}
        said.noticed = sorted({_noticed_by(defect) for defect in result.defects})
    except (Unsupported, InputError):
        pass
    except (Hanging, Exception):
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        said.noticed = ["crash"]
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    said.seconds = round(time.process_time() - started, 3)
    return said


# -- without fault --------------------------------------------------------------------------------


@dataclass
class Baseline:
    """What is said without fault, and what is reached by saying it."""

    said: list[Said]
    reached: dict[str, dict[int, list[int]]]
    """By module and line, the positions of the runs that get there."""
    loading: dict[str, dict[int, set[str]]] = field(default_factory=dict)
    """By module and line, the programs that get there when they are loaded."""
    stated: dict[str, dict[str, str]] = field(default_factory=dict)
    """What is known of programs before anybody is asked."""

    def truth(self) -> dict[str, dict[str, str]]:
        """What is known about the properties of each program; all engines together say so."""
        known = {program: dict(verdicts) for program, verdicts in self.stated.items()}
        for said in self.said:
            for name, verdict in said.verdicts.items():
                if verdict != "UNKNOWN":
                    before = known.setdefault(said.program, {}).setdefault(name, verdict)
                    if before != verdict:
                        raise SystemExit(f"{said.program}: {name} is {before} and {verdict}")
        return known


def baseline(folder: Path, chosen: Sequence[Sample], modules: Iterable[str]) -> Baseline:
    """Ask everything without fault, or read what was said before.

    That happens in a process of its own: what it computes must not come along into those with
    faults.
    """
    path = folder / "baseline.jsonl"
    child = os.fork()
    if child == 0:
        status = 1
        try:
            _complete(path, chosen, [str(ROOT / module) for module in modules])
            status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if status:
        raise SystemExit("asking without fault failed")
    known = _known(path)
    said: list[Said] = []
    reached: dict[str, dict[int, list[int]]] = {}
    loading: dict[str, dict[int, set[str]]] = {}
    for sample in chosen:
        for engine in _engines(sample):
            row = known[sample.name, engine]
            for module, lines in row["reached"].items():
                for line in lines:
                    reached.setdefault(module, {}).setdefault(line, []).append(len(said))
            for module, lines in row["loading"].items():
                for line in lines:
                    loading.setdefault(module, {}).setdefault(line, set()).add(sample.name)
            said.append(Said(sample.name, engine, row["verdicts"], row["noticed"], row["seconds"]))
    stated = {sample.name: sample.stated for sample in chosen if sample.stated}
    return Baseline(said, reached, loading, stated)


def _engines(sample: Sample) -> Sequence[str]:
    if not sample.is_c:
        return ASKED
    if sample.is_list or sample.is_near:
        return ("locksets",)
    if "memory" in sample.name:
        return (*C_ASKED, "horn", "bounded")
    return (*C_ASKED, "horn") if "crowd" in sample.name else C_ASKED


def _known(path: Path) -> dict[tuple[str, str], dict[str, Any]]:
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    rows = map(json.loads, lines)
    return {(row["program"], row["engine"]): row for row in rows}


def _complete(path: Path, chosen: Sequence[Sample], paths: list[str]) -> None:
    known = _known(path)
    with path.open("a", encoding="utf-8") as out:
        for sample in chosen:
            engines = [e for e in _engines(sample) if (sample.name, e) not in known]
            if not engines:
                continue
            found, loading = _tracing(sample.load, paths)
            for engine in engines:
                asked = partial(ask, sample, engine, loaded=found, slower=TRACED)
                said, working = _tracing(asked, paths)
                reached = {
                    module: sorted({*loading.get(module, ()), *working.get(module, ())})
                    for module in {**loading, **working}
                }
                row = {**asdict(said), "reached": reached, "loading": loading}
                print(json.dumps(row), file=out, flush=True)


def _tracing(action: Callable[[], T], paths: list[str]) -> tuple[T, dict[str, list[int]]]:
    """What an action gives, and the lines that it reaches, by module."""
    tracer = coverage.Coverage(data_file=None, include=paths, config_file=False)
    tracer.start()
    try:
        found = action()
    finally:
        tracer.stop()
    data = tracer.get_data()
    return found, {
        str(Path(path).relative_to(ROOT)): sorted(data.lines(path) or ())
        for path in data.measured_files()
    }


# -- with a fault ---------------------------------------------------------------------------------


def with_fault(
    fault: Fault,
    asked: list[tuple[Sample, str]],
    truth: dict[str, dict[str, str]],
    seconds: float,
    before: Baseline | None = None,
) -> Iterator[dict[str, object]]:
    """What is said with a fault, run by run, in a process of its own.

    What is remembered of programs comes along into it: what the front end makes of them, and how
    they are simplified, if that does not reach the fault.
    """
    loaded: dict[str, Input] = {}
    again = None if before is None else before.loading.get(fault.module, {}).get(fault.line, set())
    for sample in {sample.name: sample for sample, _ in asked}.values():
        sample.read()
        if again is not None and sample.name not in again:
            loaded[sample.name] = _loaded(sample)
    here, there = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(here)
        status = 1
        try:
            _keep_quiet()
            resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 30, int(seconds) + 40))
            with os.fdopen(there, "w", encoding="utf-8") as out:
                status = 0 if apply(fault) else 3
                audit = fault.module in RUN_MAPS
                asked = asked if status == 0 else []  # no function changed: it is not run
                for row in _asked(asked, truth, seconds, loaded, audit=audit):
                    print(json.dumps(row), file=out, flush=True)
        finally:
            os._exit(status)
    os.close(there)
    with os.fdopen(here, encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)
    _, status = os.waitpid(child, 0)
    if status and os.waitstatus_to_exitcode(status) != 3:
        yield {"program": "", "engine": "", "noticed": ["crash"], "wrong": []}


def _keep_quiet() -> None:
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout.fileno(), sys.stderr.fileno()):
        os.dup2(nowhere, stream)


@cache
def _loaded(sample: Sample) -> Input:
    return sample.load()


def _asked(
    asked: list[tuple[Sample, str]],
    truth: dict[str, dict[str, str]],
    seconds: float,
    loaded: dict[str, Input],
    *,
    audit: bool,
) -> Iterator[dict[str, object]]:
    """Ask without audit, unless the fault lies there, and where it is wrong, with it.

    The audit takes proofs away, or gives runs that replay: where nothing wrong is said without,
    nothing is with it.
    """
    noticed = 0
    started = time.process_time()
    for sample, engine in asked:
        if time.process_time() - started > seconds or noticed >= NOTICED:
            return
        known, ready = truth.get(sample.name, {}), loaded.get(sample.name)
        said = ask(sample, engine, audit=audit, loaded=ready)
        row = {**asdict(said), "wrong": _wrong(said, known)}
        if row["wrong"] and not audit:
            again = ask(sample, engine, loaded=ready)
            row["wrong_without_audit"] = row["wrong"]
            row["wrong"] = _wrong(again, known)
            row["noticed"] = sorted({*said.noticed, *again.noticed})
        noticed += bool(row["noticed"])
        yield row


def _wrong(said: Said, known: dict[str, str]) -> list[str]:
    """The properties about which the opposite of what is known is said."""
    opposite = {"SAFE": "UNSAFE", "UNSAFE": "SAFE"}
    return [
        name
        for name, verdict in said.verdicts.items()
        if name in known and opposite.get(verdict) == known[name]
    ]


def chosen_runs(
    fault: Fault,
    before: Baseline,
    truth: dict[str, dict[str, str]],
    by_name: dict[str, Sample],
    most: int,
) -> list[tuple[Sample, str]]:
    """The runs that reach a fault: all unsafe programs, then safe ones; engines in turn.

    Of an engine the quick ones come first. A wrong proof needs a program that is not safe, and a
    wrong violation would have to pass its replay.
    """
    turns: dict[str, int] = {}
    rows = []
    reached = before.reached.get(fault.module, {}).get(fault.line, ())
    for position in sorted(reached, key=lambda position: before.said[position].seconds):
        said = before.said[position]
        safe = "UNSAFE" not in truth.get(said.program, {}).values()
        turn = turns.setdefault(f"{said.engine} {safe}", 0)
        turns[f"{said.engine} {safe}"] += 1
        rows.append((safe, turn, position, said))
    rows.sort(key=lambda row: row[:3])
    return [(by_name[said.program], said.engine) for *_, said in rows[:most]]


def prepare() -> None:
    """Once per process, before anything is asked: load what runs need."""
    programs.keep_front_end()
    for engine in ASKED:
        ask(Sample("warm.tw", "int x; thread t { x = 1; assert(x == 1); }"), engine)
