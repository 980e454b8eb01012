"""Time from the end of speech to the first sound of the answer: Sori beside two usual pipelines.

The same human recordings go through three alternating arms in real time, with the same models and the same scripted
model server (first token after 300 ms, then 40 tokens a second):

- B0: 700 ms of silence, batch ``transcribe()``, the whole reply, synthesised in one piece;
- B1: 640 ms of silence, batch ``transcribe()``, the reply spoken sentence by sentence while it streams;
- Sori.

The first sound is measured in the written wav. The end of speech is the last sound of the recording. Then the
recordings are played with a pause inside the sentence, and the pauses that an arm took for the end are counted. Finally
the first turn of a fresh process is compared with a later turn of the same process (``first_turn``). ``--first-turn``
measures only this; ``--baseline-tree`` adds another checkout.

    python benchmarks/voice/voice_latency.py [--rounds 3] [--home DIR] [--first-turn] [--baseline-tree DIR]
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import numpy as np
from numpy.typing import NDArray

from assistant.app.cli.options import ListenOptions
from assistant.app.commands.listen import hear
from assistant.app.host.model_store import open_store
from assistant.app.host.needed_models import needed_models
from assistant.app.host.places import default_home
from assistant.audio.cards.files import FileCard
from assistant.audio.cards.recordings import read_recording
from assistant.audio.playback import Playback
from assistant.core.audio import SAMPLE_RATE
from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Language, LlmSettings, Provider, Settings, VoiceSettings
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.router import BackendRegistry
from assistant.speech.tts.choice import SynthesizerSet
from benchmarks.voice import first_turn
from benchmarks.voice.batch_pipeline import B0, B1, Arm, Parts, load_whisper, run_batch
from benchmarks.voice.wav_files import first_sound_s, written
from benchmarks.wire.scripted_servers import scripted_servers
from tests.fakes.ledger import MemoryLedger

ROOT = Path(__file__).resolve().parents[2]
SPEECH = ROOT / "tests" / "data" / "speech"
REPLIES: dict[Language, str] = {
    "ko": "네, 알겠습니다. 거실과 침실의 불을 모두 파란색으로 바꿨어요. 밝기는 지금 그대로 두었습니다. "
    "나중에 다시 바꾸고 싶으면 언제든지 말씀해 주세요. 더 필요한 것이 있으면 바로 도와 드릴게요.",
    "en": "Sure, I can do that. Your order is on its way and will be ready in about five minutes. "
    "You can pick it up at the counter. Let me know if you would like anything else with it.",
}
FIRST_TOKEN_MS = 300
TOKENS_PER_SECOND = 40
PACE = ("--first-token-ms", str(FIRST_TOKEN_MS), "--tokens-per-second", str(TOKENS_PER_SECOND))
PAUSES_S = (0.5, 0.7)
LISTEN_ON_S = 9.0
"""Silence after each recording, in seconds; every arm begins its answer within it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """A recording followed by silence.

    Attributes:
        path: path of the wav.
        language: spoken language.
        end_s: end of speech in seconds.
        name: name of the recording.
    """

    path: Path
    language: Language
    end_s: float
    name: str


WHOLE: tuple[tuple[str, Language], ...] = (
    ("ko_lights_blue", "ko"),
    ("en_coffee_order", "en"),
    ("ko_read_sentence", "ko"),
    ("en_read_sentence", "en"),
    ("ko_hotel_question", "ko"),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run everything and print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3, help="how often each recording goes through each arm")
    parser.add_argument("--home", type=Path, default=default_home(), help="the folder with the models")
    parser.add_argument("--first-turn", action="store_true", help="only the first turn beside a later one")
    parser.add_argument("--baseline-tree", type=Path, help="another checkout, for its first turn")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        if not chosen.first_turn:
            with scripted_servers(REPLIES, *PACE) as urls:
                asyncio.run(_compare(chosen.home, Path(folder), urls, chosen.rounds))
        _compare_first_turns(chosen, Path(folder))
    return 0


def _compare_first_turns(chosen: argparse.Namespace, folder: Path) -> None:
    os.environ["SORI_MODELS"] = str(open_store(chosen.home).folder)
    trees = {"ours": ROOT}
    if chosen.baseline_tree is not None:
        trees["before"] = chosen.baseline_tree.resolve()
    clips = [(name, language, _speech(name)) for _ in range(chosen.rounds) for name, language in WHOLE]
    first_turn.measure(trees, clips, folder)


async def _compare(home: Path, folder: Path, urls: dict[Language, str], rounds: int) -> None:
    store = open_store(home)
    settings = {language: _settings(language, url) for language, url in urls.items()}
    await asyncio.to_thread(store.ensure, needed_models(settings["ko"]))
    os.environ["SORI_MODELS"] = str(store.folder)
    threads = os.cpu_count() or 2
    router = BackendRegistry.discovered(
        BackendNeeds(
            ledger=MemoryLedger(),
            key_of=lambda _provider: "",
            embedded_model=folder,
            settings=LiveSettings(Settings(llm=LlmSettings(context_tokens=0, threads=0))),
        )
    )
    parts = Parts(
        whisper=load_whisper(store.path("whisper-base"), threads),
        voices=SynthesizerSet("auto", store.path),
        backend=router.backend_for(settings["ko"].providers[0]),
    )
    bench = _Bench(folder, settings, parts)
    for language in urls:
        parts.voices.prepare(language)
    await bench.measure_delays([_whole(folder, *each) for each in WHOLE], rounds)
    await bench.count_cuts([_paused(folder, *each, pause) for each in WHOLE for pause in PAUSES_S])
    await router.close()


