"""Guided flows over HTTP with the real engine: their events, going on after a gap, and who may confirm."""

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conversation.running_engine import TEXTS
from tests.e2e.remote.conftest import Sent, Sori, Stream, running_door

SEND = "엄마한테 오만 원 보내 줘"
MOTHER = {
    "name": "김영희",
    "relation": "엄마",
    "accounts": [{"bank": "신한은행", "number": "110-123-456789", "holder": "김영희"}],
}


@pytest.fixture(scope="module")
def sori(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sori]:
    home = tmp_path_factory.mktemp("home")
    with running_door(home) as running:
        assert running.call("POST", "/v1/people", {"kept": MOTHER})[0] == 201
        yield running


def sent(sori: Sori) -> int:
    """How many transfers the simulated bank has carried out."""
    files = [*sori.home.rglob("bank.db")]
    if not files:
        return 0  # Services are loaded in the background.
    with closing(sqlite3.connect(files[0])) as bank:
        return int(bank.execute("SELECT count(*) FROM transfer").fetchone()[0])


def say(sori: Sori, text: str, conversation: str = "", *, token: str = "", **body: Any) -> Stream:
    body = {"text": text, "conversation": conversation, **body}
    stream = sori.stream("POST", "/v1/agent/chat/stream", body, token=token)
    assert stream.status == 200
    return stream


def done(events: list[Sent]) -> dict[str, Any]:
    """The payload of the last ``DONE``."""
    payload: dict[str, Any] = [each for each in events if each.kind == "DONE"][-1].data["payload"]
    return payload


def text_of(events: list[Sent]) -> str:
    return "".join(each.data["text"] for each in events if each.kind == "answer_delta")


def shown(sori: Sori, conversation: str) -> Any:
    return sori.call("GET", f"/v1/conversations/{conversation}/flow")[1]["flow"]


def test_a_transfer_is_asked_for_and_confirmed_by_the_next_message(sori: Sori) -> None:
    before, stream = sent(sori), say(sori, SEND)
    events = stream.rest()
    kinds = [each.kind for each in events]
    assert kinds[-2:] == ["DONE", "done"]
    assert kinds.index("AGENT_START") < kinds.index("AGENT_DONE") < kinds.index("answer_delta") < kinds.index("DONE")
    numbers = [each.number for each in events if each.number is not None]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    payload = done(events)
    assert payload["state_snapshot"]["stage"] == "READY"
    assert payload["confirm"]["arguments"]["amount"] == 50_000
    assert [each["label"] for each in payload["buttons"]] == ["보내기", "취소"]
    assert payload["progress"] == {"done": 0, "total": 0}
    assert "50,000원" in text_of(events)
    assert sent(sori) == before
    conversation = stream.headers["x-sori-conversation"]
    assert shown(sori, conversation)["title"] == "이체"
    confirmed = say(sori, "응", conversation).rest()
    assert done(confirmed)["hooks"][0]["type"] == "transfer_completed"
    assert sent(sori) == before + 1
    assert shown(sori, conversation) is None


def test_the_transfer_of_the_documentation_runs_as_it_is_written(sori: Sori) -> None:
    section = Path("docs/http.md").read_text(encoding="utf-8").partition("## Guided flows")[2].partition("\n## ")[0]
    calls = re.findall(r"-d '(\{.*\})' http://127\.0\.0\.1:7674(\S+)", section)
    assert len(calls) == 3
    before, conversation, told = sent(sori), "", ""
    for body, path in calls:
        stream = sori.stream("POST", path, json.loads(body.replace("ID", conversation)))
        assert stream.status == 200
        if path.endswith("/stream"):
            told = done(stream.rest())["state_snapshot"]["stage"]
            conversation = stream.headers["x-sori-conversation"]
        else:
            told = json.loads(stream.whole())["flow"]["state_snapshot"]["stage"]
    assert (told, sent(sori)) == ("EXECUTED", before + 1)


