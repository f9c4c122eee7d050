"""A second check of a program checks the evidence of the first, and believes nothing else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import Input, load_c_sources, load_model_source
from threadwise.driver.remembering import Cache
from threadwise.results.result import Result

OWNED = "mutex m; int[0..3] x; thread t[2] { acquire(m); x = 1; assert(x == 1); release(m); }"
BROKEN = OWNED.replace("acquire(m); ", "acquire(m); release(m); acquire(m); x = 0; ").replace(
    "x = 1; assert(x == 1)", "x = 2; assert(x == 1)"
)
HEAP = """
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m;
int *p;
void *t(void *u) { pthread_mutex_lock(&m); if (p) *p += 1; pthread_mutex_unlock(&m); return u; }
int main(void) {
  pthread_t a, b;
  p = malloc(sizeof *p);
  %s = 0;
  pthread_create(&a, 0, t, 0); pthread_create(&b, 0, t, 0);
  pthread_join(a, 0); pthread_join(b, 0);
  %s
  assert(*p == 2);
}
"""
SURE = HEAP % ("if (p) *p", "if (p)")
TRUSTING = HEAP % ("*p", "")
PROGRAMS = {
    "a proof of a model": ("x.tw", OWNED),
    "a violation of a model": ("x.tw", BROKEN),
    "a proof of C": ("x.c", SURE),
    "a proof that assumes something": ("x.c", TRUSTING),
    "a violation of C": ("x.c", SURE.replace("== 2", "== 1")),
}


def checked(name: str, text: str, cache: Path, *properties: str) -> Result:
    """The result for a program, with a cache."""
    options = CheckOptions(properties or ("assertions", "races"), cache=str(cache))
    source = SourceFile(name, text)
    loaded = (
        (lambda: load_c_sources([source], options.load))
        if name.endswith(".c")
        else (lambda: load_model_source(source, options.load))
    )
    return check_loaded(name, loaded, options, in_process=True)


def told(result: Result) -> list[object]:
    """What a user reads."""
    return [
        (
            each.name,
            each.verdict,
            each.engine,
            [(assumed.doubt.key, assumed.matters) for assumed in each.doubts],
            each.allowed,
        )
        for each in result.properties
    ]


@pytest.mark.parametrize("program", PROGRAMS)
def test_nobody_searches_twice(program: str, tmp_path: Path) -> None:
    first = checked(*PROGRAMS[program], tmp_path)
    assert first.tried
    second = checked(*PROGRAMS[program], tmp_path)
    assert second.tried == ()
    assert told(second) == told(first)
    assert second.assumptions == first.assumptions
    assert all(each.check_time_s is not None for each in second.properties)


def test_only_what_is_new_is_searched_for(tmp_path: Path) -> None:
    checked("x.tw", OWNED, tmp_path, "assertions")
    second = checked("x.tw", OWNED, tmp_path, "assertions", "races")
    assert second.tried
    assert checked("x.tw", OWNED, tmp_path, "races", "assertions").tried == ()


def test_another_program_is_another_one(tmp_path: Path) -> None:
    checked("x.tw", OWNED, tmp_path)
    assert checked("x.tw", BROKEN, tmp_path).tried


def program_folders(cache: Path) -> list[Path]:
    """The folders of the programs of a cache."""
    return sorted(path.parent for path in cache.rglob("answers.json"))


@pytest.mark.parametrize("damage", ["text", "list", "version", "kind", "gone", "cut", "field"])
def test_what_is_damaged_is_searched_for(damage: str, tmp_path: Path) -> None:
    first = checked("x.tw", OWNED, tmp_path)
    [folder] = program_folders(tmp_path)
    answers, evidence = folder / "answers.json", sorted(folder.glob("cert*"))
    match damage:
        case "text":
            answers.write_text("{")
        case "list":
            answers.write_text("[]")
        case "version":
            answers.write_text(answers.read_text().replace('"format_version": 1', '"x": 0'))
        case "kind":
            answers.write_text(answers.read_text().replace('"allowed": null', '"allowed": 3'))
        case "gone":
            for file in evidence:
                file.unlink()
        case "cut":
            for file in evidence:
                file.write_text(file.read_text()[:40])
        case _:
            for file in evidence:
                file.write_text(file.read_text().replace('"properties": ["', '"properties": ["y'))
    second = checked("x.tw", OWNED, tmp_path)
    assert second.tried
    assert told(second) == told(first)


def test_a_proof_of_another_program_is_not_believed(tmp_path: Path) -> None:
    checked("x.tw", OWNED, tmp_path / "right")
    bad = checked("x.tw", BROKEN, tmp_path / "wrong")
    [right] = program_folders(tmp_path / "right")
    [wrong] = program_folders(tmp_path / "wrong")
    for file in right.iterdir():
        text = file.read_text().replace(right.name, wrong.name)
        (wrong / file.name).write_text(text)
    names = json.loads((wrong / "answers.json").read_text())["answers"]
    assert names
    second = checked("x.tw", BROKEN, tmp_path / "wrong")
    assert told(second) == told(bad)
    assert [each.verdict for each in second.properties].count(bad.verdict) >= 1


@pytest.mark.slow
def test_programs_are_loaded_for_what_is_asked_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked("x.c", SURE, tmp_path, "assertions", "races")
    file = next(tmp_path.rglob("answers.json"))
    document = json.loads(file.read_text())
    for name, answer in document["answers"].items():
        answer["allowed"] = ["malloc"] if name == "races" else ["trylock"]
    file.write_text(json.dumps(document))
    loaded: list[frozenset[str] | None] = []

    def noted(given: Input, allowed: frozenset[str] | None) -> None:
        loaded.append(allowed)

    monkeypatch.setattr(Cache, "_with", staticmethod(noted))
    assert checked("x.c", SURE, tmp_path, "races").properties[0].verdict == "SAFE"
    assert loaded == [frozenset({"malloc"})]
