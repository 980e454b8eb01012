"""The page of devices: this computer, its microphone and speaker, and their test (V-18)."""

from typing_extensions import override

from assistant.core.service.requests.engine import ProgramShown, ShowProgram
from assistant.core.updates import Update
from assistant.desktop.frame.page import PageNeeds
from assistant.desktop.privacy.what_is_on import StandingRow
from assistant.desktop.records.records_part import PagePart, PartedPage
from assistant.desktop.settings.control import ControlNeeds
from assistant.desktop.settings.setting_rows import SettingRows
from assistant.desktop.settings.sound_panel import SoundPanel

_SETTINGS = ("voice.input_device", "voice.output_device")


class Devices(PagePart):
    """This computer and its sound devices."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "devices")
        self.computer = StandingRow(self.texts("desktop.devices.computer"))
        self.computer.show_standing(self.texts("desktop.records.reading"))
        self.column.addWidget(self.computer)
        self.settings = SettingRows(needs, _SETTINGS)
        self.column.addWidget(self.settings)
        self.sound = SoundPanel(ControlNeeds(texts=self.texts, theme=self.theme, ask=self.ask))
        self.column.addWidget(self.sound)
        self.column.addStretch(1)
        self.ask(ShowProgram(), self._show, self.refuse)

    @override
    def show_update(self, update: Update) -> None:
        self.settings.show_update(update)
        self.sound.show_update(update)

    def _show(self, program: ProgramShown) -> None:
        key = "desktop.devices.named" if program.device_id else "desktop.devices.unnamed"
        words = self.texts(key, name=program.device, id=_breakable(program.device_id), system=program.system)
        self.computer.show_standing(words)


def _breakable(identity: str) -> str:
    """A long id that may go on in the next line."""
    half = len(identity) // 2
    return f"{identity[:half]}\u200b{identity[half:]}"


class DevicesPage(PartedPage):
    """The page of devices."""

    def __init__(self, needs: PageNeeds) -> None:
        super().__init__(needs, "devices", {"devices": Devices})
