from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadwise.core.errors import InputError
from threadwise.core.reading import read_source
from threadwise.core.source import Position, SourceFile, Span

TEXT = st.text(alphabet="ab\n\r\té", max_size=40)


@given(TEXT, st.data())
def test_position_counts_line_feeds(text: str, data: st.DataObject) -> None:
    offset = data.draw(st.integers(0, len(text)))
    before = text[:offset]
    expected = Position(before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1)
    assert SourceFile("f", text).position(offset) == expected


@given(TEXT)
def test_lines_are_the_text_split_at_line_feeds(text: str) -> None:
    source = SourceFile("f", text)
    lines = [source.line(number) for number in range(1, source.line_count + 1)]
    assert lines == text.split("\n")


def test_lines_outside_the_file_are_empty() -> None:
    source = SourceFile("f", "one\ntwo")
    assert source.line(0) == source.line(3) == ""


def test_positions_outside_the_file_are_clamped() -> None:
    source = SourceFile("f", "one\ntwo")
    assert source.position(-5) == Position(1, 1)
    assert source.position(99) == Position(2, 4)


def test_span_of_offsets_ends_exclusively() -> None:
    source = SourceFile("f", "one\ntwo")
    assert source.span(4, 7) == Span("f", 2, 1, 2, 4)
    assert source.span(0, 5) == Span("f", 1, 1, 2, 2)


def test_spans_join_and_print() -> None:
    joined = Span.at("f", 2, 3).to(Span("f", 4, 1, 4, 9))
    assert joined == Span("f", 2, 3, 4, 9)
    assert str(joined) == "f:2:3"


def read_error(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        read_source(path)
    return str(caught.value)


def test_reading_normalises_line_ends_and_drops_the_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "a.tw"
    path.write_bytes(b"\xef\xbb\xbfx;\r\ny;\n")
    assert read_source(path) == SourceFile(str(path), "x;\ny;\n")


def test_missing_file(tmp_path: Path) -> None:
    path = tmp_path / "none.tw"
    assert read_error(path) == f"error: {path}: no such file"


def test_directory_instead_of_file(tmp_path: Path) -> None:
    assert read_error(tmp_path) == f"error: {tmp_path}: is a directory, expected a file"


def test_path_with_a_file_as_folder(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    assert "a/b: cannot be read: " in read_error(tmp_path / "a" / "b")


def test_path_that_no_system_accepts() -> None:
    assert read_error(Path("a\0b")) == "error: a\0b: not a valid path"


def test_file_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.tw"
    path.write_bytes("x;\né = \xe9".encode() + b"\xe9;")
    message = read_error(path)
    assert message.startswith(f"{path}:2:6: error: not a UTF-8 text file: byte 0xe9 at offset 10")


def test_binary_file(tmp_path: Path) -> None:
    path = tmp_path / "a.out"
    path.write_bytes(b"\x7fELF\0\0\n\xff")
    assert read_error(path) == f"{path}:1:5: error: not a text file: it contains NUL bytes"
