"""``sori audio-check``: lists the sound devices, measures microphone and speaker, and recommends settings (V-18)."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from assistant.audio.cards.device_list import Device, Direction, choose, list_devices
from assistant.audio.cards.devices import DeviceCard
from assistant.audio.checking.advice import Advice, advice_on
from assistant.audio.checking.measuring import AFTERWARDS_S, SOUND_S, Measurement, make_sound, measure
from assistant.audio.playback import Playback
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.errors import AudioDeviceError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.host.settings_edit import change_settings

NEVER_S = 3_600.0
"""The command judges silence itself, after the test sound."""
SHOW_EVERY = 5
"""Levels for one line of the meter."""
_BAR_FROM_DB, _BAR_STEP_DB = -72.0, 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """What to do.

    Attributes:
        seconds: time for the user to speak.
        apply: whether recommended settings are written.
        as_json: whether the result is printed as JSON.
    """

    seconds: float
    apply: bool
    as_json: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of the check.

    Attributes:
        devices: all devices; empty when they cannot be listed.
        microphone: name of the microphone in use; empty when there is none.
        speaker: name of the speaker in use; empty when there is none.
        faults: why there is no microphone or speaker, or why one of them failed.
        measured: what was measured; ``None`` without a microphone.
        advice: what should be changed.
    """

    devices: Sequence[Device]
    microphone: str
    speaker: str
    faults: Sequence[AudioDeviceError]
    measured: Measurement | None
    advice: Sequence[Advice]

    @property
    def good(self) -> bool:
        """Whether microphone and speaker work."""
        return not self.faults and not any(each.fault for each in self.advice)


def run(config: Path, settings: Settings, texts: Texts, options: CheckOptions) -> int:
    """Check the sound; returns 1 when microphone or speaker do not work, else 0.

    Raises:
        SettingsError: the recommended settings do not fit the file.
        StorageError: the settings cannot be written.
    """
    say: Callable[[str], None] = (lambda _line: None) if options.as_json else print
    checked = asyncio.run(check(settings, texts, options, say))
    if options.as_json:
        print(json.dumps(_as_data(checked, texts), ensure_ascii=False, indent=1))
    else:
        _print_result(checked, config, texts, options)
    if options.apply:
        apply(config, checked.advice)
    return 0 if checked.good else 1


async def check(settings: Settings, texts: Texts, options: CheckOptions, say: Callable[[str], None]) -> Checked:
    """List the devices and measure those that the settings choose."""
    voice = settings.voice
    try:
        devices = list_devices()
    except AudioDeviceError as error:
        return Checked(devices=(), microphone="", speaker="", faults=[error], measured=None, advice=())
    _say_devices(devices, say, texts)
    playback = Playback()
    card = DeviceCard(playback, input_device=voice.input_device, output_device=voice.output_device, silent_s=NEVER_S)
    faults: list[AudioDeviceError] = []
    measured: Measurement | None = None
    microphone = speaker = ""
    try:
        await card.open()
        microphone, speaker = card.microphone, card.speaker
        say(texts("audio_check.in_use", microphone=microphone or "-", speaker=speaker or "-"))
        faults = [error for error in (card.microphone_error, card.speaker_error) if error is not None]
        if microphone:
            measured = await _measured(card, playback, texts, options, say)
        else:
            await _play_unheard(playback, texts, say)
    except AudioDeviceError as error:
        own = [each for each in (card.microphone_error, card.speaker_error) if each is not None]
        faults = list(dict.fromkeys([*faults, *own, error]))
    finally:
        with contextlib.suppress(AudioDeviceError):
            await card.close()
    advice = [*_on_names(devices, settings), *([] if measured is None else advice_on(measured, voice))]
    return Checked(
        devices=devices, microphone=microphone, speaker=speaker, faults=faults, measured=measured, advice=advice
    )


async def _measured(
    card: DeviceCard, playback: Playback, texts: Texts, options: CheckOptions, say: Callable[[str], None]
) -> Measurement:
    levels: list[float] = []

    def show(level: float) -> None:
        levels.append(level)
        if len(levels) == SHOW_EVERY:
            say(meter_line(max(levels)))
            levels.clear()

    say(texts("audio_check.speak", seconds=f"{options.seconds:g}"))
    return await measure(
        card.frames(),
        playback.cue if card.speaker else None,
        listen_s=options.seconds,
        on_level=show,
        on_sound=lambda: say(texts("audio_check.sound")),
    )


