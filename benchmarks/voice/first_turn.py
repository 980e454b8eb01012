"""The first turn of a process beside a later turn of the same process, run by ``listen``.

Each run is one process. It hears a recording twice in real time, far enough apart that the first answer has ended. The
figure is the time from the end of speech to the first sound of the answer, measured in the written wav.
"""

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from assistant.core.audio import SAMPLE_RATE
from assistant.core.settings import Language
from benchmarks.voice.wav_files import first_sound_s, written
from benchmarks.wire.scripted_servers import scripted_servers

ROOT = Path(__file__).resolve().parents[2]
BETWEEN_S = 9.0
"""Silence after each playing, in seconds; the short answer begins and ends within it."""
REPLIES: dict[Language, str] = {"ko": "네, 알겠습니다.", "en": "Sure, I can do that."}


@dataclass(slots=True)
class Turns:
    """Delays of first and later turns in seconds."""

    first_s: list[float] = field(default_factory=list)
    later_s: list[float] = field(default_factory=list)

    @property
    def ratio(self) -> float:
        """Median of the first turns, divided by the median of the later turns."""
        return statistics.median(self.first_s) / statistics.median(self.later_s)


def measure(trees: dict[str, Path], clips: Sequence[tuple[str, Language, NDArray[np.int16]]], folder: Path) -> None:
    """Play each clip twice to a fresh process of each tree, alternately, and print the results.

    Args:
        trees: the checkouts of Sori to measure, by name.
        clips: name, language and sound of each recording. The sound ends with the speech.
        folder: folder for the written files.
    """
    turns = {name: Turns() for name in trees}
    print(f"\n{'recording':<20} {'Sori':<8} {'first':>7} {'later':>7}   seconds to first sound, a fresh process each")
    with scripted_servers(REPLIES) as urls:
        for label, language, pcm in clips:
            path, ends_s = _twice(folder, pcm)
            for name, tree in trees.items():
                first, later = _listen(tree, path, ends_s, language, urls[language], folder)
                print(f"{label:<20} {name:<8} {_told(first)} {_told(later)}", flush=True)
                if first is not None and later is not None:
                    turns[name].first_s.append(first)
                    turns[name].later_s.append(later)
    for name, each in turns.items():
        first_s, later_s = statistics.median(each.first_s), statistics.median(each.later_s)
        print(
            f"{name}: n {len(each.first_s)}, p50 first {first_s:.2f} s, later {later_s:.2f} s, ratio {each.ratio:.2f}"
        )


def _told(delay_s: float | None) -> str:
    return "  never" if delay_s is None else f"{delay_s:7.2f}"


def _twice(folder: Path, pcm: NDArray[np.int16]) -> tuple[Path, tuple[float, float]]:
    """Write the sound twice, each followed by silence; returns the path and the ends of speech in seconds."""
    silence = np.zeros(round(BETWEEN_S * SAMPLE_RATE), np.int16)
    path = written(folder / "twice.wav", pcm, silence, pcm, silence)
    length_s = len(pcm) / SAMPLE_RATE
    return path, (length_s, 2 * length_s + BETWEEN_S)


def _listen(
    tree: Path, path: Path, ends_s: tuple[float, float], language: Language, url: str, folder: Path
) -> tuple[float | None, float | None]:
    home = folder / f"home_{tree.name}"
    home.mkdir(exist_ok=True)
    provider = f'[[providers]]\nname = "scripted"\nkind = "openai"\nbase_url = {json.dumps(url)}\n'
    chosen = f'language = "{language}"\n[llm]\nprovider = "scripted"\nmodel = "scripted-model"\n{provider}'
    (home / "config.toml").write_text(chosen, encoding="utf-8")
    output = folder / "answer.wav"
    command = [sys.executable, "-m", "assistant.app.command_line", "listen", "--no-wake"]
    command += ["--pace", "realtime", "--input", str(path), "--output", str(output)]
    subprocess.run(command, cwd=tree, env=os.environ | {"SORI_HOME": str(home)}, stdout=subprocess.DEVNULL, check=True)
    first, later = (first_sound_s(output, end, BETWEEN_S) for end in ends_s)
    return first, later
