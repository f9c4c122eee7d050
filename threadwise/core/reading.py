"""Reading input files, with a clear message for whatever is not a text file."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile, Span


def read_source(path: str | os.PathLike[str]) -> SourceFile:
    """Read a UTF-8 text file; CR LF line ends become LF and a byte order mark is dropped.

    Raises InputError if the file is missing, is a directory, cannot be read, is not UTF-8 or
    contains NUL bytes.
    """
    shown = _printable(path)
    with _told(shown):
        data = Path(path).read_bytes()
    return SourceFile(shown, _decode(shown, data))


def read_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of a text file without their ends, one at a time; errors as `read_source`."""
    shown = _printable(path)
    with _told(shown), Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            yield _decode(shown, line, number).removesuffix("\n")


@contextmanager
def _told(shown: str) -> Iterator[None]:
    """What the system says about a file, as an InputError."""
    try:
        yield
    except FileNotFoundError:
        raise InputError.of(f"{shown}: no such file") from None
    except IsADirectoryError:
        raise InputError.of(f"{shown}: is a directory, expected a file") from None
    except OSError as error:
        raise InputError.of(f"{shown}: cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise InputError.of(f"{shown}: not a valid path") from None


def _decode(path: str, data: bytes, first: int = 1) -> str:
    """The text of bytes that begin with a certain line."""
    nul = data.find(b"\0")
    if nul >= 0:
        span = _byte_span(path, data, nul, first)
        raise InputError.of("not a text file: it contains NUL bytes", span)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start
        raise InputError.of(
            f"not a UTF-8 text file: byte 0x{data[start]:02x} at offset {start} is not valid here",
            _byte_span(path, data, start, first),
        ) from None
    return text.replace("\r\n", "\n")


def _byte_span(path: str, data: bytes, offset: int, first: int) -> Span:
    """The place of a byte; the column counts bytes where the line has no characters to count."""
    line_start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[line_start:offset].decode("utf-8", errors="replace")) + 1
    return Span.at(path, data.count(b"\n", 0, offset) + first, column)


def _printable(path: str | os.PathLike[str]) -> str:
    """The path as text that can be printed: file names need not be valid UTF-8."""
    return os.fspath(path).encode("utf-8", errors="backslashreplace").decode()
