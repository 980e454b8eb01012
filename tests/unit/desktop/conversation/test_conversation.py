from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import NO_TURN, InteractionState, ProcessingState, Snapshot, TurnId
from assistant.core.messages import TOOL_FAILED, Attachment, Completion, MadeFile, Message, Role, ToolUse
from assistant.core.packets import (
    WAITS,
    WERE_THOUGHTS,
    AnswerDelta,
    Done,
    Failure,
    Packet,
    ReasoningDelta,
    Status,
    ToolCall,
    ToolResult,
)
from assistant.core.texts import Texts
from assistant.desktop.composer.attachment_chips import Picture
from assistant.desktop.conversation.answer_row import AnswerRow
from assistant.desktop.conversation.conversation import MessageList
from assistant.desktop.conversation.failure_card import FailureCard
from assistant.desktop.conversation.message_rows import MessageAction, UserRow
from assistant.desktop.kit.answer_blocks import ThinkingDots, ToolLine
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.message_text import MessageText
from assistant.desktop.kit.theme import Theme
from tests.fakes.pictures import drawn, encoded

FIRST, SECOND = TurnId("1"), TurnId("2")


@pytest.fixture
def conversation(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> MessageList:
    conversation = MessageList(texts, icons, theme)
    qtbot.addWidget(conversation)
    conversation.resize(480, 500)
    conversation.show()
    return conversation


def user(text: str) -> Message:
    return Message(role=Role.USER, text=text)


def answer(text: str, completion: Completion = Completion.COMPLETE, error: str = "") -> Message:
    return Message(role=Role.ASSISTANT, text=text, completion=completion, error=error)


def stream(conversation: MessageList, turn: TurnId, *packets: Packet) -> AnswerRow:
    for packet in packets:
        conversation.show_packet(turn, packet)
    row = conversation.rows[-1]
    assert isinstance(row, AnswerRow)
    return row


def stream_nothing(conversation: MessageList, turn: TurnId, *packets: Packet) -> None:
    for packet in packets:
        conversation.show_packet(turn, packet)


def delta(text: str, block: int = 0) -> AnswerDelta:
    return AnswerDelta(turn_index=block, text=text)


def done(finish: str = "complete") -> Done:
    return Done(turn_index=0, finish=finish)


def mark(row: QFrame) -> str:
    label = row.findChild(QLabel, "mark")
    return label.text() if label is not None and label.isVisibleTo(row) else ""


def button(row: QFrame, text: str) -> QPushButton | None:
    return next((each for each in row.findChildren(QPushButton) if each.text() == text and each.isVisibleTo(row)), None)


def test_a_question_and_its_streamed_answer_stand_in_order(conversation: MessageList) -> None:
    conversation.add(FIRST, user("Hello"))
    stream(conversation, FIRST, delta("Good "), delta("morning."), done())

    assert [type(row) for row in conversation.rows] == [UserRow, AnswerRow]
    assert [row.text for row in conversation.rows] == ["Hello", "Good morning."]


def test_what_is_only_said_leaves_no_answer_that_never_comes(conversation: MessageList) -> None:
    saying = Snapshot(interaction=InteractionState.PROCESSING, processing=ProcessingState.COMPLETE, turn=FIRST)
    conversation.enter(saying)
    conversation.enter(Snapshot(interaction=InteractionState.IDLE, turn=NO_TURN))

    assert conversation.rows == ()


def test_an_answer_that_began_before_its_question_was_saved_stands_below_it(conversation: MessageList) -> None:
    conversation.enter(Snapshot(interaction=InteractionState.PROCESSING, turn=FIRST))
    conversation.add(FIRST, user("Hello"))

    assert [type(row) for row in conversation.rows] == [UserRow, AnswerRow]
    assert isinstance(conversation.rows[1], AnswerRow)
    assert conversation.rows[1].asked


@pytest.mark.long
def test_streaming_only_appends_and_never_lays_out_anew(conversation: MessageList, qtbot: QtBot) -> None:
    row = stream(conversation, FIRST, delta("The beginning. "))
    words = row.findChild(MessageText)
    assert words is not None
    removed: list[int] = []
    words.document().contentsChange.connect(lambda _at, less, _more: removed.append(less))

    for number in range(300):
        conversation.show_packet(FIRST, delta(f"문장 {number}이에요. " + ("\n" if number % 10 == 0 else "")))

    qtbot.waitUntil(lambda: "문장 299" in words.toPlainText())
    assert len(row.text) > 2500
    assert removed
    assert sum(removed) == 0


def test_a_selection_survives_while_the_answer_goes_on(conversation: MessageList) -> None:
    row = stream(conversation, FIRST, delta("Select these words"))
    words = row.findChild(MessageText)
    assert words is not None
    cursor = words.textCursor()
    cursor.movePosition(QTextCursor.MoveOperation.Start)
    cursor.movePosition(QTextCursor.MoveOperation.NextWord, QTextCursor.MoveMode.KeepAnchor)
    words.setTextCursor(cursor)

    conversation.show_packet(FIRST, delta(" and go on"))

    assert words.textCursor().selectedText() == "Select "


def test_a_message_is_as_tall_as_its_text_and_shows_html_as_it_is(conversation: MessageList, qtbot: QtBot) -> None:
    row = stream(conversation, FIRST, delta("<img src='http://example.org/a.png'><b>bold</b>"))
    words = row.findChild(MessageText)
    assert words is not None
    short = words.height()

    conversation.show_packet(FIRST, delta("\nline" * 20))

    assert words.toPlainText().startswith("<img src=")
    qtbot.waitUntil(lambda: words.toPlainText().count("line") == 20)
    assert words.height() > 10 * short
    assert words.height() >= words.document().size().height()


def test_the_view_follows_the_end_while_the_reader_is_there(conversation: MessageList, qtbot: QtBot) -> None:
    conversation.add(FIRST, user("Tell me a lot"))
    stream(conversation, FIRST, delta("line\n" * 80))

    bar = conversation.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())


