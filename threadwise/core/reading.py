"""Reading input files, with a clear message for whatever is not a text file."""

import os
from pathlib import Path

from threadwise.core.errors import InputError
from threadwise.core.source import SourceFile, Span


def read_source(path: str | os.PathLike[str]) -> SourceFile:
    """Read a UTF-8 text file; CR LF line ends become LF and a byte order mark is dropped.

    Raises InputError if the file is missing, is a directory, cannot be read, is not UTF-8 or
    contains NUL bytes.
    """
    shown = _printable(path)
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError:
        raise InputError.of(f"{shown}: no such file") from None
    except IsADirectoryError:
        raise InputError.of(f"{shown}: is a directory, expected a file") from None
    except OSError as error:
        raise InputError.of(f"{shown}: cannot be read: {error.strerror or error}") from None
    except ValueError:
        raise InputError.of(f"{shown}: not a valid path") from None
    return SourceFile(shown, _decode(shown, data))


def _decode(path: str, data: bytes) -> str:
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError.of("not a text file: it contains NUL bytes", _byte_span(path, data, nul))
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start
        raise InputError.of(
            f"not a UTF-8 text file: byte 0x{data[start]:02x} at offset {start} is not valid here",
            _byte_span(path, data, start),
        ) from None
    return text.replace("\r\n", "\n")


def _byte_span(path: str, data: bytes, offset: int) -> Span:
    """The place of a byte; the column counts bytes where the line has no characters to count."""
    line_start = data.rfind(b"\n", 0, offset) + 1
    column = len(data[line_start:offset].decode("utf-8", errors="replace")) + 1
    return Span.at(path, data.count(b"\n", 0, offset) + 1, column)


def _printable(path: str | os.PathLike[str]) -> str:
    """The path as text that can be printed: file names need not be valid UTF-8."""
    return os.fspath(path).encode("utf-8", errors="backslashreplace").decode()
