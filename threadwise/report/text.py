"""The report for people. Its last line is the verdict.

counter.tw

  ✗ UNSAFE  assert:9  assertion  explicit  9:5
  ✓ SAFE    mutex     mutex      explicit

counter.tw:9:5: error: assert:9: assertion fails in worker[1]
    assert(x == 2);
    ^~~~~~~~~~~~~~~
  initially: m = none, x = 0

step  worker[0]    …

24 states · 0.12 s · evidence checked in 0.01 s · 34 MB
UNSAFE
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from threadwise.core.budget import format_memory
from threadwise.core.diagnostics import Diagnostic, Severity
from threadwise.core.source import SourceFile, Span
from threadwise.core.statistics import Name, Number
from threadwise.core.words import count, counted
from threadwise.report.advice import next_steps
from threadwise.report.audits import audited
from threadwise.report.doubts import (
    about_memory,
    about_threads,
    assumed_doubts,
    doubts,
    listed_doubts,
    told_doubt,
)
from threadwise.report.left_out import told_counts, told_list
from threadwise.report.locations import locations_of_result, locations_told
from threadwise.report.page import PLAIN, Page, Style
from threadwise.report.styled import Styled
from threadwise.report.summary import (
    audit_of,
    certificates,
    check_time_s,
    proof_told,
    undecided,
    unknown_reason,
)
from threadwise.results.blockers import Blocker, Nearness, by_engine
from threadwise.results.result import Attempt, PropertyResult, ProvedInPart, Result, Unreached
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import DescribedTrace

MANY = 10
"""More SAFE properties of one kind, or unreached statements, than this are only counted."""

MANY_LINES = 24
"""Longer explanations than this are cut."""

_MARKS = {Verdict.SAFE: "✓", Verdict.UNSAFE: "✗", Verdict.UNKNOWN: "?"}
_STYLES = {
    Verdict.SAFE: "bold green",
    Verdict.UNSAFE: "bold red",
    Verdict.UNKNOWN: "bold yellow",
}
_MEGABYTE = 10**6

Sources = Mapping[str, SourceFile]


def to_text(
    result: Result,
    sources: Sources,
    style: Style = PLAIN,
    told: Mapping[str, Verdict] = MappingProxyType({}),
) -> str:
    """The whole report; `sources` supplies the lines that are quoted.

    `told` are the properties whose rows were printed already, with what comes before them; a row
    that says something else in the end is printed again.
    """
    page = Page(style)
    if not told:
        page.line(result.file, "bold")
    if style.verbose:
        _load(page, result)
    left = tuple(
        checked for checked in result.properties if told.get(checked.name) is not checked.verdict
    )
    least = _least_widths(result.properties, left) if told else ()
    _properties(page, replace(result, properties=left), least)
    for checked in result.properties:
        if checked.trace is not None:
            page.blank()
            _violation(page, checked.name, checked.trace, sources)
    _spare(page, result, sources)
    _limits(page, result)
    _reasons(page, result)
    _explanations(page, result)
    _locations(page, result)
    _suppressed(page, result)
    _vacuity(page, result)
    _remarks(page, result)
    _defects(page, result)
    _tried(page, result)
    page.blank()
    _statistics(page, result)
    _verdict(page, result)
    return f"\n{page.text()}" if told and not left else page.text()


def rows_to_text(
    file: str,
    decided: Sequence[PropertyResult],
    listed: Sequence[PropertyResult],
    style: Style = PLAIN,
    *,
    first: bool = False,
) -> str:
    """The rows of properties that were decided, to be followed by those of others in the list.

    The `first` ones come with the beginning of the report.
    """
    page = Page(style)
    if first:
        page.line(file, "bold")
    _properties(page, Result(file, tuple(decided)), _least_widths(listed, decided))
    return page.text()


def _least_widths(
    listed: Sequence[PropertyResult], decided: Sequence[PropertyResult]
) -> tuple[int, ...]:
    """Columns that rows have in common which are printed one after the other."""
    name = max((len(checked.name) for checked in listed), default=0)
    kind = max((len(checked.kind) for checked in listed), default=0)
    engine = max((len(checked.engine or "") for checked in decided), default=0)
    verdict = max(len(f"{_MARKS[each]} {each.value}") for each in Verdict)
    return (verdict, name, kind, max(engine, len("thread-modular")))


def trace_to_text(described: DescribedTrace, sources: Sources, style: Style = PLAIN) -> str:
    """A single trace, as `replay` shows it."""
    page = Page(style)
    _violation(page, described.trace.property, described, sources)
    return page.text()


def _load(page: Page, result: Result) -> None:
    load = result.load
    settings = [f"-D {name}={value}" for name, value in load.defines.items()]
    settings += [f"--threads {name}={number}" for name, number in load.threads.items()]
    if settings:
        page.line(f"  loaded with {' '.join(settings)}", "dim")
    if result.program_hash is not None:
        page.line(f"  program {result.program_hash}", "dim")


# -- properties ---------------------------------------------------------------------------------


def _properties(page: Page, result: Result, least: Sequence[int] = ()) -> None:
    rows = [_row(checked, result.file) for checked in _listed(page, result)]
    rows += _collapsed(page, result)
    if rows:
        page.blank()
        page.aligned(rows, "  ", least)


def _crowds(page: Page, result: Result) -> dict[str, list[PropertyResult]]:
    """The kinds with too many SAFE properties to list."""
    by_kind: dict[str, list[PropertyResult]] = {}
    for checked in result.properties:
        if checked.verdict is Verdict.SAFE and not page.style.full:
            by_kind.setdefault(checked.kind, []).append(checked)
    return {kind: members for kind, members in by_kind.items() if len(members) > MANY}


def _listed(page: Page, result: Result) -> list[PropertyResult]:
    crowds = _crowds(page, result)
    return [
        checked
        for checked in result.properties
        if checked.verdict is not Verdict.SAFE or checked.kind not in crowds
    ]


def _collapsed(page: Page, result: Result) -> list[list[str | Styled]]:
    rows: list[list[str | Styled]] = []
    for kind, members in _crowds(page, result).items():
        engines = ", ".join(sorted({m.engine for m in members if m.engine is not None}))
        told = f"{len(members)} properties"
        rows.append([_mark(Verdict.SAFE), told, kind, engines, "--full lists them"])
    return rows


def _row(checked: PropertyResult, file: str) -> list[str | Styled]:
    place = _place(checked.location, file)
    return [_mark(checked.verdict), checked.name, checked.kind, checked.engine or "", place]


def _mark(verdict: Verdict) -> Styled:
    return Styled(f"{_MARKS[verdict]} {verdict.value}", _STYLES[verdict])


def _place(span: Span | None, file: str) -> str:
    if span is None:
        return ""
    return f"{span.line}:{span.column}" if span.path == file else str(span)


def _violation(page: Page, name: str, described: DescribedTrace, sources: Sources) -> None:
    message = f"{name}: {described.violation}"
    page.diagnostics([Diagnostic(Severity.ERROR, message, described.location)], sources)
    for waiting in described.waiting:
        page.line(f"  {waiting}")
    _run(page, described)


def _run(page: Page, described: DescribedTrace) -> None:
    from threadwise.report.trace_table import draw_trace

    draw_trace(page, described)


def _spare(page: Page, result: Result, sources: Sources) -> None:
    """What was not asked for and has no answer: notes, which do not change the verdict."""
    for checked in result.spare:
        page.blank()
        if checked.idle is None:
            why = checked.reason or "no reason given"
            page.line(Styled.of(("note: ", "bold"), f"{checked.name}: not decided: {why}"))
            continue
        told = checked.idle.violation.removeprefix("deadlock: ")
        note = f"idle: {told}, but only for work that no remaining thread can supply"
        page.diagnostics([Diagnostic(Severity.NOTE, note, checked.idle.location)], sources)
        for waiting in checked.idle.waiting:
            page.line(f"  {waiting}")
        if page.style.full:
            _run(page, checked.idle)


def _reasons(page: Page, result: Result) -> None:
    """Why properties stayed open, unless the last line says it all."""
    by_reason: dict[str, list[str]] = {}
    for checked in undecided(result):
        by_reason.setdefault(checked.reason or "no reason given", []).append(checked.name)
    if not by_reason or (len(by_reason) == 1 and result.verdict is Verdict.UNKNOWN):
        return
    page.blank()
    for reason, names in by_reason.items():
        page.line(Styled.of(("not decided: ", "bold yellow"), f"{', '.join(names)}: {reason}"))


def _explanations(page: Page, result: Result) -> None:
    """How an engine came to think that a property might be violated."""
    told = [c for c in undecided(result) if c.explanation and c.part is None]
    shown = told if page.style.full else told[:1]
    for checked in shown:
        page.blank()
        page.line(f"why {checked.name} is not proved:")
        lines = checked.explanation
        most = len(lines) if page.style.full else MANY_LINES
        for line in lines[:most]:
            page.line(f"  {line}")
        if len(lines) > most:
            page.line(f"  … {count(len(lines) - most, 'more line')}, shown with --full")
    if len(told) > len(shown):
        page.line(
            f"  ({count(len(told) - len(shown), 'more property', 'more properties')}: --full)"
        )


def _locations(page: Page, result: Result) -> None:
    """What is proved of which locations, where not everything is; of proofs only on demand."""
    for checked in result.properties:
        if checked.part is None and not page.style.full:
            continue
        locations = locations_of_result(checked)
        if not locations:
            continue
        page.blank()
        witnesses = {} if checked.part is None else checked.part.witnesses
        full = page.style.full
        for line, style in locations_told(checked.name, locations, witnesses, full=full):
            page.line(line, style)
        if checked.part is not None:
            for told in _assumed_in_part(result, checked.part):
                page.line(f"  assuming: {told}")


def _assumed_in_part(result: Result, part: ProvedInPart) -> list[str]:
    """The assumptions of a partial proof that are not listed for the whole."""
    told = {assumed.doubt for assumed in doubts(result)}
    found = [each for each in part.assumptions if each not in result.assumptions]
    return found + listed_doubts(each.doubt for each in part.doubts if each.doubt not in told)


def _suppressed(page: Page, result: Result) -> None:
    for number, line in enumerate(told_list(result.suppressed)):
        if number == 0:
            page.blank()
        page.line(line, "" if number else "bold")


# -- beside the verdict -------------------------------------------------------------------------


def _limits(page: Page, result: Result) -> None:
    """Where the model ends, if that may be why something is not known."""
    if result.verdict is not Verdict.UNKNOWN or not result.limits:
        return
    page.blank()
    page.line("limits that may be reached, those that hide most first:")
    shown = result.limits if page.style.full else result.limits[:MANY]
    for limit in shown:
        hides = "what lies behind it" if limit.hidden is None else count(limit.hidden, "location")
        page.line(f"  {limit.message} (hides {hides})")
    if len(shown) < len(result.limits):
        left = len(result.limits) - len(shown)
        page.line(f"  … and {left} more; --full lists them", "dim")


def _vacuity(page: Page, result: Result) -> None:
    if not result.properties and result.reason is None:
        page.blank()
        _warn(page, "there is no property to check, so SAFE says nothing")
    assertions = [statement for statement in result.unreached if statement.is_assertion]
    others = [statement for statement in result.unreached if not statement.is_assertion]
    if assertions:
        page.blank()
        one = len(assertions) == 1
        told = (
            "assertion is never evaluated: it" if one else "assertions are never evaluated: they"
        )
        holds, them = ("holds", "it") if one else ("hold", "them")
        _warn(page, f"{len(assertions)} {told} {holds} only because no execution reaches {them}")
        _statements(page, assertions, result.file)
    if others:
        page.blank()
        _warn(page, f"never reached: {count(len(others), 'statement')}")
        _statements(page, others, result.file)


def _warn(page: Page, message: str) -> None:
    page.line(Styled.of(("warning: ", "bold yellow"), message))


def _statements(page: Page, statements: Sequence[Unreached], file: str) -> None:
    shown = statements if page.style.full else statements[:MANY]
    page.aligned([[_place(s.span, file), s.text] for s in shown], indent="  ")
    if len(shown) < len(statements):
        page.line(f"  … and {len(statements) - len(shown)} more; --full lists them", "dim")


def _remarks(page: Page, result: Result) -> None:
    assumed = doubts(result)
    if result.assumptions or result.bounds or assumed:
        page.blank()
    for assumption in result.assumptions:
        page.line(Styled.of(("assuming: ", "bold"), assumption))
    for each in assumed:
        page.line(Styled.of(("assuming: ", "bold"), told_doubt(each, result.file)))
    for name, value in result.bounds.items():
        page.line(Styled.of(("bound: ", "bold"), f"--{name} {value} cut the search"))


def _defects(page: Page, result: Result) -> None:
    """Where the tool failed, in a line each; `defects_text` has what a report of it needs."""
    if result.defects:
        page.blank()
    for defect in result.defects:
        page.line(Styled.of(("defect of threadwise: ", "bold red"), defect.message))


def _tried(page: Page, result: Result) -> None:
    """What was tried and what to try next; if all went well only on demand."""
    unknown = result.verdict is Verdict.UNKNOWN
    if result.tried and (unknown or page.style.verbose):
        page.blank()
        page.line("tried:", "bold")
        blocked = by_engine(b for checked in undecided(result) for b in checked.blockers)
        rows = [[a.engine, f"{a.time_s:.2f} s", _outcome(a, blocked)] for a in result.tried]
        page.aligned(rows, indent="  ")
    if page.style.verbose:
        for attempt in result.tried:
            _notes(page, attempt)
    steps = next_steps(result) if unknown else []
    if steps:
        page.blank()
        page.line("what to try next:", "bold")
        for step in steps:
            page.line(f"  {step}")


def _outcome(attempt: Attempt, blocked: Mapping[str, Blocker]) -> str:
    """What kept an engine from an answer, if it knows that, or how it ended."""
    blocker = blocked.get(attempt.engine)
    if blocker is None or blocker.nearness >= Nearness.RESOURCE:
        return attempt.outcome
    return blocker.told.split("\n", 1)[0]


def notes_text(attempt: Attempt, style: Style = PLAIN) -> str:
    """Remarks of an engine about its proof, if there are some."""
    page = Page(style)
    _notes(page, attempt)
    return page.text() + "\n" if attempt.notes or (style.verbose and attempt.details) else ""


def _notes(page: Page, attempt: Attempt) -> None:
    """Remarks of an engine; what it did only on demand."""
    lines = [*(attempt.details if page.style.verbose else ()), *attempt.notes]
    if lines:
        page.blank()
        page.line(f"what {attempt.engine} found:", "bold")
        for line in lines:
            page.line(f"  {line}")


# -- the end ------------------------------------------------------------------------------------


def _statistics(page: Page, result: Result) -> None:
    for certificate in certificates(result):
        proves = count(len(certificate.properties), "property", "properties")
        page.line(f"proof of {proves}: {proof_told(result, certificate)}", "dim")
        audit = audit_of(result, certificate)
        if audit is not None:
            page.line(f"  {audited(audit)}", "dim")
    figures = dict(result.statistics)
    time_s = figures.pop(Name.TIME_S.value, None)
    memory = figures.pop(Name.PEAK_MEMORY_BYTES.value, None)
    parts = [_figure(name, value) for name, value in figures.items()]
    if time_s is not None:
        parts.append(f"{time_s:.2f} s")
    checking = check_time_s(result)
    if checking is not None:
        parts.append(f"evidence checked in {checking:.2f} s")
    if memory is not None:
        parts.append(format_memory(round(memory / _MEGABYTE) * _MEGABYTE))
    if parts:
        page.line(" · ".join(parts), "dim")


def _figure(name: str, value: Number) -> str:
    words = name.removesuffix("_s").replace("_", " ")
    if isinstance(value, float):
        return f"{words} {value:.2f}" + (" s" if name.endswith("_s") else "")
    return counted(name, value)


def _verdict(page: Page, result: Result) -> None:
    reason = unknown_reason(result)
    told = result.verdict.value + (f" ({reason})" if reason is not None else "")
    if result.suppressed:
        told += f", {told_counts(result.suppressed)}"
    assumed = [*assumed_doubts(result), *about_memory(result), *about_threads(result)]
    if result.verdict is Verdict.SAFE and assumed:
        told += f" assuming {', '.join(assumed)}"
    page.unwrapped(told, _STYLES[result.verdict])
