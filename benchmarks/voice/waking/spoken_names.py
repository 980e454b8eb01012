"""How often a called name is missed, and how often other speech wakes an agent (V-06).

Ten Korean and five English names are said alone and with a request in the same breath. These calls are synthetic
(Kokoro and piper voices, with noise), apart from the recordings of people who say "Alexa". The other speech consists
of human recordings, cut at their pauses, of synthetic sentences, and of calls of other names. Each onset is
transcribed as the voice loop does it, and compared with the wake phrases. Human voices in a room are harder than
synthetic ones, so the synthetic rates are lower limits.

Each name is also enrolled: one voice says it at three speeds. The calls of the same voice (at another noise, and in a
sentence) and of the other voices are judged with the spellings that this adds. Every three recordings of "Alexa", each
of another person, are an enrolment that is judged with the other recordings.

    python benchmarks/voice/waking/spoken_names.py [--models DIR] [--keep FILE] [--noise 25 12] [--arms given]
"""

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

import numpy as np
from numpy.typing import NDArray

from assistant.app.host.places import default_home, models_folder
from assistant.audio.cards.recordings import read_recording
from assistant.audio.resampling import Resampler
from assistant.audio.speech_segments import SpeechChange, SpeechTiming, SpeechTracker
from assistant.audio.vad import VoiceActivity
from assistant.core.audio import FRAME_SAMPLES, SAMPLE_RATE, to_samples
from assistant.core.errors import EngineError, ModelFileError
from assistant.speech.stt.recognizer import Recognizer, RecognizerOptions
from assistant.speech.stt.registry import recognizers
from assistant.speech.text.names.calls import alike, called
from assistant.speech.text.names.enrolment import TAKES, enrolled, resembles
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import Voice
from assistant.voice.waking.name_hearing import LEAD_IN_MS, PAUSE_MS, READ_AFTER_MS

SPEECH = Path(__file__).resolve().parents[3] / "tests" / "data" / "speech"
KOREAN = ("도치야", "토리", "김비서", "루나야", "별님아", "하늘", "자비스", "꼬마 요정", "박사님", "뽀삐야")
ENGLISH = ("Jarvis", "hey computer", "Friday", "Samantha", "Alexa")
REQUESTS = {"ko": "오늘 날씨 어때?", "en": "what time is it?"}
SENTENCES = {
    "ko": (
        "오늘 저녁에 뭐 먹을까?",
        "어제 그 드라마 봤어?",
        "다음 소식입니다. 정부가 새 대책을 내놓았습니다.",
        "엄마, 나 학교 다녀올게.",
        "거기 리모컨 좀 줘.",
        "비가 많이 올 것 같은데.",
        "도서관에 같이 갈래?",
        "하루 종일 일만 했어.",
        "토요일에 시간 있어?",
        "김치찌개 끓여 줄까?",
        "박수 한번 쳐 주세요.",
        "누나는 언제 와?",
    ),
    "en": (
        "What do you want for dinner tonight?",
        "Did you see the game yesterday?",
        "I think it is going to rain.",
        "The computer is in the other room.",
        "See you on Saturday morning.",
        "A lecture starts at nine.",
    ),
}
VOICES = {
    "ko": (("kokoro", "kf_sori"), ("kokoro", "hf_alpha"), ("kokoro", "hm_omega")),
    "en": (("kokoro", "af_heart"), ("kokoro", "am_michael"), ("piper", "")),
}
SPEEDS = (0.9, 1.0, 1.15)
"""Speeds at which a name is said when it is enrolled."""
ENROLMENT = "enrolment"
Pcm = NDArray[np.int16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One transcribed onset.

    Attributes:
        arm: whether the language was detected or given.
        kind: synthetic call, human call, human speech or synthetic speech.
        phrase: the wake phrase that was said; empty for other speech.
        said: what was said, as far as it is known, and by which voice.
        text: the transcript.
        cost_s: seconds of the transcription.
    """

    arm: str
    kind: str
    phrase: str
    said: str
    text: str
    cost_s: float


def main(arguments: Sequence[str] | None = None) -> int:
    """Transcribe all onsets and print the rates."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--models", type=Path, default=models_folder(default_home()), help="folder of the models")
    parser.add_argument("--noise", type=float, nargs="+", default=[25.0, 12.0], help="signal to noise in dB, in turn")
    parser.add_argument("--keep", type=Path, help="file of the transcripts; if it exists, nothing is transcribed anew")
    parser.add_argument("--arms", nargs="+", default=["detected", "given"], choices=["detected", "given"])
    chosen = parser.parse_args(arguments)
    if chosen.keep is not None and chosen.keep.exists():
        heard = [Heard(**json.loads(line)) for line in chosen.keep.read_text("utf-8").splitlines()]
    else:
        heard = []
        for each in _hear_all(chosen.models, chosen.noise, chosen.arms):
            heard.append(each)
            if chosen.keep is not None:
                with chosen.keep.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(asdict(each), ensure_ascii=False) + "\n")
    for arm in dict.fromkeys(each.arm for each in heard):
        print(f"\nThe language is {arm}.")
        _report([each for each in heard if each.arm == arm and each.kind != ENROLMENT])
        _report_enrolment([each for each in heard if each.arm == arm])
    return 0


