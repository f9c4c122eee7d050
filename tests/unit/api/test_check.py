"""`threadwise.check` and its relatives, as a user of the package sees them."""

import subprocess
import sys
from pathlib import Path

import pytest

import threadwise
from threadwise import InputError, Verdict
from threadwise.core.progress import Started

SAFE = """\
const int N = 2;
mutex m;
int[0..N] x;
thread worker[N] {
    acquire(m);
    x = x + 1;
    release(m);
}
race_free x;
"""
RACY = SAFE.replace("acquire(m);", "").replace("release(m);", "")


@pytest.fixture
def safe(tmp_path: Path) -> Path:
    path = tmp_path / "safe.tw"
    path.write_text(SAFE)
    return path


@pytest.fixture
def racy(tmp_path: Path) -> Path:
    path = tmp_path / "racy.tw"
    path.write_text(RACY)
    return path


def test_a_path_a_file_name_and_a_text_give_the_same_answer(safe: Path) -> None:
    results = [threadwise.check(given) for given in (safe, str(safe), SAFE)]
    assert [result.verdict for result in results] == [Verdict.SAFE] * 3
    assert len({result.program_hash for result in results}) == 1
    assert [result.file for result in results] == [str(safe), str(safe), "<text>"]


def test_a_text_of_one_line_is_recognised_by_its_brace() -> None:
    assert threadwise.check("thread t { skip; }").verdict is Verdict.SAFE


def test_a_program_is_checked_as_it_is(safe: Path) -> None:
    program = threadwise.load(safe, defines={"N": 3})
    assert program.templates[0].count == 3
    result = threadwise.check(program)
    assert result.verdict is Verdict.SAFE
    assert result.file == "safe"


@pytest.mark.parametrize("in_process", [False, True])
def test_unsafe_in_either_process(in_process: bool) -> None:
    result = threadwise.check(RACY, in_process=in_process)
    assert result.verdict is Verdict.UNSAFE
    (violated,) = (p for p in result.properties if p.verdict is Verdict.UNSAFE)
    assert violated.name == "race_free x"
    assert violated.trace is not None
    assert "data race on x" in violated.trace.violation


def test_options(safe: Path) -> None:
    result = threadwise.check(
        safe,
        properties="deadlocks",
        engine="explicit",
        defines={"N": 3},
        threads={"worker": 1},
    )
    assert [(p.name, p.engine) for p in result.properties] == [("deadlocks", "explicit")]
    assert result.load.defines == {"N": "3"}
    assert result.load.threads == {"worker": 1}


def test_without_symmetry_each_thread_has_its_own_table() -> None:
    counts = [
        threadwise.check(SAFE, engine="thread-modular", symmetry=symmetry).statistics["guarantees"]
        for symmetry in (True, False)
    ]
    assert counts[1] == 2 * counts[0]


def test_several_properties() -> None:
    result = threadwise.check(SAFE, properties=["races", "mutex"])
    assert {p.name for p in result.properties} == {"races", "mutex"}


def test_truth_values_are_written_as_the_language_does() -> None:
    text = "const bool B = false;\nthread t { assert(B); }"
    assert threadwise.check(text).verdict is Verdict.UNSAFE
    assert threadwise.check(text, defines={"B": True}).verdict is Verdict.SAFE


@pytest.mark.parametrize("in_process", [False, True])
def test_a_time_limit_is_unknown(in_process: bool) -> None:
    text = "int x;\nthread t[3] { while (true) { x = x + 1; assert(x * x != 1000001); } }"
    result = threadwise.check(text, time_limit=0.2, in_process=in_process)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason is not None
    assert "time limit of 0.2 s" in result.reason


def test_limits_may_have_units() -> None:
    """In a process of its own: what a caller holds counts, and this one may hold a lot."""
    check = f"threadwise.check({SAFE!r}, time_limit='1m', memory_limit='1GB').verdict.value"
    command = [sys.executable, "-c", f"import threadwise; print({check})"]
    found = subprocess.run(command, check=True, capture_output=True, text=True)
    assert found.stdout == "SAFE\n"


def test_max_depth_and_max_threads() -> None:
    recursive = "void f() { f(); }\nthread t { f(); }"
    result = threadwise.check(recursive, engine="explicit", max_depth=3)
    assert result.bounds == {"max-depth": 3}
    spawning = "thread main { spawn w(); spawn w(); }\nthread w() { skip; }"
    result = threadwise.check(spawning, engine="explicit", max_threads=1)
    assert result.verdict is Verdict.UNKNOWN
    assert "--max-threads 1" in str(result.properties[0].reason)


def test_a_listener_hears_of_the_engines() -> None:
    events: list[threadwise.Event] = []
    threadwise.check(SAFE, engine="explicit", listener=events.append)
    assert Started("explicit") in events


@pytest.mark.parametrize("in_process", [False, True])
def test_mistakes_in_the_text_raise(in_process: bool) -> None:
    with pytest.raises(InputError) as raised:
        threadwise.check("thread t { x = 1; }", in_process=in_process)
    (diagnostic,) = raised.value.diagnostics
    assert "unknown variable `x`" in diagnostic.message
    assert str(diagnostic.span) == "<text>:1:12"


def test_a_missing_file_raises() -> None:
    with pytest.raises(InputError, match="no such file"):
        threadwise.check("nowhere.tw")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"engine": "explicitt"}, "unknown engine"),
        ({"properties": ["rases"]}, "unknown property"),
        ({"defines": {"M": 1}}, "M"),
        ({"threads": {"worker": -1}}, "at least 0"),
        ({"max_threads": 0}, "at least 1"),
        ({"max_depth": -1}, "at least 0"),
        ({"time_limit": "soon"}, "not a time limit"),
        ({"memory_limit": "much"}, "not a memory limit"),
    ],
)
def test_wrong_options_raise(options: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        threadwise.check(SAFE, **options)  # type: ignore[arg-type]  # any of them


def test_a_program_cannot_be_loaded_differently() -> None:
    with pytest.raises(InputError, match="not to a program"):
        threadwise.check(threadwise.load(SAFE), defines={"N": 3})


def test_a_program_that_is_not_well_formed_is_rejected() -> None:
    program = threadwise.load(SAFE)
    broken = threadwise.Program(
        "broken", (), (), program.procedures, program.templates, program.properties
    )
    with pytest.raises(InputError):
        threadwise.check(broken)


def test_the_package_loads_its_interface_on_first_use() -> None:
    code = (
        "import sys, threadwise; before = 'threadwise.api' in sys.modules; "
        "threadwise.check; print(before, 'threadwise.api' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False True\n"


def test_the_package_has_no_other_attributes() -> None:
    assert set(threadwise.__all__) <= set(dir(threadwise))
    for name in threadwise.__all__:
        assert getattr(threadwise, name) is not None
    with pytest.raises(AttributeError, match="no attribute `chek`"):
        getattr(threadwise, "chek")  # noqa: B009 - mypy would find `threadwise.chek`


def test_the_package_and_the_interface_offer_the_same_names() -> None:
    from threadwise import api

    assert {*api.__all__, "__version__"} == set(threadwise.__all__)
