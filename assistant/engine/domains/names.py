"""The domain of names: lists and changes wake phrases, and listens to the user who enrols one (V-06)."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.audio.cards.card import HeardFrame
from assistant.audio.level import LevelMeter
from assistant.audio.vad import VoiceActivity
from assistant.core import updates as up
from assistant.core.errors import SoriError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.events import Event
from assistant.core.machine.states import SessionState, Snapshot
from assistant.core.records.agents import AgentId
from assistant.core.records.names import CalledName, Enrolment, EnrolmentStage
from assistant.core.service.request import ClientId
from assistant.core.service.requests import names as rq
from assistant.engine.names.called_names import called_name
from assistant.engine.serving.table import Asker, Domain, serves
from assistant.engine.session_wiring import VoiceThreads
from assistant.tasks import TaskSupervisor
from assistant.voice.ears import Ears, VoiceDetector
from assistant.voice.session.lending import Borrower
from assistant.voice.waking.enrolling import Enrolling
from assistant.voice.waking.takes import Take, Takes

log = logging.getLogger(__name__)


class HasMicrophone(Protocol):
    """What an enrolment needs of a session."""

    @property
    def hears(self) -> bool:
        """Whether there is a microphone that is not muted."""
        ...

    @property
    def snapshot(self) -> Snapshot:
        """The machine's state."""
        ...

    def tell(self, event: Event) -> None:
        """Handle an event."""
        ...

    def lend_microphone(self, borrower: Borrower, on_lost: Callable[[], None]) -> None:
        """Give ``borrower`` all frames."""
        ...

    def take_back_microphone(self) -> None:
        """Hear again."""
        ...


