from dataclasses import replace

import pytest

from assistant.agent.context.sections import KEPT_MESSAGES
from assistant.agent.context.window import coherent_from, outside_window, window, window_begin
from assistant.agent.model_choice import EMBEDDED, ModelChoice, choose_model
from assistant.agent.summaries.summary import (
    LONGEST,
    as_it_is,
    longest_of,
    original,
    request,
    room_for_original,
    summarising_model,
    told_summary,
    within,
)
from assistant.core.messages import Attachment, Completion, Message, Role, ToolUse
from assistant.core.settings import Language, LlmSettings, Provider, Settings
from assistant.core.texts import Texts
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from tests.fakes.clock import START
from tests.unit.agent.context.composing import composed

Catalogues = dict[Language, Texts]

LOCAL = Provider(name="here", kind="openai", base_url="http://127.0.0.1:1/v1")
AWAY = Provider(name="away", kind="openai", base_url="https://models.example/v1")
BIG = ModelChoice(provider=AWAY, model="big")


def user(text: str) -> Message:
    return Message(role=Role.USER, text=text)


def assistant(text: str, completion: Completion = Completion.COMPLETE) -> Message:
    return Message(role=Role.ASSISTANT, text=text, completion=completion)


def talk(turns: int, size: int = 100) -> list[Message]:
    return [each for number in range(turns) for each in (user(f"{number:<{size}}"), assistant("a" * size))]


# Who summarises


def settings(light: str = "") -> Settings:
    llm = LlmSettings(provider="away", model="big", light_model=light, embedded_model=PLACEHOLDER_MODEL)
    return Settings(llm=llm, providers=(LOCAL, AWAY))


def test_the_light_model_summarises_and_without_one_the_model_that_answers() -> None:
    assert summarising_model(settings("here/light"), BIG) == choose_model(settings(), "here/light")
    assert summarising_model(settings("away/light"), BIG) == choose_model(settings(), "away/light")
    assert summarising_model(settings(), BIG) == BIG


def test_what_is_answered_on_this_machine_is_not_sent_away_for_a_summary() -> None:
    here = ModelChoice(provider=LOCAL, model="m")
    embedded = ModelChoice(provider=EMBEDDED, model="own.gguf")
    assert summarising_model(settings("away/light"), here) == here
    assert summarising_model(settings("away/light"), embedded) == embedded


def test_the_stand_in_is_never_asked_for_a_summary() -> None:
    stand_in = ModelChoice(provider=EMBEDDED, model=PLACEHOLDER_MODEL)
    assert summarising_model(settings(), stand_in) is None
    assert summarising_model(settings("here/light"), stand_in) is None
    assert summarising_model(settings("embedded"), BIG) == BIG


# What is asked


def test_the_original_is_what_the_user_wrote_and_got_after_the_earlier_summary(all_texts: Catalogues) -> None:
    file = Attachment(mime_type="image/png", name="cat.png", data=b"x")
    messages = [
        Message(role=Role.USER, text="이거 뭐야?", attachments=(file,)),
        Message(role=Role.ASSISTANT, text="", tool_uses=(ToolUse(id="1", name="look"),)),
        Message(role=Role.TOOL, text="stale " * 50, tool_use_id="1"),
        replace(assistant("버려진 답"), superseded=True),
        assistant("고양이예요", Completion.INCOMPLETE),
    ]
    assert original("- 앞의 일", messages, all_texts["ko"]) == (
        "이전 대화 요약: - 앞의 일\n\n대화:\n"
        "사용자: 이거 뭐야? (파일: cat.png)\n"
        "소리: (도구 사용: look)\n"
        "소리: 고양이예요 (답변이 여기서 끊김)"
    )
    assert original("- before", [], all_texts["en"]) == ""


def test_too_long_an_original_loses_its_oldest_messages_and_the_middle_of_huge_ones(all_texts: Catalogues) -> None:
    text = original("- kept", talk(50), all_texts["en"], longest=1_000)
    assert len(text) <= 1_100
    assert "- kept" in text
    assert "User: 49" in text
    assert "User: 0" not in text
    # Long messages are shortened before any is left out.
    long = [user(f"{number} " + "x" * 3_000) for number in range(10)]
    assert "User: 0 " in original("", long, all_texts["en"], longest=5_000)
    huge = original("", [user("b" + "x" * 50_000 + "e")], all_texts["en"])
    assert len(huge) < 5_000
    assert (huge.count("b"), huge.endswith("e")) == (1, True)


def test_a_small_model_is_given_no_more_than_it_can_read() -> None:
    assert room_for_original(None, "prompt") == room_for_original(1_000_000, "prompt")
    assert 0 < room_for_original(4_096, "prompt") < 4_096
    assert room_for_original(10, "prompt" * 100) == 0


def test_the_request_has_no_tools_and_is_named_as_what_it_is(all_texts: Catalogues) -> None:
    asked = request("light", " prompt\n", "x" * 900, all_texts["en"])
    assert (asked.model, asked.system, asked.tools, asked.purpose) == ("light", "prompt", (), "summary")
    (message,) = asked.messages
    assert message.role == "user"
    assert message.text.endswith("at most 300 characters in all.")


