"""Every call over HTTP is in the audit log, and what leaves with its answer is in the ledger."""

import json
import sqlite3
import time
from contextlib import closing
from typing import Any

from tests.e2e.remote.conftest import LIMIT_S, Sori


def rows(sori: Sori, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(f"file:{sori.home / 'sori.db'}?mode=ro", uri=True)) as database:
        return database.execute(query).fetchall()


def audited(sori: Sori) -> list[tuple[Any, ...]]:
    return rows(
        sori, "SELECT tool, decision, outcome, result, arguments FROM audit WHERE category = 'http' ORDER BY id"
    )


def test_a_call_is_recorded_with_its_caller_and_its_end(sori: Sori) -> None:
    sori.call("GET", "/v1/memory", token=sori.confined)
    tool, decision, outcome, result, arguments = audited(sori)[-1]
    assert (tool, decision, outcome, result) == ("GET /v1/memory", "run", "done", "200")
    assert json.loads(arguments) == {"caller": "editor", "path": "/v1/memory"}


def test_a_refused_call_is_recorded_with_the_reason(sori: Sori) -> None:
    sori.call("PUT", "/v1/settings/voice.speed", {"value": 1.5}, token=sori.confined)
    assert audited(sori)[-1][:4] == ("PUT", "refuse", "refused", "not_granted")
    sori.call("GET", "/v1/memory", token="sori_wrong")
    assert audited(sori)[-1][:4] == ("GET", "refuse", "refused", "wrong_token")
    sori.call("GET", "/v1/turns/unknown/events")
    assert audited(sori)[-1][2:4] == ("refused", "404")


def test_what_leaves_is_in_the_ledger_with_whom_it_went_to(sori: Sori) -> None:
    stream = sori.stream("POST", "/v1/agent/chat/stream", {"text": "안녕하세요, 장부에 적어 주세요"})
    sent = stream.rest()
    assert sent[-1].kind == "done"
    query = "SELECT destination, local, provider, bytes, data FROM egress WHERE purpose = 'http' ORDER BY id"
    until = time.monotonic() + LIMIT_S
    while not (row := rows(sori, query)[-1])[3] and time.monotonic() < until:
        pass  # The size of a stream is recorded at its end.
    where, local, provider, size, data = row
    assert (where, local, provider) == (f"http://127.0.0.1:{sori.port}", 1, "page")
    assert data == "conversation,tool_result"
    assert size > sum(len(json.dumps(each.data)) for each in sent) / 2


def test_answers_without_the_users_data_are_not_in_the_ledger(sori: Sori) -> None:
    sori.call("GET", "/v1/timers")  # There are no records before the engine answers.
    before = rows(sori, "SELECT count(*) FROM egress WHERE purpose = 'http'")
    sori.call("GET", "/v1/timers")
    sori.call("GET", "/v1/models")
    assert rows(sori, "SELECT count(*) FROM egress WHERE purpose = 'http'") == before


def test_the_schedule_is_listed_and_changed(sori: Sori) -> None:
    sori.call("POST", "/v1/agent/chat", {"text": "매일 아침 7시에 약 먹으라고 알려 줘"})
    (item,) = sori.call("GET", "/v1/schedule", token=sori.confined)[1]["items"]
    assert (item["name"], item["skippable"]) == ("약 먹기", True)
    status, renamed = sori.call("PATCH", f"/v1/timers/{item['id']}", {"name": "비타민 먹기"})
    timer = f"/v1/timers/{renamed['id']}"
    assert (status, renamed["name"]) == (200, "비타민 먹기")
    status, skipped = sori.call("POST", f"{timer}/skip", {})
    assert (status, skipped["due_at"] > item["due_at"]) == (200, True)
    timer = f"/v1/timers/{skipped['id']}"
    assert sori.call("POST", f"{timer}/undo", {}) == (200, {"undone": True})
    (again,) = sori.call("GET", "/v1/schedule")[1]["items"]
    assert (again["name"], again["due_at"]) == (renamed["name"], item["due_at"])
    assert sori.call("DELETE", f"/v1/timers/{again['id']}")[0] == 204
    assert sori.call("GET", "/v1/schedule")[1]["items"] == []


def test_traces_calls_what_left_and_what_is_kept_are_read(sori: Sori) -> None:
    sori.call("POST", "/v1/agent/chat", {"text": "안녕하세요, 기록을 볼게요"})
    assert sori.call("GET", "/v1/traces/9999999") == (200, {"trace": None})
    call = sori.call("GET", "/v1/calls?limit=1&http=true")[1]["calls"][0]
    found = sori.call("GET", f"/v1/calls/{call['id']}")[1]["call"]
    assert (found["call"], call["end"]) == (call["call"], None), "the call that asks is not over"
    assert sori.call("GET", "/v1/calls/9999999") == (200, {"call": None})
    left = sori.call("GET", "/v1/egress?local=true&limit=5")[1]["requests"]
    assert 0 < len(left) <= 5
    kept = sori.call("GET", "/v1/kept")[1]["kept"]
    assert any(each["kind"] == "conversations" and each["count"] for each in kept)
    for path in ("/v1/traces/first", "/v1/calls/1.5"):
        status, refused = sori.call("GET", path)
        assert (status, refused["error"]["reason"]) == (400, "invalid")
