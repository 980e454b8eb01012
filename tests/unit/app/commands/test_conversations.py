import asyncio
import io
import json
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from assistant.app.command_line import main
from assistant.app.commands.conversations.command import marked
from assistant.app.parts.conversations import stored_conversations
from assistant.core.errors import SoriError
from assistant.core.messages import Attachment, Message, Role
from assistant.core.records.conversation_names import chosen, shown_length
from assistant.core.records.conversations import ConversationEntry
from assistant.core.service.request import Request
from assistant.core.service.requests.conversations import (
    CountMessages,
    ExportConversation,
    ListConversations,
    RenameConversation,
)
from assistant.engine.serving.table import Asker, Handlers, RequestTable
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.storage.conversation_list import ConversationList
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from tests.fakes.clock import FakeClock
from tests.fakes.front.small_engine import SmallEngine


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SORI_HOME", str(tmp_path))
    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    return tmp_path


@pytest.fixture
def stored(home: Path) -> list[str]:
    """Ids of two conversations, the older first."""

    async def store() -> list[str]:
        path = Places(home).database
        path.parent.mkdir(parents=True, exist_ok=True)
        database = await Database.open(path, FakeClock())
        conversations = ConversationStore(database, FakeClock())
        trip, soup = await conversations.create(), await conversations.create()
        photo = Attachment(mime_type="image/png", name="sea.png", data=b"...")
        await conversations.add(trip, Message(role=Role.USER, text="Trip", attachments=(photo,)))
        await conversations.add(trip, Message(role=Role.ASSISTANT, text="주말에는 강릉이 좋아요."))
        await conversations.add(trip, Message(role=Role.ASSISTANT, text="an attempt", superseded=True))
        await conversations.add(soup, Message(role=Role.USER, text="Soup-secret"))
        await database.close()
        return [trip, soup]

    return asyncio.run(store())


