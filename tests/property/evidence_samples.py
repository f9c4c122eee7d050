"""Programs with all their evidence, for tests that break it.

The programs are chosen so that between them they have every kind of property, some of them
violated, procedures, spawned threads, atomic blocks, nondeterminism and several initial states.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from tests.property.comparison import MAX_DEPTH, load
from threadwise.engines.api import EngineOptions, Proved, Task, Violated
from threadwise.engines.explicit import ExplicitEngine
from threadwise.engines.thread_modular.rules import thread_modular_fixpoint
from threadwise.ir.commands import Call
from threadwise.ir.program import Program
from threadwise.ir.text.printer import program_hash
from threadwise.proofs.state_set.certificate import StateSetCertificate
from threadwise.proofs.thread_modular.certificate import ThreadModularCertificate
from threadwise.semantics.oracle import OracleAnswer, explore
from threadwise.semantics.state import LocalStore
from threadwise.systems.concrete import ConcreteSystem
from threadwise.traces.trace import Trace

TEXTS = {
    "locked": """
mutex m; int[0..2] x;
thread t[2] { int[0..2] r; acquire(m); r = x; x = r + 1; assert(x > r); release(m); }
invariant small: x <= 2;
race_free x;
""",
    "unlocked": """
int[0..2] x;
thread t[2] { int[0..2] r; r = x; x = r + 1; }
thread u { assert(x < 2); }
invariant small: x <= 1;
race_free x;
""",
    "lock_order": """
mutex m; mutex n; bool b = *;
thread t { acquire(m); acquire(n); release(n); release(m); }
thread u { if (b) { acquire(n); acquire(m); release(m); release(n); } else { release(n); } }
""",
    "atomics": """
bool busy; int[0..2] wrap x;
thread t[2] { await(!busy) { busy = true; } use: x = x + 1; atomic { busy = false; x = 0; } }
invariant alone: forall i, j: t. i != j ==> !(at(i, use) && at(j, use));
""",
    "choices": """
int[0..2] x; int[0..2] y = *;
thread t { havoc x; either { y = choose(0, x); } or { assume(y == 1); x = 2; } assert(x != y); }
thread u { int[0..2] r; r = y; x, y = r, x; r = r + 1; }
""",
    "procedures": """
int[0..2] x;
int[0..2] f(int[0..2] p) { if (p < 2) { x = p; return p + 1; } return 0; }
thread t[2] { int[0..2] r; r = f(r); r = f(r); assert(r == x + 1); }
""",
    "spawned": """
int[0..2] x;
thread worker(int[0..2] p) { x = p; }
thread main { tid h; h = spawn worker(2); x = 1; join h; assert(x == 2); spawn worker(1); }
race_free x;
""",
    "owners": """
tid o; int[0..1] a[2];
thread t[2] { tid mine; atomic { if (o == none) o = self; } mine = o; a[self.index] = 1;
  if (mine == self) { a[1 - self.index] = 0; } }
invariant owned: forall i: t. i.mine == i ==> o == i;
""",
}


@dataclass(frozen=True)
class Sample:
    """A program, its brute-force answer and its evidence."""

    text: str
    program: Program
    oracle: OracleAnswer
    traces: tuple[Trace, ...]
    states: StateSetCertificate
    """All reachable states; claims what holds."""
    tables: ThreadModularCertificate | None
    """R and G; claims nothing. None if the program has calls."""

    @property
    def violated(self) -> list[str]:
        """The names of the violated properties, in order."""
        return sorted(self.oracle.violated)

    @property
    def provable(self) -> tuple[str, ...]:
        """What R and G prove."""
        return self.tables.properties if self.tables else ()


@cache
def sample(name: str) -> Sample:
    """A sample by name."""
    return make_sample(TEXTS[name])


def make_sample(text: str) -> Sample:
    """A program with its evidence."""
    program = load(text)
    oracle = explore(program, program.properties, MAX_DEPTH)
    assert not oracle.cut
    options = EngineOptions(max_depth=MAX_DEPTH, symmetry=False)
    findings = list(ExplicitEngine().run(Task(program, program.properties, options)))
    traces = tuple(finding.trace for finding in findings if isinstance(finding, Violated))
    holding = tuple(p.name for p in program.properties if p.name not in oracle.violated)
    states = sorted(oracle.states, key=repr)
    certificate = StateSetCertificate(program_hash(program), holding, states)
    tables = None
    if not any(isinstance(edge.action, Call) for edge in program.edges):
        tables = _tables(program, options)
    return Sample(text, program, oracle, traces, certificate, tables)


def _tables(program: Program, options: EngineOptions) -> ThreadModularCertificate:
    """R and G, claiming what the engine says they prove."""
    from threadwise.engines.thread_modular.thread_modular_engine import ThreadModularEngine

    proved: list[str] = []
    for finding in ThreadModularEngine().run(Task(program, program.properties, options)):
        if isinstance(finding, Proved):
            proved += finding.properties
    system = ConcreteSystem(program)
    fixpoint = thread_modular_fixpoint(system)
    stores = dict.fromkeys(g for reached in fixpoint.reached for g, _ in reached)
    position = {g: k for k, g in enumerate(stores)}
    reached: list[list[tuple[int, LocalStore]]] = [
        [(position[g], system.reference_local(t, l)) for g, l in pairs]
        for t, pairs in zip(system.roles, fixpoint.reached, strict=True)
    ]
    guarantees = [[(position[a], position[b]) for a, b in made] for made in fixpoint.guarantees]
    names = tuple(proved)
    return ThreadModularCertificate(
        program_hash(program), names, tuple(stores), reached, guarantees
    )
