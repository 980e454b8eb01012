"""Connects the loaded engines and a sound card to a running session."""

from collections.abc import Callable
from functools import partial

from assistant.audio.cards.card import SoundCard
from assistant.audio.cues import read_cues
from assistant.audio.echo.canceller import EchoCanceller
from assistant.audio.playback import Playback
from assistant.audio.vad import VoiceActivity
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.texts import Texts
from assistant.engine.voice_wiring import Engines
from assistant.host.places import RESOURCES
from assistant.speech.tts.choice import SynthesizerSet
from assistant.speech.tts.synthesizer import Voice
from assistant.voice.ears import Ears
from assistant.voice.listener import Listener
from assistant.voice.session.session import Session
from assistant.voice.speaker import AnswerSpeaker
from assistant.voice.threads.model_thread import EngineHungError, ModelThread
from assistant.voice.waking.name_hearing import NameHearing
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


class OtherVoices:
    """Tells the user once of each voice of an agent that cannot be used, so that another one speaks.

    Args:
        synthesizers: know which voices can be used.
        publish: takes the notices.
    """

    def __init__(self, synthesizers: SynthesizerSet, publish: up.Publish) -> None:
        self._synthesizers, self._publish = synthesizers, publish
        self._told: set[str] = set()

    def check(self, wanted: Voice) -> None:
        """Take the voice that was wanted for a sentence which was spoken."""
        name = self._synthesizers.unusable(wanted.name, wanted.language)
        if name and name not in self._told:
            self._told.add(name)
            self._publish(
                up.NoticePosted(key="notice.other_voice", severity=up.Severity.WARNING, values={"name": name})
            )


def attach_voice(
    session: Session,
    voice: Engines,
    threads: VoiceThreads,
    card: SoundCard,
    playback: Playback,
    texts: Texts,
    *,
    settings: LiveSettings,
    publish: up.Publish,
) -> None:
    """Give ``session`` a listener and a speaker, as far as ``card`` has a microphone and a speaker."""
    ears = _ears(voice, threads, card, settings) if card.microphone else None
    threads.replace_hung(voice, ears, publish)
    session.attach(
        listener=None if ears is None else _listener(session, ears, threads, settings, publish),
        speaker=_speaker(session, voice, threads, playback, texts, settings, publish) if card.speaker else None,
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


def _listener(
    session: Session, ears: Ears, threads: VoiceThreads, settings: LiveSettings, publish: up.Publish
) -> Listener:
    def on_partial(turn: TurnId, text: str, stable: int) -> None:
        publish(up.PartialHeard(conversation=session.conversation, turn=turn, text=text, stable=stable))

    def on_level(level_db: float) -> None:
        if settings.current.desktop.level_meter:
            publish(up.LevelMeasured(level_db=level_db))

    return Listener(
        ears,
        settings,
        report=session.tell,
        meaning=session.meaning,
        saying=lambda: session.saying,
        on_partial=on_partial,
        on_level=on_level,
        trace=session.trace,
        on_probable_end=session.prepare,
        on_went_on=session.discard_prepared,
        names=name_hearing(session, ears, settings, threads.work),
        likely_words=lambda: session.likely_words,
        wake_phrases=lambda: () if session.calls is None else session.calls.phrases,
        calls_other=session.calls_other,
    )


def name_hearing(session: Session, ears: Ears, settings: LiveSettings, work: Work) -> NameHearing | None:
    """Hears the names of the agents that the session can call; ``None`` without any."""
    if session.calls is None:
        return None
    return NameHearing(
        ears,
        settings,
        session.calls,
        conversation=lambda: session.conversation,
        work=work,
        trace=session.trace,
        saying=lambda: session.saying,
    )


def _speaker(
    session: Session,
    voice: Engines,
    threads: VoiceThreads,
    playback: Playback,
    texts: Texts,
    settings: LiveSettings,
    publish: up.Publish,
) -> AnswerSpeaker:
    def on_unavailable(error: SoriError) -> None:
        if isinstance(error, EngineHungError):
            return  # already told
        publish(
            up.NoticePosted(
                key="notice.speech_unavailable", severity=up.Severity.WARNING, values={"reason": error.detail}
            )
        )

    return AnswerSpeaker(
        playback,
        voice.synthesizers,
        threads.synthesizer,
        settings,
        report=session.tell,
        on_unavailable=on_unavailable,
        trace=session.trace,
        engine=lambda: voice.synthesizers.speaking,
        only_code=lambda: texts("prompt.only_code"),
        on_named_voice=OtherVoices(voice.synthesizers, publish).check,
    )
