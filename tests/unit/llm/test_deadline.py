"""The limits of a reply, on a loop whose time passes only while nothing runs."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.llm.backend import (
    AttachmentLeftOut,
    Finish,
    Finished,
    ModelDelta,
    TextDelta,
    ThoughtDelta,
    ToolCallDelta,
    Usage,
)
from assistant.llm.deadline import SoftLimit
from tests.fakes.asking.replies import limited
from tests.fakes.clock import FakeClock
from tests.fakes.virtual_loop import run_virtually

TEXT = TextDelta(text="가")
THOUGHT = ThoughtDelta(text="Hm.")
READING = ThoughtDelta(text="")
"""A report that the server reads the prompt."""
COUNTED = Usage(input=100, output=None)
LEFT_OUT = AttachmentLeftOut(name="a.zip", mime_type="application/zip", reason="type")
CALL = ToolCallDelta(index=0, id="c", name="look", arguments="")
END = Finished(reason=Finish.STOP)
NEVER = 10_000.0


@dataclass
class Served:
    """A server that sends each delta after a silence in seconds, and may be at work until a time."""

    sends: list[tuple[float, ModelDelta]]
    at_work_until: float | None = None
    told: list[float] = field(default_factory=list)
    heard: list[ModelDelta] = field(default_factory=list)
    closed: bool = False

    async def stream(self) -> AsyncGenerator[ModelDelta, None]:
        try:
            for silence_s, delta in self.sends:
                await asyncio.sleep(silence_s)
                yield delta
        finally:
            self.closed = True

    async def is_at_work(self) -> bool:
        await asyncio.sleep(0.5)
        assert self.at_work_until is not None
        return asyncio.get_running_loop().time() < self.at_work_until

    async def run(self) -> str:
        """The key of the error that ended the reply; empty for none."""
        loop = asyncio.get_running_loop()
        at_work = None if self.at_work_until is None else self.is_at_work
        deltas = limited(
            self.stream(), provider="mine", at_work=at_work, on_loading=lambda: self.told.append(loop.time())
        )
        try:
            async with aclosing(deltas):
                async for delta in deltas:
                    self.heard.append(delta)
        except ProviderError as error:
            return error.message_key if error.code is ErrorCode.TIMEOUT and not error.retryable else "another error"
        return ""


NO_ANSWER, SILENT, WHOLE = "error.timeout", "error.timeout_silent", ""


@pytest.mark.parametrize(
    ("sends", "ended", "after_s"),
    [
        ([(0.1, TEXT), (0.1, END)], WHOLE, 0.2),
        ([(19.9, TEXT), (0.1, END)], WHOLE, 20),
        ([(NEVER, TEXT)], NO_ANSWER, 20),
        ([(20.1, TEXT), (0, END)], NO_ANSWER, 20),
        # The limits are for silence: an answer may take as long as it likes.
        ([(15.0, TEXT)] * 40 + [(0, END)], WHOLE, 600),
        ([(1.0, TEXT)] * 300 + [(0, END)], WHOLE, 300),
        ([(1.0, TEXT)] * 70 + [(NEVER, TEXT)], SILENT, 90),
        ([(0, TEXT), (19.9, TEXT), (19.9, TEXT), (20.1, END)], SILENT, 59.8),
        ([(1.0, THOUGHT), (19.0, TEXT), (NEVER, END)], SILENT, 40),
        ([(1.0, THOUGHT)] * 100 + [(1.0, TEXT), (0, END)], WHOLE, 101),
        ([(1.0, CALL), (NEVER, END)], SILENT, 21),
        # What is told of the request is no sign of life of the model.
        ([(0, LEFT_OUT), (1.0, COUNTED), (NEVER, TEXT)], NO_ANSWER, 20),
        ([(1.0, COUNTED), (18.9, TEXT), (0, END)], WHOLE, 19.9),
        # A server that reports how it reads the prompt is alive.
        ([(15.0, READING)] * 20 + [(15.0, TEXT), (0, END)], WHOLE, 315),
        ([(15.0, READING)] * 3 + [(NEVER, TEXT)], NO_ANSWER, 65),
    ],
)
def test_only_silence_ends_a_reply_and_what_came_before_stays(
    sends: list[tuple[float, ModelDelta]], ended: str, after_s: float
) -> None:
    served = Served(sends)
    key, passed_s = run_virtually(served.run())
    assert (key, served.closed) == (ended, True)
    assert passed_s == pytest.approx(after_s, abs=0.01)
    arrived = [delta for delta in served.heard if isinstance(delta, TextDelta)]
    assert ended or len(arrived) == sum(isinstance(delta, TextDelta) for _, delta in sends)


@pytest.mark.parametrize(
    ("sends", "at_work_until", "ended", "after_s", "told"),
    [
        ([(100.0, TEXT), (0, END)], NEVER, WHOLE, 100, 1),
        ([(119.0, TEXT), (0, END)], NEVER, WHOLE, 119, 1),
        ([(NEVER, TEXT)], NEVER, NO_ANSWER, 120, 1),
        ([(NEVER, TEXT)], 0.0, NO_ANSWER, 20.5, 0),
        ([(NEVER, TEXT)], 50.0, NO_ANSWER, 53.5, 1),
        ([(10.0, TEXT), (0, END)], NEVER, WHOLE, 10, 0),
        ([(20.2, TEXT), (0, END)], 0.0, WHOLE, 20.2, 0),
        # A server that has begun to answer neither loads nor reads.
        ([(40.0, TEXT), (NEVER, END)], NEVER, SILENT, 60, 1),
        ([(1.0, TEXT), (NEVER, END)], NEVER, SILENT, 21, 0),
        ([(60.0, READING), (100.0, TEXT), (0, END)], NEVER, WHOLE, 160, 1),
    ],
)
def test_a_server_at_work_on_this_machine_may_be_silent_longer_and_the_user_is_told_once(
    sends: list[tuple[float, ModelDelta]], at_work_until: float, ended: str, after_s: float, told: int
) -> None:
    served = Served(sends, at_work_until)
    key, passed_s = run_virtually(served.run())
    assert (key, len(served.told), served.closed) == (ended, told, True)
    assert passed_s == pytest.approx(after_s, abs=0.1)


def test_a_defect_while_the_server_is_asked_ends_the_wait() -> None:
    class Broken(Served):
        async def is_at_work(self) -> bool:
            raise ValueError("port")

    key, passed_s = run_virtually(Broken([(NEVER, TEXT)], NEVER).run())
    assert key == NO_ANSWER
    assert passed_s == pytest.approx(20, abs=0.1)


class LoopClock(FakeClock):
    """Tells the loop's time."""

    def monotonic(self) -> float:
        return asyncio.get_running_loop().time()

    def uptime(self) -> float:
        return self.monotonic()


