"""Agents and workspaces are made, chosen, told what to do, removed and brought back: the real owner and real files."""

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QPlainTextEdit
from pytestqt.qtbot import QtBot

from assistant.core.errors import ErrorCode
from assistant.core.permissions import Category
from assistant.core.records.agent_details import AgentDetails
from assistant.core.records.agents import AgentId, ListedAgent, ListedWorkspace
from assistant.core.service.request import Refusal
from assistant.core.service.requests import agents as rq
from assistant.core.service.requests.settings import ListOptions, ListSettings
from assistant.core.service.requests.voice import TryVoice
from assistant.core.updates import NamesChanged
from assistant.desktop.agents.agent_card import AgentCard, AgentEditor
from assistant.desktop.agents.agents_page import AgentsPage
from assistant.desktop.settings.plain_controls import TextControl
from assistant.desktop.settings.voice_control import VoicesControl
from assistant.host.texts import load_texts
from tests.fakes.front.page_needs import page_needs
from tests.fakes.front.settings_engine import SettingsEngine

COACH = AgentId(name="코치")
HOME = ListedWorkspace(
    name="default",
    title="default",
    current=True,
    agents=(ListedAgent(id=AgentId(), title="sori", current=True), ListedAgent(id=COACH, title="코치", current=False)),
)
OTHER = ListedWorkspace(
    name="집",
    title="우리 집",
    current=False,
    agents=(ListedAgent(id=AgentId(workspace="집"), title="sori", current=False),),
    problems=("workspace.toml, line 2: not TOML",),
)
ENTRIES: dict[str, Any] = {
    "display_name": "코치",
    "permitted": ("safe",),
    "wake_phrase": "코치야",
    "voice": "",
    "model": "",
    "tools": ("*",),
}
DETAILS = AgentDetails(
    id=COACH, title="코치", current=False, folder="/agents/코치", entries=ENTRIES, persona="달린다.", prompt="짧게."
)


class Opened:
    """The page, with the settings of the real declaration."""

    def __init__(self, qtbot: QtBot, folder: Path, language: str) -> None:
        config = folder / "config.toml"
        config.write_text(f'language = "{language}"\n', encoding="utf-8")
        self.engine = SettingsEngine(config, load_texts(language))
        self.connection = self.engine.connection
        answer = self.connection.answers
        known = ListSettings | ListOptions | TryVoice
        self.connection.answers = lambda request: answer(request) if isinstance(request, known) else None
        self.shown: list[str] = []
        needs = page_needs(self.connection, language, show=lambda name, at="": self.shown.append(name))
        self.page = AgentsPage(needs)
        qtbot.addWidget(self.page)
        self.page.resize(860, 700)
        self.page.show()
        self.connection.reply(rq.ListWorkspaces, (HOME, OTHER))

    @property
    def sent(self) -> list[Any]:
        return [each for each in self.connection.sent if not isinstance(each, ListOptions | ListSettings)]

    def card(self, agent: AgentId = COACH) -> AgentCard:
        return self.page.groups[agent.workspace].cards[agent]

    def editor(self) -> AgentEditor:
        card = self.card()
        card.change.click()
        self.connection.reply(rq.ShowAgent, DETAILS)
        assert card.editor is not None
        return card.editor


@pytest.fixture
def opened(qtbot: QtBot, tmp_path: Path) -> Opened:
    return Opened(qtbot, tmp_path, "ko")


def test_each_workspace_tells_what_it_sees_and_what_is_wrong_with_it(opened: Opened) -> None:
    groups = opened.page.groups
    assert list(groups) == ["default", "집"]
    assert groups["default"].sees.text() != groups["집"].sees.text()
    assert groups["집"].problems.text() == "workspace.toml, line 2: not TOML"
    assert groups["default"].remove.isHidden(), "the default workspace stays"


def test_an_agent_is_chosen_and_the_current_one_says_so(opened: Opened) -> None:
    assert opened.card(AgentId()).talk.isHidden()
    QTest.keyClick(opened.card().talk, Qt.Key.Key_Space)
    assert opened.sent[-1] == rq.SwitchAgent(agent="코치", workspace="default")


def test_agents_and_workspaces_are_made_by_keys(opened: Opened) -> None:
    group = opened.page.groups["집"]
    group.add.field.setText("요리사")
    QTest.keyClick(group.add.field, Qt.Key.Key_Return)
    assert opened.sent[-1] == rq.AddAgent(agent="요리사", workspace="집")
    taken = Refusal(code=ErrorCode.INVALID_REQUEST, reason="name_taken", message="This name is taken.")
    opened.connection.reply(rq.AddAgent, taken)
    assert opened.page.trouble.text() == "This name is taken."
    assert group.add.field.text() == "요리사", "it can be corrected"
    opened.page.add.field.setText("일")
    opened.page.add.button.click()
    assert opened.sent[-1] == rq.AddWorkspace(name="일")


