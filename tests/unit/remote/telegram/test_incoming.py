"""Which messages are still answered after Sori was away, and how long failures are waited for."""

from datetime import timedelta
from itertools import pairwise

import pytest
from telegram.error import (
    BadRequest,
    Conflict,
    Forbidden,
    InvalidToken,
    NetworkError,
    RetryAfter,
    TelegramError,
    TimedOut,
)

from assistant.core.telegram.records import TelegramUpdate
from assistant.remote.telegram.bot import is_final, pause_s
from assistant.remote.telegram.incoming import Incoming, IncomingFile, kept, too_old
from tests.fakes.clock import FakeClock

NOW = FakeClock().now()
HOUR = 3600


def dropped(ages_s: list[float], most: int, hours: int = 24, chats: list[int] | None = None) -> list[int]:
    updates = [
        TelegramUpdate(
            update_id=at, chat=(chats or [1] * len(ages_s))[at], content="", sent_at=NOW - timedelta(seconds=age)
        )
        for at, age in enumerate(ages_s)
    ]
    return [each.update_id for each in too_old(updates, NOW, most=most, longest=timedelta(hours=hours))]


@pytest.mark.parametrize(
    ("ages_s", "most", "gone"),
    [
        ([], 20, []),
        ([0, 0, 0], 0, []),
        ([59, 10, 0], 0, []),
        ([61, 10, 0], 0, [0]),
        ([400, 300, 200], 2, [0]),
        ([400, 300, 200], 3, []),
        ([25 * HOUR, 23 * HOUR, 10], 20, [0]),
        ([25 * HOUR, 24 * HOUR + 1, 24 * HOUR - 1], 20, [0, 1]),
        ([5 * HOUR, 4 * HOUR, 3 * HOUR, 30, 5], 1, [0, 1]),
        ([100] * 30, 20, list(range(10))),
        ([-5, -30], 0, []),
    ],
)
def test_only_recent_messages_are_answered_after_an_absence(ages_s: list[float], most: int, gone: list[int]) -> None:
    assert dropped(ages_s, most) == gone


def test_the_limit_is_for_each_chat() -> None:
    assert dropped([300, 290, 280, 270], 1, chats=[1, 2, 1, 2]) == [0, 1]


def test_what_is_kept_of_an_update_comes_back_whole() -> None:
    file = IncomingFile(file="id", name="한 글.pdf", mime_type="application/pdf", size=7)
    told = Incoming(name="민지", text='따옴표 " 와 \n 줄', files=(file,), shown=(3, 4), files_sent=1, heard="들은 말")
    assert kept(told.content) == told


@pytest.mark.parametrize(
    ("error", "final"),
    [
        (BadRequest("Chat not found"), True),
        (Forbidden("bot was blocked"), True),
        (InvalidToken(), True),
        (Conflict("terminated"), False),
        (NetworkError("Bad Gateway"), False),
        (TimedOut(), False),
        (RetryAfter(3), False),
    ],
)
def test_what_telegram_refuses_as_it_is_is_not_tried_again(error: TelegramError, final: bool) -> None:
    assert is_final(error) is final


def test_pauses_grow_to_a_minute_and_are_those_that_telegram_asks_for() -> None:
    pauses = [pause_s(NetworkError("x"), failures) for failures in range(1, 30)]
    assert pauses[0] < 1
    assert all(later > 1.1 * earlier for earlier, later in pairwise(pauses[:7]))
    assert max(pauses) <= 75
    assert pause_s(RetryAfter(17), 1) == 17
    assert pause_s(RetryAfter(170), 9) == 170
