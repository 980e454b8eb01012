"""The window of the first run: one step at a time, with where it is, and a way out at any time."""

from collections.abc import Callable
from typing import Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget
from typing_extensions import override

from assistant.core.messages import Role
from assistant.core.service.requests.engine import KeepFirstRun
from assistant.core.service.requests.voice import SessionStatus, ShowStatus
from assistant.core.updates import MessageAdded, Update
from assistant.desktop.chrome.notices import announce
from assistant.desktop.first_run.language_step import LanguageStep
from assistant.desktop.first_run.last_steps import PermissionsStep, TryingStep
from assistant.desktop.first_run.model_step import ModelStep
from assistant.desktop.first_run.name_step import NameStep
from assistant.desktop.first_run.sound_steps import MicrophoneStep, SpeakerStep
from assistant.desktop.first_run.step import Step, VoiceFacts, step_button
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.kit.buttons import repolish
from assistant.desktop.kit.floating import resize_within_screen
from assistant.desktop.kit.plain import PlainLabel

_SIZE: Final = (560, 640)
STEPS: Final[dict[str, Callable[[PageNeeds], Step | NameStep]]] = {
    "language": LanguageStep,
    "microphone": MicrophoneStep,
    "speaker": SpeakerStep,
    "name": NameStep,
    "model": ModelStep,
    "permissions": PermissionsStep,
    "trying": TryingStep,
}
"""The steps in their order, by the name under which the engine keeps where the first run stands."""


class FirstRunWindow(QDialog):
    """Leads through the steps. It blocks nothing: the window below it works meanwhile, and Escape leaves at once.

    Args:
        needs: what its steps are made of.
        at: the name of the first step; an unknown one means the beginning.
        parent: the window.
    """

    asked = Signal(str)
    """The user wants this to be asked."""

    def __init__(self, needs: PageNeeds, at: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._needs, self._texts = needs, needs.texts
        self._ask = needs.ask.within(self)
        self._facts = VoiceFacts()
        self._made: dict[str, Step | NameStep] = {}
        self.shown = ""
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._make_parts()
        self._lay_out()
        self.setMinimumSize(320, 420)
        resize_within_screen(self, *_SIZE)
        self.show_step(at if at in STEPS else next(iter(STEPS)))
        self._ask(ShowStatus(), self._take_status, lambda _: None)

    def _make_parts(self) -> None:
        self.place = PlainLabel()
        self.place.setObjectName("hint")
        self.dots = [PlainLabel("●") for _ in STEPS]
        self.later = step_button(self._texts("desktop.first.later"))
        self.later.setProperty("flat", True)
        self.later.clicked.connect(self.reject)
        self.stack = QStackedWidget()
        self.back = step_button(self._texts("desktop.first.back"))
        self.back.clicked.connect(lambda: self._go(-1))
        self.next = step_button("")
        self.next.setProperty("filled", True)
        self.next.setDefault(True)
        self.next.clicked.connect(lambda: self._go(1))

    def _lay_out(self) -> None:
        head = QHBoxLayout()
        head.setContentsMargins(20, 14, 14, 0)
        head.setSpacing(6)
        for dot in self.dots:
            head.addWidget(dot)
        head.addWidget(self.place, 1)
        head.addWidget(self.later)
        foot = QHBoxLayout()
        foot.setContentsMargins(20, 8, 20, 16)
        foot.addWidget(self.back)
        foot.addStretch(1)
        foot.addWidget(self.next)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addLayout(head)
        layout.addWidget(self.stack, 1)
        layout.addLayout(foot)

    @property
    def step(self) -> Step | NameStep:
        """The step that is shown."""
        return self._made[self.shown]

    def show_step(self, name: str) -> None:
        """Show a step, and keep that the first run stands there."""
        if self.shown:
            self.step.leave()
        if name not in self._made:
            step = self._made[name] = STEPS[name](self._needs)
            step.show_voice(self._facts)
            if isinstance(step, TryingStep):
                step.asked.connect(self._ask_first)
            if isinstance(step, Step):
                step.settled.connect(self._refresh)
            self.stack.addWidget(step)
        self.shown = name
        self.stack.setCurrentWidget(self.step)
        self._refresh()
        self.next.setFocus()
        self._keep(over=False)
        announce(self, self.windowTitle())

    def show_update(self, update: Update) -> None:
        """Show what the engine tells in the steps that were made.

        The last step ends when anything is asked, because this window would stand before the answer.
        """
        asked = isinstance(update, MessageAdded) and update.message.role is Role.USER
        if asked and isinstance(self.step, TryingStep):
            self.accept()
            return
        told = self._facts.take(update)
        for step in list(self._made.values()):
            if told:
                step.show_voice(self._facts)
            step.show_update(update)
        self._refresh()

    def _take_status(self, status: SessionStatus) -> None:
        self.show_update(status.devices)

    def _refresh(self) -> None:
        names = list(STEPS)
        number = names.index(self.shown)
        words = self._texts("desktop.first.place", number=number + 1, all=len(names))
        self.place.setText(words)
        for index, dot in enumerate(self.dots):
            state = "detail" if index > number else "reached"
            dot.setText("○" if index > number else "●")
            if dot.objectName() != state:
                dot.setObjectName(state)
                repolish(dot)
        self.setWindowTitle(f"{self._texts('desktop.action.first_run')} — {self.step.title.text()} ({words})")
        self.back.setVisible(number > 0)
        last = number == len(names) - 1
        key = "finish" if last else "next" if self.step.done else "skip"
        self.next.setText(self._texts(f"desktop.first.{key}"))

    def _go(self, way: int) -> None:
        names = list(STEPS)
        number = names.index(self.shown) + way
        if number < len(names):
            self.show_step(names[number])
        else:
            self.accept()

    def _ask_first(self, words: str) -> None:
        self.accept()
        self.asked.emit(words)

    @override
    def done(self, result: int) -> None:
        """However the user leaves, Sori does not lead through the steps by itself again."""
        self.step.leave()
        self._keep(over=True)
        super().done(result)

    def _keep(self, *, over: bool) -> None:
        # The window tells of a refusal: a full disk is no reason to stop here.
        self._needs.ask(KeepFirstRun(step=self.shown, over=over))
