"""Time from the end of speech to the first sound of the answer: Sori beside three other pipelines.

The same human recordings go through alternating arms in real time, each run in a fresh process, with the same models
and voices and the same scripted model server (first token after 300 ms, then 40 tokens a second):

- B0: 700 ms of silence, batch ``transcribe()``, the whole reply, synthesised in one piece;
- B1: 640 ms of silence, batch ``transcribe()``, the reply spoken sentence by sentence while it streams;
- pipecat: a pipeline of pipecat's own parts, in an environment that the script makes (``pipecat_arm``);
- Sori.

Each recording is heard twice by one process: the first turn of the process, and a later one. The first sound is
measured in the written wav. The end of speech is the last sound of the recording. Then the recordings are played with a
pause inside the sentence, and the pauses that an arm took for the end are counted. Finally a second recording is said
into the answers of the arms that can be interrupted, and the time to silence is measured.

    python -m benchmarks.voice.voice_latency [--part turns cuts interruptions] [--clips N] [--rounds N]
        [--arms B0 B1 pipecat Sori] [--home DIR] [--baseline-tree DIR]
"""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from numpy.typing import NDArray

from assistant.audio.cards.recordings import read_recording
from assistant.core.audio import SAMPLE_RATE
from assistant.core.settings import Language, Settings
from assistant.host.model_store import open_store
from assistant.host.needed_models import needed_models
from assistant.host.places import default_home
from benchmarks.voice.listening import trimmed
from benchmarks.voice.turn.arms import Arms
from benchmarks.voice.wav_files import first_sound_s, silent_from_s, written
from benchmarks.wire.scripted_servers import scripted_servers

SPEECH = Path(__file__).resolve().parents[2] / "tests" / "data" / "speech"
REPLIES: dict[Language, str] = {
    "ko": "네, 알겠습니다. 거실과 침실의 불을 모두 파란색으로 바꿨어요. 밝기는 지금 그대로 두었습니다. "
    "나중에 다시 바꾸고 싶으면 언제든지 말씀해 주세요. 더 필요한 것이 있으면 바로 도와 드릴게요.",
    "en": "Sure, I can do that. Your order is on its way and will be ready in about five minutes. "
    "You can pick it up at the counter. Let me know if you would like anything else with it.",
}
FIRST_TOKEN_MS = 300
TOKENS_PER_SECOND = 40
PACE = ("--first-token-ms", str(FIRST_TOKEN_MS), "--tokens-per-second", str(TOKENS_PER_SECOND))
ARMS = ("B0", "B1", "pipecat", "Sori")
INTERRUPTED = ("pipecat", "Sori", "before")
"""The arms that stop when somebody speaks."""
PARTS = ("turns", "cuts", "interruptions")
PAUSES_S = (0.5, 0.7)
BETWEEN_S = 20.0
"""Silence between the two questions of a run; the answer begins and ends within it."""
LISTEN_ON_S = 7.0
"""Silence after the last question; an answer begins within it."""
INTERRUPTED_AFTER_S = 7.0
"""From the end of the question to the interruption; all answers are then being spoken."""
WHOLE: tuple[tuple[str, Language], ...] = (
    ("ko_lights_blue", "ko"),
    ("en_coffee_order", "en"),
    ("ko_read_sentence", "ko"),
    ("en_read_sentence", "en"),
    ("ko_hotel_question", "ko"),
)
Pcm = NDArray[np.int16]
Delays = dict[str, list[tuple[Language, float | None]]]
"""Seconds to the first sound by arm; ``None`` for an answer that never began."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """What is said, without silence after it.

    Attributes:
        name: name of the recording.
        language: spoken language.
        pcm: the sound.
    """

    name: str
    language: Language
    pcm: Pcm

    @property
    def length_s(self) -> float:
        """Length in seconds."""
        return len(self.pcm) / SAMPLE_RATE


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen parts and print their tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--rounds", type=int, default=1, help="how often each recording goes through each arm")
    parser.add_argument("--clips", type=int, default=len(WHOLE), help="how many recordings")
    parser.add_argument("--skip", type=int, default=0, help="recordings to leave out before them")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS))
    parser.add_argument("--home", type=Path, default=default_home(), help="the folder with the models")
    parser.add_argument("--baseline-tree", type=Path, help="another checkout, as one more arm")
    chosen = parser.parse_args(arguments)
    names = [*chosen.arms, *(["before"] if chosen.baseline_tree else [])]
    clips = [read_clip(*each) for each in WHOLE[chosen.skip : chosen.skip + chosen.clips]]
    store = open_store(chosen.home)
    store.ensure(needed_models(Settings(language="ko")))
    with tempfile.TemporaryDirectory() as folder, scripted_servers(REPLIES, *PACE) as urls:
        before = chosen.baseline_tree.resolve() if chosen.baseline_tree else None
        arms = Arms(folder=Path(folder), models=store.folder, urls=urls, before=before)
        for part in chosen.part:
            for _ in range(chosen.rounds):
                _PART_RUNS[part](arms, names, clips)
    return 0


def measure_turns(arms: Arms, names: Sequence[str], clips: Sequence[Clip]) -> tuple[Delays, Delays]:
    """The delay from the end of speech to the first sound, in the first and in a later turn of each arm's process."""
    first: Delays = {name: [] for name in names}
    later: Delays = {name: [] for name in names}
    print(f"\n{'recording':<20} {'arm':<8} {'first':>7} {'later':>7}   seconds to first sound", flush=True)
    for clip in clips:
        path = written(arms.folder / "twice.wav", clip.pcm, _silence(BETWEEN_S), clip.pcm, _silence(LISTEN_ON_S))
        for name in names:
            output = arms.run(name, path, clip.language).output
            begun = first_sound_s(output, clip.length_s, BETWEEN_S)
            again = first_sound_s(output, 2 * clip.length_s + BETWEEN_S) if begun is not None else None
            again = None if again == 0.0 else again  # The first answer has not ended in time.
            first[name].append((clip.language, begun))
            later[name].append((clip.language, again))
            print(f"{clip.name:<20} {name:<8} {_told(begun)} {_told(again)}", flush=True)
    for title, delays in (("first turn of a process", first), ("later turn", later)):
        print(f"\n{title}, seconds from the end of speech to the first sound")
        print("\n".join(delay_lines(delays)), flush=True)
    return first, later


