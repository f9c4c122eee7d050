"""Checking annotated programs in C."""

from __future__ import annotations

from tests.examples.annotations import Case
from threadwise.core.reading import read_source
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import load_c
from threadwise.driver.selection import select_properties
from threadwise.frontends.c.options import COptions
from threadwise.ir.program import Program
from threadwise.results.result import Result
from threadwise.results.verdict import Verdict, overall


def load_case(case: Case) -> Program:
    return load_c([read_source(str(case.path))], COptions(define=case.defines)).program


def check_case(case: Case, engine: str = "explicit") -> dict[str, Verdict]:
    """The verdict for each annotated value of --property; each comes with its evidence."""
    program = load_case(case)
    options = CheckOptions(properties=tuple(case.verdicts), engine=engine)
    result = check_loaded(str(case.path), lambda: program, options, in_process=True)
    assert_evidence(result)
    known = {checked.name: checked.verdict for checked in result.properties}
    return {
        selector: overall(known[p.name] for p in select_properties(program, [selector]))
        for selector in case.verdicts
    }


def assert_evidence(result: Result) -> None:
    for checked in result.properties:
        if checked.verdict is Verdict.UNSAFE:
            assert checked.trace is not None
        elif checked.verdict is Verdict.SAFE:
            assert checked.certificate is not None
        else:
            assert checked.reason
