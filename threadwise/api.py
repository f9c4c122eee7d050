"""The Python interface: check programs, and recheck the evidence, without the command line.

    result = threadwise.check("counter.tw", properties=["races"])
    if result.verdict is threadwise.Verdict.UNSAFE:
        print(threadwise.to_text(result))

Everything here is also an attribute of the package `threadwise`, which loads this module when it
is first used. What the user got wrong raises `InputError`; what the tool cannot decide is an
UNKNOWN in the result, not an exception. docs/user/python.md is the guide.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from threadwise.core.budget import Budget, Meter, parse_memory, parse_time
from threadwise.core.c_options import COptions, DataModel
from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.errors import InputError, InternalError, ThreadwiseError, Unsupported
from threadwise.core.load_options import DEFAULT_MAX_THREADS, LoadOptions
from threadwise.core.options import DEFAULT_MAX_DEPTH
from threadwise.core.progress import Event, Listener, silent
from threadwise.core.reading import read_source
from threadwise.core.source import SourceFile, Span
from threadwise.core.writing import write_lines
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import Input, is_c, load_input, load_source
from threadwise.driver.rechecking import certify_recorded, replay_recorded
from threadwise.driver.reproducing import ReproduceOptions, reproduce_file
from threadwise.driver.verdicts.auditing import audited
from threadwise.engines.auto import AUTO
from threadwise.ir.check.validate import validate
from threadwise.ir.modelling import ANY, NOBODY, SELF, Model, forall
from threadwise.ir.program import Program
from threadwise.ir.types import Overflow
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.certificate import Certificate
from threadwise.proofs.base.documents import certificate_to_json
from threadwise.proofs.base.files import certificate_lines
from threadwise.proofs.base.registry import check_certificate
from threadwise.report import json_report, text
from threadwise.report.page import Style
from threadwise.report.run import Run
from threadwise.report.summary import proofs
from threadwise.reproduction.outcome import Outcome, OutcomeKind
from threadwise.results.result import Defect, PropertyResult, Result
from threadwise.results.verdict import Verdict
from threadwise.traces.files import trace_to_json
from threadwise.traces.replay import ReplayFailure
from threadwise.traces.replay import replay as replay_trace
from threadwise.traces.trace import DescribedTrace, Trace

__all__ = [
    "ANY",
    "NOBODY",
    "SELF",
    "COptions",
    "Certificate",
    "DataModel",
    "Defect",
    "DescribedTrace",
    "Diagnostic",
    "Event",
    "InputError",
    "InternalError",
    "Model",
    "Outcome",
    "OutcomeKind",
    "Overflow",
    "Program",
    "PropertyResult",
    "Refuted",
    "ReplayFailure",
    "Result",
    "Run",
    "Span",
    "ThreadwiseError",
    "Trace",
    "Unsupported",
    "Verdict",
    "certify",
    "check",
    "explain",
    "forall",
    "load",
    "replay",
    "reproduce",
    "simulate",
    "to_json",
    "to_text",
    "write_certificate",
    "write_trace",
    "write_witness",
]

PathName: TypeAlias = "str | os.PathLike[str]"
Source: TypeAlias = "str | os.PathLike[str] | Program"
"""A file, the text of a model, or a program. A string that contains a line break or an opening
brace is text, since every model does and hardly any file name; any other string is a file name. A
`Path` always is."""

TEXT_NAME = "<text>"
"""What messages call a model that was given as text."""

DEFAULT_TIME_LIMIT = "5m"


def check(  # noqa: PLR0913 - one parameter per option
    source: Source,
    *,
    properties: str | Iterable[str] = (),
    engine: str = AUTO,
    defines: Mapping[str, str | int | bool] | None = None,
    threads: Mapping[str, int] | None = None,
    max_threads: int = DEFAULT_MAX_THREADS,
    c: COptions | None = None,
    max_depth: int = DEFAULT_MAX_DEPTH,
    time_limit: str | float | None = DEFAULT_TIME_LIMIT,
    memory_limit: str | int | None = None,
    symmetry: bool = True,
    k: int | None = None,
    expose: bool | None = None,
    facts: bool | None = None,
    max_bdd_nodes: int | None = None,
    max_solver_units: int | None = None,
    second_solver: bool = False,
    audit: bool = True,
    jobs: int | None = None,
    cache: str | None = None,
    first: bool = False,
    in_process: bool = False,
    listener: Listener = silent,
) -> Result:
    """Check a program: SAFE, UNSAFE or UNKNOWN for each property.

    The parameters are the options of `threadwise check`; `listener` is told what happens while it
    happens. Limits are seconds and bytes, or text such as "2m" and "8GB"; None is no limit.

    The work is done in a forked process that is killed at a limit. `in_process=True` does it in
    the calling process instead: for debugging, and where forking is not possible, such as in a
    process with other threads. Limits are then only kept between the steps of an engine, and
    Ctrl-C raises KeyboardInterrupt.

    Raises InputError for what the user got wrong, and InternalError if the tool fails before the
    program is loaded; where it fails later, `Result.defects` says so.
    """
    asked = (properties,) if isinstance(properties, str) else tuple(properties)
    load = _load_options(defines, threads, max_threads, c)
    _check_fixed(source, load)
    if not isinstance(source, Program) and is_c(_name(source)):
        load = load.asked_for(asked)
    options = CheckOptions(
        properties=asked,
        engine=engine,
        load=load,
        budget=_budget(time_limit, memory_limit),
        max_depth=_at_least(0, max_depth, "max_depth"),
        symmetry=symmetry,
        k=None if k is None else _at_least(1, k, "k"),
        expose=expose,
        facts=facts,
        max_bdd_nodes=None
        if max_bdd_nodes is None
        else _at_least(1, max_bdd_nodes, "max_bdd_nodes"),
        max_solver_units=None
        if max_solver_units is None
        else _at_least(1, max_solver_units, "max_solver_units"),
        second_solver=second_solver,
        audit=audit,
        jobs=None if jobs is None else _at_least(1, jobs, "jobs"),
        cache=cache,
        first=first,
    )
    return check_loaded(
        _name(source),
        lambda: _input(source, options.load),
        options,
        listener,
        in_process=in_process,
    )


def load(
    source: Source,
    *,
    defines: Mapping[str, str | int | bool] | None = None,
    threads: Mapping[str, int] | None = None,
    max_threads: int = DEFAULT_MAX_THREADS,
    c: COptions | None = None,
) -> Program:
    """The program of a file or a text, as the engines see it; raises InputError."""
    options = _load_options(defines, threads, max_threads, c)
    _check_fixed(source, options)
    return _input(source, options).worked_on


def replay(source: Source, trace: Trace | DescribedTrace | PathName) -> DescribedTrace:
    """Run a trace, given as a value or as a file, in the reference semantics.

    A file says with which constants and thread counts the program has to be loaded. Raises
    ReplayFailure if the trace does not violate its property as claimed.
    """
    if isinstance(trace, DescribedTrace):
        trace = trace.trace
    if isinstance(trace, Trace):
        return replay_trace(_recorded(source), trace)
    path = os.fspath(trace)
    return replay_recorded(_again(source), path).described


def reproduce(
    trace: PathName,
    source: PathName | None = None,
    *,
    compiler: str = "gcc",
    flags: Iterable[str] = (),
    runs: int = 1,
    gdb: PathName | None = None,
) -> Outcome:
    """Run the interleaving of a trace file in the C program itself.

    `source` is the program, if it is not where the trace says. What a run shows is in the outcome;
    InputError is raised for what cannot be read or built.
    """
    options = ReproduceOptions(
        compiler, tuple(flags), runs, None if gdb is None else os.fspath(gdb)
    )
    named = None if source is None else os.fspath(source)
    return reproduce_file(os.fspath(trace), named, options)


def explain(result: Result, source: Source | None = None, *, full: bool = False) -> str:
    """Why a program is SAFE, as `threadwise explain` tells it; empty if nothing was proved.

    `source` is the program, if the result does not name its file.
    """
    from threadwise.proofs.base.registry import explain_proof
    from threadwise.report.explanation import explanation_text

    told = [
        explanation_text(
            certificate.properties,
            explain_proof(_recorded(result.file if source is None else source, load), certificate),
            Style(full=full),
        )
        for certificate, load in proofs(result)
    ]
    return "\n".join(told)


def simulate(
    source: Source,
    *,
    seed: int = 0,
    steps: int = 30,
    defines: Mapping[str, str | int | bool] | None = None,
    threads: Mapping[str, int] | None = None,
    c: COptions | None = None,
) -> Run:
    """Take random steps; the run says what it did and which properties it violated."""
    from threadwise.driver.simulating import Simulation, with_counts
    from threadwise.semantics.schedule import RandomSchedule

    program, _ = with_counts(load(source, defines=defines, threads=threads, c=c))
    schedule = RandomSchedule(seed)
    return Simulation(program, schedule).run(_name(source), _at_least(0, steps, "steps"))


def certify(
    source: Source,
    certificate: Certificate | PathName,
    *,
    load: LoadOptions | None = None,
    time_limit: str | float | None = None,
    memory_limit: str | int | None = None,
    second_solver: bool = False,
    audit: bool = True,
) -> tuple[str, ...]:
    """Check a proof, given as a value or as a file, without searching for it again.

    A file says how the program has to be loaded; for a value that is `load`, which
    `Result.load_of` knows. Returns the names of the properties it proves. Raises Refuted if it
    does not prove what it claims or, with `audit`, a run of the program refutes it, InputError if
    a file is malformed or for another program, and BudgetExhausted at a limit. With a limit, a
    file is read and checked in a forked process that is killed there.
    """
    budget = _budget(time_limit, memory_limit)
    if isinstance(certificate, str | os.PathLike):
        path = os.fspath(certificate)
        return certify_recorded(
            _name(source),
            _again(source),
            path,
            budget,
            second_solver=second_solver,
            audit=audit,
        ).properties
    tick = Meter(budget).check
    program = _recorded(source, load)
    proof = check_certificate(program, certificate, tick, second_solver=second_solver)
    if audit:
        audited(program, certificate, proof, tick)
    return proof.properties


# -- reports and files --------------------------------------------------------------------------


def to_text(result: Result, *, full: bool = False, verbose: bool = False) -> str:
    """The report of `threadwise check`, without colours."""
    spans = [found.trace.location for found in result.properties if found.trace is not None]
    sources: dict[str, SourceFile] = {}
    for path in {span.path: None for span in spans if span is not None}:
        try:
            sources[path] = read_source(path)
        except InputError:  # a model given as text, or a file that is gone: no line is quoted
            continue
    return text.to_text(result, sources, Style(full=full, verbose=verbose))


def to_json(result: Result) -> dict[str, Any]:
    """The report of `threadwise check --format json`, as a value for `json.dumps`."""
    return json_report.to_json(result)


def write_trace(result: Result, path: PathName, property_name: str | None = None) -> None:
    """Write the trace of a violated property, or of the first one, for `threadwise replay`."""
    for found in result.properties:
        if found.trace is not None and property_name in (None, found.name):
            load = result.load_of(found).seen_from(result.file)
            data = trace_to_json(found.trace, load, result.file)
            write_lines(path, [json.dumps(data)])
            return
    raise InputError.of(f"no violation {_about(property_name)} to write")


def write_witness(result: Result, path: PathName) -> None:
    """Write a witness of what was found in a C program, in the format of SV-COMP (YAML, 2.x)."""
    from threadwise.driver.witnesses.writing import write_witness as write

    if write(result, path) is None:
        raise InputError.of("nothing was decided that witnesses are about")


def write_certificate(result: Result, path: PathName, property_name: str | None = None) -> None:
    """Write the proof of a property, or all there are, for `threadwise certify`."""
    wanted = {
        found.certificate.properties
        for found in result.properties
        if found.certificate is not None and property_name in (None, found.name)
    }
    lines: list[str] = []
    for certificate, load in proofs(result):
        if certificate.properties in wanted:
            seen = load.seen_from(result.file)
            lines.extend(certificate_lines(certificate_to_json(certificate, seen)))
    if not lines:
        raise InputError.of(f"no proof {_about(property_name)} to write")
    write_lines(path, lines)


def _about(property_name: str | None) -> str:
    return "of any property" if property_name is None else f"of `{property_name}`"


# -- sources and options ------------------------------------------------------------------------


def _is_text(source: Source) -> bool:
    return isinstance(source, str) and ("\n" in source or "{" in source)


def _name(source: Source) -> str:
    if isinstance(source, Program):
        return source.name
    return TEXT_NAME if _is_text(source) else os.fspath(source)


def _recorded(source: Source, options: LoadOptions | None = None) -> Program:
    return _input(source, options or LoadOptions()).program


def _again(source: Source) -> Callable[[LoadOptions], Input]:
    """Reads a program as its evidence says."""
    return lambda options: _input(source, options.found_from(_name(source)))


def _input(source: Source, options: LoadOptions) -> Input:
    if isinstance(source, Program):
        violations = validate(source)
        if violations:
            raise InputError(Diagnostic(Severity.ERROR, str(found)) for found in violations)
        return Input(source)
    if _is_text(source):
        return Input(load_source(SourceFile(TEXT_NAME, os.fspath(source)), options))
    return load_input(os.fspath(source), options)


def _check_fixed(source: Source, options: LoadOptions) -> None:
    """Constants and counts are settled when a program is made; changing them is a mistake."""
    if isinstance(source, Program) and options != LoadOptions():
        raise InputError.of(
            "`defines`, `threads`, `max_threads`, `c` apply to files and text, not to a program",
            hint="give them to `load`",
        )


def _load_options(
    defines: Mapping[str, str | int | bool] | None,
    threads: Mapping[str, int] | None,
    max_threads: int,
    c: COptions | None = None,
) -> LoadOptions:
    written = {name: _literal(value) for name, value in (defines or {}).items()}
    counts = {
        name: _at_least(0, count, f"threads[{name!r}]") for name, count in (threads or {}).items()
    }
    most = _at_least(1, max_threads, "max_threads")
    return LoadOptions(written, counts, most, c or COptions())


def _literal(value: str | int | bool) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _at_least(least: int, value: int, name: str) -> int:
    if value < least:
        raise InputError.of(f"{name} = {value}: expected a number of at least {least}")
    return value


def _budget(time_limit: str | float | None, memory_limit: str | int | None) -> Budget:
    return Budget(
        None if time_limit is None else parse_time(str(time_limit)),
        None if memory_limit is None else parse_memory(str(memory_limit)),
    )
