from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from assistant.core.display.remedies import PAGE_OF
from assistant.core.records.memory import MemoryChange, Scope
from assistant.core.service.requests.memory import UndoMemory
from assistant.core.service.requests.models import FetchModel
from assistant.core.texts import Texts
from assistant.core.updates import MemoryChanged, NoticePosted, Severity
from assistant.desktop.chrome.notices import Notice, NoticeBar
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
from assistant.desktop.pages import page_names
from tests.fakes.front.connection import RecordedConnection


def test_only_a_notice_about_a_change_has_a_button_that_undoes_it(
    qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme
) -> None:
    bar = NoticeBar(texts, icons, theme)
    qtbot.addWidget(bar)
    undone: list[str] = []
    bar.undo_wanted.connect(undone.append)
    bar.post("plain", Severity.INFO)
    bar.post("changed", Severity.INFO, undo="change-1")
    plain, changed = bar.findChildren(Notice)
    assert (plain.undo.isHidden(), changed.undo.isHidden()) == (True, False)
    changed.undo.click()
    assert undone == ["change-1"]
    assert bar.messages == ("plain",)


def test_technical_text_is_shown_on_request_and_a_model_can_be_fetched_again(
    window: MainWindow, connection: RecordedConnection
) -> None:
    window.notices.post("plain", Severity.INFO)
    window.show_update(
        NoticePosted(key="notice.fetch.language_offline", about="fetch language", detail="urllib3 says", fetch="mind")
    )
    plain, failed = window.notices.findChildren(Notice)
    assert plain.details.isHidden()
    assert plain.fetch.isHidden()
    assert "urllib3" not in failed.message
    assert failed.detail.isHidden()
    failed.details.click()
    assert (failed.detail.text(), failed.detail.isHidden()) == ("urllib3 says", False)
    failed.fetch.click()
    assert FetchModel(model="mind") in connection.sent
    window.show_update(NoticePosted(key="notice.fetch.language_resumed", about="fetch language"))
    assert window.notices.messages == ("plain", "Connected again; the language model is arriving.")


def test_a_remembered_fact_is_shown_and_can_be_undone(window: MainWindow, connection: RecordedConnection) -> None:
    change = MemoryChange(id="change-1", scope=Scope.WORKSPACE, text="we ship on Friday")
    window.show_update(MemoryChanged(change=change))
    assert window.notices.messages == ("Noted in the memory of this workspace: we ship on Friday",)
    window.notices.findChildren(Notice)[0].undo.click()
    assert UndoMemory(change="change-1") in connection.sent
    replaced = MemoryChange(id="change-2", scope=Scope.PERSONAL, text="two cats", former="one cat")
    window.show_update(MemoryChanged(change=replaced))
    assert "Memory changed: one cat → two cats" in window.notices.messages


def test_what_cannot_be_undone_any_more_is_not_offered(window: MainWindow) -> None:
    """A fact that was forgotten or replaced since takes its notice along; notices of other facts stay."""

    def told(name: str, text: str, **more: Any) -> None:
        change = MemoryChange(id=name, scope=Scope.PERSONAL, text=text, **more)
        window.show_update(MemoryChanged(change=change))

    told("1", "I like tea")
    told("2", "one cat")
    told("3", "I like tea", removed=True)
    told("4", "two cats", former="one cat")
    assert len(window.notices.messages) == 2
    assert "Memory changed: one cat → two cats" in window.notices.messages
    told("5", "I like tea")
    assert len(window.notices.messages) == 2, "and it is the newest notice of a fact that stays"


@pytest.fixture
def bar(qtbot: QtBot, texts: Texts, icons: Icons, theme: Theme) -> NoticeBar:
    bar = NoticeBar(texts, icons, theme)
    qtbot.addWidget(bar)
    bar.resize(480, 60)
    return bar


def seen(bar: NoticeBar) -> list[str]:
    return [each.message for each in bar.findChildren(Notice) if each.isVisible()]


