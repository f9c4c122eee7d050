import itertools
import os
import pickle
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from threadwise.core.errors import InternalError
from threadwise.core.processes.worker import (
    Ending,
    EndingKind,
    FrameReader,
    Job,
    Send,
    Tag,
    run_worker,
)


def stream_of(job: Job) -> bytes:
    """What a worker writes, when it is little enough for a pipe to hold."""
    reader, writer = os.pipe()
    try:
        assert run_worker(job, writer)
        return os.read(reader, 1 << 16)
    finally:
        os.close(reader)
        os.close(writer)


def send_three(send: Send) -> None:
    send("one")
    send({"two": 2})
    send(None)


@given(st.lists(st.integers(0, 300), max_size=6))
def test_frames_do_not_depend_on_how_the_stream_is_cut(cuts: list[int]) -> None:
    stream = stream_of(send_three)
    reader = FrameReader()
    frames: list[tuple[Tag, object]] = []
    places = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for start, end in itertools.pairwise(places):
        reader.feed(stream[start:end])
        frames += reader.frames()
    assert frames == [
        (Tag.MESSAGE, "one"),
        (Tag.MESSAGE, {"two": 2}),
        (Tag.MESSAGE, None),
        (Tag.ENDING, Ending(EndingKind.FINISHED)),
    ]


def test_incomplete_frame_is_kept_back() -> None:
    stream = stream_of(send_three)
    reader = FrameReader()
    reader.feed(stream[:-1])
    assert [tag for tag, _ in reader.frames()] == [Tag.MESSAGE] * 3
    assert list(reader.frames()) == []


def test_frames_left_over_by_one_reading_come_in_the_next() -> None:
    reader = FrameReader()
    reader.feed(stream_of(send_three))
    for _ in reader.frames():
        break
    assert len(list(reader.frames())) == 3


def test_unreadable_message_is_an_internal_error() -> None:
    stream = bytearray(stream_of(lambda send: send("x" * 50)))
    stream[24:27] = b"\xff\xff\xff"
    reader = FrameReader()
    reader.feed(bytes(stream))
    with pytest.raises(InternalError, match="unreadable message"):
        list(reader.frames())


@pytest.mark.parametrize("bytes_each", [1, 3, 8])
@pytest.mark.parametrize("cut", [0, 5, 30, 100, 400, 2_000])
def test_arrays_arrive_as_they_were_sent(bytes_each: int, cut: int) -> None:
    held = np.dtype({"names": ["0"], "formats": ["u1"], "itemsize": bytes_each})
    whole = np.zeros(400, dtype=held)
    whole["0"] = np.arange(400) % 251
    sent = [whole[:3], "between", whole[100:333], np.zeros(0, dtype=held)]

    def job(send: Send) -> None:
        for message in ("before", sent, "after"):
            send(message)

    stream = stream_of(job)
    reader = FrameReader()
    reader.feed(stream[:cut])
    frames = list(reader.frames())
    reader.feed(stream[cut:])
    frames += reader.frames()
    assert [frames[0], *frames[2:]] == [
        (Tag.MESSAGE, "before"),
        (Tag.MESSAGE, "after"),
        (Tag.ENDING, Ending(EndingKind.FINISHED)),
    ]
    first, between, second, empty = cast("Any", frames[1][1])
    assert between == "between"
    for found, expected in ((first, whole[:3]), (second, whole[100:333]), (empty, whole[:0])):
        assert found.dtype == held
        assert np.array_equal(found, expected)


def test_closed_pipe_is_reported() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        assert not run_worker(lambda send: send(1), writer)
    finally:
        os.close(writer)


def test_endings_survive_pickling() -> None:
    ending = Ending(EndingKind.CRASHED, "killed", signal=9)
    assert pickle.loads(pickle.dumps(ending)) == ending
