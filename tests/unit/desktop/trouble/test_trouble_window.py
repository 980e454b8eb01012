"""What prevents a start, told in a window."""

import errno
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QLabel

from assistant.app.command_line import main
from assistant.app.start import start
from assistant.app.trouble_window import ask_to_mend
from assistant.core.errors import ErrorCode, SettingsError, StorageError
from assistant.core.service.request import Refusal, RefusedError
from assistant.desktop.trouble.trouble_dialog import TroubleDialog
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.remote.local.client import SilentEngineError
from assistant.setup.words import SetupError, Words

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


def when_shown(act: Callable[[TroubleDialog], None]) -> None:
    """Do something with the dialog once it is on the screen."""

    def look() -> None:
        shown = [
            each for each in QApplication.topLevelWidgets() if isinstance(each, TroubleDialog) and each.isVisible()
        ]
        if shown:
            act(shown[0])
        else:
            QTimer.singleShot(10, look)

    QTimer.singleShot(0, look)


def test_it_says_which_line_what_is_wrong_and_what_to_do(qapp: QApplication, config: Path) -> None:
    said: list[str] = []

    def read(dialog: TroubleDialog) -> None:
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

    def mend(dialog: TroubleDialog) -> None:
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

    def look(dialog: TroubleDialog) -> None:
        backgrounds.append(dialog.grab().toImage().pixelColor(2, 2).lightness())
        dialog.leave.click()

    when_shown(look)
    ask_to_mend(config, error_of(config), load_texts("en"))

    assert (backgrounds[0] < 128) is (theme == "dark")


def test_the_folder_of_the_file_is_opened(qapp: QApplication, config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()))

    def open_folder(dialog: TroubleDialog) -> None:
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


REFUSED = Refusal(code=ErrorCode.INVALID_REQUEST, reason="other_version", message="Another version runs.")
IN_THE_WAY: dict[str, tuple[Exception, tuple[str, ...]]] = {
    "read-only folder": (
        OSError(errno.EROFS, "Read-only file system", "/h/instance.lock"),
        ("/h/instance.lock", "read-only"),
    ),
    "no permission": (
        PermissionError(errno.EACCES, "Permission denied", "/h/config.toml"),
        ("/h/config.toml", "writable"),
    ),
    "full disk": (OSError(errno.ENOSPC, "No space left on device", "/h/logs"), ("/h/logs", "Make room")),
    "quota": (OSError(errno.EDQUOT, "Disk quota exceeded", "/h/sori.db"), ("/h/sori.db", "Make room")),
    "broken disk": (OSError(errno.EIO, "Input/output error", "/h/sori.db"), ("/h/sori.db", "Check that the folder")),
    "home": (StorageError("/h", "Not a directory", message_key="home"), ("Sori's folder /h", "Not a directory")),
    "database": (StorageError("/h/sori.db", "file is not a database"), ("/h/sori.db", "file is not a database")),
    "silent engine": (SilentEngineError(), ("does not respond",)),
    "other version": (RefusedError(REFUSED), ("Another version runs.",)),
    "missing part": (ImportError("libEGL.so.1", name="PySide6.QtGui"), ("PySide6.QtGui", "libEGL.so.1")),
}


@pytest.mark.parametrize("name", IN_THE_WAY)
def test_whatever_prevents_the_window_is_told_in_a_window_with_place_and_remedy(
    name: str, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    error, words = IN_THE_WAY[name]
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setenv("DISPLAY", ":drawn-off-screen")
    (tmp_path / "config.toml").write_text('language = "en"\n', encoding="utf-8")
    tries: list[str] = []

    def start(*_: object, **__: object) -> int:
        tries.append(name)
        if len(tries) == 1:
            raise error
        return 0

    monkeypatch.setattr("assistant.app.window.run", start)
    shown: list[str] = []

    def read(dialog: TroubleDialog) -> None:
        shown.append("\n".join(label.text() for label in dialog.findChildren(QLabel) if label.isVisible()))
        dialog.retry.click()

    when_shown(read)
    assert main([]) == 0
    assert tries == [name] * 2, "trying again starts again"
    assert all(each in shown[0] for each in words), shown
    assert words[0] in capsys.readouterr().err


@pytest.mark.parametrize("language", ["ko", "en"])
def test_without_qt_and_without_a_terminal_the_desktops_own_means_tell_it(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    program = tmp_path / "bin" / "kdialog"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nprintf "%s|" "$@" > {told}\n', encoding="ascii")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("LANG", f"{language}_XX.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    monkeypatch.setattr("assistant.app.start.set_up", refuse_set_up)
    assert start([]) == 1
    words = Words(language)
    expected = words("error.read_only", folder="/opt/sori").strip()
    assert told.read_text(encoding="utf-8") == f"--title|{words('no_start')}|--error|{expected}|"


def refuse_set_up(*_: object, **__: object) -> None:
    raise SetupError("read_only", folder="/opt/sori")
