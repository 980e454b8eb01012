"""No text of the window is read as HTML, wherever it comes from."""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, Message, Role, ToolUse
from assistant.core.packets import Status
from assistant.core.records.agents import AgentShown
from assistant.core.records.conversations import ConversationEntry
from assistant.core.updates import ConversationOpened, ModelChosen, PacketEmitted, Severity
from assistant.desktop.kit.plain import PlainLabel, noticed, tip
from assistant.desktop.main_window import MainWindow
from assistant.host.places import PROJECT
from tests.fakes.hostile import HOSTILE, HTML

DESKTOP = PROJECT / "assistant" / "desktop"
_NOT_PLAIN = re.compile(r"(?<![\w.])QLabel\((?!\))\S*|\bsetToolTip\((?!tip\()\S*")
EVIL = '<img src="/etc/passwd"><b>x</b>'


@pytest.mark.parametrize("text", HTML)
def test_a_label_and_a_tooltip_show_html_as_it_is_written(qapp: object, text: str) -> None:
    label = PlainLabel(text)
    assert (label.textFormat(), label.text()) == (Qt.TextFormat.PlainText, text)
    shown = tip(text)
    assert "<img" not in shown


@pytest.mark.parametrize("text", ["plain", "2 > 1", "가 & 나", "", "여러\n줄"])
def test_a_plain_tooltip_stays_as_it_is(qapp: object, text: str) -> None:
    assert tip(text) == text


@pytest.mark.parametrize("text", HOSTILE[:120])
def test_a_notification_has_neither_markup_nor_what_cannot_be_seen(text: str) -> None:
    shown = noticed(text)
    assert not {"<", ">", "\x1b", "\x00", "\u202e", "\u200b"} & {*shown}


def test_all_labels_and_tooltips_are_plain() -> None:
    """A label of Qt's own would guess. So there is one kind of label, and one way to give a tooltip."""
    found = [
        f"{path.name}: {each}"
        for path in DESKTOP.rglob("*.py")
        if path.name not in {"plain.py", "tray.py"}  # The tray's tooltip is the desktop's.
        for each in _NOT_PLAIN.findall(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def hostile_widgets(window: QWidget) -> list[str]:
    """Widgets whose words Qt would read as HTML."""
    labels = [each for each in window.findChildren(QLabel) if each.textFormat() is not Qt.TextFormat.PlainText]
    tips = [each for each in window.findChildren(QWidget) if "<img" in each.toolTip()]
    return [f"{each.objectName()} {each.text()}" for each in labels] + [each.toolTip() for each in tips]


def test_hostile_names_titles_results_and_reasons_are_words_in_the_window(window: MainWindow) -> None:
    use = ToolUse(id="1", name=EVIL, arguments={EVIL: EVIL})
    file = Attachment(mime_type="text/plain", name=f"{EVIL}.txt", data=b"x")
    messages = (
        Message(role=Role.USER, text=EVIL, id="q", attachments=(file,)),
        Message(role=Role.ASSISTANT, text=EVIL, id="a", tool_uses=(use,), model=EVIL, provider=EVIL, reasoning=EVIL),
        Message(role=Role.TOOL, text=EVIL, tool_use_id="1", id="t", attachments=(file,)),
        Message(role=Role.ASSISTANT, text="", id="f", error="server", error_text=EVIL),
    )
    agent = AgentShown(name=EVIL, workspace=EVIL)
    window.resize(360, 600)
    window.show_update(ConversationOpened(conversation="a", messages=messages, title=EVIL, agent=agent))
    window.show_update(ModelChosen(provider=EVIL, model=EVIL, placeholder=False))
    window.notices.post(EVIL, Severity.WARNING)
    window.show_update(
        PacketEmitted(conversation="a", turn=TurnId("t"), packet=Status(turn_index=0, status="x", detail=EVIL))
    )
    window.drawer.unfold()
    window.side.show_listed("", (ConversationEntry(id="a", title=EVIL, updated_at="2026-01-01T00:00:00+00:00"),))
    window.grab()
    assert hostile_widgets(window) == []
    index = window.side.model.index_of("a")
    assert "<img" not in window.side.model.data(index, Qt.ItemDataRole.ToolTipRole)
