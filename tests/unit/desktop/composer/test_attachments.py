"""Files that go with a message: chosen, dropped or pasted, shown, taken off, refused, sent."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, QSize, Qt, QUrl
from PySide6.QtGui import QColor, QDragEnterEvent, QDropEvent, QGuiApplication, QImage, QTextCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLabel, QTreeView, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.errors import StorageError
from assistant.core.machine.states import TurnId
from assistant.core.messages import HEAD_BYTES, MAX_FILE_BYTES, Attachment, Message, Role
from assistant.core.service.requests.models import CheckFiles, FileWarning
from assistant.core.service.requests.turns import BeginTurn, PrepareFile
from assistant.core.updates import ConversationOpened, MessageAdded, ModelChosen
from assistant.desktop.composer.attached_files import ImageFile, RefusedFile, attachment_size_words, read_file
from assistant.desktop.composer.attachment_chips import AttachmentChip, Picture
from assistant.desktop.conversation.message_rows import UserRow
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.main_window import MainWindow
from tests.fakes.front.connection import RecordedConnection

TURN = TurnId("1")
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/hostname"/></svg>'


@pytest.fixture
def picture(tmp_path: Path) -> Path:
    image = QImage(600, 300, QImage.Format.Format_RGB32)
    image.fill(QColor("#336699"))
    path = tmp_path / "lake.png"
    assert image.save(str(path))
    return path


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n", encoding="utf-8")
    return path


def urls(*paths: Path) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    return mime


def attach(window: MainWindow, qtbot: QtBot, *paths: Path) -> tuple[AttachmentChip, ...]:
    window.composer.files.add_files(list(paths))
    qtbot.waitUntil(lambda: not window.composer.files.reading)
    return window.composer.files.chips


def sent(connection: RecordedConnection) -> list[Any]:
    """The requests, without those that check and prepare files."""
    return [each for each in connection.sent if not isinstance(each, CheckFiles | PrepareFile)]


def names(window: MainWindow) -> list[str]:
    return [attachment.name for attachment in window.composer.files.files]


def test_files_are_chosen_in_a_dialog_that_its_key_opens(window: MainWindow, qtbot: QtBot, notes: Path) -> None:
    window.composer.attach.click()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None
    dialog.filesSelected.emit([str(notes)])
    dialog.reject()
    qtbot.waitUntil(lambda: names(window) == ["notes.md"])

    assert window.composer.attach.accessibleName() == "Attach files (Ctrl+O)"
    assert window.composer.files.files[0].data == b"# Notes\n"
    assert window.composer.files.files[0].mime_type == "text/markdown"


def test_a_dialog_says_nothing_in_another_language(make_window: Callable[[str], MainWindow]) -> None:
    window = make_window("ko")
    window.composer.attach.click()
    dialog = window.findChild(QFileDialog)
    assert dialog is not None

    assert dialog.labelText(QFileDialog.DialogLabel.LookIn) == "위치:"
    assert dialog.labelText(QFileDialog.DialogLabel.FileType) == "파일 형식:"
    assert dialog.labelText(QFileDialog.DialogLabel.Accept) == "첨부"
    details = dialog.findChild(QTreeView)
    assert details is not None
    assert details.isColumnHidden(2)
    dialog.reject()


@pytest.mark.parametrize("way", ["dialog", "paste", "drop"])
def test_after_a_file_was_attached_the_user_goes_on_writing(window: MainWindow, notes: Path, way: str) -> None:
    field = window.composer.input
    field.setPlainText("Read this")
    field.moveCursor(QTextCursor.MoveOperation.Start)
    window.activateWindow()
    window.composer.attach.setFocus()
    if way == "dialog":
        window.composer.attach.click()
        dialog = window.findChild(QFileDialog)
        assert dialog is not None
        dialog.selectFile(str(notes))
        dialog.accept()
        assert window.composer.files.reading
    elif way == "paste":
        field.insertFromMimeData(urls(notes))
    else:
        notes = notes.rename(notes.with_suffix(".txt"))  # The engine is asked whether Markdown is an export.
        moved = Qt.DropAction.CopyAction, urls(notes), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
        QApplication.sendEvent(window, QDragEnterEvent(QPoint(50, 50), *moved))
        QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), *moved))

    assert window.focusWidget() is field
    assert field.textCursor().position() == len("Read this")


def test_after_a_click_took_a_file_off_the_user_goes_on_writing(
    window: MainWindow, qtbot: QtBot, picture: Path, notes: Path
) -> None:
    first, _ = attach(window, qtbot, notes, picture)
    assert first.remove is not None
    window.composer.attach.setFocus()
    QTest.mouseClick(first.remove, Qt.MouseButton.LeftButton)

    assert names(window) == ["lake.png"]
    assert window.focusWidget() is window.composer.input


def test_files_are_dropped_anywhere_in_the_window(window: MainWindow, qtbot: QtBot, notes: Path, picture: Path) -> None:
    mime = urls(notes, picture)
    moved = Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entered = QDragEnterEvent(QPoint(50, 50), *moved)
    QApplication.sendEvent(window, entered)
    ringed = window.composer.property("focused")
    QApplication.sendEvent(window, QDropEvent(QPointF(50, 50), *moved))
    qtbot.waitUntil(lambda: sorted(names(window)) == ["lake.png", "notes.md"])

    assert entered.isAccepted()
    assert ringed


@pytest.mark.parametrize("on", ["window", "field"])
def test_a_file_that_a_file_manager_would_move_stays_where_it_is(
    window: MainWindow, qtbot: QtBot, notes: Path, on: str
) -> None:
    both = Qt.DropAction.MoveAction | Qt.DropAction.CopyAction
    notes = notes.rename(notes.with_suffix(".txt"))  # The engine is asked whether Markdown is an export.
    moved = both, urls(notes), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    target = window if on == "window" else window.composer.input.viewport()
    dropped = QDropEvent(QPointF(20, 8), *moved)
    dropped.setDropAction(Qt.DropAction.MoveAction)
    QApplication.sendEvent(target, QDragEnterEvent(QPoint(20, 8), *moved))
    QApplication.sendEvent(target, dropped)
    qtbot.waitUntil(lambda: names(window) == ["notes.txt"])

    assert dropped.isAccepted()
    assert dropped.dropAction() == Qt.DropAction.CopyAction


def test_an_image_is_pasted_from_the_clipboard(window: MainWindow, qtbot: QtBot, picture: Path) -> None:
    QGuiApplication.clipboard().setImage(QImage(str(picture)))
    window.composer.input.setFocus()
    QTest.keyClick(window.composer.input, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    qtbot.waitUntil(lambda: names(window) == ["pasted image.png"])

    pasted = window.composer.files.files[0]
    assert pasted.mime_type == "image/png"
    assert QImage.fromData(pasted.read()).width() == 600


def test_words_that_are_pasted_with_an_image_beside_stay_words(window: MainWindow, picture: Path) -> None:
    mime = QMimeData()
    mime.setText("A1\tB1")
    mime.setImageData(QImage(str(picture)))
    window.composer.input.insertFromMimeData(mime)

    assert window.composer.input.toPlainText() == "A1\tB1"
    assert not window.composer.files.reading


def test_a_chip_shows_image_name_and_size(window: MainWindow, qtbot: QtBot, picture: Path, notes: Path) -> None:
    image, file = attach(window, qtbot, picture, notes)
    thumbnail = image.findChild(Picture)
    assert thumbnail is not None
    qtbot.waitUntil(lambda: thumbnail.drawn)

    assert file.findChild(Picture) is None
    assert file.accessibleName() == "Attached file notes.md, 8 B"
    assert {label.text() for label in file.findChildren(QLabel) if label.text()} == {"notes.md", "8 B"}


def test_a_file_is_taken_off_by_keyboard_and_the_focus_stays_near(
    window: MainWindow, qtbot: QtBot, picture: Path, notes: Path
) -> None:
    first, second = attach(window, qtbot, notes, picture)
    assert first.remove is not None
    assert second.remove is not None
    reached = first.remove.focusPolicy() & Qt.FocusPolicy.TabFocus
    window.activateWindow()
    first.remove.setFocus()
    QTest.keyClick(first.remove, Qt.Key.Key_Delete)
    left = names(window)
    beside = QGuiApplication.focusObject()
    QTest.keyClick(second.remove, Qt.Key.Key_Space)

    assert reached
    assert first.remove.accessibleName() == "Remove notes.md"
    assert left == ["lake.png"]
    assert beside is second.remove
    assert names(window) == []
    assert not window.composer.files.isVisible()
    assert QGuiApplication.focusObject() is window.composer.input


def test_what_cannot_be_attached_is_refused_in_words(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    huge = tmp_path / "film.mov"
    with huge.open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    (tmp_path / "empty.txt").touch()
    for path in (huge, tmp_path / "gone.txt", tmp_path / "empty.txt"):
        attach(window, qtbot, path)

    assert window.notices.messages == (
        "film.mov is too large. Files of up to 64 MB can be attached.",
        "The file gone.txt does not exist. Check the path.",
        "empty.txt is empty and was not attached.",
    )
    assert names(window) == []


def test_a_folder_and_a_file_of_the_largest_size(tmp_path: Path) -> None:
    largest = tmp_path / "largest.bin"
    with largest.open("wb") as file:
        file.truncate(MAX_FILE_BYTES)
    folder, whole = read_file(tmp_path), read_file(largest)

    assert isinstance(folder, RefusedFile)
    assert folder.key == "error.attachment_folder"
    assert isinstance(whole, Attachment)


def test_what_is_attached_is_sent_with_the_words_and_shown(
    window: MainWindow, connection: RecordedConnection, qtbot: QtBot, picture: Path, notes: Path
) -> None:
    attach(window, qtbot, picture, notes)
    QTest.keyClicks(window.composer.input, "What is this?")
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)
    begun = sent(connection)[0]
    row = window.conversation.rows[0]
    shown = row.findChild(Picture)
    assert shown is not None
    qtbot.waitUntil(lambda: shown.drawn)

    assert isinstance(begun, BeginTurn)
    assert begun.text == "What is this?"
    assert [each.name for each in begun.attachments] == ["lake.png", "notes.md"]
    assert (shown.width(), shown.height()) == (240, 120)
    chip = row.findChild(AttachmentChip)
    assert chip is not None
    assert chip.accessibleName() == "Attached file notes.md, 8 B"
    assert row.accessibleName() == "You: What is this?: lake.png, notes.md"
    assert names(window) == []


def test_a_message_may_be_nothing_but_a_file(
    window: MainWindow, connection: RecordedConnection, qtbot: QtBot, notes: Path
) -> None:
    attach(window, qtbot, notes)
    window.composer.send.click()

    assert [type(control) for control in sent(connection)] == [BeginTurn]


def test_a_message_waits_for_the_files_that_are_still_being_read(
    window: MainWindow, connection: RecordedConnection, qtbot: QtBot, notes: Path
) -> None:
    QTest.keyClicks(window.composer.input, "Read this")
    window.composer.files.add_files([notes])
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)
    before = list(sent(connection))
    qtbot.waitUntil(lambda: bool(sent(connection)))

    assert before == []
    assert isinstance(sent(connection)[0], BeginTurn)
    assert [each.name for each in sent(connection)[0].attachments] == ["notes.md"]
    assert window.composer.input.toPlainText() == ""


def test_files_of_an_old_conversation_are_shown(window: MainWindow, qtbot: QtBot, picture: Path) -> None:
    files = (
        Attachment(mime_type="image/png", name="lake.png", data=picture.read_bytes()),
        Attachment(mime_type="image/png", name="broken.png", data=b"\x89PNG\r\n\x1a\n but no more"),
    )
    message = Message(role=Role.USER, text="", attachments=files)
    window.show_update(ConversationOpened(conversation="a", messages=(message,)))
    row = window.conversation.rows[0]
    shown = row.findChild(Picture)
    assert shown is not None
    qtbot.waitUntil(lambda: shown.drawn)

    assert [chip.attachment.name for chip in row.findChildren(AttachmentChip)] == ["broken.png"]


def test_a_saved_message_that_came_by_another_way_shows_its_files(window: MainWindow, picture: Path) -> None:
    files = (Attachment(mime_type="image/png", name="lake.png", data=picture.read_bytes()),)
    window.show_update(
        MessageAdded(conversation="a", turn=TURN, message=Message(role=Role.USER, text="Look", attachments=files))
    )

    assert window.conversation.rows[0].findChild(Picture) is not None


def test_a_drawing_that_could_name_other_files_is_never_drawn() -> None:
    assert not ImageFile(SVG).size(QSize(99, 99)).isValid()
    assert ImageFile(SVG).draw(QSize(99, 99)).isNull()


class FileKeptElsewhere:
    """A file in a store; counts how often its bytes were asked for."""

    def __init__(self, data: bytes, *, head: int = HEAD_BYTES) -> None:
        self._data = data
        self._head = head
        self.reads = 0
        self.reference = "m/0"

    @property
    def size(self) -> int:
        return len(self._data)

    @property
    def head(self) -> bytes:
        return self._data[: self._head]

    def read(self) -> bytes:
        self.reads += 1
        if not self._data.endswith(b"!"):
            return self._data
        raise StorageError("sori.db", "is closed")


def kept_picture(data: bytes, *, head: int = HEAD_BYTES) -> tuple[FileKeptElsewhere, Message]:
    file = FileKeptElsewhere(data, head=head)
    attachment = Attachment(mime_type="image/png", name="lake.png", data=file)
    return file, Message(role=Role.USER, text="Look", attachments=(attachment,))


def test_images_of_an_old_conversation_are_read_when_they_come_into_sight(
    window: MainWindow, qtbot: QtBot, picture: Path
) -> None:
    kept = [kept_picture(picture.read_bytes()) for _ in range(12)]
    window.show_update(ConversationOpened(conversation="a", messages=tuple(message for _, message in kept)))
    newest = window.conversation.rows[-1].findChild(Picture)
    assert newest is not None
    qtbot.waitUntil(lambda: newest.drawn)
    unseen = [file.reads for file, _ in kept]
    oldest = window.conversation.rows[0].findChild(Picture)
    assert oldest is not None
    window.conversation.verticalScrollBar().setValue(0)
    qtbot.waitUntil(lambda: oldest.drawn)

    assert unseen[0] == 0
    assert unseen[-1] == 1
    assert (oldest.width(), oldest.height()) == (240, 120)


def test_an_image_whose_head_does_not_tell_its_size_has_its_own_once_it_is_drawn(
    window: MainWindow, qtbot: QtBot, picture: Path
) -> None:
    _, message = kept_picture(picture.read_bytes(), head=16)
    window.show_update(ConversationOpened(conversation="a", messages=(message,)))
    shown = window.conversation.rows[0].findChild(Picture)
    assert shown is not None
    before = (shown.width(), shown.height())
    qtbot.waitUntil(lambda: shown.drawn)

    assert before == (240, 240)
    assert (shown.width(), shown.height()) == (240, 120)


def test_an_image_that_cannot_be_read_any_more_is_named(window: MainWindow, qtbot: QtBot, picture: Path) -> None:
    _, message = kept_picture(picture.read_bytes() + b"!")
    window.show_update(ConversationOpened(conversation="a", messages=(message,)))
    row = window.conversation.rows[0]
    qtbot.waitUntil(lambda: bool(row.findChildren(AttachmentChip)))

    assert [chip.attachment.name for chip in row.findChildren(AttachmentChip)] == ["lake.png"]
    assert not any(each.isVisible() for each in row.findChildren(Picture))


def test_a_message_that_was_saved_keeps_no_file_in_memory(window: MainWindow, qtbot: QtBot, picture: Path) -> None:
    attach(window, qtbot, picture)
    window.composer.input.setPlainText("Look")
    window.composer.submit()
    row = window.conversation.rows[0]
    assert isinstance(row, UserRow)
    before = row.attachments[0].data
    file, message = kept_picture(picture.read_bytes())
    window.show_update(MessageAdded(conversation="a", turn=TURN, message=message))

    assert before == picture.read_bytes()
    assert [each.data for each in row.attachments] == [file]
    assert [each.attachment.data for each in row.findChildren(Picture)] == [file]


@pytest.mark.parametrize(
    ("count", "words"), [(8, "8 B"), (2048, "2 KB"), (1024 * 1024 * 3 // 2, "1.5 MB"), (MAX_FILE_BYTES, "64 MB")]
)
def test_sizes_are_told_for_people(count: int, words: str) -> None:
    assert attachment_size_words(count) == words


@pytest.mark.parametrize("language", ["ko", "en"])
def test_nothing_attached_sticks_out_of_a_narrow_window(
    make_window: Callable[[str], MainWindow], qtbot: QtBot, tmp_path: Path, picture: Path, language: str
) -> None:
    window = make_window(language)
    window.resize(320, 560)
    long = tmp_path / ("아주 긴 이름의 파일 " * 6 + ".txt")
    long.write_text("x", encoding="utf-8")
    attach(window, qtbot, picture, long, *(copy(picture, number) for number in range(6)))
    QTest.keyClicks(window.composer.input, "x")
    bar = window.composer.files
    qtbot.waitUntil(lambda: bar.verticalScrollBar().maximum() > 0)
    check_inside(window)
    assert bar.height() < window.height() // 2

    window.composer.submit()
    QApplication.processEvents()
    check_inside(window)
    assert window.findChild(ElidedLabel) is not None


def copy(picture: Path, number: int) -> Path:
    other = picture.with_name(f"copy {number}.png")
    other.write_bytes(picture.read_bytes())
    return other


def check_inside(window: MainWindow) -> None:
    for widget in window.findChildren(QWidget):
        if widget.isVisible() and widget.window() is window:
            right = widget.mapTo(window, QPoint(widget.width(), 0)).x()
            assert right <= window.width(), widget


BLIND = FileWarning(message="qwen cannot see pictures.", remedy="Choose a model that sees.", other_model=True)
NOBODY = FileWarning(message="No model can read it.", remedy="You can send text.")


def test_a_file_that_the_model_would_not_get_is_marked_and_the_mark_follows_the_model(
    window: MainWindow, connection: RecordedConnection, picture: Path, notes: Path, qtbot: QtBot
) -> None:
    seeing = False

    def check(request: object) -> object:
        if not isinstance(request, CheckFiles):
            return None
        return tuple(None if seeing or each.name == "notes.md" else BLIND for each in request.files)

    connection.answers = check
    chips = attach(window, qtbot, picture, notes)
    line = window.composer.file_warning

    assert [each.below.text() for each in chips] == ["qwen cannot see pictures.", "8 B"]
    assert chips[0].accessibleName().endswith("qwen cannot see pictures.")
    assert line.isVisible()
    assert line.words.text() == "Choose a model that sees."
    assert line.choose.isVisible()
    line.choose.click()
    assert window.models.isVisible()

    seeing = True
    window.show_update(ModelChosen(provider="mine", model="sees", placeholder=False, conversation="a"))
    assert "cannot" not in chips[0].below.text()
    assert not line.isVisible()
    seeing = False
    window.show_update(ModelChosen(provider="mine", model="blind", placeholder=False, conversation="a"))
    assert line.isVisible()
    window.composer.files.take()
    assert not line.isVisible()


def test_what_no_model_reads_offers_no_other_model_and_an_old_answer_changes_nothing(
    window: MainWindow, connection: RecordedConnection, notes: Path, qtbot: QtBot
) -> None:
    attach(window, qtbot, notes)
    window.composer.files.take()
    connection.reply(CheckFiles, (NOBODY,))
    assert not window.composer.file_warning.isVisible()
    connection.answers = lambda request: (NOBODY,) if isinstance(request, CheckFiles) else None
    attach(window, qtbot, notes)
    assert window.composer.file_warning.isVisible()
    assert not window.composer.file_warning.choose.isVisible()
