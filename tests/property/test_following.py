"""Programs that follow a thread with a creation index go wrong wherever the original does.

Small programs that create threads in a loop, drawn from a grammar of right and wrong statements,
are searched by brute force for 0 to 2 created threads; what is violated must be violated in the
program that follows one thread κ, for some κ, also searched by brute force. And what engines prove
by following holds.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from tests.property.comparison import load
from threadwise.core.budget import Budget, Meter
from threadwise.core.errors import BudgetExhausted
from threadwise.driver.check_options import CheckOptions
from threadwise.driver.checking import check_file
from threadwise.engines.api import Proved, Task, Undecided, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.horn.horn_engine import HornEngine
from threadwise.ir.check.validate import validate
from threadwise.ir.program import Program
from threadwise.ir.properties import DeadlockProperty
from threadwise.ir.text.printer import print_program
from threadwise.ir.text.reader import read_program
from threadwise.proofs.base.registry import check_certificate
from threadwise.proofs.transformed.certificate import TransformedCertificate
from threadwise.results.verdict import Verdict
from threadwise.transforms.follow import follow_all, followable, suggested

CI = 6
NIGHTLY = 300
PROOFS = 24
STEPS = 30_000

SKELETON = """
bool slot[worker] = false;
tid handle[worker];
bool done = false;
int[0..2] count = 0;
mutex m;

thread worker(int[0..2] mine) {{
    {work}
}}

thread parent {{
    int[0..2] n = 0;
    int[0..2] i = 0;
    bool more = choice;
    while (more && n < {most}) {{
        handle[n] = spawn worker({passed});
        n = n + 1;
        more = choose(true, false);
    }}
    i = {first};
    while (i < {last}) {{
        join handle[i];
        {joined}
        i = i + 1;
    }}
    i = 0;
    while (i < n) {{
        {read}
        i = i + 1;
    }}
}}
{invariant}
race_free slot;
race_free done;
race_free count;
"""
TWO = """
bool ready = false;
bool done = false;
int[0..2] count = 0;
mutex m;

thread worker() {{ {work} }}
thread helper() {{ {help} }}

