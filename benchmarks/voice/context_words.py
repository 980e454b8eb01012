"""What the words of a conversation do to the transcripts of human recordings.

The human recordings whose words are known are played at three speeds, without and with pink noise. Each sound is read
by one engine in four arms that take turns: no words are likely; those of a fitting conversation; those of another one;
no words again, which shows the noise of the measurement. Silence, noise and a quiet room are read as well.

- wrong: characters, as a share of those that were said;
- exact: recordings of which every letter is right;
- better, worse: sounds whose error differs from that of the arm without words;
- invented: likely words that are in the transcript, were not said and are not there without them;
- time: processor time, as a share of that without words; the median.

``--synthetic`` reads the sentences on which the limits were chosen, with synthetic voices, instead.

    python benchmarks/voice/context_words.py [--synthetic]
"""

import argparse
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.audio.resampling import resample
from assistant.engine.recognition.likely_words import likely_words
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.speech.stt.faster_whisper import MODEL, FasterWhisper
from assistant.speech.tts import kokoro
from assistant.speech.tts.synthesizer import Voice
from benchmarks.voice.final_transcript import NOISES_DB, SPEEDS, pink
from benchmarks.voice.hearing_words.sentences import SENTENCES
from tests.fakes.sound.human_speech import SAID, THREADS, character_error_rate, recording, silence

FITTING: Final = {
    "ko_lights_blue.wav": "거실 불을 켰어요. 파란색으로 바꿀까요?",
    "ko_read_sentence.wav": "그는 길에서 이리저리 뛰어다녔어요.",
    "en_read_sentence.wav": "Mr. Quilter writes about the gospel and the middle classes.",
    "en_coffee_order.wav": "We have a medium or large americano, with a single or double shot.",
}
"""What an assistant may have written before the recording."""
ARMS: Final = ("none", "fitting", "other", "none again")
VOICES: Final = {"ko": ("kf_sori", "hf_alpha", "hm_omega"), "en": ("af_heart", "am_michael")}
EMPTY_S: Final = 4.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """A sound, its words, and the words that are likely in each arm."""

    pcm: NDArray[np.int16]
    language: str
    said: str
    likely: dict[str, tuple[str, ...]]


@dataclass(slots=True)
class Tally:
    """The results of one arm."""

    wrong: list[float] = field(default_factory=list)
    shares: list[float] = field(default_factory=list)
    better: int = 0
    worse: int = 0
    invented: int = 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Read all sounds in all arms and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--synthetic", action="store_true")
    asked = parser.parse_args(arguments)
    store = open_store(default_home())
    store.ensure([MODEL, *([kokoro.MODEL] if asked.synthetic else [])])
    whisper = FasterWhisper(store.path(MODEL), THREADS)
    sounds = list(_synthetic(store.path(kokoro.MODEL)) if asked.synthetic else _human())
    for language in ("ko", "en"):
        _table(language, _measured(whisper, [each for each in sounds if each.language == language]))
    _empty(whisper)
    return 0


