"""Checks of the language models: their roles, their providers, Sori's own server."""

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from assistant.agent.model_choice import EMBEDDED, choose_model, roles
from assistant.core.display.sizes import size_words
from assistant.core.errors import SettingsError, StorageError
from assistant.core.records.usage import Exchange
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check, Checks, Grade
from assistant.engine.checks.health import embedded_memory
from assistant.engine.checks.provider_checks import ProviderState, others_can_read, provider_states
from assistant.engine.checks.role_words import roles_in_words
from assistant.host.places import Places

_NEARLY = 0.8
"""Similarity from which a word is taken for a misspelt provider name (``difflib``): one or two wrong letters."""


class LanguageModelChecks(Checks):
    """Checks who answers.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings; ``None`` if they cannot be read.
        online: whether to ask the providers' servers as well.
    """

    def __init__(self, places: Places, texts: Texts, settings: Settings | None, *, online: bool) -> None:
        super().__init__(places, texts)
        self._settings, self._online = settings, online

    def language_model(self) -> Iterator[Check]:
        """Which models answer, and whether their providers can be used."""
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

    def embedded(self) -> Iterator[Check]:
        """How much memory Sori's own server takes."""
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
        if missing_key and (damage := state.key.damage) is not None:
            yield Check(name="keys", verdict=Grade.WARN, detail=self._texts(damage.message_key, **damage.values))
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
