"""A process with a real sound card, driven line by line: ``python -m tests.e2e.card_session HEARD.npy PLAYED.npy
[REST_AFTER_S]``. With the last, nobody speaks, and a speaker rests after that time without sound.

It opens the card, says so, and then hears; at the end it saves what was heard and the references that came with it.
Commands come on standard input: ``play PATH``, ``clear SECONDS`` once so much was heard, ``stop``. Events go to
standard output as JSON lines.
"""

import asyncio
import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np

from assistant.audio.cards.devices import DeviceCard
from assistant.audio.cards.recordings import read_recording
from assistant.audio.cards.speaker_rest import REST_AFTER_S
from assistant.audio.playback import Playback
from assistant.core.audio import PLAYBACK_RATE
from assistant.core.errors import AudioDeviceError


def tell(event: str, **details: object) -> None:
    """Write one event."""
    sys.stdout.write(json.dumps({"event": event, **details}) + "\n")
    sys.stdout.flush()


async def obey(playback: Playback, card: DeviceCard) -> None:
    """Do what standard input says until it says ``stop``."""
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    segment, clearing = 0, None
    while line := (await reader.readline()).decode().strip():
        command, _, words = line.partition(" ")
        if command == "play":
            segment += 1
            playback.enqueue(segment, read_recording(Path(words), PLAYBACK_RATE), PLAYBACK_RATE, last=True)
        elif command == "clear":
            clearing = asyncio.create_task(clear_after(playback, float(words)))
        else:
            break
    if clearing is not None:
        await clearing
    await card.close()


async def clear_after(playback: Playback, seconds: float) -> None:
    """Clear the playback once so much of the first segment was heard."""
    while playback.heard_s(1) < seconds:  # noqa: ASYNC110 - nothing tells of it
        await asyncio.sleep(0.02)
    playback.clear()
    tell("cleared")


async def report_marks(playback: Playback) -> None:
    """Tell of every mark as it happens."""
    while True:
        for mark in playback.take_marks():
            tell(mark.kind, segment=mark.segment, block=mark.block)
        await asyncio.sleep(0.02)


async def main(heard_path: Path, played_path: Path, rest_after_s: float | None = None) -> None:
    """Run one session."""
    playback = Playback()
    card = DeviceCard(
        playback,
        attentive=lambda: rest_after_s is None,
        rest_after_s=rest_after_s or REST_AFTER_S,
        on_change=lambda: tell("changed", speaker_reason=card.speaker_reason),
    )
    await card.open()
    heard, played, indexes = [], [], []
    tell("ready", microphone=card.microphone, speaker=card.speaker, delay_ms=card.delay_ms)
    watchers = [asyncio.create_task(obey(playback, card)), asyncio.create_task(report_marks(playback))]
    try:
        async for frame in card.frames():
            heard.append(frame.heard.pcm)
            played.append(frame.played)
            indexes.append(frame.heard.index)
    except AudioDeviceError as error:
        tell("error", key=error.message_key, reason=card.microphone_reason)
    await card.close()
    for watcher in watchers:
        watcher.cancel()
    np.save(heard_path, np.frombuffer(b"".join(heard), np.int16))
    np.save(played_path, np.frombuffer(b"".join(played), np.int16))
    tell(
        "done",
        underruns=playback.underruns,
        heard_s=playback.heard_s(1),
        gaps=sum(later - earlier != 160 for earlier, later in pairwise(indexes)),
    )


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), *map(float, sys.argv[3:])))
