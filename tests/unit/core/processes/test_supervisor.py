"""Supervised work: every way it can end, and that nothing is left behind or lost.

Endings are asserted, times are not, except that nothing may take as long as the jobs would.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from threadwise.core.budget import UNLIMITED, Budget
from threadwise.core.errors import BudgetExhausted, InputError, Resource, ThreadwiseError
from threadwise.core.processes.supervisor import Ending, EndingKind, Job, Send, supervise

FOREVER_S = 1000.0
PATIENCE_S = 10.0
SHORT = Budget(time_s=0.3)


def run(job: Job, budget: Budget = UNLIMITED) -> tuple[Ending, list[object]]:
    messages: list[object] = []
    ending = supervise(job, budget, messages.append)
    assert ending.time_s < PATIENCE_S
    return ending, messages


def eventually(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.01)
    return False


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or waits only for its parent to take notice."""
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


def test_messages_arrive_in_order() -> None:
    def job(send: Send) -> None:
        for number in range(1000):
            send(number)

    ending, messages = run(job)
    assert ending.kind is EndingKind.FINISHED
    assert ending.reason == ""
    assert ending.peak_memory_bytes > 2**20
    assert messages == list(range(1000))


def test_message_larger_than_the_pipe() -> None:
    ending, messages = run(lambda send: send("x" * 5_000_000))
    assert ending.kind is EndingKind.FINISHED
    assert messages == ["x" * 5_000_000]


