"""Options and comments that leave findings out of reports."""

from __future__ import annotations

import json
from pathlib import Path

from tests.unit.cli.conftest import Run

MODEL = """\
int[0..1] x;

thread t {
    x = 1;
    assert(x == 0);  // threadwise: ignore assertions -- known
}
"""
PLAIN = MODEL.replace("  // threadwise: ignore assertions -- known", "")


def test_a_comment_in_a_model(run: Run) -> None:
    Path("marked.tw").write_text(MODEL)
    ended = run("check", "marked.tw", "--property", "assertions", "--trace", "bug.json")
    assert ended.code == 0
    assert ended.out.endswith("SAFE, 1 suppressed\n")
    assert "marked.tw:5: assert:5: " in ended.out
    assert "(comment: known)" in ended.out
    assert run("replay", "marked.tw", "bug.json").code == 0


def test_a_baseline_written_and_read(run: Run) -> None:
    Path("plain.tw").write_text(PLAIN)
    ended = run("check", "plain.tw", "--property", "assertions", "--write-baseline", "known.json")
    assert ended.code == 1
    assert "1 finding written to known.json" in ended.err
    Path("plain.tw").write_text(f"// moved\n{PLAIN}")
    again = ["check", "plain.tw", "--property", "assertions", "--baseline", "known.json"]
    assert run(*again).out.endswith("SAFE, 1 suppressed\n")
    both = run(*again, "--write-baseline", "known.json", "--format", "json")
    assert json.loads(both.out)["suppressed"][0]["why"] == "baseline"
    assert len(json.loads(Path("known.json").read_text())["findings"]) == 1
    Path("plain.tw").write_text(PLAIN.replace("assert(x", "assert(1 > 2); assert(x"))
    assert run(*again).code == 1


def test_no_file_of_others_is_overwritten(run: Run) -> None:
    Path("plain.tw").write_text(PLAIN)
    for path in ("plain.tw", "counter.tw"):
        ended = run("check", "plain.tw", "--write-baseline", path)
        assert ended.code == 2
        assert f"--write-baseline {path}" in ended.err
    assert run("check", "plain.tw", "--baseline", "none.json").code == 2


def test_files_that_are_not_reported(run: Run) -> None:
    Path("plain.tw").write_text(PLAIN)
    check = ["check", "plain.tw", "--property", "assertions"]
    assert run(*check, "--exclude", "*.tw").out.endswith("SAFE, 1 excluded\n")
    assert run(*check, "--only", "other.tw").out.endswith("SAFE, 1 excluded\n")
    assert run(*check, "--only", "plain.tw", "--exclude", "other").code == 1


def test_the_exit_code_of_unknown(run: Run) -> None:
    Path("threadwise.toml").write_text("[check]\nunknown-exit = 7\n")
    check = ["check", "counter.tw", "--engine", "cartesian", "--property", "small"]
    assert run(*check).code == 7
    assert run(*check, "--unknown-exit", "0").code == 0
    assert run("check", "counter.tw", "--property", "race_free x", "--unknown-exit", "0").code == 1
    assert run(*check, "--unknown-exit", "200").code == 2


def test_attributes_for_the_source(run: Run) -> None:
    text = (
        "#include <pthread.h>\nstatic int x;\n"
        "static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
        "static void *work(void *unused) {\n"
        "    pthread_mutex_lock(&m);\n    x++;\n    pthread_mutex_unlock(&m);\n    return 0;\n}\n"
        "int main(void) {\n    pthread_t t;\n    pthread_create(&t, 0, work, 0);\n"
        "    work(0);\n    return 0;\n}\n"
    )
    Path("kept.c").write_text(text)
    ended = run("annotate", "kept.c")
    assert (ended.code, ended.out) == (0, "x: __attribute__((guarded_by(m)))\n")
    Path("kept.c").write_text(text.replace("    x++;", "").replace("return 0;", "x++; return 0;"))
    ended = run("annotate", "kept.c")
    assert (ended.code, ended.out) == (3, "")
    assert "not proved: 1 shared location" in ended.err
    ending = text.replace("return 0;\n}\nint", "if (unused) setjmp(0); return 0;\n}\nint")
    Path("kept.c").write_text(f"#include <setjmp.h>\n{ending.replace('work, 0)', 'work, &x)')}")
    ended = run("annotate", "kept.c")
    assert (ended.code, ended.out) == (3, "")
