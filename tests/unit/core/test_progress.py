import pickle

from threadwise.core.progress import Event, Progress, Started, Stopped, Throttle, silent


def test_throttle_drops_progress_that_comes_too_soon() -> None:
    times = iter([0.0, 0.05, 0.1, 0.15])
    seen: list[Event] = []
    throttle = Throttle(seen.append, interval_s=0.1, clock=lambda: next(times))
    events = [Progress("explicit", str(number)) for number in range(4)]
    for event in events:
        throttle(event)
    assert seen == [events[0], events[2]]


def test_throttle_always_forwards_beginnings_and_ends() -> None:
    seen: list[Event] = []
    throttle = Throttle(seen.append, interval_s=1.0, clock=lambda: 0.0)
    events: list[Event] = [
        Started("tar"),
        Progress("tar"),
        Progress("tar"),
        Stopped("tar", "done"),
    ]
    for event in events:
        throttle(event)
    assert seen == [events[0], events[1], events[3]]


def test_events_survive_pickling() -> None:
    event = Progress("explicit", "exploring", {"states": 3})
    assert pickle.loads(pickle.dumps(event)) == event


def test_silent_listener_takes_anything() -> None:
    silent(Started("tar"))
