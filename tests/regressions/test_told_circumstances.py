"""`certify` and `replay` say how the program was loaded and what the verdict rests on."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from threadwise.cli.main import app
from threadwise.core.c_options import COptions, DataModel
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile, Span
from threadwise.driver.loading import Input
from threadwise.driver.rechecking import replay_recorded
from threadwise.frontends.model import load_model
from threadwise.report.loading import load_to_json, options_given
from threadwise.traces.replay import ReplayFailure

MODEL = """
const int N = 3;
int[0..9] x;
mutex m;
thread t[*] { acquire(m); x = 1; x = 0; release(m); assert(x <= N); }
thread u[*] { skip; }
"""
C = """
#include <pthread.h>
#include <assert.h>
int f(int);
int x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
void *w(void *a) { pthread_mutex_lock(&m); x = N; f(1); pthread_mutex_unlock(&m); return 0; }
int main() { pthread_t t; pthread_create(&t, 0, w, 0); pthread_join(t, 0); assert(x == 4); }
"""


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, list(arguments))
    return done.exit_code, done.stdout


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("a.tw").write_text(MODEL, encoding="utf-8")
    Path("a.c").write_text(C, encoding="utf-8")
    return tmp_path


GIVEN = ("-D", "N=5", "--threads", "u=0", "--threads", "t=2", "--max-threads", "3")
TOLD = "loaded with: --define N=5 --threads u=0 --threads t=2 --max-threads 3"
GIVEN_C = ("-DN=4", "--assume-pure", "f", "--data-model", "ILP32", "-std=gnu11")
TOLD_C = "loaded with: --define N=4 --standard gnu11 --data-model ILP32 --assume-pure f"


@pytest.mark.usefixtures("folder")
def test_certify() -> None:
    assert run("check", "a.tw", *GIVEN, "--certificate", "p.json")[0] == 0
    code, out = run("certify", "a.tw", "p.json")
    assert (code, out.splitlines()[0]) == (0, f"valid: p.json proves for a.tw {TOLD}")
    code, out = run("certify", "a.tw", "p.json", "--format", "json")
    (proof, *_) = json.loads(out)["proofs"]
    assert " ".join(proof["options"]) == TOLD.removeprefix("loaded with: ")
    assert proof["load"]["defines"] == {"N": "5"}
    assert proof["load"]["c"]["data_model"] == "LP64"


@pytest.mark.usefixtures("folder")
def test_certify_c() -> None:
    assert run("check", "a.c", *GIVEN_C, "--certificate", "p.json")[0] == 0
    code, out = run("certify", "a.c", "p.json")
    assert (code, out.splitlines()[0]) == (0, f"valid: p.json proves for a.c {TOLD_C}")
    assert "\n  assuming: `f` has no effect" in out
    code, out = run("certify", "a.c", "p.json", "--format", "json")
    assert json.loads(out)["proofs"][0]["assumptions"]


@pytest.mark.usefixtures("folder")
def test_replay() -> None:
    given = (*GIVEN_C[1:], "-DN=5")
    assert run("check", "a.c", *given, "--trace", "t.json")[0] == 1
    code, out = run("replay", "a.c", "t.json")
    told = TOLD_C.replace("N=4", "N=5")
    assert code == 0
    assert f"reproduces: t.json violates assert:8 of a.c {told}\n  assuming: `f` has" in out
    code, out = run("replay", "a.c", "t.json", "--format", "json")
    found = json.loads(out)
    assert (found["reproduces"], found["property"], bool(found["assumptions"])) == (
        True,
        "assert:8",
        True,
    )
    assert found["load"]["c"]["pure"] == ["f"]


@pytest.mark.usefixtures("folder")
def test_refusals_as_json() -> None:
    assert run("check", "a.tw", "-D", "N=0", "--threads", "t=2", "--trace", "t.json")[0] == 1
    data = json.loads(Path("t.json").read_text(encoding="utf-8"))
    data["violation"] = "all is well"
    Path("t.json").write_text(json.dumps(data), encoding="utf-8")
    code, out = run("replay", "a.tw", "t.json", "--format", "json")
    assert (code, json.loads(out)["reproduces"]) == (1, False)
    assert "all is well" in json.loads(out)["reason"]
    assert run("replay", "a.tw", "t.json", "--format", "xml")[0] == 2


def test_every_option_that_differs_is_told() -> None:
    """Also one that is added later: whatever is not at its default appears."""
    others: dict[type, Any] = {
        tuple: ("some",),
        frozenset: frozenset({"some"}),
        str: "some",
        bool: True,
    }
    for field in fields(COptions):
        if field.name == "max_threads":
            continue
        value = others.get(type(field.default), DataModel.ILP32)
        options = LoadOptions(c=replace(COptions(), **{field.name: value}))
        assert len(options_given(options)) == 1, field.name
        assert (
            load_to_json(options)["c"][field.name] != load_to_json(LoadOptions())["c"][field.name]
        )
    assert options_given(LoadOptions({"A": "1"}, {"t": 2}, 9)) == [
        "--define A=1",
        "--threads t=2",
        "--max-threads 9",
    ]
    assert options_given(LoadOptions()) == []


def test_doubt_is_applied(tmp_path: Path) -> None:
    """A run through a value that is not computed reproduces nothing."""
    text = "int[0..1] x; thread t { havoc x; assert(x == 0); }"
    path = tmp_path / "a.tw"
    path.write_text(text, encoding="utf-8")
    assert run("check", str(path), "--trace", str(tmp_path / "t.json"))[0] == 1
    program = load_model(SourceFile(str(path), text))
    (standing,) = {e.span for e in program.edges if getattr(e.action, "havocs", ())}
    assert isinstance(standing, Span)

    def loaded(_: LoadOptions) -> Input:
        return Input(program)

    def approximated(_: LoadOptions) -> Input:
        return Input(program, approximated=frozenset({standing}))

    assert replay_recorded(loaded, str(tmp_path / "t.json")).described.violation
    with pytest.raises(ReplayFailure, match="a value that is not computed"):
        replay_recorded(approximated, str(tmp_path / "t.json"))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("option", ["--certificate", "--trace"])
def test_inputs_are_not_overwritten(option: str) -> None:
    Path("link.json").symlink_to("a.tw")
    Path("hard.json").hardlink_to("a.tw")
    Path("other.h").write_text("int y;\n", encoding="utf-8")
    for name in ("a.tw", "link.json", "hard.json", "./a.tw", "other.h"):
        assert run("check", "a.tw", "-D", "N=5", option, name)[0] == 2
    assert run("check", "a.c", *GIVEN_C, option, "a.c")[0] == 2
    assert run("check", "a.tw", "--certificate", "e.json", "--trace", "./e.json")[0] == 2
    assert Path("a.tw").read_text(encoding="utf-8") == MODEL
    assert Path("other.h").read_text(encoding="utf-8") == "int y;\n"
