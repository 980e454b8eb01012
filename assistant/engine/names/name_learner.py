"""Enrols names with Sori's own voices while nobody speaks and nobody waits (V-06)."""

import asyncio
import logging
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from assistant.agent.workspaces.directory import Workspaces
from assistant.core import updates as up
from assistant.core.clock import Clock
from assistant.core.errors import SoriError, StorageError
from assistant.core.records.agents import AgentId
from assistant.engine.names.called_names import called_name
from assistant.engine.names.own_voices import OwnVoices, ToLearn
from assistant.engine.session_wiring import VoiceThreads
from assistant.host.allocations import give_back
from assistant.speech.text.names.evidence import language_of_phrase
from assistant.speech.tts.every_voice import EveryVoice
from assistant.speech.wake.own_words import packed
from assistant.tasks import come_last
from assistant.voice.threads.model_thread import ModelThread
from assistant.voice.waking.own_takes import OwnTakes, Pcm, Saying, onset_of, sayings
from assistant.voice.work import Work

log = logging.getLogger(__name__)

QUIET_S: Final = 2.0
"""How long nobody has spoken and nothing has been done before the next word is said."""
START_S: Final = 30.0
"""Pause after the start, when models are loaded."""
LOOK_S: Final = 60.0
"""Pause between two looks at the agents' files, which the user may change."""
MOST_FAILURES: Final = 3
"""How often a name is tried that the recogniser fails on. It may have been replaced after it hung."""
_STEP_S: Final = 0.5
_HUNG_S: Final = 600.0
"""Longest time for one word. At the lowest priority on a busy computer it takes a while."""


class Attentive(Protocol):
    """What is looked at of a session."""

    @property
    def attentive(self) -> bool:
        """Whether somebody speaks, or something is being done."""
        ...


