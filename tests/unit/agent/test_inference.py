"""In how many pieces an answer reaches the user, over all gates together, and what a stop finds."""

import asyncio
from collections.abc import Iterable, Sequence

import pytest

from assistant.agent.citing.answer_citing import AnswerCiting
from assistant.agent.emitter import Emitter
from assistant.agent.exchange_meter import ExchangeMeter
from assistant.agent.gates.answer_gate import AnswerGate, Gate
from assistant.agent.gates.answer_language import wanted_language
from assistant.agent.gates.repetition import RepetitionGate
from assistant.agent.inference import Inferences
from assistant.agent.model_choice import ModelChoice
from assistant.agent.state_container import AnswerState, StateContainer
from assistant.core.documents import TurnDocuments
from assistant.core.messages import Message, Role
from assistant.core.packets import AnswerDelta, Packet
from assistant.core.settings import Provider
from assistant.llm.backend import Finish, Finished, ModelDelta, ModelRequest, TextDelta
from assistant.llm.facts.model_facts import KnownModel
from assistant.llm.text_calls.stream import MarkupInText
from tests.fakes.backend import FakeBackend, Piece
from tests.fakes.clock import FakeClock

LONGEST = 70
"""Characters of a piece that is shown: a few dozen."""
SMALLEST = 4
"""Characters of a piece of the model's, about one token."""


async def _kept(_: object) -> None:
    """Keep nothing."""


def gates(question: str) -> Gate:
    """All gates of a small model's answer."""
    language = wanted_language([Message(role=Role.USER, text=question)])
    return RepetitionGate(AnswerGate(language, question, as_sori=True), question)


class Asked:
    """One inference with all gates, of a model that writes a few letters at a time."""

    def __init__(self, reply: Sequence[Piece], question: str) -> None:
        self.clock = FakeClock()
        self.emitter = Emitter(self._keep)
        self.pieces: list[str] = []
        self.came = asyncio.Event()
        self.container = StateContainer(ExchangeMeter(self.clock, "c", lambda *_: KnownModel(), _kept))
        self.gate = gates(question)
        inferences = Inferences(
            emitter=self.emitter,
            container=self.container,
            first_byte_s=20.0,
            loading_s=20.0,
            on_loading=lambda: None,
            on_left_out=lambda _: None,
        )
        choice = ModelChoice(provider=Provider(name="p", kind="openai"), model="m")
        request = ModelRequest(model="m", system="", messages=())
        citing = AnswerCiting(TurnDocuments())
        self.running = asyncio.ensure_future(inferences.run(FakeBackend(reply), choice, request, self.gate, citing))

    def _keep(self, packet: Packet) -> None:
        assert isinstance(packet, AnswerDelta)
        self.pieces.append(packet.text)
        self.came.set()


def written(text: str) -> list[str]:
    return [text[start : start + SMALLEST] for start in range(0, len(text), SMALLEST)]


def read(deltas: Iterable[ModelDelta]) -> list[Piece]:
    """The deltas as a server of Sori's own passes them on, which looks for calls in the text."""
    reader = MarkupInText(ModelRequest(model="m", system="", messages=()))
    return [each for delta in deltas for each in reader.read(delta)]


