from dataclasses import replace

from assistant.agent.context.materials import SectionKind
from assistant.agent.context.sections import (
    KEPT_MESSAGES,
    Fate,
    SectionPlace,
    message_sections,
    without_oldest,
)
from assistant.core.messages import Attachment, Message, Role, ToolUse
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import IMAGE_CHARACTERS, ModelAttachment
from tests.fakes.clock import START
from tests.unit.agent.context.composing import composed


def user(text: str, *types: str) -> Message:
    files = tuple(Attachment(mime_type=each, name="f", data=b"x") for each in types)
    return Message(role=Role.USER, text=text, created_at=START.isoformat(), attachments=files)


def test_a_context_lists_what_it_is_made_of_in_the_order_in_which_it_is_sent(all_texts: dict[Language, Texts]) -> None:
    talk = [user("하나"), Message(role=Role.ASSISTANT, text="일"), user("이거", "image/png", "text/plain")]
    talk[2] = replace(talk[2], id="m")
    files = {
        "m": (
            ModelAttachment(mime_type="image/png"),
            ModelAttachment(mime_type="text/plain", characters=900, is_text=True),
        )
    }
    context = composed("p", talk, all_texts["ko"], START, tools="t", summary="s", files=files)
    system = [SectionKind.PROMPT, SectionKind.TOOLS, SectionKind.DATE, SectionKind.SUMMARY]
    spoken = [SectionKind.NOTE, SectionKind.MESSAGE, SectionKind.MESSAGE, SectionKind.MESSAGE, SectionKind.FILES]
    assert [section.part for section in context.sections] == [*system, *spoken]
    assert [section.place for section in context.sections] == [SectionPlace.SYSTEM] * 4 + [SectionPlace.MESSAGES] * 5
    assert context.sections[-1].size == IMAGE_CHARACTERS + 900
    assert context.system.startswith("p\nt\n\n")
    assert context.system.endswith("\n\n" + context.sections[3].text)


def test_only_messages_older_than_the_newest_few_may_be_compressed() -> None:
    sections = message_sections([user(str(number)) for number in range(KEPT_MESSAGES + 2)])
    assert [section.fate for section in sections] == [Fate.COMPRESSED] * 2 + [Fate.STAYS] * KEPT_MESSAGES


def test_a_message_goes_with_its_files_and_no_further_than_it_must() -> None:
    first = replace(user("a", "image/png"), id="m")
    files = {"m": (ModelAttachment(mime_type="image/png"),)}
    sections = message_sections([first, *(user("b") for _ in range(KEPT_MESSAGES + 2))], files)
    assert without_oldest(sections, IMAGE_CHARACTERS + 100) == sections
    left = [section.message for section in without_oldest(sections, KEPT_MESSAGES + 2)]
    assert left == list(range(1, KEPT_MESSAGES + 3))
    assert [section.message for section in without_oldest(sections, 0)] == list(range(3, KEPT_MESSAGES + 3))


def test_calls_and_results_are_not_among_the_newest_few() -> None:
    call = Message(role=Role.ASSISTANT, text="", tool_uses=(ToolUse(id="1", name="look"),))
    turn = [user("q"), call, Message(role=Role.TOOL, text="r" * 5_000, tool_use_id="1"), answer("a")]
    sections = message_sections(turn * 4)
    assert [section.message for section in sections if section.fate is Fate.STAYS] == list(range(7, 16))
    # The model is sent one line in place of an old result, and that of the newest question whole.
    assert sum(section.size for section in message_sections(turn * 2)) < 6_000


def answer(text: str) -> Message:
    return Message(role=Role.ASSISTANT, text=text)