def _likely(text: str, others: Sequence[str], names: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    return {
        "none": (),
        "fitting": likely_words(names, [text, *others[:2]]),
        "other": likely_words((), others),
        "none again": (),
    }


def _human() -> Iterator[Spoken]:
    random = np.random.default_rng(5)
    others = {lang: [each.conversation for each in SENTENCES if each.language == lang][1:7] for lang in ("ko", "en")}
    for name, (language, said) in SAID.items():
        speech = recording(name).astype(np.float64)
        level = np.sqrt(np.mean(np.square(speech)))
        for noise_db in NOISES_DB:
            for speed in SPEEDS:
                sound = np.interp(np.arange(0, len(speech), speed), np.arange(len(speech)), speech)
                if noise_db is not None:
                    sound += pink(random, len(sound)) * level * 10 ** (-noise_db / 20)
                pcm = np.clip(sound, -32768, 32767).astype(np.int16)
                yield Spoken(pcm=pcm, language=language, said=said, likely=_likely(FITTING[name], others[language]))


def _synthetic(directory: Path) -> Iterator[Spoken]:
    engine = kokoro.Kokoro(directory, THREADS)
    for place, each in enumerate(SENTENCES):
        same = [other for other in SENTENCES if other.language == each.language and other is not each]
        others = [same[(place + step) % len(same)].conversation for step in range(6)]
        for name in VOICES[each.language]:
            pieces = list(engine.synthesize(each.said, Voice(language=each.language, name=name)))
            pcm = resample(np.concatenate(pieces), engine.sample_rate, 16_000)
            likely = _likely(each.conversation, others, each.names)
            yield Spoken(pcm=pcm, language=each.language, said=each.said, likely=likely)


def _measured(whisper: FasterWhisper, sounds: Sequence[Spoken]) -> dict[str, Tally]:
    found = {arm: Tally() for arm in ARMS}
    for turn, sound in enumerate(sounds):
        texts, seconds = {}, {}
        for arm in (*ARMS[turn % len(ARMS) :], *ARMS[: turn % len(ARMS)]):
            whisper.transcribe(silence(0.1), language=sound.language)  # so that nothing of the sound is known
            whisper.expect(sound.likely[arm])
            began = time.process_time()
            texts[arm] = whisper.transcribe(sound.pcm, language=sound.language).text
            seconds[arm] = time.process_time() - began
        for arm in ARMS:
            _add(found[arm], sound, arm, texts, seconds)
    return found


def _add(tally: Tally, sound: Spoken, arm: str, texts: dict[str, str], seconds: dict[str, float]) -> None:
    wrong, alone = (character_error_rate(texts[each], sound.said) for each in (arm, "none"))
    tally.wrong.append(wrong)
    tally.shares.append(seconds[arm] / seconds["none"])
    tally.better += wrong < alone
    tally.worse += wrong > alone
    known = f"{_letters(texts['none'])} {_letters(sound.said)}"
    invented = [each for each in sound.likely[arm] if _letters(each) in _letters(texts[arm])]
    tally.invented += sum(_letters(each) not in known for each in invented)
    if texts[arm] != texts["none"]:
        print(f"  {arm}: {texts['none']} -> {texts[arm]}")


def _table(language: str, found: dict[str, Tally]) -> None:
    print(
        f"{language:12}{'n':>4}{'wrong':>8}{'exact':>7}{'better':>8}{'worse':>7}{'invented':>10}{'time':>7}{'p95':>7}"
    )
    for arm, tally in found.items():
        exact = sum(each == 0 for each in tally.wrong)
        print(
            f"{arm:12}{len(tally.wrong):>4}{statistics.mean(tally.wrong):>8.1%}{exact:>7}{tally.better:>8}"
            f"{tally.worse:>7}{tally.invented:>10}{statistics.median(tally.shares):>7.2f}"
            f"{float(np.percentile(tally.shares, 95)):>7.2f}"
        )


def _empty(whisper: FasterWhisper) -> None:
    """Count the likely words in transcripts of sounds without words."""
    random = np.random.default_rng(3)
    length = round(EMPTY_S * 16_000)
    sounds = [silence(EMPTY_S), recording("near_silence.wav")]
    sounds += [random.normal(0, level, length).astype(np.int16) for level in (30, 100, 300, 1_000, 3_000)]
    sounds += [(pink(random, length) * level).astype(np.int16) for level in (100, 1_000, 3_000)]
    changed = 0
    for sound in sounds:
        for place, each in enumerate(SENTENCES):
            if place % 6 == 0:
                whisper.expect(())
                alone = whisper.transcribe(sound, language=each.language).text
                whisper.expect(likely_words((*each.names, *each.alike), [each.conversation]))
                whisper.transcribe(silence(0.1), language=each.language)
                changed += whisper.transcribe(sound, language=each.language).text != alone
    print(f"sounds without words: {changed} transcripts changed by likely words, of {len(sounds) * 8}")


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


if __name__ == "__main__":
    sys.exit(main())
