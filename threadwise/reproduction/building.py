"""Compiling and linking the user's program with our runtime; the sources are not touched.

    source ── compiler: options of the user, -g -O0 -fPIE -fsanitize=thread ──▶ object
    objects + controller (+ plain) ── linker: --wrap for what the controller wraps ──▶ program

With `sanitizer` the calls go on to the real ThreadSanitizer, otherwise to `plain`, which does
nothing. Undefined functions get stubs which return what the trace says.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib.resources import as_file, files
from pathlib import Path

from threadwise.core.errors import InputError

# With debugging information of version 5, addr2line 2.40 takes headers for the source.
_OURS = ("-g", "-gdwarf-4", "-O0", "-fno-omit-frame-pointer", "-fPIE", "-w", "-fsanitize=thread")
_RUNTIME = ("-g", "-O2", "-fPIE", "-fno-sanitize=all", "-fno-stack-protector")
_UNDEFINED = re.compile(r"undefined reference to [`']([A-Za-z_]\w*)'")
_WRAPPER = re.compile(r" T __wrap_(\w+)$", re.MULTILINE)


@dataclass(frozen=True)
class Unit:
    """A file to compile, with the options it is compiled with."""

    source: str
    options: tuple[str, ...] = ()
    folder: str | None = None
    """Where the compiler is started; None: where we are."""


@dataclass(frozen=True)
class Sources:
    """A program to build."""

    units: tuple[Unit, ...]
    compiler: str = "gcc"
    flags: tuple[str, ...] = ()
    """More options, for compiling and linking."""


@dataclass
class Build:
    """One program in a folder of its own."""

    sources: Sources
    folder: Path
    sanitizer: bool
    objects: list[Path] = field(default_factory=list)
    stubs: list[str] = field(default_factory=list)
    """Functions without a definition."""
    supplied: list[str] = field(default_factory=list)
    """Functions of libraries whose results are supplied, too."""
    wrapped: list[str] = field(default_factory=list)

    @property
    def program(self) -> Path:
        """The linked program."""
        return self.folder / "program"

    def make(self) -> None:
        """Compile everything and link it."""
        for number, unit in enumerate(self.sources.units):
            target = self.folder / f"unit{number}.o"
            options = [*unit.options, *self.sources.flags, *_OURS]
            self._compile(unit.source, target, options, unit.folder)
            self.objects.append(target)
        with as_file(files(__package__) / "runtime") as runtime:
            self._compile(str(runtime / "controller.c"), self.folder / "controller.o", _RUNTIME)
            if not self.sanitizer:
                self._compile(str(runtime / "plain.c"), self.folder / "plain.o", _RUNTIME)
        listing = self._run(["nm", str(self.folder / "controller.o")], "list the runtime")
        self.wrapped = _WRAPPER.findall(listing.stdout)
        self.link()

    def link(self) -> None:
        """Link the objects; undefined functions get stubs."""
        for _ in range(3):
            done = self._link()
            if done.returncode == 0:
                return
            missing = list(dict.fromkeys(_UNDEFINED.findall(done.stderr)))
            if not missing or not set(missing) - set(self.stubs):
                raise _failure(f"{self.sources.compiler} cannot link the program", done.stderr)
            self.stubs += [name for name in missing if name not in self.stubs]

    def _link(self) -> subprocess.CompletedProcess[str]:
        own = ["controller.o"] if self.sanitizer else ["controller.o", "plain.o"]
        parts = [*self.objects, *(self._unsupplied(self.folder / name) for name in own)]
        if self.stubs or self.supplied:
            parts.append(self._stubs())
        command = [self.sources.compiler, "-pie", *map(str, parts), "-o", str(self.program)]
        command += ["-fsanitize=thread"] if self.sanitizer else []
        command += [f"-Wl,--wrap={name}" for name in (*self.wrapped, *self.supplied)]
        return self._start([*command, *self.sources.flags, "-pthread", "-lm"])

    def _unsupplied(self, runtime: Path) -> Path:
        """An object of the runtime that calls the library itself where the program gets inputs."""
        if not self.supplied:
            return runtime
        target = runtime.with_suffix(".own.o")
        names = [f"--redefine-sym={name}=__real_{name}" for name in self.supplied]
        self._run(["objcopy", *names, str(runtime), str(target)], "prepare the runtime")
        return target

    def _stubs(self) -> Path:
        """Functions that return what the trace says."""
        names = [*self.stubs, *(f"__wrap_{name}" for name in self.supplied)]
        lines = ["long long threadwise_input(const void *);"]
        lines += [
            f"long {name}() {{ return threadwise_input(__builtin_return_address(0)); }}"
            for name in names
        ]
        source, target = self.folder / "stubs.c", self.folder / "stubs.o"
        source.write_text("\n".join([*lines, ""]), encoding="utf-8")
        self._compile(str(source), target, [*_RUNTIME, "-w", "-fno-builtin"])
        return target

    def _compile(
        self, source: str, target: Path, options: Sequence[str], folder: str | None = None
    ) -> None:
        absolute = str(Path(folder or ".", source).resolve())
        command = [self.sources.compiler, *options, "-c", absolute, "-o", str(target)]
        self._run(command, f"compile {source}", folder)

    def _run(
        self, command: list[str], purpose: str, folder: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        done = self._start(command, folder)
        if done.returncode != 0:
            raise _failure(f"{command[0]} cannot {purpose}", done.stderr)
        return done

    def _start(
        self, command: list[str], folder: str | None = None
    ) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                command, capture_output=True, text=True, errors="replace", cwd=folder, check=False
            )
        except FileNotFoundError:
            raise InputError.of(
                f"there is no `{command[0]}` here",
                hint="--compiler names another one; it has to understand -fsanitize=thread",
            ) from None


def _failure(what: str, errors: str) -> InputError:
    lines = [line for line in errors.splitlines() if line.strip()]
    return InputError.of(f"{what}: {' / '.join(lines[:4])}")
