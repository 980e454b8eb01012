import pytest

from assistant.core.errors import SoriError
from assistant.core.permissions import LOCAL_ASSISTANT, Verdict
from assistant.core.records.people import BankAccount, Person
from assistant.tools.builtin.knowledge.people import people_tools
from assistant.tools.tool import ToolError
from tests.fakes.asking.served_call import served_call
from tests.fakes.people import MemoryPeople

MOTHER = Person(
    id="m",
    name="박영희",
    relation="엄마",
    birthday="1962-03-04",
    accounts=(BankAccount(bank="국민", number="123-45-678901"),),
)
MINJI = Person(id="k", name="김민지", phone="010-1")


async def test_somebody_is_looked_up_without_whole_account_numbers() -> None:
    find, _ = people_tools(MemoryPeople(MOTHER, MINJI, Person(id="l", name="이민지")))
    told = str(await find.run({"name": "엄마"}, served_call()))
    assert "birthday: 1962-03-04" in told
    assert "국민 •••-••-••8901" in told
    assert "678901" not in told
    both = str(await find.run({"name": "민지한테"}, served_call()))
    assert "김민지" in both
    assert "이민지" in both
    assert "박영희" in str(await find.run({"name": "박용희"}, served_call()))
    assert await find.run({"name": "철수"}, served_call()) == "Nobody is called that."
    with pytest.raises(ToolError, match="empty"):
        await find.run({"name": " "}, served_call())


async def test_what_is_said_of_somebody_is_added_to_what_is_kept() -> None:
    book = MemoryPeople(MOTHER, MINJI, Person(id="l", name="이민지"))
    _, remember = people_tools(book)
    await remember.run({"name": "엄마", "phone": "010-2", "bank": "신한", "account_number": "110-222"}, served_call())
    assert book.kept["m"].phone == "010-2"
    assert book.kept["m"].birthday == "1962-03-04"
    assert [each.number for each in book.kept["m"].accounts] == ["123-45-678901", "110-222"]
    await remember.run({"name": "오수진", "relation": "친구"}, served_call())
    assert book.kept["new 0"] == Person(id="new 0", name="오수진", relation="친구")
    with pytest.raises(ToolError, match="이민지"):
        await remember.run({"name": "민지", "phone": "010-3"}, served_call())
    with pytest.raises(SoriError, match="invalid_birthday"):
        await remember.run({"name": "엄마", "birthday": "spring"}, served_call())


def test_looking_up_runs_unasked_and_keeping_asks() -> None:
    find, remember = people_tools(MemoryPeople())
    assert LOCAL_ASSISTANT.verdict(find.name, find.category) is Verdict.RUN
    assert LOCAL_ASSISTANT.verdict(remember.name, remember.category) is Verdict.ASK
    assert find.reads_private
    assert find.untrusted