TABLE = [
    ("1부터 100까지 세 줘", ", ".join(map(str, range(1, 101)))),
    ("count from one to a hundred in figures", "\n".join(map(str, range(1, 101)))),
    ("구구단 표를 그려 줘", "".join(f"{a} × {b} = {a * b}\n" for a in range(2, 10) for b in range(1, 10))),
    ("show the squares as a table", "|n|n²|\n|-|-|\n" + "".join(f"|{n}|{n * n}|\n" for n in range(1, 40))),
    ("근의 공식 써 줘", "$$x = \\frac{-b \\pm \\sqrt{b^2 - 4ac}}{2a}$$\n$$\\Delta = b^2 - 4ac$$\n" * 3),
    ("give me pi to 300 digits", "3." + "1415926535 8979323846 2643383279 5028841971 " * 7),
    (
        "자주 쓰는 명령어 목록만 적어 줘",
        "".join(f"- `git {word}`\n" for word in ["add", "commit", "push", "pull", "log"] * 6),
    ),
    ("이모지 백 개만", "😀🎉🌸🍎🚗" * 20),
    ("주소만 적어 줘", "".join(f"https://example.com/a/very/long/path/{n}\n" for n in range(12))),
    ("which addresses are there?", "".join(f"10.0.0.{n}:8080\n" for n in range(40))),
    ("한 줄로 그어 줘", "─" * 300),
    ("시간표를 적어 줘", "".join(f"09:{n:02} 10:{n:02} 11:{n:02}\n" for n in range(30))),
    ("너는 누구야?", "제 이름은 소리예요. " + "저는 컴퓨터에서 움직이는 음성 비서이고 여러 가지를 도와드려요. " * 4),
    ("who are you?", "My name is Sori. " + "I live in this computer, and I can help you with timers. " * 4),
    ("이진수로 적어 줘", "01" * 150),
    ("만세 삼창 해 줘", "만세! 만세! 만세! " + "대한 독립 만세라고 외치는 사람들이 거리로 나왔습니다. " * 2),
    ("프랑스 인사말 알려 줘", "Bonjour, bonsoir, salut, coucou, enchanté, au revoir, à bientôt, bonne nuit, merci"),
    ("오늘 기분이 어때?", "오늘은 아주 좋아요. 해가 나서 기분이 밝고, 산책을 나가고 싶어지는 그런 날이에요."),
    ("how are you today?", "I am fine, thank you. It is a bright day, and I would love to take a walk with you."),
]


@pytest.mark.parametrize(("question", "answer"), TABLE, ids=[question for question, _ in TABLE])
async def test_no_answer_is_held_back_for_more_than_a_few_dozen_characters(question: str, answer: str) -> None:
    reply = read([*(TextDelta(text=each) for each in written(answer)), Finished(reason=Finish.STOP)])
    asked = Asked(reply, question)
    result = await asked.running
    if result.finished.reason is Finish.STOP:
        assert "".join(asked.pieces) == answer
    assert max(map(len, asked.pieces)) <= LONGEST
    assert len(asked.pieces) >= len("".join(asked.pieces)) // LONGEST


@pytest.mark.parametrize(("question", "answer"), TABLE, ids=[question for question, _ in TABLE])
async def test_a_stop_keeps_what_has_arrived(question: str, answer: str) -> None:
    arrived = answer[:80]
    asked = Asked([*(TextDelta(text=each) for each in written(arrived)), asyncio.Event()], question)
    await asked.came.wait()
    asked.running.cancel()
    await asyncio.wait({asked.running})
    assert "".join(asked.pieces) == arrived
    assert [entry.text for entry in asked.container.entries if isinstance(entry, AnswerState)] == [arrived]


async def test_text_that_is_held_back_is_shown_soon_when_nothing_more_comes() -> None:
    asked = Asked([TextDelta(text="1, 2, 3"), asyncio.Event()], "1부터 세 줘")
    await asked.came.wait()
    assert asked.pieces == ["1, 2, 3"]
    asked.running.cancel()


@pytest.mark.parametrize(
    ("question", "answer", "wrong"),
    [
        ("너는 누구야?", "저는 알리바바 클라우드가 만든 큐원입니다. 무엇을 도와드릴까요?", "identity"),
        ("오늘 기분이 어때?", "I am doing very well today, thank you for asking me.", "language"),
        ("오늘 기분이 어때?", "我今天很好，谢谢你问我。", "language"),
    ],
)
async def test_a_wrong_answer_is_still_found_before_it_is_shown(question: str, answer: str, wrong: str) -> None:
    asked = Asked([*(TextDelta(text=each) for each in written(answer)), Finished(reason=Finish.STOP)], question)
    assert (await asked.running).wrong == wrong
    assert not asked.pieces
