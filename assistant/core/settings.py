"""Settings: the keys of ``config.toml`` and their defaults.

Parsing is pure: it takes the text of the file and returns ``Settings``, or raises ``SettingsError`` with the line.
Unknown keys are errors, so that a misspelt key is noticed.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from assistant.core.addresses import is_web_address
from assistant.core.errors import SettingsError
from assistant.core.formats.key_combination import Combination, read_combination
from assistant.core.formats.toml_text import line_of, parse_toml

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Language = Literal["ko", "en"]
ReasoningEffort = Literal["minimal", "low", "medium", "high"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider of language models (P-01); data only.

    Attributes:
        name: the user's name for it.
        kind: the API that it speaks, as declared by a module of ``assistant.llm.providers``. ``local`` is the embedded
            server unless ``base_url`` names another.
        base_url: root of the API; empty for the kind's default.
        api_key_env: environment variable that holds the key. A keyring entry with the provider's name takes precedence.
        api_key: the key itself, for users who want it in the file. The keyring and the variable take precedence.
        extra: API parameters for every request; they override Sori's own parameters (P-10).
    """

    name: str
    kind: str
    base_url: str = ""
    api_key_env: str = ""
    api_key: str = field(default="", repr=False)
    extra: dict[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """The user's corrections to Sori's table of model facts: one ``[[models]]`` entry. ``None`` keeps the table's fact.

    Attributes:
        model: the model's name.
        provider: name of the provider that the entry applies to; empty for every provider.
        tools: whether it can call tools.
        images: whether it accepts images.
        reasoning: whether it can reason before it answers.
        context_tokens: most tokens of a request and its answer together.
        max_output_tokens: most tokens of an answer.
        small: whether it works better with a short prompt and short tool descriptions.
        price_input: US dollars per million input tokens.
        price_cached: US dollars per million input tokens that the server had in its cache.
        price_output: US dollars per million output tokens.
    """

    model: str
    provider: str = ""
    tools: bool | None = None
    images: bool | None = None
    reasoning: bool | None = None
    context_tokens: int | None = None
    max_output_tokens: int | None = None
    small: bool | None = None
    price_input: float | None = None
    price_cached: float | None = None
    price_output: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmSettings:
    """The language models and their limits.

    A *reference* names a model: ``model`` of the chosen provider, or ``provider/model`` if the part before the first
    slash is a provider's name. A provider's name alone means its only or default model.

    Attributes:
        provider: name of a ``[[providers]]`` entry; empty for Sori's own server.
        model: model for all tasks without a model of their own, and for every task with ``routing`` off; empty for the
            provider's only or default model.
        light_model: reference of the model for conversation, summaries and titles; empty for ``model``.
        strong_model: reference of the model for analysis, code and mathematics; empty for ``model`` (P-23).
        routing: ``auto`` selects one of them by the request; the other values fix the choice.
        fallbacks: references to try in this order when the model fails before its first output (P-23).
        first_byte_timeout_s: time after which an answer that has not begun is abandoned (P-21).
        loading_timeout_s: the same for a server on this machine that loads a model or reads a prompt (P-21).
        total_timeout_s: time after which the user is told that an exchange takes long (P-21).
        temperature: sampling temperature; ``None`` leaves it to the server.
        max_output_tokens: longest answer in tokens; ``None`` leaves it to the server.
        reasoning: whether models that support it reason before they answer (P-09).
        reasoning_effort: reasoning effort, for models that take one.
        reasoning_budget: most tokens of reasoning, for models that take a budget; ``None`` for the provider's default.
        embedded_model: name of the embedded server's model; empty for the best one that fits the machine.
        threads: threads of the embedded server; 0 for one per physical core.
        context_tokens: context size of the embedded server.
        unload_after_s: idle time after which the embedded server is stopped; 0 keeps it running.
        kept_prompts: number of conversations whose processed prompts the embedded server keeps on disk; 0 keeps none.
        kept_prompts_mb: their total size limit in megabytes.
    """

    provider: str = ""
    model: str = ""
    light_model: str = ""
    strong_model: str = ""
    routing: Literal["auto", "light", "strong", "off"] = "auto"
    fallbacks: tuple[str, ...] = ()
    first_byte_timeout_s: float = 20.0
    loading_timeout_s: float = 120.0
    total_timeout_s: float = 60.0
    temperature: float | None = None
    max_output_tokens: int | None = None
    reasoning: bool = False
    reasoning_effort: ReasoningEffort = "medium"
    reasoning_budget: int | None = None
    embedded_model: str = ""
    threads: int = 0
    context_tokens: int = 4096
    unload_after_s: float = 600.0
    kept_prompts: int = 8
    kept_prompts_mb: int = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceSettings:
    """How Sori listens and speaks.

    Attributes:
        wake_word: name of an openWakeWord model.
        wake_sensitivity: detection threshold for the score, 0 to 1. A lower value wakes more easily.
        wake_frames: number of consecutive 80 ms frames that must reach the threshold.
        wake_cooldown_s: time after a wake word in which no other is detected.
        stt: id of the speech recogniser on this machine.
        stt_model: reference of a transcription model on a server, ``provider/model``, which gets finished utterances;
            empty for none. Drafts, names and everything that the server cannot transcribe stay with ``stt``.
        stt_size: size of the recogniser's model; ``auto`` for the measured recommendation, or ``base``.
        stt_device: device of the recogniser; ``auto`` for the measured recommendation, or the engine's default.
        stt_compute_type: type of the numbers that the recogniser calculates with; ``auto`` as for ``stt_device``.
        language: expected spoken language: ``auto``, ``ko`` or ``en``.
        tts: id of the synthesiser, or ``auto`` for the best one that speaks the text's language and is fast enough
            here.
        tts_model: reference of a model on a server, ``provider/model``, that speaks if ``tts`` is ``openai``; empty for
            ``tts-1`` of the first provider of that kind.
        tts_voice: name of that server's voice; empty for ``alloy``.
        voice: name of a voice, or one per language separated by commas; empty for the defaults.
        speed: pace of speech, 1 is normal.
        turn_taking: how soon a pause counts as the end of an utterance.
        silence_timeout_s: silence after which the conversation starts to end (V-02).
        max_utterance_s: length at which a transcript is cut and the next one begins. The limit is 28, because
            recognisers take 30 seconds and need silence after the last word.
        preroll_ms: length of the sound kept before the onset of speech.
        input_device: name of the microphone; empty for the system's default.
        output_device: name of the speaker; empty for the system's default.
        echo_cancellation: whether Sori's own voice is removed from the microphone signal.
        speak_typed: whether answers to typed messages are read aloud.
        cues: whether short sounds confirm waking, hearing and errors. Without it none of the three is played.
        cue_awake: whether waking is confirmed.
        cue_heard: whether the end of speech is confirmed.
        cue_error: whether an error has a sound.
        threads: threads that a speech model may use; 0 for all cores for voices and half of them for the recogniser.
        early_answers: whether a model is asked when the user has probably finished (V-23): ``always``, ``local`` (only
            models on this computer, because a request that goes on is asked twice), or ``never``.
    """

    wake_word: str = "hey_jarvis"
    wake_sensitivity: float = 0.5
    wake_frames: int = 1
    wake_cooldown_s: float = 2.0
    stt: str = "faster_whisper"
    stt_model: str = ""
    stt_size: Literal["auto", "base", "small"] = "auto"
    stt_device: Literal["auto", "cpu", "cuda"] = "auto"
    stt_compute_type: Literal[
        "auto", "int8", "int8_float32", "int8_float16", "int8_bfloat16", "int16", "float32", "float16", "bfloat16"
    ] = "auto"
    language: Literal["auto", "ko", "en"] = "auto"
    tts: str = "auto"
    tts_model: str = ""
    tts_voice: str = ""
    voice: str = ""
    speed: float = 1.0
    turn_taking: Literal["fast", "balanced", "patient"] = "balanced"
    silence_timeout_s: float = 10.0
    max_utterance_s: float = 28.0
    preroll_ms: int = 400
    input_device: str = ""
    output_device: str = ""
    echo_cancellation: bool = True
    speak_typed: bool = False
    cues: bool = True
    cue_awake: bool = True
    cue_heard: bool = True
    cue_error: bool = True
    threads: int = 0
    early_answers: Literal["always", "local", "never"] = "always"

    @property
    def voices(self) -> tuple[str, ...]:
        """The names in ``voice``."""
        return tuple(name for each in self.voice.split(",") if (name := each.strip()))


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopSettings:
    """The window.

    Attributes:
        theme: colour theme; ``system`` follows the desktop.
        level_meter: whether the microphone's level is shown.
        talk_key: the key that the user holds in the window to talk (V-21). F2 renames conversations.
        global_shortcuts: whether the desktop is asked for shortcuts that work in all windows (V-21).
        global_toggle: keys of the shortcut that begins and ends a conversation; empty for none. A desktop with its own
            settings of shortcuts takes them as a proposal.
        global_talk: keys of the shortcut that is held to talk; empty for none.
    """

    theme: Literal["system", "light", "dark"] = "system"
    level_meter: bool = True
    talk_key: Literal["F1", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"] = "F9"
    global_shortcuts: bool = False
    global_toggle: str = "ctrl+alt+j"
    global_talk: str = "ctrl+alt+space"


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySettings:
    """What Sori remembers.

    Attributes:
        personal: whether Sori remembers facts about the user and gives them to the language model.
        max_size: maximum size of each memory file in characters.
        automatic: whether a model picks lasting facts from the user's messages. Only a model that is not small does so.
    """

    personal: bool = True
    automatic: bool = True
    max_size: int = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextSettings:
    """What a model is sent with a question (C-01, C-05, C-20).

    Attributes:
        max_size: maximum size of a context in characters.
        recent_messages: minimum number of messages of the conversation in it; up to half as many more (C-01).
        summary: whether the messages before are summarised by the light model. Otherwise they are left out.
        reminder: the user's own reminder, which follows every message; empty for none.
    """

    max_size: int = 80_000
    recent_messages: int = 30
    summary: bool = True
    reminder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesSettings:
    """Which of the user's files tools may read.

    Attributes:
        folders: absolute paths of the folders, ``~`` for the home folder; none by default.
    """

    folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchSettings:
    """Searching the web.

    Attributes:
        provider: who searches. ``searxng`` is the user's own server at ``url``. ``brave`` is Brave's API, with a key.
        url: the address of a SearXNG server whose JSON format is on; empty for none.
        api_key_env: name of an environment variable that holds the key; the keyring comes first.
    """

    provider: Literal["searxng", "brave"] = "searxng"
    url: str = ""
    api_key_env: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagesSettings:
    """Pictures that models make.

    Attributes:
        model: reference of the model, ``provider/model``; empty for no pictures.
    """

    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellSettings:
    """Shell commands of models.

    Attributes:
        folder: absolute path of the folder in which commands run and which they may change; empty for no commands.
    """

    folder: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpSettings:
    """HTTP for other programs and browsers of this computer (F-08).

    Attributes:
        enabled: whether Sori listens. Callers need a token.
        port: the port on 127.0.0.1 and ::1.
    """

    enabled: bool = False
    port: int = 7674


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings."""

    language: Language = "ko"
    llm: LlmSettings = field(default_factory=LlmSettings)
    providers: tuple[Provider, ...] = ()
    models: tuple[ModelFacts, ...] = ()
    voice: VoiceSettings = field(default_factory=VoiceSettings)
    desktop: DesktopSettings = field(default_factory=DesktopSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    files: FilesSettings = field(default_factory=FilesSettings)
    search: SearchSettings = field(default_factory=SearchSettings)
    images: ImagesSettings = field(default_factory=ImagesSettings)
    shell: ShellSettings = field(default_factory=ShellSettings)
    http: HttpSettings = field(default_factory=HttpSettings)


_ANYTHING: Mapping[str, Collection[str]] = MappingProxyType({})

_hints = cache(get_type_hints)
"""The types of a table's entries. Agents' tables are read for each request."""
_Table = TypeVar("_Table", bound="DataclassInstance")


def number_words(value: float) -> str:
    """Format a number as a person types it: 36500 and 0.1, never 3.65e+04."""
    return str(value) if isinstance(value, int) else f"{value:.15g}"


def _span(place: str) -> dict[str, str]:
    """The bounds of a number, for an error text."""
    low, high = RANGES[place]
    return {"low": number_words(low), "high": number_words(high)}


_KIND_NAMES: Mapping[type, str] = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}

RANGES: Mapping[str, tuple[float, float]] = {
    "llm.first_byte_timeout_s": (0.1, 600),
    "llm.loading_timeout_s": (0.1, 3600),
    "llm.total_timeout_s": (1, 3600),
    "llm.temperature": (0, 2),
    "llm.max_output_tokens": (1, 1_000_000),
    "llm.threads": (0, 256),
    "llm.context_tokens": (512, 1_048_576),
    "llm.reasoning_budget": (0, 1_000_000),
    "llm.unload_after_s": (0, 86_400),
    "http.port": (1, 65535),
    "llm.kept_prompts": (0, 1000),
    "llm.kept_prompts_mb": (1, 1_000_000),
    "models.context_tokens": (1, 100_000_000),
    "models.max_output_tokens": (1, 100_000_000),
    "models.price_input": (0, 1_000_000),
    "models.price_cached": (0, 1_000_000),
    "models.price_output": (0, 1_000_000),
    "memory.max_size": (200, 100_000),
    "context.max_size": (4_000, 4_000_000),
    "context.recent_messages": (6, 1_000),
    "voice.wake_sensitivity": (0.01, 1),
    "voice.wake_frames": (1, 20),
    "voice.wake_cooldown_s": (0, 60),
    "voice.speed": (0.5, 2),
    "voice.silence_timeout_s": (1, 600),
    "voice.max_utterance_s": (2, 28),
    "voice.preroll_ms": (0, 2000),
    "voice.threads": (0, 256),
}
"""Smallest and largest value of each number, by dotted path."""

LONGEST: Mapping[str, int] = {"context.reminder": 2_000}
"""Maximum length of texts in characters, by dotted path; other texts have none."""


def parse_settings(
    text: str, *, choices: Mapping[str, Collection[str]] = _ANYTHING, language: Language = "ko"
) -> Settings:
    """Parse the text of ``config.toml``.

    Args:
        text: the text of the file.
        choices: the possible values of text settings, by dotted path without indices, where only other parts of the
            program know them. Other text settings take any value.
        language: the language to use when the text names none.

    Raises:
        SettingsError: the text is not TOML, or a key or value is not valid. The error names the line.
    """
    tree = parse_toml(text)
    reader = _Reader(text, {path: sorted(possible) for path, possible in choices.items()})
    settings = reader.table(Settings, {"language": language, **tree}, "")
    reader.check_providers(settings.providers)
    reader.check_shortcuts(settings.desktop)
    return settings


def parse_table(kind: type[_Table], text: str) -> _Table:
    """Parse a TOML file whose keys are the attributes of the dataclass ``kind``.

    Raises:
        SettingsError: the text is not TOML, or a key or value is not valid. The error names the line.
    """
    return _Reader(text, {}).table(kind, parse_toml(text), "")


class _Reader:
    """Converts TOML tables to dataclasses and keeps the text for line numbers.

    Args:
        text: the text of the file.
        choices: the possible values of text settings, by dotted path without indices, where the type does not give
            them.
    """

    def __init__(self, text: str, choices: Mapping[str, Sequence[str]]) -> None:
        self._lines = text.splitlines()
        self._choices = choices

    def table(self, kind: type[_Table], tree: Mapping[str, Any], path: str) -> _Table:
        """Build ``kind`` from the TOML table at the dotted ``path``."""
        hints = _hints(kind)
        known = [each.name for each in fields(kind)]
        for key in tree:
            if key not in known:
                names = ", ".join(known)
                raise self._error(f"{path}{key}", "unknown", "unknown key", f"Known here: {names}.", known=names)
        for each in fields(kind):
            if each.default is MISSING and each.default_factory is MISSING and each.name not in tree:
                remedy = f"Add {each.name} = … to this table."
                raise self._error(path.rstrip("."), "missing", f"{each.name} is missing", remedy, name=each.name)
        return kind(**{key: self._value(hints[key], value, f"{path}{key}") for key, value in tree.items()})

    def _value(self, hint: Any, value: Any, path: str) -> Any:
        if is_dataclass(hint) and isinstance(hint, type):
            if not isinstance(value, dict):
                raise self._error(path, "table", "must be a table", f"Write [{path}] on a line of its own.")
            return self.table(hint, value, f"{path}.")
        if get_origin(hint) is tuple:
            kind = get_args(hint)[0]
            return self._texts(value, path) if kind is str else self._tables(kind, value, path)
        if get_origin(hint) is dict:
            return self._parameters(value, path)
        return self._scalar(hint, value, path)

    def _tables(self, kind: Any, value: Any, path: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self._error(path, "tables", "must be a list of tables", f"Write [[{path}]] before each entry.")
        return tuple(self.table(kind, item, f"{path}[{index}].") for index, item in enumerate(value))

    def _texts(self, value: Any, path: str) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._error(path, "texts", "must be a list of texts", 'Write them as ["…", "…"].')
        return tuple(value)

    def _parameters(self, value: Any, path: str) -> dict[str, Any]:
        """Check API parameters, which are sent as JSON. TOML also has dates, and numbers that JSON lacks."""
        if not isinstance(value, dict):
            raise self._error(path, "table", "must be a table", f"Write [{path}] on a line of its own.")
        try:
            json.dumps(value, allow_nan=False)
        except (TypeError, ValueError):
            problem = "has a value that a request cannot contain: a date, a time, inf or nan"
            raise self._error(
                path, "parameters", problem, "Write texts, numbers, true, false, lists or tables."
            ) from None
        return value

    def _scalar(self, hint: Any, value: Any, path: str) -> Any:
        place = re.sub(r"\[\d+\]", "", path)
        choices = get_args(hint) if get_origin(hint) is Literal else self._choices.get(place)
        if choices is not None:
            if value not in choices:
                possible = ", ".join(choices)
                problem, remedy = f"{value!r} is not possible", f"Choose one of {possible}."
                raise self._error(path, "choice", problem, remedy, value=repr(value), choices=possible)
            return value
        wanted = next(each for each in (get_args(hint) or (hint,)) if each is not NoneType)
        fitting = (int, float) if wanted is float else wanted
        if not isinstance(value, fitting) or (isinstance(value, bool) and wanted is not bool):
            # The error is shown and logged, so it must not contain a key, not even one written without quotation marks.
            secret = path.endswith(".api_key")
            words, key = _KIND_NAMES[wanted], f"not_{wanted.__name__}"
            problem = f"{'this' if secret else repr(value)} is not {words}"
            span = _span(place) if wanted in (int, float) else {}
            remedy = f"Give {words} from {span['low']} to {span['high']}." if span else f"Give {words}."
            raise self._error(path, key, problem, remedy, value="…" if secret else repr(value), **span)
        if isinstance(value, str) and len(value) > (most := LONGEST.get(place, len(value))):
            problem, remedy = f"has {len(value)} characters", f"Give at most {most} characters."
            raise self._error(path, "length", problem, remedy, length=str(len(value)), most=str(most))
        if wanted not in (int, float):
            return value
        low, high = RANGES[place]
        if not low <= value <= high:
            span = _span(place)
            problem, remedy = f"{value} is out of range", f"Give a number from {span['low']} to {span['high']}."
            raise self._error(path, "range", problem, remedy, value=number_words(value), **span)
        return wanted(value)

    def check_providers(self, providers: Sequence[Provider]) -> None:
        """Reject providers that cannot be addressed.

        Raises:
            SettingsError: two providers share a name, a name cannot be used in a reference, or an address is not valid.
        """
        names = set[str]()
        for index, each in enumerate(providers):
            path = f"providers[{index}]"
            if not each.name or "/" in each.name:
                problem, remedy = f"{each.name!r} is not a valid name", "Give a name without a slash."
                raise self._error(f"{path}.name", "name", problem, remedy, value=repr(each.name))
            if each.name in names:
                problem, remedy = f"{each.name!r} is used twice", "Give each of [[providers]] a name of its own."
                raise self._error(f"{path}.name", "twice", problem, remedy, value=repr(each.name))
            names.add(each.name)
            if each.base_url and not is_web_address(each.base_url):
                # The address is not shown, because it may contain a key.
                remedy = "Give one that begins with http:// or https://, with a port of at most 65535."
                raise self._error(f"{path}.base_url", "address", "this is not a web address", remedy)

    def check_shortcuts(self, desktop: DesktopSettings) -> None:
        """Reject keys that no shortcut can have.

        Raises:
            SettingsError: a text names no combination, or both shortcuts have the same one.
        """
        found = dict[str, Combination | None]()
        for name in ("global_toggle", "global_talk"):
            path, value = f"desktop.{name}", getattr(desktop, name)
            found[name] = read_combination(value)
            if value and found[name] is None:
                remedy = "Write keys as in ctrl+alt+space, with ctrl, alt or super; F1 to F12 may stand alone."
                raise self._error(path, "keys", f"{value!r} is no combination of keys", remedy, value=repr(value))
        if found["global_talk"] is not None and found["global_talk"] == found["global_toggle"]:
            problem, remedy = "has the same keys as global_toggle", "Give each of the two keys of its own."
            raise self._error("desktop.global_talk", "same_keys", problem, remedy)

    def _error(self, path: str, key: str, problem: str, remedy: str, **values: str) -> SettingsError:
        return SettingsError(
            f"{path}: {problem}" if path else problem,
            line=line_of(self._lines, path),
            remedy=remedy,
            problem=key,
            values={**values, "path": path},
        )
