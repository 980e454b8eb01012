"""Runs whole sessions on recordings for a benchmark, in a process of its own, with a given source tree.

Engines are loaded once and used for all sessions. Reads one job per line from its input and writes one answer per line:

    {"input": …, "base_url": …, "language": …, "wake_word": …, "no_wake": …, "tts": …, "echo_gain_db": …, …}
    {"events": [ … the session's trace … ]}
"""

import asyncio
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = sys.argv[1]

from assistant.app.cli.options import ListenOptions
from assistant.app.commands import listen
from assistant.core.settings import LlmSettings, Provider, Settings, VoiceSettings
from assistant.engine.voice_wiring import load_voice
from assistant.voice.threads.model_thread import ModelThread

Job = dict[str, Any]


def main() -> int:
    """Answer jobs until the input ends."""
    # Output of the session must not mix with the answers.
    answers, sys.stdout = sys.stdout, sys.stderr
    home = Path(sys.argv[2])
    # Time is audio time, so a busy machine may take any time.
    (ModelThread.__init__.__kwdefaults__ or {})["limit_s"] = 3600.0
    listen.load_voice = _loaded_once()  # type: ignore[attr-defined]
    for line in sys.stdin:
        events = asyncio.run(_run(home, json.loads(line)))
        answers.write(json.dumps({"events": events}) + "\n")
        answers.flush()
    return 0


def _loaded_once() -> Callable[..., Any]:
    """A ``load_voice`` that loads engines once for the same settings, and resets them for each session."""
    loaded: dict[str, Any] = {}

    async def load(settings: Settings, *others: Any, **options: Any) -> Any:
        key = repr(settings.voice)
        if key not in loaded:
            loaded[key] = await load_voice(settings, *others, **options)
        voice = loaded[key]
        if voice.wake is not None:
            voice.wake.reset()
        return voice

    return load


async def _run(home: Path, job: Job) -> list[dict[str, Any]]:
    options = ListenOptions(
        input=Path(job["input"]),
        output=Path(job["output"]),
        pace=job["pace"],
        no_wake=job["no_wake"],
        echo_gain_db=job["echo_gain_db"],
        echo_delay_ms=job["echo_delay_ms"],
    )
    settings = Settings(
        language=job["language"],
        llm=LlmSettings(provider="scripted", model="scripted-model"),
        providers=(Provider(name="scripted", kind="openai", base_url=job["base_url"]),),
        voice=replace(
            VoiceSettings(),
            cues=False,
            wake_word=job["wake_word"],
            tts=job["tts"],
            early_answers=job["early_answers"],
        ),
    )
    return await listen.hear(home, settings, options, lambda _event: None)


if __name__ == "__main__":
    raise SystemExit(main())
