"""Evidence of earlier runs: checked again instead of searched for again.

A cache is a folder with one folder for each program, named by its hash:

    ab/ab12…/answers.json        for each property: which engine answered, with which evidence
             certificate-0.json  as `check --certificate` writes it
             trace-1.json        as `check --trace` writes it

The cache is not trusted. Evidence passes the same checks as that of an engine, on the program as
it is read now; what does not pass, or cannot be read, is ignored, and the engines search. What is
assumed of doubtful behaviour is computed from the program; only whether it matters, on which no
verdict depends, is taken from the cache.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from threadwise.core.errors import InputError
from threadwise.core.reading import read_lines, read_source
from threadwise.core.writing import write_lines
from threadwise.driver.defects import EvidenceError
from threadwise.driver.loading import Input
from threadwise.driver.running.messages import Decided, Send
from threadwise.driver.running.work import Work
from threadwise.proofs.base.certificate import Certificate
from threadwise.results.result import Assumed, PropertyResult, Result
from threadwise.results.verdict import Verdict
from threadwise.traces.trace import Trace

FORMAT_VERSION = 1
ANSWERS = "answers.json"

Begin = Callable[[Input, Iterable[str], Send], Work]


@dataclass(frozen=True)
class _Answer:
    """What is remembered of a property."""

    engine: str
    file: str
    allowed: frozenset[str] | None
    """The doubtful behaviour of the program that the evidence is about; None: as it was loaded."""
    matters: Mapping[str, bool | None] = field(default_factory=dict)
    """Which of the behaviour that is assumed away matters, by its key."""


class Cache:
    """The evidence about one program."""

    def __init__(self, folder: str, program_hash: str) -> None:
        name = program_hash.rpartition(":")[2]
        self.folder = Path(folder) / name[:2] / name

    # -- recalling -------------------------------------------------------------------------------

    def recall(self, loaded: Input, asked: Collection[str], begin: Begin, send: Send) -> set[str]:
        """Report cached answers that pass their checks; the names of these properties."""
        settled: set[str] = set()
        programs: dict[frozenset[str] | None, Input | None] = {}
        for (file, allowed), answers in self._by_evidence(asked):
            if allowed not in programs:
                programs[allowed] = self._with(loaded, allowed)
            given = programs[allowed]
            if given is None:
                continue
            teller = _Teller(given, answers, send)
            record = replace(given, simplify=None)  # what evidence is about
            work = begin(record, [name for name in answers if name not in settled], teller.take)
            for evidence in self._read(file):
                engine = next(iter(answers.values())).engine
                try:
                    work.accept(engine, evidence)
                except (EvidenceError, InputError):
                    continue  # stale: as if it had never been remembered
            settled |= teller.told
        return settled

    def _by_evidence(
        self, asked: Collection[str]
    ) -> Iterator[tuple[tuple[str, frozenset[str] | None], dict[str, _Answer]]]:
        found: dict[tuple[str, frozenset[str] | None], dict[str, _Answer]] = {}
        for name, answer in self._answers().items():
            if name not in asked:
                continue  # to load the program that it is about takes a moment
            found.setdefault((answer.file, answer.allowed), {})[name] = answer
        return iter(found.items())

    def _answers(self) -> dict[str, _Answer]:
        """What is remembered; nothing if the file is missing, of another format or damaged."""
        try:
            data = json.loads((self.folder / ANSWERS).read_text(encoding="utf-8"))
            if data["format_version"] != FORMAT_VERSION:
                return {}
            return {name: _answer(each) for name, each in data["answers"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {}

    @staticmethod
    def _with(loaded: Input, allowed: frozenset[str] | None) -> Input | None:
        """The program with this doubtful behaviour."""
        if allowed is None or allowed == loaded.allowed:
            return loaded
        return None if loaded.allowing is None else loaded.allowing(allowed)

    def _read(self, file: str) -> Iterator[Certificate | Trace]:
        """The evidence in a file; nothing if it is not as we write it."""
        from threadwise.core.documents import TRACE_FORMAT, parse
        from threadwise.proofs.base.documents import certificate_from_json
        from threadwise.proofs.base.files import read_certificates
        from threadwise.traces.files import trace_from_json

        path = str(self.folder / Path(file).name)
        try:
            if file.startswith("trace"):
                data = parse(read_source(path).text, path, TRACE_FORMAT)
                yield trace_from_json(data, path)
            else:
                for document, line in read_certificates(read_lines(path), path):
                    yield certificate_from_json(document, f"{path}:{line}")
        except InputError:
            return

    # -- remembering -----------------------------------------------------------------------------

    def remember(self, result: Result) -> None:
        """Keep the evidence of a result, in the place of what there was; raises InputError."""
        answers = {
            checked.name: (checked, _remembered(checked))
            for checked in result.properties
            if checked.certificate is not None or checked.trace is not None
        }
        if not answers:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError.of(f"{self.folder}: cannot be written: {error.strerror}") from None
        files: list[tuple[Any, str]] = []
        told = self._answers()
        for name, (checked, answer) in answers.items():
            file = self._kept(result, checked, files)
            told[name] = replace(answer, file=file)
        document = {
            "format_version": FORMAT_VERSION,
            "answers": {name: _answer_to_json(answer) for name, answer in told.items()},
        }
        write_lines(self.folder / ANSWERS, [json.dumps(document, indent=1)])

    def _kept(self, result: Result, checked: PropertyResult, files: list[tuple[Any, str]]) -> str:
        """The file with the evidence for a property; properties proved together share one."""
        from threadwise.proofs.base.documents import certificate_to_json
        from threadwise.proofs.base.files import certificate_lines
        from threadwise.traces.files import trace_to_json

        evidence = checked.certificate or checked.trace
        for known, file in files:
            if known is evidence:
                return file
        load = result.load_of(checked)
        number = len(files)
        if checked.certificate is not None:
            file = f"certificate-{_place(checked)}-{number}.json"
            lines = certificate_lines(certificate_to_json(checked.certificate, load))
        else:
            assert checked.trace is not None
            file = f"trace-{_place(checked)}-{number}.json"
            lines = iter([json.dumps(trace_to_json(checked.trace, load))])
        write_lines(self.folder / file, lines)
        files.append((evidence, file))
        return file


class _Teller:
    """Reports answers with what the cache says about the assumptions that they rest on."""

    def __init__(self, given: Input, answers: Mapping[str, _Answer], send: Send) -> None:
        self.given = given
        self.answers = answers
        self.send = send
        self.told: set[str] = set()

    def take(self, message: object) -> None:
        """One message of the work."""
        if isinstance(message, Decided):
            results = tuple(map(self._completed, message.results))
            self.told |= {result.name for result in results}
            message = replace(message, results=results)
        self.send(message)

    def _completed(self, result: PropertyResult) -> PropertyResult:
        if result.verdict is not Verdict.SAFE:
            return result
        answer = self.answers[result.name]
        doubts = tuple(
            Assumed(doubt, answer.matters.get(doubt.key)) for doubt in self.given.denied
        )
        allowed = None if answer.allowed is None else self.given.allowed
        return replace(result, engine=answer.engine, doubts=doubts, allowed=allowed)


def _remembered(checked: PropertyResult) -> _Answer:
    matters = {assumed.doubt.key: assumed.matters for assumed in checked.doubts}
    return _Answer(checked.engine or "", "", checked.allowed, matters)


def _place(checked: PropertyResult) -> str:
    """Names of files that do not meet those of another run for other properties."""
    import zlib

    return f"{zlib.crc32(checked.name.encode()):08x}"


def _answer(data: Mapping[str, Any]) -> _Answer:
    allowed = data["allowed"]
    return _Answer(
        str(data["engine"]),
        str(data["file"]),
        None if allowed is None else frozenset(map(str, allowed)),
        {
            str(key): None if value is None else bool(value)
            for key, value in data["matters"].items()
        },
    )


def _answer_to_json(answer: _Answer) -> dict[str, Any]:
    return {
        "engine": answer.engine,
        "file": answer.file,
        "allowed": None if answer.allowed is None else sorted(answer.allowed),
        "matters": dict(answer.matters),
    }
