from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
import pytest

from assistant.agent.workspaces.current import CurrentAgent
from assistant.agent.workspaces.directory import Workspaces
from assistant.chat.agents.calling import AgentCalls, Called, called_agent, called_by_sound
from assistant.chat.agents.enrolments import Comparison
from assistant.core.errors import StorageError
from assistant.core.records.agents import AgentId
from assistant.speech.stt.recognizer import Transcript, Weighed
from assistant.speech.text.names.likelihood import CERTAIN, LEAST, POSSIBLE
from assistant.speech.wake.likeness import EnrolledSound, normalised, packed
from assistant.speech.wake.own_words import OwnWords
from assistant.speech.wake.own_words import packed as packed_words
from assistant.voice.waking.name_said import NameSaid
from tests.fakes.clock import FakeClock

SORI = AgentId()
HERE, THERE = AgentId(workspace="home", name="tory"), AgentId(workspace="work", name="tory")


@pytest.mark.parametrize(
    ("phrases", "agent"),
    [
        ([(THERE, "토리야"), (HERE, "토리야")], HERE),
        ([(SORI, "토리야"), (THERE, "토리야")], THERE),
        ([(SORI, "토리야")], SORI),
        ([(THERE, "토리야"), (HERE, "도리야")], HERE),
        ([(AgentId(workspace="home", name="dory"), "도리야"), (HERE, "토리야")], HERE),
    ],
)
def test_the_nearest_agent_is_called(phrases: list[tuple[AgentId, str]], agent: AgentId) -> None:
    called = called_agent("토리야, 불 켜 줘", phrases, "home")
    assert called is not None
    assert (called.agent, called.rest) == (agent, "불 켜 줘")


@pytest.mark.parametrize(("free", "found"), [("다운디", True), ("다 온다", False)])
def test_a_name_that_is_called_alone_may_get_a_syllable_more(free: str, found: bool) -> None:
    heard = Weighed(
        transcript=Transcript(text=free, language="ko", samples=0),
        fits={"다온": CERTAIN},
        continued={"다온": "다온다"},
    )
    assert (called_by_sound(heard, [(HERE, "다온")], "home", lambda _: False) is not None) is found


def test_nobody_is_called() -> None:
    assert called_agent("불 켜 줘", [(HERE, "토리야")], "home") is None


@pytest.fixture
def workspaces(tmp_path: Path) -> Workspaces:
    workspaces = Workspaces(tmp_path, FakeClock(), lambda: 2_000)
    workspaces.add_workspace("home")
    workspaces.add_agent(HERE, {"wake_phrase": "토리야"})
    return workspaces


async def _stays(_: AgentId) -> None:
    """Show nothing."""


def calls_of(
    workspaces: Workspaces, present: AgentId, answer_by: Callable[[AgentId], Awaitable[None]] = _stays
) -> AgentCalls:
    async def agent_of(_: str) -> AgentId:
        return present

    return AgentCalls(workspaces, CurrentAgent(workspaces.folder / "current"), agent_of, answer_by)


async def test_an_edited_wake_phrase_counts_from_the_next_refresh_on(workspaces: Workspaces) -> None:
    calls = calls_of(workspaces, SORI)
    assert calls.find("토리야") is None
    await calls.refresh("c")
    assert calls.possible
    workspaces.edit_agent(HERE, {"wake_phrase": "김비서"})
    assert calls.find("토리야") == Called(agent=HERE, phrase="토리야")
    await calls.refresh("c")
    assert calls.find("토리야") is None


@pytest.mark.parametrize(("present", "begun"), [(SORI, [HERE]), (HERE, [])])
async def test_only_another_agent_gets_a_new_conversation(
    workspaces: Workspaces, present: AgentId, begun: list[AgentId]
) -> None:
    answering = list[AgentId]()

    async def answer_by(agent: AgentId) -> None:
        answering.append(agent)

    calls = calls_of(workspaces, present, answer_by)
    await calls.refresh("c")
    found = calls.find("토리야")
    assert found is not None
    assert (calls.other("토리야") is not None) == bool(begun)
    await calls.answer(found)
    assert answering == begun
    assert calls.other("토리야") is None