async def _play_unheard(playback: Playback, texts: Texts, say: Callable[[str], None]) -> None:
    """Play the test sound without a microphone, so that the user can hear it."""
    say(texts("audio_check.sound"))
    playback.enqueue(1, make_sound(), PLAYBACK_RATE, last=True)
    await asyncio.sleep(SOUND_S + AFTERWARDS_S)


def _on_names(devices: Sequence[Device], settings: Settings) -> list[Advice]:
    """Advice on chosen devices that are not there."""
    found = []
    chosen: tuple[tuple[Direction, str], ...] = (
        ("input", settings.voice.input_device),
        ("output", settings.voice.output_device),
    )
    for direction, name in chosen:
        used = choose(devices, name, direction)
        if name and used is not None and not used.name.startswith(name):
            found.append(Advice(key=f"{direction}_gone", setting=f"voice.{direction}_device", value=used.name))
    return found


def apply(config: Path, advice: Sequence[Advice]) -> None:
    """Write the recommended settings; chosen devices that are away stay chosen, because they may return.

    Raises:
        SettingsError: a setting does not fit the file; the file stays as it is.
        StorageError: the file cannot be read or written.
    """
    changes = {each.setting: each.value for each in advice if each.setting and not each.key.endswith("_gone")}
    if changes:
        change_settings(config, changes)


def meter_line(level_db: float) -> str:
    """One line of the level meter."""
    steps = max(0, round((min(level_db, 0.0) - _BAR_FROM_DB) / _BAR_STEP_DB))
    return f"  {level_db:6.1f} dBFS  {'█' * steps}"


def _say_devices(devices: Sequence[Device], say: Callable[[str], None], texts: Texts) -> None:
    directions: tuple[tuple[Direction, str], ...] = (
        ("input", "audio_check.microphones"),
        ("output", "audio_check.speakers"),
    )
    for direction, title in directions:
        able = [each for each in devices if each.does(direction)]
        say(texts(title))
        for each in able:
            default = f" {texts('audio_check.default')}" if each.is_default(direction) else ""
            say(f"  - {each.name} ({each.host}){default}")
        if not able:
            say(f"  {texts('audio_check.none')}")


def _print_result(checked: Checked, config: Path, texts: Texts, options: CheckOptions) -> None:
    measured = checked.measured
    if measured is not None and measured.levels is not None:
        levels = measured.levels
        print(texts("audio_check.levels", loud=f"{levels.loud_db:.0f}", quiet=f"{levels.quiet_db:.0f}"))
    if measured is not None and measured.echo is not None:
        echo = measured.echo
        print(texts("audio_check.echo", delay=f"{max(0.0, echo.delay_ms):.0f}", gain=f"{echo.gain_db:+.0f}"))
    elif measured is not None and checked.speaker:
        print(texts("audio_check.no_echo"))
    for fault in checked.faults:
        print(f"✗ {texts(fault.message_key, **fault.values)}")
    for each in checked.advice:
        print(f"{'✗' if each.fault else '→'} {texts(f'audio_check.advice.{each.key}')}")
        if each.setting:
            print(f"    {each.setting} = {json.dumps(each.value, ensure_ascii=False)}")
    if any(each.setting for each in checked.advice):
        key = "audio_check.applied" if options.apply else "audio_check.how"
        print(texts(key, path=config))
    print(texts("audio_check.good" if checked.good else "audio_check.bad"))


def _as_data(checked: Checked, texts: Texts) -> dict[str, object]:
    measured = None if checked.measured is None else asdict(checked.measured)
    if measured is not None:
        del measured["voice"]  # What the user said is for playing back, not for a report.
    return {
        "good": checked.good,
        "microphone": checked.microphone,
        "speaker": checked.speaker,
        "devices": [asdict(each) for each in checked.devices],
        "measured": measured,
        "faults": [texts(each.message_key, **each.values) for each in checked.faults],
        "advice": [
            {"text": texts(f"audio_check.advice.{each.key}"), "setting": each.setting, "value": each.value}
            for each in checked.advice
        ],
    }
