from datetime import datetime, timedelta

from assistant.agent.context.model_form import encoded_files
from assistant.agent.context.window import window
from assistant.core.messages import Attachment, Completion, Message, Role, ToolUse
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ModelMessage
from tests.fakes.clock import START
from tests.unit.agent.context.composing import composed

Catalogues = dict[Language, Texts]


def user(text: str, at: datetime = START) -> Message:
    return Message(role=Role.USER, text=text, created_at=at.isoformat())


def assistant(text: str, completion: Completion = Completion.COMPLETE, heard: str | None = None) -> Message:
    return Message(role=Role.ASSISTANT, text=text, completion=completion, heard=heard)


def test_the_system_prompt_comes_first_then_the_date_then_the_conversation(all_texts: Catalogues) -> None:
    context = composed(
        "  기본 프롬프트\n", [user("안녕"), assistant("안녕하세요"), user("뭐 해?")], all_texts["ko"], START
    )
    assert context.system == "기본 프롬프트\n\n오늘: 2026년 11월 22일 일요일 (UTC+09:00)"
    assert context.messages == (
        ModelMessage(role="user", text="<context>지금 시각: 2026년 11월 22일 일요일 15:05.</context>\n\n안녕"),
        ModelMessage(role="assistant", text="안녕하세요"),
        ModelMessage(role="user", text="뭐 해?"),
    )


def test_what_was_sent_before_stays_the_same_bytes_on_later_turns_of_the_day(all_texts: Catalogues) -> None:
    history = [user("하나"), assistant("일", Completion.CANCELLED)]
    later = START + timedelta(minutes=37)
    first = composed("p", [*history, user("둘")], all_texts["en"], START)
    second = composed("p", [*history, user("둘"), assistant("이"), user("셋", later)], all_texts["en"], later)
    assert second.system == first.system
    assert second.messages[: len(first.messages)] == first.messages


def test_the_time_is_told_again_after_a_pause_and_not_with_every_message(all_texts: Catalogues) -> None:
    times = (0, 4, 14, 15, 20, 31)
    history = [user(str(minutes), START + timedelta(minutes=minutes)) for minutes in times]
    messages = composed("p", history, all_texts["en"], START).messages
    told = [minutes for minutes, message in zip(times, messages, strict=True) if "It is now" in message.text]
    assert told == [0, 15, 31]
    assert "15:36" in messages[-1].text


def test_without_notes_messages_are_what_was_said_and_no_more(all_texts: Catalogues) -> None:
    history = [user("하나"), assistant("아주 긴", Completion.INTERRUPTED, heard="아주"), user("둘")]
    context = composed("p", history, all_texts["ko"], START, dated=False, notes=False)
    assert context.system == "p"
    assert [message.text for message in context.messages] == ["하나", "아주", "둘"]


def test_a_file_counts_as_what_it_costs_a_model_and_not_as_its_bytes(all_texts: Catalogues) -> None:
    image = Attachment(mime_type="image/jpeg", name="a.jpg", data=bytes(1_000_000))
    seen = Message(role=Role.USER, text="이거 뭐야?", attachments=(image,))
    history = [seen, *(each for number in range(3) for each in (assistant("답"), user(f"질문 {number}")))]
    files = encoded_files(history)
    assert composed("p", history, all_texts["ko"], START, files=files).dropped == 0
    assert composed("p", history, all_texts["ko"], START, files=files, max_size=3_000).dropped > 0


def test_the_window_is_thirty_to_forty_five_messages_and_its_beginning_moves_in_jumps() -> None:
    sizes = {count: window(count, 30) for count in range(100)}
    assert all(size == count for count, size in sizes.items() if count <= 30)
    assert all(30 <= size < 45 for count, size in sizes.items() if count > 30)
    beginnings = {count - size for count, size in sizes.items()}
    assert beginnings == {0, 15, 30, 45, 60}


def test_a_cut_answer_contributes_what_was_received_and_a_note_before_what_the_user_said_next(
    all_texts: Catalogues,
) -> None:
    history = [
        user("1"),
        assistant("아주 긴 이야기입니다.", Completion.INTERRUPTED, heard="아주 긴"),
        user("2"),
        assistant("들리지 않은 답", Completion.INTERRUPTED, heard=""),
        user("3"),
        assistant("멈춘 답 ", Completion.CANCELLED),
        user("4"),
        assistant("끊긴 답", Completion.INCOMPLETE),
        user("5"),
        assistant("", Completion.FAILED),
        user("6"),
    ]
    messages = composed("p", history, all_texts["ko"], START).messages
    assert [each.text for each in messages if each.role == "assistant"] == ["아주 긴", "멈춘 답", "끊긴 답"]
    asked = [each.text for each in messages if each.role == "user"]
    assert asked[1:] == [
        "<context>사용자가 바로 앞 답변을 도중에 끊었고 그 뒤는 듣지 못했어요.</context>\n\n2",
        "<context>사용자는 바로 앞 답변을 듣지 못했어요.</context>\n\n3",
        "<context>사용자가 바로 앞 답변을 도중에 멈췄어요.</context>\n\n4",
        "<context>바로 앞 답변은 도중에 끊겼어요.</context>\n\n5",
        "6",
    ]


def test_old_tool_results_are_one_fixed_line_and_every_call_has_one(all_texts: Catalogues) -> None:
    uses = (ToolUse(id="a", name="t", arguments={"x": 1}), ToolUse(id="b", name="t"))
    history = [
        user("1"),
        Message(role=Role.ASSISTANT, text="", tool_uses=uses),
        Message(role=Role.TOOL, text="long " * 1000, tool_use_id="a"),
        user("2"),
    ]
    messages = composed("p", history, all_texts["en"], START).messages
    assert [message.role for message in messages] == ["user", "assistant", "tool", "tool", "user"]
    assert messages[1].tool_calls[0].arguments == {"x": 1}
    assert {message.tool_call_id for message in messages[2:4]} == {"a", "b"}
    assert {message.text for message in messages[2:4]} == {"(this tool's result is no longer available)"}


def test_a_window_that_begins_with_an_answer_or_a_result_begins_with_the_next_question(all_texts: Catalogues) -> None:
    history = [Message(role=Role.TOOL, text="x", tool_use_id="gone"), assistant("답"), user("질문")]
    context = composed("p", history, all_texts["ko"], START)
    assert [message.role for message in context.messages] == ["user"]


def test_too_large_a_context_loses_its_oldest_messages_but_keeps_five(all_texts: Catalogues) -> None:
    history = [user(f"{number} " + "가" * 100) for number in range(20)]
    small = composed("p", history, all_texts["ko"], START, max_size=1000)
    assert 5 <= len(small.messages) < 20
    assert small.messages[-1].text.startswith("19 ")
    assert small.dropped == 20 - len(small.messages)
    assert len(composed("p", history, all_texts["ko"], START, max_size=1).messages) == 5
