"""What is said for ``spoken_names.py``: calls, other speech, voices, and the onsets cut from them."""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import cast
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.audio.resampling import Resampler
from assistant.audio.speech_segments import SpeechChange, SpeechTiming, SpeechTracker
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE, to_samples
from assistant.speech.tts.kokoro_voices import EVERY as KOKORO_VOICES
from assistant.speech.tts.kokoro_voices import KokoroVoice
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Synthesizer, Voice
from assistant.voice.waking.name_hearing import LEAD_IN_MS, PAUSE_MS, READ_AFTER_MS
from assistant.voice.waking.own_takes import SPEEDS
from benchmarks.voice.waking.casts import Cast

SPEECH = Path(__file__).resolve().parents[3] / "tests" / "data" / "speech"
REQUESTS = {"ko": "오늘 날씨 어때?", "en": "what time is it?"}
CALL, ENROLMENT, SENTENCE, TALK = "synthetic call", "enrolment", "synthetic speech", "synthetic talk about names"
CALL_KO, CALL_OTHER = "synthetic call, read in Korean", "synthetic call of another kind of voice"
HUMAN_CALL, HUMAN_CALL_KO = "human call", "human call, read in Korean"
HUMAN, HUMAN_CUT = "human speech", "human speech, cut anywhere"
_CUT_EVERY_S, _CUT_S, _FADE_S = 0.4, 1.9, 0.05
Pcm = NDArray[np.int16]

MIXES: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "alpha_mich": ("ko", {"hf_alpha": 0.6, "am_michael": 0.4}),
    "alpha_heart": ("ko", {"hf_alpha": 0.7, "af_heart": 0.3}),
    "alpha_gon": ("ko", {"hf_alpha": 0.6, "jf_gongitsune": 0.4}),
    "alpha_nez": ("ko", {"hf_alpha": 0.6, "jf_nezumi": 0.4}),
    "beta_teb": ("ko", {"hf_beta": 0.6, "jf_tebukuro": 0.4}),
    "jfalpha_kumo": ("ko", {"jf_alpha": 0.5, "jm_kumo": 0.5}),
    "bf_emma": ("en", {"bf_emma": 1.0}),
    "af_bella": ("en", {"af_bella": 1.0}),
    "bm_george": ("en", {"bm_george": 1.0}),
}
"""Further voices of Kokoro. Those whose style files are missing are left out (``--styles``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One onset before it is made.

    Attributes:
        kind: what it is.
        phrase: the name that is called; empty for other speech.
        language: in which it is said.
        text: what is said, or the recording.
        engine: of the voice; empty for a recording.
        voice: its name.
        speed: of the voice.
        read_in: the language in which it is read; empty for that in which it is said.
    """

    kind: str
    phrase: str
    language: str
    text: str
    engine: str = ""
    voice: str = ""
    speed: float = 1.0
    read_in: str = ""

    @property
    def label(self) -> str:
        """What was said, and by whom; different for each onset of a kind and name."""
        who = f" ({self.voice or self.engine} {self.speed:g})" if self.engine else ""
        return f"{self.text}{who}"


def synthetic(cast_: Cast) -> Iterator[Said]:
    """All synthetic onsets, voice by voice."""
    for language, voices in cast_.voices.items():
        for index, (engine, voice) in enumerate(voices):
            said = partial(Said, language=language, engine=engine, voice=voice)
            for number, name in enumerate(cast_.names[language]):
                yield from _calls(cast_, partial(said, kind=CALL, phrase=name), index + number)
                for speed in SPEEDS:
                    yield said(kind=ENROLMENT, phrase=name, text=f"{name}.", speed=speed)
            others = cast_.sentences[language] if index in {0, 3} else ()
            yield from (said(kind=SENTENCE, phrase="", text=each) for each in others)
            talk = cast_.talk if language == "ko" and index in {0, 3} else ()
            yield from (said(kind=TALK, phrase="", text=each) for each in talk)
    for language, voices in cast_.others.items():
        for engine, voice in voices:
            said = partial(Said, kind=CALL_OTHER, language=language, engine=engine, voice=voice)
            for number, name in enumerate(cast_.names[language]):
                yield from _calls(cast_, partial(said, phrase=name), number)


def _calls(cast_: Cast, said: Callable[..., Said], number: int) -> Iterator[Said]:
    """The name alone, and with a request in the same breath."""
    for text in ("{name}!", "{name}, {request}"):
        speed = cast_.speeds[number % len(cast_.speeds)]
        call = said(text="", speed=speed)
        call = replace(call, text=text.format(name=call.phrase, request=REQUESTS[call.language]))
        yield call
        if cast_.twice and call.language == "en":
            yield replace(call, kind=CALL_KO, read_in="ko")


