"""``sori voices``: lists the voices, which of them are installed, and which are chosen."""

import json
from dataclasses import asdict, dataclass

from assistant.core.display.table import aligned
from assistant.core.errors import ModelFileError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.speech.tts.registry import synthesizers
from assistant.speech.tts.synthesizer import NamedVoice, SynthesizerEngine
from assistant.weights.store import ModelStore


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceRow:
    """One voice.

    Attributes:
        name: for ``[voice] voice`` and ``--voice``.
        language: language of the voice.
        engine: engine of the voice.
        licence: licence of the voice.
        here: whether its weights are on this machine, or its server is chosen.
        chosen: whether the settings name it.
    """

    name: str
    language: str
    engine: str
    licence: str
    here: bool
    chosen: bool


def run(store: ModelStore, settings: Settings, texts: Texts, *, as_json: bool) -> int:
    """Print the table; returns the exit status."""
    rows = voice_rows(store, settings)
    if as_json:
        print(json.dumps([asdict(each) for each in rows], ensure_ascii=False, indent=1))
        return 0
    heads = [texts(f"voices.column.{name}") for name in ("name", "language", "engine", "licence", "state")]
    languages: dict[tuple[str, str], list[str]] = {}
    for each in rows:
        languages.setdefault((each.engine, each.name), []).append(texts(f"voices.language.{each.language}"))
    cells = [
        [
            f"{each.name} *" if each.chosen else each.name,
            ", ".join(languages.pop((each.engine, each.name))),
            each.engine,
            each.licence,
            texts(_state(each)),
        ]
        for each in rows
        if (each.engine, each.name) in languages
    ]
    for row in aligned([heads, *cells]):
        print(row)
    print(texts("voices.legend"))
    return 0


def _state(row: VoiceRow) -> str:
    if synthesizers().engines[row.engine].remote:
        return "voices.state.chosen" if row.here else "voices.state.server"
    return "models.state.present" if row.here else "models.state.absent"


def voice_rows(store: ModelStore, settings: Settings) -> list[VoiceRow]:
    """Every voice; neural voices come first."""
    engines = sorted(synthesizers().engines.values(), key=lambda each: (not each.neural, each.rank, each.id))
    return [_row(store, settings, engine, voice) for engine in engines for voice in engine.voices]


def voice_names() -> list[str]:
    """Names of all voices."""
    return [voice.name for engine in synthesizers().engines.values() for voice in engine.voices]


def _row(store: ModelStore, settings: Settings, engine: SynthesizerEngine, voice: NamedVoice) -> VoiceRow:
    return VoiceRow(
        name=voice.name,
        language=voice.language,
        engine=engine.id,
        licence=engine.licence,
        here=settings.voice.tts == engine.id if engine.remote else _is_here(store, engine),
        chosen=voice.name in settings.voice.voices,
    )


def _is_here(store: ModelStore, engine: SynthesizerEngine) -> bool:
    try:
        for model in engine.models:
            store.path(model)
    except ModelFileError:
        return False
    return True
