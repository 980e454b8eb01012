"""A real sound card through PortAudio: a microphone and a speaker chosen by name and monitored while they run."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from assistant.audio.cards.card import HeardFrame
from assistant.audio.cards.device_list import Device, Direction, choose, list_devices, load_portaudio
from assistant.audio.cards.device_streams import LoopSignal, Microphone, OutputStream
from assistant.audio.cards.device_thread import DeviceThread
from assistant.audio.cards.speaker_rest import REST_AFTER_S, SpeakerRest
from assistant.audio.cards.stall import LONGEST_STEP_S, StallWatch
from assistant.audio.echo.reference_queue import ReferenceQueue
from assistant.audio.playback import Playback
from assistant.core.audio import FRAME_BYTES, FRAME_SAMPLES, Frame, to_samples
from assistant.core.errors import AudioDeviceError
from assistant.tasks import TaskSupervisor

STALLED_S = 2.0
"""Time without a frame after which a microphone counts as stalled (V-19)."""
SILENT_S = 20.0
"""Time of digital silence after which a microphone counts as muted or blocked; a working one always has some noise."""

SPEAKER_STALLED_S = 3.0
"""Time without a request for sound after which a speaker counts as stalled."""

_SILENCE = bytes(FRAME_BYTES)


class DeviceCard:
    """The computer's microphone and speaker. Only one card may be open in a process.

    Args:
        playback: the queue that the card pulls from. Without a speaker it is drained at the microphone's pace.
        input_device: name of the microphone; the default one when the name is empty or not found.
        output_device: name of the speaker; the default one when the name is empty or not found.
        unusable_microphone: the reason not to open a microphone; ``None`` to open one.
        silent_microphone: the error of the microphone if it delivered only silence before. It then counts as missing,
            and ``frames`` ends when it delivers sound.
        unusable_speaker: the reason not to open a speaker; ``None`` to open one.
        attentive: whether sound is to be delivered at once. It is asked after each delivery. While false, sound that is
            no louder than the room is delivered in parts (``Crossing``), and a speaker without sound rests
            (``SpeakerRest``).
        on_change: called in the event loop when the speaker was disconnected while the card is open.
        stalled_s: time without a frame after which ``frames`` fails.
        silent_s: time of digital silence after which ``frames`` fails.
        speaker_stalled_s: time without a request for sound after which ``frames`` fails.
        rest_after_s: time without sound after which the speaker rests.
    """

    def __init__(
        self,
        playback: Playback,
        *,
        input_device: str = "",
        output_device: str = "",
        unusable_microphone: AudioDeviceError | None = None,
        silent_microphone: AudioDeviceError | None = None,
        unusable_speaker: AudioDeviceError | None = None,
        attentive: Callable[[], bool] = lambda: True,
        on_change: Callable[[], None] | None = None,
        stalled_s: float = STALLED_S,
        silent_s: float = SILENT_S,
        speaker_stalled_s: float = SPEAKER_STALLED_S,
        rest_after_s: float = REST_AFTER_S,
    ) -> None:
        self._playback = playback
        self._wanted: dict[Direction, str] = {"input": input_device, "output": output_device}
        self._silent_microphone = silent_microphone
        self._unusable: dict[Direction, AudioDeviceError | None] = {
            "input": unusable_microphone,
            "output": unusable_speaker,
        }
        self._attentive = attentive
        self._on_change = on_change or (lambda: None)
        self._stalled_s = stalled_s
        self._silent_samples = to_samples(silent_s)
        self._speaker_watch = StallWatch(speaker_stalled_s)
        self._rest_after_s = rest_after_s
        self._rest: SpeakerRest | None = None
        self._thread = DeviceThread()
        self._tasks = TaskSupervisor()
        self._references = ReferenceQueue()
        self._microphone: Microphone | None = None
        self._awaited: Microphone | None = None
        """The microphone that was silent before."""
        self._speaker: OutputStream | None = None
        self._lost: AudioDeviceError | None = None
        """The error of a speaker that was disconnected."""
        self._signal: LoopSignal | None = None
        self._closed = asyncio.Event()
        self._closing = asyncio.Lock()
        self.microphone_error: AudioDeviceError | None = None
        self.speaker_error: AudioDeviceError | None = None

    @property
    def microphone(self) -> str:
        """Name of the microphone in use; empty when there is none."""
        return self._microphone.name if self._microphone else ""

    @property
    def speaker(self) -> str:
        """Name of the speaker in use; empty when there is none."""
        return self._speaker.name if self._speaker else ""

    @property
    def microphone_reason(self) -> str:
        """Text key of the reason why there is no microphone; empty when there is one."""
        return self.microphone_error.message_key if self.microphone_error else ""

    @property
    def speaker_reason(self) -> str:
        """Text key of the reason why there is no speaker; empty when there is one."""
        return self.speaker_error.message_key if self.speaker_error else ""

    @property
    def delay_ms(self) -> int:
        """Output plus input latency from the sound system, minus the time that references wait in the queue."""
        if not self._microphone or not self._speaker:
            return 0
        latency_ms = round((self._microphone.latency_s + self._speaker.latency_s) * 1000)
        return max(0, latency_ms - self._references.waiting_ms)

    async def open(self) -> None:
        """Find the devices and start the directions that exist.

        Raises:
            AudioDeviceError: neither direction can be opened, or the sound system does not answer.
        """
        loop = asyncio.get_running_loop()
        self._signal = LoopSignal(loop)
        self._closed.clear()
        self._lost = None
        self._references = ReferenceQueue()
        await self._thread.run(lambda: self._start(loop))
        if self._speaker:
            self._rest = SpeakerRest(
                self._speaker, self._thread, self._tasks, self._playback, self._attentive, self._rest_after_s
            )
            self._playback.tell_of_sound(lambda: self._sound_added(loop))
        if not self._microphone and not self._speaker:
            await self.close()
            raise self.microphone_error or self.speaker_error or _missing("input")

    async def frames(self) -> AsyncIterator[HeardFrame]:
        """Yield microphone frames until the card is closed. Without a microphone, wait for the close and yield nothing.

        If the microphone was silent before, nothing is yielded, and the end means that it is silent no more.

        Raises:
            AudioDeviceError: the microphone was disconnected, stalled, or delivers only digital silence; or the speaker
                has stalled, or was disconnected while there is no microphone.
        """
        if self._awaited and self._signal:
            await self._until_sound(self._awaited, self._signal)
            return
        if not self._microphone or not self._signal:
            await self._until_closed()
            return
        microphone, signal, index, silent = self._microphone, self._signal, 0, 0
        while not self._closed.is_set():
            await self._wait_for(signal)
            self._check_speaker()
            for lost, pcm, puts in microphone.take():
                index += lost
                self._references.skip(lost // FRAME_SAMPLES)
                yield HeardFrame(heard=Frame(index=index, pcm=pcm), played=self._reference(puts))
                index += FRAME_SAMPLES
                silent = silent + FRAME_SAMPLES if pcm == _SILENCE else 0
            microphone.crossing.attentive = self._attentive()
            if microphone.lost and not self._closed.is_set():
                raise self._microphone_failed("it went away", "lost")
            if silent >= self._silent_samples:
                raise self._microphone_failed("it delivers nothing but digital silence", "silent")

    async def close(self) -> None:
        """Stop both directions. Safe to call twice, also at once: each call returns when all streams are closed."""
        self._closed.set()
        if self._signal:
            self._signal.raise_()
        async with self._closing:
            streams = [each for each in (self._microphone, self._awaited, self._speaker) if each]
            self._microphone = self._awaited = self._speaker = self._rest = None
            try:
                for stream in streams:
                    await self._thread.run(stream.close)
            finally:
                self._thread.stop()
                await self._tasks.close()

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        """Open the available devices. Runs on the device thread."""
        self.microphone_error = self.speaker_error = None
        try:
            devices = list_devices(anew=True)
        except AudioDeviceError as error:
            self.microphone_error = self.speaker_error = error
            return
        try:
            microphone = self._open_microphone(devices)
            if (silent := self._silent_microphone) is not None:
                self._awaited, self.microphone_error = microphone, silent
            else:
                self._microphone = microphone
        except AudioDeviceError as error:
            self.microphone_error = error
        try:
            self._speaker = self._open_speaker(devices, loop)
        except AudioDeviceError as error:
            self.speaker_error = error

    def _open_microphone(self, devices: list[Device]) -> Microphone:
        if (unusable := self._unusable["input"]) is not None:
            raise unusable
        device = choose(devices, self._wanted["input"], "input")
        if device is None or self._signal is None:
            raise _missing("input")
        return Microphone(load_portaudio(), device, self._signal, self._references)

    def _open_speaker(self, devices: list[Device], loop: asyncio.AbstractEventLoop) -> OutputStream:
        if (unusable := self._unusable["output"]) is not None:
            raise unusable
        device = choose(devices, self._wanted["output"], "output")
        if device is None:
            raise _missing("output")
        return OutputStream(
            load_portaudio(),
            device,
            self._playback,
            self._references,
            lambda: _in_loop(loop, self._speaker_lost),
        )

    async def _wait_for(self, signal: LoopSignal) -> None:
        """Wait for sound or for the close; raise an error when neither comes in time."""
        try:
            async with asyncio.timeout(self._stalled_s):
                await signal.wait()
        except TimeoutError as error:
            raise self._microphone_failed(f"no sound arrived for {self._stalled_s:g} s", "stalled", error) from error

    async def _until_sound(self, microphone: Microphone, signal: LoopSignal) -> None:
        """Wait for the close, or for a sound of a microphone that was silent before."""
        microphone.crossing.attentive = False
        while not self._closed.is_set():
            await self._wait_for(signal)
            self._check_speaker()
            if microphone.lost and not self._closed.is_set():
                raise self._microphone_failed("it went away", "lost")
            if any(pcm != _SILENCE for _, pcm, _ in microphone.take()):
                return

    async def _until_closed(self) -> None:
        """Wait for the close, and watch the speaker."""
        while not self._closed.is_set():
            self._check_speaker()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LONGEST_STEP_S):
                    await self._closed.wait()

    def _check_speaker(self) -> None:
        """Let the speaker rest or start it. Raise an error if that fails, it has stalled, or it was the last device."""
        if self._lost is not None and self._microphone is None:
            raise self._lost  # nothing would drain the playback, so that what is said would never end
        if self._speaker is None or self._rest is None:
            return
        self._tend(self._rest)
        if not self._rest.awake:
            return
        if self._speaker_watch.stalled(self._speaker.requests, asyncio.get_running_loop().time()):
            error = AudioDeviceError(self.speaker, "it asks for no sound", message_key="audio.speaker_stalled")
            self.speaker_error = error
            raise error

    def _tend(self, rest: SpeakerRest) -> None:
        try:
            rest.tend(asyncio.get_running_loop().time())
        except AudioDeviceError as error:
            self.speaker_error = error
            raise

    def _sound_added(self, loop: asyncio.AbstractEventLoop) -> None:
        """Start a speaker that rests, because there is sound. Called on any thread."""
        if (rest := self._rest) is not None and not rest.awake:
            _in_loop(loop, self.wake_speaker)

    def wake_speaker(self) -> None:
        """Start a speaker that rests, for sound or to see whether it is still there; ``frames`` fails if it is not."""
        if self._rest is not None:
            self._rest.wake()

    def _reference(self, puts: int) -> bytes:
        """The played sound for one frame. Without a speaker the playback is drained unheard, so that speech ends.

        Args:
            puts: the number of references when the frame was captured.
        """
        if self._speaker is None:
            self._playback.pull()
            return _SILENCE
        return self._references.take(puts)

    def _microphone_failed(self, detail: str, key: str, cause: BaseException | None = None) -> AudioDeviceError:
        error = AudioDeviceError(self.microphone, detail, message_key=f"audio.microphone_{key}", cause=cause)
        self.microphone_error = error
        return error

    def _speaker_lost(self) -> None:
        if self._speaker is None:
            return
        self.speaker_error = AudioDeviceError(self.speaker, "the speaker was lost", message_key="audio.speaker_lost")
        self._lost = self.speaker_error
        lost, self._speaker, self._rest = self._speaker, None, None
        # Whether it can be closed makes no difference: its error has been told.
        self._tasks.start(self._thread.run(lost.close), name="close a lost speaker", handled=True)
        self._on_change()


def _missing(direction: Direction) -> AudioDeviceError:
    which = "microphone" if direction == "input" else "speaker"
    return AudioDeviceError(which, f"this machine has no {which}", message_key=f"audio.{which}_missing")


def _in_loop(loop: asyncio.AbstractEventLoop, call: Callable[[], None]) -> None:
    """Call from another thread; do nothing when the loop has ended."""
    with contextlib.suppress(RuntimeError):
        loop.call_soon_threadsafe(call)
