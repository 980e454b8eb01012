"""The mechanics of the memory benchmark, with a scripted model."""

from collections import Counter
from pathlib import Path

import pytest

from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core.machine.effects import Origin
from assistant.core.packets import AnswerDelta
from benchmarks.mind.memory import HELD_OUT, Case, is_right, play, read_cases
from tests.fakes.backend import FakeBackend, says
from tests.unit.agent.remembering.test_rememberer import Desk
from tests.unit.conftest import MakeWorld

CASES = {case.id: case for case in read_cases()}


def test_every_kind_is_there_in_both_languages() -> None:
    counts = Counter((case.kind, case.language) for case in CASES.values())
    assert sum(counts.values()) >= 40
    assert set(counts) == {
        (kind, language) for kind in ("fact", "update", "time", "preference", "unknown") for language in ("ko", "en")
    }
    assert min(counts.values()) >= 4
    assert all(case.unknown or case.answer for case in CASES.values())


@pytest.mark.parametrize(
    ("case", "answer", "right"),
    [
        ("ko-fact-1", "고양이 이름은 보리예요.", True),
        ("ko-fact-1", "잘 모르겠어요.", False),
        ("ko-update-1", "지금은 대전에 살고 계세요.", True),
        ("ko-update-1", "부산에 살고 계세요. 전에는 대전이었어요.", False),
        ("en-unknown-1", "I don't know; you have not told me.", True),
        ("en-unknown-1", "Your cat is called Biscuit. I don't know more.", False),
    ],
)
def test_answers_are_judged_by_their_words(case: str, answer: str, *, right: bool) -> None:
    assert is_right(CASES[case], answer) is right


async def played(desk: Desk, case: Case) -> tuple[str, str]:
    """The answer to the question of a case, and the system prompt with which it was asked."""
    desk.world.answerer.facts_about_user = desk.personal.facts

    async def ask(conversation: str, said: str) -> str:
        turn = desk.world.engine.new_turn()
        request = TurnRequest(turn=turn, conversation=conversation, text=said, origin=Origin.TEXT)
        packets = [packet async for packet in packets_of(desk.world.engine.turn(request))]
        await desk.rememberer.remember(conversation)
        return "".join(packet.text for packet in packets if isinstance(packet, AnswerDelta))

    answer = await play(case, desk.world.store.create, ask)
    return answer, [each for each in desk.backend.requests if each.purpose == "answer"][-1].system


async def test_what_was_said_in_passing_is_told_in_a_later_conversation(make_world: MakeWorld, tmp_path: Path) -> None:
    case = CASES["ko-update-4"]
    backend = FakeBackend(
        says("네."),
        says("- 나는 커피를 하루에 세 잔 마신다"),
        says("네."),
        says("- 나는 이제 커피를 끊었다\n- 대신 보리차를 마신다"),
        says("보리차예요."),
    )
    answer, system = await played(Desk(make_world, tmp_path, backend), case)
    assert is_right(case, answer)
    assert system.index("커피를 하루에 세 잔") < system.index("커피를 끊었다") < system.index("보리차")


async def test_nothing_is_told_of_what_was_never_said(make_world: MakeWorld, tmp_path: Path) -> None:
    case = CASES["ko-unknown-3"]
    backend = FakeBackend(says("네."), says("- 여동생은 의사다\n- 나는 재즈를 좋아한다"), says("모르겠어요."))
    answer, system = await played(Desk(make_world, tmp_path, backend), case)
    assert is_right(case, answer)
    assert "재즈" in system
    assert "의사" not in system


def test_the_held_out_cases_have_every_kind_and_no_sentence_of_the_others() -> None:
    held_out = read_cases(HELD_OUT)
    assert len(held_out) >= 20
    assert {case.kind for case in held_out} == {case.kind for case in CASES.values()}
    assert not {case.question for case in held_out} & {case.question for case in CASES.values() if not case.unknown}
