"""Explanations of proofs by formulas: contexts of procedures, and ghosts."""

from __future__ import annotations

from tests.unit.semantics.running import model
from threadwise.driver.selection import select_properties
from threadwise.engines.api import EngineOptions, Proved, Task
from threadwise.engines.tar.tar_engine import TarEngine
from threadwise.proofs.base.explanation import ThreadExplanation
from threadwise.proofs.base.registry import explain_proof


def explained(text: str, *, expose: bool) -> list[ThreadExplanation]:
    program = model(text)
    chosen = select_properties(program, ["assertions"])
    (finding,) = TarEngine().run(Task(program, chosen, EngineOptions(expose=expose)))
    assert isinstance(finding, Proved)
    return explain_proof(program, finding.certificate)


def test_a_procedure_is_explained_context_by_context() -> None:
    text = """int x = 0;
    void f(int by) { x = x + by; assert(x >= 0); either { f(by); } or { skip; } }
    thread t { f(1); }"""
    titles = [thread.title for thread in explained(text, expose=False)]
    assert titles[0] == "t1 a `t`"
    assert len(titles) > 1
    assert all(title.startswith("t1 a `t` in `f`, context ") for title in titles[1:])


def test_ghosts_are_explained_by_who_writes_them() -> None:
    text = """bool locked = false; int x = 0;
    thread p[*] {
        int old;
        await(!locked) { locked = true; }
        old = x; x = old + 1; assert(x == old + 1);
        atomic { locked = false; }
    }"""
    ghosts, *_ = explained(text, expose=True)
    assert ghosts.title == "ghosts"
    assert "$wrote_locked := the thread's id, at line 4, 6" in ghosts.notes
