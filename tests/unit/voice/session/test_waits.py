"""What is said before an answer that takes long is no part of what was heard of it."""

import pytest

from assistant.core.live_settings import LiveSettings
from assistant.core.machine.states import TurnId
from assistant.core.settings import Settings
from assistant.host.texts import load_texts
from assistant.voice.session.speech import SessionSpeech

TURN = TurnId("1")
WAIT = "답이 길어지고 있어요."


class Said:
    """A speaker of which a number of letters was heard."""

    def __init__(self, heard: int) -> None:
        self.text = ""
        self._heard = heard

    def begin(self, turn: TurnId) -> None:
        pass

    def feed(self, turn: TurnId, text: str) -> None:
        self.text += text

    def flush(self, turn: TurnId) -> None:
        pass

    def stop(self) -> str:
        return self.text[: self._heard].strip()


@pytest.mark.parametrize(
    ("heard", "left"),
    [(0, ""), (3, ""), (len(WAIT), ""), (len(WAIT) + 1, ""), (len(WAIT) + 5, "좋은 아"), (99, "좋은 아침이에요.")],
)
def test_a_sentence_about_the_wait_is_not_counted_as_heard_of_the_answer(heard: int, left: str) -> None:
    speech = SessionSpeech(LiveSettings(Settings()), lambda _event: None, load_texts("ko"))
    speaker = Said(heard)
    speech.attach(speaker, None, {})  # type: ignore[arg-type]
    speech.begin(TURN)
    speech.tell(TURN, WAIT)
    speech.write(TURN, "좋은 아침이에요.", aloud=True)
    assert speaker.text == f"{WAIT}\n좋은 아침이에요."
    speech.stop(TURN)
    assert speech.take_heard(TURN) == (True, left)