def test_the_view_stays_where_the_reader_scrolled_to(conversation: MessageList, qtbot: QtBot) -> None:
    stream(conversation, FIRST, delta("line\n" * 80))
    bar = conversation.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 500 and bar.value() == bar.maximum())
    before = bar.maximum()

    bar.setValue(100)
    conversation.show_packet(FIRST, delta("line\n" * 20))
    qtbot.waitUntil(lambda: bar.maximum() > before)

    assert bar.value() == 100
    conversation.follow()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum())


@pytest.mark.parametrize(
    ("finish", "words", "again"),
    [
        ("complete", "", False),
        ("incomplete", "The answer broke off", True),
        ("cancelled", "Stopped", True),
        ("failed", "There was no answer", True),
    ],
)
def test_how_an_answer_ended_is_marked_with_a_way_to_try_again(
    conversation: MessageList, qtbot: QtBot, finish: str, words: str, again: bool
) -> None:
    conversation.add(FIRST, user("Hello"))
    row = stream(conversation, FIRST, delta("Good mor"), done(finish))

    assert mark(row) == words
    retry = button(row, "Try again")
    assert (retry is not None) == again
    if retry is not None:
        with qtbot.waitSignal(conversation.retry_wanted) as asked:
            retry.click()
        assert asked.args == ["", ""]


@pytest.mark.parametrize("interrupted_first", [True, False])
def test_an_answer_that_was_spoken_over_is_marked_so_whatever_comes_first(
    conversation: MessageList, interrupted_first: bool
) -> None:
    row = stream(conversation, FIRST, delta("Once upon a time"))
    if interrupted_first:
        conversation.interrupt(FIRST)
    conversation.show_packet(FIRST, done("cancelled"))
    conversation.interrupt(FIRST)

    assert mark(row) == "Stopped because you spoke"
    assert button(row, "Try again") is None


