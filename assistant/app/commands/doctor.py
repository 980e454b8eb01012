"""``sori doctor``: checks what works on this machine and what does not, and gives remedies.

Every check tries the thing itself. ``fail`` keeps Sori from running as configured; ``warn`` is something that Sori can
do without.
"""

import asyncio
import difflib
import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import get_args

from assistant.agent.model_choice import EMBEDDED, choose_model, roles
from assistant.app.cli.database import set_aside_words
from assistant.app.cli.health import (
    embedded_memory,
    has_secret_store,
    sound_devices,
    sound_server,
    writable,
)
from assistant.app.cli.provider_checks import ProviderState, others_can_read, provider_states
from assistant.app.cli.role_words import roles_in_words
from assistant.app.engine.voice_wiring import paces_for, synthesizers_for
from assistant.app.host.clock import SystemClock
from assistant.app.host.model_store import open_store
from assistant.app.host.needed_models import for_this_machine, needed_models
from assistant.app.host.places import PROJECT, Places
from assistant.app.host.settings_file import read_settings, settings_trouble
from assistant.app.setup.display import has_display
from assistant.app.setup.environment import Environment
from assistant.app.setup.system import install_line, korean_font, missing
from assistant.core.errors import EngineError, ModelFileError, SettingsError, StorageError
from assistant.core.settings import Language, Settings
from assistant.core.texts import Texts
from assistant.core.usage import Exchange
from assistant.speech.tts.choice import SynthesizerSet, TooSlowError
from assistant.storage.database import Database
from assistant.weights.store import Fault, Flaw, size_words

_OLDEST_PYTHON = (3, 11)
_LOW_DISK_BYTES = 1_000_000_000
_NO_DISK_BYTES = 100_000_000
_NEARLY = 0.8
"""Similarity from which a word is taken for a misspelt provider name (``difflib``): one or two wrong letters."""


class Grade(StrEnum):
    """The result of a check."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One line of the report.

    Attributes:
        name: the subject of the check.
        verdict: the result.
        detail: the finding, for the user.
        remedy: what to do; empty when nothing is needed.
        code: the ``ErrorCode`` behind the finding, for programs; empty without an error.
    """

    name: str
    verdict: Grade
    detail: str
    remedy: str = ""
    code: str = ""


def run(places: Places, texts: Texts, *, as_json: bool, online: bool = False) -> int:
    """Print the report; returns 1 when a check fails, else 0. ``online`` also asks the providers' servers."""
    checks = examine(places, texts, online=online)
    if as_json:
        print(json.dumps([asdict(each) for each in checks], ensure_ascii=False, indent=1))
    else:
        for each in checks:
            print(f"{_mark(each.verdict)} {texts(f'doctor.{each.name}.name')}: {each.detail}")
            for line in each.remedy.splitlines():
                print(f"      {line}")
        print(texts(f"doctor.summary.{_worst(checks).value}"))
    return 1 if _worst(checks) is Grade.FAIL else 0


def examine(places: Places, texts: Texts, *, online: bool = False) -> list[Check]:
    """All checks, in the order in which a user would fix problems."""
    report = _Report(places, texts, online=online)
    return [check for part in report.parts() for check in part()]


def _worst(checks: list[Check]) -> Grade:
    found = {each.verdict for each in checks}
    return next(each for each in (Grade.FAIL, Grade.WARN, Grade.OK) if each in found or each is Grade.OK)


def _mark(verdict: Grade) -> str:
    word = f"{verdict.value:<4}"
    colour = {Grade.OK: 32, Grade.WARN: 33, Grade.FAIL: 31}[verdict]
    return f"\033[{colour}m{word}\033[0m" if sys.stdout.isatty() else word