@pytest.mark.parametrize(("present", "name"), [(HERE, "토리야"), (THERE, ""), (SORI, "")])
async def test_the_name_of_the_agent_that_answers_is_told(workspaces: Workspaces, present: AgentId, name: str) -> None:
    async def answer_by(_: AgentId) -> None:
        pytest.fail("Nobody was called.")

    calls = calls_of(workspaces, present, answer_by)
    told: list[str] = []
    calls.read.add(told.append)
    await calls.refresh("c")
    assert told == [name]


async def test_without_a_database_nobody_is_called(workspaces: Workspaces) -> None:
    async def agent_of(_: str) -> AgentId:
        raise StorageError("sori.db", "no disk")

    calls = AgentCalls(workspaces, CurrentAgent(workspaces.folder / "current"), agent_of)
    await calls.refresh("c")
    assert not calls.possible


def weighed(text: str, fit: float, continued: str = "") -> Weighed:
    transcript = Transcript(text=text, language="ko", samples=0)
    return Weighed(transcript=transcript, fits={"토리야": fit}, continued={"토리야": continued} if continued else {})


@pytest.mark.parametrize(
    ("heard", "resembling", "rest"),
    [
        (weighed("또 리야 불 켜 줘", CERTAIN, "토리야 불 켜 줘"), False, "불 켜 줘"),
        (weighed("포니아", POSSIBLE, "토리야"), True, ""),
        (weighed("포니아", POSSIBLE, "토리야"), False, None),
        (weighed("포니아", POSSIBLE - 1, "토리야"), True, None),
        (weighed("포니", CERTAIN, "토리야를"), False, None),
        (weighed("포니", CERTAIN, "토리야를"), True, "를"),
        (weighed("포니", POSSIBLE, "토리야를"), True, "를"),
        (weighed("토리야 불 켜 줘", LEAST), False, "불 켜 줘"),
        (weighed("토리야 불 켜 줘", LEAST - 1), False, None),
        (weighed("저기, 토리야 불 켜 줘", LEAST - 9), False, "불 켜 줘"),
        (weighed("토리가 잔다", CERTAIN, "토리야 잔다"), False, None),
        (weighed("호텔 방 있어", CERTAIN, "토리야, 호텔 방 있어"), False, None),
        (Weighed(transcript=Transcript(text="토리야", language="ko", samples=0)), False, ""),
    ],
)
async def test_a_name_is_found_by_the_transcript_or_by_how_well_it_fits_the_sound(
    workspaces: Workspaces, heard: Weighed, resembling: bool, rest: str | None
) -> None:
    calls = calls_of(workspaces, SORI)
    await calls.refresh("c")
    found = calls.find_in(heard, Comparison(resembling={"토리야"} if resembling else ()))
    assert (None if found is None else found.rest) == rest


@pytest.mark.parametrize(
    "heard", [weighed("토리야 불 켜 줘", LEAST), weighed("또 리야 불 켜 줘", CERTAIN, "토리야 불 켜 줘")]
)
async def test_a_name_whose_sound_is_not_there_is_not_called(workspaces: Workspaces, heard: Weighed) -> None:
    calls = calls_of(workspaces, SORI)
    await calls.refresh("c")
    assert calls.find_in(heard) is not None
    assert calls.find_in(heard, Comparison(unlike={"토리야"})) is None
    assert calls.find_in(heard, Comparison(unlike={"초코야"})) is not None


