"""The pages of the program: shortcuts as the window has them, licences, changes, devices, diagnostics."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from assistant.core.records.diagnostics import DiagnosticText, archive_of
from assistant.core.service.requests.engine import MakeDiagnostics, ProgramPart, ProgramShown, ShowProgram
from assistant.core.service.requests.settings import ListSettings, SettingsList
from assistant.desktop.main_window import MainWindow
from assistant.desktop.program.about_page import AboutSori, ChangeLog, LicenceList, changes_in
from assistant.desktop.program.devices_page import Devices
from assistant.desktop.program.diagnostics_page import DiagnosticTexts
from assistant.desktop.program.shortcuts_page import KeyList
from assistant.host.places import PROJECT
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs

LOG = """# Changes

## Unreleased

The main job.

- What you said is understood
  sooner.
- Another thing.

## 0.1.0 — 2026-11-01

- The first.
"""
PROGRAM = ProgramShown(
    version="0.1.0",
    licence="GPL-3.0-or-later",
    system="Linux 6.1",
    python="3.11.7",
    device="mina-laptop",
    device_id="0190",
    parts=(
        ProgramPart(name="numpy", version="2.3", licence="BSD-3-Clause"),
        ProgramPart(name="odd", version="1", licence=""),
        ProgramPart(name="Whisper base", version="", licence="MIT", model=True, here=False),
    ),
    changes=LOG,
)
TEXTS = (DiagnosticText(name="report.txt", text="ok\n"), DiagnosticText(name="logs/window.log", text="a\nb\n"))


def made(qtbot: QtBot, kind: type[Any]) -> tuple[Any, RecordedConnection]:
    connection = RecordedConnection()
    part = kind(page_needs(connection))
    qtbot.addWidget(part)
    part.show()
    return part, connection


def test_the_table_of_keys_has_every_key_of_the_window(qtbot: QtBot, window: MainWindow) -> None:
    part, connection = made(qtbot, KeyList)
    connection.reply(ListSettings, SettingsList(settings=(), fault=None))
    action = QAction("A new action", window)
    action.setObjectName("new_one")
    action.setShortcut(QKeySequence("Ctrl+Alt+9"))
    window.addAction(action)
    part.load()
    connection.reply(ListSettings, SettingsList(settings=(), fault=None))
    told = {each.key: each.side for each in part.list.model.rows}
    declared = {each.objectName(): each.shortcut() for each in window.actions() if not each.shortcut().isEmpty()}
    assert {name: QKeySequence(keys) for name, keys in told.items() if name in declared} == declared
    assert told["new_one"] == "Ctrl+Alt+9"
    assert {"yes", "no", "quit", "settings"} <= told.keys()


def test_ctrl_and_slash_open_the_table(window: MainWindow) -> None:
    action = window.findChild(QAction, "shortcuts")
    assert action is not None
    assert action.shortcut() == QKeySequence("Ctrl+/")


def test_licences_of_models_and_programs_are_told_and_unknown_ones_too(qtbot: QtBot) -> None:
    part, connection = made(qtbot, LicenceList)
    connection.reply(ShowProgram, PROGRAM)
    assert [(each.title, each.detail) for each in part.list.model.rows] == [
        ("Whisper base", "MIT · 모델 · 아직 받지 않음"),
        ("numpy 2.3", "BSD-3-Clause · 프로그램"),
        ("odd 1", "적혀 있지 않음 · 프로그램"),
    ]
    part.kind.choose("models")
    assert len(part.list.model.rows) == 1


def test_the_changes_are_listed_by_version(qtbot: QtBot) -> None:
    part, connection = made(qtbot, ChangeLog)
    connection.reply(ShowProgram, PROGRAM)
    assert [each.title for each in part.list.model.rows] == [
        "What you said is understood sooner.",
        "Another thing.",
        "The first.",
    ]
    part.kind.choose("0.1.0 — 2026-11-01")
    assert [each.title for each in part.list.model.rows] == ["The first."]


@pytest.mark.parametrize(
    ("log", "entries"),
    [
        ("", []),
        ("no heading\n- one", [("", "one")]),
        ("## 1\n\n- a\n\n- b\n  c\n  d", [("1", "a"), ("1", "b c d")]),
        ("## 1\ntext\n  indented", []),
    ],
)
def test_entries_of_a_log_are_found(log: str, entries: list[tuple[str, str]]) -> None:
    assert changes_in(log) == entries


def test_the_own_change_log_is_read_whole() -> None:
    text = (PROJECT / "CHANGELOG.md").read_text("utf-8")
    assert len(changes_in(text)) == text.count("\n- ")


def test_the_program_and_the_device_are_named(qtbot: QtBot) -> None:
    about, connection = made(qtbot, AboutSori)
    connection.reply(ShowProgram, PROGRAM)
    assert about.version.text() == "소리 0.1.0"
    assert "GPL-3.0-or-later" in about.facts.text()
    devices, connection = made(qtbot, Devices)
    connection.reply(ShowProgram, PROGRAM)
    assert devices.computer.standing.text().replace("\u200b", "") == "mina-laptop · Linux 6.1\n기기 번호 0190"


def test_exactly_what_is_shown_is_saved(qtbot: QtBot, tmp_path: Path) -> None:
    part, connection = made(qtbot, DiagnosticTexts)
    assert not part.save.isEnabled()
    connection.reply(MakeDiagnostics, TEXTS)
    assert part.list.words.toPlainText() == "ok\n"
    part.list.choose("logs/window.log")
    assert part.list.words.toPlainText() == "a\nb\n"
    part.save.click()
    (dialog,) = part.findChildren(QFileDialog)
    dialog.fileSelected.emit(str(tmp_path / "d.zip"))
    qtbot.waitUntil(part.told.isVisible)
    with zipfile.ZipFile(tmp_path / "d.zip") as archive:
        assert {name: archive.read(name).decode() for name in archive.namelist()} == {
            each.name: each.text for each in TEXTS
        }
    dialog.close()


def test_the_same_texts_make_the_same_archive() -> None:
    assert archive_of(TEXTS) == archive_of(TEXTS)
    with zipfile.ZipFile(io.BytesIO(archive_of(TEXTS))) as archive:
        assert archive.testzip() is None
