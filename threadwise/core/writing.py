"""Writing result files: as a whole or not at all, and never over what was read.

A file is written without a name, if the system can do that, or else beside its place; it takes its
place when it is complete. So at any time, even if the process is killed, there is the old file or
the new one.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from threadwise.core.errors import InputError

_BEGINNINGS = (b'{"format": "threadwise-', b"- entry_type: ")
"""How files of evidence, and witnesses, begin: a file that begins otherwise is the user's own, and
is not overwritten."""


def check_output(told: str, path: str, others: Iterable[str] = ()) -> None:
    """Raise InputError unless a file may be written: `told` is the option that names it.

    It must not be one of the `others`, by whatever name, nor an existing file of another kind.
    """
    place = Path(path)
    if place.is_dir():
        raise InputError.of(f"{told}: is a directory, expected a file")
    if not place.parent.is_dir():
        raise InputError.of(f"{told}: there is no directory {place.parent}")
    for other in others:
        if _is_same(path, other):
            raise InputError.of(f"{told}: this is the same file as {other}")
    if not _may_be_replaced(path):
        raise InputError.of(
            f"{told}: the file exists, and is no file of evidence",
            hint="name another file, or remove it",
        )


def _is_same(path: str, other: str) -> bool:
    with suppress(OSError, ValueError):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def _may_be_replaced(path: str) -> bool:
    """Whether a path leads to nothing, to no regular file, or to one that we may have written."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return True
        with Path(path).open("rb") as file:
            begins = file.read(max(map(len, _BEGINNINGS)))
            return not begins or begins.startswith(_BEGINNINGS)
    except OSError:
        return True


def write_lines(path: str | os.PathLike[str], lines: Iterable[str]) -> None:
    """Write a text file; raises InputError if that is not possible."""
    try:
        place = os.path.realpath(path)
        if os.path.exists(place) and not os.path.isfile(place):
            with Path(place).open("w", encoding="utf-8") as device:
                device.writelines(f"{line}\n" for line in lines)
            return
        with (
            _replacing(place) as descriptor,
            os.fdopen(os.dup(descriptor), "w", encoding="utf-8") as file,
        ):
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError.of(f"{os.fspath(path)}: cannot be written: {reason}") from None


@contextmanager
def _replacing(place: str) -> Iterator[int]:
    """A file to write to that takes its place if nothing is raised meanwhile."""
    folder = os.path.dirname(place)
    descriptor, name = _open_beside(folder, os.path.basename(place))
    try:
        yield descriptor
        os.fchmod(descriptor, _mode(place))
        os.fsync(descriptor)
        if name is None:
            name = _unused_name(folder, os.path.basename(place))
            # Only with a descriptor of a folder does Python ask the system to follow the link.
            os.link(f"/proc/self/fd/{descriptor}", name, src_dir_fd=descriptor)
        os.replace(name, place)
        name = None
    finally:
        os.close(descriptor)
        if name is not None:
            with suppress(OSError):
                os.unlink(name)


def _open_beside(folder: str, name: str) -> tuple[int, str | None]:
    """A new file in a folder, and its name if it has to have one."""
    anonymous = getattr(os, "O_TMPFILE", None)
    if anonymous is not None and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):
            return os.open(folder, anonymous | os.O_WRONLY, 0o600), None
    return tempfile.mkstemp(dir=folder, prefix=f".{name}.")


def _unused_name(folder: str, name: str) -> str:
    return tempfile.mktemp(dir=folder, prefix=f".{name}.")


def _mode(place: str) -> int:
    """The permissions of the file that is replaced, or those that new files get."""
    with suppress(OSError):
        return stat.S_IMODE(os.stat(place).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