@pytest.mark.parametrize(
    "offers", [(), ("retry",), ("other_model", "retry"), ("api_key", "other_model"), ("retry", "something_new")]
)
def test_a_failure_is_shown_in_words_with_a_button_for_each_offer(
    conversation: MessageList, offers: tuple[str, ...]
) -> None:
    words = {"retry": "Try again", "other_model": "Use another model", "api_key": "Enter the API key"}
    conversation.add(FIRST, user("Hello"))
    failure = Failure(turn_index=0, code="timeout", message="It went wrong.", offers=offers)
    row = stream(conversation, FIRST, failure, done("failed"))

    card = row.findChild(FailureCard)
    assert card is not None
    assert card.accessibleName() == "It went wrong."
    assert [each.text() for each in card.findChildren(QPushButton)] == [words[each] for each in offers if each in words]
    assert mark(row) == ""


def waits(reason: str) -> tuple[Packet, ...]:
    return Failure(turn_index=0, code="model_file", reason=reason, message=f"It says {reason}."), done("failed")


@pytest.mark.parametrize("reason", ["model_waits_for_network", "model_disk_full", "model_unavailable"])
def test_words_that_promise_an_answer_go_when_the_next_one_says_otherwise(
    conversation: MessageList, reason: str
) -> None:
    conversation.add(FIRST, user("Hello"))
    stream(conversation, FIRST, *waits("model_on_its_way"))
    stream(conversation, SECOND, *waits(reason))
    cards = [card.accessibleName() for row in conversation.rows for card in row.findChildren(FailureCard)]
    assert cards == [f"It says {reason}."]
    assert len(conversation.rows) == 2


def test_the_answer_takes_the_place_of_the_words_that_it_waits(conversation: MessageList) -> None:
    conversation.add(FIRST, user("Hello"))
    stream(conversation, FIRST, *waits("model_waits_for_network"))
    stream(conversation, SECOND, delta("Hi."), done())
    assert [each.text for each in conversation.rows] == ["Hello", "Hi."]


def test_what_failed_or_was_answered_in_part_stays_above_what_follows(conversation: MessageList) -> None:
    conversation.add(FIRST, user("Hello"))
    stream(conversation, FIRST, delta("It is"), *waits("model_on_its_way"))
    stream(conversation, SECOND, delta("Hi."), done())
    assert len(conversation.rows) == 3


def test_a_failure_asks_for_what_its_buttons_say(conversation: MessageList, qtbot: QtBot) -> None:
    conversation.add(FIRST, user("Hello"))
    offers = ("retry", "other_model", "api_key")
    failed = Done(turn_index=0, finish="failed", provider="mine", model="m")
    row = stream(conversation, FIRST, Failure(turn_index=0, code="x", message="No.", offers=offers), failed)
    retry, other, key = row.findChildren(FailureCard)[0].findChildren(QPushButton)

    with qtbot.waitSignal(conversation.retry_wanted) as again:
        retry.click()
    with qtbot.waitSignal(conversation.model_wanted):
        other.click()
    with qtbot.waitSignal(conversation.key_wanted) as wanted:
        key.click()

    assert again.args == ["", ""]
    assert wanted.args == ["mine"]


def test_another_model_is_chosen_from_those_that_could_answer(conversation: MessageList, qtbot: QtBot) -> None:
    conversation.add(FIRST, user("Hello"))
    failure = Failure(
        turn_index=0, code="timeout", message="Late.", offers=("other_model",), alternatives=("a/b&c", "d/e")
    )
    row = stream(conversation, FIRST, failure, done("failed"))
    other = button(row, "Use another model")
    assert other is not None
    first, second, _, every = other.menu().actions()

    with qtbot.waitSignal(conversation.retry_wanted) as asked:
        first.trigger()
    with qtbot.waitSignal(conversation.model_wanted):
        every.trigger()

    assert first.text() == "b&&c · a"
    assert second.text() == "e · d"
    assert asked.args == ["a/b&c", ""]


def test_only_the_newest_answer_can_be_asked_for_again(conversation: MessageList) -> None:
    conversation.add(FIRST, user("Hello"))
    failure = Failure(turn_index=0, code="network", message="No network.", offers=("retry",))
    old = stream(conversation, FIRST, failure, done("failed"))
    offered = button(old, "Try again")
    conversation.add(SECOND, user("Hello?"))
    new = stream(conversation, SECOND, delta("Hel"), done("cancelled"))

    assert offered is not None
    assert button(old, "Try again") is None
    assert MessageAction.AGAIN not in old.offered
    assert button(new, "Try again") is not None


