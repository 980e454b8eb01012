"""What is told beside an answer: waits, other models, what was left out, who answered, and what was thought."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QFrame, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.display.remedies import for_window
from assistant.core.display.words import answer_facts
from assistant.core.machine.states import TurnId
from assistant.core.messages import FLOW, Completion, Message, Role
from assistant.core.packets import AnswerDelta, Done, Failure, Packet, PageOffer, Status
from assistant.core.texts import Texts
from assistant.desktop.conversation.answer_row import AnswerRow
from assistant.desktop.conversation.conversation import MessageList
from assistant.desktop.conversation.failure_card import FailureCard
from assistant.desktop.conversation.status_notes import RetryNote, StatusNote
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.host.texts import load_texts

TURN = TurnId("1")


@pytest.fixture
def conversation(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> MessageList:
    conversation = MessageList(texts, icons, theme)
    qtbot.addWidget(conversation)
    conversation.resize(480, 500)
    conversation.show()
    conversation.add(TURN, Message(role=Role.USER, text="Hello"))
    return conversation


def stream(conversation: MessageList, *packets: Packet) -> AnswerRow:
    for packet in packets:
        conversation.show_packet(TURN, packet)
    row = conversation.rows[-1]
    assert isinstance(row, AnswerRow)
    return row


def status(name: str, detail: str = "", wait_s: float = 0.0) -> Status:
    return Status(turn_index=0, status=name, detail=detail, wait_s=wait_s)


def notes(row: AnswerRow) -> list[str]:
    return [note.accessibleName() for note in row.findChildren(StatusNote) if note.isVisibleTo(row)]


@pytest.mark.long
def test_a_wait_is_counted_down_and_gone_with_the_answer(conversation: MessageList, qtbot: QtBot) -> None:
    row = stream(conversation, status("retrying", "mine is busy.", wait_s=1.05))
    first = notes(row)
    note = row.findChild(RetryNote)
    assert note is not None
    qtbot.waitUntil(lambda: notes(row) == ["mine is busy. · 1 s left"])
    qtbot.waitUntil(lambda: notes(row) == ["mine is busy. · trying again"])
    still = not note.counting
    stream(conversation, AnswerDelta(turn_index=0, text="Hi."))

    assert first == ["mine is busy. · 2 s left"]
    assert still
    assert notes(row) == []


def test_each_wait_takes_the_place_of_the_one_before(conversation: MessageList) -> None:
    row = stream(conversation, status("retrying", "One.", wait_s=60), status("retrying", "Two.", wait_s=60))

    assert notes(row) == ["Two. · 60 s left"]


@pytest.mark.parametrize(
    "ending", [Done(turn_index=0, finish="cancelled"), Failure(turn_index=0, code="x", message="")]
)
def test_nothing_is_counted_after_the_end(conversation: MessageList, ending: Packet) -> None:
    row = stream(conversation, status("retrying", "Busy.", wait_s=60))
    note = row.findChild(RetryNote)
    assert note is not None
    stream(conversation, ending)

    assert not note.counting
    assert notes(row) == []


def test_why_a_broken_answer_begins_anew_stays_between_the_two(conversation: MessageList) -> None:
    row = stream(
        conversation,
        AnswerDelta(turn_index=0, text="Good mor"),
        status("asked_again", "It broke off.", wait_s=60),
        AnswerDelta(turn_index=1, text="Good morning."),
        Done(turn_index=1, finish="complete"),
    )

    assert row.text == "Good mor\n\nGood morning."
    assert notes(row) == ["It broke off."]


@pytest.mark.parametrize("name", ["fallback", "context_trimmed", "attachment_left_out", "cut_at_length"])
def test_what_belongs_to_the_answers_story_stays_with_it(conversation: MessageList, qtbot: QtBot, name: str) -> None:
    with qtbot.waitSignal(conversation.told) as told:
        stream(conversation, status(name, "Something happened."))
    row = stream(conversation, AnswerDelta(turn_index=0, text="Hi."), Done(turn_index=0, finish="complete"))

    assert notes(row) == ["Something happened."]
    assert told.args == ["Something happened."]
    assert row.text == "Hi."


def test_what_only_matters_while_waiting_makes_no_row(conversation: MessageList) -> None:
    conversation.show_packet(TURN, status("loading_model", "qwen3"))

    assert len(conversation.rows) == 1


@pytest.mark.parametrize(
    ("done", "facts"),
    [
        (
            Done(
                turn_index=0,
                finish="complete",
                provider="ollama",
                model="qwen3:8b",
                usage={"input": 1234, "output": 30},
                first_token_ms=1234.0,
            ),
            "qwen3:8b · ollama · 1,234 tokens in, 30 out · first word after 1.2 s",
        ),
        (Done(turn_index=0, finish="complete", model="m", first_token_ms=42.0), "m · first word after 0.04 s"),
        (Done(turn_index=0, finish="complete"), ""),
    ],
)
def test_the_foot_tells_who_answered_and_what_it_took(conversation: MessageList, done: Done, facts: str) -> None:
    row = stream(conversation, AnswerDelta(turn_index=0, text="Hi."), done)

    assert " · ".join(row.facts) == facts


def test_a_stored_answer_has_its_model_and_its_thoughts(conversation: MessageList) -> None:
    answer = Message(
        role=Role.ASSISTANT,
        text="Four.",
        reasoning="Two and two.",
        provider="acme",
        model="m",
        usage={"input": 3, "output": 1},
    )
    conversation.open((Message(role=Role.USER, text="2+2?"), answer))
    row = conversation.rows[-1]
    assert isinstance(row, AnswerRow)
    fold = row.findChild(QFrame, "reasoning")
    assert fold is not None

    assert row.facts == ("m · acme", "3 tokens in, 1 out")
    assert row.text == "Four."
    assert not fold.isVisibleTo(row)


def test_the_answer_of_a_guided_flow_names_no_model() -> None:
    assert answer_facts(load_texts("en"), f"{FLOW}transfer", "", {}) == ()


def test_tokens_that_nobody_has_counted_are_not_shown_as_none() -> None:
    facts = answer_facts(load_texts("en"), "m", "acme", {"input": 425, "total": 425})
    assert facts[1] == "425 tokens in, ? out"


def test_a_stored_failure_that_was_answered_afterwards_is_not_shown(conversation: MessageList) -> None:
    said = Message(role=Role.USER, text="Hello")
    failed = Message(role=Role.ASSISTANT, text="", completion=Completion.FAILED, error="network", superseded=True)
    partial = Message(role=Role.ASSISTANT, text="Good mor", completion=Completion.INCOMPLETE, superseded=True)
    answer = Message(role=Role.ASSISTANT, text="Good morning.")
    conversation.open((said, failed, partial, answer))

    assert [row.text for row in conversation.rows] == ["Hello", "Good mor", "Good morning."]
    assert conversation.findChild(FailureCard) is None


def test_a_stored_failure_offers_what_helps_against_its_kind(conversation: MessageList, qtbot: QtBot) -> None:
    said = Message(role=Role.USER, text="Hello")
    failed = Message(
        role=Role.ASSISTANT, text="", completion=Completion.FAILED, error="authentication", provider="acme"
    )
    conversation.open((said, failed))
    card = conversation.rows[-1].findChild(FailureCard)
    assert card is not None
    buttons = {each.text(): each for each in card.findChildren(QPushButton)}

    # The dialog about the key tells to try again once it is entered.
    assert list(buttons) == ["Enter the API key", "Try again", "Use another model"]
    with qtbot.waitSignal(conversation.key_wanted) as wanted:
        buttons["Enter the API key"].click()
    assert wanted.args == ["acme"]


@pytest.mark.parametrize(
    ("code", "told", "text", "first"),
    [
        ("network", "네트워크 오류: 이 컴퓨터의 ollama 서버에 연결되지 않아요.", "", "Try again"),
        ("overloaded", "mine failed. The server said: 500: CUDA error: out of memory", "", "Try again"),
        (
            "model_file",
            "qwen 모델이 아직 없어요.\n다음: sori models pull qwen",
            "",
            "Use another model",
        ),
        ("incomplete", "Network error: the answer broke off.", "Seoul is", "Continue"),
        ("timeout", "응답 시간 초과. 다른 모델로 해 볼까요?", "서울은", "Continue"),
        ("authentication", "Check the API key. acme did not accept it.", "", "Enter the API key"),
        ("of_tomorrow", "A reason of a later version.", "", "Try again"),
    ],
)
def test_a_failed_answer_keeps_its_reason_after_its_conversation_is_opened_again(
    conversation: MessageList, code: str, told: str, text: str, first: str
) -> None:
    completion = Completion.INCOMPLETE if text else Completion.FAILED
    failed = Message(
        role=Role.ASSISTANT, text=text, completion=completion, error=code, error_text=told, provider="acme"
    )
    conversation.open((Message(role=Role.USER, text="Hello"), failed))
    card = conversation.rows[-1].findChild(FailureCard)
    assert card is not None
    assert card.accessibleName() == for_window(told).words
    assert card.findChildren(QPushButton)[0].text() == first
    conversation.open((Message(role=Role.USER, text="Hello"), replace(failed, text="Half", superseded=True)))
    assert conversation.rows[-1].findChild(FailureCard) is None, "it was answered afterwards"


def test_an_answer_has_a_button_for_the_page_that_it_names(conversation: MessageList, qtbot: QtBot) -> None:
    offer = PageOffer(turn_index=0, page="names", title="Open: Voice", setting="voice.voice", command="sori x")
    row = stream(conversation, AnswerDelta(turn_index=0, text="There."), offer, Done(turn_index=1, finish="complete"))

    (button,) = [each for each in row.findChildren(QPushButton) if each.text() == offer.title]
    with qtbot.waitSignal(conversation.page_wanted) as wanted:
        button.click()
    assert wanted.args == ["names", "voice.voice"]


@pytest.mark.parametrize("page", ["", "a page of a newer engine"])
def test_an_answer_that_names_no_page_of_this_window_has_no_button(conversation: MessageList, page: str) -> None:
    row = stream(conversation, PageOffer(turn_index=0, page=page, title="Export", command="sori conversations export"))

    assert not [each for each in row.findChildren(QPushButton) if each.text() == "Export"]


def test_everything_beside_an_answer_fits_into_a_narrow_window_with_large_letters(
    conversation: MessageList, qtbot: QtBot
) -> None:
    font = conversation.font()
    font.setPointSizeF(font.pointSizeF() * 1.5)
    conversation.setFont(font)
    conversation.resize(320, 500)
    stream(
        conversation,
        status("fallback", "A very long sentence about the model that stepped in. " * 3),
        AnswerDelta(turn_index=0, text="Hi. " * 50),
        Failure(
            turn_index=0,
            code="x",
            message="It went wrong in a way that takes some words. " * 3,
            offers=("retry", "other_model", "api_key"),
        ),
        Done(turn_index=0, finish="failed", model="a-model-with-a-name-as-long-as-they-come:70b-instruct-q4_k_m"),
    )
    row = conversation.rows[-1]
    qtbot.waitUntil(lambda: row.width() <= 320)

    for widget in row.findChildren(QWidget):
        if widget.isVisibleTo(row):
            right = widget.mapTo(conversation.viewport(), QPoint(widget.width(), 0)).x()
            assert right <= conversation.viewport().width(), widget


def test_a_line_beside_what_was_thought_sets_it_apart_from_the_answer(conversation: MessageList, theme: Theme) -> None:
    conversation.open((Message(role=Role.ASSISTANT, text="Four.", reasoning="Two and two."),))
    fold = conversation.findChild(QFrame, "reasoning")
    switch = next(each for each in conversation.findChildren(QPushButton) if each.isCheckable())
    assert fold is not None
    switch.click()

    assert fold.grab().toImage().pixelColor(0, fold.height() // 2) == QColor(theme.colors.border)


def test_a_model_too_long_for_the_line_is_cut_in_the_middle_and_told_whole(conversation: MessageList) -> None:
    conversation.resize(320, 500)
    model = "an-organisation-with-a-name/a-model-with-a-longer-name-still"
    row = stream(
        conversation,
        AnswerDelta(turn_index=0, text="Hi."),
        Done(turn_index=0, finish="complete", provider="anthropic", model=model),
    )
    assert not row.findChildren(ElidedLabel, "facts")
    conversation.bar.enter(row)
    QApplication.processEvents()
    fact = conversation.bar.facts
    fact.grab()

    assert conversation.bar.isVisible()
    assert fact.isVisible()
    assert conversation.bar.geometry().right() <= row.geometry().right()
    assert fact.toolTip() == fact.text() == f"{model} · anthropic"
