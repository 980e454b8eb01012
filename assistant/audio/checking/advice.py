"""What the user should change, by what was measured."""

from dataclasses import dataclass
from typing import Final

from assistant.audio.checking.measuring import Measurement
from assistant.core.settings import VoiceSettings

VOICE_ABOVE_NOISE_DB: Final = 10.0
"""With a smaller difference between the loudest and the quietest moments, no voice was heard."""
QUIET_VOICE_DB: Final = -45.0
"""Below this level a voice is so quiet that wake words and speech are missed."""
NOISY_ROOM_DB: Final = -40.0
"""Above this level the noise of the room covers quiet words."""
MOST_CLIPPED: Final = 0.001
"""Share of clipped samples from which speech is distorted."""
LOUD_ECHO_DB: Final = -3.0
"""An echo louder than this covers a user who speaks over Sori."""
LATEST_ECHO_MS: Final = 400.0
"""A later echo is close to the longest that the echo canceller searches."""
EASY_SENSITIVITY: Final = 0.4
"""Threshold of the wake word for a quiet voice."""

Setting = str | float | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """One piece of advice.

    Attributes:
        key: names its text.
        setting: dotted name of the setting to change; empty when the remedy is no setting.
        value: the value for it.
        fault: whether Sori cannot hear or speak as it is.
    """

    key: str
    setting: str = ""
    value: Setting = ""
    fault: bool = False


def advice_on(measured: Measurement, voice: VoiceSettings) -> list[Advice]:
    """The advice, most important first; empty when all is well."""
    if measured.silent:
        return [Advice(key="silent", fault=True)]
    return [*_on_levels(measured, voice), *_on_echo(measured, voice)]


def _on_levels(measured: Measurement, voice: VoiceSettings) -> list[Advice]:
    levels = measured.levels
    if levels is None:
        return []
    found = []
    if levels.loud_db - levels.quiet_db < VOICE_ABOVE_NOISE_DB:
        found.append(Advice(key="no_voice"))
    elif levels.loud_db < QUIET_VOICE_DB:
        found.append(Advice(key="quiet_voice"))
        if voice.wake_sensitivity > EASY_SENSITIVITY:
            found.append(Advice(key="wake_easier", setting="voice.wake_sensitivity", value=EASY_SENSITIVITY))
    if levels.clipped > MOST_CLIPPED:
        found.append(Advice(key="clipped"))
    if levels.quiet_db > NOISY_ROOM_DB:
        found.append(Advice(key="noisy"))
    return found


def _on_echo(measured: Measurement, voice: VoiceSettings) -> list[Advice]:
    echo = measured.echo
    if echo is None:
        return []
    found = []
    if not voice.echo_cancellation:
        found.append(Advice(key="cancel_echo", setting="voice.echo_cancellation", value=True))
    if echo.gain_db > LOUD_ECHO_DB:
        found.append(Advice(key="loud_echo"))
    if echo.delay_ms > LATEST_ECHO_MS:
        found.append(Advice(key="late_echo"))
    return found
