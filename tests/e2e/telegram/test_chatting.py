"""Messages of a chat with the real engine: answered once, in order, formatted, with what went wrong told."""

import asyncio
import time
from collections.abc import Iterator
from io import BytesIO
from itertools import pairwise

import pytest
from PIL import Image

from assistant.core.records.egress import DataClass
from assistant.core.telegram.records import TelegramStanding, TelegramState
from assistant.remote.telegram.form.rich_text import units
from tests.e2e.conversation.running_engine import TEXTS
from tests.e2e.telegram.conftest import SLOWLY, Sori, link
from tests.fakes.telegram_server.server import TOKEN, Call, Fault
from tests.fakes.telegram_server.text_rules import RefusedCallError, bad_request


@pytest.fixture(autouse=True)
def _without_faults(sori: Sori) -> Iterator[None]:
    yield
    sori.may_end.clear()
    sori.telegram.fault = lambda _: None
    sori.telegram.mixed = lambda updates: updates


def fail(sori: Sori, method: str, *faults: Fault) -> list[Fault]:
    """Let the next calls of a method fail in turn."""
    left = [*faults]
    sori.telegram.fault = lambda call: left.pop(0) if call.method == method and left else None
    return left


def test_a_message_is_answered_with_its_markup(sori: Sori) -> None:
    assert sori.ask("안녕하세요, 처음 뵙겠습니다") == ["반갑습니다만, 무엇을 도와드릴까요?"]
    sent = sori.telegram.sent(sori.chat)[-1]
    assert sent.shown.shown("bold") == ["반갑습니다"]
    assert sent.texts[0] == "…"


def test_messages_of_one_chat_are_answered_in_their_order(sori: Sori) -> None:
    before = len(sori.telegram.sent(sori.chat))
    for number in range(6):
        sori.telegram.say(sori.chat, f"따라 하세요: {number}번")
    assert sori.answers(before, 6) == [f"{number}번" for number in range(6)]


def test_updates_that_come_twice_and_mixed_are_answered_once(sori: Sori) -> None:
    sori.telegram.mixed = lambda updates: [*reversed(updates), *updates]
    before = len(sori.telegram.sent(sori.chat))
    for number in range(5):
        sori.telegram.say(sori.chat, f"따라 하세요: 섞여도 {number}번")
    assert sori.answers(before, 5) == [f"섞여도 {number}번" for number in range(5)]


def test_a_long_answer_comes_in_parts_that_lose_nothing(sori: Sori) -> None:
    paragraphs = [f"{number}번째 문단이에요. " + "가나다라 마바사 아자차카 타파하. " * 12 for number in range(40)]
    found = sori.ask("따라 하세요: " + "\n\n".join(paragraphs), 2)
    assert len(found) > 1
    assert all(units(each) <= 4096 for each in found)
    assert "\n\n".join(found) == "\n\n".join(each.strip() for each in paragraphs)


def test_progress_is_shown_by_edits_and_the_whole_answer_stands_at_the_end(sori: Sori) -> None:
    (answer,) = sori.ask("천천히 세어 주세요")
    texts = sori.telegram.sent(sori.chat)[-1].texts
    assert answer == SLOWLY.strip()
    assert texts[0] == "…"
    assert len(texts) >= 3
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts[1:]))


def test_stop_ends_the_answer_under_way_and_what_came_of_it_stays(sori: Sori) -> None:
    before = len(sori.telegram.sent(sori.chat))
    sori.telegram.say(sori.chat, "세다가 기다려 주세요")
    sori.telegram.until(lambda: any(each.startswith("하나") for each in sori.telegram.texts(sori.chat)[before:]))
    sori.telegram.say(sori.chat, "/stop")
    answer, told = sori.answers(before, 2)
    assert answer != SLOWLY.strip()
    assert SLOWLY.startswith(answer.split("…")[0].strip())
    assert told == TEXTS("telegram.chat.stopped")


