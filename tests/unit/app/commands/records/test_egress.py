import asyncio
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from assistant.app.command_line import main
from assistant.core.display.table import cells
from assistant.core.records.egress import DataClass, Egress
from assistant.host.clock import SystemClock
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore

pytestmark = pytest.mark.usefixtures("home")

ANSWER = Egress(
    destination="https://api.example.com:443",
    local=False,
    purpose="answer",
    provider="mine",
    size=1500,
    data=(DataClass.CONVERSATION, DataClass.IMAGE),
)
LIST = replace(ANSWER, purpose="list_models", size=0, data=(DataClass.NONE,))
LOCAL = Egress(destination="http://127.0.0.1:11434", local=True, purpose="discovery")

Sent = Callable[..., None]


@pytest.fixture
def sent(home: Path) -> Sent:
    """Writes requests down."""

    async def record(rows: tuple[Egress, ...]) -> None:
        database = await Database.open(home / "sori.db", SystemClock())
        for each in rows:
            await EgressStore(database, SystemClock()).record(each)
        await database.close()

    return lambda *rows: asyncio.run(record(rows))


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["egress", *arguments]) == 0
    return capsys.readouterr().out


def test_where_nothing_left_it_says_so(sent: Sent, capsys: pytest.CaptureFixture[str]) -> None:
    sent(LOCAL)
    assert "Nothing left this machine" in printed(capsys)
    assert json.loads(printed(capsys, "--json")) == []


def test_requests_are_listed_newest_last_and_summed_by_destination(
    sent: Sent, capsys: pytest.CaptureFixture[str]
) -> None:
    sent(LIST, ANSWER, replace(ANSWER, destination="https://other.example.com:443", data=(DataClass.CONVERSATION,)))
    lines = printed(capsys).splitlines()
    assert ["list" in lines[3], "image" in lines[4], "other.example.com" in lines[5]] == [True] * 3
    assert lines[-2].split() == ["https://api.example.com:443", "2", "1.5", "kB", "conversation,", "image"]
    assert lines[-1].split()[:2] == ["https://other.example.com:443", "1"]


def test_what_stayed_on_this_machine_is_shown_when_asked_for_and_marked(
    sent: Sent, capsys: pytest.CaptureFixture[str]
) -> None:
    sent(LOCAL, ANSWER)
    assert "127.0.0.1" not in printed(capsys)
    assert "http://127.0.0.1:11434 (this machine)" in printed(capsys, "--all")


def test_only_the_last_days_are_listed(sent: Sent, capsys: pytest.CaptureFixture[str]) -> None:
    sent(replace(ANSWER, at=(SystemClock().now() - timedelta(days=3)).isoformat()), LIST)
    assert [row["purpose"] for row in json.loads(printed(capsys, "--json", "--days", "2"))] == ["list_models"]
    assert len(json.loads(printed(capsys, "--json"))) == 2


def test_korean_columns_stand_below_each_other(
    sent: Sent, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "ko_KR.UTF-8")
    sent(ANSWER, LIST)
    lines = printed(capsys).splitlines()[2:5]
    ends = [cells(line[: line.index(word)]) for line, word in zip(lines, ("담긴", "대화", "없음"), strict=True)]
    assert len(set(ends)) == 1


def test_every_purpose_and_kind_of_data_has_words(sent: Sent, capsys: pytest.CaptureFixture[str]) -> None:
    purposes = ("answer", "list_models", "model_facts", "discovery", "download")
    sent(*(replace(ANSWER, purpose=each, data=tuple(DataClass)) for each in purposes))
    said = printed(capsys)
    assert not any(word in said for word in ("list_models", "model_facts", "tool_result"))