class _Bench:
    def __init__(self, folder: Path, settings: dict[Language, Settings], parts: Parts) -> None:
        self._folder = folder
        self._settings = settings
        self._parts = parts

    async def measure_delays(self, clips: list[Clip], rounds: int) -> None:
        """Measure the delay from the end of speech to the first sound, for each arm."""
        delays: dict[str, list[float]] = {"B0": [], "B1": [], "Sori": []}
        print(f"{'recording':<20} {'round':>5} {'B0':>8} {'B1':>8} {'Sori':>8}   seconds to first sound")
        for number in range(1, rounds + 1):
            for clip in clips:
                row = []
                for name in delays:
                    delay, _ends = await self._run(name, clip)
                    row.append(delay)
                    if delay is not None:
                        delays[name].append(delay)
                cells = " ".join("   never" if delay is None else f"{delay:8.2f}" for delay in row)
                print(f"{clip.name:<20} {number:>5} {cells}", flush=True)
        print("\n".join(delay_lines(delays)))

    async def count_cuts(self, clips: list[Clip]) -> None:
        """Count the pauses in sentences that an arm took for the end."""
        cuts = {"B0": 0, "B1": 0, "Sori": 0}
        for clip in clips:
            for name in cuts:
                _delay, ends = await self._run(name, clip)
                cuts[name] += any(end < clip.end_s for end in ends)
        print(f"\nfalse cut-offs in {len(clips)} sentences with a pause of {PAUSES_S} s")
        for name, count in cuts.items():
            print(f"{name:<20} {count:>5}")

    async def _run(self, name: str, clip: Clip) -> tuple[float | None, list[float]]:
        """Play a clip to an arm; returns the first sound's delay after its end, and the detected ends."""
        output = self._folder / "answer.wav"
        if name == "Sori":
            ends = await self._run_sori(clip, output)
        else:
            ends = await self._run_batch(B0 if name == "B0" else B1, clip, output)
        return first_sound_s(output, clip.end_s), ends

    async def _run_sori(self, clip: Clip, output: Path) -> list[float]:
        options = ListenOptions(input=clip.path, output=output, pace="realtime", no_wake=True)
        home = self._folder / "home"
        home.mkdir(exist_ok=True)
        events = await hear(home, self._settings[clip.language], options, lambda _event: None)
        return [event["t"] for event in events if event["event"] == "speech_ended"]

    async def _run_batch(self, arm: Arm, clip: Clip, output: Path) -> list[float]:
        playback = Playback()

        async def idle() -> None:
            """In real time nothing is awaited."""

        card = FileCard(
            clip.path,
            output,
            playback,
            pace="realtime",
            echo_gain_db=None,
            echo_delay_ms=0,
            wait_until_idle=idle,
            tail=lambda: False,
        )
        await card.open()
        try:
            run = await run_batch(arm, self._parts, card, playback, self._settings[clip.language].providers[0])
        finally:
            await card.close()
        return run.ended_s


def _settings(language: Language, url: str) -> Settings:
    return Settings(
        language=language,
        llm=LlmSettings(provider="scripted", model="scripted-model"),
        providers=(Provider(name="scripted", kind="openai", base_url=url),),
        voice=replace(VoiceSettings(), cues=False),
    )


def _whole(folder: Path, name: str, language: Language) -> Clip:
    pcm = _speech(name)
    return _clip(folder, name, language, pcm)


def _paused(folder: Path, name: str, language: Language, pause_s: float) -> Clip:
    """The recording with a pause at the quietest moment of its middle third."""
    pcm = _speech(name)
    window = SAMPLE_RATE // 10
    third = len(pcm) // 3
    power = np.convolve(np.square(pcm[third : 2 * third].astype(np.float64)), np.ones(window), "valid")
    cut = third + int(np.argmin(power)) + window // 2
    silence = np.zeros(round(pause_s * SAMPLE_RATE), np.int16)
    return _clip(folder, f"{name}_{pause_s}", language, np.concatenate((pcm[:cut], silence, pcm[cut:])))


def _speech(name: str) -> NDArray[np.int16]:
    """The recording up to the end of speech."""
    pcm = read_recording(SPEECH / f"{name}.wav")
    loud = np.abs(pcm.astype(np.int32))
    level = np.sqrt(np.convolve(np.square(loud.astype(np.float64)), np.ones(160) / 160, "same"))
    return pcm[: int(np.flatnonzero(level > 0.05 * level.max())[-1]) + 1]


def _clip(folder: Path, name: str, language: Language, pcm: NDArray[np.int16]) -> Clip:
    silence = np.zeros(round(LISTEN_ON_S * SAMPLE_RATE), np.int16)
    path = written(folder / f"{name}.wav", pcm, silence)
    return Clip(path=path, language=language, end_s=len(pcm) / SAMPLE_RATE, name=name)


def delay_lines(delays: dict[str, list[float]]) -> list[str]:
    """The table of the arms' delays in seconds, and Sori's share of each other arm's; an arm may have none."""
    lines = [f"\n{'':<20} {'n':>5} {'p50':>8} {'p95':>8}"]
    for name, values in delays.items():
        shown = f"{statistics.median(values):8.2f} {_p95(values):8.2f}" if values else "never answered"
        lines.append(f"{name:<20} {len(values):>5} {shown}")
    ours = delays["Sori"]
    for name in ("B0", "B1"):
        other = delays[name]
        if not ours or not other:
            silent = name if ours else "Sori"
            lines.append(f"Sori / {name}: no comparison, because {silent} never answered")
            continue
        p50, p95 = statistics.median(ours) / statistics.median(other), _p95(ours) / _p95(other)
        lines.append(f"Sori / {name}: p50 {p50:.2f}, p95 {p95:.2f}")
    return lines


def _p95(values: list[float]) -> float:
    return float(np.percentile(values, 95))


if __name__ == "__main__":
    sys.exit(main())
