"""The options for C, property files, and which files are one program."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.unit.cli.conftest import Run
from threadwise.cli.check import _programs
from threadwise.cli.property_files import expand
from threadwise.cli.settings import without_file
from threadwise.core.c_options import COptions, DataModel
from threadwise.core.errors import InputError
from threadwise.core.load_documents import load_from_json, load_to_json
from threadwise.core.load_options import LoadOptions


def test_options_for_the_front_end() -> None:
    given = {"include": ["a", "b"], "data_model": "ilp32", "assume_pure": ["log"]}
    assert without_file(given).load().c == COptions(
        include=("a", "b"), data_model=DataModel.ILP32, pure=frozenset({"log"})
    )


def test_switches_for_what_users_doubt() -> None:
    given = {"spurious_wakeups": True, "malloc_may_fail": False}
    assert without_file(given).load().c == COptions(doubts=frozenset({"spurious-wakeups"}))


def test_unknown_data_model() -> None:
    with pytest.raises(InputError, match="LP46"):
        without_file({"data_model": "LP46"})


def test_all_c_files_are_one_program() -> None:
    assert _programs(["a.c", "m.tw", "b.i", "a.c"]) == [["a.c", "b.i"], ["m.tw"]]


def test_evidence_remembers_the_options() -> None:
    options = COptions(
        include=("x",),
        standard="c11",
        data_model=DataModel.ILP32,
        pure=frozenset({"b", "a"}),
        create_may_fail=True,
        doubts=frozenset({"malloc-may-fail", "weak-order@a.c:7"}),
        beside=("b.c",),
    )
    load = LoadOptions({"N": "2"}, c=options)
    assert load_from_json({"load": load_to_json(load)}, "t.json") == load
    assert "c" not in load_to_json(LoadOptions())


@pytest.mark.parametrize(
    "wrong", [{"include": "x"}, {"data_model": "LP1"}, {"nonsense": 1}, {"create_may_fail": 2}]
)
def test_malformed_options_in_evidence(wrong: dict[str, object]) -> None:
    data = load_to_json(LoadOptions())
    data["c"] = wrong
    with pytest.raises(InputError, match="malformed"):
        load_from_json({"load": data}, "t.json")


REACH = "CHECK( init(main()), LTL(G ! call(reach_error())) )\n"
RACE = "CHECK( init(main()), LTL(G ! data-race) )\n"


def test_property_files(tmp_path: Path) -> None:
    reach, both = tmp_path / "reach.prp", tmp_path / "both.prp"
    reach.write_text(REACH)
    both.write_text(REACH + "\n" + RACE)
    assert expand([str(reach), "deadlocks"]) == ("assertions", "deadlocks")
    assert expand([str(both)]) == ("assertions", "races")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("CHECK( init(main()), LTL(F end) )", "1:1"),
        (REACH + "CHECK( init(main()), LTL(G valid-free) )", "2:1"),
        ("nonsense", "1:1"),
    ],
)
def test_other_properties_are_refused(tmp_path: Path, text: str, place: str) -> None:
    file = tmp_path / "p.prp"
    file.write_text(text)
    with pytest.raises(InputError) as caught:
        expand([str(file)])
    assert f"p.prp:{place}" in str(caught.value)


def test_c_errors_have_line_and_caret(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("int counter;\nint main(void) {\n    return countr;\n}\n")
    outcome = run("check", "bad.c")
    assert outcome.code == 2
    assert outcome.err.splitlines()[:3] == [
        "bad.c:3:12: error: use of undeclared identifier `countr`; did you mean `counter`?",
        "        return countr;",
        "               ^~~~~~",
    ]
    assert "hint:" not in outcome.err  # it would say the same once more
    assert "note: `counter` declared here" in outcome.err


def test_missing_header(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text('#include "queue.h"\nint main(void) { return 0; }\n')
    outcome = run("check", "bad.c")
    assert outcome.code == 2
    assert "bad.c:1:10: error: `queue.h` file not found" in outcome.err
    assert "hint: -I names a folder with headers" in outcome.err


def test_sarif_of_a_program_that_is_rejected_is_no_success(run: Run, tmp_path: Path) -> None:
    """Otherwise a code-scanning service takes every alert for repaired."""
    (tmp_path / "bad.c").write_text("int main(void) { return nobody; }\n")
    outcome = run("check", "bad.c", "--format", "sarif")
    assert outcome.code == 2
    (told,) = json.loads(outcome.out)["runs"]
    assert told["results"] == []
    (invocation,) = told["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"].startswith("bad.c:1:25: error: use of undeclared")


def test_a_standard_that_does_not_exist(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good.c").write_text("int main(void) { return 0; }\n")
    outcome = run("check", "good.c", "-std", "c55")
    assert outcome.code == 2
    assert "-std=c55" in outcome.err


def test_a_macro_may_be_empty(run: Run, tmp_path: Path) -> None:
    text = "#include <assert.h>\nint main(void) { int n = 1 EMPTY; assert(n == 1); }\n"
    (tmp_path / "good.c").write_text(text)
    assert run("check", "good.c", "-D", "EMPTY=", "--property", "assertions").code == 0
    assert run("check", "good.c", "-D", "EMPTY", "--property", "assertions").code == 2


def test_wrong_macro(run: Run, tmp_path: Path) -> None:
    (tmp_path / "good.c").write_text("int main(void) { return N; }\n")
    assert run("check", "good.c", "-D", "2N=3").code == 2
    outcome = run("check", "good.c", "-D", "N=)")
    assert outcome.code == 2
    assert "good.c:1:25: error: expected expression" in outcome.err


def test_proofs_are_explained_for_the_program_they_are_about(run: Run, tmp_path: Path) -> None:
    """The proof is one of the program in which `malloc` may return NULL."""
    text = "#include <stdlib.h>\nint x; int main(void) { if (malloc(1)) x = 1; return x; }\n"
    (tmp_path / "t.c").write_text(text)
    assert run("explain", "t.c", "--property", "mutex").code == 0


REJECTED = "use of undeclared identifier `nobody`"


@pytest.mark.parametrize(
    ("form", "told"),
    [
        ("gcc", f"bad.c:1:25: error: {REJECTED}\n"),
        (
            "github",
            f"::error file=bad.c,line=1,endLine=1,col=25,title=no result::{REJECTED}\n",
        ),
    ],
)
def test_other_formats_name_a_program_that_is_rejected(
    run: Run, tmp_path: Path, form: str, told: str
) -> None:
    (tmp_path / "bad.c").write_text("int main(void) { return nobody; }\n")
    outcome = run("check", "bad.c", "--format", form)
    assert (outcome.code, outcome.out) == (2, told)
    assert REJECTED in outcome.err


def test_junit_has_an_error_for_a_program_that_is_rejected(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.c").write_text("int main(void) { return nobody; }\n")
    outcome = run("check", "bad.c", "--format", "junit")
    assert outcome.code == 2
    suite = ElementTree.fromstring(outcome.out).find("testsuite")
    assert suite is not None
    assert (suite.get("name"), suite.get("errors")) == ("bad.c", "1")
    error = suite.find("testcase/error")
    assert error is not None
    assert error.get("message") == REJECTED
    assert error.text == f"bad.c:1:25: error: {REJECTED}"


def test_junit_has_an_error_for_a_program_that_is_not_there(run: Run) -> None:
    outcome = run("check", "nobody.tw", "--format", "junit")
    assert outcome.code == 2
    error = ElementTree.fromstring(outcome.out).find("testsuite/testcase/error")
    assert error is not None
    assert "nobody.tw" in error.get("message", "")
