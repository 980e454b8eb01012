"""A bad settings file, told in a window."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication

from assistant.app.command_line import main
from assistant.app.settings_window import ask_to_mend
from assistant.core.errors import SettingsError
from assistant.desktop.trouble.settings_dialog import SettingsDialog
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts

BAD = 'language = "en"\n[llm]\ntemprature = 3\n'


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.toml"
    path.write_text(BAD, encoding="utf-8")
    return path


def error_of(path: Path) -> SettingsError:
    with pytest.raises(SettingsError) as caught:
        read_settings(path)
    return caught.value


def when_shown(act: Callable[[SettingsDialog], None]) -> None:
    """Do something with the dialog once it is on the screen."""

    def look() -> None:
        shown = [
            each for each in QApplication.topLevelWidgets() if isinstance(each, SettingsDialog) and each.isVisible()
        ]
        if shown:
            act(shown[0])
        else:
            QTimer.singleShot(10, look)

    QTimer.singleShot(0, look)


def test_it_says_which_line_what_is_wrong_and_what_to_do(qapp: QApplication, config: Path) -> None:
    said: list[str] = []

    def read(dialog: SettingsDialog) -> None:
        labels = (dialog.where, dialog.problem, dialog.remedy)
        said.extend([*(label.text() for label in labels), dialog.excerpt.toPlainText()])
        dialog.leave.click()

    when_shown(read)
    mended = ask_to_mend(config, error_of(config), load_texts("en"))

    where, problem, remedy, excerpt = said
    assert not mended
    assert where == f"{config} · line 3"
    assert "temprature" in problem
    assert "temperature" in remedy
    assert excerpt == "temprature = 3"


def test_it_stays_until_the_file_can_be_read(qapp: QApplication, config: Path) -> None:
    hints: list[str] = []

    def mend(dialog: SettingsDialog) -> None:
        dialog.retry.click()
        column = dialog.layout()
        assert column is not None
        assert dialog.height() >= column.totalHeightForWidth(dialog.width())
        hints.append(dialog.again.text())
        config.write_text('language = "de"\n', encoding="utf-8")
        dialog.retry.click()
        hints.append(dialog.again.text())
        config.write_text('language = "en"\n', encoding="utf-8")
        dialog.retry.click()

    when_shown(mend)
    assert ask_to_mend(config, error_of(config), load_texts("en"))
    assert hints == [
        "Nothing has changed yet. Correct the file, save it, then try again.",
        "This problem is corrected. The file has another problem.",
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_has_the_theme_that_the_broken_file_asks_for(qapp: QApplication, config: Path, theme: str) -> None:
    config.write_text(f'[llm]\ntemprature = 3\n[desktop]\ntheme = "{theme}"\n', encoding="utf-8")
    backgrounds: list[int] = []

    def look(dialog: SettingsDialog) -> None:
        backgrounds.append(dialog.grab().toImage().pixelColor(2, 2).lightness())
        dialog.leave.click()

    when_shown(look)
    ask_to_mend(config, error_of(config), load_texts("en"))

    assert (backgrounds[0] < 128) is (theme == "dark")


def test_the_folder_of_the_file_is_opened(qapp: QApplication, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))

    def open_folder(dialog: SettingsDialog) -> None:
        dialog.folder.click()
        dialog.leave.click()

    when_shown(open_folder)
    ask_to_mend(config, error_of(config), load_texts("ko"))
    assert opened == [str(config.parent)]


def test_a_start_with_bad_settings_is_told_in_a_window_and_on_the_terminal(
    qapp: QApplication, config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SORI_HOME", str(config.parent))
    monkeypatch.setenv("DISPLAY", ":drawn-off-screen")
    when_shown(lambda dialog: dialog.leave.click())
    status = main([])
    assert status == 2
    assert f"{config}:3" in capsys.readouterr().err


def test_other_commands_open_no_window(
    qapp: QApplication, config: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SORI_HOME", str(config.parent))
    monkeypatch.setenv("DISPLAY", ":drawn-off-screen")
    assert main(["providers"]) == 2
    assert f"{config}:3" in capsys.readouterr().err
