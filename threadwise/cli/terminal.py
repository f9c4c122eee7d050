"""Writing to standard output and error: encodings, colours, readers that go away."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
import time
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from threadwise.report.page import Style

ASCII = "threadwise.ascii"
"""How text is encoded where a terminal lacks our signs: by others that can be told apart."""
_SIGNS = {"✓": "+", "✗": "x", "…": "...", "→": "->", "·": "-", "—": "--", "−": "-", "≤": "<="}


def _encoded(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    unknown = error.object[error.start : error.end]
    return "".join(_SIGNS.get(sign, "?") for sign in unknown), error.end


codecs.register_error(ASCII, _encoded)

STARTED = time.monotonic()
"""When the command began."""


def prepare_streams() -> None:
    """Let no character of a report fail to print, whatever the encoding of the terminal."""
    if sys.stdout is None:  # closed by whoever started the command
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - open to the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors=ASCII)


def out(text: str) -> None:
    """Write to standard output; if nobody reads it any more, quietly to nowhere."""
    _write(sys.stdout, text)


def err(text: str) -> None:
    """Write to standard error, likewise."""
    _write(sys.stderr, text)


def _write(stream: TextIO, text: str) -> None:
    try:
        stream.write(text)
        stream.flush()
    except OSError as error:
        # What is left in the buffer has to go somewhere when the interpreter shuts down.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
        if not isinstance(error, BrokenPipeError):
            from threadwise.core.errors import InputError

            raise InputError.of(f"the output cannot be written: {error.strerror}") from error


def is_coloured(stream: TextIO) -> bool:
    """Whether to use colours on a stream."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream.isatty()


def style_for(stream: TextIO, *, full: bool = False, verbose: bool = False) -> Style:
    """How reports on a stream look: on a terminal as wide as it is, in a pipe always the same."""
    from threadwise.report.page import DEFAULT_WIDTH, Style

    is_terminal = stream.isatty()
    width = shutil.get_terminal_size().columns if is_terminal else DEFAULT_WIDTH
    return Style(width, is_coloured(stream), full, verbose, wrap=is_terminal)
