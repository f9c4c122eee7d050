"""C from Python."""

from pathlib import Path

import threadwise

TEXT = """#include <pthread.h>
#include <assert.h>
int x;
void *t(void *a) { x += STEP; return 0; }
int main(void) {
    pthread_t h;
    pthread_create(&h, 0, t, 0);
    pthread_join(h, 0);
    assert(x == STEP);
    helper();
    return 0;
}
"""


def test_files_options_assumptions_and_warnings(tmp_path: Path) -> None:
    main, other = tmp_path / "main.c", tmp_path / "other.c"
    main.write_text(TEXT)
    other.write_text("void helper(void) {}\n")
    options = threadwise.COptions(define=("STEP=3",), beside=(str(other),))
    result = threadwise.check(main, properties="assertions", c=options, in_process=True)
    assert result.verdict is threadwise.Verdict.SAFE
    assert result.assumptions == ("signed integer overflow wraps around",)
    assert ["undeclared function `helper`" in each.message for each in result.warnings] == [True]


def test_traces_replay(tmp_path: Path) -> None:
    main, trace = tmp_path / "main.c", tmp_path / "bug.json"
    main.write_text(TEXT.replace("x == STEP", "x != STEP").replace("helper();", ""))
    result = threadwise.check(main, properties="assertions", defines={"STEP": 3}, in_process=True)
    assert result.verdict is threadwise.Verdict.UNSAFE
    threadwise.write_trace(result, trace)
    assert threadwise.replay(main, trace).trace.property == "assert:9"
