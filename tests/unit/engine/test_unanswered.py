"""What is asked while the model is being fetched is answered once it is here."""

from assistant.core import updates as up
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState, ProcessingState, SessionState, Snapshot, TurnId
from assistant.core.messages import Message, Role
from assistant.core.packets import Failure
from assistant.engine.unanswered import Unanswered

TURN = TurnId("1")


def state(interaction: InteractionState) -> up.StateChanged:
    processing = ProcessingState.STREAMING if interaction is InteractionState.PROCESSING else None
    session = SessionState.ACTIVE if interaction is InteractionState.LISTENING else SessionState.INACTIVE
    return up.StateChanged(
        conversation="a",
        snapshot=Snapshot(interaction=interaction, session=session, processing=processing, turn=TURN, tool=""),
    )


def asked(unanswered: Unanswered, text: str, *, reason: str = "model_on_its_way", spoken: bool = False) -> None:
    """One turn: a question, and why it was not answered."""
    if spoken:
        unanswered.publish(state(InteractionState.LISTENING))
    unanswered.publish(state(InteractionState.PROCESSING))
    unanswered.publish(up.MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text=text)))
    if reason:
        failure = Failure(turn_index=0, code="model_file", message="", reason=reason)
        unanswered.publish(up.PacketEmitted(conversation="a", turn=TURN, packet=failure))
    unanswered.publish(state(InteractionState.IDLE))


def started() -> tuple[Unanswered, list[ev.Event]]:
    events: list[ev.Event] = []
    unanswered = Unanswered(lambda _: None)
    unanswered.ask_with(events.append)
    unanswered.publish(up.ConversationOpened(conversation="a", messages=()))
    return unanswered, events


def test_the_newest_question_is_answered_where_it_stands() -> None:
    unanswered, events = started()
    asked(unanswered, "가을은 왜 짧아?")
    unanswered.model_is_here()
    assert events == [ev.RetryPressed()]
    unanswered.model_is_here()
    assert len(events) == 1


def test_a_spoken_question_is_answered_aloud() -> None:
    unanswered, events = started()
    asked(unanswered, "가을은 왜 짧아?", spoken=True)
    unanswered.model_is_here()
    assert events == [ev.RetryPressed(speak=True)]


def test_after_a_plain_command_the_question_is_asked_anew() -> None:
    unanswered, events = started()
    asked(unanswered, "가을은 왜 짧아?")
    asked(unanswered, "지금 몇 시야?", reason="")
    unanswered.model_is_here()
    assert events == [ev.TextSubmitted(text="가을은 왜 짧아?")]


def test_it_waits_until_nothing_else_goes_on() -> None:
    unanswered, events = started()
    asked(unanswered, "가을은 왜 짧아?")
    unanswered.publish(state(InteractionState.LISTENING))
    unanswered.model_is_here()
    assert events == []
    unanswered.publish(state(InteractionState.IDLE))
    assert events == [ev.RetryPressed()]


def test_other_failures_and_other_conversations_are_left_alone() -> None:
    unanswered, events = started()
    asked(unanswered, "하나", reason="timeout")
    asked(unanswered, "둘")
    unanswered.publish(up.ConversationOpened(conversation="other", messages=()))
    unanswered.model_is_here()
    assert events == []