class Names(Domain):
    """Owns the requests for the names of agents.

    Args:
        workspaces: has the agents.
        current: tells the current workspace.
        session: has the microphone.
        threads: have the recogniser.
        live: the settings.
        publish: takes the updates.
        changed: told when a name was changed.
        left: tells of each client that has gone; the enrolment that it began is then stopped.
        jobs: runs the engine's background work.
        make_voice: makes a detector of speech.
    """

    def __init__(
        self,
        workspaces: Workspaces,
        current: CurrentAgent,
        session: HasMicrophone,
        threads: VoiceThreads,
        live: LiveSettings,
        *,
        publish: Callable[[up.Update], None],
        changed: Callable[[], None],
        left: Listeners[[ClientId], None],
        jobs: TaskSupervisor,
        make_voice: Callable[[], VoiceDetector] = VoiceActivity,
    ) -> None:
        self._workspaces, self._current, self._session = workspaces, current, session
        self._threads, self._live, self._publish, self._jobs = threads, live, publish, jobs
        self._make_voice, self._changed = make_voice, changed
        self._listening: _Listening | None = None
        left.add(self._client_left)

    @serves()
    async def _list_names(self, _: rq.ListNames) -> tuple[CalledName, ...]:
        return await asyncio.to_thread(self._names)

    @serves(lane="names")
    async def _set_wake_phrase(self, request: rq.SetWakePhrase) -> tuple[CalledName, ...]:
        # Spellings and sound belong to the former phrase.
        values = {"wake_phrase": request.phrase.strip(), "wake_spellings": ()}
        names = await asyncio.to_thread(self._change, request.agent, values)
        self._changed()
        return names

    @serves(lane="names")
    async def _forget_enrolment(self, request: rq.ForgetEnrolment) -> tuple[CalledName, ...]:
        return await asyncio.to_thread(self._change, request.agent, {"wake_spellings": ()})

    @serves(lane="names")
    async def _stop_enrolment(self, _: rq.StopEnrolment) -> None:
        self._stop(EnrolmentStage.STOPPED)

    @serves(lane="names")
    async def _enrol_name(self, request: rq.EnrolName, asker: Asker) -> Enrolment:
        self._stop(EnrolmentStage.STOPPED)
        ears = self._threads.ears
        if ears is None or not self._session.hears:
            return Enrolment(agent=request.agent, stage=EnrolmentStage.NO_MICROPHONE)
        enrolling = await asyncio.to_thread(self._begun, request.agent, ears)
        if self._session.snapshot.session is not SessionState.INACTIVE:
            self._session.tell(ev.VoiceToggled())
        self._listening = listening = _Listening(
            enrolling, self._make_voice(), self._level, self._take, client=asker.client
        )
        self._session.lend_microphone(listening.hear, lambda: self._stop(EnrolmentStage.NO_MICROPHONE))
        return enrolling.state

    def _names(self) -> tuple[CalledName, ...]:
        agents = self._workspaces.agents(self._current.get().workspace)
        return tuple(called_name(self._workspaces, agent, agents) for agent in agents)

    def _change(self, agent: AgentId, values: dict[str, Any]) -> tuple[CalledName, ...]:
        self._workspaces.edit_agent(agent, values)
        self._workspaces.keep_wake_sound(agent, b"")
        return self._names()

    def _begun(self, agent: AgentId, ears: Ears) -> Enrolling:
        return Enrolling(
            self._workspaces, self._workspaces.agent(agent), self._live.current, ears.recognizer, ears.word_sound
        )

    def _level(self, level_db: float) -> None:
        self._publish(up.LevelMeasured(level_db=level_db))

    def _take(self, listening: "_Listening", take: Take) -> None:
        self._jobs.start(self._judge(listening, take), name="judge a take of a name")

    async def _judge(self, listening: "_Listening", take: Take) -> None:
        try:
            state = await self._threads.recognizer.run(lambda: listening.enrolling.hear(take))
        except SoriError as error:
            log.warning("the enrolment failed: %s", error)
            state = replace(listening.enrolling.state, stage=EnrolmentStage.FAILED, trouble=error.message_key)
        if self._listening is not listening:
            return  # stopped meanwhile
        if state.stage is EnrolmentStage.LISTENING:
            listening.go_on()
        else:
            self._listening = None
            self._session.take_back_microphone()
        self._tell(state)

    def _client_left(self, client: ClientId) -> None:
        if self._listening is not None and self._listening.client == client:
            self._stop(EnrolmentStage.STOPPED)

    def _stop(self, stage: EnrolmentStage) -> None:
        listening, self._listening = self._listening, None
        if listening is not None:
            self._session.take_back_microphone()
            self._tell(replace(listening.enrolling.state, stage=stage))

    def _tell(self, enrolment: Enrolment) -> None:
        self._publish(up.EnrolmentChanged(enrolment=enrolment))


class _Listening:
    """Cuts utterances out of the lent microphone, one at a time.

    Args:
        enrolling: judges them.
        voice: tells speech from other sound.
        on_level: takes the level in dBFS.
        on_take: takes an utterance; the next one begins after ``go_on``.
        client: whoever began it.
    """

    def __init__(
        self,
        enrolling: Enrolling,
        voice: VoiceDetector,
        on_level: Callable[[float], None],
        on_take: Callable[["_Listening", Take], None],
        *,
        client: ClientId,
    ) -> None:
        self.enrolling, self.client = enrolling, client
        self._voice, self._on_level, self._on_take = voice, on_level, on_take
        self._takes, self._meter = Takes(voice), LevelMeter()
        self._waits = False

    def hear(self, frame: HeardFrame) -> None:
        """Take 10 ms. Sori's own sound is not the user's."""
        if (level := self._meter.feed(frame.heard.pcm)) is not None:
            self._on_level(level)
        if self._waits or any(frame.played):
            return
        if (take := self._takes.feed(frame.heard.pcm)) is not None:
            self._waits = True
            self._on_take(self, take)

    def go_on(self) -> None:
        """Listen for the next utterance."""
        self._voice.reset()
        self._takes, self._waits = Takes(self._voice), False