def test_messages_of_several_threads_do_not_mix() -> None:
    def job(send: Send) -> None:
        def talk(name: int) -> None:
            for _ in range(20):
                send(str(name) * 50_000)

        threads = [threading.Thread(target=talk, args=(name,)) for name in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    ending, messages = run(job)
    assert ending.kind is EndingKind.FINISHED
    assert sorted(map(str, messages)) == [
        str(name) * 50_000 for name in range(4) for _ in range(20)
    ]


def test_time_limit_while_the_worker_sits_in_a_native_call() -> None:
    def job(send: Send) -> None:
        send("before")
        time.sleep(FOREVER_S)

    ending, messages = run(job, SHORT)
    assert ending.kind is EndingKind.TIME_LIMIT
    assert ending.reason == "time limit of 0.3 s reached"
    assert messages == ["before"]


def test_time_limit_while_the_worker_floods() -> None:
    def job(send: Send) -> None:
        while True:
            send("x")

    ending, messages = run(job, SHORT)
    assert ending.kind is EndingKind.TIME_LIMIT
    assert messages
    assert set(messages) == {"x"}


def test_message_that_was_cut_off_is_dropped() -> None:
    def job(send: Send) -> None:
        send("whole")
        threading.Thread(target=send, args=("x" * 20_000_000,), daemon=True).start()
        time.sleep(FOREVER_S)

    messages: list[object] = []

    def slow(message: object) -> None:
        messages.append(message)
        time.sleep(0.5)

    ending = supervise(job, SHORT, slow)
    assert ending.kind is EndingKind.TIME_LIMIT
    assert messages == ["whole"]


def test_memory_limit() -> None:
    def job(send: Send) -> None:
        hoard = []
        while True:
            hoard.append(bytearray(1_000_000))
            time.sleep(0.001)

    limit = 400_000_000
    ending, _ = run(job, Budget(memory_bytes=limit))
    assert ending.kind is EndingKind.MEMORY_LIMIT
    assert ending.reason == "memory limit of 400 MB reached"
    assert ending.peak_memory_bytes > limit


def test_memory_limit_counts_descendants() -> None:
    script = "x = bytearray(500_000_000); import time; time.sleep(1000)"

    def job(send: Send) -> None:
        subprocess.run([sys.executable, "-c", script], check=False)

    ending, _ = run(job, Budget(memory_bytes=400_000_000))
    assert ending.kind is EndingKind.MEMORY_LIMIT


def test_memory_error_inside_the_worker() -> None:
    ending, _ = run(lambda send: send(bytearray(2**46)), Budget(memory_bytes=1_000_000_000))
    assert ending.kind is EndingKind.MEMORY_LIMIT
    assert ending.reason == "memory ran out inside the worker"


@pytest.mark.parametrize(
    ("resource", "kind"),
    [
        (Resource.TIME, EndingKind.TIME_LIMIT),
        (Resource.MEMORY, EndingKind.MEMORY_LIMIT),
        (Resource.STEPS, EndingKind.STEP_LIMIT),
    ],
)
def test_exhausted_budget_inside_the_worker(resource: Resource, kind: EndingKind) -> None:
    def job(send: Send) -> None:
        raise BudgetExhausted("enough", resource)

    ending, _ = run(job)
    assert (ending.kind, ending.reason) == (kind, "enough")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_worker_killed_by_a_signal(number: signal.Signals) -> None:
    def job(send: Send) -> None:
        send("before")
        os.kill(os.getpid(), number)
        time.sleep(FOREVER_S)

    ending, messages = run(job)
    assert ending.kind is EndingKind.CRASHED
    assert ending.signal == number
    assert number.name in ending.reason
    assert messages == ["before"]


def test_worker_that_leaves_silently() -> None:
    ending, _ = run(lambda send: os._exit(3))
    assert ending.kind is EndingKind.CRASHED
    assert ending.signal is None
    assert "exit code 3" in ending.reason


def test_exception_in_the_job() -> None:
    def job(send: Send) -> None:
        send("before")
        raise ZeroDivisionError("on purpose")

    ending, messages = run(job)
    assert ending.kind is EndingKind.FAILED
    assert ending.reason == "ZeroDivisionError: on purpose"
    assert ending.traceback is not None
    assert "test_supervisor.py" in ending.traceback
    assert ending.error is None
    assert messages == ["before"]


def test_attempt_to_exit_in_the_job() -> None:
    ending, _ = run(lambda send: sys.exit(0))
    assert (ending.kind, ending.reason) == (EndingKind.FAILED, "SystemExit: 0")


def test_own_errors_come_back_whole() -> None:
    def job(send: Send) -> None:
        raise InputError.of("bad")

    ending, _ = run(job)
    assert ending.kind is EndingKind.FAILED
    assert isinstance(ending.error, InputError)
    assert str(ending.error) == "error: bad"


def test_own_errors_that_cannot_be_pickled_come_back_as_text() -> None:
    class LocalError(ThreadwiseError):
        pass

    def job(send: Send) -> None:
        raise LocalError("odd")

    ending, _ = run(job)
    assert ending.kind is EndingKind.FAILED
    assert ending.error is None
    assert ending.reason.endswith("LocalError: odd")


def test_message_that_cannot_be_pickled() -> None:
    ending, messages = run(lambda send: send(lambda: None))
    assert ending.kind is EndingKind.FAILED
    assert messages == []


def test_exception_of_the_receiver_passes_through_and_ends_the_worker() -> None:
    def job(send: Send) -> None:
        send(os.getpid())
        time.sleep(FOREVER_S)

    pids: list[int] = []

    def receive(message: object) -> None:
        assert isinstance(message, int)
        pids.append(message)
        raise LookupError("receiver")

    with pytest.raises(LookupError, match="receiver"):
        supervise(job, UNLIMITED, receive)
    assert has_ended(pids[0])


def start_sleeper(send: Send, *, own_session: bool) -> None:
    command = [sys.executable, "-c", f"import time; time.sleep({FOREVER_S})"]
    send(subprocess.Popen(command, start_new_session=own_session).pid)


@pytest.mark.parametrize("own_session", [False, True])
def test_descendants_do_not_survive_a_limit(own_session: bool) -> None:
    def job(send: Send) -> None:
        start_sleeper(send, own_session=own_session)
        time.sleep(FOREVER_S)

    ending, [pid] = run(job, SHORT)
    assert ending.kind is EndingKind.TIME_LIMIT
    assert isinstance(pid, int)
    assert eventually(lambda: has_ended(pid))


def test_descendants_in_the_group_do_not_survive_the_end() -> None:
    ending, [pid] = run(lambda send: start_sleeper(send, own_session=False))
    assert ending.kind is EndingKind.FINISHED
    assert isinstance(pid, int)
    assert eventually(lambda: has_ended(pid))


def test_supervision_inside_supervision() -> None:
    def inner(send: Send) -> None:
        send(os.getpid())
        time.sleep(FOREVER_S)

    ending, [pid] = run(lambda send: send(supervise(inner, UNLIMITED, send)), SHORT)
    assert ending.kind is EndingKind.TIME_LIMIT
    assert isinstance(pid, int)
    assert eventually(lambda: has_ended(pid))


def test_supervision_outside_the_main_thread() -> None:
    endings: list[Ending] = []
    thread = threading.Thread(target=lambda: endings.append(run(lambda send: send(1))[0]))
    thread.start()
    thread.join()
    assert [ending.kind for ending in endings] == [EndingKind.FINISHED]


def test_nothing_is_left_open() -> None:
    run(lambda send: None)
    before = psutil.Process().num_fds()
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    for _ in range(5):
        run(lambda send: None)
        run(lambda send: time.sleep(FOREVER_S), Budget(time_s=0.01))
    assert psutil.Process().num_fds() == before
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == handlers


# What follows runs a supervisor as a program of its own, since signals are sent to it.

PROGRAM = """
import os, sys, time
from threadwise.core.budget import UNLIMITED
from threadwise.core.processes.supervisor import supervise

def job(send):
    send(os.getpid())
    time.sleep(1000)

print("printed before", end="; ")
ending = supervise(job, UNLIMITED, lambda pid: print("worker", pid, flush=True))
print(ending.kind.name, ending.reason)
"""


WITHOUT_DEATH_SIGNAL = """
import threadwise.core.processes.worker
threadwise.core.processes.worker._ask_for_death_signal = lambda: False
"""


def start_program(tmp_path: Path, prelude: str = "") -> tuple[subprocess.Popen[str], int]:
    script = tmp_path / "program.py"
    script.write_text(prelude + PROGRAM)
    program = subprocess.Popen([sys.executable, script], stdout=subprocess.PIPE, text=True)
    assert program.stdout is not None
    first = program.stdout.readline()
    assert first.startswith("printed before; worker ")
    return program, int(first.split()[-1])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_supervisor_reports_and_leaves_no_worker(
    tmp_path: Path, number: signal.Signals
) -> None:
    program, pid = start_program(tmp_path)
    with program:
        program.send_signal(number)
        rest, _ = program.communicate(timeout=PATIENCE_S)
    assert program.returncode == 0
    assert rest == f"INTERRUPTED interrupted ({number.name})\n"
    assert eventually(lambda: has_ended(pid))


@pytest.mark.parametrize("prelude", ["", WITHOUT_DEATH_SIGNAL], ids=["kernel", "lifeline"])
def test_worker_dies_with_the_supervisor(tmp_path: Path, prelude: str) -> None:
    program, pid = start_program(tmp_path, prelude)
    with program:
        program.kill()
        program.communicate(timeout=PATIENCE_S)
    assert eventually(lambda: has_ended(pid))


def test_worker_ignores_sigint(tmp_path: Path) -> None:
    program, pid = start_program(tmp_path)
    with program:
        os.kill(pid, signal.SIGINT)
        time.sleep(0.2)
        assert not has_ended(pid)
        program.terminate()
        program.communicate(timeout=PATIENCE_S)
    assert eventually(lambda: has_ended(pid))


IMPATIENT_PROGRAM = """
import os, signal, time
from threadwise.core.budget import UNLIMITED
from threadwise.core.processes.supervisor import supervise

def job(send):
    send(os.getpid())
    time.sleep(1000)

def receive(pid):
    print(pid, flush=True)
    os.kill(os.getpid(), signal.SIGINT)
    print("first", flush=True)
    os.kill(os.getpid(), signal.SIGINT)
    print("second")

try:
    supervise(job, UNLIMITED, receive)
except KeyboardInterrupt:
    print("KeyboardInterrupt")
"""


def test_second_interrupt_is_not_swallowed() -> None:
    output = subprocess.run(
        [sys.executable, "-c", IMPATIENT_PROGRAM],
        stdout=subprocess.PIPE,
        text=True,
        timeout=PATIENCE_S,
        check=True,
    ).stdout.split()
    assert output[1:] == ["first", "KeyboardInterrupt"]
    assert has_ended(int(output[0]))
