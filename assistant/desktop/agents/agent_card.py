"""One agent: whom it is to talk to, and everything about it that can be changed."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from assistant.core.records.agent_details import AgentDetails
from assistant.core.records.agents import DEFAULT_AGENT, ListedAgent
from assistant.core.service.request import Refusal
from assistant.core.service.requests.agents import EditAgent, RemoveAgent, ShowAgent, SwitchAgent
from assistant.core.service.requests.settings import SettingShown
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.trouble_words import TroubleWords
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import ChoiceButton
from assistant.desktop.kit.flow_layout import FlowLayout
from assistant.desktop.settings.control import Control, ControlNeeds
from assistant.desktop.settings.naming_controls import NamedTextControl
from assistant.desktop.settings.plain_controls import TextControl
from assistant.desktop.settings.voice_control import VoicesControl

_TEXT_PX = 96
_RIGHTS = ("safe", "safe,sensitive", "safe,sensitive,restricted")
"""What an agent may use: each with what is less dangerous."""
VOICE, MODEL, NAME = "voice.voice", "llm.strong_model", "voice.wake_word"
"""Settings whose controls an agent's entries have too."""


class AgentCard(QFrame):
    """An agent of a workspace. What the user changes is sent at once; long texts are saved by a button.

    Args:
        needs: what the page is made of.
        ask: sends requests.
        agent: the agent.
        settings: declares the controls, by the names of settings.
    """

    removed = Signal(object)
    """The ``AgentDetails`` of an agent that was removed."""

    def __init__(
        self, needs: PageNeeds, ask: WindowRequests, agent: ListedAgent, settings: Mapping[str, SettingShown]
    ) -> None:
        super().__init__()
        self._texts, self._ask, self._needs, self._settings = needs.texts, ask, needs, settings
        self.agent, self.details = agent, None
        self._sure = False
        self.setObjectName("kept")
        self.title, self.standing, self.trouble = paragraph(""), paragraph(""), TroubleWords()
        self.title.setObjectName("title")
        self.standing.setObjectName("hint")
        self.talk = self._button("talk", self._talk)
        self.change = self._button("change", self._unfold)
        self.remove = self._button("remove", self._remove)
        self.remove.setProperty("flat", True)
        buttons = FlowLayout(8)
        for button in (self.talk, self.change, self.remove):
            buttons.addWidget(button)
        self.editor: AgentEditor | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(14, 10, 14, 10)
        self._column.setSpacing(4)
        for part in (self.title, self.standing, self.trouble):
            self._column.addWidget(part)
        self._column.addLayout(buttons)
        self.show_agent(agent)

    def _button(self, key: str, act: Callable[[], object]) -> QPushButton:
        button = QPushButton(self._texts(f"desktop.agents.{key}"))
        button.setAccessibleName(f"{button.text()}: {self.agent.title}")
        button.clicked.connect(act)
        return button

    def show_agent(self, agent: ListedAgent) -> None:
        """Show the agent as it is now; its entries are asked for again where they are shown."""
        self.agent = agent
        self.title.setText(self._named)
        self.standing.setText(self._texts("desktop.agents.current" if agent.current else "desktop.agents.other"))
        self.talk.setVisible(not agent.current)
        self.setAccessibleName(f"{self._named}. {self.standing.text()}")
        self._name_remove()
        if self.editor is not None:
            self._ask_details()

    @property
    def _named(self) -> str:
        """Its name; Sori's own for the agent that every workspace has, unless the user named it."""
        own = self.agent.title == DEFAULT_AGENT
        return self._texts("desktop.name") if own else self.agent.title

    def _name_remove(self) -> None:
        kind = "reset" if self.agent.id.name == DEFAULT_AGENT else "remove"
        self.remove.setText(self._texts(f"desktop.agents.{kind}{'_sure' if self._sure else ''}"))
        self.remove.setAccessibleName(f"{self.remove.text()}: {self._named}")

    def _ask_details(self) -> None:
        self._ask(ShowAgent(agent=self.agent.id.name, workspace=self.agent.id.workspace), self._show, self._refuse)

    def _unfold(self) -> None:
        if self.editor is None:
            self._ask_details()
        else:
            self.editor.deleteLater()
            self.editor = None
            self.change.setText(self._texts("desktop.agents.change"))

    def _show(self, details: AgentDetails) -> None:
        if self.editor is None:
            self.editor = AgentEditor(self._needs, self._ask, details, self._settings)
            self.editor.edited.connect(self._edit)
            self.editor.told.connect(self._tell)
            self._column.addWidget(self.editor)
            self.change.setText(self._texts("desktop.agents.fold"))
        self.editor.show_details(details)
        self._tell("\n".join(details.problems))

    def _edit(self, request: EditAgent) -> None:
        self._ask(request, self._show, self._refuse)

    def _talk(self) -> None:
        request = SwitchAgent(agent=self.agent.id.name, workspace=self.agent.id.workspace)
        self._ask(request, lambda _: None, self._refuse)

    def _remove(self) -> None:
        """Ask at the first press and remove at the second; it can be undone."""
        if self._sure:
            request = RemoveAgent(agent=self.agent.id.name, workspace=self.agent.id.workspace)
            self._ask(request, self.removed.emit, self._refuse)
        self._sure = not self._sure
        self._name_remove()

    def _refuse(self, refusal: Refusal) -> None:
        self._tell(refusal.words)

    def _tell(self, words: str) -> None:
        self.trouble.tell(words, whose=self._named)


