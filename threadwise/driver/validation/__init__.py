"""Witnesses read back: `threadwise validate`.

violation     the waypoints are followed by a search, and what is found is replayed (`search`)
correctness   the invariants become claims in the program, which is checked; so is the
              property itself
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace

from threadwise.core.budget import UNLIMITED, Budget, Meter
from threadwise.core.c_options import DataModel
from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.core.reading import read_source
from threadwise.driver.loading import is_c, load_input
from threadwise.driver.validation.search import Answer, follow
from threadwise.driver.witnesses.claims import checked_claims, sources_of, with_claims
from threadwise.driver.witnesses.writing import digest, names_from
from threadwise.driver.witnesses.writing import sources_of as texts_of
from threadwise.report.witnesses.model import (
    SPECIFICATIONS,
    CorrectnessWitness,
    Specification,
    Task,
    ViolationWitness,
)
from threadwise.report.witnesses.reading import read_witness
from threadwise.results.verdict import Verdict
from threadwise.traces.replay import replay
from threadwise.traces.trace import DescribedTrace

__all__ = ["Answer", "Validated", "validate_file"]


@dataclass(frozen=True)
class Validated:
    """What became of a witness."""

    answer: Answer
    reason: str
    described: DescribedTrace | None = None
    """The violation that was found, or the run in which an invariant is false."""
    invariants: tuple[tuple[str, Verdict], ...] = ()
    """What is known of each, by place and expression."""


def validate_file(
    file: str, witness_path: str, load: LoadOptions, budget: Budget = UNLIMITED
) -> Validated:
    """Check whether a witness is right; raises InputError if it is about another program."""
    if not is_c(file):
        raise InputError.of(f"{file}: witnesses are about programs in C")
    witness = read_witness(read_source(witness_path))
    specification = _specification(witness.task, witness_path)
    _check_files(file, load, witness.task, witness_path)
    load = replace(load, c=replace(load.c, data_model=DataModel(witness.task.data_model)))
    if isinstance(witness, ViolationWitness):
        return _violation(file, load, witness, specification, budget)
    return _correctness(file, load, witness, specification, budget)


def _specification(task: Task, path: str) -> Specification:
    told = re.sub(r"\s+", "", task.specification)
    for specification in SPECIFICATIONS:
        if re.sub(r"\s+", "", specification.formula) in told:
            return specification
    raise InputError.of(f"{path}: the property is not checked: {task.specification}")


def _check_files(file: str, load: LoadOptions, task: Task, path: str) -> None:
    """The files must be those that the witness is about, whatever they are called."""
    known = {digest(each) for each in (file, *load.c.beside)}
    for name, value in task.hashes:
        if value.lower() not in known:
            raise InputError.of(
                f"{path}: is about another program: no file here is {name}, by its SHA-256"
            )
    if not task.hashes:
        raise InputError.of(f"{path}: does not say which files it is about")


def _violation(
    file: str,
    load: LoadOptions,
    witness: ViolationWitness,
    specification: Specification,
    budget: Budget,
) -> Validated:
    loaded = load_input(file, load)
    program = loaded.program
    checked = [each for each in program.properties if each.kind.value == specification.kind]
    if program.has_any_number:
        return Validated(Answer.UNDECIDED, "the program has any number of threads")
    texts = texts_of(list(names_from(file, load, loaded.files)))
    meter = Meter(budget)
    found = follow(program, checked, witness.segments, texts, meter.check)
    described = replay(program, found.trace) if found.trace is not None else None
    return Validated(found.answer, found.reason, described)


def _correctness(
    file: str,
    load: LoadOptions,
    witness: CorrectnessWitness,
    specification: Specification,
    budget: Budget,
) -> Validated:
    sources = sources_of(file, load)
    paths = {name: path for path, name in names_from(file, load).items()}
    paths |= {os.path.basename(path): path for path in (file, *load.c.beside)}
    made = with_claims(witness, sources, paths)
    checked = checked_claims(file, load, made, budget)
    told = tuple(
        (f"{i.location.file_name}:{i.location.line}: {i.value}", checked.told(n, i.value))
        for n, i in enumerate(witness.invariants)
    )
    for number, (invariant, verdict) in enumerate(told):
        if verdict is Verdict.UNSAFE:
            answer = checked.answers[number]
            described = answer.trace if answer is not None else None
            return Validated(Answer.REFUSED, f"is false: {invariant}", described, told)
    return _property(file, load, specification, budget, told)


def _property(
    file: str,
    load: LoadOptions,
    specification: Specification,
    budget: Budget,
    told: tuple[tuple[str, Verdict], ...],
) -> Validated:
    """The property itself, in the program as it is."""
    from threadwise.driver.check_options import CheckOptions
    from threadwise.driver.checking import check_file

    options = CheckOptions(properties=(specification.asked,), load=load, budget=budget)
    result = check_file(file, options)
    if result.verdict is Verdict.UNSAFE:
        described = next((c.trace for c in result.properties if c.trace is not None), None)
        return Validated(Answer.REFUSED, "the property does not hold", described, told)
    open_ = [invariant for invariant, verdict in told if verdict is Verdict.UNKNOWN]
    if open_:
        return Validated(Answer.UNDECIDED, f"not proved: {open_[0]}", None, told)
    if result.verdict is Verdict.UNKNOWN:
        return Validated(Answer.UNDECIDED, "the property is not proved", None, told)
    return Validated(Answer.CONFIRMED, "the invariants and the property hold", None, told)