thread parent {{
    tid a; tid b;
    {before}
    a = spawn {first};
    b = spawn {second};
    {between}
    join {joined};
    {after}
}}
race_free ready;
race_free done;
race_free count;
"""
TOGETHER = (
    "acquire(m); count = 1; release(m);",
    "count = 2;",
    "ready = true;",
    "done = ready;",
    "assert(!done);",
    "assert(count < 2);",
    "acquire(m); assert(count == 0); count = 1; count = 0; release(m);",
    "skip;",
)
WORK = (
    "slot[mine] = true;",
    "slot[0] = true;",
    "slot[mine] = true; done = true;",
    "slot[mine] = true; slot[mine] = false;",
    "assert(!slot[mine]); slot[mine] = true;",
    "acquire(m); count = 0; release(m); slot[mine] = true;",
    "count = 1; slot[mine] = true;",
    "assert(mine < 1); slot[mine] = true;",
    "if (slot[mine]) { done = true; } in: slot[mine] = true;",
    "skip;",
)
READ = (
    "assert(slot[i]);",
    "if (slot[i]) { assert(!done); }",
    "assert(slot[i] || done);",
    "acquire(m); count = 1; release(m);",
    "slot[i] = false;",
    "skip;",
)


def drawn(seed: int, most: int = 2) -> Program:
    """A program that creates up to so many threads."""
    random = Random(seed)
    work = random.choice(WORK)
    invariant = ""
    if "in:" in work and random.random() < 0.5:
        invariant = "invariant alone: forall a, b: worker. a != b ==> !(at(a, in) && at(b, in));"
    text = SKELETON.format(
        work=work,
        most=most,
        passed=random.choice(("n", "n", "n", "0", "1")),
        first=random.choice(("0", "0", "0", "1")),
        last=random.choice(("n", "n", "n", "n - 1")),
        joined=random.choice(("skip;", "assert(slot[i]);")),
        read=random.choice(READ),
        invariant=invariant,
    )
    return load(
        text.replace("bool more = choice", f"bool more = {random.choice(('true', 'false'))}")
    )


def drawn_of_two(seed: int) -> Program:
    """A program that creates threads of two kinds, or two of one."""
    random = Random(seed)
    return load(
        TWO.format(
            work=random.choice(TOGETHER),
            help=random.choice(TOGETHER),
            before=random.choice(TOGETHER),
            first=random.choice(("worker()", "helper()")),
            second=random.choice(("worker()", "helper()")),
            between=random.choice(TOGETHER),
            joined=random.choice(("a", "b")),
            after=random.choice(TOGETHER),
        )
    )


def finite(program: Program, others: int, last: int = 2) -> Program:
    """The program that follows, with bounds for κ and the indices of others."""
    text = print_program(program)
    kinds = [t.name.removesuffix(".others") for t in program.templates if t.count is None]
    for kind in kinds:
        text = text.replace(f"{kind}.kappa: int sync", f"{kind}.kappa: int[0..{last}] sync")
        text = text.replace(f"local {kind}.index: int\n", f"local {kind}.index: int[0..{last}]\n")
    return read_program(text).with_counts({f"{kind}.others": others for kind in kinds})


def violated(program: Program) -> set[str]:
    """What explicit search finds; `a limit` if it runs into one."""
    kept = tuple(p for p in program.properties if not isinstance(p, DeadlockProperty))
    found: set[str] = set()
    for finding in ExplicitEngine().run(Task(program, kept)):
        if isinstance(finding, Violated):
            found.add(finding.trace.property)
        elif isinstance(finding, Undecided):
            found.add("a limit")
    return found


def compare(seed: int) -> int:
    """How much is violated; asserts that following keeps it."""
    program = drawn(seed)
    wrong = violated(program)
    assert "a limit" not in wrong
    for claiming in (True, False):
        followings = [suggested(program, name, claiming=claiming) for name in followable(program)]
        followed = follow_all(program, followings).program
        assert not validate(followed)
        seen = violated(finite(followed, 1))
        if "a limit" not in seen and not wrong <= seen:
            seen |= violated(finite(followed, 2))
        assert "a limit" in seen or wrong <= seen, (seed, claiming, wrong - seen)
    return len(wrong)


def test_a_sample() -> None:
    assert sum(map(compare, range(CI))) > CI // 3


def compare_two(seed: int) -> int:
    """The same for two threads, of two kinds or of one."""
    program = drawn_of_two(seed)
    wrong = violated(program)
    followings = [suggested(program, name, claiming=False) for name in followable(program)]
    seen = violated(finite(follow_all(program, followings).program, 1, last=1))
    assert "a limit" in seen or wrong <= seen, (print_program(program), wrong - seen)
    return len(wrong)


@pytest.mark.slow
def test_threads_of_two_kinds() -> None:
    assert sum(map(compare_two, range(4))) > 1


@pytest.mark.slow
def test_many_of_two_kinds() -> None:
    assert sum(map(compare_two, range(4, 100))) > 30


@pytest.mark.slow
def test_many() -> None:
    assert sum(map(compare, range(CI, NIGHTLY))) > NIGHTLY // 3


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(PROOFS))
def test_what_is_proved_holds_for_few_threads(seed: int) -> None:
    program = drawn(seed)
    task = Task(program, program.properties, meter=Meter(Budget(steps=STEPS)))
    proved: set[str] = set()
    try:
        for finding in HornEngine().run(task):
            if isinstance(finding, Proved) and isinstance(
                finding.certificate, TransformedCertificate
            ):
                check_certificate(program, finding.certificate, lambda: None)
                proved |= set(finding.properties)
    except BudgetExhausted:
        pass
    for most in range(4):
        assert not proved & violated(drawn(seed, most)), seed


IN_C = """
#include <pthread.h>
extern int __VERIFIER_nondet_int(void);
int slot[100];
pthread_t thread[100];
void *worker(void *argument) { long mine = (long)argument; slot[mine] = 1; return 0; }
int main(void) {
    int n = __VERIFIER_nondet_int();
    if (n < 0 || n > 100) return 0;
    for (long i = 0; i < n; i++) pthread_create(&thread[i], 0, worker, (void *)i);
    for (long i = JOINED; i < n; i++) pthread_join(thread[i], 0);
    for (long i = 0; i < n; i++) slot[i] = 2;
    return 0;
}
"""


@pytest.mark.slow
def test_c_threads_in_a_loop(tmp_path: Path) -> None:
    path = tmp_path / "loop.c"
    path.write_text(IN_C.replace("JOINED", "0"), encoding="utf-8")
    options = CheckOptions(properties=("races",), engine="horn")
    (checked,) = check_file(str(path), options, in_process=True).properties
    assert checked.verdict is Verdict.SAFE
    assert isinstance(checked.certificate, TransformedCertificate)
    path.write_text(IN_C.replace("JOINED", "1"), encoding="utf-8")
    options = CheckOptions(properties=("races",), engine="bounded")
    (checked,) = check_file(str(path), options, in_process=True).properties
    assert checked.verdict is Verdict.UNSAFE
