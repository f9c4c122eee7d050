"""How a program is loaded: recorded in evidence, so that `certify` and `replay` load it alike."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace

from threadwise.core.c_options import COptions
from threadwise.core.quick_dataclass import dataclass

_DEFAULT_C = COptions()
DEFAULT_MAX_THREADS = 8


@dataclass(frozen=True)
class LoadOptions:
    """How a file became the program of record; part of evidence, so that it can be rechecked."""

    defines: Mapping[str, str] = field(default_factory=dict)
    threads: Mapping[str, int] = field(default_factory=dict)
    max_threads: int = DEFAULT_MAX_THREADS
    c: COptions = _DEFAULT_C
    """For C only; macros and the bound on threads are above."""

    def allowing(self, doubts: frozenset[str]) -> LoadOptions:
        """The same with this doubtful behaviour, and no other."""
        return replace(self, c=replace(self.c, doubts=doubts))

    def asked_for(self, properties: Iterable[str]) -> LoadOptions:
        """The same with the ends of lifetimes, if they are asked for."""
        if not {"memory", "all"} & {*properties}:
            return self
        return replace(self, c=replace(self.c, lifetimes=True))

    def seen_from(self, file: str) -> LoadOptions:
        """With paths relative to the folder of a program's first file, as evidence has them."""
        folder = os.path.dirname(file) or "."
        return self._with_paths(lambda path: os.path.relpath(path, folder))

    def found_from(self, file: str) -> LoadOptions:
        """The same read again: with paths from the current folder, wherever the program is."""
        folder = os.path.dirname(file)
        return self._with_paths(lambda path: os.path.normpath(os.path.join(folder, path)))

    def _with_paths(self, moved: Callable[[str], str]) -> LoadOptions:
        def changed(paths: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(path if os.path.isabs(path) else moved(path) for path in paths)

        c = self.c
        include, library, beside = changed(c.include), changed(c.library), changed(c.beside)
        return replace(self, c=replace(c, include=include, library=library, beside=beside))
