"""Recall, false wakes, delay and cost of the wake-word detector.

Plays human recordings of one wake word, and recordings of other speech, through the wake-word engine: always scored,
gated by voice activity, and with each hit checked by the recogniser as in the product. Prints recall, false wakes,
delay and processor time per second of sound. The human recordings of other speech last a minute. Therefore
``--read-minutes`` adds synthetic speech, in which false wakes are counted apart: the documentation of Sori, read by
several voices in English and Korean, without the sentences that contain the wake word. Each false wake is printed with
its sentence.

    python -m benchmarks.voice.waking.wake_word [--models DIR] [--word alexa] [--sensitivity 0.5 0.3 …]
        [--read-minutes N]
"""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.audio.resampling import resample
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE, to_samples, to_seconds
from assistant.host.places import default_home, models_folder
from assistant.speech.stt import faster_whisper
from assistant.speech.stt.recognizer import RecognizerOptions
from assistant.speech.text.sentences import SentenceChunker
from assistant.speech.text.spoken import spoken_text
from assistant.speech.tts import kokoro, piper
from assistant.speech.tts.synthesizer import Voice
from assistant.speech.wake.detector import WakeHit, WakeOptions
from assistant.speech.wake.registry import wake_engines
from assistant.voice.ears import Ears
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.waking.after_wake import KEPT_MS
from assistant.voice.waking.wake_check import UNSURE_SHARE, WakeCheck
from assistant.voice.work import Work

ROOT = Path(__file__).resolve().parents[3]
SPEECH = ROOT / "tests" / "data" / "speech"
TEXTS = {"en": ("docs/**/*.md", "CHANGELOG.md", "README.md"), "ko": ("README.ko.md",)}
"""Patterns of the files that are read, by language. The English ones last for about four hours."""
ENGLISH = ("piper 1.0", "piper 0.9", "kokoro af_heart", "piper 1.15", "piper 1.0", "kokoro am_michael")
KOREAN = ("kokoro kf_sori", "kokoro hf_alpha", "kokoro hm_omega")
"""Voices that read, in turn. Piper is fast, so it reads most of the English."""
_SHOWN_EVERY_S = 600.0
"""Length of speech between two reports, because reading hours aloud takes hours."""
Pcm = NDArray[np.int16]
ARMS = ("always scored", "gated by voice", "and checked")
CHECK_S = KEPT_MS / 1000
_Arm = tuple[float, str]
"""Sensitivity, and one of ``ARMS``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The results of one arm.

    Attributes:
        heard: number of the word's recordings with a hit.
        clips: number of the word's recordings.
        delays_s: seconds from each recording's end of sound to the hit; negative if the hit came earlier.
        false_wakes: hits on other speech.
        other_s: length of the other speech in seconds.
        cost_ms: processor time per second of sound, for the word's recordings, other speech, and room noise.
    """

    heard: int
    clips: int
    delays_s: list[float]
    false_wakes: int
    other_s: float
    cost_ms: tuple[float, float, float]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all arms and print the table."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, default=models_folder(default_home()), help="folder of the models")
    parser.add_argument("--recordings", type=Path, default=SPEECH / "alexa", help="recordings of the wake word")
    parser.add_argument("--word", default="alexa")
    parser.add_argument("--sensitivity", type=float, nargs="+", default=[0.5, 0.3])
    parser.add_argument("--read-minutes", type=float, default=0.0, help="length of the speech that is read aloud")
    chosen = parser.parse_args(arguments)
    words = [read_recording(path) for path in sorted(chosen.recordings.glob("*.flac"))]
    others = [read_recording(path) for path in sorted(SPEECH.glob("*.wav"))]
    room = np.tile(read_recording(SPEECH / "near_silence.wav"), 4)
    print(
        f"{chosen.word}: {len(words)} recordings, {sum(to_seconds(len(each)) for each in others):.0f} s of other sound"
    )
    print("arm                  recall          false wakes/h  delay p50/p95 s   ms/s word  ms/s other  ms/s room")
    for sensitivity in chosen.sensitivity:
        for arm in ARMS:
            ear = Ear(chosen.models, chosen.word, sensitivity, arm)
            print(_row(f"{sensitivity:g} {arm}", _measure(ear, words, others, room)), flush=True)
    if chosen.read_minutes:
        _count_false(chosen.models, chosen.word, chosen.sensitivity, chosen.read_minutes * 60)
    return 0


