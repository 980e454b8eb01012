"""Notices, while a card is open, that the chosen device is back or that the default device is another one (V-18)."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from assistant.audio.cards.device_changes import Devices, better, cards, look, needs_no_look
from assistant.audio.cards.device_list import Direction
from assistant.audio.cards.device_signal import DeviceSignal
from assistant.audio.cards.devices import DeviceCard
from assistant.core.clock import Clock
from assistant.core.errors import AudioDeviceError
from assistant.core.settings import VoiceSettings
from assistant.tasks import TaskSupervisor

Unusable = dict[Direction, AudioDeviceError]
"""The directions of a card that are not used, with the reasons. A silent microphone is opened for its first sound."""

LOOK_FOR_CHANGES_S = 15.0
"""Seconds between two looks for the chosen device and for another default device. Where the sound server or the system
proves that nothing has changed, nobody looks."""
LOOK_AT_CARDS_S = 1.0
"""Seconds between two looks at the system's list of cards while none is open; reading it costs nothing."""


class DeviceWatch:
    """Looks after each change that the sound server tells of, and regularly where it tells of none.

    Args:
        clock: waits.
        look: lists the devices that are there while a card is open.
        signal: listens to the sound server.
    """

    def __init__(
        self,
        clock: Clock,
        look: Callable[[], Awaitable[Devices | None]] = look,
        signal: DeviceSignal | None = None,
    ) -> None:
        self._look, self._signal = look, signal or DeviceSignal(clock.sleep)
        self._used = ("", "")
        self._before: Devices | None = None
        self._seen: tuple[str, int] | None = None
        """The system's list of cards and the connection to the sound server at the last look."""

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[None]:
        """Listen to the sound server for as long as the context lasts."""
        async with TaskSupervisor() as tasks:
            tasks.start(self._signal.run(), name="signal of devices")
            yield

    async def until_changed(self, limit_s: float) -> bool:
        """Return whether devices have changed while no card is open: at once after a change, else at the limit."""
        before = cards(), self._signal.connection
        left_s = limit_s
        while left_s > 0:
            if await self._signal.wait(min(left_s, LOOK_AT_CARDS_S)) or (cards(), self._signal.connection) != before:
                return True
            left_s -= LOOK_AT_CARDS_S
        return False

    async def until_better(self, card: DeviceCard, chosen: Callable[[], VoiceSettings], unusable: Unusable) -> None:
        """Return when another device than one of the card's should be used."""
        if self._used != (card.microphone, card.speaker):
            self._used, self._before, self._seen = (card.microphone, card.speaker), None, None
        while True:
            changed = await self._signal.wait(LOOK_FOR_CHANGES_S)
            listed, connection = cards(), self._signal.connection
            if changed:
                card.wake_speaker()  # its device may have gone, which a speaker that rests does not notice
            elif self._proved(listed, connection):
                continue
            before, now, self._seen = self._before, await self._look(), None
            if now is None:
                continue
            self._before, self._seen = now, (listed, connection)
            if better_device(card, chosen(), before, now, unusable):
                return

    def _proved(self, listed: str, connection: int) -> bool:
        """Whether nothing can have changed since the last look."""
        if self._seen is None:
            return False
        return needs_no_look(listed, self._seen[0]) or 0 != connection == self._seen[1]


def better_device(
    card: DeviceCard, chosen: VoiceSettings, before: Devices | None, now: Devices, unusable: Unusable
) -> bool:
    """Whether the card should be opened again because of the devices that are there now."""
    microphone = "input" not in unusable and better(
        "input", wanted=chosen.input_device, used=card.microphone, before=before, now=now
    )
    return microphone or (
        "output" not in unusable
        and better("output", wanted=chosen.output_device, used=card.speaker, before=before, now=now)
    )