def _hear_all(models: Path, noise: Sequence[float], arms: Sequence[str]) -> Iterator[Heard]:
    recognizer = recognizers().get("faster_whisper").create(lambda name: models / name, RecognizerOptions(threads=2))
    random = np.random.default_rng(1)
    _read(recognizer, np.zeros(SAMPLE_RATE, np.int16), "ko", detect=True)
    for index, (kind, phrase, language, said, pcm) in enumerate(chain(_human(), _synthetic(models))):
        level = noise[index % len(noise)] if kind.startswith("synthetic") else noise[0] if kind == ENROLMENT else None
        sound = pcm if level is None else _noisy(pcm, level, random)
        shown = said if level is None else f"{said} {level:g} dB"
        for arm in arms:
            began = time.perf_counter()
            text = _read(recognizer, sound, language, detect=arm == "detected")
            cost_s = time.perf_counter() - began
            yield Heard(arm=arm, kind=kind, phrase=phrase, said=shown, text=text, cost_s=cost_s)


def _read(recognizer: Recognizer, pcm: Pcm, language: str, *, detect: bool) -> str:
    """Transcribe an onset for a user who speaks ``language``, in this language or in the detected one."""
    return recognizer.transcribe(pcm, language=None if detect else language, likely=language, draft=True).text


def _synthetic(models: Path) -> Iterator[tuple[str, str, str, str, Pcm]]:
    for language, names in (("ko", KOREAN), ("en", ENGLISH)):
        for engine, voice in VOICES[language]:
            try:
                synthesizer = synthesizers().get(engine).create(lambda name: models / name, 2)
            except (EngineError, ModelFileError) as error:
                print(f"{engine} {voice} is left out: {error}")
                continue
            said = [("synthetic call", name, f"{name}!", 1.0) for name in names]
            said += [("synthetic call", name, f"{name}, {REQUESTS[language]}", 1.0) for name in names]
            said += [(ENROLMENT, name, f"{name}.", speed) for name in names for speed in SPEEDS]
            if voice == VOICES[language][0][1]:
                said += [("synthetic speech", "", sentence, 1.0) for sentence in SENTENCES[language]]
            for kind, phrase, text, speed in said:
                pieces = list(synthesizer.synthesize(text, Voice(language=language, name=voice, speed=speed)))
                pcm = Resampler(synthesizer.sample_rate, SAMPLE_RATE).push(np.concatenate(pieces), last=True)
                yield kind, phrase, language, f"{text} ({voice or engine})", _onset(pcm)
            synthesizer.close()


def _human() -> Iterator[tuple[str, str, str, str, Pcm]]:
    for path in sorted((SPEECH / "alexa").glob("*.flac")):
        yield "human call", "Alexa", "en", path.name, _onset(read_recording(path))
    for path in sorted(SPEECH.glob("*.wav")):
        for index, pcm in enumerate(_utterances(read_recording(path))):
            yield "human speech", "", "en" if path.name.startswith("en") else "ko", f"{path.name} {index}", pcm


def _onset(pcm: Pcm) -> Pcm:
    """The first moment of the speech in a recording."""
    return next(_utterances(pcm), pcm[: to_samples((LEAD_IN_MS + READ_AFTER_MS) / 1000)])


def _utterances(pcm: Pcm) -> Iterator[Pcm]:
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


def _noisy(pcm: Pcm, ratio_db: float, random: np.random.Generator) -> Pcm:
    """The sound with pink noise."""
    loudness = np.sqrt(np.mean(pcm.astype(np.float64) ** 2))
    spectrum = np.fft.rfft(random.standard_normal(len(pcm)))
    spectrum[1:] /= np.sqrt(np.arange(1, len(spectrum)))
    noise = np.fft.irfft(spectrum, len(pcm))
    noise *= loudness / np.sqrt(np.mean(noise**2)) / 10 ** (ratio_db / 20)
    return np.clip(pcm + noise, -32768, 32767).astype(np.int16)


