"""The settings: each key of ``config.toml`` is declared here, with its type, default, limits, and when it acts.

Titles and help are texts, ``setting.<name>.title`` and ``.help`` in both languages. ``core/configuration/`` makes a
table of the declarations. The settings file of the first start, the checks, ``sori settings`` and docs/settings.md come
from it.
"""

from dataclasses import dataclass, field
from typing import Any, Literal

from assistant.core.setting_declaration import Acts, Measure, Refers, declared, setting

Language = Literal["ko", "en"]
ReasoningEffort = Literal["minimal", "low", "medium", "high"]

_COUNT = (1, 100_000_000)
_PRICE = (0, 1_000_000)
_MODEL = Refers.MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider of language models (P-01); data only.

    ``kind`` is the API that it speaks, as declared by a module of ``assistant.llm.providers``. ``local`` is the
    embedded server unless ``base_url`` names another.
    """

    name: str = field(metadata=declared(example="mine"))
    kind: str = field(metadata=declared(example="openai", refers=Refers.PROVIDER_KIND))
    base_url: str = setting("", example="http://127.0.0.1:11434/v1")
    api_key_env: str = setting("", example="MINE_API_KEY")
    api_key: str = setting("", secret=True, expert=True)
    extra: dict[str, Any] = field(default_factory=dict, hash=False, metadata=declared(expert=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """The user's corrections to Sori's table of model facts: one ``[[models]]`` entry. ``None`` keeps the table's fact.

    Prices are US dollars per million tokens.
    """

    model: str = field(metadata=declared(expert=True, example="some-model"))
    provider: str = setting("", expert=True)
    tools: bool | None = setting(None, expert=True)
    images: bool | None = setting(None, expert=True)
    reasoning: bool | None = setting(None, expert=True)
    context_tokens: int | None = setting(None, between=_COUNT, expert=True, unit=Measure.TOKENS)
    max_output_tokens: int | None = setting(None, between=_COUNT, expert=True, unit=Measure.TOKENS)
    small: bool | None = setting(None, expert=True)
    price_input: float | None = setting(None, between=_PRICE, expert=True)
    price_cached: float | None = setting(None, between=_PRICE, expert=True)
    price_output: float | None = setting(None, between=_PRICE, expert=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """The language models and their limits.

    A *reference* names a model: ``model`` of the chosen provider, or ``provider/model`` if the part before the first
    slash is a provider's name. A provider's name alone means its only or default model. ``None`` leaves a value to the
    server.
    """

    provider: str = setting("", refers=Refers.PROVIDER, example="mine", leaves=True)
    model: str = setting("", example="some-model", leaves=True)
    light_model: str = setting("", refers=_MODEL, example="some-light-model", leaves=True)
    strong_model: str = setting("", refers=_MODEL, example="some-strong-model", leaves=True)
    routing: Literal["auto", "light", "strong", "off"] = setting("auto", expert=True)
    fallbacks: tuple[str, ...] = setting((), refers=_MODEL, example=("mine",), leaves=True)
    first_byte_timeout_s: float = setting(20.0, between=(0.1, 600), expert=True, unit=Measure.SECONDS)
    loading_timeout_s: float = setting(120.0, between=(0.1, 3600), expert=True, unit=Measure.SECONDS)
    total_timeout_s: float = setting(60.0, between=(1, 3600), expert=True, unit=Measure.SECONDS)
    temperature: float | None = setting(None, between=(0, 2), expert=True)
    max_output_tokens: int | None = setting(None, between=(1, 1_000_000), expert=True, unit=Measure.TOKENS)
    reasoning: bool = setting(False, expert=True)
    reasoning_effort: ReasoningEffort = setting("medium", expert=True)
    reasoning_budget: int | None = setting(None, between=(0, 1_000_000), expert=True, unit=Measure.TOKENS)
    embedded_model: str = setting("", expert=True)
    threads: int = setting(0, between=(0, 256), expert=True)
    context_tokens: int = setting(4096, between=(512, 1_048_576), expert=True, unit=Measure.TOKENS)
    suggest_better: bool = setting(True, Acts.NOW)
    unload_after_s: float = setting(600.0, between=(0, 86_400), expert=True, unit=Measure.SECONDS)
    kept_prompts: int = setting(8, between=(0, 1000), expert=True)
    kept_prompts_mb: int = setting(512, between=(1, 1_000_000), expert=True, unit=Measure.MEGABYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceSettings:
    """How Sori listens and speaks."""

    wake_word: str = setting("hey_jarvis", Acts.NOW, refers=Refers.WAKE_WORD, travels=True)
    wake_sensitivity: float = setting(0.5, Acts.NOW, between=(0.01, 1), tool=True)
    wake_frames: int = setting(1, Acts.NOW, between=(1, 20), expert=True)
    wake_cooldown_s: float = setting(2.0, Acts.NOW, between=(0, 60), expert=True, unit=Measure.SECONDS)
    language: Literal["auto", "ko", "en"] = setting("auto", Acts.NOW, travels=True)
    stt: str = setting("faster_whisper", Acts.NOW, refers=Refers.RECOGNIZER, expert=True)
    stt_model: str = setting("", refers=_MODEL, leaves=True)
    stt_size: Literal["auto", "base", "small"] = setting("auto", Acts.NOW)
    stt_device: Literal["auto", "cpu", "cuda"] = setting("auto", Acts.NOW)
    stt_compute_type: Literal[
        "auto", "int8", "int8_float32", "int8_float16", "int8_bfloat16", "int16", "float32", "float16", "bfloat16"
    ] = setting("auto", Acts.NOW)
    tts: str = setting("auto", Acts.NOW, refers=Refers.SYNTHESIZER, leaves=True)
    tts_model: str = setting("", refers=_MODEL, leaves=True)
    tts_voice: str = setting("")
    voice: str = setting("", Acts.NOW, refers=Refers.VOICE, tool=True, travels=True)
    speed: float = setting(1.0, Acts.NOW, between=(0.5, 2), tool=True, unit=Measure.TIMES, travels=True)
    turn_taking: Literal["fast", "balanced", "patient"] = setting("balanced", Acts.NOW, tool=True, travels=True)
    early_answers: Literal["always", "local", "never"] = setting("always", Acts.NOW, leaves=True)
    silence_timeout_s: float = setting(
        10.0, Acts.NOW, between=(1, 600), tool=True, expert=True, unit=Measure.SECONDS, travels=True
    )
    # Recognisers take 30 seconds and need silence after the last word.
    max_utterance_s: float = setting(28.0, Acts.NOW, between=(2, 28), expert=True, unit=Measure.SECONDS)
    preroll_ms: int = setting(400, between=(0, 2000), expert=True, unit=Measure.MILLISECONDS)
    input_device: str = setting("", Acts.NOW, refers=Refers.MICROPHONE)
    output_device: str = setting("", Acts.NOW, refers=Refers.SPEAKER)
    echo_cancellation: bool = setting(True, Acts.NOW, expert=True)
    speak_typed: bool = setting(False, tool=True, travels=True)
    cues: bool = setting(True, Acts.NOW, tool=True, travels=True)
    cue_awake: bool = setting(True, Acts.NOW, tool=True, travels=True)
    cue_heard: bool = setting(True, Acts.NOW, tool=True, travels=True)
    cue_error: bool = setting(True, Acts.NOW, tool=True, travels=True)
    threads: int = setting(0, Acts.NOW, between=(0, 256), expert=True)

    @property
    def voices(self) -> tuple[str, ...]:
        """The names in ``voice``."""
        return tuple(name for each in self.voice.split(",") if (name := each.strip()))


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopSettings:
    """The window. F2 renames conversations, so it is no talk key."""

    theme: Literal["system", "light", "dark"] = setting("system", Acts.NOW, tool=True, travels=True)
    level_meter: bool = setting(True, Acts.NOW, tool=True, travels=True)
    reduced_motion: bool = setting(False, Acts.NOW, tool=True, travels=True)
    talk_key: Literal["F1", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"] = setting(
        "F9", Acts.NOW, refers=Refers.KEYS
    )
    global_shortcuts: bool = setting(False, Acts.NOW)
    global_toggle: str = setting("ctrl+alt+j", Acts.NOW, refers=Refers.KEYS)
    global_talk: str = setting("ctrl+alt+space", Acts.NOW, refers=Refers.KEYS)
    global_dictate: str = setting("ctrl+alt+v", Acts.NOW, refers=Refers.KEYS)
    global_quick: str = setting("ctrl+alt+k", Acts.NOW, refers=Refers.KEYS)
    global_read: str = setting("ctrl+alt+r", Acts.NOW, refers=Refers.KEYS)
    start_at_login: bool = setting(False, Acts.NOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings:
    """What Sori remembers."""

    personal: bool = setting(True, tool=True, leaves=True)
    automatic: bool = setting(True)
    max_size: int = setting(4_000, between=(200, 100_000), unit=Measure.CHARACTERS, travels=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """What a model is sent with a question (C-01, C-05, C-20). Sizes are numbers of characters."""

    max_size: int = setting(80_000, between=(4_000, 4_000_000), unit=Measure.CHARACTERS, travels=True)
    recent_messages: int = setting(30, between=(6, 1_000), unit=Measure.MESSAGES, travels=True)
    summary: bool = setting(True, travels=True)
    reminder: str = setting("", longest=2_000, travels=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSettings:
    """Which of the user's files tools may read, how files are read, and where their passages are kept."""

    folders: tuple[str, ...] = setting((), example=("~/Documents",), refers=Refers.FOLDER)
    ocr: bool = setting(True, Acts.NOW)
    index: str = setting("", Acts.RESTART, leaves=True, expert=True)
    meanings: str = setting("", Acts.RESTART, refers=_MODEL, leaves=True, expert=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Searching the web."""

    provider: Literal["searxng", "brave"] = setting("searxng", leaves=True)
    url: str = setting("", leaves=True)
    api_key_env: str = setting("", expert=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesSettings:
    """Pictures that models make."""

    model: str = setting("", refers=_MODEL, leaves=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellSettings:
    """Shell commands of models."""

    folder: str = setting("", refers=Refers.FOLDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """HTTP for other programs and browsers of this computer (F-08)."""

    enabled: bool = setting(False, Acts.NOW, leaves=True)
    port: int = setting(7674, Acts.NOW, between=(1, 65535))


@dataclass(frozen=True, slots=True, kw_only=True)
class PhoneSettings:
    """The web page for phones of the same network."""

    enabled: bool = setting(False, Acts.NOW, leaves=True)
    port: int = setting(7675, Acts.NOW, between=(1024, 65535))


@dataclass(frozen=True, slots=True, kw_only=True)
class TelegramSettings:
    """Messages to a bot of the user's on Telegram (G-01, G-04)."""

    enabled: bool = setting(False, Acts.NOW, leaves=True)
    missed_messages: int = setting(20, Acts.NOW, between=(0, 100), unit=Measure.MESSAGES)
    missed_hours: int = setting(24, Acts.NOW, between=(1, 720), unit=Measure.HOURS)
    voice_answers: Literal["never", "spoken", "always"] = setting("spoken", Acts.NOW)
    server: str = setting("", Acts.NOW, leaves=True, expert=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SyncSettings:
    """The account that this device shares with others of the user's (S-01, S-02)."""

    server: str = setting("", Acts.NOW, leaves=True, expert=True)
    paused: bool = setting(False, Acts.NOW)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings."""

    language: Language = setting("ko", Acts.NOW, tool=True, travels=True)
    llm: LlmSettings = field(default_factory=LlmSettings)
    providers: tuple[Provider, ...] = setting(())
    models: tuple[ModelFacts, ...] = setting((), expert=True)
    voice: VoiceSettings = field(default_factory=VoiceSettings)
    desktop: DesktopSettings = field(default_factory=DesktopSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    files: FilesSettings = field(default_factory=FilesSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    images: ImagesSettings = field(default_factory=ImagesSettings)
    shell: ShellSettings = field(default_factory=ShellSettings)
    http: HttpSettings = field(default_factory=HttpSettings)
    phone: PhoneSettings = field(default_factory=PhoneSettings)
    telegram: TelegramSettings = field(default_factory=TelegramSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
