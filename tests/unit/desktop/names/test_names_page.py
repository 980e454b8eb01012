import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from assistant.core.errors import ErrorCode
from assistant.core.records.agents import AgentId
from assistant.core.records.names import CalledName, Enrolment, EnrolmentStage, TakeResult
from assistant.core.service.request import Refusal
from assistant.core.service.requests.names import EnrolName, ForgetEnrolment, ListNames, SetWakePhrase, StopEnrolment
from assistant.core.settings import Language
from assistant.core.updates import EnrolmentChanged, LevelMeasured, NamesChanged
from assistant.desktop.main_window import MainWindow
from assistant.desktop.names.names_page import NamesPage
from assistant.host.texts import load_texts
from tests.fakes.front.connection import RecordedConnection
from tests.fakes.front.page_needs import page_needs

DOCHI = AgentId(name="dochi")
NAMES = (
    CalledName(agent=AgentId(), title="소리"),
    CalledName(agent=DOCHI, title="도치", phrase="도치야", enrolled=True),
    CalledName(agent=AgentId(name="jinny"), title="지니", phrase="지니", common=("진이", "이미")),
)
LEARNT = CalledName(agent=AgentId(name="jinny"), title="지니", phrase="지니", learnt=True, alike=("진희",))


class Shown:
    """A page with the names of three agents, and the connection that it sent."""

    def __init__(self, qtbot: QtBot, language: Language = "ko") -> None:
        self.connection = RecordedConnection()
        self.sent = self.connection.sent
        self.page = NamesPage(page_needs(self.connection, language))
        qtbot.addWidget(self.page)
        self.page.show()
        self.connection.reply(ListNames, NAMES)
        assert self.sent == [ListNames()]
        self.sent.clear()

    def reports(self, **values: object) -> None:
        self.page.show_update(EnrolmentChanged(enrolment=Enrolment(agent=DOCHI, **values)))  # type: ignore[arg-type]


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot)


def test_each_agent_is_shown_with_its_phrase_and_what_is_known(shown: Shown) -> None:
    rows = list(shown.page.rows.values())
    assert [row.field.text() for row in rows] == ["", "도치야", "지니"]
    assert [row.enrol.isVisibleTo(shown.page) for row in rows] == [False, True, True]
    assert [row.forget.isVisibleTo(shown.page) for row in rows] == [False, True, False]
    assert "내 목소리로 등록했어요" in rows[1].note.text()
    assert "진이, 이미" in rows[2].note.text()


@pytest.mark.parametrize(
    ("language", "words"), [("ko", "내 목소리를 등록하면 더 잘"), ("en", "better after learning yours")]
)
def test_a_name_that_only_sori_has_practised_says_so(qtbot: QtBot, language: Language, words: str) -> None:
    shown = Shown(qtbot, language)
    shown.page.show_update(NamesChanged())
    shown.connection.reply(ListNames, (*NAMES[:2], LEARNT))
    row = shown.page.rows[LEARNT.agent]
    assert words in row.note.text()
    assert "진희" in row.note.text()
    assert not row.forget.isVisibleTo(shown.page), "there is nothing of the user's to forget"


def test_return_saves_a_phrase_and_leaves_the_page_open(shown: Shown) -> None:
    row = shown.page.rows[DOCHI]
    row.field.setText("고슴아")
    assert row.save.isEnabled()
    assert not row.enrol.isVisibleTo(shown.page), "the phrase that would be learnt is the former one"
    QTest.keyClick(row.field, Qt.Key.Key_Return)
    assert shown.sent == [SetWakePhrase(agent=DOCHI, phrase="고슴아")]
    assert shown.page.isVisible()


def test_a_refused_phrase_says_why_and_keeps_what_was_typed(shown: Shown) -> None:
    row = shown.page.rows[DOCHI]
    row.field.setText("지니")
    row.save.click()
    values = {"phrase": "지니", "agent": "지니", "other": "지니"}
    words = load_texts("ko")("error.wake_phrase_taken", **values)
    refusal = Refusal(code=ErrorCode.INVALID_REQUEST, reason="wake_phrase_taken", message=words, values=values)
    shown.connection.reply(SetWakePhrase, refusal)
    assert "지니" in shown.page.trouble.text()
    assert shown.page.trouble.isVisibleTo(shown.page)
    assert row.field.text() == "지니"
    row.save.click()
    shown.connection.reply(SetWakePhrase, NAMES)
    assert not shown.page.trouble.isVisibleTo(shown.page)