class _Report:
    """Runs the checks; each is a generator of lines."""

    def __init__(self, places: Places, texts: Texts, *, online: bool) -> None:
        self._places, self._texts, self._online = places, texts, online
        self._settings: Settings | None = None

    def parts(self) -> tuple[Callable[[], Iterator[Check]], ...]:
        return (
            self._python,
            self._environment,
            self._home,
            self._config,
            self._disk,
            self._database,
            self._system,
            self._display,
            self._fonts,
            self._sound_server,
            self._devices,
            self._models,
            self._voices,
            self._language_model,
            self._embedded,
            self._secrets,
        )

    def _line(self, name: str, verdict: Grade, outcome: str, *, remedy: str = "", **values: object) -> Check:
        """A line with the texts ``doctor.<name>.<outcome>`` and, for a remedy, ``doctor.<name>.<remedy>``."""
        return Check(
            name=name,
            verdict=verdict,
            detail=self._texts(f"doctor.{name}.{outcome}", **values),
            remedy=self._texts(f"doctor.{name}.{remedy}", **values) if remedy else "",
        )

    def _python(self) -> Iterator[Check]:
        version = platform.python_version()
        fine = sys.version_info >= _OLDEST_PYTHON
        verdict, remedy = (Grade.OK, "") if fine else (Grade.FAIL, "remedy")
        yield self._line("python", verdict, "found", remedy=remedy, version=version, path=sys.executable)

    def _environment(self) -> Iterator[Check]:
        environment = Environment(PROJECT)
        folder = environment.folder
        if not environment.is_running:
            yield self._line("environment", Grade.WARN, "elsewhere", remedy="remedy", folder=folder, prefix=sys.prefix)
        elif not environment.ready(["runtime"]):
            yield self._line("environment", Grade.WARN, "stale", remedy="remedy", folder=folder)
        else:
            yield self._line("environment", Grade.OK, "ready", folder=folder)

    def _home(self) -> Iterator[Check]:
        home = self._places.home
        if trouble := writable(home):
            yield self._line("home", Grade.FAIL, "unwritable", remedy="remedy", home=home, reason=trouble)
        else:
            yield self._line("home", Grade.OK, "writable", home=home)

    def _config(self) -> Iterator[Check]:
        path = self._places.config
        try:
            self._settings = for_this_machine(read_settings(path), self._places.home)
        except SettingsError as error:
            where = f"{path}:{error.line}" if error.line else str(path)
            problem, remedy = settings_trouble(error, self._texts)
            detail = self._texts("doctor.config.bad", where=where, detail=problem)
            yield Check(name="config", verdict=Grade.FAIL, detail=detail, remedy=remedy)
            return
        yield self._line("config", Grade.OK, "read" if path.exists() else "defaults", path=path)

    def _disk(self) -> Iterator[Check]:
        folder = next(each for each in (self._places.home, *self._places.home.parents) if each.exists())
        free = shutil.disk_usage(folder).free
        limits = ((_NO_DISK_BYTES, Grade.FAIL), (_LOW_DISK_BYTES, Grade.WARN))
        verdict = next((verdict for limit, verdict in limits if free < limit), Grade.OK)
        remedy = "" if verdict is Grade.OK else "remedy"
        yield self._line("disk", verdict, "free", remedy=remedy, free=size_words(free), folder=folder)

    def _database(self) -> Iterator[Check]:
        if not self._places.database.exists():
            return
        try:
            damaged = asyncio.run(self._damaged())
        except StorageError as error:
            detail = self._texts(error.message_key, **error.values)
            line = self._line("database", Grade.FAIL, "unusable", remedy="remedy", detail=detail)
            yield replace(line, code=error.code.value)
            return
        verdict, outcome = (Grade.WARN, "damaged") if damaged else (Grade.OK, "opened")
        yield self._line("database", verdict, outcome, path=self._places.database, detail=damaged)

    async def _damaged(self) -> str:
        """How a damaged database was handled; empty for an intact one.

        Raises:
            StorageError: it cannot be opened.
        """
        database = await Database.open(self._places.database, SystemClock())
        await database.close()
        return set_aside_words(database, self._texts)

    def _system(self) -> Iterator[Check]:
        lacking = [each for each in missing(["engines", "sound", "window"]) if not each.probe.startswith("font:")]
        if not lacking:
            yield self._line("system", Grade.OK, "complete")
            return
        names = " ".join({each.apt: None for each in lacking})
        remedy = "remedy" if install_line(lacking) else ""
        yield self._line("system", Grade.WARN, "lacking", remedy=remedy, names=names, line=install_line(lacking))

    def _display(self) -> Iterator[Check]:
        if has_display():
            shown = os.environ.get("WAYLAND_DISPLAY") or os.environ.get("DISPLAY") or platform.system()
            yield self._line("display", Grade.OK, "found", display=shown)
        else:
            yield self._line("display", Grade.WARN, "none", remedy="remedy")

    def _fonts(self) -> Iterator[Check]:
        if sys.platform in ("win32", "darwin") or korean_font():
            yield self._line("fonts", Grade.OK, "found")
        else:
            yield self._line("fonts", Grade.WARN, "none", remedy="remedy")

    def _sound_server(self) -> Iterator[Check]:
        if not sys.platform.startswith("linux"):
            return
        server = sound_server()
        if server:
            yield self._line("sound_server", Grade.OK, "found", server=server)
        else:
            yield self._line("sound_server", Grade.WARN, "none", remedy="remedy")

    def _devices(self) -> Iterator[Check]:
        devices = sound_devices()
        for name, device in (("microphone", devices.microphone), ("speaker", devices.speaker)):
            if device:
                yield self._line(name, Grade.OK, "found", device=device)
            else:
                reason = devices.reason or self._texts("doctor.no_device")
                yield self._line(name, Grade.WARN, "none", remedy="remedy", reason=reason)

    def _models(self) -> Iterator[Check]:
        store = open_store(self._places.home)
        for name in needed_models(self._settings or Settings()):
            try:
                faults = store.verify([name])
            except ModelFileError as error:
                yield self._line("models", Grade.FAIL, "unknown", remedy="remedy", model=name, reason=error.detail)
                continue
            yield self._model(name, faults)

    def _model(self, name: str, faults: tuple[Fault, ...]) -> Check:
        if not faults:
            return self._line("models", Grade.OK, "verified", model=name)
        files = ", ".join(f"{each.file} ({self._texts(f'doctor.flaw.{each.flaw.value}')})" for each in faults)
        if all(each.flaw is Flaw.MISSING for each in faults):
            return self._line("models", Grade.WARN, "missing", remedy="remedy", model=name, files=files)
        return self._line("models", Grade.FAIL, "damaged", remedy="remedy", model=name, files=files)

    def _voices(self) -> Iterator[Check]:
        """The voice of each language, and why a better one is not used."""
        settings = self._settings or Settings()
        store = open_store(self._places.home)
        voices = synthesizers_for(settings, store.path, paces_for(self._places.home, settings, store))
        try:
            for language in get_args(Language):
                yield self._voice(voices, self._texts(f"voices.language.{language}"), language)
        finally:
            voices.close()

    def _voice(self, voices: SynthesizerSet, language_name: str, language: str) -> Check:
        try:
            chosen = voices.choose(language)
        except EngineError as error:
            reason = self._texts(error.message_key, **error.values)
            return self._line("voice", Grade.WARN, "silent", language=language_name, reason=reason)
        values = {"language": language_name, "engine": chosen.engine, "voice": chosen.voice}
        if chosen.passed_over:
            reason = "; ".join(self._passed_over(each) for each in chosen.passed_over)
            return self._line("voice", Grade.OK, "instead", reason=reason, **values)
        if chosen.pace is not None:
            factor, first_s = f"{chosen.pace.real_time_factor:.2f}", f"{chosen.pace.first_s:.1f}"
            return self._line("voice", Grade.OK, "measured", factor=factor, first_s=first_s, **values)
        return self._line("voice", Grade.OK, "chosen", **values)

    def _passed_over(self, error: EngineError | ModelFileError) -> str:
        if isinstance(error, TooSlowError):
            factor, first_s = f"{error.pace.real_time_factor:.2f}", f"{error.pace.first_s:.1f}"
            return self._texts("doctor.voice.too_slow", engine=error.engine, factor=factor, first_s=first_s)
        return self._texts(error.message_key, **error.values)

    def _language_model(self) -> Iterator[Check]:
        settings = self._settings
        if settings is None:
            return
        config, chosen = self._places.config, settings.llm.provider
        if others_can_read(config, settings):
            yield self._line("config_mode", Grade.WARN, "readable", remedy="remedy", config=config)
        if not chosen:
            yield self._own_model(settings)
        yield from self._references(settings)
        yield from self._roles(settings)
        try:
            states = provider_states(self._places, settings, online=self._online)
        except StorageError:  # reported by the database check
            return
        for state in states:
            yield from self._provider(state, Grade.FAIL if state.provider.name == chosen else Grade.WARN)

    def _own_model(self, settings: Settings) -> Check:
        choice = choose_model(settings)
        if choice.placeholder:
            values = {"model": choice.model, "config": self._places.config}
            return self._line("provider", Grade.WARN, "placeholder", remedy="choose", **values)
        return self._line("provider", Grade.OK, "embedded", model=choice.model)

    def _references(self, settings: Settings) -> Iterator[Check]:
        """Warnings about names of models that look like misspelt provider names."""
        names = [each.name for each in settings.providers]
        llm, config = settings.llm, self._places.config
        for reference in dict.fromkeys(each for each in (llm.strong_model, llm.light_model, *llm.fallbacks) if each):
            before = reference.partition("/")[0]
            if before in (*names, EMBEDDED.name):
                continue
            for meant in difflib.get_close_matches(before, names, n=1, cutoff=_NEARLY):
                values = {"reference": reference, "provider": llm.provider or EMBEDDED.name, "meant": meant}
                yield self._line("provider", Grade.WARN, "misnamed", remedy="correct", config=config, **values)

    def _roles(self, settings: Settings) -> Iterator[Check]:
        """Lines about the role of each model, and about configured models without a role."""
        try:
            given = roles(settings)
        except SettingsError:
            # Another line reports a provider that does not exist.
            return
        for role, words in roles_in_words(given, self._texts):
            yield self._line("roles", Grade.OK, "given", role=role, words=words)
        llm, config = settings.llm, self._places.config
        outcome = "idle_named" if llm.routing == "auto" else "idle_routing"
        for key in given.idle:
            values = {"key": key, "model": getattr(llm, key), "routing": llm.routing, "config": config}
            yield self._line("roles", Grade.WARN, outcome, remedy=f"{outcome}_remedy", **values)

    def _embedded(self) -> Iterator[Check]:
        memory = embedded_memory()
        if memory:
            yield self._line("embedded", Grade.OK, "loaded", memory=size_words(memory))
        elif memory == 0:
            yield self._line("embedded", Grade.OK, "unloaded")

    def _provider(self, state: ProviderState, bad: Grade) -> Iterator[Check]:
        """Lines about one provider; ``bad`` is the verdict if it cannot be used."""
        provider = state.provider
        needless = not state.needs_key and not state.key.key
        place = "needless" if needless else state.key.source.value
        source = self._texts(f"keys.source.{place}", variable=provider.api_key_env)
        values = {
            "provider": provider.name,
            "kind": provider.kind,
            "url": provider.base_url or self._texts("doctor.provider.own_address"),
            "source": source,
            "variable": provider.api_key_env or "api_key_env",
        }
        missing_key = state.needs_key and not state.key.key
        if missing_key:
            yield self._line("provider", bad, "no_key", remedy="set_key", **values)
        elif state.trouble is not None:
            reason = self._texts(state.trouble.message_key, **state.trouble.values)
            line = self._line("provider", bad, "unreachable", remedy="start", reason=reason, **values)
            yield replace(line, code=state.trouble.code.value)
        elif state.models is not None:
            yield self._line("provider", Grade.OK, "reachable", models=state.models, **values)
        else:
            yield self._line("provider", Grade.OK, "configured" if state.key.key else "keyless", **values)
        if state.key.trouble:
            detail = self._texts("error.keyring_refused", detail=state.key.trouble)
            yield Check(name="keyring", verdict=Grade.WARN, detail=detail)
        if state.last_failure and (state.trouble is None or state.trouble.code != state.last_failure.outcome):
            yield self._failed(state.last_failure, values)

    def _failed(self, exchange: Exchange, values: Mapping[str, str]) -> Check:
        """A line about the last failed exchange with a provider. A code of another version of Sori has no text."""
        code, at = exchange.outcome, datetime.fromisoformat(exchange.at).strftime("%Y-%m-%d %H:%M")
        known = f"doctor.failure.{code}.reason" in self._texts
        words = f"doctor.failure.{code if known else 'other'}"
        values = {**values, "model": exchange.model or values["provider"], "code": code}
        return Check(
            name="provider",
            verdict=Grade.WARN,
            detail=self._texts(
                "doctor.provider.failed", at=at, failure=self._texts(f"{words}.reason", **values), **values
            ),
            remedy=self._texts(f"{words}.remedy", **values),
            code=code,
        )

    def _secrets(self) -> Iterator[Check]:
        store = has_secret_store()
        if store:
            yield self._line("keyring", Grade.OK, "found", store=store)
        else:
            yield self._line("keyring", Grade.WARN, "none", remedy="remedy")
