"""Requests for Sori's ears and voices, for programs that bring and take sounds themselves."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from assistant.core.service.request import Request

LONGEST_TEXT: Final = 4096
"""Characters of a text that is read; the limit of the OpenAI API."""
LONGEST_SOUND_S: Final = 30 * 60
"""Seconds of a sound that is transcribed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardPart:
    """A part of a sound, with what was said in it.

    Attributes:
        start_s: its beginning in seconds.
        end_s: its end in seconds.
        text: the words.
        average_log_probability: mean log probability of the words; below about -1 they are doubtful.
        no_speech_probability: the recogniser's probability that nobody spoke.
    """

    start_s: float
    end_s: float
    text: str
    average_log_probability: float
    no_speech_probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardSpeech:
    """What was said in a sound.

    Attributes:
        text: all words; empty if nobody spoke.
        language: ``ko`` or ``en``.
        duration_s: length of the sound in seconds.
        parts: its parts in which somebody spoke, in order.
        engine: id of the recogniser.
        over: what speech over an answer was (``Transcribe.saying``): ``nothing``, ``echo``, ``agreement``, ``stop`` or
            ``interruption``. Only the last two end the answer. Empty if there was no answer.
        pause_ms: milliseconds of silence after these words that end what the user says, as the settings say and as far
            as the words tell.
    """

    text: str
    language: str
    duration_s: float
    parts: tuple[HeardPart, ...]
    engine: str
    over: str = ""
    pause_ms: int = 0


class Transcribe(Request[HeardSpeech]):
    """Transcribe a sound on this computer; nothing of it leaves it or is kept.

    Attributes:
        sound: a recording: wav, flac, ogg, mp3, mp4, webm or another form that FFmpeg reads.
        language: ``ko`` or ``en``; empty to detect it.
        saying: what the client was reading aloud meanwhile, empty for nothing yet, if somebody spoke over an answer;
            ``None`` otherwise.
        fell_silent: with ``saying``: whether the sound ended when the client fell silent, as an echo does. Doubtful
            words then end no answer.
    """

    sound: bytes = field(repr=False)
    language: str = ""
    saying: str | None = field(default=None, repr=False)
    fell_silent: bool = False


class SoundForm(StrEnum):
    """The form of a sound."""

    WAV = "wav"
    PCM = "pcm"
    """Samples alone: mono, 16 bits, little-endian, 24 kHz."""
    MP3 = "mp3"
    OPUS = "opus"
    AAC = "aac"
    FLAC = "flac"


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenSound:
    """A text that was read.

    Attributes:
        sound: the sound in the wanted form; empty if the text has no words.
        duration_s: its length in seconds.
        engine: id of the engine that has spoken.
    """

    sound: bytes = field(repr=False)
    duration_s: float
    engine: str


class Speak(Request[SpokenSound]):
    """Read a text into a sound, with a voice of this computer or the one that the user has chosen.

    Attributes:
        text: the text, as it is written; at most ``LONGEST_TEXT`` characters.
        voice: name of a voice; empty for that of the settings.
        language: ``ko`` or ``en``; empty to tell it for each sentence.
        speed: pace relative to the voice's normal one.
        form: the form of the sound.
    """

    text: str
    voice: str = ""
    language: str = ""
    speed: float = 1.0
    form: SoundForm = SoundForm.WAV


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedVoice:
    """A voice.

    Attributes:
        name: its name for ``Speak``.
        language: the language that it speaks.
        engine: id of its engine.
    """

    name: str
    language: str
    engine: str


class ListVoices(Request[tuple[ListedVoice, ...]]):
    """List the voices that can speak here: those whose weights are on this computer, and those of a chosen server."""