class AgentEditor(QWidget):
    """The entries and texts of an agent.

    Args:
        needs: what the page is made of.
        ask: sends requests.
        details: the agent.
        settings: declares the controls.
    """

    edited = Signal(object)
    """The ``EditAgent`` that the user wants."""
    told = Signal(str)

    def __init__(
        self, needs: PageNeeds, ask: WindowRequests, details: AgentDetails, settings: Mapping[str, SettingShown]
    ) -> None:
        super().__init__()
        self._texts, self._details, self._settings = needs.texts, details, settings
        self._made_of = ControlNeeds(texts=needs.texts, theme=needs.theme, ask=ask)
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 8, 0, 0)
        self._column.setSpacing(6)
        self.controls: dict[str, Control] = {}
        self.words: dict[str, QPlainTextEdit] = {}
        self.save: dict[str, QPushButton] = {}
        self._control("display_name", NAME, TextControl)
        self._text("persona")
        self._text("prompt")
        self._control("wake_phrase", NAME, TextControl)
        learn = QPushButton(self._texts("desktop.agents.learn"))
        learn.setProperty("flat", True)
        learn.clicked.connect(lambda: needs.show("names"))
        self._column.addWidget(learn, 0, Qt.AlignmentFlag.AlignLeft)
        self._control("voice", VOICE, VoicesControl)
        self._control("model", MODEL, NamedTextControl)
        self.rights = ChoiceButton()
        self.rights.rename(self._texts("desktop.agents.rights"))
        self.rights.offer([(each, self._texts(f"desktop.agents.rights_{at}")) for at, each in enumerate(_RIGHTS)])
        self.rights.chosen.connect(lambda value: self._send(entries={"permitted": value.split(",")}))
        self._named("rights", self.rights)

    def _named(self, entry: str, part: QWidget) -> None:
        title = paragraph(self._texts(f"desktop.agents.{entry}"))
        note = paragraph(self._texts(f"desktop.agents.{entry}_note"))
        note.setObjectName("hint")
        self._column.addWidget(title)
        self._column.addWidget(note)
        fills = isinstance(part, QPlainTextEdit | VoicesControl)
        self._column.addWidget(part, 0, Qt.AlignmentFlag(0) if fills else Qt.AlignmentFlag.AlignLeft)

    def _control(self, entry: str, setting: str, kind: type[Control]) -> None:
        if setting not in self._settings:
            return
        control = self.controls[entry] = kind(self._made_of, self._shown(entry, setting))
        control.changed.connect(lambda value: self._send(entries={entry: str(value or "")}))
        control.troubled.connect(self.told)
        self._named(entry, control)

    def _shown(self, entry: str, setting: str) -> SettingShown:
        """The entry in the form of the setting whose control it has."""
        title = self._texts(f"desktop.agents.{entry}")
        return replace(self._settings[setting], title=title, value=self._details.entries[entry], trouble="")

    def _text(self, name: str) -> None:
        words = self.words[name] = QPlainTextEdit(getattr(self._details, name))
        words.setObjectName("code")
        words.setAccessibleName(self._texts(f"desktop.agents.{name}"))
        words.setTabChangesFocus(True)
        words.setFixedHeight(_TEXT_PX)
        save = self.save[name] = QPushButton(self._texts("desktop.agents.save"))
        save.setAccessibleName(f"{save.text()}: {words.accessibleName()}")
        save.clicked.connect(partial(self._save, name))
        words.textChanged.connect(self._show_unsaved)
        self._named(name, words)
        self._column.addWidget(save, 0, Qt.AlignmentFlag.AlignLeft)

    def show_details(self, details: AgentDetails) -> None:
        """Show the agent as it is now. A text that the user is changing stays."""
        former, self._details = self._details, details
        for entry, control in self.controls.items():
            control.show_setting(self._shown(entry, control.setting.name))
        for name, words in self.words.items():
            if words.toPlainText().strip() == getattr(former, name).strip():
                words.setPlainText(getattr(details, name))
        permitted = details.entries["permitted"]
        self.rights.show_value(",".join(each for each in _RIGHTS[-1].split(",") if each in permitted))
        self._show_unsaved()

    def _show_unsaved(self) -> None:
        for name, words in self.words.items():
            self.save[name].setVisible(words.toPlainText().strip() != getattr(self._details, name).strip())

    def _save(self, name: str, *_: bool) -> None:
        self._send(**{name: self.words[name].toPlainText()})

    def _send(self, **change: object) -> None:
        identity = self._details.id
        self.edited.emit(EditAgent(agent=identity.name, workspace=identity.workspace, **change))  # type: ignore[arg-type]
