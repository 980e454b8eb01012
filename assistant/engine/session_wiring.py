"""Connects the loaded engines and a sound card to a running session."""

from collections.abc import Callable
from functools import partial

from assistant.audio.cards.card import SoundCard
from assistant.audio.cues import read_cues
from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.playback import Playback
from assistant.audio.vad import VoiceActivity
from assistant.core import updates as up
from assistant.core.live_settings import LiveSettings
from assistant.engine.voice_wiring import Engines
from assistant.host.places import RESOURCES
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.session.session import Session
from assistant.voice.speaker import AnswerSpeaker
from assistant.voice.threads.model_thread import EngineHungError, ModelThread
from assistant.voice.work import Work


class VoiceThreads:
    """The threads of the models. Like the models they outlive sound cards.

    Args:
        work: counts running work.

    Attributes:
        work: counts running work.
        ears: the engines that listen; ``None`` without any.
    """

    def __init__(self, work: Work) -> None:
        self.recognizer = ModelThread("recognizer", work)
        self.turn_end = ModelThread("turn-end", work)
        self.synthesizer = ModelThread("synthesizer", work)
        self.work = work
        self.ears: Ears | None = None

    def replace_hung(self, voice: Engines, ears: Ears | None, publish: up.Publish) -> None:
        """From now on replace engines of ``voice`` whose calls hang, and report it to the user (V-19).

        Args:
            voice: the engines.
            ears: those that listen; ``None`` without a microphone.
            publish: takes the reports.
        """
        self.ears = ears

        def renewed(renew: Callable[[], object]) -> None:
            renew()
            if ears is not None:
                ears.replace(voice.recognizer, voice.turn_end)

        for thread, renewal, name in (
            (self.recognizer, partial(renewed, voice.renew_recognizer), "recognizer"),
            (self.turn_end, partial(renewed, voice.renew_turn_end), "turn_end"),
            (self.synthesizer, voice.synthesizers.replace_hung, "synthesizer"),
        ):
            thread.renew_with(renewal, partial(_tell_of_hung, publish, name))

    def close(self) -> None:
        """Close the threads."""
        for thread in (self.recognizer, self.turn_end, self.synthesizer):
            thread.close()


def _tell_of_hung(publish: up.Publish, name: str, error: EngineHungError) -> None:
    key = f"notice.{name}_{'given_up' if error.given_up else 'hung'}"
    publish(up.NoticePosted(key=key, severity=up.Severity.WARNING, values={"seconds": f"{error.seconds:g}"}))


def attach_voice(
    session: Session,
    voice: Engines,
    threads: VoiceThreads,
    card: SoundCard,
    playback: Playback,
    *,
    settings: LiveSettings,
    publish: up.Publish,
) -> None:
    """Give ``session`` a listener and a speaker, as far as ``card`` has a microphone and a speaker."""
    ears = _ears(voice, threads, card, settings) if card.microphone else None
    threads.replace_hung(voice, ears, publish)
    session.attach(
        listener=None if ears is None else Listener(ears, settings, session),
        speaker=AnswerSpeaker(playback, voice.synthesizers, threads.synthesizer, settings, session)
        if card.speaker
        else None,
        playback=playback,
        cues=read_cues(RESOURCES / "sounds"),
    )


def _ears(voice: Engines, threads: VoiceThreads, card: SoundCard, settings: LiveSettings) -> Ears:
    return Ears(
        voice=VoiceActivity(),
        unprocessed_voice=VoiceActivity(),
        recognizer=voice.recognizer,
        recognizer_thread=threads.recognizer,
        wake=voice.wake,
        turn_end=voice.turn_end,
        turn_end_thread=threads.turn_end,
        echo=EchoCanceller(card.delay_ms) if settings.current.voice.echo_cancellation else None,
        word_sound=voice.word_sound,
    )
