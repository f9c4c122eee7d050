"""Forged files: several proofs in one, other options, parts of proofs, values of other types."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.robustness.command_line import threadwise
from tests.robustness.forgeries_in_c import LOCKED, OTHERWISE, SAFELY
from tests.robustness.forgeries_of_steps import ANY_NUMBER
from tests.unit.proofs.base.audited import prove
from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import MISUSE, Input, load_c_sources, load_input
from threadwise.driver.rechecking import Certification, certify_file
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.locksets.lockset_engine import LocksetEngine
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.base.answer import Refuted
from threadwise.proofs.base.documents import certificate_to_json
from threadwise.proofs.base.files import certificate_lines
from threadwise.proofs.transformed.certificate import Simplify, behind

Data = dict[str, Any]
TIDY = LoadOptions({"TIDY": "1"})
USUAL = LoadOptions()
MISUSED = """#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *f(void *p) {
    pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m);
#ifndef TIDY
    pthread_mutex_lock(&m); int many = x > 1000; pthread_mutex_unlock(&m);
    if (many) pthread_mutex_unlock(&m);
#endif
    return p;
}
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }
"""
RACY = LOCKED.replace(SAFELY, f"\n#ifdef TIDY\n{SAFELY}\n#else\n{OTHERWISE}\n#endif\n")


@cache
def loaded(text: str, *, tidy: bool = False) -> Input:
    """A program in C."""
    return load_c_sources([SourceFile("t.c", text)], TIDY if tidy else USUAL)


@cache
def by_locksets(text: str, claimed: str, *, tidy: bool = False) -> Data:
    """The document of a proof, in part if there is none of the whole."""
    program = loaded(text, tidy=tidy)
    assert program.simpler is not None
    wanted = [p for p in program.worked_on.properties if p.name == claimed]
    task = Task(program.worked_on, tuple(wanted), EngineOptions())
    for finding in LocksetEngine().run(task):
        found = getattr(finding, "certificate", None)
        if found is not None:
            steps = tuple(map(Simplify, program.simpler.names))
            whole = behind(steps, program_hash(program.program), found)
            document: Data = json.loads(
                json.dumps(certificate_to_json(whole, TIDY if tidy else USUAL))
            )
            assert isinstance(finding, Proved) or document["partial"]
            return document
    raise AssertionError("nothing is proved")


def certified(folder: Path, text: str, *documents: Data) -> Certification:
    """What `certify` says of a file with some proofs."""
    (folder / "t.c").write_text(text, encoding="utf-8")
    lines = [line for each in documents for line in certificate_lines(each)]
    (folder / "proof.json").write_text("\n".join(lines), encoding="utf-8")
    return certify_file(str(folder / "t.c"), str(folder / "proof.json"), audit=False)


def test_another_program_does_not_take_an_assumption_away(tmp_path: Path) -> None:
    races = by_locksets(MISUSED, "races")
    mutex = by_locksets(MISUSED, "mutex", tidy=True)
    (alone,) = certified(tmp_path, MISUSED, races).proofs
    assert MISUSE in alone.assumptions
    other, same = certified(tmp_path, MISUSED, mutex, races).proofs
    assert "mutex" in other.checked.properties
    assert MISUSE in same.assumptions


def test_the_same_program_does(tmp_path: Path) -> None:
    text = MISUSED.replace("if (many)", "if (0)")
    races, mutex = by_locksets(text, "races"), by_locksets(text, "mutex")
    for proof in certified(tmp_path, text, mutex, races).proofs:
        assert MISUSE not in proof.assumptions


def test_another_program_does_not_make_a_part_a_whole(tmp_path: Path) -> None:
    part = by_locksets(RACY, "races")
    whole = by_locksets(RACY, "races", tidy=True)
    found = certified(tmp_path, RACY, whole, part)
    assert found.properties == ("races",)
    assert found.partial == ("races",)


def test_a_part_does_not_leave_a_race_out(tmp_path: Path) -> None:
    """Which locations are proved is computed, whatever the file says."""
    part = copy.deepcopy(by_locksets(RACY, "races"))
    assert part["partial"] == ["races"]
    part["locations"] = []
    (proof,) = certified(tmp_path, RACY, part).proofs
    (racy,) = (each for each in proof.checked.locations["races"] if each.name == "x")
    assert not racy.is_proved
    assert not proof.checked.properties


def test_a_part_is_not_said_to_be_whole(tmp_path: Path) -> None:
    whole = {**by_locksets(RACY, "races"), "partial": [], "properties": ["races"]}
    with pytest.raises(Refuted, match="may race"):
        certified(tmp_path, RACY, whole)


def test_a_part_claims_a_property_that_there_is(tmp_path: Path) -> None:
    for name, why in (("zzz", "no property"), ("deadlocks", "only freedom of races")):
        with pytest.raises(Refuted, match=why):
            certified(tmp_path, RACY, {**by_locksets(RACY, "races"), "partial": [name]})


def test_the_options_are_those_of_the_program(tmp_path: Path) -> None:
    """A proof of the program with a macro is none of the program without."""
    proof = copy.deepcopy(by_locksets(RACY, "races", tidy=True))
    proof["load"]["defines"] = {}
    with pytest.raises(InputError, match="another program"):
        certified(tmp_path, RACY, proof)
    proof["program_hash"] = program_hash(loaded(RACY).program)
    proof["inner_hash"] = program_hash(loaded(RACY).worked_on)
    with pytest.raises(Refuted):
        certified(tmp_path, RACY, proof)


def test_a_parametric_program_that_is_not_verified_is_refuted(tmp_path: Path) -> None:
    path = tmp_path / "t.tw"
    path.write_text(ANY_NUMBER, encoding="utf-8")
    program = load_input(str(path)).program
    document = certificate_to_json(prove(program, "horn", "assert:1"), LoadOptions())
    document["steps"] = [{"step": "gather", "most": [{"template": "w", "most": 1}]}]
    text = "\n".join(certificate_lines(document))
    (tmp_path / "proof.json").write_text(text, encoding="utf-8")
    with pytest.raises(Refuted, match="not verified"):
        certify_file(str(path), str(tmp_path / "proof.json"))


# -- values that make no sense -------------------------------------------------------------------


def _c(**options: Any) -> Callable[[Data], None]:
    return lambda data: data["load"].update(c=options)


def _load(**options: Any) -> Callable[[Data], None]:
    return lambda data: data["load"].update(options)


ODD: list[tuple[Callable[[Data], None], str]] = [
    (_load(max_threads=True), "not an integer"),
    (_load(max_threads=1e3), "not an integer"),
    (_load(max_threads=-1), "not a position"),
    (_load(max_threads=10**30), "too many"),
    (_load(max_threads=float("nan")), "not an integer"),
    (_load(threads={"f": 2}), "no such thread"),
    (_load(threads=[]), "malformed"),
    (_load(defines={"X": 1}), "not a text"),
    (_load(defines=None), "malformed"),
    (_load(c=[1]), "malformed"),
    (_load(seed=1), "unknown option"),
    (_c(zzz=1), "unknown option"),
    (_c(data_model="LP128"), "malformed"),
    (_c(standard=17), "wrong value"),
    (_c(standard="zzz"), "refuses to read"),
    (_c(create_may_fail=1), "wrong value"),
    (_c(pure="f"), "not a list"),
    (_c(pure=[1]), "not a text"),
    (_c(entry=["nobody"]), "nobody"),
    (_c(library=["nowhere.toml"]), "no such file"),
    (_c(beside=["nowhere.c"]), "no such file"),
    (_c(beside=["x\0y"]), "x"),
    (_c(unreached=["t.c:1"]), "nothing ends the model"),
    (_c(any_value=["t.c:1"]), "nothing leaves a value"),
    (lambda data: data.update(properties=[]), "claims no property"),
    (lambda data: data.update(properties="races"), "has no property|no property"),
    (lambda data: data.update(program_hash="0"), "another program"),
    (lambda data: data.update(kind=["locksets"]), "malformed"),
    (lambda data: data.update(format_version=1), "format 1"),
    (lambda data: data.update(inner_kind="transformed"), "change of a changed program"),
    (lambda data: data.update(given={"f": 1}), "not a text"),
    (lambda data: data["knowledge"].append([10**30, [{}]]), "no location"),
    (lambda data: data["knowledge"].append([-1, [{}]]), "not a position"),
    (lambda data: data["knowledge"].append([0, [{"held": ["x" * 9]}]]), "cannot be read"),
    (lambda data: data["knowledge"].append([0, [{"facts": ["!" * 3000]}]]), "cannot be read"),
]


@pytest.mark.parametrize("number", range(len(ODD)))
def test_values_that_make_no_sense_are_refused(number: int, tmp_path: Path) -> None:
    edit, why = ODD[number]
    document = copy.deepcopy(by_locksets(LOCKED, "races"))
    edit(document)
    with pytest.raises((InputError, Refuted), match=why):
        certified(tmp_path, LOCKED, document)


def test_keys_that_are_there_twice(tmp_path: Path) -> None:
    """As users meet it: the last one counts, and the file is refused."""
    document = by_locksets(RACY, "races", tidy=True)
    (tmp_path / "t.c").write_text(RACY, encoding="utf-8")
    text = json.dumps(document)
    (tmp_path / "proof.json").write_text(f'{text[:-1]}, "load": {{}}}}', encoding="utf-8")
    outcome = threadwise("certify", "t.c", "proof.json", cwd=tmp_path)
    assert (outcome.code, outcome.out) == (2, "")
    assert "malformed: there is no 'defines'" in outcome.err