def test_a_summary_may_have_half_of_the_original_and_never_more_than_some_thousand_characters() -> None:
    assert longest_of("x" * 1_200) == 600
    assert longest_of("x" * 30_000) == LONGEST


@pytest.mark.parametrize(
    ("reply", "longest", "kept"),
    [
        ("- a\n- b", 7, "- a\n- b"),
        ("- a\n- b", 6, "- a"),
        ("- a\n- b\n- c", 8, "- a\n- b"),
        ("- a long line", 5, ""),
        ("words", 5, "words"),
        ("words", 4, ""),
        ("Here it is:\n- a\n- b", 12, ""),
    ],
)
def test_of_a_list_that_is_longer_than_half_the_first_lines_stay(reply: str, longest: int, kept: str) -> None:
    assert within(reply, longest) == kept


def test_short_messages_are_their_own_summary(all_texts: Catalogues) -> None:
    told = as_it_is("- 앞의 일", [user("안녕?"), assistant("네, 안녕하세요.")], all_texts["ko"])
    assert told == "- 앞의 일\n- 사용자: 안녕?\n- 소리: 네, 안녕하세요."


@pytest.mark.parametrize("language", ["ko", "en"])
def test_the_first_question_is_told_by_code_before_the_summary_and_without_one(
    all_texts: Catalogues, language: Language
) -> None:
    texts = all_texts[language]
    first, *summary = told_summary("- a\n- b", "부산 가는\n기차 있어?", texts).splitlines()
    assert "부산 가는 기차 있어?" in first
    assert summary == ["- a", "- b"]
    assert told_summary("", "부산 가는\n기차 있어?", texts) == first
    assert told_summary("- a", "", texts) == "- a"
    assert len(told_summary("- a", "x" * 5_000, texts)) < 300


# What stays


def test_what_stays_begins_with_a_question_and_is_at_least_five_messages() -> None:
    history = talk(10)
    assert coherent_from(history, 9) == 10
    assert coherent_from(history, 10) == 10
    assert coherent_from(history, len(history)) == len(history) - 6
    assert coherent_from([], 0) == 0
    assert coherent_from([assistant("a")], 0) == 1
    long_turn = [user("q"), *[assistant("a" * 100)] * 20]
    assert coherent_from(long_turn, 15) == 0


def test_calls_and_results_are_no_messages_of_the_window() -> None:
    call = replace(assistant(""), tool_uses=(ToolUse(id="1", name="look"),))
    turn = [user("q"), call, Message(role=Role.TOOL, text="r", tool_use_id="1"), assistant("a")]
    history = turn * 30
    assert window_begin(history, 30) == len(history) - 15 * len(turn)
    assert window_begin(history, 29) == len(history) - 15 * len(turn)
    assert window_begin(history, 28) == len(history) - 14 * len(turn)
    assert outside_window(history[:60], 30, 30) == 0


@pytest.mark.parametrize("count", range(20, 94))
def test_what_leaves_the_window_with_the_next_message_is_known_before(count: int) -> None:
    history = [user(str(number)) for number in range(count)]
    leaving = outside_window(history, count, 30)
    assert leaving == count + 1 - window(count + 1, 30)
    assert outside_window(history[leaving:], count, 30) == 0
    assert 29 <= count - leaving < 45 or not leaving


# In a context


def test_the_summary_stands_before_the_conversation_and_does_not_change_with_it(all_texts: Catalogues) -> None:
    first = composed("p", [user("하나")], all_texts["ko"], START, summary="- 첫째\n- 둘째")
    second = composed(
        "p", [user("하나"), assistant("일"), user("둘")], all_texts["ko"], START, summary="- 첫째\n- 둘째"
    )
    assert first.system == "p\n\n오늘: 2026년 11월 22일 일요일 (UTC+09:00)\n\n이전 대화 요약: - 첫째\n- 둘째"
    assert second.system == first.system
    assert second.messages[:1] == first.messages
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]


def test_the_summary_counts_among_the_characters(all_texts: Catalogues) -> None:
    plain = composed("p", talk(5), all_texts["en"], START, max_size=1_100)
    full = composed("p", talk(5), all_texts["en"], START, summary="s" * 400, max_size=1_100)
    assert plain.dropped == 0
    assert full.dropped > 0
    assert full.size <= 1_100


def test_a_long_turn_that_is_answered_again_keeps_its_question(all_texts: Catalogues) -> None:
    steps = [
        each
        for number in range(6)
        for each in (
            Message(role=Role.ASSISTANT, text="", tool_uses=(ToolUse(id=str(number), name="t"),)),
            Message(role=Role.TOOL, text="r" * 500, tool_use_id=str(number)),
        )
    ]
    context = composed("p", [*talk(3), user("question"), *steps], all_texts["en"], START, max_size=1_000)
    asked = [message.text for message in context.messages if message.role == "user"]
    assert asked[-1] == "question"
    assert len(context.messages) == KEPT_MESSAGES + len(steps)
