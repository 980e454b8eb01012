"""What answers a message: of an answer that came in pieces, and of one that was cut off and came anew."""

from assistant.core import packets as pk
from assistant.core.messages import Completion, Message, Role
from assistant.remote.telegram.chat.answers import Shown, stored_answer, told
from tests.e2e.conversation.running_engine import TEXTS

TURN = "01a219ba-5392-70d8-b735-fa4a521613d4"
FAILED = TEXTS("telegram.chat.failed")


def shown(*packets: pk.Packet) -> str:
    """The text of an answer of which nothing is stored."""
    found = Shown()
    for each in packets:
        found.take(each)
    return told(None, found, TEXTS).text


def said(text: str, block: int = 0) -> pk.Packet:
    return pk.AnswerDelta(turn_index=block, text=text)


def stored(*said: tuple[str, Completion]) -> list[Message]:
    return [Message(role=Role.ASSISTANT, text=text, turn=TURN, completion=completion) for text, completion in said]


def test_what_was_said_before_and_after_a_tool_are_paragraphs_of_their_own() -> None:
    call = pk.ToolCall(turn_index=1, id="1", name="web_search", arguments={})
    assert shown(said("찾아 "), said("볼게요."), call, said("여기 있어요.", 2)) == "찾아 볼게요.\n\n여기 있어요."


def test_an_answer_that_is_cut_off_again_and_again_stands_once_above_the_failure() -> None:
    again = pk.Status(turn_index=1, status="asked_again", detail="끊겼어요. 다시 물어요.")
    failure = pk.Failure(turn_index=3, code="network", message="네트워크 오류", retryable=True)
    text = shown(said("하나 둘"), again, said("하나 둘 셋", 2), failure)
    assert text == f"하나 둘 셋\n\n{FAILED}\n네트워크 오류"


def test_of_an_answer_that_came_anew_the_part_before_is_not_sent() -> None:
    answer = stored_answer(stored(("하나", Completion.INCOMPLETE), ("하나 둘", Completion.COMPLETE)), TURN)
    assert answer is not None
    assert answer.text == "하나 둘"


def test_an_answer_that_was_stopped_before_its_first_word_is_told_as_stopped() -> None:
    stopped = TEXTS("telegram.chat.stopped_early")
    assert shown(pk.Done(turn_index=0, finish="cancelled")) == stopped
    assert shown(pk.Done(turn_index=0, finish="complete")) == TEXTS("telegram.chat.nothing")
