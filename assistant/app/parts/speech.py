"""Sori's voices."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from assistant.core.live_settings import LiveSettings
from assistant.core.settings import Settings
from assistant.engine.speech.desk import SpeechDesk
from assistant.engine.speech.shared_voices import SharedVoices
from assistant.engine.voice_wiring import paces_for, synthesizers_for
from assistant.host.model_store import open_store
from assistant.host.places import Places
from assistant.speech.tts import openai
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.work import Work

_LONGEST_S = 600.0
"""Longest call of a voice, in seconds: its first one loads the model, on a busy computer in a minute or two."""


@contextmanager
def speech(places: Places, settings: Settings, voice: str) -> Iterator[SpeechDesk]:
    """Make the domain.

    Args:
        places: the user's files.
        settings: all settings.
        voice: the name of the voice that will speak; empty for the usual ones.
    """
    if any(each.name == voice for each in openai.ENGINE.voices):
        settings = replace(settings, voice=replace(settings.voice, tts=openai.ID))
    store = open_store(places.home)
    voices = synthesizers_for(settings, store.path, paces_for(places.home, settings, store))
    speaker = ModelThread("synthesizer", Work(), limit_s=_LONGEST_S)
    with ExitStack() as ending:
        if settings.voice.tts == openai.ID:
            # Imported here, because a voice on this machine needs no provider.
            from assistant.engine.models.speech_models import speech_server

            voices.serve(ending.enter_context(speech_server(places, settings)))
        ending.callback(voices.close)
        desk = SpeechDesk(LiveSettings(settings), store, SharedVoices(lambda: voices), speaker)
        ending.callback(desk.close)
        ending.callback(speaker.close)
        yield desk
