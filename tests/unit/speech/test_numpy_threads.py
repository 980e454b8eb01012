"""NumPy must not keep other cores busy while Sori listens."""

from collections.abc import Callable
from pathlib import Path

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from assistant.speech.endpoint import smart_turn
from assistant.speech.numpy_threads import keep_numpy_to_one_thread
from assistant.speech.stt.faster_whisper import MODEL, FasterWhisper

PathOf = Callable[[str], Path]


def numpy_threads() -> int:
    return max(int(each["num_threads"]) for each in threadpool_info() if each["user_api"] == "blas")


@pytest.mark.models
@pytest.mark.parametrize(
    "load",
    [lambda path_of: FasterWhisper(path_of(MODEL), 1), lambda path_of: smart_turn.create(path_of, 1)],
    ids=["recogniser", "end of turn"],
)
def test_an_engine_of_speech_leaves_numpy_one_thread(load: Callable[[PathOf], object], model_path: PathOf) -> None:
    threadpool_limits(limits=2, user_api="blas")
    keep_numpy_to_one_thread.cache_clear()
    assert numpy_threads() == 2

    load(model_path)

    assert numpy_threads() == 1
