"""The domain of dictation: who types, and the dictation that runs (D-08)."""

from collections.abc import Callable

from assistant.core import updates as up
from assistant.core.errors import ErrorCode, SoriError
from assistant.core.listeners import Listeners
from assistant.core.live_settings import LiveSettings
from assistant.core.machine import events as ev
from assistant.core.machine.states import InteractionState, SessionState
from assistant.core.service.events import Audience
from assistant.core.service.request import NO_CLIENT, ClientId
from assistant.core.service.requests import voice as rq
from assistant.core.texts import Texts
from assistant.core.updates import DictationStage
from assistant.engine.domains.names import HasMicrophone
from assistant.engine.serving.table import SESSION, Asker, Domain, serves
from assistant.engine.session_wiring import VoiceThreads
from assistant.speech.dictation.composing import Edit
from assistant.tasks import TaskSupervisor
from assistant.voice.dictation import Dictation


class Dictating(Domain):
    """Owns the requests for dictation.

    Args:
        session: has the microphone.
        threads: have the engines that listen.
        live: the settings.
        texts: the user's words.
        devices: tells why there is no microphone.
        deliver: delivers an event to an audience.
        left: tells of each client that has gone.
        jobs: runs the engine's background work.
    """

    def __init__(
        self,
        session: HasMicrophone,
        threads: VoiceThreads,
        live: LiveSettings,
        texts: Texts,
        devices: Callable[[], up.VoiceAvailable],
        deliver: Callable[[up.Update, Audience], None],
        left: Listeners[[ClientId], None],
        jobs: TaskSupervisor,
    ) -> None:
        self._session, self._threads, self._live, self._texts = session, threads, live, texts
        self._devices, self._deliver, self._jobs = devices, deliver, jobs
        self._typist = NO_CLIENT
        self._running: Dictation | None = None
        left.add(self._client_left)

    @serves(lane=SESSION)
    async def _type(self, _: rq.TypeDictation, asker: Asker) -> None:
        if asker.client != self._typist:
            self._drop()
            self._typist = asker.client

    @serves(lane=SESSION)
    async def _hold(self, request: rq.HoldDictation) -> None:
        if request.held:
            self._begin()
        else:
            self._end()

    @serves(lane=SESSION)
    async def _toggle(self, _: rq.ToggleDictation) -> None:
        if self._running is None:
            self._begin()
        else:
            self._end()

    def _begin(self) -> None:
        """Begin a dictation, or tell the user why that is not possible.

        Raises:
            SoriError: no client types.
        """
        if not self._typist:
            raise SoriError(ErrorCode.INVALID_REQUEST, "no client types", message_key="dictation_without_window")
        if self._running is not None:
            return
        ears, session = self._threads.ears, self._session
        if ears is None or not session.hears:
            self._tell(up.DictationChanged(stage=DictationStage.OVER, trouble=self._why_deaf()))
            return
        if session.snapshot.session is not SessionState.INACTIVE:
            session.tell(ev.VoiceToggled())
        if session.snapshot.interaction is InteractionState.SPEAKING:
            session.tell(ev.StopPressed())
        self._running = running = Dictation(
            ears,
            self._live,
            self._threads.work,
            self._jobs,
            on_level=lambda level_db: self._tell(up.LevelMeasured(level_db=level_db)),
            on_partial=self._partial,
            on_edit=self._write,
            on_over=self._over,
        )
        session.lend_microphone(running.hear, self._lost)
        self._tell(up.DictationChanged(stage=DictationStage.LISTENING))

    def _end(self) -> None:
        if self._running is not None:
            self._tell(up.DictationChanged(stage=DictationStage.READING))
            self._running.end()

    def _partial(self, text: str, stable: int) -> None:
        self._tell(up.DictationChanged(stage=DictationStage.LISTENING, heard=text, stable=stable))

    def _write(self, edit: Edit, unheard: bool) -> None:
        if edit:
            self._tell(up.DictationWritten(erased=edit.erased, text=edit.text))
        self._tell(up.DictationChanged(stage=DictationStage.LISTENING, unheard=unheard))

    def _over(self) -> None:
        self._running = None
        self._session.take_back_microphone()
        self._tell(up.DictationChanged(stage=DictationStage.OVER))

    def _lost(self) -> None:
        """The microphone is gone or muted, or the user wants to talk to Sori."""
        trouble = "" if self._session.hears else self._why_deaf()
        running, self._running = self._running, None
        if running is not None:
            running.drop()
            self._tell(up.DictationChanged(stage=DictationStage.OVER, trouble=trouble))

    def _drop(self) -> None:
        """End a dictation that nobody types any more."""
        if self._running is not None:
            self._running.drop()
            self._over()

    def _client_left(self, client: ClientId) -> None:
        if client == self._typist:
            self._drop()
            self._typist = NO_CLIENT

    def _why_deaf(self) -> str:
        devices = self._devices()
        if devices.muted:
            return self._texts("notice.muted")
        if devices.microphone_reason:
            return devices.microphone_reason
        return self._texts("notice.dictation_not_ready" if self._threads.ears is None else "notice.no_microphone")

    def _tell(self, event: up.Update) -> None:
        if self._typist:
            self._deliver(event, Audience(client=self._typist))