def test_an_answer_that_is_tried_again_takes_the_place_of_the_failure(conversation: MessageList) -> None:
    conversation.add(FIRST, replace(user("Hello"), id="m1"))
    failure = Failure(turn_index=0, code="network", message="No network.", offers=("retry",))
    stream(conversation, FIRST, failure, done("failed"))

    conversation.retry()
    conversation.enter(Snapshot(interaction=InteractionState.PROCESSING, turn=SECOND))
    conversation.add(SECOND, replace(user("Hello"), id="m1"))
    row = stream(conversation, SECOND, delta("Hi."), done("cancelled"))

    assert [each.text for each in conversation.rows] == ["Hello", "Hi."]
    assert button(row, "Try again") is not None


def test_what_had_been_answered_stays_when_it_is_tried_again(conversation: MessageList) -> None:
    conversation.add(FIRST, user("Hello"))
    old = stream(conversation, FIRST, delta("Good mor"), done("incomplete"))

    conversation.retry()
    stream(conversation, SECOND, delta("Good morning."), done())

    assert [each.text for each in conversation.rows] == ["Hello", "Good mor", "Good morning."]
    assert button(old, "Try again") is None
    assert mark(old) == "The answer broke off"


def test_a_tool_call_is_one_line_that_ends_with_its_result(conversation: MessageList) -> None:
    call = ToolCall(turn_index=0, id="a", name="timer_set", arguments={"minutes": 3})
    row = stream(conversation, FIRST, call)
    line = row.findChild(ToolLine)
    assert line is not None
    running = line.accessibleName()

    stream(conversation, FIRST, ToolResult(turn_index=0, id="a", name="timer_set", text="Set for 3 minutes"))

    assert "running" in running
    assert "3 min" in running
    assert line.accessibleName() == "timer set: Used, done: 3 min"
    assert len(row.findChildren(ToolLine)) == 1
    assert not line.exact.isVisibleTo(line)
    line.details.click()
    assert line.exact.text() == 'timer_set {"minutes": 3}\n\nSet for 3 minutes'


def test_a_file_that_a_tool_made_is_shown_in_the_answer_and_after_a_restart(
    conversation: MessageList, qtbot: QtBot
) -> None:
    image = Attachment(mime_type="image/png", name="cat.png", data=encoded(drawn()))
    made = MadeFile(attachment=image, path="/p/cat.png")
    row = stream(conversation, FIRST, ToolResult(turn_index=0, id="a", name="paint", text="Saved", files=(made,)))
    shown = row.findChild(Picture)
    assert shown is not None
    qtbot.waitUntil(lambda: shown.drawn)

    use = ToolUse(id="a", name="paint")
    conversation.open(
        (
            Message(role=Role.ASSISTANT, text="", id="1", tool_uses=(use,)),
            Message(role=Role.TOOL, text="Saved", id="2", tool_use_id="a", attachments=(image,)),
            answer("Done"),
        )
    )
    stored = [each for each in conversation.findChildren(AnswerRow) if each.text == "Done"]
    assert [bool(each.findChildren(Picture)) for each in stored] == [True]


def test_a_tool_without_a_result_ends_with_its_turn(conversation: MessageList) -> None:
    row = stream(conversation, FIRST, ToolCall(turn_index=0, id="a", name="search"), done("cancelled"))
    line = row.findChild(ToolLine)

    assert line is not None
    assert "Stopped" in line.accessibleName()


def test_an_answer_that_turns_out_to_be_reasoning_is_folded_away(conversation: MessageList) -> None:
    back = Status(turn_index=0, status=WERE_THOUGHTS)
    thought = ReasoningDelta(turn_index=1, text="Let me see.")
    row = stream(conversation, FIRST, delta("Let me see.", 0), back, thought, delta("Four.", 2), done())
    assert row.text == "Four."
    assert row.findChild(QFrame, "reasoning") is not None


