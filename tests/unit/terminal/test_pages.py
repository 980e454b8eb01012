from dataclasses import replace

import pytest

from assistant.core import updates as up
from assistant.core.display.table import cells
from assistant.core.messages import Attachment, Completion, Message, Role
from assistant.host.texts import load_texts
from assistant.terminal import pages

TEXTS = load_texts("ko")


def said(number: int, text: str = "", role: Role = Role.USER, **more: object) -> Message:
    return Message(id=f"m{number}", role=role, text=text or f"말 {number}", **more)  # type: ignore[arg-type]


def opened(*messages: Message, more: bool = False, wanted: str = "") -> list[str]:
    return pages.opened(up.ConversationOpened(conversation="a", messages=messages, more=more, wanted=wanted), TEXTS, 20)


@pytest.mark.parametrize("width", range(8, 24))
def test_a_short_line_fills_its_cells_and_no_more(width: int) -> None:
    line = pages.in_short(said(1, "가나다 라마바사 아자차카 abc"), TEXTS, width)
    assert width - 2 <= cells(line) <= width
    assert line.endswith("…")


@pytest.mark.parametrize("width", [-3, 0, 1])
def test_a_terminal_without_room_gets_a_sign_that_something_is_cut(width: int) -> None:
    assert pages.in_short(said(1), TEXTS, width) == "…"


def test_an_opened_conversation_shows_its_newest_messages_without_tools_and_replaced_answers() -> None:
    messages = [said(number) for number in range(10)]
    tool, old = said(10, role=Role.TOOL), said(11, role=Role.ASSISTANT, superseded=True)
    lines = opened(*messages, tool, old, said(12, "네,\n좋아요.", Role.ASSISTANT))
    assert lines[0] == TEXTS("console.earlier")
    assert lines[1:] == [*(f"나> 말 {number}" for number in range(5, 10)), "소리: 네, 좋아요."]


def test_a_few_messages_are_all_shown_and_older_ones_are_pointed_to() -> None:
    assert opened(said(1)) == ["나> 말 1"]
    assert opened(said(1), more=True) == [TEXTS("console.earlier"), "나> 말 1"]
    assert opened() == []


def test_the_wanted_message_is_complete_among_its_neighbours() -> None:
    long = "가나다라마바사아자차카타파하"
    messages = [said(number) for number in range(9)]
    messages[4] = said(4, long)
    assert opened(*messages, wanted="m4") == ["나> 말 2", "나> 말 3", f"» 나> {long}", "나> 말 5", "나> 말 6"]


def test_the_history_numbers_messages_and_tells_which_version_is_shown() -> None:
    edited = said(3, "고친 말", versions=("m2", "m3"))
    assert pages.history([said(1), edited, said(4, "네,\n그래요", Role.ASSISTANT)], TEXTS, 80) == [
        "  1  나> 말 1",
        "  2 (2/2)  나> 고친 말",
        "  3  소리: 네,",
        "     그래요",
    ]


def test_an_answer_is_shown_without_marks_and_a_question_as_it_was_typed() -> None:
    assert pages.in_full(said(1, "**네**", Role.ASSISTANT), TEXTS, 80) == "소리: 네"
    assert pages.in_full(said(2, "**네**"), TEXTS, 80) == "나> **네**"


def test_files_of_a_message_are_named() -> None:
    file = Attachment(mime_type="text/plain", name="메모.txt", data=b"a")
    assert pages.in_full(said(1, "보세요", attachments=(file,)), TEXTS, 80) == "나> 보세요\n- 파일: 메모.txt"


@pytest.mark.parametrize("completion", [Completion.INCOMPLETE, Completion.FAILED, Completion.STREAMING])
def test_a_conversation_that_ends_without_an_answer_says_so_and_how_to_ask_again(completion: Completion) -> None:
    end = Message(role=Role.ASSISTANT, text="", completion=completion)
    cut = up.ConversationOpened(conversation="a", messages=(said(1), end))
    lines = pages.opened(cut, TEXTS, 80)
    assert lines[-2:] == [f"소리: ({TEXTS(f'desktop.mark.{completion}')})", TEXTS("console.offer_retry")]
    whole = up.ConversationOpened(conversation="a", messages=(said(1), end, said(2), said(3, "네", Role.ASSISTANT)))
    assert TEXTS("console.offer_retry") not in pages.opened(whole, TEXTS, 80)


def test_an_answer_without_its_end_says_why() -> None:
    cut = said(1, "가나다라마바사 아자차카타파하", Role.ASSISTANT, completion=Completion.STREAMING)
    mark = f"({TEXTS('desktop.mark.streaming')})"
    assert pages.in_full(cut, TEXTS, 80).endswith(f"\n{mark}")
    short = pages.in_short(cut, TEXTS, 60)
    assert short.endswith(f"… {mark}")
    assert cells(short) <= 60
    assert mark not in pages.in_full(said(2, "안녕"), TEXTS, 80)


def test_an_answer_that_failed_is_shown_with_its_reason() -> None:
    failed = replace(said(3, "", Role.ASSISTANT), completion=Completion.FAILED, error="model_file")
    told = replace(failed, error_text="qwen 모델이 아직 없어요.\n다음: sori models pull qwen")
    assert pages.ending_mark(told, TEXTS) == "(qwen 모델이 아직 없어요. 다음: sori models pull qwen)"
    assert pages.ending_mark(failed, TEXTS) == f"({TEXTS('desktop.mark.failed')})", "of a former version"
    assert pages.ending_mark(replace(told, completion=Completion.COMPLETE), TEXTS) == ""
