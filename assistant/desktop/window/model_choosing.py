"""Lets the user choose the model of the shown conversation."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint

from assistant.core.errors import ErrorCode
from assistant.core.service.request import Refusal
from assistant.core.service.requests.models import ChooseModel, FetchModel, ListModels, OfferedModels, UnlistedModels
from assistant.core.updates import Severity
from assistant.desktop.asking import WindowRequests
from assistant.desktop.update_view import UpdateView
from assistant.desktop.window_parts import WindowParts

_MODELS = "list of models"
"""What notices of the list are about. They go when all models are listed."""


class ModelChoosing(QObject):
    """Opens the picker, and tells the engine what was chosen in it.

    Args:
        parts: the parts of the window.
        ask: sends requests to the engine.
        view: what is shown.
        show_key: shows where the key of a provider is entered.
    """

    def __init__(
        self,
        parts: WindowParts,
        ask: WindowRequests,
        view: UpdateView,
        show_key: Callable[[str], None],
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._parts, self._ask, self._view, self._show_key = parts, ask, view, show_key
        for wanted in (
            parts.composer.file_warning.model_wanted,
            parts.conversation.model_wanted,
            parts.menu.model_wanted,
            parts.model.clicked,
        ):
            wanted.connect(lambda: self.show())
        parts.models.chosen.connect(self._choose)
        parts.models.trouble_chosen.connect(self._tell_of_unlisted)
        parts.notices.fetch_wanted.connect(lambda model: ask(FetchModel(model=model)))

    def show(self) -> None:
        """Let the user choose from the models that are known, and from those that are found meanwhile."""
        picker, button = self._parts.models, self._parts.model
        picker.show_searching(searching=True)
        self._ask(ListModels(conversation=self._view.conversation), self._show_offered, self._search_failed)
        picker.open_above(button.mapToGlobal(QPoint(button.width(), 0)))

    def use(self, reference: str) -> None:
        """Use a model in the shown conversation."""
        self._view.when_shown(lambda shown: self._ask(ChooseModel(conversation=shown, model=reference)))

    def _choose(self, reference: str) -> None:
        self.use(reference)
        self._parts.composer.input.setFocus()

    def _show_offered(self, offered: OfferedModels) -> None:
        picker = self._parts.models
        picker.show_models(offered.models)
        picker.show_chosen(offered.chosen)
        picker.show_unlisted(offered.unlisted)
        if not offered.unlisted:
            self._parts.notices.settle(_MODELS)
        picker.show_searching(searching=False)

    def _tell_of_unlisted(self, unlisted: UnlistedModels) -> None:
        """Tell what to do about models that could not be listed; a key can be entered at once."""
        if unlisted.code == ErrorCode.AUTHENTICATION:
            self._show_key(unlisted.provider)
        self._parts.notices.post(unlisted.message, Severity.WARNING, about=_MODELS)

    def _search_failed(self, refusal: Refusal) -> None:
        self._parts.models.show_searching(searching=False)
        self._parts.notices.post(refusal.message, Severity.WARNING, about=_MODELS)
