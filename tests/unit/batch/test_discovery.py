"""Which tasks there are in what the user names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from threadwise.batch.discovery import Discovered, discover
from threadwise.batch.tasks import Task
from threadwise.core.errors import InputError
from threadwise.results.verdict import Verdict

DEFINITION = """
format_version: '2.0'
input_files: 'queue.i'
properties:
  - property_file: ../properties/no-data-race.prp
    expected_verdict: true
  - property_file: ../properties/unreach-call.prp
    expected_verdict: false
  - property_file: ../properties/termination.prp
    expected_verdict: true
options:
  language: C
  data_model: ILP32
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def found(*given: str, properties: tuple[str, ...] = ()) -> Discovered:
    """What there is to do."""
    return discover(given, properties)


def write(path: str, text: str = "") -> None:
    """A file, with the folders it needs."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def test_a_program_is_a_task(folder: Path) -> None:
    write("one.tw")
    assert list(found("one.tw").tasks.values()) == [Task("one.tw", ("one.tw",))]


def test_a_program_is_a_task_for_each_property_asked_for(folder: Path) -> None:
    write("one.c")
    tasks = found("one.c", properties=("races", "memory")).tasks
    assert list(tasks) == ["one.c [races]", "one.c [memory]"]
    assert tasks["one.c [memory]"].arguments == ["check", "--property", "memory", "one.c"]


def test_definitions_say_what_is_expected(folder: Path) -> None:
    write("tasks/queue.yml", DEFINITION)
    write("tasks/queue.i")
    write("tasks/other.c")
    write("tasks/settings.yml", "key: value\n")
    write("tasks/.hidden/three.c")
    given = found("tasks")
    options = ("--data-model", "ILP32")
    assert list(given.tasks.values()) == [
        Task("tasks/other.c", ("tasks/other.c",)),
        Task(
            "tasks/queue.yml [no-data-race]",
            ("tasks/queue.i",),
            ("races",),
            options,
            Verdict.SAFE,
        ),
        Task(
            "tasks/queue.yml [unreach-call]",
            ("tasks/queue.i",),
            ("assertions",),
            options,
            Verdict.UNSAFE,
        ),
    ]
    assert list(given.skipped) == ["tasks/queue.yml [termination]"]


def test_only_the_properties_asked_for(folder: Path) -> None:
    write("queue.yml", DEFINITION)
    assert list(found("queue.yml", properties=("races",)).tasks) == ["queue.yml [no-data-race]"]


def test_set_files_and_patterns(folder: Path) -> None:
    write("sets/all.set", "# all\n../src/*.c\n\n../src/deep/**/*.tw\n")
    write("src/b.c")
    write("src/a.c")
    write("src/deep/er/m.tw")
    expected = ["sets/../src/a.c", "sets/../src/b.c", "sets/../src/deep/er/m.tw"]
    assert list(found("sets/all.set").tasks) == expected
    assert list(found("src/*.c").tasks) == ["src/a.c", "src/b.c"]


def test_each_task_once(folder: Path) -> None:
    write("a.c")
    assert list(found("a.c", "a.c", "*.c").tasks) == ["a.c"]


def test_programs_of_a_compile_database(folder: Path) -> None:
    write("build/one.c", "int main(void)\n{ return 0; }\n")
    write("build/two.c", "extern int f(int); int main(int n, char **a) { return f(n); }\n")
    write("build/lib.c", "int main_count;\nint f(int n) { return n; }\n")
    names = ["one.c", "lib.c", "two.c"]
    entries = [{"directory": ".", "file": name, "command": f"cc -c {name}"} for name in names]
    write("build/compile_commands.json", json.dumps(entries))
    tasks = found("build/compile_commands.json").tasks
    assert list(tasks) == [f"build/compile_commands.json:{name}" for name in ("one.c", "two.c")]
    for name, task in tasks.items():
        assert task.files == ("build/compile_commands.json",)
        assert task.options[-2:] == ("--program", name.rpartition(":")[2])


def test_one_program_is_the_database_itself(folder: Path) -> None:
    write("one.c", "int main(void) { return 0; }\n")
    write("compile_commands.json", json.dumps([{"file": "one.c", "command": "cc one.c"}]))
    assert list(found("compile_commands.json").tasks) == ["compile_commands.json"]


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("a.yml", "properties: []", "names no `input_files`"),
        ("a.yml", "input_files: [", "not valid YAML"),
        ("a.yml", "input_files: 3", "must be a file or a list"),
        ("a.yml", "input_files: a.c\nproperties: 3", "must be a list of `property_file`"),
        ("a.yml", "input_files: a.c\noptions: {language: Java}", "only C is checked"),
        (
            "a.yml",
            "input_files: a.c\nproperties: [{property_file: no-data-race.prp,"
            " expected_verdict: maybe}]",
            "must be true or false",
        ),
        ("a.txt", "", "neither a program nor a list of tasks"),
        ("compile_commands.json", "{", "not a JSON file"),
        ("compile_commands.json", "[3]", "expected an object with a `file`"),
        ("a.set", "*.c", "no file matches"),
        ("a.set", "# nothing", "nothing to check"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, name: str, text: str, told: str) -> None:
    write(name, text)
    with pytest.raises(InputError, match=told.replace("`", ".").replace("*", r"\*")):
        found(name)
