from pathlib import Path

import pytest

from threadwise.cli.settings import macros, resolve, without_file
from threadwise.core.c_options import DataModel
from threadwise.core.diagnostics import Diagnostic
from threadwise.core.errors import InputError
from threadwise.core.load_options import LoadOptions
from threadwise.core.options import Format, Settings


@pytest.fixture(autouse=True)
def _in_empty_directory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)


def write(text: str) -> None:
    Path("threadwise.toml").write_text(text)


def errors() -> tuple[Diagnostic, ...]:
    with pytest.raises(InputError) as raised:
        resolve({})
    return raised.value.diagnostics


def test_without_file_and_options_the_defaults_count() -> None:
    assert resolve({}) == Settings()


def test_the_file_sets_options_of_every_kind() -> None:
    write(
        """
        [check]
        property = ["assertions", "races"]
        engine = "explicit"
        define = { N = 4, FAST = true }
        threads = { client = 3 }
        max-threads = 5
        max-depth = 7
        symmetry = false
        time-limit = "2m"
        memory-limit = "1GB"
        format = "json"
        certificate = "proof.json"
        trace = "bug.json"
        full = true
        verbose = true
        include = ["inc"]
        undefine = "NDEBUG"
        standard = "c11"
        data-model = "ilp32"
        entry = "push, pop"
        library = ["locks.toml"]
        assume-pure = ["log,trace", "debug"]
        create-may-fail = true
        malloc-may-fail = true
        """
    )
    assert resolve({}) == Settings(
        property=("assertions", "races"),
        engine="explicit",
        define={"N": "4", "FAST": "true"},
        threads={"client": 3},
        max_threads=5,
        max_depth=7,
        symmetry=False,
        time_limit=120.0,
        memory_limit=10**9,
        format=Format.JSON,
        certificate="proof.json",
        trace="bug.json",
        full=True,
        verbose=True,
        include=("inc",),
        undefine=("NDEBUG",),
        standard="c11",
        data_model=DataModel.ILP32,
        entry=("push", "pop"),
        library=("locks.toml",),
        assume_pure=frozenset({"log", "trace", "debug"}),
        create_may_fail=True,
        malloc_may_fail=True,
    )


def test_the_command_line_wins() -> None:
    write('[check]\nengine = "a"\nfull = true\ntime-limit = 60\nproperty = "races"\n')
    given = {"engine": "b", "full": False, "time_limit": "1", "property": ["mutex"]}
    assert resolve(given) == Settings(("mutex",), "b", time_limit=1.0)


def test_constants_are_replaced_one_by_one() -> None:
    write('[check]\ndefine = ["N=1", "M=2"]\nthreads = { a = 1, b = 2 }\n')
    settings = resolve({"define": ["N=7"], "threads": ["b=9"]})
    assert settings.define == {"N": "7", "M": "2"}
    assert settings.threads == {"a": 1, "b": 9}


def test_empty_file() -> None:
    write("")
    assert resolve({}) == Settings()


def test_unknown_key_has_place_and_suggestion() -> None:
    write('[check]\nengine = "explicit"\ntime-limt = 60\nfrobnicate = 1\n')
    first, second = errors()
    assert first.message == "unknown setting `time-limt` in [check]"
    assert str(first.span) == "threadwise.toml:3:1"
    assert first.hint == "did you mean `time-limit`?"
    assert second.span is not None
    assert second.span.line == 4


def test_unknown_table() -> None:
    write("[chek]\n")
    (error,) = errors()
    assert error.hint == "did you mean `check`?"
    assert str(error.span) == "threadwise.toml:1:2"


def test_not_a_table() -> None:
    write("check = 3\n")
    assert errors()[0].message == "`check` is not a table"


def test_not_toml() -> None:
    write("[check]\nengine = = 3\n")
    (error,) = errors()
    assert error.message.startswith("not a TOML file: ")
    assert error.span is not None
    assert error.span.line == 2


@pytest.mark.parametrize(
    "line",
    [
        "property = 3",
        "property = [3]",
        "engine = 3",
        'engine = ""',
        'define = ["N"]',
        "define = 3",
        "threads = { client = -1 }",
        'threads = { client = "many" }',
        "max-depth = -1",
        'max-depth = "deep"',
        "max-threads = 0",
        "max-threads = true",
        "time-limit = true",
        'time-limit = "soon"',
        "memory-limit = []",
        "memory-limit = 0",
        'format = "jsn"',
        'full = "yes"',
    ],
)
def test_wrong_values_are_located(line: str) -> None:
    write(f"[check]\n{line}\n")
    (error,) = errors()
    assert str(error.span) == "threadwise.toml:2:1"


def test_several_mistakes_in_one_run() -> None:
    write("[check]\nfull = 1\nverbose = 2\n")
    assert len(errors()) == 2


def test_the_file_does_not_count_where_a_program_is_only_shown() -> None:
    write('[check]\ndefine = "N=1"\n')
    assert without_file({"define": ["N=2"]}).load() == LoadOptions({"N": "2"})
    assert without_file({}).load() == LoadOptions()


def test_macros_need_no_value_in_c() -> None:
    assert macros(["A", "B=2"], ["x.c"]) == ["A=1", "B=2"]
    assert macros(["A", "B=2"], ["x.tw"]) == ["A", "B=2"]
    assert resolve({"define": ["A"]}, ["x.c"]).define == {"A": "1"}
