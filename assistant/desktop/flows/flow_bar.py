"""The bar above the composer while a guided flow goes on: where it stands, what a click answers, leave, end (F-07)."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton

from assistant.core.display.flows import flow_line
from assistant.core.records.flows import FlowShown
from assistant.core.service.requests.guided.flows import EndFlow, LeaveFlow
from assistant.core.texts import Texts
from assistant.core.updates import ConversationOpened, FlowChanged, Update
from assistant.desktop.asking import WindowRequests
from assistant.desktop.kit.buttons import IconButton
from assistant.desktop.kit.elided_label import ElidedLabel
from assistant.desktop.kit.icons import Icons
from assistant.desktop.kit.plain import tip
from assistant.desktop.kit.theme import Theme


class FlowBar(QFrame):
    """Hidden while the shown conversation has no flow.

    Args:
        texts: the user's texts.
        icons: source of the icons.
        theme: colours.
        ask: sends requests to the engine.
    """

    said = Signal(str)
    """The message of a button."""

    def __init__(self, texts: Texts, icons: Icons, theme: Theme, ask: WindowRequests) -> None:
        super().__init__()
        self._texts, self._ask = texts, ask.within(self)
        self._conversation = ""
        self.setObjectName("flow")
        self.setAccessibleName(texts("flow.bar"))
        self.words = ElidedLabel()
        self.later = QPushButton(texts("flow.later"))
        self.later.setProperty("flat", True)
        self.later.setToolTip(tip(texts("flow.later_hint")))
        self.end = IconButton(icons, theme, "close", texts("flow.end"), size=14)
        self.buttons: list[QPushButton] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(12, 4, 8, 4)
        self._row.setSpacing(6)
        self._row.addWidget(self.words, 1)
        self._row.addWidget(self.later)
        self._row.addWidget(self.end)
        self.later.clicked.connect(lambda: self._ask(LeaveFlow(conversation=self._conversation)))
        self.end.clicked.connect(lambda: self._ask(EndFlow(conversation=self._conversation)))
        self.hide()

    def show_update(self, update: Update) -> None:
        """Follow the shown conversation and its flow."""
        match update:
            case ConversationOpened(conversation=conversation):
                self._conversation = conversation
                self._show(None)  # One that it has is told afterwards.
            case FlowChanged(conversation=conversation, flow=flow) if conversation == self._conversation:
                self._show(flow)
            case _:
                pass

    def _show(self, flow: FlowShown | None) -> None:
        for button in self.buttons:
            self._row.removeWidget(button)
            button.deleteLater()
        self.buttons = []
        self.setVisible(flow is not None)
        if flow is None:
            return
        self.words.setText(flow_line(flow))
        self.later.setVisible(not flow.parked)
        for at, each in enumerate(flow.buttons):
            button = QPushButton(each.label.replace("&", "&&"))
            button.setProperty("primary", at == 0)
            button.setCursor(Qt.CursorShape.PointingHandCursor)
            button.clicked.connect(partial(self.said.emit, each.text))
            self._row.insertWidget(1 + at, button)
            self.buttons.append(button)
