"""The domain of tests of the sound: how microphone and speaker work, and what a voice sounds like (D-02, V-18)."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.card import HeardFrame
from assistant.audio.checking.advice import advice_on
from assistant.audio.checking.measuring import Measurement, measure
from assistant.audio.encoded import SPOKEN_RATE
from assistant.audio.resampling import Samples, resample
from assistant.core import updates as up
from assistant.core.audio import PLAYBACK_RATE, SAMPLE_RATE
from assistant.core.clock import Clock
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import SessionState
from assistant.core.service.requests import voice as rq
from assistant.core.texts import Texts
from assistant.core.updates import SoundCheckStage
from assistant.engine.domains.names import HasMicrophone
from assistant.engine.serving.table import Domain, serves
from assistant.host.texts import load_texts

LISTEN_S: Final = 3.0
"""Seconds in which the user speaks."""

Read = Callable[[str, str, str], Awaitable[Samples]]
"""Reads a text with a voice in a language; mono samples at ``SPOKEN_RATE``."""


class HasSound(HasMicrophone, Protocol):
    """What a test needs of a session."""

    @property
    def can_speak(self) -> bool:
        """Whether there is a speaker."""
        ...

    def play(self, sound: NDArray[np.int16]) -> bool:
        """Play a sound at ``PLAYBACK_RATE``; return whether there is a speaker."""
        ...


class SoundTests(Domain):
    """Owns the requests for tests of the sound.

    Args:
        session: has microphone and speaker.
        devices: tells which they are, or why one is missing.
        live: the settings.
        texts: the user's words.
        read: reads a text.
        publish: takes updates.
        clock: waits while a sound is played.
    """

    def __init__(
        self,
        session: HasSound,
        devices: Callable[[], up.VoiceAvailable],
        live: LiveSettings,
        texts: Texts,
        read: Read,
        *,
        publish: up.Publish,
        clock: Clock,
    ) -> None:
        self._session, self._devices, self._live, self._texts = session, devices, live, texts
        self._read, self._publish, self._clock = read, publish, clock

    @serves(lane="sound")
    async def _try_voice(self, request: rq.TryVoice) -> None:
        """Say a sample.

        Raises:
            SoriError: there is no speaker, or the voice cannot speak.
        """
        if not self._session.can_speak:
            raise no_speaker(self._devices())
        sample = load_texts(request.language)("audio_check.sample")
        pcm = await self._read(sample, request.voice, request.language)
        await self._play(resample(pcm, SPOKEN_RATE, PLAYBACK_RATE))

    @serves(lane="sound")
    async def _check(self, _: rq.CheckSound) -> rq.CheckedSound:
        """Measure microphone and speaker."""
        devices = self._devices()
        problems = [each for each in (devices.microphone_reason, devices.speaker_reason) if each]
        if not self._session.hears:
            if not devices.microphone_reason:
                problems.append(self._texts("notice.muted" if devices.muted else "notice.no_microphone"))
            return rq.CheckedSound(good=False, problems=tuple(problems))
        if self._session.snapshot.session is not SessionState.INACTIVE:
            self._session.tell(ev.VoiceToggled())
        measured = await self._measured()
        if measured is None:
            return rq.CheckedSound(good=False, problems=(*problems, self._texts("audio_check.lost")))
        self._tell(SoundCheckStage.REPLAY)
        await self._play(resample(np.frombuffer(measured.voice, "<i2"), SAMPLE_RATE, PLAYBACK_RATE))
        return self._checked(measured, problems)

    async def _measured(self) -> Measurement | None:
        """What was measured; ``None`` when the microphone went away meanwhile."""
        frames: asyncio.Queue[HeardFrame | None] = asyncio.Queue()
        self._session.lend_microphone(frames.put_nowait, lambda: frames.put_nowait(None))
        self._tell(SoundCheckStage.SPEAK)
        try:
            return await measure(
                _until_lost(frames),
                self._session.play if self._session.can_speak else None,
                listen_s=LISTEN_S,
                on_level=lambda level_db: self._publish(up.LevelMeasured(level_db=level_db)),
                on_sound=lambda: self._tell(SoundCheckStage.SOUND),
            )
        except _LostError:
            return None
        finally:
            self._session.take_back_microphone()

    def _checked(self, measured: Measurement, problems: list[str]) -> rq.CheckedSound:
        advice = advice_on(measured, self._live.current.voice)
        levels, echo = measured.levels, measured.echo
        return rq.CheckedSound(
            good=not problems and not any(each.fault for each in advice),
            problems=tuple(problems),
            loud_db=levels.loud_db if levels else None,
            quiet_db=levels.quiet_db if levels else None,
            echo_ms=echo.delay_ms if echo else None,
            echo_db=echo.gain_db if echo else None,
            advice=tuple(
                rq.SoundAdvice(
                    text=self._texts(f"audio_check.advice.{each.key}"),
                    setting=each.setting,
                    value=each.value if each.setting else None,
                )
                for each in advice
            ),
        )

    async def _play(self, sound: Samples) -> None:
        if self._session.play(sound):
            await self._clock.sleep(len(sound) / PLAYBACK_RATE)

    def _tell(self, stage: SoundCheckStage) -> None:
        self._publish(up.SoundCheckProgressed(stage=stage))


class _LostError(Exception):
    """The microphone is gone or muted, or somebody else needs it."""


async def _until_lost(frames: "asyncio.Queue[HeardFrame | None]") -> AsyncIterator[HeardFrame]:
    while (frame := await frames.get()) is not None:
        yield frame
    raise _LostError


def no_speaker(devices: up.VoiceAvailable) -> SoriError:
    """The error that nothing can be played, with its reason."""
    return SoriError(
        ErrorCode.AUDIO_DEVICE,
        f"no speaker: {devices.speaker_reason}",
        message_key="no_speaker",
        values={"reason": devices.speaker_reason},
    )
