"""What is sent of text files that leave no room for each other or for the conversation."""

import json
from dataclasses import replace

import pytest

from assistant.agent.context.context import Context, compose
from assistant.agent.context.materials import Materials
from assistant.agent.context.model_form import encoded_files
from assistant.core.messages import Attachment, Message, Role
from assistant.core.settings import Language
from assistant.core.texts import Texts
from tests.fakes.clock import START
from tests.fakes.pictures import PDF, drawn, encoded

LIMIT = 80_000


def asked(text: str, *sizes: int, letter: str = "x", name: str = "") -> Message:
    """A message with text files of these lengths in characters."""
    files = tuple(
        Attachment(mime_type="text/plain", name=f"{name}{size}.txt", data=(letter * size).encode()) for size in sizes
    )
    return Message(role=Role.USER, text=text, id=text, created_at=START.isoformat(), attachments=files)


def answer(text: str) -> Message:
    return Message(role=Role.ASSISTANT, text=text, id=f"answer {text}")


def context_of(history: list[Message], texts: Texts, max_size: int = LIMIT) -> Context:
    materials = Materials(base_prompt="p", history=history, now=START, files=encoded_files(history))
    return compose(materials, texts, max_size=max_size)


def sent(context: Context) -> list[list[str]]:
    """The texts of the files of each message that has files."""
    told = [message.text.split("\n\n")[0] for message in context.messages if message.text.startswith("{")]
    return [[each["contents"] for each in json.loads(text)["documents"]] for text in told]


def size_sent(context: Context) -> int:
    """Characters of everything that is sent."""
    return len(context.system) + sum(len(message.text) for message in context.messages)


@pytest.mark.parametrize("language", ["ko", "en"])
@pytest.mark.parametrize("letter", ["x", "가"])
@pytest.mark.parametrize(
    ("history", "shortened"),
    [
        ([asked("a", 54_000)], []),
        ([asked("a", 20_000, 30_000)], []),
        ([asked("a", 54_000, 54_000, 54_000)], ["54000.txt"] * 3),
        ([asked("a", 1_000, 54_000, 54_000)], ["54000.txt"] * 2),
        ([asked("a", 70_000)], []),
        ([asked("a", 59_500)], []),
        ([asked("a", 200_000, 10)], ["200000.txt"]),
        ([asked("a", 54_000), answer("b"), asked("c", 20_000)], []),
        ([asked("a", 54_000), answer("b"), asked("c", 54_000)], ["54000.txt"]),
        ([asked("a", 54_000), answer("b"), asked("c", 54_000), answer("d"), asked("e", 54_000)], ["54000.txt"] * 2),
        ([asked("a", 54_000), answer("b"), asked("c", 50_000), answer("d"), asked("e")], ["54000.txt"]),
    ],
)
def test_files_are_counted_as_they_are_sent_and_those_that_are_cut_are_named(
    all_texts: dict[Language, Texts], language: Language, letter: str, history: list[Message], shortened: list[str]
) -> None:
    history = [
        replace(each, attachments=asked("", *(file.size for file in each.attachments), letter=letter).attachments)
        for each in history
    ]
    context = context_of(history, all_texts[language])
    assert list(context.shortened) == shortened
    # The marks of files that are left out, and the JSON around them, are a few characters above the limit.
    assert size_sent(context) <= LIMIT + 500
    whole = [text for some in sent(context) for text in some if set(text) == {letter}]
    cut = [text for some in sent(context) for text in some if set(text) != {letter}]
    assert (len(cut), len(whole)) == (len(shortened), sum(len(each.attachments) for each in history) - len(shortened))


def test_no_more_is_cut_than_is_needed_and_the_model_reads_where(all_texts: dict[Language, Texts]) -> None:
    (files,) = sent(context_of([asked("a", 54_000, 54_000, 54_000)], all_texts["ko"]))
    assert all(LIMIT // 3 - 300 < len(text) < LIMIT // 3 for text in files)
    assert all("54000" in text for text in files)


def test_pictures_and_documents_are_never_cut(all_texts: dict[Language, Texts]) -> None:
    files = (
        Attachment(mime_type="image/png", name="a.png", data=encoded(drawn())),
        Attachment(mime_type="application/pdf", name="a.pdf", data=PDF),
    )
    message = Message(role=Role.USER, text="이게 뭐야?", id="m", attachments=files)
    context = context_of([message], all_texts["ko"], 100)
    assert context.shortened == ()
    assert context.messages[0].attachments == encoded_files([message])["m"]


def test_old_messages_make_room_before_a_file_is_cut(all_texts: dict[Language, Texts]) -> None:
    talk = [each for number in range(12) for each in (asked(f"{number}" + "가" * 3_000), answer("나" * 1_000))]
    context = context_of([*talk, asked("a", 54_000)], all_texts["ko"])
    assert context.shortened == ()
    assert context.dropped
    assert size_sent(context) <= LIMIT