def test_reasoning_is_folded_away_and_is_no_part_of_the_answer(conversation: MessageList) -> None:
    row = stream(conversation, FIRST, ReasoningDelta(turn_index=0, text="Let me see."), delta("Four.", 1), done())
    fold = row.findChild(QFrame, "reasoning")
    assert fold is not None
    assert not fold.isVisibleTo(row)

    switch = button(row, "Show thinking")
    assert switch is not None
    switch.click()

    assert fold.isVisibleTo(row)
    assert switch.text() == "Hide thinking"
    assert row.text == "Four."


def test_an_answer_that_is_awaited_moves_until_it_comes(conversation: MessageList, qtbot: QtBot) -> None:
    conversation.add(FIRST, user("Hello"))
    conversation.enter(Snapshot(interaction=InteractionState.PROCESSING, turn=FIRST))
    dots = conversation.rows[-1].findChild(ThinkingDots)
    assert dots is not None
    qtbot.waitUntil(lambda: dots.moving)

    conversation.show_packet(FIRST, delta("Hi"))

    assert not dots.moving


def test_a_turn_that_says_nothing_leaves_no_row(conversation: MessageList) -> None:
    conversation.enter(Snapshot(interaction=InteractionState.PROCESSING, turn=FIRST))
    conversation.show_packet(FIRST, done())

    assert conversation.rows == ()


def test_what_is_being_said_is_a_ghost_with_its_unsure_tail_dimmed(conversation: MessageList, theme: Theme) -> None:
    conversation.hear(FIRST, "turn the light", 4)
    ghost = conversation.rows[-1]
    words = ghost.findChild(MessageText)
    assert words is not None
    cursor = words.textCursor()
    colors = []
    for position in (2, 6):
        cursor.setPosition(position)
        colors.append(cursor.charFormat().foreground().color().name().upper())

    assert ghost.text == "turn the light"
    assert colors[1] == theme.colors.dim
    assert colors[0] != theme.colors.dim


def test_the_ghost_becomes_the_message_once_it_is_saved(conversation: MessageList) -> None:
    conversation.hear(FIRST, "turn the lite", 4)
    conversation.enter(Snapshot(interaction=InteractionState.PROCESSING, turn=FIRST))
    conversation.add(FIRST, user("Turn the light off"))

    assert [row.text for row in conversation.rows] == ["Turn the light off", ""]


def test_a_ghost_of_noise_disappears_when_listening_ends(conversation: MessageList) -> None:
    conversation.hear(FIRST, "uh", 0)
    conversation.enter(Snapshot(interaction=InteractionState.IDLE, turn=NO_TURN))

    assert conversation.rows == ()


def test_what_was_typed_shows_as_being_sent_until_it_is_saved(conversation: MessageList) -> None:
    conversation.send(FIRST, "Hello")
    row = conversation.rows[0]
    assert isinstance(row, UserRow)
    sending = mark(row)

    conversation.open(())
    conversation.add(FIRST, user("Hello"))

    assert sending == "Sending"
    assert mark(row) == ""
    assert conversation.rows == (row,)


def test_what_could_not_be_sent_leaves_the_conversation_for_whoever_wrote_it(
    conversation: MessageList, qtbot: QtBot
) -> None:
    conversation.send(FIRST, "Hello")
    with qtbot.waitSignal(conversation.refused) as refused:
        conversation.stop()
    assert refused.args == [FIRST, "Hello", (), ""]
    assert conversation.rows == ()


def test_a_message_that_was_not_taken_goes_back_with_the_reason_and_leaves_no_failure_behind(
    conversation: MessageList, qtbot: QtBot
) -> None:
    conversation.send(FIRST, "Hello")
    conversation.enter(Snapshot(interaction=InteractionState.PROCESSING, turn=FIRST))
    with qtbot.waitSignal(conversation.refused) as refused:
        stream_nothing(conversation, FIRST, Failure(turn_index=0, code="storage", message="Full."), done("failed"))
    conversation.enter(Snapshot(interaction=InteractionState.PROCESSING, turn=FIRST))

    assert refused.args == [FIRST, "Hello", (), "Full."]
    assert conversation.rows == ()


