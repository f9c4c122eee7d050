"""Small programs, about half of them unsafe: pairs, the examples, random ones.

The examples come in pairs, one right and one wrong. Random models have threads that loop, call,
start each other and wait; random C has a heap, `free` and every kind of lock, and a first thread
that sets up objects and lists before it creates others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, zip_longest

from benchmarks.faults import lists, pairs
from benchmarks.faults.mutations import ROOT
from tests.property.c_heap_setup import generate as setup_program
from tests.property.c_heap_threads import generate as heap_program
from tests.property.c_thread_loops import generate as loop_program
from tests.property.mixed_programs import mixed_program_of
from threadwise.core.c_options import COptions
from threadwise.core.load_options import LoadOptions
from threadwise.core.source import SourceFile
from threadwise.driver.loading import Input, c_options, load_c_sources, load_model_source
from threadwise.frontends import c
from threadwise.ir.program import Program

C_PROPERTIES = ("races", "assertions")
_ASKED = {"deadlock": "deadlocks", "handles_race": "races", "divided": "races"}
"""What is asked about pairs with such names."""
LONGEST = 4_000
"""Examples with a longer text are left out."""


@dataclass(frozen=True)
class Sample:
    """A program by its text."""

    name: str
    text: str

    @property
    def is_c(self) -> bool:
        """Whether it is C; a model otherwise."""
        return self.name.endswith(".c")

    @property
    def is_large(self) -> bool:
        """Whether engines need longer for it than for a model."""
        words = ("pairs/crowd", "pairs/followed", "pairs/divided")
        return self.is_c or self.name.startswith(words)

    @property
    def is_divided(self) -> bool:
        """Whether `tar` proves its parts one by one."""
        return self.name.startswith("pairs/divided")

    @property
    def is_list(self) -> bool:
        """Whether it is about objects in lists, which `locksets` looks at several times."""
        return self.name.startswith("lists/")

    @property
    def is_near(self) -> bool:
        """Whether it is a near miss: a race that rules about locks might overlook."""
        return self.name.startswith("near/")

    @property
    def stated(self) -> dict[str, str]:
        """What is known of it before anybody is asked."""
        if not self.is_list and not self.is_near:
            return {}
        return {"races": "UNSAFE" if self.name.endswith("_wrong.c") else "SAFE"}

    @property
    def properties(self) -> tuple[str, ...]:
        """What is asked about it; nothing: its default properties."""
        for word, asked in _ASKED.items():
            if self.name.startswith("pairs/") and word in self.name:
                return (asked,)
        if self.is_list or self.is_near:
            return ("races",)
        return C_PROPERTIES if self.is_c else ()

    def read(self) -> object:
        """What the front end makes of it."""
        source = SourceFile(self.name, self.text)
        if self.is_c:
            return c.load_c([source], c_options(LoadOptions()))
        return _model(source)

    def load(self) -> Input:
        """Its program of record, made anew: transformations may be wrong by now."""
        source = SourceFile(self.name, self.text)
        if self.is_c:
            return load_c_sources([source], LoadOptions())
        return Input(_model(source))


@cache
def _model(source: SourceFile) -> Program:
    return load_model_source(source, LoadOptions())


def keep_front_end() -> None:
    """Let C be read once per program: the front end is the same with every fault."""
    read = c.load_c
    known: dict[object, c.LoadedC] = {}

    def remembered(
        sources: Sequence[SourceFile],
        options: COptions,
        own: Mapping[str, COptions] | None = None,
    ) -> c.LoadedC:
        key = tuple(source.text for source in sources), repr((options, own))
        if key not in known:
            known[key] = read(sources, options, own)
        return known[key]

    c.load_c = remembered


def _examples() -> list[Sample]:
    """The examples, one of each folder in turn."""
    folders: dict[str, list[Sample]] = {}
    for path in sorted((ROOT / "examples").glob("*/*.[ct]*")):
        if path.suffix in (".c", ".tw"):
            text = path.read_text(encoding="utf-8")
            name = path.parent.name
            if len(text) <= LONGEST:
                folders.setdefault(name, []).append(Sample(f"{name}/{path.name}", text))
    turns = chain.from_iterable(zip_longest(*folders.values()))
    return [sample for sample in turns if sample is not None]


def _near_misses() -> list[Sample]:
    """Those of the tests with a race, with it."""
    found = []
    for path in sorted((ROOT / "tests" / "near_misses").glob("*.c")):
        text = path.read_text(encoding="utf-8")
        if text.startswith("// BUG: races"):
            found.append(Sample(f"near/{path.stem}_wrong.c", f"#define BUG\n{text}"))
    return found


def _random(make: Callable[[int], str], name: str, count: int) -> list[Sample]:
    return [Sample(name.format(seed), make(seed)) for seed in range(count)]


def samples(count: int) -> list[Sample]:
    """So many programs: some 200 pairs, 100 near misses, then all other kinds in turn."""
    examples = _examples()
    small = [Sample(name, text) for name, text in (*pairs.texts(), *lists.texts())]
    kinds = [
        [sample for sample in examples if sample.is_c],
        _random(mixed_program_of, "random/{}.tw", count),
        [sample for sample in examples if not sample.is_c],
        _random(heap_program, "heap/{}.c", count // 5),
        _random(loop_program, "loops/{}.c", count // 10),
        _random(setup_program, "setup/{}.c", count // 10),
    ]
    mixed = chain.from_iterable(zip_longest(*kinds))
    others = [sample for sample in mixed if sample is not None]
    return [*small, *_near_misses(), *others][:count]
