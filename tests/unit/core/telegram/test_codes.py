"""Codes that link a chat: how they are read, how long they live, and how few tries there are."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from assistant.core.telegram.codes import (
    CODE_S,
    MOST_WRONG,
    MOST_WRONG_OF_CHAT,
    LinkCode,
    LinkResult,
    attempt,
    code_of,
    digest_of,
    is_start,
    written_code,
)

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
CODE = "7K3M-9QXA"
LETTERS = "7K3M9QXA"


def _given(**changes: object) -> LinkCode:
    until = NOW + timedelta(seconds=CODE_S)
    return replace(LinkCode(digest=digest_of(CODE), workspace="w", agent="a", until=until), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        CODE,
        LETTERS,
        "7k3m-9qxa",
        " 7K3M 9QXA\n",
        "7K3M–9QXA",
        "7K3M—9QXA",
        "7K3M‑9QXA",
        "/start 7K3M-9QXA",
        "/start 7K3M9QXA",
        "/START  7k3m9qxa",
        "/start@sori_bot 7K3M-9QXA",
    ],
)
def test_a_code_is_read_as_people_write_it(text: str) -> None:
    assert written_code(text) == LETTERS


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/start",
        "7K3M-9QX",
        "7K3M-9QXAB",
        "7K3M-9QXA!",
        "7K3M-9QXU",
        "코드는 7K3M-9QXA",
        "my code is 7K3M-9QXA",
        "/help 7K3M-9QXA",
        "안녕하세요",
        "７Ｋ３Ｍ－９ＱＸＡ",
        "hello",
    ],
)
def test_other_messages_are_no_codes(text: str) -> None:
    assert written_code(text) is None


def test_letters_that_look_like_digits_are_read_as_digits() -> None:
    assert written_code("O0IL-1111") == "00111111"


def test_every_number_of_40_bits_makes_a_code_that_can_be_read() -> None:
    made = {code_of(bits) for bits in (0, 1, (1 << 40) - 1, 0x123456789A, *range(1000, 1100))}
    assert len(made) == 104
    assert all(written_code(each) == each.replace("-", "") for each in made)


def test_the_link_to_a_bot_is_told_from_a_message() -> None:
    assert is_start("/start 7K3M9QXA")
    assert not is_start("7K3M9QXA")
    assert not is_start("/start")


def test_the_right_code_links_once() -> None:
    done = attempt(_given(), LETTERS, chat=1, now=NOW)
    assert (done.result, done.code) == (LinkResult.LINKED, None)
    assert attempt(done.code, LETTERS, chat=2, now=NOW).result is LinkResult.WRONG


def test_a_code_ends() -> None:
    late = NOW + timedelta(seconds=CODE_S)
    done = attempt(_given(), LETTERS, chat=1, now=late)
    assert (done.result, done.code) == (LinkResult.EXPIRED, None)


def test_a_chat_that_guesses_is_not_heard_any_more_and_spoils_nothing_for_the_user() -> None:
    code: LinkCode | None = _given()
    for guess in range(MOST_WRONG_OF_CHAT):
        tried = attempt(code, f"{guess:08}", chat=666, now=NOW)
        assert tried.result is LinkResult.WRONG
        code = tried.code
    assert attempt(code, LETTERS, chat=666, now=NOW).result is LinkResult.BLOCKED
    assert attempt(code, LETTERS, chat=1, now=NOW).result is LinkResult.LINKED


def test_many_chats_that_guess_end_the_code() -> None:
    code: LinkCode | None = _given()
    for guess in range(MOST_WRONG):
        assert code is not None
        code = attempt(code, f"{guess:08}", chat=guess, now=NOW).code
    assert code is None


def test_the_code_itself_is_not_kept() -> None:
    assert LETTERS not in repr(_given())
