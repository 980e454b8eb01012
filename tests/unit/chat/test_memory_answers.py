from pathlib import Path

import pytest

from assistant.chat.commands import Intent, Recognised
from assistant.chat.memory_answers import MemoryAnswers
from assistant.core.records.memory import Scope
from assistant.core.settings import Language, MemorySettings
from assistant.core.texts import Texts
from assistant.memory.journal import MemoryJournal
from assistant.memory.memory_file import MemoryFile
from assistant.memory.personal import PersonalMemory
from tests.fakes.asking.no_memory import memories_in, no_memory
from tests.fakes.clock import FakeClock


@pytest.fixture
def memory(tmp_path: Path) -> PersonalMemory:
    return PersonalMemory(tmp_path / "user.md", FakeClock(), lambda: MemorySettings(max_size=200))


@pytest.fixture
def answers(memory: PersonalMemory, all_texts: dict[Language, Texts]) -> MemoryAnswers:
    return MemoryAnswers(memory, all_texts)


def wish(intent: Intent, text: str = "", language: Language = "ko") -> Recognised:
    return Recognised(intent=intent, language=language, text=text)


async def test_a_fact_is_remembered_told_and_forgotten(answers: MemoryAnswers) -> None:
    assert (await answers.answer(wish(Intent.REMEMBER, "내 생일은 5월 3일"))).startswith(
        "기억했어요: 내 생일은 5월 3일."
    )
    assert await answers.answer(wish(Intent.REMEMBER, "생일은 5월 3일")) == "이미 기억하고 있어요: 내 생일은 5월 3일."
    assert await answers.answer(wish(Intent.MEMORY_TELL)) == "이렇게 기억하고 있어요: 내 생일은 5월 3일."
    assert await answers.answer(wish(Intent.FORGET, "my birthday", "en")) == "I do not remember anything like that."
    assert await answers.answer(wish(Intent.FORGET, "생일")) == "잊었어요: 내 생일은 5월 3일."
    assert (await answers.answer(wish(Intent.MEMORY_TELL, language="en"))).startswith("I do not remember anything yet.")


async def test_the_last_fact_is_taken_back(answers: MemoryAnswers) -> None:
    await answers.answer(wish(Intent.REMEMBER, "고양이 한 마리"))
    await answers.answer(wish(Intent.REMEMBER, "강아지 두 마리"))
    assert await answers.answer(wish(Intent.FORGET_NEWEST)) == "잊었어요: 강아지 두 마리."
    assert await answers.answer(wish(Intent.MEMORY_TELL)) == "이렇게 기억하고 있어요: 고양이 한 마리."


async def test_only_a_few_facts_are_told_at_once(answers: MemoryAnswers, memory: PersonalMemory) -> None:
    for number in range(7):
        await memory.add(f"f{number}")
    assert await answers.answer(wish(Intent.MEMORY_TELL, language="en")) == (
        "I remember: f2 / f3 / f4 / f5 / f6. There are 2 more."
    )


async def test_a_failure_is_told_and_the_conversation_goes_on(answers: MemoryAnswers, memory: PersonalMemory) -> None:
    memory.file.path.mkdir()
    assert (await answers.answer(wish(Intent.REMEMBER, "x"))).startswith("기억 저장에 실패했어요")
    assert (await answers.answer(wish(Intent.MEMORY_TELL))).startswith("기억 저장에 실패했어요")


async def test_a_full_memory_takes_the_fact_and_says_what_made_room(answers: MemoryAnswers) -> None:
    await answers.answer(wish(Intent.REMEMBER, "길다 " * 60))
    told = await answers.answer(wish(Intent.REMEMBER, "짧다"))
    assert "기억했어요: 짧다" in told
    assert "보관함" in told


async def test_a_memory_that_is_off_names_the_setting(all_texts: dict[Language, Texts]) -> None:
    off = MemoryAnswers(no_memory(), all_texts)
    assert "기억 기능 켜 줘" in await off.answer(wish(Intent.REMEMBER, "x"))