def _count_false(models: Path, word: str, sensitivities: Sequence[float], length_s: float) -> None:
    """Print the false wakes of all arms in the same synthetic speech."""
    arms = {(each, arm): Ear(models, word, each, arm) for each in sensitivities for arm in ARMS}
    false, cost, read_s = dict.fromkeys(arms, 0), dict.fromkeys(arms, 0.0), 0.0
    shown_s = _SHOWN_EVERY_S
    for sentence, pcm in _read_aloud(models, word):
        for arm, ear in arms.items():
            ends, spent = ear.listen(pcm)
            if ends:
                print(f"{arm[1]}: woken by: {sentence}", flush=True)
            false[arm] += len(ends)
            cost[arm] += spent
        read_s += to_seconds(len(pcm))
        if read_s >= min(shown_s, length_s):
            _show_false(false, cost, read_s)
            shown_s += _SHOWN_EVERY_S
        if read_s >= length_s:
            break


def _show_false(false: Mapping[_Arm, int], cost: Mapping[_Arm, float], read_s: float) -> None:
    for (sensitivity, arm), count in false.items():
        print(
            f"{sensitivity:g} {arm:<15} {count} false wakes in "
            f"{read_s / 3600:.2f} h of synthetic speech ({3600 * count / read_s:.1f} an hour), "
            f"{1000 * cost[sensitivity, arm] / read_s:.1f} ms a second",
            flush=True,
        )


def _read_aloud(models: Path, word: str) -> Iterator[tuple[str, Pcm]]:
    """The documentation without ``word``, three sentences in English and one in Korean at a time, without end."""
    engines = {engine.id: engine.create(lambda name: models / name, 2) for engine in (piper.ENGINE, kokoro.ENGINE)}
    sentences = {language: cycle(_sentences(language, word)) for language in TEXTS}
    voices = {"en": cycle(ENGLISH), "ko": cycle(KOREAN)}
    for language in cycle(("en", "en", "en", "ko")):
        engine, _, name = next(voices[language]).partition(" ")
        voice = (
            Voice(language=language, speed=float(name)) if engine == "piper" else Voice(language=language, name=name)
        )
        sentence = next(sentences[language])
        pieces = list(engines[engine].synthesize(spoken_text(sentence, language), voice))
        if pieces:
            pcm = resample(np.concatenate(pieces), engines[engine].sample_rate, SAMPLE_RATE)
            yield sentence, np.concatenate((pcm, np.zeros(to_samples(0.3), np.int16)))


def _sentences(language: str, word: str) -> list[str]:
    """The sentences of the texts in a language, without tables, code and the wake word."""
    found: list[str] = []
    for path in (each for pattern in TEXTS[language] for each in sorted(ROOT.glob(pattern))):
        chunker = SentenceChunker()
        for line in path.read_text(encoding="utf-8").splitlines():
            if line and line[0] not in "|`#<!":
                found += chunker.feed(line.replace("`", "") + "\n")
        found += chunker.flush()
    spoken = (each for each in found if sum(map(str.isalpha, each)) > 10)
    return [each for each in spoken if word.replace("_", " ") not in each.casefold()]


