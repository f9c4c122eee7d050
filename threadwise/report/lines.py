"""Reports for editors, pull requests and build servers: gcc, GitHub, JUnit.

Whatever a program or a message contains stays text in them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

from threadwise.core.source import Span
from threadwise.report.failures import Failure
from threadwise.report.findings import Finding, Sources, findings
from threadwise.report.left_out import told_counts
from threadwise.report.page import printable
from threadwise.report.summary import unknown_reason
from threadwise.results.result import PropertyResult, Result
from threadwise.results.verdict import Verdict

_LEVELS = {Verdict.UNSAFE: "error", Verdict.UNKNOWN: "warning", Verdict.SAFE: "note"}
_NO_RESULT = "no result"
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_gcc(results: Sequence[Result], sources: Sources, failures: Sequence[Failure] = ()) -> str:
    """`file:line:column: error: …`, one line each, and one for each program with a result."""
    lines: list[str] = []
    for result in results:
        for finding in _open(result, sources):
            level = _LEVELS[finding.verdict]
            place = _place(finding.span, result.file)
            lines.append(f"{place}: {level}: {finding.message} [{finding.rule.id}]")
            for related in finding.related:
                place = _place(related.span, result.file)
                lines.append(f"{place}: note: {related.message}")
        lines.append(f"{printable(result.file)}: note: {_summary(result)}")
    for failure in failures:
        for each in failure.messages:
            place = _place(each.span, failure.file)
            lines.append(f"{place}: error: {printable(each.message)}")
    return "".join(f"{line}\n" for line in lines)


def to_github(
    results: Sequence[Result], sources: Sources, failures: Sequence[Failure] = ()
) -> str:
    """Annotations of a pull request."""
    lines: list[str] = []
    for result in results:
        for finding in _open(result, sources):
            level = _LEVELS[finding.verdict]
            more = "".join(f"\n{each.span}: {each.message}" for each in finding.related)
            place, title = finding.span, finding.rule.id
            lines.append(_command(level, place, result.file, title, finding.message + more))
        lines.append(f"::notice::{_escaped(f'{result.file}: {_summary(result)}')}")
    for failure in failures:
        for each in failure.messages:
            lines.append(_command("error", each.span, failure.file, _NO_RESULT, each.message))
    return "".join(f"{line}\n" for line in lines)


def _command(level: str, span: Span | None, file: str, title: str, message: str) -> str:
    about = {"file": span.path if span else file}
    if span is not None:
        about |= {"line": str(span.line), "endLine": str(span.end_line), "col": str(span.column)}
    about["title"] = title
    told = ",".join(f"{name}={_escaped(value, '%:,')}" for name, value in about.items())
    return f"::{level} {told}::{_escaped(message)}"


def _escaped(text: str, special: str = "%") -> str:
    """Text in a command to GitHub: what would end it is written as a number."""
    kept = "".join(c if c.isprintable() or c == "\n" else " " for c in text)
    return "".join(f"%{ord(c):02X}" if c in special or c == "\n" else c for c in kept)


def to_junit(results: Sequence[Result], sources: Sources, failures: Sequence[Failure] = ()) -> str:
    """A test suite per program, a test case per property."""
    root = ElementTree.Element("testsuites", name="threadwise")
    for result in results:
        found = list(findings([result], sources))
        suite = ElementTree.SubElement(root, "testsuite", name=_xml(result.file))
        counts = [
            ("tests", len(found)),
            ("failures", sum(each.verdict is Verdict.UNSAFE for each in found)),
            ("errors", len(result.defects)),
            ("skipped", sum(each.verdict is Verdict.UNKNOWN for each in found)),
        ]
        for name, number in counts:
            suite.set(name, str(number))
        _left_out(suite, result)
        suite.set("time", str(result.statistics.get("time_s", 0)))
        for finding, checked in zip(found, result.properties, strict=True):
            _case(suite, result, finding, checked)
        for defect in result.defects:
            case = ElementTree.SubElement(suite, "testcase", name="threadwise itself")
            case.set("classname", _xml(result.file))
            ElementTree.SubElement(case, "error", message=_xml(defect.message), type="defect")
    for failure in failures:
        _failed(root, failure)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _failed(root: ElementTree.Element, failure: Failure) -> None:
    """A test suite with one case, which says why there is no result."""
    suite = ElementTree.SubElement(root, "testsuite", name=_xml(failure.file))
    for name, number in (("tests", 1), ("failures", 0), ("errors", 1), ("skipped", 0)):
        suite.set(name, str(number))
    case = ElementTree.SubElement(suite, "testcase", name=_NO_RESULT)
    case.set("classname", _xml(failure.file))
    message = _xml(failure.messages[0].message)
    error = ElementTree.SubElement(case, "error", message=message, type=_NO_RESULT)
    error.text = _xml("\n".join(map(str, failure.messages)))


def _left_out(suite: ElementTree.Element, result: Result) -> None:
    """How many findings are suppressed or excluded, as properties of a suite."""
    numbers = Counter(each.why for each in result.suppressed)
    if not numbers:
        return
    properties = ElementTree.SubElement(suite, "properties")
    for why, number in numbers.items():
        told = {"name": f"suppressed.{why.value}", "value": str(number)}
        ElementTree.SubElement(properties, "property", told)


def _case(
    suite: ElementTree.Element, result: Result, finding: Finding, checked: PropertyResult
) -> None:
    case = ElementTree.SubElement(suite, "testcase", name=_xml(finding.name))
    case.set("classname", _xml(result.file))
    case.set("time", str(checked.check_time_s or 0))
    match finding.verdict:
        case Verdict.UNSAFE:
            failure = ElementTree.SubElement(case, "failure", message=_xml(finding.message))
            failure.set("type", finding.rule.id)
            failure.text = _xml(
                "\n".join(f"{p.span}: {p.thread}: {p.message}" for p in finding.flow)
            )
        case Verdict.UNKNOWN:
            ElementTree.SubElement(case, "skipped", message=_xml(finding.message))
        case Verdict.SAFE:
            pass


def _xml(text: str) -> str:
    """Text without characters that XML does not have."""
    return _NOT_XML.sub("�", text)


def _open(result: Result, sources: Sources) -> Iterator[Finding]:
    """What is not SAFE."""
    for finding in findings([result], sources):
        if finding.verdict is not Verdict.SAFE:
            yield finding


def _place(span: Span | None, file: str) -> str:
    return printable(f"{file}:1:1" if span is None else str(span))


def _summary(result: Result) -> str:
    reason = unknown_reason(result)
    left_out = f" ({told_counts(result.suppressed)})" if result.suppressed else ""
    return printable(result.verdict.value + left_out + (f": {reason}" if reason else ""))
