import pytest

from assistant.audio.checking.advice import advice_on
from assistant.audio.checking.measuring import Levels, MeasuredEcho, Measurement
from assistant.core.settings import VoiceSettings

GOOD = Levels(quiet_db=-65, loud_db=-28, clipped=0.0)
NO_CANCELLER = VoiceSettings(echo_cancellation=False)


def keys(
    levels: Levels | None, echo: MeasuredEcho | None = None, *, silent: bool = False, voice: VoiceSettings | None = None
) -> list[str]:
    measured = Measurement(levels=levels, echo=echo, played=True, silent=silent)
    return [each.key for each in advice_on(measured, voice or VoiceSettings())]


@pytest.mark.parametrize(
    ("levels", "echo", "voice", "expected"),
    [
        (GOOD, None, VoiceSettings(), []),
        (GOOD, MeasuredEcho(delay_ms=120, gain_db=-20), VoiceSettings(), []),
        (None, None, VoiceSettings(), []),
        (Levels(quiet_db=-60, loud_db=-55, clipped=0), None, VoiceSettings(), ["no_voice"]),
        (Levels(quiet_db=-75, loud_db=-50, clipped=0), None, VoiceSettings(), ["quiet_voice", "wake_easier"]),
        (Levels(quiet_db=-75, loud_db=-50, clipped=0), None, VoiceSettings(wake_sensitivity=0.3), ["quiet_voice"]),
        (Levels(quiet_db=-60, loud_db=-10, clipped=0.01), None, VoiceSettings(), ["clipped"]),
        (Levels(quiet_db=-35, loud_db=-15, clipped=0), None, VoiceSettings(), ["noisy"]),
        (GOOD, MeasuredEcho(delay_ms=80, gain_db=-20), NO_CANCELLER, ["cancel_echo"]),
        (GOOD, MeasuredEcho(delay_ms=450, gain_db=2), VoiceSettings(), ["loud_echo", "late_echo"]),
    ],
)
def test_what_is_recommended(
    levels: Levels | None, echo: MeasuredEcho | None, voice: VoiceSettings, expected: list[str]
) -> None:
    assert keys(levels, echo, voice=voice) == expected


def test_a_silent_microphone_is_a_fault_and_hides_everything_else() -> None:
    measured = Measurement(levels=GOOD, echo=None, played=True, silent=True)
    assert [(each.key, each.fault) for each in advice_on(measured, NO_CANCELLER)] == [("silent", True)]