def test_a_message_that_waits_says_so_and_can_be_taken_back_into_the_input(
    conversation: MessageList, qtbot: QtBot
) -> None:
    conversation.send(FIRST, "One")
    conversation.add(FIRST, user("One"))
    conversation.send(SECOND, "Two")
    stream_nothing(conversation, SECOND, Status(turn_index=0, status=WAITS))
    waiting = conversation.rows[-1]
    assert mark(waiting) == "Waiting for the answer before it"
    take_back = button(waiting, "Take back")
    assert take_back is not None
    with qtbot.waitSignal(conversation.take_back_wanted) as wanted:
        take_back.click()
    assert wanted.args == [SECOND]
    with qtbot.waitSignal(conversation.refused) as refused:
        stream_nothing(conversation, SECOND, done("cancelled"))
    assert refused.args == [SECOND, "Two", (), ""]
    assert [row.text for row in conversation.rows] == ["One"]


def test_a_message_that_waited_is_answered_like_any_other(conversation: MessageList) -> None:
    conversation.send(FIRST, "One")
    stream_nothing(conversation, FIRST, Status(turn_index=0, status=WAITS))
    conversation.add(FIRST, user("One"))
    assert mark(conversation.rows[0]) == ""
    assert button(conversation.rows[0], "Take back") is None
    stream(conversation, FIRST, AnswerDelta(turn_index=0, text="Yes."), done())
    assert [row.text for row in conversation.rows] == ["One", "Yes."]


def test_a_message_of_another_door_that_waits_and_is_taken_back_leaves_no_row(conversation: MessageList) -> None:
    stream_nothing(conversation, FIRST, Status(turn_index=0, status=WAITS), done("cancelled"))
    assert conversation.rows == ()


def test_a_failure_to_answer_what_was_saved_takes_nothing_back(conversation: MessageList) -> None:
    refused: list[str] = []
    conversation.refused.connect(refused.append)
    conversation.send(FIRST, "One")
    conversation.add(FIRST, user("One"))
    conversation.send(SECOND, "Two")
    stream_nothing(conversation, FIRST, Failure(turn_index=0, code="network", message="No."), done("failed"))

    assert refused == []
    assert [row.text for row in conversation.rows if isinstance(row, UserRow)] == ["One", "Two"]


def test_a_stored_conversation_shows_tools_and_how_answers_ended(conversation: MessageList) -> None:
    conversation.open(
        (
            user("Set a timer"),
            Message(role=Role.ASSISTANT, text="", tool_uses=(ToolUse(id="a", name="timer_set"),)),
            Message(role=Role.TOOL, text="Set", tool_use_id="a"),
            Message(role=Role.ASSISTANT, text="", tool_uses=(ToolUse(id="b", name="volume_set"),)),
            Message(role=Role.TOOL, text="No sound card", tool_use_id="b", error=TOOL_FAILED),
            answer("It is set."),
            user("And then?"),
            answer("Well, th", Completion.STREAMING),
            user("Hm?"),
            answer("", Completion.FAILED, "network"),
        )
    )
    tools, cut, failed = (row for row in conversation.rows if isinstance(row, AnswerRow))

    done_line, failed_line = tools.findChildren(ToolLine)
    assert "Used, done" in done_line.accessibleName()
    assert "failed" in failed_line.accessibleName()
    failed_line.details.click()
    assert "No sound card" in failed_line.exact.text()
    assert tools.text == "It is set."
    assert mark(cut) == "Sori was shut down before the answer ended"
    assert failed.findChild(FailureCard) is not None
    assert button(failed, "Try again") is not None


