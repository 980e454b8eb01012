"""The demonstration: plays bundled recordings through the whole voice path, without a display or a terminal."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from assistant.app.cli.options import ListenOptions
from assistant.app.commands.listen import TraceEvent, hear, print_event
from assistant.core.settings import Language, Settings
from assistant.engine.voice_wiring import Engines, load_voice
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.speech.tts.pace import Paces


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """A bundled recording.

    Attributes:
        name: file name in ``resources/recordings``.
        language: language of the speech.
        said: the words, without the wake word.
        source: origin and licence.
        wake_word: the wake word at its beginning, empty without one.
    """

    name: str
    language: Language
    said: str
    source: str
    wake_word: str = ""

    @property
    def aloud(self) -> str:
        """All that is said, the wake word included."""
        return f"{self.wake_word.capitalize()} … {self.said}" if self.wake_word else self.said


RECORDINGS = (
    Recording(
        name="ko_hotel_question.wav",
        language="ko",
        said="4명 숙박할 건데, 디럭스룸은 다 찼다고 하셔서 그런데, 혹시 싱글룸 두 개로 예약은 가능한가요?",
        source="watson-developer-cloud/speech-to-text-nodejs, Apache-2.0",
    ),
    Recording(
        name="en_alexa_coffee.wav",
        language="en",
        said="Can I have a medium double shot americano?",
        source="Picovoice/wake-word-benchmark, Picovoice/rhino, Apache-2.0",
        wake_word="alexa",
    ),
)

_UNDERSTOOD = 0.85
"""Least likeness of the transcript to the spoken words. Below it, the request that was answered is another one."""

_WAKE_WORD = next(each.wake_word for each in RECORDINGS if each.wake_word)
"""The wake word of all recordings, so that they share the engines; the others begin without one."""


class SharedEngines:
    """Loads the speech engines for the first recording. They know both languages, so the others use them too."""

    def __init__(self) -> None:
        self._engines: Engines | None = None

    async def load(self, settings: Settings, path_of: Callable[[str], Path], *, paces: Paces | None) -> Engines:
        """As ``load_voice``."""
        if self._engines is None:
            self._engines = await load_voice(settings, path_of, paces=paces)
        if self._engines.wake is not None:
            self._engines.wake.reset()
        return self._engines


def run(home: Path, settings: Settings) -> int:
    """Play each recording to Sori, print the turn's timeline and write the spoken answer.

    Returns:
        Exit status: 0 when every recording was understood and got a spoken answer.

    Raises:
        SoriError: as ``hear``.
    """
    texts = load_texts(settings.language)
    print(texts("demo.intro"))
    good, engines = True, SharedEngines()
    for recording in RECORDINGS:
        print(texts("demo.recording", name=recording.name, said=recording.aloud, source=recording.source))
        answer = home / "demo" / f"answer_{recording.name}"
        answer.parent.mkdir(parents=True, exist_ok=True)
        prepared = _prepared(settings, recording, answer)
        events = asyncio.run(hear(home, *prepared, print_event, demonstration=True, load=engines.load))
        understood, delay_s = likeness(transcript(events), recording.said), response_s(events)
        good = good and understood >= _UNDERSTOOD and delay_s is not None
        print(texts("demo.understood" if understood >= _UNDERSTOOD else "demo.misheard", share=round(100 * understood)))
        print(texts("demo.silent") if delay_s is None else texts("demo.spoken", seconds=delay_s))
        print(texts("demo.answer", path=answer))
    return 0 if good else 1


def _prepared(settings: Settings, recording: Recording, answer: Path) -> tuple[Settings, ListenOptions]:
    options = ListenOptions(
        input=RESOURCES / "recordings" / recording.name,
        output=answer,
        pace="realtime",
        language=recording.language,
        no_wake=not recording.wake_word,
    )
    return replace(settings, voice=replace(settings.voice, wake_word=_WAKE_WORD)), options


def transcript(events: list[TraceEvent]) -> str:
    """The words that were understood."""
    return " ".join(each["text"] for each in events if each["event"] == "transcript")


def likeness(heard: str, said: str) -> float:
    """How much of two texts is the same, from 0 to 1; spaces, punctuation and case do not count."""
    one, other = ("".join(filter(str.isalnum, text.lower())) for text in (heard, said))
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def response_s(events: list[TraceEvent]) -> float | None:
    """Seconds from the last sound of the user's speech to the first sound of the answer; ``None`` without an answer."""
    ended = next((each["t"] - each["silence_ms"] / 1000 for each in events if each["event"] == "speech_ended"), None)
    began = next((each["t"] for each in events if each["event"] == "first_audio"), None)
    return None if ended is None or began is None else float(began - ended)