def printed_json(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    out = capsys.readouterr().out
    found: list[dict[str, object]] = json.loads(out[out.index("[") :])
    return found


def test_conversations_are_listed_with_their_messages_newest_first(
    stored: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conversations", "list", "--json"]) == 0
    listed = printed_json(capsys)
    assert [(each["id"], each["title"], each["messages"]) for each in listed] == [
        (stored[1], "Soup-secret", 1),
        (stored[0], "Trip", 2),
    ]
    assert main(["conversations", "list", "--limit", "1"]) == 0
    out = capsys.readouterr().out
    assert "Soup-secret" in out
    assert "Trip" not in out


def test_an_empty_list_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conversations", "list"]) == 0
    assert "no conversations" in capsys.readouterr().out


@pytest.mark.parametrize(("value", "marked_by"), [("", "\x1b[1m강릉\x1b[0m"), ("1", "[강릉]")])
def test_a_terminal_gets_bold_marks_unless_it_is_to_have_no_colours(
    stored: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    value: str,
    marked_by: str,
) -> None:
    monkeypatch.setenv("NO_COLOR", value)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert main(["conversations", "search", "강릉에서"]) == 0
    assert f"주말에는 {marked_by}이 좋아요." in capsys.readouterr().out


def test_a_search_shows_the_passage_with_its_match_marked(
    stored: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conversations", "search", "강릉에서"]) == 0
    assert "주말에는 [강릉]이 좋아요." in capsys.readouterr().out
    assert main(["conversations", "search", "ㄱㄹ", "--json"]) == 0
    (found,) = printed_json(capsys)
    assert (found["id"], found["snippet"], found["marks"]) == (stored[0], "주말에는 강릉이 좋아요.", [[5, 7]])
    assert main(["conversations", "search", "nowhere"]) == 1
    assert "nowhere" in capsys.readouterr().out


def test_a_conversation_is_shown_as_markdown_without_replaced_answers(
    stored: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conversations", "show", stored[0].upper()]) == 0
    out = capsys.readouterr().out
    assert "# Trip\n" in out
    assert "## You · 2026-11-22 15:05\n\nTrip\n\n" in out
    assert "sea.png" in out
    assert "주말에는 강릉이 좋아요." in out
    assert "an attempt" not in out


@pytest.mark.parametrize("typed", ["", "n\n", "\n"])
def test_nothing_is_deleted_without_a_yes(stored: list[str], typed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", Terminal(typed))
    assert main(["conversations", "delete", stored[1]]) == 1
    assert main(["conversations", "show", stored[1]]) == 0


def test_without_a_terminal_only_the_option_deletes(
    stored: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    assert main(["conversations", "delete", stored[1]]) == 1
    assert "--yes" in capsys.readouterr().err
    assert main(["conversations", "show", stored[1]]) == 0


@pytest.mark.parametrize("arguments", [["--yes"], []])
def test_what_is_deleted_is_gone_from_the_files(
    stored: list[str], home: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", Terminal("y\n"))
    assert main(["conversations", "search", "secret"]) == 0
    assert main(["conversations", "delete", stored[1], *arguments]) == 0
    assert main(["conversations", "show", stored[1]]) == 1
    assert main(["conversations", "show", stored[0]]) == 0
    folder = Places(home).database.parent
    assert not [path for path in folder.glob(f"{Places(home).database.name}*") if b"secret" in path.read_bytes()]


@pytest.mark.parametrize("runs", [True, False])
def test_whoever_owns_the_home_lists_shows_and_renames_with_the_same_words(
    stored: list[str], home: Path, capsys: pytest.CaptureFixture[str], *, runs: bool
) -> None:
    trip = stored[0]
    commands = (
        ("list", 0, "Soup-secret", "ListConversations CountMessages"),
        ("list --limit 1", 0, "Soup-secret", "ListConversations CountMessages ListConversations"),
        ("search 강릉에서", 0, "주말에는 [강릉]이 좋아요.", "ListConversations CountMessages ListConversations"),
        ("search nowhere", 1, "nowhere", "ListConversations CountMessages"),
        (f"show {trip}", 0, "# Trip\n\n## You", "ListConversations ExportConversation"),
        ("show nobody", 1, "nobody", "ListConversations"),
        (f"rename {trip} 강릉 여행", 0, "강릉 여행", "ListConversations RenameConversation ListConversations"),
        ("show 강릉", 1, "강릉", "ListConversations"),
        (f"rename {trip}", 0, "Renamed: Trip", "ListConversations RenameConversation ListConversations"),
    )
    with ExitStack() as stack:
        engine = stack.enter_context(SmallEngine(home, ReadyDomain(home))) if runs else None
        for command, status, said, requests in commands:
            if engine is not None:
                engine.asked.clear()
            assert main(["conversations", *command.split()]) == status, command
            printed = capsys.readouterr()
            assert said in printed.out + printed.err
            if engine is not None:
                assert [type(each).__name__ for each in engine.asked] == requests.split(), command


class ReadyDomain:
    """The real domain of stored conversations, whose database is open while a request is carried out."""

    KINDS = (ListConversations, CountMessages, ExportConversation, RenameConversation)

    def __init__(self, home: Path) -> None:
        self._home = home

    def handlers(self) -> Handlers:
        return dict.fromkeys(self.KINDS, self.carry_out)

    async def carry_out(self, request: Request[Any], asker: Asker) -> Any:
        async with stored_conversations(Places(self._home), load_texts("en")) as domain:
            return await RequestTable(domain).handler(type(request))(request, asker)


def test_the_engine_that_runs_deletes(stored: list[str], home: Path) -> None:
    with SmallEngine(home, ReadyDomain(home)) as engine:
        assert main(["conversations", "delete", stored[1], "--yes"]) == 0
        assert engine.domain.deleted == [stored[1]]
    assert main(["conversations", "show", stored[1]]) == 0  # this one only notes what it is to delete


def test_the_engine_that_runs_imports(
    home: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "내보낸 대화.json").write_text("[]", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    with SmallEngine(home) as engine:
        assert main(["conversations", "import", "내보낸 대화.json"]) == 1
        assert engine.domain.files == [str(tmp_path / "내보낸 대화.json")]
    printed = capsys.readouterr()
    assert "added: 1 (messages: 3)" in printed.out
    assert "conversations[1]" in printed.out
    assert "It is damaged." in printed.err


def entry(identity: str, title: str = "") -> ConversationEntry:
    return ConversationEntry(id=identity, title=title, updated_at="")


def test_without_such_an_id_the_whole_title_names_a_conversation() -> None:
    entries = [entry("0abc", "제주 여행"), entry("0abd", "Soup"), entry("1abc", "Soup")]
    assert chosen(entries, "제주 여행") is entries[0]
    for title, key in (("soup", "conversation_ambiguous"), ("여행", "conversation_unknown")):
        with pytest.raises(SoriError) as raised:
            chosen(entries, title)
        assert raised.value.message_key == f"error.{key}"


def test_an_id_is_named_by_its_beginning_if_only_one_begins_so() -> None:
    entries = [entry("0abc"), entry("0abd")]
    assert chosen(entries, "0ABD") is entries[1]
    for prefix, key in (("0ab", "conversation_ambiguous"), ("1", "conversation_unknown"), ("", "conversation_unknown")):
        with pytest.raises(SoriError) as raised:
            chosen(entries, prefix)
        assert raised.value.message_key == f"error.{key}"


def test_shown_ids_are_as_long_as_they_need_to_be() -> None:
    assert shown_length([]) == shown_length(["1" * 32]) == 8
    assert shown_length(["0123456789ab", "ffffffffffff", "0123456789cd"]) == 11


def test_every_mark_is_written() -> None:
    assert marked("abcdef", [(0, 1), (3, 5)], "<", ">") == "<a>bc<de>f"


def test_a_search_indexes_messages_for_the_next_one(stored: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    async def index(_: ConversationList, **how: object) -> int:
        asked.append(how)
        return 0

    monkeypatch.setattr(ConversationList, "index", index)
    assert main(["conversations", "search", "강릉"]) == 0
    assert asked == [{"most": 4, "pause_s": 0}]
    assert main(["conversations", "list"]) == 0
    assert len(asked) == 1


def test_an_export_comes_back_with_an_import(
    stored: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "out.json"
    assert main(["conversations", "export", "--all", "--output", str(file)]) == 0
    assert "2" in capsys.readouterr().out
    assert file.stat().st_mode & 0o077 == 0
    assert "an attempt" in file.read_text(encoding="utf-8")
    monkeypatch.setenv("SORI_HOME", str(tmp_path / "elsewhere"))
    assert main(["conversations", "import", str(file)]) == 0
    assert "added: 2 (messages: 4)" in capsys.readouterr().out
    assert main(["conversations", "import", str(file)]) == 0
    assert "Already there: 2" in capsys.readouterr().out
    assert main(["conversations", "export", "--all"]) == 0
    printed = json.loads(capsys.readouterr().out)["conversations"]
    written = json.loads(file.read_text(encoding="utf-8"))["conversations"]
    assert sorted(printed, key=lambda each: each["id"]) == sorted(written, key=lambda each: each["id"])


def test_an_export_of_one_conversation_as_markdown(stored: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["conversations", "export", stored[0], "--format", "md"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("# Trip")
    assert "강릉이 좋아요" in out
    assert "Soup" not in out


def test_an_export_that_cannot_be_written_leaves_nothing(
    stored: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["conversations", "export", "--all", "--output", str(tmp_path / "none" / "out.json")]) == 1
    assert "out.json" in capsys.readouterr().err
    (tmp_path / "folder").mkdir()
    assert main(["conversations", "export", "--all", "--output", str(tmp_path / "folder")]) == 1
    assert sorted(each.name for each in tmp_path.iterdir() if "partial" in each.name) == []


def test_an_import_of_a_damaged_file_tells_the_place_and_what_was_taken(
    stored: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "broken.json"
    file.write_text('[{"mapping": {}, "id": "a"},\n {"mappi', encoding="utf-8")
    assert main(["conversations", "import", str(file)]) == 1
    printed = capsys.readouterr()
    assert "Without messages: 1" in printed.out
    assert "broken.json" in printed.err
    assert "line 2" in printed.err