@pytest.mark.long
def test_older_messages_come_when_the_reader_scrolls_up_and_nothing_that_is_read_moves(
    conversation: MessageList, qtbot: QtBot
) -> None:
    history = tuple(
        replace(each, id=f"{role}{number}")
        for number in range(60)
        for role, each in (("q", user(f"Question {number}")), ("a", answer(f"Answer {number}" + " long" * 90)))
    )
    wanted: list[str] = []
    conversation.earlier_wanted.connect(wanted.append)
    conversation.open(history[80:], more=True)
    bar = conversation.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.value() == bar.maximum() > 0)
    bar.setValue(bar.maximum() // 2)
    asked_in_the_middle = list(wanted)
    bar.setValue(100)
    read = next(row for row in conversation.rows if row.geometry().bottom() >= bar.value())
    seen_at = read.mapTo(conversation, QPoint(0, 0)).y()
    below = bar.maximum()

    conversation.show_earlier(history[40:80], more=True)
    qtbot.waitUntil(lambda: bar.maximum() > 1.5 * below)

    assert asked_in_the_middle == []
    assert wanted == ["q40"]
    qtbot.waitUntil(lambda: abs(read.mapTo(conversation, QPoint(0, 0)).y() - seen_at) <= 1, timeout=5000)
    earlier = button(conversation, "Show earlier messages")
    assert earlier is not None
    earlier.click()
    assert wanted == ["q40", "q20"]
    conversation.show_earlier(history[:40], more=False)
    walked = list[str]()
    bar.setValue(0)
    while bar.value() < bar.maximum():
        seen = [row for row in conversation.rows if row.geometry().bottom() >= bar.value()]
        walked += [row.text for row in seen if row.y() < bar.value() + bar.pageStep() and row.text not in walked[-9:]]
        conversation.scroll_page(1)
    assert walked[: len(history) - 9] == [message.text for message in history][: len(history) - 9]
    assert button(conversation, "Show earlier messages") is None


def test_a_reader_who_has_scrolled_up_stays_there_when_the_window_changes_its_width(
    conversation: MessageList, qtbot: QtBot
) -> None:
    conversation.resize(420, 480)
    messages = tuple(
        replace(each, id=f"{role}{number}")
        for number in range(30)
        for role, each in (("q", user(f"Question {number}")), ("a", answer(f"Answer {number}" + " long" * 90)))
    )
    conversation.open(messages)
    bar = conversation.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(bar.maximum() * 4 // 5)
    read = next(row for row in conversation.rows if row.geometry().bottom() >= bar.value())
    seen_at = read.mapTo(conversation, QPoint(0, 0)).y()
    for width in (500, 600, 740, 420):
        with qtbot.waitSignal(bar.rangeChanged):
            conversation.resize(width, 480)
        QApplication.processEvents()
        assert read.mapTo(conversation, QPoint(0, 0)).y() == pytest.approx(seen_at, abs=1)


def test_an_announcement_is_shown(conversation: MessageList) -> None:
    conversation.add(NO_TURN, answer("Your timer has run out."))

    assert conversation.last_answer == "Your timer has run out."


def test_rows_are_walked_and_copied_by_keyboard(conversation: MessageList, qtbot: QtBot) -> None:
    conversation.open((user("One"), answer("Two"), user("Three"), answer("Four")))
    last = conversation.rows[-1]
    tabbed = [row.text for row in conversation.rows if row.focusPolicy() & Qt.FocusPolicy.TabFocus]

    qtbot.waitUntil(last.isVisible)
    last.setFocus()
    QTest.keyClick(last, Qt.Key.Key_Up)
    QTest.keyClick(conversation.rows[2], Qt.Key.Key_Up)
    focused = QGuiApplication.focusObject()
    QTest.keyClick(conversation.rows[1], Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)

    assert tabbed == ["Four"]
    assert focused is conversation.rows[1]
    assert QGuiApplication.clipboard().text() == "Two"


def test_a_narrow_window_wraps_everything_into_it(conversation: MessageList, qtbot: QtBot) -> None:
    conversation.add(FIRST, user("https://example.org/" + "a" * 300))
    stream(conversation, FIRST, delta("한국어문장은띄어쓰기없이도줄이바뀌어야해요" * 10), done())

    conversation.resize(360, 480)
    qtbot.waitUntil(lambda: all(row.width() <= 360 for row in conversation.rows))

    for words in conversation.findChildren(MessageText):
        assert words.document().idealWidth() <= words.width()
        assert words.mapTo(conversation, words.rect().topRight()).x() < 360