class NameLearner:
    """Enrols one name after another, one word at a time.

    The voices are other instances than those that answer, on a thread of the lowest priority, and are freed afterwards.
    The recogniser is the one that listens; each word takes it a quarter of a second. What is made so far is kept in
    memory only, so a process that ends in the middle leaves nothing behind.

    Args:
        workspaces: has the agents and keeps the result.
        session: tells when somebody speaks.
        threads: have the recogniser.
        own: tells which voices there are.
        voices: speaks with them.
        clock: waits.
        on_learnt: called after each name.
        publish: takes notices.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        session: Attentive,
        threads: VoiceThreads,
        *,
        own: Callable[[], OwnVoices],
        voices: Callable[[OwnVoices], EveryVoice],
        clock: Clock,
        on_learnt: Callable[[], None],
        publish: up.Publish,
    ) -> None:
        self._workspaces, self._session, self._threads = workspaces, session, threads
        self._own, self._make_voices, self._clock = own, voices, clock
        self._on_learnt, self._publish = on_learnt, publish
        self._thread = ModelThread("names", Work(), limit_s=_HUNG_S)
        self._given_up: set[tuple[AgentId, str, str]] = set()
        """Names that could not be enrolled, and what they were to be made from. They are tried again after a start."""
        self._failures: Counter[tuple[AgentId, str, str]] = Counter()

    async def run(self) -> None:
        """Enrol what is not enrolled yet, until cancelled."""
        try:
            await self._thread.run(lambda: come_last(sys.platform))
            await self._clock.sleep(START_S)
            while True:
                await self._learn_all()
                await self._clock.sleep(LOOK_S)
        finally:
            self._thread.close()

    async def _learn_all(self) -> None:
        own = await asyncio.to_thread(self._own)
        voices: EveryVoice | None = None
        try:
            for name in await asyncio.to_thread(self._wanting, own):
                if self._ears_here:
                    voices = voices or self._make_voices(own)
                    await self._try(name, own, voices)
        except SoriError as error:
            log.warning("no name is enrolled: %s", error)
        if voices is not None:
            with suppress(SoriError):
                await self._thread.run(lambda: _free(voices, sys.platform))

    @property
    def _ears_here(self) -> bool:
        ears = self._threads.ears
        return ears is not None and ears.word_sound is not None

    def _wanting(self, own: OwnVoices) -> list[ToLearn]:
        for agent in own.nothing_called(self._workspaces):
            self._workspaces.keep_own_words(agent.id, b"")
        return [each for each in own.to_learn(self._workspaces) if self._key(each, own) not in self._given_up]

    def _key(self, name: ToLearn, own: OwnVoices) -> tuple[AgentId, str, str]:
        return name.agent.id, name.phrase, own.made_from(language_of_phrase(name.phrase))

    async def _try(self, name: ToLearn, own: OwnVoices, voices: EveryVoice) -> None:
        """Enrol a name, and give it up if that fails again and again. The other names do not wait for it."""
        try:
            await self._learn(name, own, voices)
        except SoriError as error:
            log.warning("%r is not enrolled: %s", name.phrase, error)
            key = self._key(name, own)
            self._failures[key] += 1
            if self._failures[key] >= MOST_FAILURES:
                self._given_up.add(key)

    async def _learn(self, name: ToLearn, own: OwnVoices, voices: EveryVoice) -> None:
        if name.damaged:
            log.warning("the words of %r cannot be read and are made anew", name.phrase)
        takes, key = OwnTakes(phrase=name.phrase), self._key(name, own)
        wanted = sayings(own.voices(takes.language))
        if not wanted:
            log.warning("%r is not enrolled, because no voice speaks %s", name.phrase, takes.language)
        for saying in wanted:
            await self._quiet()
            pcm = await self._thread.run(lambda each=saying: _said(voices, takes, each))  # type: ignore[misc]
            await self._hear(takes, pcm)
        words = takes.result(key[2])
        if words is None:
            self._given_up.add(key)
            return
        try:
            kept = await asyncio.to_thread(self._keep, name, packed(words))
        except StorageError as error:
            self._given_up.add(key)
            log.warning("the words of %r cannot be kept: %s", name.phrase, error)
            self._publish(
                up.NoticePosted(key="notice.name_not_kept", severity=up.Severity.WARNING, values=error.values)
            )
            return
        if kept:
            log.info("%r is enrolled by %d words of Sori's own voices", name.phrase, len(words.takes))
            self._on_learnt()
            await self._tell_of_alike(name)

    async def _tell_of_alike(self, name: ToLearn) -> None:
        """Tell which names of other agents were heard in the new words."""
        called = await asyncio.to_thread(
            lambda: called_name(self._workspaces, name.agent, self._workspaces.agents(name.agent.id.workspace))
        )
        if called.alike:
            values = {"phrase": called.phrase, "names": ", ".join(called.alike)}
            self._publish(up.NoticePosted(key="notice.name_alike", severity=up.Severity.WARNING, values=values))

    async def _hear(self, takes: OwnTakes, pcm: Pcm | None) -> None:
        await self._quiet()
        ears = self._threads.ears
        word_sound = None if ears is None else ears.word_sound
        if pcm is not None and ears is not None and word_sound is not None:
            await ears.recognizer_thread.run(lambda: takes.hear(pcm, ears.recognizer, word_sound))

    def _keep(self, name: ToLearn, content: bytes) -> bool:
        """Keep the words, unless the agent or its name has gone meanwhile."""
        try:
            present = self._workspaces.agent(name.agent.id).file.wake_phrase.strip()
        except StorageError:
            raise
        except SoriError:
            return False
        if present == name.phrase:
            self._workspaces.keep_own_words(name.agent.id, content)
        return present == name.phrase

    async def _quiet(self) -> None:
        """Return when nobody has spoken for a while."""
        quiet_s = 0.0
        while quiet_s < QUIET_S:
            await self._clock.sleep(_STEP_S)
            quiet_s = 0.0 if self._session.attentive or not self._ears_here else quiet_s + _STEP_S


def _said(voices: EveryVoice, takes: OwnTakes, saying: Saying) -> Pcm | None:
    said = voices.say(takes.text, saying.voice, takes.language, saying.speed)
    label = f"{takes.text}{saying.voice.name} {saying.speed:g}"
    return None if said is None else onset_of(said[0], said[1], label)


def _free(voices: EveryVoice, platform: str) -> None:
    voices.close()
    give_back(platform)
