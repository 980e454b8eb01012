from assistant.agent.context.materials import SectionKind
from assistant.agent.context.sections import (
    FILE_SIZE,
    IMAGE_SIZE,
    KEPT_MESSAGES,
    Fate,
    SectionPlace,
    message_sections,
    without_oldest,
)
from assistant.core.messages import Attachment, Message, Role
from assistant.core.settings import Language
from assistant.core.texts import Texts
from tests.fakes.clock import START
from tests.unit.agent.context.composing import composed


def user(text: str, *types: str) -> Message:
    files = tuple(Attachment(mime_type=each, name="f", data=b"x") for each in types)
    return Message(role=Role.USER, text=text, created_at=START.isoformat(), attachments=files)


def test_a_context_lists_what_it_is_made_of_in_the_order_in_which_it_is_sent(all_texts: dict[Language, Texts]) -> None:
    talk = [user("하나"), Message(role=Role.ASSISTANT, text="일"), user("이거", "image/png", "text/plain")]
    files = {talk[2].id: ()}
    context = composed("p", talk, all_texts["ko"], START, tools="t", summary="s", files=files)
    system = [SectionKind.PROMPT, SectionKind.TOOLS, SectionKind.DATE, SectionKind.SUMMARY]
    spoken = [SectionKind.NOTE, SectionKind.MESSAGE, SectionKind.MESSAGE, SectionKind.MESSAGE, SectionKind.FILES]
    assert [section.part for section in context.sections] == [*system, *spoken]
    assert [section.place for section in context.sections] == [SectionPlace.SYSTEM] * 4 + [SectionPlace.MESSAGES] * 5
    assert context.sections[-1].size == IMAGE_SIZE + FILE_SIZE
    assert context.system.startswith("p\nt\n\n")
    assert context.system.endswith("\n\n" + context.sections[3].text)


def test_only_messages_older_than_the_newest_few_may_be_compressed() -> None:
    sections = message_sections([user(str(number)) for number in range(KEPT_MESSAGES + 2)])
    assert [section.fate for section in sections] == [Fate.COMPRESSED] * 2 + [Fate.STAYS] * KEPT_MESSAGES


def test_a_message_goes_with_its_files_and_no_further_than_it_must() -> None:
    sections = message_sections([user("a", "image/png"), *(user("b") for _ in range(KEPT_MESSAGES + 2))])
    assert without_oldest(sections, IMAGE_SIZE + 100) == sections
    left = [section.message for section in without_oldest(sections, KEPT_MESSAGES + 2)]
    assert left == list(range(1, KEPT_MESSAGES + 3))
    assert [section.message for section in without_oldest(sections, 0)] == list(range(3, KEPT_MESSAGES + 3))
