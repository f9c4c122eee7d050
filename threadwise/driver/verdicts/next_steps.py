"""One concrete next step for what stays UNKNOWN: an option that was tried before it is proposed.

Tried means: the program was loaded with it, and the place that stood nearest to an answer is gone,
or the program is smaller. Whether the answer is then another one is for the next run to say.

| what stands nearest                               | next step                       |
|---------------------------------------------------|---------------------------------|
| an option that cut the search                     | twice its value                 |
| functions without a description                   | `--assume-pure`                 |
| any number of threads, more than may be created   | `--threads`, `--max-threads`    |
| a place that ends the model                       | `--assume-unreached`            |
| a value that is not computed                      | `--assume-any-value`            |
| too many states, and a constant that says how many| `-D` with a smaller value       |
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePath

from threadwise.core.errors import InputError, Unsupported
from threadwise.core.load_options import LoadOptions
from threadwise.core.reading import read_source
from threadwise.driver.loading import Input, is_c, load_input
from threadwise.ir.program import Program
from threadwise.results.blockers import Blocker, Nearness

_FUNCTION = re.compile(r"(?:call|result) of `?(\w+)`?,|unknown function `?(\w+)")
_PLACE = re.compile(r"(?P<file>[^\s:;]+):(?P<line>\d+): ")
_MACRO = re.compile(r"^\s*#\s*ifndef\s+(\w+)\s*\n\s*#\s*define\s+\1\s+(\d+)\s*$", re.MULTILINE)
_CONSTANT = re.compile(r"^\s*const\s+[^=;]*?(\w+)\s*=\s*(\d+)\s*;", re.MULTILINE)
NOT_COMPUTED = "a value that is not computed"
"""What doubtful violations rest on, in words; see `presumptions`."""
FEW = 2
"""So many threads show most errors, and so small constants."""


@dataclass(frozen=True)
class _Proposal:
    """Options that may help, and how to decide from the program whether they do."""

    option: str
    load: LoadOptions
    helps: Callable[[Input], bool]


def next_step(path: str, load: LoadOptions, blockers: Sequence[Blocker]) -> str | None:
    """The first option that applies and takes the nearest blockers away; None if there is none."""
    near = [each for each in blockers if each.nearness <= Nearness.SIZE]
    for blocker in near:
        if blocker.bound is not None:
            name, value = blocker.bound
            return f"--{name} {2 * value}"
    loaded = load_input(path, load)
    places = [place for blocker in near for place in blocker.told.split("; ")]
    for proposal in _proposals(path, loaded, load, near, places):
        try:
            if proposal.helps(load_input(path, proposal.load)):
                return proposal.option
        except (InputError, Unsupported):
            continue
    return None


def _proposals(
    path: str, loaded: Input, load: LoadOptions, near: Sequence[Blocker], places: Sequence[str]
) -> Iterator[_Proposal]:
    """Options that may help."""

    named = {_named(place) for place in places}

    def gone(changed: Input) -> bool:
        return named.isdisjoint(map(_named, _limits(changed.program)))

    yield from _about_functions(load, places, gone)
    if any("threads" in place for place in places):
        yield from _about_threads(loaded.program, load, gone)
    ends = [
        place
        for blocker in near
        if blocker.nearness <= Nearness.POSSIBLE
        for place in blocker.told.split("; ")
    ]
    if is_c(path):
        yield from _about_places(loaded, load, ends, gone)
    if any(blocker.nearness is Nearness.SIZE for blocker in near):
        yield from _smaller(path, loaded.program, load)


def _about_functions(
    load: LoadOptions, places: Sequence[str], gone: Callable[[Input], bool]
) -> Iterator[_Proposal]:
    matches = (match for place in places for match in _FUNCTION.finditer(place))
    names = list(dict.fromkeys(match[1] or match[2] for match in matches))
    if names:
        option = " ".join(f"--assume-pure {name}" for name in names)
        pure = load.c.pure | frozenset(names)
        yield _Proposal(option, replace(load, c=replace(load.c, pure=pure)), gone)


def _about_threads(
    program: Program, load: LoadOptions, gone: Callable[[Input], bool]
) -> Iterator[_Proposal]:
    open_names = [each.name for each in program.templates if each.count is None]
    if open_names:
        option = " ".join(f"--threads {name}={FEW}" for name in open_names)
        threads = {**load.threads, **dict.fromkeys(open_names, FEW)}
        yield _Proposal(option, replace(load, threads=threads), gone)
    if any(each.pool for each in program.templates):
        before, more = _limits(program), 2 * load.max_threads
        yield _Proposal(
            f"--max-threads {more}",
            replace(load, max_threads=more),
            lambda after: _limits(after.program) != before,
        )


def _about_places(
    loaded: Input, load: LoadOptions, places: Sequence[str], gone: Callable[[Input], bool]
) -> Iterator[_Proposal]:
    """What is to be assumed of the places that are named."""
    values, ends = dict[str, None](), dict[str, None]()
    for told in places:
        found = _PLACE.match(told)
        if found is not None:
            place = f"{PurePath(found['file']).name}:{found['line']}"
            (values if NOT_COMPUTED in told else ends)[place] = None
    if values:
        option = " ".join(f"--assume-any-value {place}" for place in values)
        assumed = load.c.any_value | frozenset(values)
        changed = replace(load, c=replace(load.c, any_value=assumed))
        yield _Proposal(
            option, changed, lambda after: len(after.approximated) < len(loaded.approximated)
        )
    if ends:
        option = " ".join(f"--assume-unreached {place}" for place in ends)
        assumed = load.c.unreached | frozenset(ends)
        yield _Proposal(option, replace(load, c=replace(load.c, unreached=assumed)), gone)


def _smaller(path: str, program: Program, load: LoadOptions) -> Iterator[_Proposal]:
    """Constants of the source that may be set from outside, with small values."""

    def is_smaller(after: Input) -> bool:
        return _size(after.program) != _size(program)

    crowded = [t.name for t in program.templates if not t.pool and (t.count or 0) > FEW]
    if crowded and not is_c(path):
        option = " ".join(f"--threads {name}={FEW}" for name in crowded)
        threads = {**load.threads, **dict.fromkeys(crowded, FEW)}
        yield _Proposal(option, replace(load, threads=threads), is_smaller)
    text = read_source(path).text
    found = (_MACRO if is_c(path) else _CONSTANT).findall(text)
    names = [name for name, value in found if int(value) > FEW and name not in load.defines]
    for chosen in [names, *([name] for name in names)]:
        if chosen:
            option = " ".join(f"-D {name}={FEW}" for name in chosen)
            defines = {**load.defines, **dict.fromkeys(chosen, str(FEW))}
            yield _Proposal(option, replace(load, defines=defines), is_smaller)


def _size(program: Program) -> tuple[object, ...]:
    """What constants change: the text of guards, the sizes of arrays, the numbers of threads."""
    counts = tuple(template.count for template in program.templates)
    return counts, program.globals, tuple(edge.action for edge in program.edges)


def _named(told: str) -> str:
    """The place that a reason begins with, or all of it."""
    found = _PLACE.match(told)
    return told if found is None else found[0]


def _limits(program: Program) -> set[str]:
    """Where the model ends, in words."""
    failures = (location.failure for location in program.locations)
    return {each.message for each in failures if each is not None and each.kind.is_limit}
