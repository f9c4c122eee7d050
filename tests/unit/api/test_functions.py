"""`explain` and `simulate` as functions."""

import threadwise

COUNTER = """
int[0..2] x;
thread worker[2] {
    atomic { x = x + 1; }
    assert(x >= 1);
}
"""
LOST = COUNTER.replace("x >= 1", "x == 2")


def test_why_it_is_safe() -> None:
    result = threadwise.check(COUNTER, properties="assertions", in_process=True)
    told = threadwise.explain(result, COUNTER)
    assert "worker" in told
    assert "x" in told


def test_nothing_is_explained_where_nothing_was_proved() -> None:
    result = threadwise.check(LOST, properties="assertions", in_process=True)
    assert threadwise.explain(result, LOST) == ""


def test_a_run() -> None:
    runs = [threadwise.simulate(LOST, seed=seed, steps=20) for seed in range(4)]
    violated = {incident.name for run in runs for incident in run.incidents}
    assert violated == {"races", "assert:5"}
    assert runs[1].steps == threadwise.simulate(LOST, seed=1, steps=20).steps
    assert threadwise.simulate(COUNTER, steps=2).steps[1].number == 2