@pytest.mark.parametrize("after", range(7))
def test_after_a_cut_in_mid_flow_the_events_go_on_where_they_were(sori: Sori, after: int) -> None:
    stream = say(sori, SEND, keep=True)
    turn = stream.headers["x-sori-turn"]
    seen = [next(iter(stream)) for _ in range(after)]
    stream.close()
    rest = sori.stream("GET", f"/v1/turns/{turn}/events", headers={"last-event-id": str(after)}).rest()
    numbers = [each.number for each in (*seen, *rest)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert done([*seen, *rest])["state_snapshot"]["stage"] == "READY"
    sori.call("DELETE", f"/v1/conversations/{stream.headers['x-sori-conversation']}/flow")


def test_the_whole_answer_has_the_end_of_the_flow(sori: Sori) -> None:
    before = sent(sori)
    _, asked = sori.call("POST", "/v1/agent/chat", {"text": SEND})
    assert asked["flow"]["state_snapshot"]["stage"] == "READY"
    _, over = sori.call("POST", "/v1/agent/chat", {"text": "응", "conversation": asked["conversation"]})
    assert [each["type"] for each in over["flow"]["hooks"]] == ["transfer_completed"]
    assert over["text"] == over["flow"]["message"]
    assert sent(sori) == before + 1
    assert sori.call("POST", "/v1/agent/chat", {"text": "안녕"})[1]["flow"] == {}


def test_a_transfer_is_confirmed_by_an_answer(sori: Sori) -> None:
    before, stream = sent(sori), say(sori, SEND, can_ask=True)
    asked = stream.until("ask").data
    assert (asked["arguments"]["amount"], asked["changeable"]) == (50_000, True)
    answer = {"question": asked["question"], "choice": "yes"}
    path = f"/v1/turns/{stream.headers['x-sori-turn']}/answers"
    assert sori.call("POST", path, answer, token=sori.confined)[0] == 403
    assert sent(sori) == before
    assert sori.call("POST", path, answer)[0] == 204
    assert done(stream.rest())["state_snapshot"]["stage"] == "EXECUTED"
    assert sent(sori) == before + 1


def test_another_message_changes_what_is_asked_about(sori: Sori) -> None:
    before, stream = sent(sori), say(sori, SEND, can_ask=True)
    first = stream.until("ask").data
    conversation = stream.headers["x-sori-conversation"]
    changed = say(sori, "아니, 사만 원으로 해 줘", conversation, can_ask=True)
    second = changed.until("ask").data
    assert stream.until("answered").data["outcome"] == "cancelled"
    assert second["arguments"]["amount"] == 40_000
    assert second["digest"] != first["digest"]
    turn = changed.headers["x-sori-turn"]
    assert sori.call("POST", f"/v1/turns/{turn}/answers", {"question": second["question"], "choice": "no"})[0] == 204
    assert done(changed.rest())["state_snapshot"]["stage"] == "CANCELLED"
    assert sent(sori) == before


@pytest.mark.parametrize("yes", ["응", "네", "보내 줘", "yes"])
def test_a_program_with_safe_tools_is_sent_to_the_app(sori: Sori, yes: str) -> None:
    before, stream = sent(sori), say(sori, SEND, token=sori.confined, can_ask=True)
    packets = stream.rest()
    assert not any(each.kind == "ask" for each in packets)
    assert text_of(packets) == "이 작업은 앱에서 직접 실행해 주세요."  # Not a word of whom Sori knows.
    begun = say(sori, SEND)
    begun.rest()
    refused = say(sori, yes, begun.headers["x-sori-conversation"], token=sori.confined).rest()
    assert "이 작업은 앱에서 직접 실행해 주세요" in text_of(refused)
    assert sent(sori) == before


@pytest.mark.parametrize("unclear", ["글쎄", "잠깐만", "음… 생각 좀 해 볼게", "보낼까 말까", "hmm"])
def test_unclear_words_confirm_nothing(sori: Sori, unclear: str) -> None:
    before, stream = sent(sori), say(sori, SEND)
    stream.rest()
    conversation = stream.headers["x-sori-conversation"]
    say(sori, unclear, conversation).rest()
    assert shown(sori, conversation)["stage"] == TEXTS("flow.waits_for_yes")
    assert sent(sori) == before
    assert sori.call("DELETE", f"/v1/conversations/{conversation}/flow")[0] == 204
    assert shown(sori, conversation) is None


def test_a_flow_is_left_for_later_and_comes_back(sori: Sori) -> None:
    stream = say(sori, SEND)
    stream.rest()
    conversation = stream.headers["x-sori-conversation"]
    follower = sori.stream("GET", f"/v1/conversations/{conversation}/events")
    assert follower.until("flow_changed").data["flow"]["parked"] is False
    status, left = sori.call("POST", f"/v1/conversations/{conversation}/flow/leave", {})
    assert (status, left["flow"]["parked"]) == (200, True)
    assert follower.until("flow_changed").data["flow"] == left["flow"]
    back = say(sori, left["flow"]["buttons"][0]["text"], conversation).rest()
    assert done(back)["confirm"]["arguments"]["amount"] == 50_000
    say(sori, "취소", conversation).rest()
    assert shown(sori, conversation) is None


def test_the_id_of_a_session_cannot_be_guessed_and_needs_a_token(sori: Sori) -> None:
    conversation = sori.new_conversation()
    # 62 random bits follow the time in a UUID of version 7 (RFC 9562).
    assert re.fullmatch(r"[0-9a-f]{12}7[0-9a-f]{3}[89ab][0-9a-f]{15}", conversation)
    assert sori.call("GET", f"/v1/conversations/{conversation}/flow", token="sori_wrong")[0] == 401
