"""What a setting can name on this computer: voices, models, devices."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from assistant.agent.model_choice import EMBEDDED
from assistant.audio.cards.device_changes import Devices, look
from assistant.audio.cards.device_list import Direction
from assistant.core.display.words import wake_name
from assistant.core.live_settings import LiveSettings
from assistant.core.service.requests.settings import SettingOption
from assistant.core.setting_declaration import Refers
from assistant.core.texts import Texts
from assistant.core.updates import ModelOffer
from assistant.host.setting_checks.choices import known_values
from assistant.speech.tts.registry import synthesizers

Options = tuple[SettingOption, ...]


class SettingOptions:
    """Lists what settings can name.

    Args:
        home: the user's folder.
        live: the settings.
        texts: the user's words.
        models: searches the language models. Servers are asked, so it is called for a setting that names a model only.
        devices: lists the sound devices.
    """

    def __init__(
        self,
        home: Path,
        live: LiveSettings,
        texts: Texts,
        models: Callable[[], Awaitable[tuple[ModelOffer, ...]]],
        devices: Callable[[], Awaitable[Devices | None]] = look,
    ) -> None:
        self._home, self._live, self._texts = home, live, texts
        self._models, self._devices = models, devices

    async def of(self, refers: Refers | None) -> Options:
        """The options of settings that name such a thing; empty where any text is possible."""
        match refers:
            case Refers.MODEL:
                return _offered(await self._models())
            case Refers.PROVIDER:
                names = dict.fromkeys([*(each.name for each in self._live.current.providers), EMBEDDED.name])
                return tuple(SettingOption(value=name, title=name) for name in names)
            case Refers.MICROPHONE:
                return await self._present("input")
            case Refers.SPEAKER:
                return await self._present("output")
            case Refers.VOICE:
                return await asyncio.to_thread(_voices)
            case None:
                return ()
            case _:
                names = dict.fromkeys(sorted(await asyncio.to_thread(known_values, refers, self._home)))
                return tuple(SettingOption(value=name, title=self._title(refers, name)) for name in names)

    def _title(self, refers: Refers, name: str) -> str:
        if refers is Refers.WAKE_WORD:
            return wake_name(name)
        key = f"setting_choice.{refers}.{name}"
        return self._texts(key) if key in self._texts else name

    async def _present(self, direction: Direction) -> Options:
        devices = await self._devices()
        names = () if devices is None else sorted(devices[direction].names)
        return tuple(SettingOption(value=name, title=name) for name in names)


def _offered(models: tuple[ModelOffer, ...]) -> Options:
    return tuple(
        SettingOption(value=each.reference, title=each.model, note=each.provider) for each in models if each.reference
    )


def _voices() -> Options:
    engines = sorted(synthesizers().engines.values(), key=lambda each: (not each.neural, each.rank, each.id))
    return tuple(
        SettingOption(value=voice.name, title=voice.name, note=engine.id, language=voice.language)
        for engine in engines
        for voice in engine.voices
    )