def test_a_long_exchange_is_told_once_and_goes_on() -> None:
    told: list[float] = []

    async def exchange() -> None:
        loop = asyncio.get_running_loop()
        limit = SoftLimit(LoopClock(), 60, lambda: told.append(loop.time()))
        for _ in range(8):
            with limit.counting():
                await asyncio.sleep(25)
            await asyncio.sleep(100)  # A tool runs, or the user is asked.

    _, passed_s = run_virtually(exchange())
    assert told == [260]
    assert passed_s == 1000


async def test_a_short_exchange_is_not_told() -> None:
    told: list[None] = []
    limit = SoftLimit(FakeClock(), 60, lambda: told.append(None))
    with limit.counting():
        pass
    assert (told, limit.left_s) == ([], 60)


async def test_the_soft_limit_is_used_up_by_what_is_counted_and_nothing_else() -> None:
    clock = FakeClock()
    limit = SoftLimit(clock, 60)
    with limit.counting():
        clock.advance(25)
    clock.advance(1000)
    assert limit.left_s == 35
    with limit.counting():
        clock.advance(50)
    assert limit.left_s == 0


async def test_closing_it_closes_the_stream() -> None:
    served = Served([(0, TEXT), (NEVER, END)])
    stream = limited(served.stream(), provider="mine")
    await anext(stream)
    await stream.aclose()
    assert served.closed


async def test_cancelling_the_wait_closes_the_stream() -> None:
    served = Served([(NEVER, END)])
    stream = limited(served.stream(), provider="mine")
    waiting = asyncio.ensure_future(anext(stream))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert served.closed


async def test_a_timeout_of_the_stream_itself_is_not_taken_for_ours() -> None:
    async def broken() -> AsyncGenerator[ModelDelta, None]:
        yield TextDelta(text="Hi.")
        raise TimeoutError("inside")

    stream = limited(broken(), provider="mine")
    await anext(stream)
    with pytest.raises(TimeoutError, match="inside"):
        await anext(stream)
