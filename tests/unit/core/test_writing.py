"""Result files: whole or not at all, and never over what was read."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from threadwise.core.errors import InputError
from threadwise.core.writing import check_output, write_lines

OURS = '{"format": "threadwise-trace", "x": 1}\n'


@pytest.fixture(params=["anonymous", "named"])
def folder(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """Both ways of writing a file that has no place yet."""
    if request.param == "named":
        monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    return tmp_path


def test_lines_are_written(folder: Path) -> None:
    write_lines(folder / "out", ["a", "ü"])
    assert (folder / "out").read_text(encoding="utf-8") == "a\nü\n"
    write_lines(folder / "out", ["b"])
    assert (folder / "out").read_text(encoding="utf-8") == "b\n"
    assert os.listdir(folder) == ["out"]


def test_a_failure_leaves_what_was_there(folder: Path) -> None:
    def lines() -> Iterator[str]:
        yield "new"
        raise RuntimeError

    (folder / "out").write_text("old")
    with pytest.raises(RuntimeError):
        write_lines(folder / "out", lines())
    with pytest.raises(RuntimeError):
        write_lines(folder / "other", lines())
    assert (folder / "out").read_text() == "old"
    assert os.listdir(folder) == ["out"]


def test_links_and_permissions_stay(folder: Path) -> None:
    (folder / "real").write_text("old")
    (folder / "real").chmod(0o640)
    (folder / "link").symlink_to("real")
    write_lines(folder / "link", ["new"])
    assert (folder / "link").is_symlink()
    assert (folder / "real").read_text() == "new\n"
    assert stat.S_IMODE((folder / "real").stat().st_mode) == 0o640


def test_new_files_have_usual_permissions(folder: Path) -> None:
    write_lines(folder / "out", [])
    (folder / "usual").touch()
    assert (folder / "out").stat().st_mode == (folder / "usual").stat().st_mode


def test_devices_are_written_to() -> None:
    write_lines("/dev/null", ["a"])
    assert not Path("/dev/null").is_file()


def test_what_cannot_be_written_is_told(folder: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_lines(folder / "missing" / "out", [])


@pytest.mark.parametrize("kind", ["same", "dots", "symbolic", "hard"])
def test_inputs_by_any_name(kind: str, tmp_path: Path) -> None:
    source, other = tmp_path / "a.tw", tmp_path / "b"
    source.write_text(OURS)
    match kind:
        case "same":
            other = source
        case "dots":
            other = tmp_path / "." / "x" / ".." / "a.tw"
            (tmp_path / "x").mkdir()
        case "symbolic":
            other.symlink_to(source)
        case _:
            other.hardlink_to(source)
    with pytest.raises(InputError, match="same file"):
        check_output("--trace b", str(other), [str(source)])


def test_two_new_files_of_one_name(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(InputError, match="same file"):
        check_output("--trace b", str(tmp_path / "b"), [str(tmp_path / "x" / ".." / "b")])


@pytest.mark.parametrize("text", ["int main;", "{}", '{"format": "other"}'])
def test_other_files_are_not_overwritten(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.h").write_text(text)
    with pytest.raises(InputError, match="no file of evidence"):
        check_output("--trace a.h", str(tmp_path / "a.h"))


@pytest.mark.parametrize("text", ["", OURS, None])
def test_evidence_is_overwritten(text: str | None, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "a.json").write_text(text)
    check_output("--trace a.json", str(tmp_path / "a.json"))
    check_output("--trace /dev/null", "/dev/null")


def test_places_that_are_none(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "x" / "y"):
        with pytest.raises(InputError, match="directory"):
            check_output("--trace", str(path))