def _count_cuts(arms: Arms, names: Sequence[str], clips: Sequence[Clip]) -> None:
    """Count the pauses in sentences that an arm took for the end."""
    cuts = dict.fromkeys(names, 0)
    for clip in clips:
        for pause_s in PAUSES_S:
            paused = _paused(clip, pause_s)
            path = written(arms.folder / "paused.wav", paused.pcm, _silence(1.0))
            for name in names:
                ends_s = arms.run(name, path, clip.language).ends_s
                cut = any(end < paused.length_s for end in ends_s)
                cuts[name] += cut
                print(f"{paused.name:<24} {name:<8} {'CUT' if cut else '-'}", flush=True)
    print(f"\nsentences taken for ended in a pause of {PAUSES_S} s, of {len(clips) * len(PAUSES_S)}")
    for name, count in cuts.items():
        print(f"{name:<20} {count:>5}", flush=True)


def _interrupt(arms: Arms, names: Sequence[str], clips: Sequence[Clip]) -> None:
    """Say the next recording into each answer, and measure the time to silence."""
    heard = [name for name in names if name in INTERRUPTED]
    silent: Delays = {name: [] for name in heard}
    print(f"\n{'recording':<20} {'arm':<8} {'silent':>7}   seconds after the interruption began", flush=True)
    for number, clip in enumerate(clips):
        other = next(each for each in [*clips[number + 1 :], *clips] if each.language == clip.language)
        interruption = trimmed(other.pcm)
        begins_s = clip.length_s + INTERRUPTED_AFTER_S
        path = written(
            arms.folder / "interrupted.wav", clip.pcm, _silence(INTERRUPTED_AFTER_S), interruption, _silence(1.0)
        )
        for name in heard:
            output = arms.run(name, path, clip.language).output
            after_s = silent_from_s(output, begins_s, len(interruption) / SAMPLE_RATE)
            silent[name].append((clip.language, after_s))
            print(f"{clip.name:<20} {name:<8} {_told(after_s)}", flush=True)
    print("\nseconds from the first sound of an interruption to silence")
    print("\n".join(delay_lines(silent)), flush=True)


_PART_RUNS = {"turns": measure_turns, "cuts": _count_cuts, "interruptions": _interrupt}


def read_clip(name: str, language: Language) -> Clip:
    """The recording up to the end of speech."""
    pcm = read_recording(SPEECH / f"{name}.wav")
    loud = np.abs(pcm.astype(np.int32))
    level = np.sqrt(np.convolve(np.square(loud.astype(np.float64)), np.ones(160) / 160, "same"))
    return Clip(name=name, language=language, pcm=pcm[: int(np.flatnonzero(level > 0.05 * level.max())[-1]) + 1])


def _paused(clip: Clip, pause_s: float) -> Clip:
    """The recording with a pause at the quietest moment of its middle third."""
    window = SAMPLE_RATE // 10
    third = len(clip.pcm) // 3
    power = np.convolve(np.square(clip.pcm[third : 2 * third].astype(np.float64)), np.ones(window), "valid")
    cut = third + int(np.argmin(power)) + window // 2
    pcm = np.concatenate((clip.pcm[:cut], _silence(pause_s), clip.pcm[cut:]))
    return Clip(name=f"{clip.name}_{pause_s}", language=clip.language, pcm=pcm)


def _silence(seconds: float) -> Pcm:
    return np.zeros(round(seconds * SAMPLE_RATE), np.int16)


def _told(delay_s: float | None) -> str:
    return "  never" if delay_s is None else f"{delay_s:7.2f}"


def delay_lines(delays: Mapping[str, Sequence[tuple[Language, float | None]]]) -> list[str]:
    """The table of the arms' times in seconds by language, and Sori's share of each other arm's."""
    lines = [f"{'':<10} {'language':<8} {'n':>4} {'p50':>7} {'p95':>7} {'never':>6}"]
    for name, values in delays.items():
        for language in (*dict.fromkeys(each for each, _ in values), "all"):
            mine = [delay for each, delay in values if language in (each, "all")]
            known = [delay for delay in mine if delay is not None]
            shown = f"{statistics.median(known):7.2f} {_p95(known):7.2f}" if known else f"{'-':>7} {'-':>7}"
            lines.append(f"{name:<10} {language:<8} {len(mine):>4} {shown} {len(mine) - len(known):>6}")
    ours = [delay for _, delay in delays.get("Sori", ()) if delay is not None]
    for name, values in delays.items():
        other = [delay for _, delay in values if delay is not None]
        if name == "Sori" or "Sori" not in delays:
            continue
        if not ours or not other:
            lines.append(f"Sori / {name}: no comparison, because {'Sori' if other else name} has no figure")
            continue
        p50, p95 = statistics.median(ours) / statistics.median(other), _p95(ours) / _p95(other)
        lines.append(f"Sori / {name}: p50 {p50:.2f}, p95 {p95:.2f}")
    return lines


def _p95(values: list[float]) -> float:
    return float(np.percentile(values, 95))


if __name__ == "__main__":
    sys.exit(main())
