"""Lets the speaker's stream rest while nothing is played: no callbacks, and the device may sleep.

A stream that rests stays open, so it starts again within milliseconds in the same format. It starts as soon as somebody
speaks or a turn runs, long before the first sound of an answer. A sound that nothing announced starts it itself.
"""

import asyncio
from collections.abc import Callable

from assistant.audio.cards.device_streams import OutputStream
from assistant.audio.cards.device_thread import DeviceThread
from assistant.audio.playback import Playback
from assistant.core.errors import AudioDeviceError
from assistant.tasks import TaskSupervisor

REST_AFTER_S = 10.0
"""Time without sound and without anybody who speaks after which a speaker rests."""
UNUSED_AFTER_S = 1.0
"""The same for a speaker that has played nothing since it was started, as by a noise that was taken for a voice."""


class SpeakerRest:
    """Decides when one speaker rests. All methods are called in the event loop.

    Args:
        speaker: the started stream.
        thread: makes the calls to the sound system.
        tasks: wait for these calls.
        playback: what the speaker plays.
        expected: whether sound may soon be played.
        after_s: time without sound after which the speaker rests.
        unused_after_s: the same while it has played nothing since it was started.
    """

    def __init__(
        self,
        speaker: OutputStream,
        thread: DeviceThread,
        tasks: TaskSupervisor,
        playback: Playback,
        expected: Callable[[], bool],
        after_s: float = REST_AFTER_S,
        unused_after_s: float = UNUSED_AFTER_S,
    ) -> None:
        self._speaker, self._thread, self._tasks, self._playback = speaker, thread, tasks, playback
        self._expected, self._after_s, self._unused_after_s = expected, after_s, min(after_s, unused_after_s)
        self._used = False
        self._quiet_since: float | None = None
        self._moving: asyncio.Task[None] | None = None
        self._resting = self._asked = False

    @property
    def awake(self) -> bool:
        """Whether the speaker plays, so that it must ask for sound."""
        return not self._resting and self._moving is None

    def tend(self, now_s: float) -> None:
        """Start the speaker or let it rest, without waiting for the sound system. Call it a few times a second.

        Args:
            now_s: the time of a clock that never goes back, in seconds.

        Raises:
            AudioDeviceError: the speaker could not be started.
        """
        if self._moving is not None:
            if not self._moving.done():
                return
            moved, self._moving = self._moving, None
            _raise_failure(moved, self._speaker.name)
            if self._resting:
                self._speaker.rested()
        self._used = self._used or self._playback.wanted
        if self._expected() or self._playback.wanted or self._asked:
            self._quiet_since = None
            self.wake()
        elif self._quiet_since is None:
            self._quiet_since = now_s
        elif not self._resting and now_s - self._quiet_since >= (self._after_s if self._used else self._unused_after_s):
            self._resting, self._used = True, False
            self._move(self._speaker.rest)

    def wake(self) -> None:
        """Start the speaker if it rests; ``tend`` tells of a failure. After a while without sound it rests again."""
        self._asked = self._moving is not None
        if self._resting and not self._asked:
            self._resting, self._quiet_since = False, None
            self._move(self._speaker.wake)

    def _move(self, call: Callable[[], None]) -> None:
        self._moving = self._tasks.start(self._thread.run(call), name="start or rest the speaker", handled=True)


def _raise_failure(moved: "asyncio.Task[None]", speaker: str) -> None:
    """Raise what a call to the sound system has raised."""
    if (failure := moved.exception()) is None:
        return
    if isinstance(failure, AudioDeviceError):
        raise failure
    raise AudioDeviceError(speaker, f"it does not start: {failure}", message_key="audio.speaker_lost", cause=failure)
