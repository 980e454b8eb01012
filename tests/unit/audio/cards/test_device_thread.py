import threading

import pytest

from assistant.audio.cards.device_thread import DeviceThread
from assistant.core.errors import AudioDeviceError


async def test_all_calls_run_in_the_same_thread_that_is_not_the_loops() -> None:
    thread = DeviceThread()

    first, second = await thread.run(threading.get_ident), await thread.run(threading.get_ident)
    thread.stop()

    assert first == second != threading.get_ident()


async def test_an_exception_reaches_whoever_asked() -> None:
    thread = DeviceThread()

    with pytest.raises(ZeroDivisionError):
        await thread.run(lambda: 1 // 0)
    assert await thread.run(lambda: "still there") == "still there"
    thread.stop()


async def test_a_sound_system_that_never_answers_is_an_error_and_holds_nobody_up() -> None:
    thread, answer = DeviceThread(), threading.Event()

    with pytest.raises(AudioDeviceError) as caught:
        await thread.run(answer.wait, limit_s=0.05)

    assert caught.value.message_key == "error.audio.system_stuck"
    answer.set()
    assert await thread.run(lambda: "again") == "again"
    thread.stop()


async def test_a_stopped_thread_starts_again_when_it_is_needed() -> None:
    thread = DeviceThread()
    thread.stop()
    await thread.run(lambda: None)
    thread.stop()

    assert await thread.run(lambda: 1) == 1
    thread.stop()
