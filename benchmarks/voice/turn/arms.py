"""The arms of the latency benchmark: each run plays one recording, in real time, to one arm in a fresh process.

All arms have the same models, voices and model server. They load their models before the first sample.

- ``B0``, ``B1``: the usual pipelines of ``batch_pipeline``;
- ``pipecat``: a pipeline of pipecat's own parts, see ``pipecat_arm/pipeline.py``;
- ``Sori``: ``sori listen`` of this tree, ``before`` that of another checkout, and ``project`` that of this tree in a
  conversation about the project ``project``.
"""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from assistant.core.settings import Language
from benchmarks.voice.pipecat_arm.environment import pipecat_python

ROOT = Path(__file__).resolve().parents[3]
VOICES: dict[Language, str] = {"ko": "kokoro", "en": "piper"}
"""The synthesiser of each language in all arms."""
THREADS = str(os.cpu_count() or 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What an arm did with a recording.

    Attributes:
        ends_s: audio times at which it took the utterance for ended.
        output: the wav that it played.
    """

    ends_s: list[float] = field(default_factory=list)
    output: Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Arms:
    """Runs the arms.

    Args:
        folder: a folder for their files.
        models: the folder of the models.
        urls: the model server of each language.
        before: another checkout of Sori; ``None`` without this arm.
        project: name of a project in ``home``; empty without this arm.
    """

    folder: Path
    models: Path
    urls: dict[Language, str]
    before: Path | None = None
    project: str = ""

    @property
    def home(self) -> Path:
        """The user's folder of this tree's Sori."""
        return self.folder / "home"

    def run(self, name: str, recording: Path, language: Language) -> Heard:
        """Play a recording to an arm."""
        output = self.folder / f"{name}.wav"
        if name == "Sori":
            ends = self._sori(ROOT, recording, output, language)
        elif name == "project":
            ends = self._sori(ROOT, recording, output, language, "--project", self.project)
        elif name == "before" and self.before is not None:
            ends = self._sori(self.before, recording, output, language)
        else:
            ends = self._pipeline(name, recording, output, language)
        return Heard(ends_s=ends, output=output)

    def _pipeline(self, name: str, recording: Path, output: Path, language: Language) -> list[float]:
        """Run a pipeline whose process prints its result as its last line."""
        places = [str(recording), str(output), language, self.urls[language], str(self.models)]
        if name == "pipecat":
            command = [str(pipecat_python()), "-m", "benchmarks.voice.pipecat_arm.pipeline", *places]
        else:
            command = [sys.executable, "-m", "benchmarks.voice.batch_pipeline", name, VOICES[language], *places]
        # The thread count of CTranslate2, which pipecat's service does not set.
        environment = os.environ | {"OMP_NUM_THREADS": THREADS}
        done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        ends: list[float] = json.loads(done.stdout.splitlines()[-1])["ends"]
        return ends

    def _sori(self, tree: Path, recording: Path, output: Path, language: Language, *options: str) -> list[float]:
        home = self.home if tree == ROOT else self.folder / "home_before"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(scripted_config(self.urls[language], language), encoding="utf-8")
        trace = self.folder / "trace.json"
        command = [sys.executable, "-m", "assistant.app.command_line", "listen", "--no-wake", "--pace", "realtime"]
        command += ["--input", str(recording), "--output", str(output), "--trace", str(trace), *options]
        environment = os.environ | {"SORI_HOME": str(home), "SORI_MODELS": str(self.models)}
        subprocess.run(command, cwd=tree, env=environment, stdout=subprocess.DEVNULL, check=True)
        events = json.loads(trace.read_text(encoding="utf-8"))
        return [event["t"] for event in events if event["event"] == "speech_ended"]


def scripted_config(url: str, language: Language) -> str:
    """Settings of Sori with a scripted model server and the voice of all arms."""
    provider = f'[[providers]]\nname = "scripted"\nkind = "openai"\nbase_url = {json.dumps(url)}\n'
    voice = f'[voice]\ntts = "{VOICES[language]}"\n'
    return f'language = "{language}"\n[llm]\nprovider = "scripted"\nmodel = "scripted-model"\n{voice}{provider}'
