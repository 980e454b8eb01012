"""The page of the memory: facts, their history, and whether Sori remembers at all."""

from typing_extensions import override

from assistant.core.updates import Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.memory.fact_history import FactHistory
from assistant.desktop.memory.fact_list import FactList
from assistant.desktop.records.records_part import PagePart, PartedPage
from assistant.desktop.settings.setting_rows import SettingRows

_SETTINGS = ("memory.personal", "memory.automatic", "memory.max_size")


class MemoryPage(PartedPage):
    """What Sori remembers."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "memory", {"facts": FactList, "history": FactHistory, "remembering": RememberingPart})


class RememberingPart(PagePart):
    """Turns remembering on and off."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "remembering")
        self.settings = SettingRows(needs, _SETTINGS)
        self.column.addWidget(self.settings)
        self.column.addStretch(1)

    @override
    def show_update(self, update: Update) -> None:
        self.settings.show_update(update)
