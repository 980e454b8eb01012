"""The page of settings on the real owner of settings and a real file: every flow, in one dialog after another."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractSpinBox, QComboBox, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.configuration.catalogue import single_settings, value_of
from assistant.core.display.remedies import for_window
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.requests.settings import ListOptions, ListSettings, SetSetting
from assistant.core.service.requests.voice import CheckedSound, CheckSound, SoundAdvice, TryVoice
from assistant.core.setting_declaration import Acts
from assistant.core.settings import Settings
from assistant.core.updates import LevelMeasured, SoundCheckProgressed, SoundCheckStage
from assistant.desktop.kit.theme import Theme
from assistant.desktop.settings.naming_controls import FolderControl, ListControl, NamedTextControl, OptionControl
from assistant.desktop.settings.plain_controls import (
    ChoiceControl,
    FlagControl,
    KeysControl,
    NumberControl,
    SecretControl,
    TextControl,
)
from assistant.desktop.settings.setting_row import SettingRow, control_for, without_values
from assistant.desktop.settings.settings_page import PRIVACY, SettingsPage
from assistant.desktop.settings.voice_control import VoicesControl
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from tests.fakes.front.page_needs import page_needs
from tests.fakes.front.settings_engine import SettingsEngine

NAMES = list(single_settings())


class Shown:
    """A page of settings with its engine and its file."""

    def __init__(self, qtbot: QtBot, theme: Theme, folder: Path, language: str, text: str = "") -> None:
        self.config = folder / "config.toml"
        self.config.write_text(f'language = "{language}" # mine\n{text}', encoding="utf-8")
        texts = load_texts(language)
        self.engine = SettingsEngine(self.config, texts)
        self.opened: list[str] = []
        self.restarts = 0
        needs = page_needs(self.engine.connection, texts=texts, theme=theme, home=folder, restart=self._restart)
        self.page = SettingsPage(needs, ("settings", "names", "traces"), self.opened.append)
        self.page.resize(860, 680)
        qtbot.addWidget(self.page)
        self.page.show()

    def _restart(self) -> None:
        self.restarts += 1

    @property
    def settings(self) -> Settings:
        """What stands in the file."""
        return read_settings(self.config)

    def row(self, name: str) -> SettingRow:
        """The row of a setting, which is shown."""
        self.section(name)
        return self.page.rows[name]

    def section(self, name: str) -> None:
        """Show a section, or that of a setting, with all of its rows."""
        self.page.go_to(name)
        self.page.filling.finish()

    def find(self, query: str) -> None:
        """Search, and wait for all rows."""
        self.page.search(query)
        self.page.filling.finish()

    def save(self, text: str) -> None:
        """Edit the file by hand; the engine notices."""
        self.config.write_text(text, encoding="utf-8")
        self.engine.look()
        for event in self.engine.events:
            self.page.show_update(event)
        self.engine.events.clear()

    def visible(self) -> list[str]:
        """The settings that are shown, in the order in which they stand."""
        self.page.filling.finish()
        shown = [name for name, row in self.page.rows.items() if row.isVisibleTo(self.page)]
        return sorted(shown, key=lambda name: self.page.place_of(name))


@pytest.fixture
def make(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Callable[..., Shown]:
    return lambda language="ko", text="": Shown(qtbot, theme, tmp_path, language, text)


@pytest.fixture
def shown(make: Callable[..., Shown]) -> Shown:
    return make()


def type_into(field: QLineEdit, words: str) -> None:
    field.setText(words)
    QTest.keyClick(field, Qt.Key.Key_Return)


def test_every_setting_of_the_declaration_has_a_row_with_all_that_is_declared(shown: Shown) -> None:
    for name in NAMES:
        row = shown.row(name)
        setting = row.setting
        assert (row.title.text(), row.help.text()) == (setting.title, without_values(for_window(setting.help).words))
        assert row.standing.text(), name
        assert ("동기화하는 기기에서 같음" in row.standing.text()) is single_settings()[name].declared.travels
        assert row.isVisibleTo(shown.page), name
        assert shown.visible().count(name) == 1
        assert row.property("found")


def test_rows_are_made_when_their_section_is_shown(shown: Shown) -> None:
    assert list(shown.page.rows) == ["language"], "a page that opens makes the rows of its first section only"
    shown.section("files")
    assert shown.visible()[0] == "files.folders"
    assert list(shown.page.rows) == ["language", *shown.visible()]


CONTROLS: tuple[tuple[str, type[QWidget]], ...] = (
    ("language", ChoiceControl),
    ("desktop.theme", ChoiceControl),
    ("desktop.start_at_login", FlagControl),
    ("voice.cues", FlagControl),
    ("voice.speed", NumberControl),
    ("llm.temperature", NumberControl),
    ("memory.max_size", NumberControl),
    ("context.reminder", TextControl),
    ("search.url", TextControl),
    ("llm.provider", NamedTextControl),
    ("llm.strong_model", NamedTextControl),
    ("voice.wake_word", OptionControl),
    ("voice.input_device", OptionControl),
    ("voice.tts", OptionControl),
    ("llm.fallbacks", ListControl),
    ("files.folders", ListControl),
    ("shell.folder", FolderControl),
    ("voice.voice", VoicesControl),
    ("desktop.talk_key", KeysControl),
    ("desktop.global_toggle", KeysControl),
)


def test_the_control_fits_the_declared_type(shown: Shown) -> None:
    for name, control in CONTROLS:
        assert type(shown.row(name).control) is control, name


def test_a_secret_is_never_shown(shown: Shown) -> None:
    setting = replace(shown.row("context.reminder").setting, secret=True, value="sk-1")
    assert control_for(setting) is SecretControl


def test_a_switch_acts_at_once_and_can_be_reset(shown: Shown) -> None:
    row = shown.row("desktop.level_meter")
    assert isinstance(row.control, FlagControl)
    assert not row.reset.isVisibleTo(row)
    row.control.switch.click()
    assert not value_of(shown.settings, "desktop.level_meter")
    assert "# mine" in shown.config.read_text(encoding="utf-8"), "the rest of the file stays"
    assert row.reset.isVisibleTo(row)
    row.reset.click()
    assert value_of(shown.settings, "desktop.level_meter")
    assert row.control.switch.isChecked()
    assert not row.reset.isVisibleTo(row)


def test_a_choice_is_named_in_the_users_language(shown: Shown) -> None:
    control = shown.row("desktop.theme").control
    assert isinstance(control, ChoiceControl)
    assert control.button.text() == "시스템과 같게"
    control.button.choose("dark")
    assert (shown.settings.desktop.theme, control.button.text()) == ("dark", "어둡게")
    assert control.button.accessibleName() == "테마: 어둡게"


TYPED = (
    ("voice.speed", "1.5", 1.5),
    ("voice.speed", "1,5", 1.5),
    ("memory.max_size", "5000", 5000),
    ("llm.temperature", "0.5", 0.5),
    ("context.reminder", "짧게 말해 줘", "짧게 말해 줘"),
    ("search.url", "http://127.0.0.1:8888", "http://127.0.0.1:8888"),
)


def test_what_is_typed_is_taken_with_return(shown: Shown) -> None:
    for name, typed, value in TYPED:
        control = shown.row(name).control
        assert isinstance(control, TextControl)
        type_into(control.field, typed)
        assert shown.page.isVisible(), "Return does not close the page"
        assert value_of(shown.settings, name) == value
        type_into(control.field, "")


REFUSED = (
    ("ko", "voice.speed", "9", ("범위를 벗어났어요", "0.5부터 2까지")),
    ("ko", "voice.speed", "빨리", ("숫자가 아니에요", "0.5부터 2까지")),
    ("ko", "memory.max_size", "12.5", ("정수", "200부터 100000까지")),
    ("ko", "context.reminder", "가" * 2001, ("2001자", "2000자까지")),
    ("ko", "llm.provider", "nobody", ("제공자는 없어요", "embedded")),
    ("ko", "llm.strong_model", "nobody/x", ("없어요", "제공자/모델")),
    ("en", "voice.speed", "9", ("out of", "0.5", "2")),
    ("en", "voice.speed", "fast", ("not a number", "0.5")),
    ("en", "memory.max_size", "12.5", ("whole number", "200")),
    ("en", "llm.provider", "nobody", ("nobody", "embedded")),
    ("en", "context.reminder", "a" * 2001, ("2001", "2000")),
)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_an_invalid_value_is_refused_beside_its_control_with_the_remedy(
    make: Callable[..., Shown], language: str
) -> None:
    shown = make(language)
    before = shown.config.read_text(encoding="utf-8")
    for _, name, typed, words in (each for each in REFUSED if each[0] == language):
        row = shown.row(name)
        assert isinstance(row.control, TextControl)
        type_into(row.control.field, typed)
        assert row.trouble.isVisibleTo(row)
        for each in words:
            assert each in row.trouble.text()
        assert not row.trouble.text().startswith(name), "the row names the setting already"
        assert shown.config.read_text(encoding="utf-8") == before
        assert row.control.field.text() == typed, "it can be corrected"
        shown.page.refresh()
        assert row.trouble.isVisibleTo(row), "it stays until something changes"


def test_steps_stay_within_the_bounds(shown: Shown) -> None:
    control = shown.row("voice.speed").control
    assert isinstance(control, NumberControl)
    QTest.keyClick(control.field, Qt.Key.Key_Up)
    assert shown.settings.voice.speed == pytest.approx(1.1)
    control.less.click()
    assert shown.settings.voice.speed == pytest.approx(1)
    for _ in range(20):
        control.less.click()
    assert shown.settings.voice.speed == pytest.approx(0.5)
    assert (control.field.text(), control.more.accessibleName()) == ("0.5", "말하는 속도 늘리기")


def test_an_empty_number_is_the_default(make: Callable[..., Shown]) -> None:
    shown = make(text="[llm]\ntemperature = 0.7\n")
    control = shown.row("llm.temperature").control
    assert isinstance(control, NumberControl)
    assert control.field.text() == "0.7"
    control.field.clear()
    QTest.keyClick(control.field, Qt.Key.Key_Return)
    assert shown.settings.llm.temperature is None


KEYS = (
    ("desktop.talk_key", Qt.Key.Key_F4, Qt.KeyboardModifier.NoModifier, "F4"),
    ("desktop.global_toggle", Qt.Key.Key_K, Qt.KeyboardModifier.ControlModifier, "ctrl+k"),
    (
        "desktop.global_talk",
        Qt.Key.Key_Space,
        Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier,
        "alt+shift+space",
    ),
    ("desktop.global_talk", Qt.Key.Key_F7, Qt.KeyboardModifier.NoModifier, "f7"),
    ("desktop.global_talk", Qt.Key.Key_Backspace, Qt.KeyboardModifier.NoModifier, ""),
)


def test_keys_are_recorded(shown: Shown) -> None:
    for name, key, modifiers, value in KEYS:
        control = shown.row(name).control
        assert isinstance(control, KeysControl)
        control.button.click()
        assert "누르세요" in control.button.text()
        QTest.keyClick(control.button, Qt.Key.Key_Control)
        QTest.keyClick(control.button, key, modifiers)
        assert value_of(shown.settings, name) == value
        assert not control.button.isChecked()


@pytest.mark.parametrize("name", ["desktop.talk_key", "desktop.global_talk"])
def test_keys_that_cannot_be_used_are_refused_in_words(shown: Shown, name: str) -> None:
    row = shown.row(name)
    assert isinstance(row.control, KeysControl)
    before = row.control.button.text()
    row.control.button.click()
    QTest.keyClick(row.control.button, Qt.Key.Key_A)
    assert row.trouble.text()
    assert row.control.button.text() == before


def test_escape_keeps_the_keys_and_the_page(shown: Shown) -> None:
    control = shown.row("desktop.global_talk").control
    assert isinstance(control, KeysControl)
    control.button.click()
    QTest.keyClick(control.button, Qt.Key.Key_Escape)
    assert shown.settings.desktop.global_talk == "ctrl+alt+space"
    assert shown.page.isVisible()


def test_folders_are_added_and_taken_out(shown: Shown, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = shown.row("files.folders")
    assert isinstance(row.control, ListControl)
    type_into(row.control.field, "~/Documents")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: str(tmp_path))
    assert row.control.browse is not None
    row.control.browse.click()
    assert value_of(shown.settings, "files.folders") == ("~/Documents", str(tmp_path))
    buttons = [each for line in row.control.rows for each in line.findChildren(QAbstractButton)]
    assert [each.accessibleName() for each in buttons] == ["빼기: ~/Documents", f"빼기: {tmp_path}"]
    buttons[0].click()
    assert value_of(shown.settings, "files.folders") == (str(tmp_path),)
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: "")
    row.control.browse.click()
    assert value_of(shown.settings, "files.folders") == (str(tmp_path),), "a closed dialog changes nothing"


def test_devices_are_offered_by_name_and_a_missing_one_stays(make: Callable[..., Shown]) -> None:
    shown = make(text='[voice]\ninput_device = "Old Mic"\n')
    control = shown.row("voice.input_device").control
    assert isinstance(control, OptionControl)
    assert control.button.text() == "Old Mic"
    assert control.button.values == ["", "Old Mic", "Built-in", "USB Mic"]
    control.button.choose("USB Mic")
    assert shown.settings.voice.input_device == "USB Mic"


def test_servers_are_asked_for_models_only_when_their_list_is_opened(make: Callable[..., Shown]) -> None:
    shown = make(text='[[providers]]\nname = "mine"\nkind = "openai"\n')
    control = shown.row("llm.strong_model").control
    assert isinstance(control, NamedTextControl)
    assert ListOptions(name="llm.strong_model") not in shown.engine.connection.sent
    control.list.wanted.emit()
    control.list.choose("mine/big")
    assert shown.settings.llm.strong_model == "mine/big"


def test_a_voice_is_heard_before_it_is_chosen(shown: Shown) -> None:
    row = shown.row("voice.voice")
    control = row.control
    assert isinstance(control, VoicesControl)
    voice = control.voices["ko"].values[1]
    control.voices["ko"].choose(voice)
    assert shown.engine.connection.sent[-1] == TryVoice(voice=voice, language="ko")
    assert shown.settings.voice.voice == "", "it is not used yet"
    assert control.use["ko"].isVisibleTo(row)
    english = control.voices["en"].values[1]
    control.voices["en"].choose(english)
    control.listen["en"].click()
    assert shown.engine.connection.sent.count(TryVoice(voice=english, language="en")) == 2
    control.use["ko"].click()
    assert voice in shown.settings.voice.voices
    assert not control.use["ko"].isVisibleTo(row)


def test_a_voice_that_cannot_be_heard_says_why(shown: Shown) -> None:
    row = shown.row("voice.voice")
    assert isinstance(row.control, VoicesControl)
    shown.engine.refusals[TryVoice] = SoriError(
        ErrorCode.AUDIO_DEVICE, "none", message_key="no_speaker", values={"reason": "스피커가 없어요."}
    )
    row.control.listen["ko"].click()
    assert "스피커가 없어요." in row.trouble.text()
    shown.engine.refusals.clear()
    row.control.listen["ko"].click()
    assert not row.trouble.isVisibleTo(row)


def test_a_change_from_elsewhere_is_shown_at_once(shown: Shown) -> None:
    speed, theme = shown.row("voice.speed"), shown.row("desktop.theme")
    assert isinstance(speed.control, NumberControl)
    assert isinstance(theme.control, ChoiceControl)
    shown.save('language = "ko"\n[voice]\nspeed = 0.8\n[desktop]\ntheme = "light"\n')
    assert (speed.control.field.text(), theme.control.button.text()) == ("0.8", "밝게")
    assert speed.reset.isVisibleTo(speed)


def test_a_broken_file_is_told_with_its_line_until_it_is_mended(shown: Shown) -> None:
    fault = shown.page.fault
    assert not fault.isVisibleTo(shown.page)
    shown.save('language = "ko"\n[voice]\nspeed = 9\n')
    assert fault.isVisibleTo(shown.page)
    assert "3번째 줄" in fault.where.text()
    assert "voice.speed" in fault.problem.text()
    assert "0.5부터 2까지" in fault.remedy.text()
    shown.save('language = "ko"\n[voice]\nspeed = 1.9\n')
    assert not fault.isVisibleTo(shown.page)


def test_a_page_that_opens_on_a_broken_file_tells_it(make: Callable[..., Shown], tmp_path: Path) -> None:
    shown = make()
    shown.config.write_text("language = ", encoding="utf-8")
    shown.page.refresh()
    assert shown.page.fault.isVisibleTo(shown.page)


FOUND = (
    ("ko", "테마", "desktop.theme"),
    ("ko", "ㅌㅁ", "desktop.theme"),
    ("ko", "theme", "desktop.theme"),
    ("ko", "다크", "desktop.theme"),
    ("ko", "어둡게", "desktop.theme"),
    ("ko", "말하는 속도", "voice.speed"),
    ("ko", "ㅁㅎㄴ ㅅㄷ", "voice.speed"),
    ("ko", "speed", "voice.speed"),
    ("ko", "호출어", "voice.wake_word"),
    ("ko", "jarvis", "voice.wake_word"),
    ("en", "dark", "desktop.theme"),
    ("en", "테마", "desktop.theme"),
    ("en", "ㅌㅁ", "desktop.theme"),
    ("en", "wake word", "voice.wake_word"),
    ("en", "login", "desktop.start_at_login"),
    ("en", "start with", "desktop.start_at_login"),
    ("en", "temperature", "llm.temperature"),
)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_search_finds_titles_help_and_values_in_both_languages(make: Callable[..., Shown], language: str) -> None:
    shown = make(language)
    for _, query, name in (each for each in FOUND if each[0] == language):
        shown.find(query)
        found = shown.visible()
        assert name in found, query
        assert len(found) < len(NAMES) / 3
    shown.find("no such setting")
    assert shown.visible() == []
    assert "no such setting" in shown.page.intro.text()
    shown.find("")
    assert shown.visible() == ["language"]


@pytest.mark.parametrize("name", ["voice.voice", "voice.speed", "llm.kept_prompts_mb"])
def test_a_page_that_was_just_opened_goes_to_a_setting_out_of_sight(shown: Shown, qtbot: QtBot, name: str) -> None:
    row = shown.row(name)
    view = shown.page.area.viewport()
    qtbot.waitUntil(lambda: view.rect().contains(row.control.mapTo(view, row.control.rect().center())))
    assert shown.page.focusWidget() is row.control.focusProxy()


def test_experts_settings_are_folded(shown: Shown) -> None:
    shown.section("memory")
    assert not shown.page.experts.isVisibleTo(shown.page)
    shown.section("llm")
    common = shown.visible()
    assert "llm.temperature" not in common
    shown.page.experts.click()
    assert "llm.temperature" in shown.visible()
    assert shown.visible()[: len(common)] == common, "the common ones stay where they are"
    shown.page.experts.click()
    assert shown.visible() == common


def test_what_leaves_this_computer_stands_in_one_section(shown: Shown) -> None:
    shown.section(PRIVACY)
    leaving = [each for each in single_settings().values() if each.declared.leaves]
    shown.page.experts.click()
    expected = [each.name for each in sorted(leaving, key=lambda each: each.declared.expert)]
    assert shown.visible() == expected
    assert {"llm.provider", "voice.stt_model", "http.enabled", "search.url"} <= set(expected)
    row = shown.page.rows["llm.provider"]
    assert row.section.isVisibleTo(row), "each names its own section"


def test_a_section_links_the_pages_that_the_window_has(shown: Shown) -> None:
    shown.section("voice")
    assert list(shown.page.links) == ["names"]
    shown.page.links["names"].click()
    assert shown.opened == ["names"]
    shown.section("memory")
    assert not shown.page.links["names"].isVisibleTo(shown.page)


def test_a_setting_that_acts_after_a_restart_offers_it(shown: Shown) -> None:
    row = shown.row("context.reminder")
    assert not row.restart.isVisibleTo(row)
    row.show_setting(replace(row.setting, acts=Acts.RESTART, value="a", in_force=""))
    assert row.restart.isVisibleTo(row)
    row.restart.click()
    assert shown.restarts == 1
    row.show_setting(replace(row.setting, in_force="a"))
    assert not row.restart.isVisibleTo(row)


def test_why_a_value_is_not_in_force_is_told(shown: Shown) -> None:
    row = shown.row("voice.tts")
    row.show_setting(replace(row.setting, trouble="모델을 받을 수 없어요."))
    assert "모델을 받을 수 없어요." in row.trouble.text()


def test_changes_during_a_reply_are_asked_for_once_more(shown: Shown) -> None:
    connection = shown.engine.connection
    answer, connection.answers = connection.answers, lambda _: None
    connection.sent.clear()
    for _ in range(5):
        shown.page.refresh()
    assert connection.sent == [ListSettings()]
    connection.reply(ListSettings, answer(ListSettings()))
    assert connection.sent == [ListSettings(), ListSettings()]


def test_the_sound_is_tested_in_the_page(shown: Shown) -> None:
    shown.section("voice")
    panel, connection = shown.page.sound, shown.engine.connection
    assert panel.isVisibleTo(shown.page)
    connection.answers = lambda _: None
    panel.check.click()
    assert connection.sent[-1] == CheckSound()
    panel.speaker.click()
    panel.check.click()
    assert connection.sent[-1] == CheckSound(), "one test at a time"
    shown.page.show_update(SoundCheckProgressed(stage=SoundCheckStage.SPEAK))
    shown.page.show_update(LevelMeasured(level_db=-15))
    assert "말해 보세요" in panel.status.text()
    assert panel.meter.lit > 0
    advice = SoundAdvice(text="에코 제거를 켜세요.", setting="voice.echo_cancellation", value=True)
    result = CheckedSound(good=True, problems=(), loud_db=-20, quiet_db=-60, echo_ms=42, echo_db=-6, advice=(advice,))
    connection.reply(CheckSound, result)
    for words in ("-20 dBFS", "-60 dBFS", "42 ms", "쓸 수 있어요"):
        assert words in panel.status.text()
    assert not panel.working
    (row,) = panel.advice
    row.findChildren(QAbstractButton)[0].click()
    assert connection.sent[-1:] == [SetSetting(name="voice.echo_cancellation", value=True)]


def test_what_is_wrong_with_the_sound_is_told_in_words(shown: Shown) -> None:
    shown.section("voice")
    panel, connection = shown.page.sound, shown.engine.connection
    connection.answers = lambda _: None
    panel.check.click()
    connection.reply(CheckSound, CheckedSound(good=False, problems=("마이크가 없어요.",)))
    assert panel.problems.text() == "마이크가 없어요."
    panel.speaker.click()
    assert connection.sent[-1] == TryVoice(voice="", language="ko")


def test_everything_has_a_name_and_is_reached_by_keys(shown: Shown) -> None:
    shown.find("ㅇ")
    parts: list[Any] = [*shown.page.findChildren(QAbstractButton), *shown.page.findChildren(QLineEdit)]
    for part in parts:
        if part.isVisibleTo(shown.page) and part.objectName() != "step" and not _is_inside_a_field(part):
            assert part.accessibleName() or part.text(), part
            assert part.focusPolicy() & Qt.FocusPolicy.TabFocus, part.accessibleName()
    assert not shown.page.findChildren(QComboBox) + shown.page.findChildren(QAbstractSpinBox)


def _is_inside_a_field(part: QWidget) -> bool:
    return isinstance(part.parentWidget(), QLineEdit)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_nothing_is_cut_off(make: Callable[..., Shown], qtbot: QtBot, language: str) -> None:
    shown = make(language)
    points = shown.page.font().pointSizeF()
    for scale, width in ((1, 480), (1, 860), (1.25, 480), (1.5, 480), (1.5, 860)):
        font = shown.page.font()
        font.setPointSizeF(points * scale)
        shown.page.setFont(font)
        shown.page.resize(width, 700)
        check_widths(shown, qtbot, width)


def check_widths(shown: Shown, qtbot: QtBot, width: int) -> None:
    for section in ("", "llm", "voice", "desktop", "files", PRIVACY):
        shown.section(section)
        qtbot.wait(1)
        room, content = shown.page.area.viewport().width(), shown.page.area.widget()
        assert content is not None
        assert content.minimumSizeHint().width() <= room, section
        for name in shown.visible():
            row = shown.page.rows[name]
            for part in row.findChildren(QWidget):
                if part.isVisibleTo(row) and part.parentWidget() is row.control:
                    assert part.mapTo(row, part.rect().topRight()).x() <= row.width(), (name, part)


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("The word that wakes Sori: hey_jarvis | alexa | the file name of your own model.", "The word that wakes Sori"),
        ("깨우는 말: hey_jarvis | alexa | 직접 넣은 모델의 파일 이름", "깨우는 말"),
        (
            "Who speaks: auto | openai (is sent what is read aloud).",
            "Who speaks: auto | openai (is sent what is read aloud).",
        ),
        ("Address of the server: host:port", "Address of the server: host:port"),
        ("마이크 이름. 비우면 시스템 기본값", "마이크 이름. 비우면 시스템 기본값"),
    ],
)
def test_a_help_does_not_list_the_values_that_its_control_lists(words: str, shown: str) -> None:
    """What a value does, such as sending something, stays."""
    assert without_values(words) == shown
