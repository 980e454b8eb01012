"""Checks of what needs a server: the search of the web, and the models of pictures, speech and the meaning of files."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from assistant.agent.model_choice import ModelChoice, choose_model, is_embedded, stays_here
from assistant.core.addresses import is_local_host
from assistant.core.errors import ProviderError, SettingsError
from assistant.core.settings import Settings
from assistant.core.texts import Texts
from assistant.engine.checks.check import Check, Checks, Grade
from assistant.host.key_file import KeyFile
from assistant.host.keys import Keys, search_provider
from assistant.host.places import Places
from assistant.speech.tts import openai
from assistant.tools.web.search.chosen import KEYED

TRANSCRIBING_KINDS = frozenset({"openai", "zai", "local"})
"""Kinds of providers whose format has requests for the text of speech, the sound of a text, and vectors."""


class OnlineToolChecks(Checks):
    """Checks tools that are set up; says nothing of the others.

    Args:
        places: the user's files.
        texts: the user's words.
        settings: the settings; ``None`` if they cannot be read.
    """

    def __init__(self, places: Places, texts: Texts, settings: Settings | None) -> None:
        super().__init__(places, texts)
        self._settings = settings or Settings()

    def search(self) -> Iterator[Check]:
        """Whether the search provider has what it needs."""
        search = self._settings.search
        if search.provider in KEYED:
            found = Keys(file=KeyFile(self._places.keys)).find(search_provider(self._settings, search.provider))
            if found.key:
                source = self._texts(f"keys.source.{found.source.value}", variable=search.api_key_env)
                yield self._line("search", Grade.OK, "keyed", provider=search.provider, source=source)
            else:
                yield self._line("search", Grade.WARN, "no_key", remedy="set_key", provider=search.provider)
        elif search.url.strip():
            yield self._line("search", Grade.OK, "server", provider=search.provider, url=search.url.strip())

    def images(self) -> Iterator[Check]:
        """Which model makes pictures. Its provider and key are checked with the other providers."""
        choice = self._choice(self._settings.images.model)
        if choice is None:
            return
        if is_embedded(choice.provider):
            yield self._line("images", Grade.WARN, "own", remedy="choose", model=choice.reference)
        else:
            yield self._line("images", Grade.OK, "chosen", model=choice.reference)

    def transcription(self) -> Iterator[Check]:
        """Which server transcribes speech. Its provider and key are checked with the other providers."""
        choice = self._choice(self._settings.voice.stt_model)
        if choice is None:
            return
        if is_embedded(choice.provider) or choice.provider.kind not in TRANSCRIBING_KINDS:
            yield self._line("transcription", Grade.WARN, "unable", remedy="choose", model=choice.reference)
        else:
            where = "here" if stays_here(choice.provider) else "elsewhere"
            yield self._line("transcription", Grade.OK, where, model=choice.reference)

    def speech(self) -> Iterator[Check]:
        """Which server speaks. Its provider and key are checked with the other providers."""
        if self._settings.voice.tts != openai.ID:
            return
        from assistant.engine.models.speech_models import speech_choice

        try:
            choice = speech_choice(self._settings)
        except (ProviderError, SettingsError):
            yield self._line("speech_server", Grade.WARN, "none", remedy="choose")
            return
        if is_embedded(choice.provider) or choice.provider.kind not in TRANSCRIBING_KINDS:
            yield self._line("speech_server", Grade.WARN, "unable", remedy="choose", model=choice.reference)
        else:
            where = "here" if stays_here(choice.provider) else "elsewhere"
            yield self._line("speech_server", Grade.OK, where, model=choice.reference)

    def files(self) -> Iterator[Check]:
        """Which servers find files, by their meaning and in an index that machines share."""
        choice = self._choice(self._settings.files.meanings)
        if choice is not None and (is_embedded(choice.provider) or choice.provider.kind not in TRANSCRIBING_KINDS):
            yield self._line("meanings", Grade.WARN, "unable", remedy="choose", model=choice.reference)
        elif choice is not None:
            where = "here" if stays_here(choice.provider) else "elsewhere"
            yield self._line("meanings", Grade.OK, where, model=choice.reference)
        if host := urlsplit(self._settings.files.index).hostname:
            where = "here" if is_local_host(host) else "elsewhere"
            yield self._line("passage_index", Grade.OK, where, host=host)

    def _choice(self, wanted: str) -> ModelChoice | None:
        """The model of a setting; ``None`` for none, and if its provider is unknown, which another line reports."""
        try:
            return choose_model(self._settings, wanted) if wanted else None
        except SettingsError:
            return None
