"""What goes on in each conversation, by what the engine publishes."""

import asyncio

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, Snapshot, TurnId
from assistant.core.messages import Message, Role
from assistant.core.records.conversations import ConversationMark
from assistant.engine.running_answers import RunningAnswers

TURN = TurnId("turn")
ASK = pk.Ask(
    turn_index=0, question="q", kind=pk.CONFIRM_TOOL, text="May I?", choices=("yes", "no"), deadline="", within_s=30.0
)


class Desk:
    """Answers under way, and what they published."""

    def __init__(self) -> None:
        self.shown: list[up.Update] = []
        self.answers = RunningAnswers(self.shown.append)

    def open(self, conversation: str) -> list[up.Update]:
        """Open a conversation; what is published of it then."""
        before = len(self.shown)
        self.answers.publish(up.ConversationOpened(conversation=conversation, messages=()))
        return self.shown[before + 1 :]

    def drive(self, turn: TurnId) -> None:
        snapshot = Snapshot(interaction=InteractionState.PROCESSING, processing=ProcessingState.STREAMING, turn=turn)
        self.answers.publish(up.StateChanged(conversation="here", snapshot=snapshot))

    def ask(self, text: str = "질문") -> up.MessageAdded:
        added = up.MessageAdded(conversation="here", turn=TURN, message=Message(role=Role.USER, text=text))
        self.answers.publish(added)
        return added

    def emit(self, *packets: pk.Packet, conversation: str = "here") -> None:
        for packet in packets:
            self.answers.publish(up.PacketEmitted(conversation=conversation, turn=TURN, packet=packet))

    @property
    def marks(self) -> list[tuple[str, ConversationMark, TurnId]]:
        return [
            (each.conversation, each.mark, each.turn) for each in self.shown if isinstance(each, up.ConversationMarked)
        ]


def words(text: str, block: int = 0) -> pk.AnswerDelta:
    return pk.AnswerDelta(turn_index=block, text=text)


def done(finish: str = "complete") -> pk.Done:
    return pk.Done(turn_index=0, finish=finish)


def test_what_was_published_of_a_running_answer_is_published_again_when_its_conversation_is_opened() -> None:
    desk = Desk()
    desk.open("here")
    question = desk.ask()
    desk.emit(words("하"), words("나"), pk.ToolCall(turn_index=1, id="1", name="clock"), words("둘", 2))
    desk.open("there")
    again = [each for each in desk.open("here") if not isinstance(each, up.ConversationMarked)]
    assert again[0] == question
    packets = [each.packet for each in again[1:] if isinstance(each, up.PacketEmitted)]
    assert packets == [words("하나"), pk.ToolCall(turn_index=1, id="1", name="clock"), words("둘", 2)]


def test_nothing_is_published_again_of_an_answer_that_is_over() -> None:
    desk = Desk()
    desk.open("here")
    desk.ask()
    desk.emit(words("하나"), done())
    desk.open("there")
    assert desk.open("here") == []
    assert desk.answers.running("here") == ()


def test_an_answer_that_ends_while_another_conversation_is_open_is_unread_until_it_is_opened() -> None:
    desk = Desk()
    desk.open("here")
    desk.drive(TURN)
    desk.ask()
    desk.open("there")
    desk.emit(words("하나"), done())
    desk.open("here")
    assert desk.marks == [
        ("here", ConversationMark.ANSWERING, NO_TURN),
        ("here", ConversationMark.ANSWERING, TURN),
        ("here", ConversationMark.UNREAD, NO_TURN),
        ("here", ConversationMark.NONE, NO_TURN),
    ]


def test_an_answer_in_the_open_conversation_and_one_that_was_stopped_are_not_unread() -> None:
    desk = Desk()
    desk.open("here")
    desk.emit(words("하나"), done())
    desk.open("there")
    desk.emit(words("둘"), done("cancelled"))
    assert {mark for _, mark, _ in desk.marks} == {ConversationMark.ANSWERING, ConversationMark.NONE}


def test_a_failed_answer_in_the_background_is_unread() -> None:
    desk = Desk()
    desk.open("there")
    desk.emit(done("failed"))
    assert desk.marks[-1] == ("here", ConversationMark.UNREAD, NO_TURN)


def test_a_question_marks_its_conversation_until_it_is_answered() -> None:
    desk = Desk()
    desk.open("there")
    desk.emit(ASK, pk.Answered(turn_index=0, question="q", outcome="late"))
    assert [mark for _, mark, _ in desk.marks] == [ConversationMark.ASKING, ConversationMark.ANSWERING]


def test_a_deleted_conversation_is_not_unread() -> None:
    desk = Desk()
    desk.open("there")
    desk.emit(words("하나"), done())
    desk.answers.publish(up.ConversationDeleted(conversation="here", title="", undo_s=8.0))
    assert desk.marks[-1][1] is ConversationMark.NONE


async def test_the_beginning_of_a_turn_is_waited_for() -> None:
    desk = Desk()
    waiting = asyncio.create_task(desk.answers.begun(TURN, 60.0))
    await asyncio.sleep(0)
    assert not waiting.done()
    desk.ask()
    await waiting
    await desk.answers.begun(TURN, 60.0)
    await desk.answers.begun(TurnId("another"), 0.0)
