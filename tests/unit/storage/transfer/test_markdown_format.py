import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from assistant.core.errors import SoriError
from assistant.core.messages import Message, Role
from assistant.core.records.conversations import ConversationEntry
from assistant.core.service.requests.conversations import ImportedConversations
from assistant.host.texts import load_texts
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.transfer.markdown_format import BETWEEN_PAGES, SPEAKERS, from_markdown, id_line, pages
from assistant.storage.transfer.page import markdown
from assistant.storage.transfer.portable import InvalidContentError
from tests.fakes.clock import FakeClock
from tests.fakes.importing import import_file
from tests.fakes.new_database import open_database

AT = "2026-11-22T15:05:00+09:00"
TRICKY = "첫 줄\n\n## 나 · 2026-11-22 15:05\n\\## Sori · 2026-11-22 15:05\n\n---\n\n# 제목\n\n- 목록"


def page(title: str, *texts: str, language: str = "ko") -> str:
    """A page with the texts of the user and of Sori in turns."""
    roles = (Role.USER, Role.ASSISTANT)
    said = [Message(role=roles[n % 2], text=each, created_at=AT) for n, each in enumerate(texts)]
    entry = ConversationEntry(id="", title=title, updated_at=AT)
    return markdown(entry, said, load_texts("ko" if language == "ko" else "en"))


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    opened = await open_database(tmp_path / "sori.db", FakeClock())
    yield opened
    await opened.close()


async def taken(database: Database, folder: Path, text: str) -> ImportedConversations:
    (folder / "all.md").write_text(text, encoding="utf-8")
    return await import_file(database, folder / "all.md")


def test_the_speakers_are_those_that_an_export_names() -> None:
    named = {load_texts(language)(f"conversations.{who}") for language in ("ko", "en") for who in ("you", "sori")}
    assert named == set(SPEAKERS)


@pytest.mark.parametrize("language", ["ko", "en"])
def test_what_is_written_is_read_back_whole(language: str) -> None:
    found = from_markdown(page("여행", "어디가 좋아?", TRICKY, "고마워", language=language))
    assert found.title == "여행"
    assert [(each.role, each.text) for each in found.messages] == [
        (Role.USER, "어디가 좋아?"),
        (Role.ASSISTANT, TRICKY),
        (Role.USER, "고마워"),
    ]
    assert {each.created_at[:16] for each in found.messages} == {"2026-11-22T15:05"}


def test_several_pages_are_several_conversations() -> None:
    one, two = page("하나", "가", TRICKY), page("둘", "나")
    assert list(pages(f"{one}{id_line('a' * 32)}{BETWEEN_PAGES}{two}\n")) == [f"{one}{id_line('a' * 32)}", f"{two}\n"]


async def test_a_page_of_a_conversation_that_is_there_is_not_added_again(database: Database, tmp_path: Path) -> None:
    text = page("여행", "어디가 좋아?", "강릉이요.") + id_line("b" * 32)
    assert (await taken(database, tmp_path, text)).messages == 2
    assert (await taken(database, tmp_path, text)).known == 1
    without = re.sub("<!--.*-->", "", text)
    assert (await taken(database, tmp_path, without)).added == 1
    assert (await taken(database, tmp_path, without)).known == 1
    entries = await ConversationList(database, FakeClock()).entries("강릉")
    assert [each.title for each in entries] == ["여행", "여행"]
    read = await ConversationStore(database, FakeClock()).messages("b" * 32)
    assert [each.text for each in read] == ["어디가 좋아?", "강릉이요."]


async def test_other_markdown_is_skipped_and_named(database: Database, tmp_path: Path) -> None:
    report = await taken(database, tmp_path, "# 메모\n\n장보기\n")
    assert (report.added, report.invalid) == (0, ("all.md: conversations[0]",))
    with pytest.raises(InvalidContentError):
        from_markdown("# 제목\n\n## 나 · 2026-99-99 15:05\n\n가")
    (tmp_path / "all.md").write_bytes(b"\xff\xfe")
    with pytest.raises(SoriError, match="no export"):
        await import_file(database, tmp_path / "all.md")