def human() -> Iterator[tuple[Said, Pcm]]:
    """The onsets of recordings."""
    for path in sorted(SPEECH.glob("*.wav")):
        whole, language = read_recording(path), "en" if path.name.startswith("en") else "ko"
        for index, pcm in enumerate(utterances(whole)):
            yield Said(kind=HUMAN, phrase="", language=language, text=f"{path.name} {index}"), pcm
        if "silence" in path.name:
            continue
        for index, start in enumerate(range(to_samples(0.2), len(whole) - SAMPLE_RATE, to_samples(_CUT_EVERY_S))):
            piece = whole[start : start + to_samples(_CUT_S)]
            fade = np.minimum(1.0, np.arange(len(piece)) / to_samples(_FADE_S))
            said = Said(kind=HUMAN_CUT, phrase="", language=language, text=f"{path.name} piece {index}")
            yield said, (piece * fade).astype(np.int16)
    for path in sorted((SPEECH / "alexa").glob("*.flac")):
        pcm = onset(read_recording(path))
        for kind, language in ((HUMAN_CALL, "en"), (HUMAN_CALL_KO, "ko")):
            yield Said(kind=kind, phrase="Alexa", language=language, text=path.name), pcm


def onset(pcm: Pcm) -> Pcm:
    """The first moment of the speech in a recording."""
    return next(utterances(pcm), pcm[: to_samples((LEAD_IN_MS + READ_AFTER_MS) / 1000)])


def utterances(pcm: Pcm) -> Iterator[Pcm]:
    """The onsets that the voice loop transcribes."""
    lead = np.zeros(to_samples(LEAD_IN_MS / 1000), np.int16)
    pcm = np.concatenate([lead, pcm, np.zeros(SAMPLE_RATE, np.int16)])
    voice, tracker = VoiceActivity(), SpeechTracker(SpeechTiming(offset_ms=PAUSE_MS))
    begun: int | None = None
    for start in range(0, len(pcm) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        speech = voice.feed(pcm[start : start + FRAME_SAMPLES].tobytes()).speech
        change = tracker.feed(speech=speech)
        end = start + FRAME_SAMPLES
        if change is SpeechChange.STARTED:
            begun = max(0, end - len(lead))
        elif begun is not None and (
            change is SpeechChange.ENDED or end - begun >= to_samples((LEAD_IN_MS + READ_AFTER_MS) / 1000)
        ):
            yield pcm[begun:end]
            begun = None


class Voices:
    """The voices, loaded when they are needed.

    Args:
        models: folder of the models.
        styles: folder with further style files of Kokoro; ``None`` for those of the model.
        sounds: folder where onsets are kept; ``None`` to synthesise them anew.
    """

    def __init__(self, models: Path, styles: Path | None, sounds: Path | None) -> None:
        self._models, self._sounds = models, sounds
        self._loaded: dict[str, Synthesizer] = {}
        self._exit = contextlib.ExitStack()
        self._kokoro = self._with_styles(styles)

    def can(self, said: Said) -> bool:
        """Whether the voice of an onset is there."""
        return said.engine != "kokoro" or said.voice in KOKORO_VOICES

    def say(self, said: Said) -> Pcm:
        """The onset at 16 kHz."""
        if self._sounds is None:
            return self._synthesised(said)
        path = self._sounds / f"{crc32(f'{said.language} {said.label}'.encode()):08x}.npy"
        if not path.exists():
            self._sounds.mkdir(parents=True, exist_ok=True)
            np.save(path, self._synthesised(said))
        pcm: Pcm = np.load(path)
        return pcm

    def _synthesised(self, said: Said) -> Pcm:
        if said.engine not in self._loaded:
            path_of = {"kokoro": lambda _: self._kokoro}.get(said.engine, lambda name: self._models / name)
            self._loaded[said.engine] = synthesizers().get(said.engine).create(path_of, 2)
        engine = self._loaded[said.engine]
        voice = Voice(language=said.language, name=said.voice, speed=said.speed)
        pieces = list(engine.synthesize(said.text, voice))
        return onset(Resampler(engine.sample_rate, SAMPLE_RATE).push(np.concatenate(pieces), last=True))

    def close(self) -> None:
        """Free the voices."""
        for engine in self._loaded.values():
            engine.close()
        self._exit.close()

    def _with_styles(self, styles: Path | None) -> Path:
        """A folder of Kokoro with all style files that are there; their mixtures become voices."""
        own = self._models / "kokoro-82m"
        folder = Path(self._exit.enter_context(tempfile.TemporaryDirectory()))
        (folder / "voices").mkdir()
        (folder / "model.onnx").symlink_to((own / "model.onnx").resolve())
        for path in [*(own / "voices").glob("*.bin"), *(styles.glob("*.bin") if styles else ())]:
            if not (folder / "voices" / path.name).exists():
                (folder / "voices" / path.name).symlink_to(path.resolve())
        known = cast(dict[str, KokoroVoice], KOKORO_VOICES)
        for name, (language, parts) in MIXES.items():
            if all((folder / "voices" / f"{part}.bin").exists() for part in parts):
                known[name] = KokoroVoice(language=language, parts=parts)
        return folder
