import pytest

from assistant.agent.summaries.memory_summary import listed, portions, request, shorter_facts
from assistant.core.settings import Language
from assistant.core.texts import Texts

FACTS = ("나는 서울에 살고 고양이 나비를 키운다", "내 동생은 부산에서 빵집을 한다")


def test_the_request_holds_the_lines_and_the_fixed_words(all_texts: dict[Language, Texts]) -> None:
    asked = request("light", FACTS, all_texts["ko"])
    (message,) = asked.messages
    task = "다음 메모리를 핵심 사실만 보존하여 50% 이하로 요약하세요. 라인 단위(`- ...`) 형식 유지."
    assert (asked.model, asked.system, asked.tools) == ("light", task, ())
    assert message.text == f"{listed(FACTS)}\n\n{task}"


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("- 서울, 고양이 나비\n\n- 동생은 빵집\n", ("서울, 고양이 나비", "동생은 빵집")),
        ("요약입니다:\n- 서울", ()),
        ("서울, 고양이", ()),
        ("", ()),
        (listed(FACTS), ()),
        ("- " + "가" * (len(listed(FACTS)) // 2 - 1), ()),
        ("- " + "가" * (len(listed(FACTS)) // 2 - 2), ("가" * (len(listed(FACTS)) // 2 - 2),)),
    ],
    ids=["lines", "other words", "no lines", "empty", "not shorter", "more than half", "half"],
)
def test_a_reply_counts_only_as_lines_of_at_most_half_the_size(reply: str, expected: tuple[str, ...]) -> None:
    assert shorter_facts(reply, FACTS) == expected


def test_a_memory_larger_than_the_models_room_is_asked_for_in_portions() -> None:
    facts = [f"fact {number}" for number in range(10)]
    made = portions(facts, 30)
    assert [fact for portion in made for fact in portion] == facts
    assert len(made) == 4
    assert portions(["long " * 20, "b"], 30) == [["long " * 20], ["b"]]
