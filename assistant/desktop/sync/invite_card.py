"""Lets another computer join: a code that works once, as a QR code and as a text to copy."""

from typing_extensions import override

from assistant.core.display.reading import local_time
from assistant.core.service.requests.sync.keys import InvitedDevice, InviteDevice
from assistant.core.texts import Texts
from assistant.desktop.asking import WindowRequests
from assistant.desktop.records.code_card import CodeCard


class InviteCard(CodeCard):
    """Gives out a code.

    Args:
        texts: the user's texts.
        ask: sends requests.
    """

    def __init__(self, texts: Texts, ask: WindowRequests) -> None:
        self._texts, self._ask = texts, ask
        super().__init__(
            texts("desktop.sync.invite"),
            texts("desktop.sync.invite_note"),
            name=texts("desktop.sync.code_name"),
            make=texts("desktop.sync.make_code"),
            copy=texts("desktop.sync.copy_code"),
        )

    @override
    def ask_code(self) -> None:
        self._ask(InviteDevice(), self._show, self.refused)

    def _show(self, given: InvitedDevice) -> None:
        use = self._texts("desktop.sync.use_code", until=local_time(given.until))
        self.give(given.code, "\n".join(filter(None, (use, given.note))))
