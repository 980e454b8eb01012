"""Links a chat: chooses the agent that answers, and shows the code that is sent to the bot."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QLabel

from assistant.core.display.reading import local_time
from assistant.core.records.agents import ListedWorkspace
from assistant.core.service.request import Refusal
from assistant.core.service.requests.agents import ListWorkspaces
from assistant.core.service.requests.telegram.linking import GivenCode, MakeTelegramCode
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.chrome.notices import announce
from assistant.desktop.kit.copyable import paragraph
from assistant.desktop.kit.fields import ChoiceButton
from assistant.desktop.records.card import Card

_CURRENT = ""


class LinkCard(Card):
    """Gives out a code.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        super().__init__(texts("desktop.telegram.link"), texts("desktop.telegram.link_note"))
        self._texts, self._ask = texts, ask
        self._given: GivenCode | None = None
        self.code = QLabel()
        self.code.setObjectName("pageTitle")
        self.code.hide()
        self.hint = paragraph("")
        self.hint.hide()
        self.content.addWidget(self.code)
        self.content.addWidget(self.hint)
        self.agent = ChoiceButton()
        self.agent.rename(texts("desktop.telegram.for_agent"))
        self.agent.chosen.connect(self.agent.show_value)
        self.buttons.addWidget(self.agent)
        self.make = self.add_button(texts("desktop.telegram.make_code"), self._make)
        self.copy = self.add_button(texts("desktop.telegram.copy_code"), self._copy)
        self.open = self.add_button(texts("desktop.telegram.open_bot"), self._open)
        self._show_code(None)
        ask(ListWorkspaces(), self._offer, self._refused)

    def linked(self) -> None:
        """A chat was linked, so the code is used."""
        self._show_code(None)

    def _offer(self, workspaces: tuple[ListedWorkspace, ...]) -> None:
        choices = [
            (str(agent.id), agent.title if len(workspaces) == 1 else f"{agent.title} · {workspace.title}")
            for workspace in workspaces
            for agent in workspace.agents
        ]
        current = next((str(agent.id) for each in workspaces for agent in each.agents if agent.current), _CURRENT)
        self.agent.offer(choices)
        self.agent.show_value(current)
        self.agent.setVisible(len(choices) > 1)

    def _make(self) -> None:
        workspace, _, agent = self.agent.value.partition("/")
        self._ask(MakeTelegramCode(workspace=workspace, agent=agent), self._show_code, self._refused)

    def _show_code(self, given: GivenCode | None) -> None:
        self._given = given
        for each in (self.code, self.hint, self.copy, self.open):
            each.setVisible(given is not None)
        if given is None:
            return
        self.code.setText(given.code)
        self.code.setAccessibleName(" ".join(given.code))
        words = self._texts("desktop.telegram.code_told", bot=given.bot.username, until=local_time(given.until))
        self.hint.setText(words)
        announce(self, f"{given.code}. {words}")

    def _copy(self) -> None:
        if self._given is not None:
            QGuiApplication.clipboard().setText(self._given.code)

    def _open(self) -> None:
        """Open the bot with the code, which Telegram then sends as the first message."""
        if self._given is not None:
            QDesktopServices.openUrl(QUrl(f"https://t.me/{self._given.bot.username}?start={self._given.code}"))

    def _refused(self, refusal: Refusal) -> None:
        self.hint.setText(refusal.words)
        self.hint.show()