def _report(heard: Sequence[Heard]) -> None:
    names = (*KOREAN, *ENGLISH)
    for kind in ("synthetic call", "human call"):
        for group in (KOREAN, ENGLISH):
            calls = [each for each in heard if each.kind == kind and each.phrase in group]
            missed = [each for each in calls if called(each.text, each.phrase) is None]
            if calls:
                label = f"{kind}, {'Korean' if group is KOREAN else 'English'} names"
                print(f"{label}: missed {len(missed)} of {len(calls)} ({len(missed) / len(calls):.1%})")
            for each in missed:
                print(f"    {each.said}: heard {each.text!r}")
    for kind in ("human speech", "synthetic speech", "synthetic call", "human call"):
        onsets = [each for each in heard if each.kind == kind]
        pairs = [(each, name) for each in onsets for name in names if not alike(name, each.phrase)]
        wrong = [(each, name) for each, name in pairs if called(each.text, name) is not None]
        woken = len({id(each) for each, _ in wrong})
        share = len(wrong) / max(1, len(pairs))
        print(
            f"{kind}: {len(wrong)} of {len(pairs)} onset-name pairs wake wrongly ({share:.2%}); "
            f"with all {len(names)} names {woken} of {len(onsets)} onsets"
        )
        for each, name in wrong:
            print(f"    {each.said}: heard {each.text!r}, wakes {name}")
    costs = sorted(each.cost_s for each in heard)
    print(
        f"transcription of an onset: median {costs[len(costs) // 2]:.2f} s, p95 {costs[int(len(costs) * 0.95)]:.2f} s"
    )


def _report_enrolment(heard: Sequence[Heard]) -> None:
    """How many calls are missed, and how much other speech wakes, with and without the spellings of enrolments."""
    calls = [each for each in heard if each.kind == "synthetic call"]
    other = [each for each in heard if each.kind != ENROLMENT]
    for label, names in (("Korean", KOREAN), ("English", ENGLISH)):
        counts = {"the same voice": [0, 0, 0], "other voices": [0, 0, 0]}
        spellings = wrong = pairs = refused = 0
        for name in names:
            for voice in dict.fromkeys(_voice_of(each) for each in calls if each.phrase in names):
                takes = [e.text for e in heard if (e.kind, e.phrase, _voice_of(e)) == (ENROLMENT, name, voice)]
                takes = [text for text in takes if resembles(name, text)]
                refused += len(takes) < TAKES
                added = _spellings(name, takes) if len(takes) == TAKES else ()
                spellings += len(added)
                for each in (each for each in calls if each.phrase == name):
                    count = counts["the same voice" if _voice_of(each) == voice else "other voices"]
                    count[0] += 1
                    count[1] += called(each.text, name) is None
                    count[2] += not _wakes(each.text, (name, *added))
                    if added and called(each.text, name) is None:
                        print(f"    {each.said}: heard {each.text!r}, enrolled by {voice} as {', '.join(added)}")
                for each in (each for each in other if not alike(name, each.phrase)):
                    pairs += 1
                    wrong += called(each.text, name) is None and _wakes(each.text, added)
        for who, (count_of, before, after) in counts.items():
            print(f"{label} names enrolled, calls of {who}: missed {before} before, {after} after, of {count_of}")
        print(f"    {spellings} spellings, {refused} enrolments refused, {wrong} of {pairs} pairs wake wrongly by them")
    people = [each.text for each in heard if each.kind == "human call"]
    before = after = 0
    for start in range(len(people) - TAKES + 1):
        takes = people[start : start + TAKES]
        rest = people[:start] + people[start + TAKES :]
        good = all(resembles("Alexa", text) for text in takes)
        before += sum(called(text, "Alexa") is None for text in rest)
        after += sum(not _wakes(text, ("Alexa", *(_spellings("Alexa", takes) if good else ()))) for text in rest)
    runs = max(1, len(people) - TAKES + 1)
    print(f"Alexa enrolled by three other people: missed {before / runs:.2f} before, {after / runs:.2f} after")


def _spellings(name: str, takes: Sequence[str]) -> tuple[str, ...]:
    others = [each for each in (*KOREAN, *ENGLISH) if each != name]
    return enrolled(name, takes, others).spellings


def _wakes(text: str, names: Sequence[str]) -> bool:
    return any(called(text, each) is not None for each in names)


def _voice_of(heard: Heard) -> str:
    """The voice that is named at the end of ``said``."""
    return heard.said.rpartition("(")[2].partition(")")[0]


if __name__ == "__main__":
    sys.exit(main())
