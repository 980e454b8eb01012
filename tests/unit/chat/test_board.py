"""The board owns all turns: whoever comes late sees everything, whoever is slow delays nobody, and all see the end."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace

import pytest

from assistant.chat.board import TurnBoard
from assistant.chat.turn_request import TurnRequest
from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import NO_TURN, TurnId
from assistant.core.records.conversations import ConversationMark
from assistant.core.service.grant import TELEGRAM, UNATTENDED, Grant
from tests.fakes.asking.scripted_turns import Script, ScriptedTurns, asking_for, words
from tests.fakes.virtual_loop import run_virtually

TURN = TurnId("turn")
TOOL = pk.ToolCall(turn_index=1, id="1", name="clock")
ASK = pk.Ask(turn_index=0, question="q", kind=pk.CONFIRM_TOOL, text="May I?", choices=("yes", "no"), within_s=30.0)
ANSWERED = pk.Answered(turn_index=0, question="q", outcome="yes")
LONG = [
    pk.Status(turn_index=0, status="loading_model"),
    pk.ReasoningDelta(turn_index=0, text="음"),
    pk.ReasoningDelta(turn_index=0, text="…"),
    *words("하", "나", block=1),
    *words("둘", block=2),
    TOOL,
    *words("세", "엣", "!", block=3),
    pk.Status(turn_index=3, status="retrying"),
    *words("넷", block=3),
]


class Watched:
    """Notes what the board tells."""

    def __init__(self) -> None:
        self.told: list[tuple[str, str]] = []

    def began(self, request: TurnRequest) -> None:
        self.told.append(("began", request.turn))

    def ended(self, request: TurnRequest, failure: str) -> None:
        self.told.append((f"ended {request.turn}", failure))


class Desk:
    """A board with scripted turns, and what it publishes."""

    def __init__(self, **scripts: Script) -> None:
        self.published: list[up.Update] = []
        self.turns = ScriptedTurns(**scripts)
        self.board = TurnBoard(self.turns, self.published.append)
        self.watched = Watched()
        self.board.began.add(self.watched.began)
        self.board.ended.add(self.watched.ended)

    async def followed(self, turn: TurnId = TURN, after: int = 0) -> list[up.PacketEmitted]:
        return [each async for each in self.board.follow(turn, after)]

    def marks(self, conversation: str = "here") -> list[tuple[ConversationMark, TurnId]]:
        marks = [each for each in self.published if isinstance(each, up.ConversationMarked)]
        return [(each.mark, each.turn) for each in marks if each.conversation == conversation]


def content(emitted: Iterable[up.PacketEmitted]) -> list[pk.Packet]:
    """The packets, with the parts of each text joined, however they were split."""
    joined: list[pk.Packet] = []
    for each in emitted:
        if joined and pk.goes_on(joined[-1], each.packet):
            joined[-1] = pk.joined((joined[-1], each.packet))
        else:
            joined.append(each.packet)
    return joined


def numbers(emitted: Iterable[up.PacketEmitted]) -> list[int]:
    return [each.number for each in emitted]


async def test_a_follower_from_the_beginning_gets_each_packet_as_it_comes_with_its_number() -> None:
    desk = Desk(hello=LONG)
    assert desk.board.begin(asking_for("hello"))
    seen = await desk.followed()
    assert content(seen) == [*content(seen[:-1]), pk.Done(turn_index=9, finish="complete")]
    published = [each for each in desk.published if isinstance(each, up.PacketEmitted)]
    assert numbers(published) == [*range(1, len(LONG) + 2)]
    assert [each.packet for each in published[:-1]] == LONG
    assert numbers(seen)[-1] == numbers(published)[-1]


async def test_what_comes_late_is_joined_and_numbered_by_its_last_part() -> None:
    desk = Desk(hello=LONG)
    desk.board.begin(asking_for("hello"))
    await desk.followed()
    assert [(each.number, getattr(each.packet, "text", "")) for each in await desk.followed()] == [
        (1, ""),
        (3, "음…"),
        (5, "하나"),
        (6, "둘"),
        (7, ""),
        (10, "세엣!"),
        (11, ""),
        (12, "넷"),
        (13, ""),
    ]


@pytest.mark.parametrize("after", range(len(LONG) + 2))
async def test_whoever_has_any_packet_gets_exactly_the_rest(after: int) -> None:
    desk = Desk(hello=LONG)
    desk.board.begin(asking_for("hello"))
    await desk.followed()
    published = [each for each in desk.published if isinstance(each, up.PacketEmitted)]
    assert content(await desk.followed(after=after)) == content(published[after:])
    shown = [each for each in desk.board.shown(TURN, after) if isinstance(each, up.PacketEmitted)]
    assert content(shown) == content(published[after:])
    assert numbers(shown) == sorted(set(numbers(shown)))


@pytest.mark.parametrize("after", [0, 1, 3, 4, 5])
def test_a_follower_who_comes_in_the_middle_goes_on_with_what_comes(after: int) -> None:
    async def converse() -> list[up.PacketEmitted]:
        desk = Desk(hello=[*words("하", "나"), TOOL, 5.0, *words("둘", block=2), 5.0, *words("셋", block=2)])
        desk.board.begin(asking_for("hello"))
        await asyncio.sleep(6.0)
        seen = await desk.followed(after=after)
        published = [each for each in desk.published if isinstance(each, up.PacketEmitted)]
        assert content(seen) == content(published[after:])
        return seen

    seen, passed_s = run_virtually(converse())
    assert numbers(seen)[-1] == 6
    assert passed_s == 10.0


def test_who_reads_slowly_or_not_at_all_delays_nobody() -> None:
    async def converse() -> tuple[float, list[pk.Packet]]:
        desk = Desk(hello=[each for number in range(100) for each in (*words(f"{number} "), 0.1)])
        desk.board.begin(asking_for("hello"))
        idle = desk.board.follow(TURN)
        await anext(idle)
        loop, seen = asyncio.get_running_loop(), []

        async def read_slowly() -> None:
            async for each in desk.board.follow(TURN):
                seen.append(each)
                await asyncio.sleep(60.0)

        slow = asyncio.create_task(read_slowly())
        await desk.followed()
        over_s = loop.time()
        await slow
        await idle.aclose()
        return over_s, content(seen)

    (over_s, seen), _ = run_virtually(converse())
    assert over_s == pytest.approx(10.0)
    assert seen[0] == pk.AnswerDelta(turn_index=0, text="".join(f"{number} " for number in range(100)))


def test_turns_of_different_conversations_run_beside_each_other() -> None:
    async def converse() -> list[str]:
        desk = Desk(slow=[*words("하나"), 10.0, *words(" 끝")], quick=[1.0, *words("둘")])
        desk.board.begin(asking_for("slow", "1", "here"))
        desk.board.begin(asking_for("quick", "2", "there"))
        await asyncio.gather(desk.followed(TurnId("1")), desk.followed(TurnId("2")))
        return [each.turn for each in desk.published if isinstance(each, up.PacketEmitted)]

    order, passed_s = run_virtually(converse())
    assert order == ["1", "2", "2", "1", "1"]
    assert passed_s == 10.0


def spoken(text: str, turn: str, *, aloud: bool = True) -> TurnRequest:
    return replace(asking_for(text, turn), origin=Origin.VOICE, aloud=aloud)


def from_outside(text: str, *, again: bool = False) -> TurnRequest:
    return replace(asking_for(text, "2", again=again), grant=TELEGRAM, can_ask=False)


@pytest.mark.parametrize(
    ("runs", "comes", "waits"),
    [
        (asking_for("endless", "1"), asking_for("안녕", "2"), True),
        (asking_for("endless", "1"), asking_for("hello", "2"), True),
        (replace(asking_for("endless", "1"), aloud=True), asking_for("hello", "2"), True),
        (asking_for("endless", "1", again=True), asking_for("hello", "2"), True),
        (replace(asking_for("endless", "1"), instead="message"), asking_for("hello", "2"), True),
        (spoken("endless", "1", aloud=False), asking_for("hello", "2"), True),
        (asking_for("endless", "1"), replace(asking_for("hello", "2"), aloud=True), True),
        (spoken("endless", "1"), asking_for("hello", "2"), False),
        (asking_for("endless", "1"), spoken("hello", "2"), False),
        (spoken("endless", "1"), spoken("hello", "2"), False),
        (asking_for("endless", "1"), asking_for("hello", "2", again=True), False),
        (asking_for("endless", "1"), replace(asking_for("hello", "2"), instead="message"), False),
        (asking_for("asks", "1"), asking_for("hello", "2"), False),
        (asking_for("asks", "1"), from_outside("hello"), True),
        (asking_for("asks", "1"), from_outside("안녕"), True),
        (asking_for("asks", "1"), from_outside("hello", again=True), True),
        (asking_for("asks", "1"), replace(from_outside("hello"), instead="message"), True),
        (asking_for("asks", "1"), replace(from_outside("hello"), grant=UNATTENDED), True),
        (asking_for("asks", "1"), replace(from_outside("hello"), grant=Grant(categories=frozenset())), True),
        (asking_for("asks", "1", again=True), from_outside("hello"), True),
        (spoken("asks", "1"), from_outside("안녕"), True),
        (spoken("endless", "1"), from_outside("hello"), True),
        (asking_for("endless", "1"), from_outside("hello", again=True), True),
        (replace(from_outside("endless"), turn=TurnId("1")), from_outside("hello"), True),
        (replace(from_outside("endless"), turn=TurnId("1")), from_outside("hello", again=True), False),
        (replace(from_outside("endless"), turn=TurnId("1")), asking_for("hello", "2"), True),
        (replace(from_outside("endless"), turn=TurnId("1")), spoken("hello", "2"), False),
    ],
)
async def test_typed_text_waits_and_what_is_said_or_made_anew_replaces_the_turn_that_runs(
    runs: TurnRequest, comes: TurnRequest, waits: bool
) -> None:
    desk = Desk(endless=[*words("하나"), 1e9], asks=[ASK, 1e9], hello=words("둘"), 안녕=words("둘"))
    desk.board.begin(runs)
    await asyncio.sleep(0.01)
    desk.board.begin(comes)
    await asyncio.sleep(0.01)
    assert desk.board.runs(runs.turn) is waits
    assert [each.turn for each in desk.turns.begun] == [runs.turn, *([] if waits else [comes.turn])]
    waiting = content(each for each in desk.board.shown(comes.turn) if isinstance(each, up.PacketEmitted))
    assert (waiting == [pk.Status(turn_index=0, status=pk.WAITS)]) is waits
    desk.board.stop(runs.turn)
    assert content(await desk.followed(comes.turn))[-2:] == [*words("둘"), pk.Done(turn_index=9, finish="complete")]


async def test_turns_that_wait_begin_one_after_another_and_each_conversation_for_itself() -> None:
    desk = Desk(first=[*words("하나"), 1e9], next=words("둘"), last=words("셋"))
    desk.board.begin(asking_for("first", "1", "here"))
    desk.board.begin(asking_for("next", "2", "here"))
    desk.board.begin(asking_for("last", "3", "here"))
    desk.board.begin(asking_for("next", "4", "there"))
    await desk.followed(TurnId("4"))
    assert [each.turn for each in desk.turns.begun] == ["1", "4"]
    assert desk.marks()[-1] == (ConversationMark.ANSWERING, "1")
    desk.board.stop(TurnId("1"))
    await desk.followed(TurnId("3"))
    assert [each.turn for each in desk.turns.begun] == ["1", "4", "2", "3"]
    assert ("ended 2", "") in desk.watched.told
    assert desk.watched.told.index(("ended 2", "")) < desk.watched.told.index(("began", "3"))


async def test_a_message_that_waits_can_be_taken_back_and_was_never_begun() -> None:
    desk = Desk(first=[*words("하나"), 1e9], next=words("둘"), last=words("셋"))
    for turn, text in (("1", "first"), ("2", "next"), ("3", "last")):
        desk.board.begin(asking_for(text, turn))
    await asyncio.sleep(0.01)
    assert desk.board.stop(TurnId("2"))
    assert not desk.board.stop(TurnId("2"))
    assert content(await desk.followed(TurnId("2")))[-1] == pk.Done(turn_index=0, finish="cancelled")
    assert desk.board.runs(TurnId("1"))
    desk.board.stop(TurnId("1"))
    await desk.followed(TurnId("3"))
    assert [each.turn for each in desk.turns.begun] == ["1", "3"]
    assert not any(turn == "2" or "2" in what for what, turn in desk.watched.told)
    assert not any(isinstance(each, up.MessageAdded) and each.turn == "2" for each in desk.published)


async def test_what_is_said_goes_before_the_texts_that_wait_and_drops_none_of_them() -> None:
    desk = Desk(first=[*words("하나"), 1e9], next=words("둘"), said=words("셋"))
    desk.board.begin(asking_for("first", "1"))
    desk.board.begin(asking_for("next", "2"))
    await asyncio.sleep(0.01)
    desk.board.begin(spoken("said", "3"))
    assert content(await desk.followed(TurnId("2")))[-1] == pk.Done(turn_index=9, finish="complete")
    assert [each.turn for each in desk.turns.begun] == ["1", "3", "2"]


async def test_nothing_that_waits_begins_when_all_turns_of_a_conversation_are_stopped_or_the_board_closes() -> None:
    desk = Desk(first=[*words("하나"), 1e9], next=words("둘"))
    for turn, text in (("1", "first"), ("2", "next"), ("3", "next")):
        desk.board.begin(asking_for(text, turn, "here"))
        desk.board.begin(asking_for(text, f"{turn}0", "there"))
    await asyncio.sleep(0.01)
    desk.board.stop_all("here")
    await desk.board.settle()
    await desk.followed(TurnId("1"))
    await desk.board.close()
    assert [each.turn for each in desk.turns.begun] == ["1", "10"]


async def test_what_the_holder_of_a_token_has_begun_is_stopped_and_nothing_else() -> None:
    desk = Desk(first=[*words("하나"), 1e9])
    desk.board.begin(replace(asking_for("first", "1", "here"), grant=Grant(holder="iPhone")))
    desk.board.begin(replace(asking_for("first", "2", "there"), grant=Grant(holder="iPhone 2")))
    await asyncio.sleep(0.01)
    desk.board.stop_held("iPhone")
    last = content(await desk.followed(TurnId("1")))[-1]
    assert isinstance(last, pk.Done)
    assert last.finish == "cancelled"
    assert desk.board.runs(TurnId("2"))
    await desk.board.close()


async def test_a_stop_that_overtakes_its_turn_stops_it_when_it_comes_and_no_other() -> None:
    desk = Desk(hello=words("둘"))
    assert not desk.board.stop(TURN)
    assert desk.board.begin(asking_for("hello", "2"))
    assert desk.board.begin(asking_for("hello"))
    assert content(await desk.followed())[-1] == pk.Done(turn_index=0, finish="cancelled")
    await desk.followed(TurnId("2"))
    assert [each.turn for each in desk.turns.begun] == ["2"]


async def test_a_turn_is_stopped_in_any_conversation_but_only_once() -> None:
    desk = Desk(endless=[*words("하나"), 1e9])
    desk.board.begin(asking_for("endless", "2", "there"))
    await asyncio.sleep(0.01)
    assert desk.board.stop(TurnId("2"))
    await desk.board.settle()
    assert not desk.board.runs(TurnId("2"))
    assert not desk.board.stop(TurnId("2"))
    assert not desk.board.stop(TurnId("unknown"))


async def test_a_request_that_comes_twice_begins_one_turn() -> None:
    desk = Desk(hello=words("둘"))
    assert [desk.board.begin(asking_for("hello")) for _ in range(3)] == [True, False, False]
    await desk.followed()
    assert not desk.board.begin(asking_for("hello"))
    assert len(desk.turns.begun) == 1
    state = desk.board.state(TURN)
    assert (state.conversation, state.turn, state.packets, state.over) == ("here", TURN, 2, True)


async def test_of_turns_that_are_over_the_last_ones_can_be_followed_and_older_ones_are_unknown() -> None:
    desk = Desk(hello=words("둘"))
    for number in range(40):
        desk.board.begin(asking_for("hello", str(number)))
        await desk.followed(TurnId(str(number)))
    await asyncio.sleep(0)
    assert len(await desk.followed(TurnId("39"))) == 2
    assert await desk.followed(TurnId("0")) == []
    with pytest.raises(SoriError, match="no turn 0"):
        desk.board.state(TurnId("0"))


async def test_all_are_told_of_the_beginning_and_the_end_of_a_turn_and_why_it_failed() -> None:
    failure = pk.Failure(turn_index=0, code="model_file", message="", reason="model_on_its_way")
    desk = Desk(fails=[failure, pk.Done(turn_index=0, finish="failed")], hello=words("둘"))
    desk.board.begin(asking_for("fails", "1"))
    await desk.followed(TurnId("1"))
    desk.board.begin(asking_for("hello", "2"))
    await desk.followed(TurnId("2"))
    await asyncio.sleep(0)
    assert desk.watched.told == [("began", "1"), ("ended 1", "model_on_its_way"), ("began", "2"), ("ended 2", "")]


async def test_closing_ends_every_turn_also_one_that_has_not_taken_a_step() -> None:
    desk = Desk(endless=[*words("하나"), 1e9])
    desk.board.begin(asking_for("endless", "1", "here"))
    await asyncio.sleep(0.01)
    desk.board.begin(asking_for("endless", "2", "there"))
    await desk.board.close()
    assert not desk.board.runs(TurnId("1"))
    assert not desk.board.runs(TurnId("2"))
    assert sorted(name for name, _ in desk.watched.told) == ["began", "began", "ended 1", "ended 2"]


def test_the_beginning_of_a_turn_is_waited_for() -> None:
    async def converse() -> None:
        desk = Desk(late=[3.0, *words("하나"), 9.0])
        desk.board.begin(asking_for("late", again=True))
        await desk.board.begun(TURN, 60.0)
        assert desk.board.running("here") == (TURN,)
        await desk.board.begun(TurnId("another"), 60.0)
        await desk.board.close()

    assert run_virtually(converse())[1] == 3.0


def test_nobody_waits_long_for_a_turn_that_shows_nothing() -> None:
    async def converse() -> None:
        desk = Desk(late=[3.0])
        desk.board.begin(asking_for("late", again=True))
        await desk.board.begun(TURN, 1.0)
        assert desk.board.running("here") == ()
        await desk.board.close()

    assert run_virtually(converse())[1] == 1.0


async def test_what_a_turn_has_shown_begins_with_its_message() -> None:
    desk = Desk(hello=LONG)
    desk.board.begin(asking_for("hello"))
    await desk.followed()
    first, *rest = desk.board.shown(TURN)
    assert isinstance(first, up.MessageAdded)
    assert first.message.text == "hello"
    assert not any(isinstance(each, up.MessageAdded) for each in rest)
    assert not any(isinstance(each, up.MessageAdded) for each in desk.board.shown(TURN, 1))


# The marks in the list of conversations


def over(finish: str = "complete") -> pk.Done:
    return pk.Done(turn_index=0, finish=finish)


@pytest.mark.parametrize(
    ("opened", "script", "marks"),
    [
        ("here", [*words("하나")], ["answering", "none"]),
        ("there", [*words("하나")], ["answering", "unread"]),
        ("there", [*words("하나"), over("failed")], ["answering", "unread"]),
        ("here", [*words("하나"), over("failed")], ["answering", "none"]),
        ("there", [*words("하나"), over("cancelled")], ["answering", "none"]),
        ("there", [*words("하나"), over("incomplete")], ["answering", "unread"]),
        ("there", [ASK, ANSWERED], ["answering", "asking", "answering", "unread"]),
        ("here", [ASK, ANSWERED], ["answering", "asking", "answering", "none"]),
        ("here", [*words("하나"), ASK], ["answering", "asking", "none"]),
        ("there", [over()], ["answering", "unread"]),
        ("there", [over("cancelled")], ["answering", "none"]),
    ],
)
async def test_a_conversation_is_marked_by_what_goes_on_in_it(opened: str, script: Script, marks: list[str]) -> None:
    desk = Desk(hello=script)
    desk.board.open(opened)
    desk.board.begin(asking_for("hello"))
    await desk.followed()
    assert [mark for mark, _ in desk.marks()] == marks
    running = [turn for mark, turn in desk.marks() if mark in {ConversationMark.ANSWERING, ConversationMark.ASKING}]
    assert {*running} == {TURN}
    assert desk.marks()[-1][1] == NO_TURN


async def test_an_unread_answer_is_read_once_its_conversation_is_opened_or_gone() -> None:
    desk = Desk(hello=words("하나"))
    desk.board.open("there")
    for end in (desk.board.open, desk.board.forget):
        desk.board.begin(asking_for("hello", end.__name__))
        await desk.followed(TurnId(end.__name__))
        assert desk.marks()[-1][0] is ConversationMark.UNREAD
        end("here")
        assert desk.marks()[-1][0] is ConversationMark.NONE
        desk.board.open("there")
