"""`--library`: what users say about functions of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.core.source import SourceFile
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_loaded
from threadwise.driver.loading import SimplifiedC, load_c
from threadwise.frontends.c.options import COptions

FOLDER = Path(__file__).parents[2] / "examples" / "c_library"
LOCKS = str(FOLDER / "locks.toml")


def verdict(define: tuple[str, ...], selector: str, library: tuple[str, ...] = (LOCKS,)) -> str:
    source = read_source(str(FOLDER / "driver.c"))
    program = load_c([source], COptions(define=define, library=library)).program
    options = CheckOptions(properties=(selector,), engine="explicit")
    return check_loaded("driver.c", lambda: program, options, in_process=True).verdict.value


def assertions(loaded: SimplifiedC) -> str:
    options = CheckOptions(properties=("assertions",), engine="explicit")
    result = check_loaded("main.c", lambda: loaded.program, options, in_process=True)
    return result.verdict.value


def test_the_example_is_safe() -> None:
    assert verdict((), "all") == "SAFE"


def test_without_the_file_nothing_is_known() -> None:
    assert verdict((), "assertions", ()) == "UNKNOWN"


@pytest.mark.slow
@pytest.mark.parametrize("selector", ["races", "mutex"])
def test_a_forgotten_lock_is_found(selector: str) -> None:
    assert verdict(("FORGET",), selector) == "UNSAFE"


def test_wrong_effects_are_located_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "wrong.toml"
    file.write_text(
        "[functions.f]\nsignature = 'int f(int n)'\neffect = '''\n    return m;\n'''\n"
    )
    source = SourceFile("main.c", "int f(int n); int main(void) { return f(1); }\n")
    with pytest.raises(InputError) as caught:
        load_c([source], COptions(library=(str(file),)))
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert (span.path, span.line) == (str(file), 4)


def test_the_user_has_the_last_word(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[functions.abs]\nsignature = 'int abs(int n)'\nreturns = 7\n")
    text = "#include <assert.h>\n#include <stdlib.h>\nint main(void) { assert(abs(-1) == 7); }\n"
    loaded = load_c([SourceFile("main.c", text)], COptions(library=(str(file),)))
    assert assertions(loaded) == "SAFE"


def test_assume_pure() -> None:
    text = (
        "#include <assert.h>\nint f(int *p);\n"
        "int main(void) { int x = 3; f(&x); assert(x == 3); }\n"
    )
    for pure, expected in ((frozenset[str](), "UNKNOWN"), (frozenset({"f"}), "SAFE")):
        loaded = load_c([SourceFile("main.c", text)], COptions(pure=pure))
        assert assertions(loaded) == expected
        assert any("`f`" in text for text in loaded.assumptions) == bool(pure)


def test_unknown_functions_without_pointers_return_anything() -> None:
    text = "#include <assert.h>\n_Bool f(int n); int main(void) { if (f(1)) assert(%s); }\n"
    for condition, expected in (("1", "SAFE"), ("0", "UNSAFE")):
        loaded = load_c([SourceFile("main.c", text % condition)], COptions())
        assert assertions(loaded) == expected
        assert "`f` has no effect on memory and may return any value" in loaded.assumptions


def test_threads_may_fail_to_start_if_asked() -> None:
    text = (
        "#include <assert.h>\n#include <pthread.h>\nvoid *w(void *p) { return p; }\n"
        "int main(void) { pthread_t t; assert(pthread_create(&t, 0, w, 0) == 0); }\n"
    )
    for fails, expected in ((False, "SAFE"), (True, "UNSAFE")):
        loaded = load_c([SourceFile("main.c", text)], COptions(create_may_fail=fails))
        assert assertions(loaded) == expected
