"""A page offers to open a folder only if it is about a file in it."""

from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from assistant.core.settings import Language
from assistant.desktop.kit.page_dialog import PageDialog
from assistant.host.texts import load_texts


def buttons(page: PageDialog) -> dict[str, QPushButton]:
    return {each.text(): each for each in page.findChildren(QPushButton) if not each.isHidden()}


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_page_without_a_file_can_only_be_closed(qtbot: QtBot, language: Language) -> None:
    texts = load_texts(language)
    page = PageDialog(texts, "Traces")
    qtbot.addWidget(page)
    assert list(buttons(page)) == [texts("desktop.model.close")]


@pytest.mark.parametrize("language", ["ko", "en"])
def test_a_page_about_a_file_opens_its_folder(
    qtbot: QtBot, tmp_path: Path, language: Language, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    texts = load_texts(language)
    page = PageDialog(texts, "Models")
    qtbot.addWidget(page)
    page.add_path(tmp_path / "config.toml")
    buttons(page)[texts("desktop.model.open_folder")].click()
    assert opened == [QUrl.fromLocalFile(str(tmp_path))]