async def test_soris_own_words_are_asked_about_a_doubtful_name_unless_other_words_came_first(
    workspaces: Workspaces,
) -> None:
    steps = normalised(np.random.default_rng(1).standard_normal((5, 96)).astype(np.float32))
    other = normalised(np.random.default_rng(2).standard_normal((5, 96)).astype(np.float32))
    workspaces.keep_own_words(HERE, packed_words(OwnWords(phrase="토리야", takes=(steps,), heard=(), made_from="")))
    calls = calls_of(workspaces, SORI)
    await calls.refresh("c")
    doubtful, sure, opened = (
        weighed("토리야 불 켜 줘", LEAST), weighed("토리야 불 켜 줘", 0.0), weighed("저기, 토리야 불 켜 줘", LEAST)
    )  # fmt: skip
    assert [calls.undecided(each, calls.find_in(each)) for each in (doubtful, sure, opened)] == [True, False, False]
    assert calls.compare(other, doubtful).unlike == {"토리야"}
    assert calls.compare(steps, doubtful).unlike == calls.compare(other, sure).unlike == frozenset()


async def test_a_misheard_name_is_taken_off_the_request(workspaces: Workspaces) -> None:
    calls = calls_of(workspaces, SORI)
    await calls.refresh("c")
    called = calls.find_in(weighed("포니아 불 켜", CERTAIN, "토리야 불 켜"))
    assert called is not None
    said = NameSaid(phrase=called.phrase, spellings=called.spellings)
    heard = Transcript(text="폰이아, 불 켜 줘.", language="ko", samples=0)
    assert said.request_in(heard, 1_500).text == "불 켜 줘."


async def test_enrolled_sounds_count_as_long_as_the_phrase_is_the_same(workspaces: Workspaces) -> None:
    steps = normalised(np.random.default_rng(1).standard_normal((5, 96)).astype(np.float32))
    other = normalised(np.random.default_rng(2).standard_normal((5, 96)).astype(np.float32))
    workspaces.keep_wake_sound(HERE, packed(EnrolledSound(phrase="토리야", takes=(steps,), limit=0.1)))
    calls = calls_of(workspaces, SORI)
    await calls.refresh("c")
    possible = weighed("", POSSIBLE)
    assert calls.least("ko") == POSSIBLE
    assert [*calls.compare(steps, possible).resembling, "/", *calls.compare(other, possible).resembling] == [
        "토리야",
        "/",
    ]
    assert calls.undecided(possible)
    assert calls.undecided(weighed("", CERTAIN))
    assert not calls.undecided(weighed("", POSSIBLE - 0.1))
    workspaces.edit_agent(HERE, {"wake_phrase": "도리야"})
    await calls.refresh("c")
    assert calls.least("ko") == CERTAIN


async def test_how_soris_voices_are_heard_calls_as_well(workspaces: Workspaces) -> None:
    calls = calls_of(workspaces, SORI)
    await calls.refresh("c")
    heard = weighed("포니아 불 켜", POSSIBLE)
    assert calls.find_in(heard) is None
    steps = normalised(np.random.default_rng(1).standard_normal((5, 96)).astype(np.float32))
    words = OwnWords(phrase="토리야", takes=(steps,), heard=("포니아",), made_from="")
    workspaces.keep_own_words(HERE, packed_words(words))
    await calls.refresh("c")
    assert calls.find_in(heard) is None, "the name is too improbable"
    found = calls.find_in(weighed("포니아 불 켜", LEAST))
    assert found is not None
    assert (found.phrase, found.spellings, found.rest) == ("토리야", ("포니아",), "불 켜")
    assert calls.to_weigh("ko") == {"토리야": ("토리야",)}, "spellings that nobody chose cost nothing"


async def test_further_spellings_are_writings_of_the_name(workspaces: Workspaces) -> None:
    workspaces.edit_agent(HERE, {"wake_spellings": ("또리",)})
    calls = calls_of(workspaces, SORI)
    await calls.refresh("c")
    assert calls.to_weigh("ko") == {"토리야": ("토리야", "또리")}
