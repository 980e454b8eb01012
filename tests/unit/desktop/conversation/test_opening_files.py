"""Files of messages are opened with the system's program; what could run something is asked about first."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from assistant.core.errors import StorageError
from assistant.core.formats.json_form import FileElsewhere
from assistant.core.messages import Attachment, Message, Role
from assistant.core.updates import ConversationOpened
from assistant.desktop.composer.attachment_chips import AttachmentChip
from assistant.desktop.kit.menu import Menu
from assistant.desktop.kit.opening_question import OpeningQuestion
from assistant.desktop.main_window import MainWindow
from assistant.desktop.opening import doubt_of

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02"
ELF = b"\x7fELF\x02\x01\x01\x00"
PAGE = b"<!DOCTYPE html><html><script>alert(1)</script></html>"
SVG = b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"><script/></svg>'


class Programs(QObject):
    """The programs of the system; keeps what they were given."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[Path] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.opened.append(Path(url.toLocalFile()))


@pytest.fixture
def programs() -> Iterator[Programs]:
    programs = Programs()
    slot: Any = "take"  # Qt's stubs ask for bytes, which Qt refuses.
    QDesktopServices.setUrlHandler("file", programs, slot)
    yield programs
    QDesktopServices.unsetUrlHandler("file")


def chip(window: MainWindow, file: Attachment) -> AttachmentChip:
    message = Message(role=Role.USER, text="", attachments=(file,))
    window.show_update(ConversationOpened(conversation="a", messages=(message,)))
    QApplication.processEvents()
    return window.conversation.rows[0].findChildren(AttachmentChip)[0]


def click(chip: AttachmentChip) -> None:
    QTest.mouseClick(chip, Qt.MouseButton.LeftButton, pos=QPoint(10, 10))


@pytest.mark.parametrize(
    ("name", "head", "doubt"),
    [
        ("메모.txt", "안녕하세요".encode(), ""),
        ("notes.md", b"# Notes", ""),
        ("sales.CSV", b"a,b\n1,2", ""),
        ("a.json", b'{"a": 1}', ""),
        ("empty.log", b"", ""),
        ("lake.png", PNG, ""),
        ("photo.jpg", PNG, ""),
        ("photo.jpeg", b"\xff\xd8\xff\xe0\x00\x10JFIF", ""),
        ("song.mp3", b"ID3\x03\x00\x00\x00\x00\x00\x00", ""),
        ("voice.wav", b"RIFF\x00\x00\x00\x00WAVEfmt ", ""),
        ("film.webm", b"\x1aE\xdf\xa3\x01\x00\x00\x00\x00\x00\x00\x1fB\x86\x81\x01B\x82\x84webm", ""),
        ("report.pdf", b"%PDF-1.7", "active"),
        ("보고서.docx", b"PK\x03\x04", "active"),
        ("sheet.xlsm", b"PK\x03\x04", "active"),
        ("page.html", PAGE, "active"),
        ("drawing.svg", SVG, "active"),
        ("run.sh", b"#!/bin/sh\n", "active"),
        ("a.py", b"print(1)", "active"),
        ("setup.exe", b"MZ\x90", "active"),
        ("app.desktop", b"[Desktop Entry]", "active"),
        ("links.m3u", b"#EXTM3U", "active"),
        ("all.zip", b"PK\x03\x04", "active"),
        ("photo.png.exe", b"MZ\x90", "active"),
        ("x.lnk", b"L\x00\x00\x00", "unknown"),
        ("저장.bat", b"@echo off", "unknown"),
        ("a.qqq", b"text", "unknown"),
        ("noending", b"text", "unknown"),
        ("photo.png", ELF, "disguised"),
        ("photo.png", PAGE, "disguised"),
        ("photo.png", SVG, "disguised"),
        ("notes.txt", PAGE, "disguised"),
        ("notes.txt", b"#!/bin/sh\nrm x\n", "disguised"),
        ("song.mp3", b"%PDF-1.7", "disguised"),
        ("data.csv", b"PK\x03\x04\x14\x00\x00\x00", "disguised"),
    ],
)
def test_only_kinds_that_cannot_run_anything_open_without_a_question(name: str, head: bytes, doubt: str) -> None:
    assert doubt_of(name, head) == doubt


def test_a_click_opens_a_copy_that_cannot_be_changed(window: MainWindow, qtbot: QtBot, programs: Programs) -> None:
    file = Attachment(mime_type="text/plain", name="../../메모\u202e.txt", data="안녕".encode())
    click(chip(window, file))
    qtbot.waitUntil(lambda: bool(programs.opened))

    (path,) = programs.opened
    assert (path.name, path.read_text(encoding="utf-8")) == ("메모.txt", "안녕")
    assert path.stat().st_mode & 0o777 == 0o400
    assert path.parent.stat().st_mode & 0o077 == 0


def test_what_could_run_something_opens_after_a_yes_and_leaves_no_copy_after_a_no(
    window: MainWindow, qtbot: QtBot, programs: Programs
) -> None:
    shown = chip(window, Attachment(mime_type="application/x-sh", name="run.sh", data=b"#!/bin/sh\n"))

    def question() -> OpeningQuestion:
        click(shown)
        qtbot.waitUntil(lambda: any(each.isVisible() for each in window.findChildren(OpeningQuestion)))
        return next(each for each in window.findChildren(OpeningQuestion) if each.isVisible())

    asked = question()
    assert (asked.what.text(), len(asked.doubts), asked.stay_button.isDefault()) == ("run.sh", 1, True)
    assert all(each.height() >= each.heightForWidth(each.width()) for each in (asked.what, *asked.doubts))
    asked.stay_button.click()
    assert programs.opened == []
    question().open_button.click()
    qtbot.waitUntil(lambda: bool(programs.opened))
    assert not programs.opened[0].stat().st_mode & 0o111


def test_a_file_is_opened_from_the_menu_of_its_message_too(
    window: MainWindow, qtbot: QtBot, programs: Programs
) -> None:
    chip(window, Attachment(mime_type="text/plain", name="a&b.txt", data=b"x"))
    row = window.conversation.rows[0]
    row.show_menu(QPoint(0, 0))
    menu = row.findChild(Menu)
    assert menu is not None
    next(each for each in menu.actions() if each.text() == "Open a&&b.txt").trigger()
    qtbot.waitUntil(lambda: bool(programs.opened))
    menu.close()


def test_the_bytes_may_be_with_an_engine_of_another_process(
    window: MainWindow, qtbot: QtBot, programs: Programs
) -> None:
    def fetch(reference: str) -> bytes:
        if reference == "m/0":
            return PAGE
        raise StorageError(reference, "gone")

    def elsewhere(reference: str) -> Attachment:
        data = FileElsewhere(size=len(PAGE), reference=reference, fetch=fetch)
        return Attachment(mime_type="text/plain", name="notes.txt", data=data)

    click(chip(window, elsewhere("m/0")))
    qtbot.waitUntil(lambda: bool(window.findChildren(OpeningQuestion)))  # Judged by what came, not by the name.
    window.findChildren(OpeningQuestion)[0].reject()

    told: list[str] = []
    shown = chip(window, elsewhere("m/1"))
    window.conversation.rows[0].file_told.connect(told.append)
    click(shown)
    qtbot.waitUntil(lambda: bool(told))
    assert "notes.txt" in told[0]
    assert programs.opened == []
