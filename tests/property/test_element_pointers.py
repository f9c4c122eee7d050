"""Pointers into one array as indices, against brute force: what is violated stays the same."""

from __future__ import annotations

import random

import pytest

from threadwise.analyses.uses import Uses
from threadwise.core.c_options import COptions
from threadwise.core.source import SourceFile
from threadwise.frontends.c import load_c
from threadwise.ir.fold import uses_memory
from threadwise.proofs.simplified.check import compare_programs
from threadwise.semantics.oracle import explore
from threadwise.transforms.pipeline import applied, simplified
from threadwise.transforms.simplify.element_pointers import PASS

TEXT = """
#include <assert.h>
#include <pthread.h>
struct job {{ int id, done; }} jobs[3];
struct job *last;
void *work(void *argument) {{
    struct job *mine = argument, *other = mine;
    {body}
    return 0;
}}
int main(void) {{
    pthread_t t;
    for (int i = 0; i < 2; i++) {{ {before} pthread_create(&t, 0, work, {given}); }}
    {behind}
    return 0;
}}
"""
STATEMENTS = (
    "mine->done = 1;",
    "mine->done = mine->id;",
    "other->id = 2;",
    "jobs[0].done = 2;",
    "jobs[mine->id].done = 1;",
    "last = mine;",
    "other = last;",
    "other = &jobs[1];",
    "other = &jobs[mine->id];",
    "other = 0;",
    "last = &jobs[3];",
    "assert(mine->id < 1);",
    "assert(other->done != 1);",
    "if (jobs[0].id) other->done = 3;",
    "*mine = jobs[2];",
)
GIVEN = "&jobs[i]", "&jobs[i + 1]", "&jobs[2 - i]", "&jobs[i * 3]", "&jobs[0]", "i ? &jobs[i] : 0"
BEFORE = "", "jobs[i].id = i;", "jobs[i].done = 1;", "last = &jobs[i];"


def _text(seed: int) -> str:
    drawn = random.Random(seed)
    body = " ".join(drawn.choice(STATEMENTS) for _ in range(drawn.randint(1, 4)))
    behind = drawn.choice(("", "last->done = 1;", "jobs[1].id = 2;"))
    before = drawn.choice(BEFORE)
    return TEXT.format(body=body, before=before, given=drawn.choice(GIVEN), behind=behind)


def _compared(seed: int) -> frozenset[str] | None:
    """What a program violates, if pointers become indices in it, and also then."""
    program = simplified(load_c([SourceFile("t.c", _text(seed))], COptions()).lowered.program)
    after = applied(program, PASS, Uses())
    if after is program:
        return None
    assert not uses_memory(after)
    compare_programs(PASS, program, after, None)
    violated = explore(program, program.properties).violated
    assert explore(after, after.properties).violated == violated, _text(seed)
    return violated


def test_a_few() -> None:
    found = [each for each in map(_compared, range(12)) if each is not None]
    assert len(found) >= 6
    assert len({*found}) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_many(block: int) -> None:
    """A thousand programs."""
    for seed in range(100 + 50 * block, 150 + 50 * block):
        _compared(seed)
