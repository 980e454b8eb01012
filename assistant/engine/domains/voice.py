"""The domain of the voice session: talking, muting and stopping."""

from collections.abc import Callable

from assistant.core.machine import events as ev
from assistant.core.service.requests import voice as rq
from assistant.engine.domains.sound import no_speaker
from assistant.engine.hearing import Hearing
from assistant.engine.serving.table import SESSION, Domain, serves
from assistant.voice.session.session import Session


class VoiceControl(Domain):
    """Owns the requests for the voice session.

    Args:
        session: the session.
        hearing: shows whether the microphone is muted.
        silence: stops what rings.
    """

    def __init__(self, session: Session, hearing: Hearing, silence: Callable[[], None]) -> None:
        self._session, self._hearing, self._silence = session, hearing, silence

    @serves()
    async def _show_status(self, _: rq.ShowStatus) -> rq.SessionStatus:
        session = self._session
        return rq.SessionStatus(
            conversation=session.conversation, snapshot=session.snapshot, devices=self._hearing.devices
        )

    @serves()
    async def _stop(self, _: rq.Stop) -> None:
        self._session.tell(ev.StopPressed())
        self._silence()

    @serves(lane=SESSION)
    async def _toggle_voice(self, _: rq.ToggleVoice) -> None:
        if self._session.muted:  # A user who wants to talk also wants the microphone on.
            self._mute(muted=False)
        self._session.toggle_voice()

    @serves(lane=SESSION)
    async def _hold_to_talk(self, request: rq.HoldToTalk) -> None:
        self._session.hold_to_talk(held=request.held)

    @serves(lane=SESSION)
    async def _read_aloud(self, request: rq.ReadAloud) -> None:
        """Read a text aloud.

        Raises:
            SoriError: there is no speaker.
        """
        if not self._session.can_speak:
            raise no_speaker(self._hearing.devices)
        self._session.read_aloud(request.text)

    @serves(lane=SESSION)
    async def _steer(self, request: rq.SteerReading) -> None:
        self._session.steer_reading(request.step)

    @serves()
    async def _set_muted(self, request: rq.SetMuted) -> None:
        self._mute(muted=request.muted)

    def _mute(self, *, muted: bool) -> None:
        self._session.set_muted(muted)
        self._hearing.show_muted(muted=muted)