async def test_the_last_fact_is_that_of_any_memory_and_has_the_message_as_source(
    memory: PersonalMemory, tmp_path: Path, all_texts: dict[Language, Texts]
) -> None:
    journal, shared = MemoryJournal(), MemoryFile(tmp_path / "memory.md", FakeClock(), lambda: 200)
    journal.watch(memory.file, Scope.PERSONAL)
    journal.watch(shared, Scope.WORKSPACE)
    answers = MemoryAnswers(memory, all_texts, journal)
    await answers.answer(Recognised(intent=Intent.REMEMBER, language="ko", text="고양이 한 마리", message="m-1"))
    assert [fact.source for fact in await memory.facts()] == ["m-1"]
    await shared.add("금요일에 배포한다")
    assert await answers.answer(wish(Intent.FORGET_NEWEST)) == "잊었어요: 금요일에 배포한다."
    assert await answers.answer(wish(Intent.FORGET_NEWEST)) == "잊었어요: 고양이 한 마리."
    assert (await memory.facts(), await shared.facts()) == ((), ())


async def test_a_fact_is_remembered_where_it_belongs_and_forgotten_wherever_it_is(
    memory: PersonalMemory, tmp_path: Path, all_texts: dict[Language, Texts]
) -> None:
    memories = memories_in(tmp_path, memory)
    answers = MemoryAnswers(memory, all_texts, None, memories)

    async def said(intent: Intent, text: str) -> str:
        return await answers.answer(Recognised(intent=intent, language="ko", text=text, conversation="c"))

    assert (await said(Intent.REMEMBER, "우리 팀은 금요일에 배포한다")).startswith("이 작업 공간의 기억에")
    assert (await said(Intent.REMEMBER, "앞으로 짧게 답한다")).startswith("이 에이전트의 기억에")
    assert (await said(Intent.REMEMBER, "금요일에 쉰다")).startswith("기억했어요")
    shared = [file for scope, file in (await memories.files("c")).items() if scope is not Scope.PERSONAL]
    assert await said(Intent.MEMORY_TELL, "") == (
        "이렇게 기억하고 있어요: 금요일에 쉰다. 이 작업 공간의 기억: 우리 팀은 금요일에 배포한다. "
        "이 에이전트의 기억: 앞으로 짧게 답한다."
    )
    own, team, wishes = [[fact.text for fact in await file.facts()] for file in (memory.file, *shared)]
    assert (own, team, wishes) == (["금요일에 쉰다"], ["우리 팀은 금요일에 배포한다"], ["앞으로 짧게 답한다"])
    assert await said(Intent.FORGET, "금요일") == "잊었어요: 금요일에 쉰다 / 우리 팀은 금요일에 배포한다."
    assert [len(await file.facts()) for file in (memory.file, *shared)] == [0, 0, 1]


async def test_a_replaced_fact_is_told_with_the_old_one(answers: MemoryAnswers) -> None:
    await answers.answer(wish(Intent.REMEMBER, "내 생일은 3월 2일이야"))
    told = await answers.answer(wish(Intent.REMEMBER, "내 생일은 3월 5일이야"))
    assert told.startswith("내 생일은 3월 2일이야 대신 이렇게 기억했어요: 내 생일은 3월 5일이야.")


async def test_the_memory_that_the_user_names_is_used(
    memory: PersonalMemory, tmp_path: Path, all_texts: dict[Language, Texts]
) -> None:
    memories = memories_in(tmp_path, memory)
    answers = MemoryAnswers(memory, all_texts, None, memories)
    request = Recognised(
        intent=Intent.REMEMBER, language="ko", text="프린터는 3층", conversation="c", scope=Scope.WORKSPACE
    )
    assert (await answers.answer(request)).startswith("이 작업 공간의 기억에")
    assert [fact.text for fact in await (await memories.files("c"))[Scope.WORKSPACE].facts()] == ["프린터는 3층"]


async def test_a_change_on_request_replaces_a_value_that_could_stand_beside_others(
    answers: MemoryAnswers, memory: PersonalMemory
) -> None:
    for text, changed in (
        ("회의는 9시", False),
        ("회의는 10시", False),
        ("스터디는 월요일", False),
        ("스터디는 화요일", True),
    ):
        await answers.answer(Recognised(intent=Intent.REMEMBER, language="ko", text=text, changed=changed))
    assert [fact.text for fact in await memory.facts()] == ["회의는 9시", "회의는 10시", "스터디는 화요일"]