class Ear:
    """One arm.

    Args:
        models: folder of the models.
        word: the wake word.
        sensitivity: threshold of the score.
        arm: one of ``ARMS``.
    """

    def __init__(self, models: Path, word: str, sensitivity: float, arm: str) -> None:
        least = UNSURE_SHARE * sensitivity if arm == ARMS[2] else 1.0
        options = WakeOptions(word=word, sensitivity=sensitivity, least=least)
        self._detector = wake_engines().get("openwakeword").create(lambda name: models / name, options)
        self._gated = arm != ARMS[0]
        self._check = _check(models) if arm == ARMS[2] else None

    def listen(self, sound: Pcm) -> tuple[list[int], float]:
        """Ends of the hits, and the processor time of detector and check, because voice detection runs anyway."""
        self._detector.reset()
        ends: list[int] = []
        spent, at, since = 0.0, 0, 0
        for frame, active in _frames(sound, gated=self._gated):
            began = time.process_time()
            hit = self._detector.feed(frame, active=active)
            at += len(frame)
            if hit is not None and self._is_confirmed(hit, sound[:at]):
                ends.append(since + hit.end)
            elif hit is not None and hit.sure:
                self._detector.reset()
                since = at
            spent += time.process_time() - began
        return ends, spent

    def _is_confirmed(self, hit: WakeHit, sound: Pcm) -> bool:
        if self._check is None:
            return True
        return asyncio.run(self._check.confirms(hit, sound[-to_samples(CHECK_S) :].tobytes(), "ko"))


def _check(models: Path) -> WakeCheck:
    """The check of hits, with the recogniser that most users have."""
    threads = [ModelThread(name, Work()) for name in ("recognizer", "turn-end")]
    return WakeCheck(
        Ears(
            voice=VoiceActivity(),
            unprocessed_voice=VoiceActivity(),
            recognizer=faster_whisper.ENGINE.create(lambda name: models / name, RecognizerOptions(threads=1)),
            recognizer_thread=threads[0],
            wake=None,
            turn_end=None,
            turn_end_thread=threads[1],
            echo=None,
        ),
        longest_s=60.0,  # hours of speech are read beside other work
    )


def _measure(ear: Ear, words: list[Pcm], others: list[Pcm], room: Pcm) -> Outcome:
    lead, tail = np.zeros(to_samples(3), np.int16), np.zeros(to_samples(1), np.int16)
    delays: list[float] = []
    cost = sound_s = 0.0
    for word in words:
        ends, spent = ear.listen(np.concatenate((lead, word, tail)))
        cost, sound_s = cost + spent, sound_s + to_seconds(len(lead) + len(word) + len(tail))
        if ends:
            delays.append(to_seconds(ends[0] - len(lead) - _end_of_sound(word)))
    false, other_cost = 0, 0.0
    for other in others:
        ends, spent = ear.listen(np.concatenate((lead, other)))
        false, other_cost = false + len(ends), other_cost + spent
    other_s = sum(to_seconds(len(lead) + len(other)) for other in others)
    _, room_cost = ear.listen(room)
    return Outcome(
        heard=len(delays),
        clips=len(words),
        delays_s=delays,
        false_wakes=false,
        other_s=other_s,
        cost_ms=(1000 * cost / sound_s, 1000 * other_cost / other_s, 1000 * room_cost / to_seconds(len(room))),
    )


def _frames(sound: Pcm, *, gated: bool) -> Iterator[tuple[Pcm, bool]]:
    voice = VoiceActivity() if gated else None
    for at in range(0, len(sound) - FRAME_SAMPLES + 1, FRAME_SAMPLES):
        frame = sound[at : at + FRAME_SAMPLES]
        yield frame, voice is None or voice.feed(frame.tobytes()).speech


def _end_of_sound(word: Pcm) -> int:
    """Index of the last sample above a tenth of the largest amplitude."""
    loud = np.flatnonzero(np.abs(word.astype(np.int32)) > np.abs(word.astype(np.int32)).max() // 10)
    return int(loud[-1])


def _row(arm: str, outcome: Outcome) -> str:
    recall = f"{outcome.heard}/{outcome.clips} {100 * outcome.heard / outcome.clips:5.1f} %"
    median, late = (float(np.percentile(outcome.delays_s or [np.nan], share)) for share in (50, 95))
    per_hour = 3600 * outcome.false_wakes / outcome.other_s
    word, other, room = outcome.cost_ms
    return (
        f"{arm:<20} {recall:<15} {outcome.false_wakes} ({per_hour:.0f}/h)".ljust(52)
        + f"{median:+.2f} / {late:+.2f}".ljust(18)
        + f"{word:9.1f} {other:11.1f} {room:10.2f}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
