"""Questions about people whom the user knows are answered by code, in the words of the question."""

import pytest

from assistant.chat.command_answers import CommandAnswers
from assistant.chat.commands import Commands, Intent
from assistant.chat.timers import Timers
from assistant.core.records.people import BankAccount, Person
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.host.places import RESOURCES
from assistant.storage.database import Database
from assistant.storage.timers import TimerStore
from tests.fakes.asking.no_memory import no_memory
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume

PEOPLE = (
    Person(
        name="박영희",
        relation="엄마",
        phone="010-1234-5678",
        birthday="1962-03-04",
        accounts=(BankAccount(bank="국민", number="123-45-678901"),),
    ),
    Person(name="김민지", relation="동생", birthday="--07-08"),
    Person(name="이민지"),
    Person(name="John Smith", relation="boss", email="john@example.com", birthday="1980-12-31"),
)


@pytest.fixture
def commands(database: Database, all_texts: dict[Language, Texts]) -> Commands:
    timers = Timers(TimerStore(database), FakeClock(), all_texts)
    answers = CommandAnswers(FakeClock(), timers, FakeVolume(), all_texts, no_memory(), people=lambda: PEOPLE)
    return Commands.load(RESOURCES / "intents", answers)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("엄마 생일이 언제야?", "박영희의 생일은 1962년 3월 4일이에요."),
        ("어머니 생신 언제지?", "박영희의 생일은 1962년 3월 4일이에요."),
        ("동생 생일 알려 줘", "김민지의 생일은 7월 8일이에요."),
        ("이민지 생일이 언제야?", "이민지의 생일은 아직 적어 두지 않았어요."),
        ("민지 생일이 언제야?", "여러 명일 수 있어요: 김민지 (동생), 이민지. 누구인지 이름으로 말해 주세요."),
        ("엄마 전화번호가 뭐야?", "박영희의 전화번호예요: 010-1234-5678"),
        ("When is my boss's birthday?", "John Smith's birthday is December 31, 1980."),
        ("What's Mr. Smith's email?", "John Smith's email address: john@example.com"),
        ("What's John Smith's number?", "There is no phone number of John Smith yet."),
    ],
)
async def test_what_is_kept_of_somebody_is_told(commands: Commands, text: str, answer: str) -> None:
    command = commands.recognize(text, "ko")
    assert command is not None
    assert command.intent is Intent.PERSON
    assert await commands.answer(command) == answer


async def test_account_numbers_are_not_told_whole(commands: Commands) -> None:
    command = commands.recognize("엄마 계좌번호 알려 줘", "ko")
    assert command is not None
    told = await commands.answer(command)
    assert "국민 •••-••-••8901" in told
    assert "678901" not in told


@pytest.mark.parametrize(
    "text",
    [
        *(
            "세종대왕 생일이 언제야?",
            "아빠 생일이 언제야?",
            "엄마 생일이 언제고 동생 생일은 언제야?",
            "민지 엄마 생일이 언제야?",
        ),
        *("When is Beethoven's birthday?", "What's the number of people in Korea?", "What is Jane Smith's email?"),
    ],
)
def test_a_question_about_somebody_else_is_left_to_the_model(commands: Commands, text: str) -> None:
    assert commands.recognize(text, "ko") is None
