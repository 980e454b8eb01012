"""A process with the whole engine, on whatever sound card there is: ``python -m tests.e2e.engine_session HOME``.

It writes what the engine publishes to standard output, one JSON line each, and ends when standard input ends.
"""

import json
import sys
from pathlib import Path

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.service.events import Delivery
from assistant.core.service.requests.conversations import FollowConversation
from assistant.engine.thread import EngineThread
from assistant.host.places import Places
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts


def tell(delivery: Delivery) -> None:
    """Write what a test waits for."""
    match delivery.event:
        case up.VoiceAvailable(microphone=microphone, microphone_reason=reason):
            _write("voice", microphone=microphone, reason=reason)
        case up.StateChanged(snapshot=snapshot):
            _write("state", interaction=snapshot.interaction, session=snapshot.session)
        case up.MessageAdded(message=message):
            _write("message", role=message.role, text=message.text)
        case up.PacketEmitted(conversation=conversation, turn=turn, packet=packet):
            _write("packet", **pk.to_line(packet, conversation=conversation, turn=turn))
        case up.EngineStopped(reason=reason):
            _write("stopped", reason=reason)
        case _:
            pass


def _write(name: str, /, **details: object) -> None:
    sys.stdout.write(json.dumps({"update": name, **details}, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def main(home: Path) -> None:
    """Run until standard input ends."""
    settings = read_settings(Places(home).config)
    engine = EngineThread(home, settings, load_texts(settings.language))
    engine.connect(tell, name="test").ask(FollowConversation(), lambda _: None)
    engine.start()
    sys.stdin.read()
    if not engine.stop(60):
        sys.exit("the engine does not end")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
