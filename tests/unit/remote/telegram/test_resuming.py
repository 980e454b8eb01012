"""What a restart cuts: albums, answers of long conversations, what is told beside an answer."""

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from assistant.core import packets as pk
from assistant.core.messages import Message, Role
from assistant.core.service.requests.turns import AnswerAgain, BeginTurn
from assistant.core.settings import TelegramSettings
from assistant.core.telegram.records import TelegramStanding, TelegramState, TelegramUpdate
from assistant.host.clock import SystemClock
from assistant.remote.telegram import polling
from assistant.remote.telegram.bot import take_over
from assistant.remote.telegram.door import TelegramDoor
from assistant.remote.telegram.incoming import Incoming, IncomingFile
from assistant.storage.records.egress import EgressStore
from tests.e2e.conversation.running_engine import TEXTS
from tests.fakes.telegram_server.engine import SmallEngine
from tests.fakes.telegram_server.server import LIMIT_S, TOKEN, telegram_server
from tests.unit.remote.telegram.test_crashes import CHAT, Silent, linked
from tests.unit.remote.telegram.test_faults import door, until
from tests.unit.remote.telegram.test_kinds_of_messages import ASKED, CALL, TURN, WHOLE, chatting


@pytest.mark.parametrize("caption", ["셋을 비교해 줘", ""])
async def test_pieces_of_an_album_that_come_after_its_turn_began_are_answered_together_and_that_is_told(
    tmp_path: Path, caption: str
) -> None:
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            telegram.chats.open(CHAT)
            telegram.files |= {name: name.encode() for name in "abc"}
            pieces = [
                Incoming(
                    text=caption if name == "a" else "",
                    album="7",
                    files=(IncomingFile(file=name, name=f"{name}.jpg", mime_type="image/jpeg"),),
                    conversation="talk" if name == "a" else "",
                )
                for name in "abc"
            ]
            now = SystemClock().now()
            await records.receive(
                [
                    TelegramUpdate(update_id=number, chat=CHAT, content=each.content, sent_at=now)
                    for number, each in enumerate(pieces, start=1)
                ]
            )
            await records.begin(1, TURN)
            engine = SmallEngine([ASKED, WHOLE])
            async with door(engine, database, records, api):
                await until(lambda: any(TEXTS("telegram.chat.rest_of_album") in each for each in telegram.texts(CHAT)))
                async with asyncio.timeout(LIMIT_S):
                    while await records.open_updates():  # noqa: ASYNC110 - nothing tells of it
                        await asyncio.sleep(0.005)
            (begun,) = engine.begun
            assert isinstance(begun, BeginTurn)
            assert begun.text == caption
            assert [each.read() for each in begun.attachments] == [b"b", b"c"]
            assert telegram.texts(CHAT)[0] == "다 했어요."
            assert await records.open_updates() == ()


LONG = [
    each
    for number in range(40)
    for each in (
        Message(role=Role.USER, text=f"말 {number}", turn=f"t{number}"),
        Message(role=Role.ASSISTANT, text=f"답 {number}", turn=f"t{number}"),
    )
]


@pytest.mark.parametrize(
    ("disk", "shown"),
    [
        ([ASKED, WHOLE, *LONG], "다 했어요."),
        ([ASKED, *LONG], TEXTS("telegram.chat.interrupted")),
        ([ASKED, CALL, *LONG], TEXTS("telegram.chat.interrupted")),
    ],
)
async def test_a_turn_is_found_however_much_was_said_since(tmp_path: Path, disk: list[Message], shown: str) -> None:
    async with chatting(tmp_path, disk=disk, cut_off=Incoming(text="물어요", conversation="talk")) as chat:
        await chat.until(lambda: shown in chat.texts)
        assert chat.texts == [shown]
        assert chat.engine.begun == []


async def test_a_request_behind_a_long_conversation_is_answered_again(tmp_path: Path) -> None:
    disk = [*LONG, ASKED]
    async with chatting(tmp_path, disk=disk, cut_off=Incoming(text="물어요", conversation="talk")) as chat:
        await chat.until(lambda: chat.texts == ["답: 물어요"])
        assert [type(each) for each in chat.engine.begun] == [AnswerAgain]


@pytest.mark.parametrize("status", ["only_in_app", "attachment_left_out"])
async def test_what_was_told_beside_an_answer_is_told_after_a_restart(tmp_path: Path, status: str) -> None:
    note = "그림 한 장은 빼고 답했어요."
    told: list[pk.Packet] = [
        pk.Status(turn_index=0, status=status, detail=note),
        pk.AnswerDelta(turn_index=0, text="다 했어요."),
    ]
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            former = SmallEngine([], lambda _: told)
            former.pause_s = 60.0  # The door closes before the answer goes on.
            telegram.say(CHAT, "이 그림 어때요?")
            async with door(former, database, records, api):
                async with asyncio.timeout(LIMIT_S):
                    while not any(note in each.content for each in await records.open_updates()):  # noqa: ASYNC110
                        await asyncio.sleep(0.005)
            assert not any("다 했어요." in each for each in telegram.texts(CHAT))
            async with door(SmallEngine(former.disk), database, records, api):
                await until(lambda: telegram.texts(CHAT) == [f"다 했어요.\n\n{note}"])


@pytest.mark.parametrize("text", ["", " \n", "\u200b\n\n"])
async def test_an_empty_answer_is_told_as_one(tmp_path: Path, text: str) -> None:
    async with chatting(tmp_path, lambda _: [pk.AnswerDelta(turn_index=0, text=text)]) as chat:
        chat.telegram.say(CHAT, "음")
        await chat.until(lambda: chat.texts == [TEXTS("telegram.chat.nothing")])


class Standings(Silent):
    """Keeps how the door stood."""

    def __init__(self) -> None:
        self.states: list[TelegramState] = []

    def stands(self, standing: TelegramStanding) -> None:
        self.states.append(standing.state)


async def test_a_webhook_is_told_apart_from_another_program_and_can_be_taken_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "_OTHER_PROGRAM_S", 0.1)
    with telegram_server() as (telegram, api):
        async with linked(tmp_path) as (database, records):
            news, clock, engine = Standings(), SystemClock(), SmallEngine([])
            ledger = EgressStore(database, clock)
            telegram.webhook = "https://shop.example/bot"
            made = TelegramDoor(engine, records, ledger, TEXTS, news, clock, api=api)
            serving = asyncio.get_running_loop().create_task(made.serve(TOKEN, TelegramSettings, asyncio.Queue()))
            await until(lambda: TelegramState.WEBHOOK in news.states)
            telegram.say(CHAT, "거기 있어요?")
            await take_over(TOKEN, ledger, api=api)
            await until(lambda: "답: 거기 있어요?" in telegram.texts(CHAT))
            assert TelegramState.CONFLICT not in news.states
            serving.cancel()
            with suppress(asyncio.CancelledError):
                await serving
