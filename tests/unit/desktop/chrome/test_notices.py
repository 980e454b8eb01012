from pytestqt.qtbot import QtBot

from assistant.core.records.memory import MemoryChange, Scope
from assistant.core.service.requests.memory import UndoMemory
from assistant.core.service.requests.models import FetchModel
from assistant.core.texts import Texts
from assistant.core.updates import MemoryChanged, NoticePosted, Severity
from assistant.desktop.chrome.notices import Notice, NoticeBar
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.theme import Theme
from assistant.desktop.main_window import MainWindow
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