def test_a_failing_model_is_told(sori: Sori) -> None:
    (told,) = sori.ask("거절해 주세요")
    assert told.startswith("처리 중 오류가 발생했습니다")


def test_a_chat_that_is_not_linked_is_told_how_and_reaches_no_model(sori: Sori) -> None:
    asked = len(sori.model.chats)
    sori.telegram.say(2002, "안녕하세요")
    told = sori.telegram.until(lambda: [each for each in sori.telegram.texts(2002) if each != "…"])
    assert told[0].startswith("워크스페이스를 먼저 연결해주세요")
    assert len(sori.model.chats) == asked


def test_a_wrong_code_links_nothing_and_a_right_one_does(sori: Sori) -> None:
    sori.telegram.say(3003, "0000-0000")
    told = sori.telegram.until(lambda: sori.telegram.texts(3003))
    assert told == [TEXTS("telegram.chat.code_wrong")]
    link(sori, 3003)
    assert sori.news.chats[-1].chat == 3003


@pytest.mark.parametrize("kind", ["group", "supergroup", "channel"])
def test_a_group_is_not_answered(sori: Sori, kind: str) -> None:
    sori.telegram.say(-100500, "안녕하세요", kind=kind)
    sori.ask("따라 하세요: 그룹은 조용해요")
    assert sori.telegram.sent(-100500) == []


@pytest.mark.parametrize(
    ("method", "faults"),
    [
        ("getUpdates", [Fault(status=502), Fault(cut="before")]),
        ("getUpdates", [Fault(cut="after")]),
        ("getUpdates", [Fault(refused=RefusedCallError(429, "Too Many Requests: retry after 1", 1))]),
        ("sendMessage", [Fault(status=500), Fault(cut="before")]),
        ("editMessageText", [Fault(cut="after"), Fault(status=504)]),
        ("editMessageText", [Fault(refused=RefusedCallError(429, "Too Many Requests: retry after 1", 1))]),
        ("sendChatAction", [Fault(status=500)]),
        ("sendMessage", [Fault(delay_s=0.3)]),
    ],
)
def test_faults_of_the_network_change_nothing_in_the_end(sori: Sori, method: str, faults: list[Fault]) -> None:
    left = fail(sori, method, *faults)
    words = f"{method} {len(faults)} 뒤에도"
    assert sori.ask(f"따라 하세요: {words}") == [words]
    if method == "getUpdates":
        sori.telegram.until(lambda: sori.ask("따라 하세요: 한 번 더") and not left)
    assert left == []


def test_a_cut_after_an_ellipsis_was_sent_leaves_at_most_that_ellipsis(sori: Sori) -> None:
    before = len(sori.telegram.sent(sori.chat))
    fail(sori, "sendMessage", Fault(cut="after"))
    sori.telegram.say(sori.chat, "따라 하세요: 끊겨도 한 번")
    found = sori.telegram.until(
        lambda: "끊겨도 한 번" in sori.telegram.texts(sori.chat)[before:] and not sori.open_updates()
    )
    assert found
    assert sori.telegram.texts(sori.chat)[before:] == ["…", "끊겨도 한 번"]


def test_markup_that_telegram_refuses_becomes_plain_text(sori: Sori) -> None:
    def refuse(call: Call) -> Fault | None:
        bad = call.method == "editMessageText" and call.params.get("entities", "[]") != "[]"
        return Fault(refused=bad_request("can't parse entities: unsupported")) if bad else None

    sori.telegram.fault = refuse
    assert sori.ask("따라 하세요: **굵은 말**이에요") == ["굵은 말이에요"]
    assert sori.telegram.sent(sori.chat)[-1].shown.entities == ()


def test_another_program_that_takes_the_updates_is_told_and_waited_for(sori: Sori) -> None:
    told = len(sori.news.standings)

    def is_told() -> list[TelegramStanding]:
        sori.telegram.call("getUpdates", {"offset": "0", "timeout": "0"})  # It ends a poll of Sori that waits.
        return [each for each in sori.news.standings[told:] if each.state is TelegramState.CONFLICT]

    standing, *_ = sori.telegram.until(is_told)
    assert standing.retry_at is not None
    sori.door.close()
    sori.door.open(TOKEN, sori.follow)


