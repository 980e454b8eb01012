"""The domain of the voice session: talking, muting and stopping."""

from collections.abc import Callable

from assistant.core.machine import events as ev
from assistant.core.service.requests import voice as rq
from assistant.engine.hearing import Hearing
from assistant.engine.serving.table import Asker, Handlers, InOrder
from assistant.voice.session.session import Session


class VoiceControl:
    """Owns the requests for the voice session.

    Args:
        session: the session.
        hearing: shows whether the microphone is muted.
        silence: stops what rings.
    """

    def __init__(self, session: Session, hearing: Hearing, silence: Callable[[], None]) -> None:
        self._session, self._hearing, self._silence = session, hearing, silence

    def handlers(self) -> Handlers:
        """The requests of this domain."""
        return {
            rq.ShowStatus: self.status,
            rq.Stop: InOrder(self.stop),
            rq.ToggleVoice: InOrder(self.toggle),
            rq.HoldToTalk: InOrder(self.hold),
            rq.SetMuted: InOrder(self.mute),
        }

    async def status(self, _request: rq.ShowStatus, _: Asker) -> rq.SessionStatus:
        """What the session does."""
        session = self._session
        return rq.SessionStatus(
            conversation=session.conversation, snapshot=session.snapshot, devices=self._hearing.devices
        )

    async def stop(self, _request: rq.Stop, _: Asker) -> None:
        """Stop the turn of the session, speech and ringing."""
        self._session.tell(ev.StopPressed())
        self._silence()

    async def toggle(self, _request: rq.ToggleVoice, _: Asker) -> None:
        """Begin or end a spoken conversation. A user who wants to talk also wants the microphone on."""
        if self._session.muted:
            self._set_muted(muted=False)
        self._session.toggle_voice()

    async def hold(self, request: rq.HoldToTalk, _: Asker) -> None:
        """The talk key is down or up."""
        self._session.hold_to_talk(held=request.held)

    async def mute(self, request: rq.SetMuted, _: Asker) -> None:
        """Mute or unmute the microphone."""
        self._set_muted(muted=request.muted)

    def _set_muted(self, *, muted: bool) -> None:
        self._session.set_muted(muted)
        self._hearing.show_muted(muted=muted)