def test_one_notice_is_shown_at_a_time_the_most_important_first_then_the_newest(bar: NoticeBar) -> None:
    shown = []
    for words, severity in (
        ("info 1", Severity.INFO),
        ("warning 1", Severity.WARNING),
        ("info 2", Severity.INFO),
        ("error 1", Severity.ERROR),
        ("warning 2", Severity.WARNING),
    ):
        bar.post(words, severity)
        shown.append(seen(bar))
    assert shown == [["info 1"], ["warning 1"], ["warning 1"], ["error 1"], ["error 1"]]
    left = []
    while bar.shown is not None:
        left.append((bar.shown.message, bar.shown.waiting.text() if bar.shown.waiting.isVisible() else ""))
        bar.shown.dismiss.click()
    assert left == [("error 1", "+4"), ("warning 2", "+3"), ("warning 1", "+2"), ("info 2", "+1"), ("info 1", "")]
    assert not bar.isVisible()


@pytest.mark.parametrize(
    ("posted", "solved", "left"),
    [
        (["fetch"], "fetch", []),
        (["fetch", ""], "fetch", [""]),
        (["", ""], "fetch", ["", ""]),
        (["input", "models", "engine"], "models", ["input", "engine"]),
        (["input", "input"], "input", []),
    ],
)
def test_a_notice_goes_when_what_it_told_of_is_solved(
    bar: NoticeBar, posted: list[str], solved: str, left: list[str]
) -> None:
    for number, about in enumerate(posted):
        bar.post(f"{number} {about}", Severity.WARNING, about=about)
    bar.settle(solved)
    assert [message.partition(" ")[2] for message in bar.messages] == left


@pytest.mark.parametrize("width", [320, 480, 760, 1600])
@pytest.mark.parametrize(
    "words",
    [
        "짧은 알림이에요.",
        "아주 긴 알림이 와도 창 안에서 줄이 바뀌어야 해요. " * 8,
        "A notice of very many words that goes on and on. " * 8,
        "줄\n바꿈이\n여러\n개\n있는\n알림",
        "x" * 600,
    ],
)
def test_a_notice_takes_two_lines_and_its_rest_is_shown_on_request(bar: NoticeBar, words: str, width: int) -> None:
    bar.resize(width, 80)
    bar.post(words, Severity.WARNING)
    notice = bar.shown
    assert notice is not None
    notice.resize(width - 24, 80)
    line = notice.words.fontMetrics().lineSpacing()
    short = notice.words.heightForWidth(notice.words.width())
    assert short <= 2 * line + 4
    assert notice.words.cut is not notice.details.isHidden()
    if notice.words.cut:
        notice.details.click()
        assert notice.words.text() == words
        assert notice.accessibleName() == words


def test_what_was_refused_is_no_longer_told_when_a_message_is_sent(window: MainWindow) -> None:
    window.composer.refused.emit("That file is too large.")
    before = window.notices.messages
    window.composer.put("Hello")
    window.composer.submit()
    assert (before, window.notices.messages) == (("That file is too large.",), ())


@pytest.mark.parametrize("notice", ["mcp_unapproved", "mcp_stopped", "mcp_tools_changed"])
def test_a_notice_offers_a_page_in_place_of_a_command_for_a_terminal(
    texts: Texts, icons: Icons, theme: Theme, qtbot: QtBot, notice: str
) -> None:
    bar = NoticeBar(texts, icons, theme)
    qtbot.addWidget(bar)
    wanted: list[str] = []
    bar.page_wanted.connect(wanted.append)
    bar.post(texts(f"notice.{notice}", name="echo", reason="it has ended", tools="say"), Severity.WARNING)
    shown = bar.shown
    assert shown is not None
    assert "sori" not in shown.message
    assert "echo" in shown.message
    assert shown.page.isVisibleTo(shown)
    shown.page.click()
    assert wanted == ["tools"]
    assert set(PAGE_OF.values()) <= page_names()
    bar.post("Saved.", Severity.ERROR)
    assert bar.shown is not None
    assert not bar.shown.page.isVisibleTo(bar.shown)