def test_the_user_follows_three_takes(shown: Shown) -> None:
    panel = shown.page.enrol
    shown.page.rows[DOCHI].enrol.click()
    assert shown.sent == [EnrolName(agent=DOCHI)]
    assert (panel.phrase.text(), panel.running) == ("“도치야”", True)
    assert [take.property("state") for take in panel.takes] == ["now", "waiting", "waiting"]
    shown.page.show_update(LevelMeasured(level_db=-10))
    assert panel.meter.lit > 0
    shown.reports(result=TakeResult.DIFFERENT, text="오늘 날씨")
    assert "오늘 날씨" in panel.status.text()
    shown.reports(heard=("도치야",), result=TakeResult.HEARD, text="도치야")
    assert [take.property("state") for take in panel.takes] == ["heard", "now", "waiting"]
    assert panel.takes[0].accessibleName() == "1번째: 들었어요"
    shown.reports(heard=("도치야",) * 3, stage=EnrolmentStage.DONE, spellings=("또치아",), left_out=("돗자리",))
    assert all(word in panel.status.text() for word in ("도치야", "또치아", "돗자리"))
    assert not panel.meter.isVisibleTo(shown.page)
    panel.back.click()
    assert shown.page.pages.currentIndex() == 0
    assert shown.sent[-1] == ListNames()


@pytest.mark.parametrize(
    ("stage", "word"),
    [
        (EnrolmentStage.FAILED, "1번만"),
        (EnrolmentStage.NO_MICROPHONE, "마이크"),
        (EnrolmentStage.STOPPED, "그만뒀어요"),
    ],
)
def test_an_end_without_a_result_is_explained_and_can_be_repeated(
    shown: Shown, stage: EnrolmentStage, word: str
) -> None:
    shown.page.rows[DOCHI].enrol.click()
    shown.reports(heard=("도치야",), stage=stage)
    assert word in shown.page.enrol.status.text()
    shown.page.enrol.again.click()
    assert shown.sent == [EnrolName(agent=DOCHI)] * 2


def test_closing_the_page_or_stopping_ends_the_enrolment(shown: Shown) -> None:
    shown.page.rows[DOCHI].enrol.click()
    shown.page.enrol.cancel.click()
    assert shown.sent[-1] == StopEnrolment()
    shown.page.leave()
    assert shown.sent[-2:] == [StopEnrolment()] * 2


def test_all_is_reached_with_the_keyboard(shown: Shown) -> None:
    row = shown.page.rows[DOCHI]
    row.field.setFocus()
    QTest.keyClick(row.field, Qt.Key.Key_Tab)
    assert row.enrol.hasFocus(), "the button that has nothing to save is passed over"
    QTest.keyClick(row.enrol, Qt.Key.Key_Space)
    assert shown.sent == [EnrolName(agent=DOCHI)]
    assert shown.page.enrol.cancel.hasFocus()
    QTest.keyClick(shown.page.enrol.cancel, Qt.Key.Key_Space)
    assert shown.sent[-1] == StopEnrolment()


def test_a_voice_is_forgotten(shown: Shown) -> None:
    shown.page.rows[DOCHI].forget.click()
    assert shown.sent == [ForgetEnrolment(agent=DOCHI)]


def test_english_has_every_text(qtbot: QtBot) -> None:
    shown = Shown(qtbot, "en")
    shown.page.rows[DOCHI].enrol.click()
    for stage in EnrolmentStage:
        for result in (None, *TakeResult):
            shown.reports(stage=stage, result=result, text="x", unlike=result is None)
            assert shown.page.enrol.status.text()


def test_the_menu_opens_the_page(window: MainWindow, connection: RecordedConnection) -> None:
    action = window.findChild(QAction, "names")
    assert action is not None
    action.trigger()
    (opened,) = window.findChildren(NamesPage)
    assert ListNames() in connection.sent
    connection.reply(ListNames, NAMES)
    assert list(opened.rows) == [each.agent for each in NAMES]