def test_a_picture_reaches_the_model_with_its_words(sori: Sori) -> None:
    picture = BytesIO()
    Image.new("RGB", (8, 8), "red").save(picture, "JPEG")
    before = len(sori.telegram.sent(sori.chat))
    sori.telegram.send_file(sori.chat, "photo", picture.getvalue(), caption="이건 무슨 색이에요?")
    assert sori.answers(before)
    told = str([each.body["messages"][-1]["content"] for each in sori.model.chats if "무슨 색" in str(each.body)][-1])
    assert "image" in told


def test_a_message_without_words_and_files_is_asked_for_again(sori: Sori) -> None:
    before = len(sori.telegram.sent(sori.chat))
    sori.telegram.say(sori.chat, "", hologram={"of": "a kind of next year"})
    assert sori.answers(before) == [TEXTS("telegram.chat.no_words")]


def test_an_update_of_an_unknown_form_holds_up_nothing(sori: Sori) -> None:
    sori.telegram.say(sori.chat, "", sticker={"shape": "of next year"})
    assert sori.ask("따라 하세요: 다음 말") == ["다음 말"]
    sori.telegram.until(lambda: sori.telegram.waiting == 0)


def test_an_answer_that_runs_while_the_door_is_closed_arrives_once_it_is_open(sori: Sori) -> None:
    before = len(sori.telegram.sent(sori.chat))
    sori.telegram.say(sori.chat, "세다가 기다려 주세요, 문을 닫아도요")
    sori.telegram.until(lambda: any(len(each.texts) > 1 for each in sori.telegram.sent(sori.chat)[before:]))
    sori.door.close()
    sori.door.open(TOKEN, sori.follow)
    sori.may_end.set()
    assert sori.answers(before) == [SLOWLY.strip()]
    assert len([each for each in sori.model.chats if "문을 닫아도요" in str(each.body["messages"][-1])]) == 1


def test_old_messages_are_not_answered_and_that_is_told(sori: Sori) -> None:
    before = len(sori.telegram.sent(sori.chat))
    sori.telegram.say(sori.chat, "따라 하세요: 어제 말", ago_s=25 * 3600)
    sori.telegram.say(sori.chat, "따라 하세요: 방금 말")
    found = sori.answers(before, 2)
    assert "방금 말" in found
    assert "어제 말" not in found
    assert TEXTS("telegram.chat.missed", count=1) in found


def test_every_message_is_in_the_ledger_before_it_leaves_and_polls_are_once(sori: Sori) -> None:
    sent = len(sori.telegram.called("sendMessage")) + len(sori.telegram.called("editMessageText"))
    sori.ask("따라 하세요: 장부에 적혀요")
    more = len(sori.telegram.called("sendMessage")) + len(sori.telegram.called("editMessageText"))
    rows = [each for each in asyncio.run(sori.ledger.rows(local=True, limit=200)) if each.purpose == "telegram"]
    assert sum(each.data == (DataClass.CONVERSATION,) for each in rows) >= more - sent >= 2
    assert all(each.local and "장부" not in each.shape and "bot" not in each.destination for each in rows)
    assert all(each.size > 0 for each in rows if each.data == (DataClass.CONVERSATION,))


def test_a_refused_token_is_told_and_not_tried_again(sori: Sori) -> None:
    sori.door.close()
    told = len(sori.news.standings)
    sori.door.open("987654321:AAAnotherTokenThatNobodyGaveOut_0123456", sori.follow)
    sori.telegram.until(lambda: sori.news.standings[told:])
    sori.telegram.until(lambda: sori.news.standings[-1].state is TelegramState.TOKEN_REFUSED)
    polls = len(sori.telegram.called("getUpdates"))
    time.sleep(0.05)
    assert len(sori.telegram.called("getUpdates")) == polls
