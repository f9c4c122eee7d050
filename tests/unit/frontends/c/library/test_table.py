"""The table of library functions: well formed, described, and without gaps."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.golden.comparison import FOLDER, assert_golden
from threadwise.core.errors import InputError
from threadwise.frontends.c.library import read
from threadwise.frontends.c.library.family import read_family
from threadwise.frontends.c.library.read import _read, own_table, read_table
from threadwise.frontends.c.library.signature import parse_signature

DETAILS = (
    "description",
    "assumes",
    "limit",
    "no_return",
    "override",
    "variable",
    "test",
    "same_as",
)
FUNCTIONS = [entry for entry in own_table().entries.values() if not entry.variable]


def test_every_function_is_described() -> None:
    assert len(FUNCTIONS) > 100
    assert [entry.name for entry in FUNCTIONS if not entry.description] == []


def test_effects_use_only_primitives_that_exist() -> None:
    from importlib import resources

    headers = resources.files("threadwise.frontends.c") / "headers"
    ours = ("threadwise.h", "pthread.h", "stdio.h")
    known = "".join((headers / name).read_text() for name in ours)
    for entry in FUNCTIONS:
        for name in re.findall(r"__tw_\w+", entry.effect):
            assert re.search(rf"\b{name}\b", known) or name in own_table(), (entry.name, name)


def test_signatures_are_taken_apart() -> None:
    signature = parse_signature("void *f(int (*compare)(int, int), const char *text[], ...)")
    assert signature is not None
    assert signature.name == "f"
    assert signature.result == "void *"
    assert [parameter.name for parameter in signature.parameters] == ["compare", "text"]
    assert signature.variadic
    assert parse_signature("int f(int)") is None
    assert parse_signature("f") is None


def test_entries_mean_what_they_meant() -> None:
    """A file with an entry of every kind, as it is read; `UPDATE_GOLDEN=1` rewrites the result."""
    path = str(FOLDER / "library" / "family.toml")
    table, shown = read_table([path]), []
    for name, entry in table.entries.items():
        if entry.span.path == path:
            told = [f"{name}: {entry.text}", *entry.effect.strip().splitlines()]
            told += [f"at {entry.span.line}, effect at {entry.effect_line}", str(entry.headers)]
            told += [f"{each}: {getattr(entry, each)!r}" for each in DETAILS]
            shown.append("\n    ".join(told))
    shown += [f"{name}: {held}" for name, held in table.types.items()]
    assert_golden("library/family.txt", "\n".join([*shown, ""]))
    assert "likewise" in table
    source = table.entries["likewise"].source
    assert source == table.entries["written"].span


def test_the_table_that_is_stored_is_what_its_files_say() -> None:
    files = sorted(Path(read.__file__).parent.glob("*.toml"))
    assert repr(_read(files)) == repr(own_table())


@pytest.mark.parametrize("of", ["nothing", "likewise"])
def test_entries_are_only_as_others_that_have_an_effect(of: str, tmp_path: Path) -> None:
    text = (FOLDER / "library" / "family.toml").read_text()
    more = f'[functions.third]\nsignature = "int third(int a, int b)"\nas = "{of}"\n'
    (tmp_path / "more.toml").write_text(text + more)
    with pytest.raises(InputError, match=f"`third` is as `{of}`, which has no effect of its own"):
        read_table([str(tmp_path / "more.toml")])


def test_what_replaces_bodies_of_the_program_is_listed() -> None:
    of = '[functions.{0}]\nsignature = "void {0}(void)"\neffect = "{{}}"\noverride = {1}\n'
    named = {"first": "true", "second": "false", "third": "true"}
    table = read_family("t.toml", "".join(of.format(*each) for each in named.items()))
    assert table.overrides == {"first", "third"}


def test_shorthands_become_effects() -> None:
    table = read_family(
        "locks.toml",
        """
        [types]
        my_lock = "struct __tw_spin"
        [functions.enter]
        signature = "void enter(int level, my_lock *l)"
        acquire = "argument 1"
        [functions.leave]
        signature = "int leave(void)"
        release = "lock kernel"
        returns = 1
        [functions.weather]
        signature = "unsigned short weather(char *place)"
        pure = true
        [functions.die]
        signature = "void die(void)"
        ends = "thread"
        """,
    )
    effects = {name: entry.effect for name, entry in table.entries.items()}
    assert effects["enter"] == "__tw_acquire(&l->lock);\nreturn;"
    assert effects["leave"] == "__tw_release(&__tw_named_lock_kernel);\nreturn 1;"
    assert effects["weather"] == "return (unsigned short)__tw_any_ushort();"
    assert table.entries["die"].no_return
    assert table.entries["__tw_named_lock_kernel"].variable
    assert table.opaque_types["my_lock"] == "struct __tw_spin"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("x = 1\ny = = 2", 2, "not TOML"),
        ("\ncolour = 1", 2, "unknown key `colour`"),
        ('headers = "a.h"', 1, "`headers` is a list of strings"),
        ("[functions.f]\npure = true", 1, "needs a C signature"),
        ('[functions.f]\nsignature = "int g(void)"\npure = true', 2, "needs a C signature"),
        ('[functions.f]\nsignature = "int f(void)"', 1, "described by nothing"),
        (
            '[functions.f]\nsignature = "int f(void)"\npure = true\neffect = ""',
            1,
            "described by `effect` and `pure`",
        ),
        (
            '[functions.f]\nsignature = "int f(int a)"\nacquire = "argument 1"',
            3,
            "has 1 arguments",
        ),
        ('[functions.f]\nsignature = "int f(int a)"\nacquire = "argument 0"', 3, "no pointer"),
        ('[functions.f]\nsignature = "int f(void)"\npure = 1', 3, "is true or false"),
        ('[functions.f]\nsignature = "void f(void)"\nreturns = 1', 3, "returns nothing"),
        ('[functions.f]\nsignature = "char *f(void)"\nreturns = "any"', 3, "no way to make"),
        ('[functions.f]\nsignature = "int f(void)"\nends = "day"', 3, 'expected "program"'),
        ("[variables.v]\ndeclaration = 'int w'", 1, "needs a declaration"),
    ],
)
def test_mistakes_are_located(text: str, line: int, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_family("locks.toml", text)
    first = caught.value.diagnostics[0]
    assert message in first.message
    assert first.span is not None
    assert (first.span.path, first.span.line) == ("locks.toml", line)


def test_a_missing_file_is_an_input_error() -> None:
    with pytest.raises(InputError, match=r"nowhere\.toml: no such file"):
        read_table(["nowhere.toml"])