def test_a_workspace_is_renamed(opened: Opened) -> None:
    group = opened.page.groups["집"]
    group.renaming.click()
    assert not group.rename.button.isEnabled(), "it is called so already"
    group.rename.field.setText("우리 별장")
    group.rename.button.click()
    assert opened.sent[-1] == rq.RenameWorkspace(name="집", title="우리 별장")


def test_what_is_removed_can_be_brought_back(opened: Opened) -> None:
    card = opened.card()
    card.remove.click()
    assert not any(isinstance(each, rq.RemoveAgent) for each in opened.sent), "the first press asks"
    card.remove.click()
    assert opened.sent[-1] == rq.RemoveAgent(agent="코치", workspace="default")
    opened.connection.reply(rq.RemoveAgent, DETAILS)
    opened.connection.reply(rq.ListWorkspaces, (OTHER,))
    assert list(opened.page.groups) == ["집"]
    assert "코치" in opened.page.undo.words.text()
    opened.page.undo.button.click()
    assert opened.sent[-1] == rq.RestoreRemoved(folder="/agents/코치")


def test_every_entry_is_changed_where_it_is_shown(opened: Opened) -> None:
    editor = opened.editor()
    assert list(editor.controls) == ["display_name", "wake_phrase", "voice", "model"]
    for entry, words in (("display_name", "감독"), ("wake_phrase", "감독님"), ("model", "mine/big")):
        control = editor.controls[entry]
        assert isinstance(control, TextControl)
        control.field.setText(words)
        QTest.keyClick(control.field, Qt.Key.Key_Return)
        assert opened.sent[-1] == rq.EditAgent(agent="코치", workspace="default", entries={entry: words})
    editor.rights.choose("safe,sensitive")
    wanted = {"permitted": [Category.SAFE.value, Category.SENSITIVE.value]}
    assert opened.sent[-1] == rq.EditAgent(agent="코치", workspace="default", entries=wanted)


@pytest.mark.parametrize("name", ["persona", "prompt"])
def test_a_text_is_saved_by_a_button_and_not_lost_meanwhile(opened: Opened, name: str) -> None:
    editor = opened.editor()
    words, save = editor.words[name], editor.save[name]
    assert save.isHidden()
    words.setPlainText("늘 존댓말로.")
    assert not save.isHidden()
    opened.page.show_update(NamesChanged())
    opened.connection.reply(rq.ListWorkspaces, (HOME, OTHER))
    opened.connection.reply(rq.ShowAgent, DETAILS)
    assert words.toPlainText() == "늘 존댓말로.", "what is being written stays"
    save.click()
    assert getattr(opened.sent[-1], name) == "늘 존댓말로."
    assert isinstance(opened.sent[-1], rq.EditAgent)


def test_a_voice_is_heard_before_it_is_chosen(opened: Opened) -> None:
    control = opened.editor().controls["voice"]
    assert isinstance(control, VoicesControl)
    voice = control.voices["ko"].values[1]
    control.voices["ko"].choose(voice)
    assert opened.sent[-1] == TryVoice(voice=voice, language="ko")
    control.use["ko"].click()
    assert opened.sent[-1:] == [rq.EditAgent(agent="코치", workspace="default", entries={"voice": voice})]


def test_a_refused_value_and_a_broken_file_are_told_at_the_agent(opened: Opened) -> None:
    editor = opened.editor()
    editor.rights.choose("safe,sensitive")
    refused = Refusal(code=ErrorCode.INVALID_REQUEST, reason="agent_value", message="That is not possible.")
    opened.connection.reply(rq.EditAgent, refused)
    assert opened.card().trouble.text() == "That is not possible."


def test_the_search_finds_agents_and_workspaces(opened: Opened) -> None:
    for query, found in (
        ("코치", ["default"]),
        ("우리", ["집"]),
        ("ㅋㅊ", ["default"]),
        ("nobody", []),
        ("", ["default", "집"]),
    ):
        opened.page.search(query)
        assert [name for name, group in opened.page.groups.items() if not group.isHidden()] == found, query


def test_everything_has_a_name_and_is_reached_by_keys(opened: Opened) -> None:
    opened.editor()
    for kind in (QAbstractButton, QLineEdit, QPlainTextEdit):
        for part in opened.page.findChildren(kind):
            if part.isVisibleTo(opened.page) and not isinstance(part.parentWidget(), QLineEdit):
                assert part.accessibleName() or part.property("text"), part
                assert part.focusPolicy() & Qt.FocusPolicy.TabFocus, part.accessibleName()


@pytest.mark.parametrize("language", ["ko", "en"])
def test_nothing_is_cut_off(qtbot: QtBot, tmp_path: Path, language: str) -> None:
    opened = Opened(qtbot, tmp_path, language)
    opened.editor()
    for width in (480, 860):
        opened.page.resize(width, 700)
        qtbot.wait(1)
        content = opened.page.area.widget()
        assert content is not None
        assert content.minimumSizeHint().width() <= opened.page.area.viewport().width()
