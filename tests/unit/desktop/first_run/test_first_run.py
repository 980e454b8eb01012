"""The first run: every step with the keyboard and the mouse, on the real owner of settings and a real file."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from assistant.core.machine.states import TurnId
from assistant.core.messages import Message, Role
from assistant.core.records.agents import AgentId
from assistant.core.records.names import CalledName, Enrolment, EnrolmentStage
from assistant.core.service.request import Request
from assistant.core.service.requests.engine import FirstRunStanding, KeepFirstRun, ShowFirstRun
from assistant.core.service.requests.models import AdoptModel, ListKeptModels
from assistant.core.service.requests.names import ListNames
from assistant.core.service.requests.servers import ListServers
from assistant.core.service.requests.turns import BeginTurn
from assistant.core.service.requests.voice import SetMuted, ShowStatus
from assistant.core.settings import Settings
from assistant.core.updates import (
    EngineProgressed,
    EnrolmentChanged,
    Keeping,
    KeptModel,
    KeyPlace,
    LevelMeasured,
    MemoryFit,
    MessageAdded,
    ModelChosen,
    ModelsKept,
    NamesChanged,
    SoundCheckProgressed,
    SoundCheckStage,
    Update,
    VoiceAvailable,
)
from assistant.desktop.first_run.first_run import STEPS, FirstRunWindow
from assistant.desktop.first_run.language_step import LanguageStep
from assistant.desktop.first_run.last_steps import TryingStep
from assistant.desktop.first_run.model_step import ModelStep
from assistant.desktop.first_run.sound_steps import HEARD_TIMES, MicrophoneStep, SpeakerStep
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs
from tests.fakes.front.settings_engine import SettingsEngine

ON = VoiceAvailable(
    microphone="USB", microphone_reason="", speaker="Box", speaker_reason="", muted=False, called="Hey Jarvis"
)
NOT_YET = VoiceAvailable(microphone="", microphone_reason="", speaker="", speaker_reason="", muted=False)


class Shown:
    """A first run with the owner of the settings, and what it sent."""

    def __init__(self, qtbot: QtBot, theme: Theme, folder: Path, language: str, at: str = "", config: str = "") -> None:
        self.config = folder / "config.toml"
        self.config.write_text(f'language = "{language}"\n{config}', encoding="utf-8")
        self.engine = SettingsEngine(self.config, load_texts(language))
        answers = self.engine.connection.answers
        self.engine.connection.answers = lambda request: self._answer(request, answers)
        needs = page_needs(self.engine.connection, language, theme=theme, home=folder)
        self.window = QWidget()
        qtbot.addWidget(self.window)
        self.run = FirstRunWindow(needs, at, self.window)
        self.run.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
        qtbot.addWidget(self.run)
        self.run.show()

    def _answer(self, request: Request[Any], otherwise: Callable[[Request[Any]], Any]) -> Any:
        if isinstance(request, ListNames):
            return (CalledName(agent=AgentId(), title="소리", phrase="소리야"),)
        waits = ShowStatus | ListKeptModels | ListServers
        return None if isinstance(request, waits) else otherwise(request)

    @property
    def kept(self) -> list[tuple[str, bool]]:
        """What the engine was told to keep."""
        return [(each.step, each.over) for each in self.engine.connection.sent if isinstance(each, KeepFirstRun)]

    @property
    def settings(self) -> Settings:
        """What stands in the file."""
        return read_settings(self.config)

    @property
    def words(self) -> str:
        """All words that are shown."""
        return "\n".join(each.text() for each in self.run.findChildren(QLabel) if each.isVisibleTo(self.run))

    def tell(self, *updates: Update) -> None:
        for update in updates:
            self.run.show_update(update)
        QApplication.processEvents()  # Qt shows new rows a moment later.


@pytest.fixture
def make(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Callable[..., Shown]:
    return lambda language="ko", at="", config="": Shown(qtbot, theme, tmp_path, language, at, config)


def test_return_leads_through_every_step_to_the_end(make: Callable[..., Shown]) -> None:
    shown = make()
    names = list(STEPS)
    for name in names:
        assert shown.run.shown == name
        assert shown.run.next.hasFocus() or not shown.run.isActiveWindow()
        QTest.keyClick(shown.run, Qt.Key.Key_Return)
    assert not shown.run.isVisible()
    assert shown.kept == [*((name, False) for name in names), (names[-1], True)]


@pytest.mark.parametrize("step", STEPS)
def test_escape_leaves_at_once_from_every_step(make: Callable[..., Shown], step: str) -> None:
    shown = make(at=step)
    assert shown.run.shown == step
    QTest.keyClick(shown.run, Qt.Key.Key_Escape)
    assert not shown.run.isVisible()
    assert shown.kept == [(step, False), (step, True)]


@pytest.mark.parametrize("by_frame", [False, True])
def test_the_button_and_the_frame_of_the_window_leave_it_as_escape_does(
    make: Callable[..., Shown], by_frame: bool
) -> None:
    shown = make()
    if by_frame:
        shown.run.close()
    else:
        shown.run.later.click()
    assert shown.kept[-1] == ("language", True)


def test_it_begins_where_it_stands_and_at_the_beginning_for_an_unknown_step(make: Callable[..., Shown]) -> None:
    assert make(at="speaker").run.shown == "speaker"
    assert make(at="gone").run.shown == "language"
    shown = make(at="speaker")
    shown.run.back.click()
    assert shown.run.shown == "microphone"


LEADS = [
    # the devices, the first words in Korean and in English
    (ON, "마이크가 켜져 있어요.", "The microphone is on."),
    (None, "음성 모델 준비", "Getting the voice models ready"),
    (NOT_YET, "음성 모델 준비", "Getting the voice models ready"),
    (
        VoiceAvailable(microphone="USB", microphone_reason="", speaker="", speaker_reason="", muted=True),
        "마이크가 꺼져 있어요.",
        "The microphone is off.",
    ),
    (
        VoiceAvailable(microphone="", microphone_reason="막혀 있어요.", speaker="", speaker_reason="", muted=False),
        "지금은 마이크를 쓸 수 없어요. 막혀 있어요.",
        "The microphone cannot be used now. 막혀 있어요.",
    ),
]


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize(("devices", "korean", "english"), LEADS)
def test_the_first_words_say_whether_the_microphone_is_on_and_that_nothing_leaves(
    make: Callable[..., Shown], language: str, devices: VoiceAvailable | None, korean: str, english: str
) -> None:
    shown = make(language)
    shown.tell(*([] if devices is None else [devices]))
    step = shown.run.step
    assert isinstance(step, LanguageStep)
    assert (korean if language == "ko" else english) in step.hearing.text()
    assert ("떠나지 않아요" if language == "ko" else "does not leave") in step.privacy.text()


@pytest.mark.parametrize(
    "config",
    [
        '[llm]\nprovider = "x"\n[[providers]]\nname = "x"\nkind = "openai"\n',
        '[llm]\nfallbacks = ["x"]\n[[providers]]\nname = "x"\nkind = "openai"\n',
        '[voice]\nstt_model = "x/y"\n[[providers]]\nname = "x"\nkind = "openai"\n',
    ],
)
def test_it_does_not_say_that_nothing_leaves_where_settings_may_send_something(
    make: Callable[..., Shown], config: str
) -> None:
    step = make(config=config).run.step
    assert isinstance(step, LanguageStep)
    assert "떠나지 않아요" not in step.privacy.text()
    assert "개인정보" in step.privacy.text()


def test_the_microphone_can_be_turned_off_from_the_first_words_on(make: Callable[..., Shown]) -> None:
    shown = make()
    step = shown.run.step
    assert isinstance(step, LanguageStep)
    assert not step.mute.isVisibleTo(shown.run), "a microphone that is not on yet cannot be turned off"
    shown.tell(ON)
    step.mute.click()
    assert SetMuted(muted=True) in shown.engine.connection.sent


def test_another_language_is_set_and_the_same_one_is_not(make: Callable[..., Shown]) -> None:
    shown = make()
    step = shown.run.step
    assert isinstance(step, LanguageStep)
    step.languages["ko"].click()
    assert shown.engine.events == []
    step.languages["en"].click()
    assert shown.settings.language == "en"


def test_the_models_of_the_voice_are_followed_while_they_come(make: Callable[..., Shown]) -> None:
    shown = make(at="microphone")
    shown.tell(EngineProgressed(part="progress.speech_models", fraction=0.42))
    assert "42%" in shown.words
    shown.tell(EngineProgressed(part="progress.language_model", fraction=0.9))
    assert "42%" in shown.words
    shown.tell(EngineProgressed(part="progress.speech_models", fraction=0.8, doing="progress.loading.measuring"))
    assert "속도 재는 중" in shown.words
    shown.tell(ON)
    assert "%" not in shown.words


def test_a_voice_is_told_as_heard_and_a_knock_is_not(make: Callable[..., Shown]) -> None:
    shown = make(at="microphone")
    shown.tell(ON)
    step = shown.run.step
    assert isinstance(step, MicrophoneStep)
    shown.tell(*[LevelMeasured(level_db=-70)] * 50, *[LevelMeasured(level_db=-20)] * (HEARD_TIMES - 1))
    assert shown.run.next.text() == "건너뛰기"
    shown.tell(LevelMeasured(level_db=-20))
    assert (step.status.text(), shown.run.next.text()) == ("잘 들려요.", "다음")


def test_the_microphone_is_chosen_and_its_change_is_kept(make: Callable[..., Shown]) -> None:
    shown = make(at="microphone")
    shown.tell(ON)
    choice = next(each for each in shown.run.findChildren(QPushButton) if "USB Mic" in getattr(each, "values", []))
    choice.choose("USB Mic")  # type: ignore[attr-defined]
    assert shown.settings.voice.input_device == "USB Mic"


@pytest.mark.parametrize("step", ["microphone", "speaker", "name", "trying"])
def test_without_a_microphone_every_step_says_so_and_can_be_left(make: Callable[..., Shown], step: str) -> None:
    shown = make(at=step)
    reason = "연결된 마이크가 없어요."
    shown.tell(VoiceAvailable(microphone="", microphone_reason=reason, speaker="", speaker_reason=reason, muted=False))
    assert reason in shown.words
    shown.run.next.click()
    assert shown.run.shown != step or not shown.run.isVisible()


def test_the_test_of_the_sound_waits_for_the_voice_and_settles_the_step(make: Callable[..., Shown]) -> None:
    shown = make(at="speaker")
    step = shown.run.step
    assert isinstance(step, SpeakerStep)
    assert not step.panel.isVisibleTo(shown.run)
    shown.tell(ON)
    assert step.panel.isVisibleTo(shown.run)
    assert shown.run.next.text() == "건너뛰기"
    shown.tell(SoundCheckProgressed(stage=SoundCheckStage.REPLAY))
    assert shown.run.next.text() == "다음"


def test_the_wake_word_and_a_name_of_ones_own_are_told(make: Callable[..., Shown]) -> None:
    shown = make(at="name")
    shown.tell(ON)
    assert "Hey Jarvis" in shown.words
    assert "에이전트" not in shown.words
    shown.tell(replace(ON, called="소리야"))
    assert "소리야" in shown.words
    assert "Hey Jarvis" not in shown.words
    enrolled = Enrolment(agent=AgentId(), stage=EnrolmentStage.DONE)
    shown.tell(EnrolmentChanged(enrolment=enrolled))
    assert shown.run.next.text() == "다음"


@pytest.mark.parametrize("spoken", [False, True])
@pytest.mark.parametrize(
    ("step", "role", "ends"),
    [
        ("trying", Role.USER, True),
        ("trying", Role.ASSISTANT, False),
        *((each, Role.USER, False) for each in STEPS if each != "trying"),
    ],
)
def test_the_last_step_ends_when_something_was_asked(
    make: Callable[..., Shown], step: str, role: Role, ends: bool, spoken: bool
) -> None:
    shown = make(at=step)
    message = Message(role=role, text="몇 시야?")
    shown.tell(MessageAdded(conversation="c", turn=TurnId("1"), message=message, spoken=spoken))
    assert shown.run.isVisible() is not ends
    assert ((step, True) in shown.kept) is ends


def test_a_name_that_was_typed_is_enough_to_go_on(make: Callable[..., Shown]) -> None:
    shown = make(at="name")
    assert shown.run.next.text() == "건너뛰기"
    shown.tell(NamesChanged())
    assert shown.run.next.text() == "다음"


def own(name: str, size: float, **values: Any) -> KeptModel:
    kept = KeptModel(
        model=name,
        title=name,
        reference=f"embedded/{name}",
        size=round(size * 1e9),
        licence="Apache-2.0",
        keeping=Keeping.ABSENT,
        fit=MemoryFit.FITS,
    )
    return replace(kept, **values)


MODELS = ModelsKept(
    models=(
        own("small", 1.1, keeping=Keeping.HERE, needed=True),
        own("big", 2.5),
        own("huge", 40, fit=MemoryFit.TOO_BIG),
        own("tiny", 0.1, korean="none"),
        own("ears", 0.1, purpose="stt"),
    ),
    keys=(KeyPlace(provider="openai", kind="openai", has_key=False, configured=False),),
    keyring=True,
    file="keys.json",
    memory_total=16_000_000_000,
)
ANSWERS = ModelChosen(provider="embedded", model="small", placeholder=False)


@pytest.mark.parametrize(
    ("language", "words"),
    [
        (
            "ko",
            (
                "메모리 16.0 GB",
                "밖으로 나가지 않아요",
                "그 서버까지만",
                "그 회사의 서버로 나가고",
                "2.5 GB · Apache-2.0",
            ),
        ),
        ("en", ("16.0 GB of memory", "leaves this computer", "to that server and no further", "go to the company's")),
    ],
)
def test_each_choice_of_a_model_says_what_leaves_the_machine(
    make: Callable[..., Shown], language: str, words: tuple[str, ...]
) -> None:
    shown = make(language, at="model")
    looking = load_texts(language)("desktop.first.model.looking")
    assert looking in shown.words
    shown.tell(ANSWERS, MODELS)
    assert looking not in shown.words
    for each in words:
        assert each in shown.words


def test_only_models_that_this_machine_can_run_are_offered_and_one_button_takes_one(make: Callable[..., Shown]) -> None:
    shown = make(at="model")
    shown.tell(ANSWERS, MODELS)
    step = shown.run.step
    assert isinstance(step, ModelStep)
    assert list(step.rows) == ["small", "big"]
    assert not step.rows["small"].use.isVisibleTo(shown.run)
    step.rows["big"].use.click()
    assert AdoptModel(model="embedded/big") in shown.engine.connection.sent


@pytest.mark.parametrize(
    ("state", "words", "button"),
    [
        ({"keeping": Keeping.FETCHING, "fraction": 0.34}, "34%", ""),
        ({"keeping": Keeping.FETCHING, "fraction": 0.34, "left": "약 3분"}, "약 3분", ""),
        ({"keeping": Keeping.WAITING, "fraction": 0.34}, "저절로", "받아서 쓰기"),
        ({"keeping": Keeping.FAILED, "trouble": "디스크 공간이 부족해요."}, "디스크 공간", "받아서 쓰기"),
        ({"keeping": Keeping.HERE}, "", "이 모델 쓰기"),
        ({"keeping": Keeping.ABSENT}, "", "받아서 쓰기"),
    ],
)
def test_how_a_model_stands_is_told_while_it_comes(
    make: Callable[..., Shown], state: dict[str, Any], words: str, button: str
) -> None:
    shown = make(at="model")
    shown.tell(ANSWERS, replace(MODELS, models=(MODELS.models[0], own("big", 2.5, **state))))
    step = shown.run.step
    assert isinstance(step, ModelStep)
    row = step.rows["big"]
    assert words in row.standing.text()
    assert (row.use.text() if row.use.isVisibleTo(shown.run) else "") == button


@pytest.mark.parametrize(("language", "kept"), [("ko", "타이머 맞추기"), ("en", "set a timer")])
def test_what_sori_does_unasked_is_named_as_the_gate_decides_it(
    make: Callable[..., Shown], language: str, kept: str
) -> None:
    words = make(language, at="permissions").words
    assert kept.casefold() in words.casefold()
    assert "_" not in words


def test_a_suggested_question_ends_the_first_run_and_is_asked(make: Callable[..., Shown]) -> None:
    shown = make(at="trying")
    asked: list[str] = []
    shown.run.asked.connect(asked.append)
    step = shown.run.step
    assert isinstance(step, TryingStep)
    step.questions[1].click()
    assert asked == ["3분 타이머 맞춰 줘"]
    assert shown.kept[-1] == ("trying", True)


@pytest.mark.parametrize(
    ("standing", "shown_step"),
    [
        (FirstRunStanding(), "language"),
        (FirstRunStanding(step="speaker"), "speaker"),
        (FirstRunStanding(step="speaker", over=True), ""),
        (FirstRunStanding(over=True), ""),
    ],
)
def test_a_window_shows_it_by_itself_only_until_it_is_over(
    window: MainWindow, connection: RecordedConnection, standing: FirstRunStanding, shown_step: str
) -> None:
    window.pages.begin_first_run()
    connection.reply(ShowFirstRun, standing)
    run = window.pages.first_run
    assert ("" if run is None else run.shown) == shown_step


def test_it_can_be_shown_again_from_the_menu_and_blocks_nothing(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.menu.page_wanted.emit("first_run")
    run = window.pages.first_run
    assert run is not None
    assert not run.isModal()
    window.menu.page_wanted.emit("first_run")
    assert window.pages.first_run is run
    QTest.keyClicks(window.composer.input, "hello")
    QTest.keyClick(window.composer.input, Qt.Key.Key_Return)
    assert "hello" in [each.text for each in connection.sent if isinstance(each, BeginTurn)]
    run.asked.emit("what can you do?")
    assert "what can you do?" in [each.text for each in connection.sent if isinstance(each, BeginTurn)]


def test_the_steps_have_names_for_screen_readers(make: Callable[..., Shown]) -> None:
    for step in STEPS:
        shown = make(at=step)
        assert shown.run.step.title.text() in shown.run.windowTitle()
        for button in shown.run.findChildren(QPushButton):
            assert button.accessibleName() or button.text(), step
