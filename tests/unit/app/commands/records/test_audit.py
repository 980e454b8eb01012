import asyncio
import json
from pathlib import Path

import pytest

from assistant.app.command_line import main
from assistant.core.records.audit import AuditedCall, AuditedEnd
from assistant.core.settings import Language
from assistant.host.clock import SystemClock
from assistant.host.texts import load_texts
from assistant.storage.database import Database
from assistant.storage.records.audit import AuditStore
from assistant.tools.attendant import AskReason, Reply

pytestmark = pytest.mark.usefixtures("home")


@pytest.fixture
def calls(home: Path) -> None:
    """Two calls: one that the user refused after outside content had been read, and one that has not finished."""

    async def save() -> None:
        clock = SystemClock()
        database = await Database.open(home / "sori.db", clock)
        store = AuditStore(database, clock)
        refused = AuditedCall(
            conversation="c",
            turn="t",
            tool="open_url",
            category="safe",
            arguments='{"url": "https://evil.example"}',
            digest="ab12",
            decision="ask",
            reason="untrusted",
            answer="no",
        )
        number = await store.begin(refused, durable=True)
        await store.end(number, AuditedEnd(outcome="refused", result="was not run", took_ms=1500))
        open_call = AuditedCall(
            conversation="c", turn="t", tool="shell", category="restricted", arguments="{}", digest="", decision="run"
        )
        await store.begin(open_call, durable=True)
        await database.close()

    asyncio.run(save())


def test_without_a_call_it_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit"]) == 0
    assert "No model has called a tool" in capsys.readouterr().out


@pytest.mark.usefixtures("calls")
def test_calls_are_listed_with_the_decision_and_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert "open_url" in lines[2]
    assert "asked, you refused (outside content had been read)" in lines[2]
    assert "not run" in lines[2]
    assert "not finished" in lines[3]


@pytest.mark.usefixtures("calls")
def test_one_is_shown_in_full_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "1"]) == 0
    told = capsys.readouterr().out
    for part in ("https://evil.example", "1.50 s", "was not run", "ab12"):
        assert part in told
    assert main(["audit", "1", "--json"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert (read["answer"], read["end"]["outcome"]) == ("no", "refused")
    assert main(["audit", "--json"]) == 0
    assert [each["tool"] for each in json.loads(capsys.readouterr().out)] == ["open_url", "shell"]


@pytest.mark.usefixtures("calls")
def test_an_unknown_number_is_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["audit", "99"]) == 1
    assert "There is no tool call 99" in capsys.readouterr().err


@pytest.mark.parametrize("language", ["ko", "en"])
def test_each_answer_and_each_reason_has_words(language: Language) -> None:
    texts = load_texts(language)
    # Only questions for words can be skipped.
    decided = [f"audit.decision.{reply}" for reply in Reply if reply is not Reply.SKIP]
    reasons = [f"audit.reason.{reason}" for reason in AskReason if reason is not AskReason.NONE]
    assert [key for key in (*decided, *reasons) if key not in texts] == []
    assert len({texts(key) for key in decided}) == len(decided)
