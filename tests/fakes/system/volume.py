"""A volume control in memory."""


class FakeVolume:
    """Implements ``VolumeControl``."""

    def __init__(self) -> None:
        self.percent = 40
        self.muted = False

    async def level(self) -> int:
        return self.percent

    async def set_level(self, percent: int) -> None:
        self.percent = percent

    async def set_muted(self, muted: bool) -> None:
        self.muted = muted
