"""The side bar in the window, by mouse and by keyboard."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from PySide6.QtCore import QModelIndex, QPoint, Qt
from PySide6.QtGui import QAccessible, QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import InteractionState, Snapshot
from assistant.core.messages import Message, Role
from assistant.core.records.conversations import ConversationEntry, Excerpt
from assistant.core.service.requests.conversations import (
    DeleteConversation,
    ListConversations,
    LoadMessages,
    MessagePage,
    NewConversation,
    OpenConversation,
    RenameConversation,
    RestoreConversation,
)
from assistant.core.service.requests.voice import Stop
from assistant.core.updates import (
    ConversationDeleted,
    ConversationOpened,
    ConversationsChanged,
    StateChanged,
)
from assistant.desktop.main_window import MainWindow
from assistant.desktop.sidebar.drawer import ROOM_BESIDE_PX, Shade
from assistant.desktop.sidebar.row_painter import shown_marks
from tests.fakes.front.connection import RecordedConnection

WIDE, NARROW = (1000, 700), (420, 700)
NOW = datetime.now(UTC)


def entry(name: str, *, days: int = 0, message: str = "", passage: Excerpt | None = None) -> ConversationEntry:
    at = (NOW - timedelta(days=days)).isoformat()
    made = passage or Excerpt()
    return ConversationEntry(id=name.casefold(), title=name, updated_at=at, message=message, passage=lambda: made)


ENTRIES = (entry("Cooking"), entry("Travel"), entry("Garden", days=3))


def list_them(window: MainWindow, *entries: ConversationEntry, query: str = "") -> None:
    window.side.show_listed(query, entries or ENTRIES)


def shown_rows(window: MainWindow) -> list[str]:
    model = window.side.model
    return [model.title_at(model.index(row)) for row in range(model.rowCount())]


def current(window: MainWindow) -> str:
    found = window.side.model.entry_at(window.side.rows.currentIndex())
    return found.id if found is not None else ""


def press(widget: QWidget, *keys: Qt.Key) -> None:
    for key in keys:
        QTest.keyClick(widget, key)


def click_row(window: MainWindow, index: QModelIndex, *, from_right: int = 60) -> None:
    rect = window.side.rows.visualRect(index)
    point = QPoint(rect.right() - from_right, rect.center().y())
    QTest.mouseClick(window.side.rows.viewport(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, point)


@pytest.fixture
def wide(make_window: Callable[[str], MainWindow], qtbot: QtBot) -> MainWindow:
    window = make_window("en")
    window.resize(*WIDE)
    qtbot.waitUntil(lambda: window.side.isVisible())
    return window


@pytest.fixture
def narrow(make_window: Callable[[str], MainWindow], qtbot: QtBot) -> MainWindow:
    window = make_window("en")
    window.resize(*NARROW)
    qtbot.waitUntil(lambda: window.drawer.over and not window.side.isVisible())
    return window


def test_conversations_stand_under_headings_and_the_open_one_is_marked(wide: MainWindow) -> None:
    wide.show_update(ConversationOpened(conversation="travel", messages=()))
    list_them(wide)

    assert shown_rows(wide) == ["Today", "Cooking", "Travel", "Last 7 days", "Garden"]
    assert wide.side.rows.painter.open_conversation == "travel"


def test_the_list_is_asked_for_when_it_is_seen_and_when_it_changes(
    narrow: MainWindow, connection: RecordedConnection
) -> None:
    connection.sent.clear()
    narrow.show_update(ConversationsChanged())
    hidden = list(connection.sent)
    narrow.browsing.toggle()
    narrow.show_update(ConversationsChanged())

    assert hidden == []
    assert connection.sent == [ListConversations(), ListConversations()]


def test_a_click_opens_a_conversation_and_gives_the_focus_back_to_the_message(
    wide: MainWindow, connection: RecordedConnection
) -> None:
    list_them(wide)
    connection.sent.clear()

    click_row(wide, wide.side.model.index_of("travel"))

    assert connection.sent == [OpenConversation(conversation="travel")]
    assert wide.focusWidget() is wide.composer.input
    assert wide.side.isVisible()


def test_a_click_on_the_sign_of_a_row_shows_what_can_be_done_with_it(
    wide: MainWindow, connection: RecordedConnection
) -> None:
    list_them(wide)
    connection.sent.clear()

    click_row(wide, wide.side.model.index_of("travel"), from_right=10)
    menu = wide.side.rows.findChild(QMenu)

    assert menu is not None
    assert [action.text() for action in menu.actions()] == [
        "Open",
        "Rename",
        "Pin to the top",
        "Save as a file…",
        "Delete",
    ]
    assert connection.sent == []
    menu.actions()[-1].trigger()
    assert connection.sent == [DeleteConversation(conversation="travel")]
    menu.close()


def test_everything_is_done_by_keyboard(wide: MainWindow, connection: RecordedConnection) -> None:
    list_them(wide)
    rows = wide.side.rows
    wide.browsing.search()
    connection.sent.clear()

    press(wide.side.search, Qt.Key.Key_Down)
    first = current(wide)
    press(rows, Qt.Key.Key_Down, Qt.Key.Key_Down)
    over_heading = current(wide)
    press(rows, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Up)
    press(rows, Qt.Key.Key_Return)
    rows.setFocus()
    press(rows, Qt.Key.Key_Delete)
    rows.setFocus()
    press(rows, Qt.Key.Key_Home, Qt.Key.Key_Up)

    assert (first, over_heading, current(wide)) == ("cooking", "garden", "cooking")
    assert connection.sent == [OpenConversation(conversation="travel"), DeleteConversation(conversation="travel")]
    assert wide.focusWidget() is wide.side.search
    press(wide.side.search, Qt.Key.Key_Escape)
    assert wide.focusWidget() is wide.composer.input


def test_f2_renames_in_the_row_and_what_comes_meanwhile_is_shown_afterwards(
    wide: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    list_them(wide)
    rows = wide.side.rows
    rows.setFocus()
    rows.enter_at("travel")
    connection.sent.clear()

    press(rows, Qt.Key.Key_F2)
    field = rows.findChild(QLineEdit, "rename")
    assert field is not None
    list_them(wide, entry("Newest"), *ENTRIES)
    while_writing = shown_rows(wide)
    field.setText("Trip to  Busan")
    press(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(shown_rows(wide)) == 6)

    assert while_writing[1] == "Cooking"
    assert connection.sent == [RenameConversation(conversation="travel", title="Trip to Busan")]


def test_a_renaming_that_changes_nothing_or_is_given_up_asks_for_nothing(
    wide: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    list_them(wide)
    rows = wide.side.rows
    rows.enter_at("travel")
    connection.sent.clear()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Escape):
        rows.setFocus()
        press(rows, Qt.Key.Key_F2)
        field = rows.findChildren(QLineEdit, "rename")[-1]
        if key == Qt.Key.Key_Escape:
            field.setText("Other")
        press(field, key)
        qtbot.waitUntil(lambda: not rows.editing)

    assert connection.sent == []


def test_the_offer_is_one_line_at_the_foot_when_no_conversation_is_left(wide: MainWindow, qtbot: QtBot) -> None:
    wide.side.show_listed("", ())
    wide.show_update(ConversationDeleted(conversation="garden", title="Garden", undo_s=60))
    undo = wide.side.undo
    qtbot.waitUntil(undo.isVisible)

    assert undo.height() == undo.sizeHint().height()
    assert undo.geometry().bottom() > wide.side.height() - 20


def test_a_deletion_is_offered_to_be_taken_back_for_a_while(
    wide: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    for name in ("cooking", "travel"):
        wide.show_update(ConversationDeleted(conversation=name, title=name.title(), undo_s=60))
    wide.show_update(ConversationDeleted(conversation="garden", title="Garden", undo_s=0.01))
    qtbot.waitUntil(lambda: wide.side.undo.words.text() == "Deleted: Travel")
    connection.sent.clear()

    wide.side.undo.button.click()
    wide.side.rows.setFocus()
    QTest.keyClick(wide.side.rows, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)

    assert connection.sent == [RestoreConversation(conversation="travel"), RestoreConversation(conversation="cooking")]
    assert not wide.side.undo.isVisible()


def test_the_keyboard_stays_at_its_place_when_its_conversation_is_deleted(wide: MainWindow) -> None:
    list_them(wide)
    wide.side.rows.enter_at("cooking")
    list_them(wide, *ENTRIES[1:])
    assert current(wide) == "travel"


def test_a_search_asks_once_the_fingers_rest_and_shows_where_it_found_the_words(
    wide: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    list_them(wide)
    connection.sent.clear()
    QTest.keyClicks(wide.side.search, "gard")
    qtbot.waitUntil(lambda: bool(connection.sent))
    list_them(wide, *ENTRIES)  # Late, and of another search.
    late = shown_rows(wide)
    list_them(wide, entry("Garden", message="m1", passage=Excerpt("…water the garden")), query="gard")
    index = wide.side.model.index_of("garden")

    assert connection.sent == [ListConversations(query="gard")]
    assert len(late) == 5
    assert shown_rows(wide) == ["Today", "Garden"]
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Garden. …water the garden"
    plain = wide.side.rows.visualRect(wide.side.model.index(0)).height()
    assert wide.side.rows.visualRect(index).height() > plain
    press(wide.side.search, Qt.Key.Key_Return)
    assert connection.sent[-1] == OpenConversation(conversation="garden", message="m1")
    wide.side.show_listed("gard", ())
    assert wide.side.nothing.text() == "No conversation was found."


def test_escape_empties_the_search_before_it_leaves_it(wide: MainWindow) -> None:
    wide.browsing.search()
    QTest.keyClicks(wide.side.search, "x")
    press(wide.side.search, Qt.Key.Key_Escape)
    emptied = (wide.side.search.text(), wide.focusWidget())
    press(wide.side.search, Qt.Key.Key_Escape)
    assert emptied == ("", wide.side.search)
    assert wide.focusWidget() is wide.composer.input


def test_in_a_narrow_window_it_lies_over_the_conversation_until_something_is_chosen(
    narrow: MainWindow, connection: RecordedConnection
) -> None:
    list_them(narrow)
    narrow.strip.side.click()
    lies_over = narrow.side.isVisible()
    room = narrow.width() - narrow.side.width()
    connection.sent.clear()
    click_row(narrow, narrow.side.model.index_of("travel"))
    after_choice = narrow.side.isVisible()
    narrow.strip.side.click()
    shade = narrow.findChild(Shade)
    assert shade is not None
    QTest.mouseClick(shade, Qt.MouseButton.LeftButton, pos=QPoint(shade.width() - 5, 5))
    after_click = narrow.side.isVisible()
    narrow.strip.side.click()
    press(narrow.composer.input, Qt.Key.Key_Escape)

    assert (lies_over, after_choice, after_click, narrow.side.isVisible()) == (True, False, False, False)
    assert room > 0
    assert OpenConversation(conversation="travel") in connection.sent


def test_a_window_that_becomes_narrow_folds_it_away_and_a_wide_one_brings_it_back(
    wide: MainWindow, qtbot: QtBot
) -> None:
    wide.resize(ROOM_BESIDE_PX - 1, 700)
    qtbot.waitUntil(lambda: not wide.side.isVisible())
    wide.resize(*WIDE)
    qtbot.waitUntil(lambda: wide.side.isVisible())
    beside = wide.side.geometry().right() < wide.conversation.mapTo(wide, QPoint(0, 0)).x() + 2
    assert beside or not wide.conversation.isVisible()


def test_that_it_was_folded_away_is_remembered(make_window: Callable[[str], MainWindow], qtbot: QtBot) -> None:
    first = make_window("en")
    first.resize(*WIDE)
    qtbot.waitUntil(lambda: first.side.isVisible())
    first.browsing.toggle()
    qtbot.waitUntil(lambda: first.focusWidget() is first.composer.input)
    first.leave()
    second = make_window("en")
    second.resize(*WIDE)
    qtbot.waitUntil(lambda: not second.drawer.over)

    assert not second.side.isVisible()
    assert second.strip.side.toolTip() == "Show conversations (Ctrl+B)"


def test_a_new_conversation_and_the_keys_of_the_window(wide: MainWindow, connection: RecordedConnection) -> None:
    connection.sent.clear()
    wide.side.new.click()
    keys = {action.objectName(): action.shortcut().toString() for action in wide.actions()}
    assert connection.sent == [NewConversation()]
    assert (keys["side"], keys["search"], keys["new"]) == ("Ctrl+B", "Ctrl+Shift+F", "Ctrl+N")


def test_names_for_screen_readers(wide: MainWindow) -> None:
    assert wide.side.rows.accessibleName() == "Conversations"
    assert wide.side.search.accessibleName() == "Search conversations"
    list_them(wide)
    children = QAccessible.queryAccessibleInterface(wide.side.rows)
    assert children is not None


def test_the_menu_key_shows_the_menu_of_the_current_row(wide: MainWindow) -> None:
    list_them(wide)
    wide.side.rows.enter_at("garden")
    event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0))
    QApplication.sendEvent(wide.side.rows.viewport(), event)
    menu = wide.side.rows.findChild(QMenu)
    assert menu is not None
    menu.close()


def test_older_messages_are_asked_for_and_shown_in_their_own_conversation_only(
    wide: MainWindow, connection: RecordedConnection
) -> None:
    messages = (Message(role=Role.USER, text="New", id="new"),)
    older = (Message(role=Role.USER, text="Old", id="old"),)
    wide.show_update(ConversationOpened(conversation="a", messages=messages, more=True))
    wide.conversation.earlier_wanted.emit("new")
    wide.show_update(ConversationOpened(conversation="b", messages=messages, more=True))
    connection.reply(LoadMessages, MessagePage(messages=older))
    elsewhere = len(wide.conversation.rows)
    wide.show_update(ConversationOpened(conversation="a", messages=messages, more=True))
    wide.conversation.earlier_wanted.emit("new")
    connection.reply(LoadMessages, MessagePage(messages=older))

    assert connection.sent[-1] == LoadMessages(conversation="a", before="new")
    assert elsewhere == 1
    assert [row.text for row in wide.conversation.rows] == ["Old", "New"]


def test_a_conversation_that_a_search_found_opens_at_the_message(
    wide: MainWindow, connection: RecordedConnection
) -> None:
    said = tuple(Message(role=Role.USER, text=f"message {number}", id=f"m{number}") for number in range(40))
    wide.show_update(ConversationOpened(conversation="cooking", messages=()))
    found = entry("Garden", message="m7", passage=Excerpt("…message 7", ((1, 8),)))
    wide.side.search.setText("mess")
    list_them(wide, found, query="mess")
    connection.sent.clear()

    click_row(wide, wide.side.model.index_of("garden"))
    assert connection.sent == [OpenConversation(conversation="garden", message="m7")]
    wide.show_update(ConversationOpened(conversation="garden", messages=said, wanted="m7"))

    def above() -> int:
        """Distance of the wanted message from the upper edge."""
        row = next(each for each in wide.conversation.rows if each.message_id == "m7")
        return row.y() - wide.conversation.verticalScrollBar().value()

    QApplication.processEvents()
    assert 0 < above() < 60
    # The conversation is open already: the window itself scrolls to the message.
    wide.conversation.follow()
    QApplication.processEvents()
    assert above() < 0
    click_row(wide, wide.side.model.index_of("garden"))
    QApplication.processEvents()
    assert 0 < above() < 60


def test_the_part_that_matched_is_drawn_bold_in_another_colour(wide: MainWindow) -> None:
    plain, marked = (
        entry("Garden", message="m1", passage=Excerpt("water the garden")),
        entry("Garden", message="m1", passage=Excerpt("water the garden", ((6, 9),))),
    )
    wide.side.search.setText("the")
    drawn = []
    for each in (plain, marked):
        list_them(wide, each, query="the")
        rows = wide.side.rows
        drawn.append(rows.grab(rows.visualRect(wide.side.model.index_of("garden"))).toImage())
    assert drawn[0] != drawn[1]


@pytest.mark.parametrize(
    ("words", "line", "marks", "shown"),
    [
        ("강릉 바다", "강릉 바다", [(0, 2), (3, 5)], [(0, 2), (3, 5)]),
        ("강릉 바다", "강릉 바…", [(0, 2), (3, 5)], [(0, 2), (3, 4)]),
        ("강릉 바다", "강…", [(3, 5)], []),
        ("🌊 바다", "🌊 바다", [(2, 4)], [(3, 5)]),
    ],
)
def test_marks_are_those_of_the_letters_that_are_shown(
    words: str, line: str, marks: list[tuple[int, int]], shown: list[tuple[int, int]]
) -> None:
    assert shown_marks(words, line, marks) == shown


def test_escape_that_stops_an_answer_leaves_the_focus_in_the_side_bar_that_covers_the_field(
    narrow: MainWindow, connection: RecordedConnection, qtbot: QtBot
) -> None:
    narrow.browsing.search()
    qtbot.waitUntil(narrow.side.search.hasFocus)
    answering = Snapshot(interaction=InteractionState.PROCESSING)
    narrow.show_update(StateChanged(conversation="a", snapshot=answering))
    narrow.menu.stop_wanted.emit()
    assert Stop() in connection.sent
    assert narrow.side.search.hasFocus()
    narrow.show_update(StateChanged(conversation="a", snapshot=Snapshot()))
    narrow.menu.stop_wanted.emit()
    assert not narrow.side.isVisible()
    assert narrow.focusWidget() is narrow.composer.input
