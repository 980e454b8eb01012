"""Turns over HTTP with the real engine: numbered events, going on after a gap, questions, stopping, other followers."""

import time

import pytest

from tests.e2e.remote.conftest import FACT, LIMIT_S, Sent, Sori, Stream

ANSWER = "반가워요. 무엇을 도와드릴까요?"
SLOWLY = "천천히 세어 주세요"
ASKING = "부탁 하나 할게요, 들어주세요"


def text_of(events: list[Sent]) -> str:
    return "".join(each.data["text"] for each in events if each.kind == "answer_delta")


def ask(sori: Sori, text: str, *, token: str = "", **body: object) -> Stream:
    stream = sori.stream("POST", "/v1/agent/chat/stream", {"text": text, **body}, token=token)
    assert stream.status == 200
    return stream


def gone(sori: Sori, asked: str) -> None:
    """Wait until the model's client has hung up on the answer to a message."""
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until:
        of = [each for each in sori.model.chats if asked in str(each.body["messages"][-1]["content"])]
        if of and of[-1].disconnected_at is not None:
            return
        time.sleep(0.01)
    pytest.fail("the answer goes on")


def test_a_message_is_answered_in_numbered_packets_and_kept(sori: Sori) -> None:
    stream = ask(sori, "안녕하세요, 처음 뵙겠습니다")
    events = stream.rest()
    assert text_of(events) == ANSWER
    assert events[-1].kind == "done"
    numbers = [each.number for each in events if each.number is not None]
    assert numbers == sorted(set(numbers))
    conversation = stream.headers["x-sori-conversation"]
    assert {each.data["conversation"] for each in events} == {conversation}
    _, page = sori.call("GET", f"/v1/conversations/{conversation}/messages")
    assert [each["text"] for each in page["messages"]] == ["안녕하세요, 처음 뵙겠습니다", ANSWER]


def test_the_whole_answer_can_be_had_at_once(sori: Sori) -> None:
    status, whole = sori.call("POST", "/v1/agent/chat", {"text": "안녕하세요, 한 번에 말해 주세요"})
    assert (status, whole["text"]) == (200, ANSWER)
    assert whole["packets"][-1]["type"] == "done"


@pytest.mark.parametrize("after", [0, 1, 2, 5, 10_000])
def test_after_a_gap_a_turn_goes_on_where_it_was(sori: Sori, after: int) -> None:
    first = ask(sori, f"안녕하세요, {after}번째 인사예요")
    events, turn = first.rest(), first.headers["x-sori-turn"]
    again = sori.stream("GET", f"/v1/turns/{turn}/events", headers={"last-event-id": str(after)}).rest()
    assert all(each.number is not None and each.number > after for each in again)
    if after <= (events[-1].number or 0):
        assert again[-1].data == events[-1].data


def test_a_second_follower_sees_a_running_turn_from_its_beginning(sori: Sori) -> None:
    first = ask(sori, SLOWLY + " 둘이서 볼게요")
    first.until("answer_delta")
    second = sori.stream("GET", f"/v1/turns/{first.headers['x-sori-turn']}/events")
    shown = second.until("answer_delta")
    assert shown.data["text"].startswith("하나")
    assert sori.call("POST", f"/v1/turns/{first.headers['x-sori-turn']}/stop", {})[0] == 204
    assert second.until("done").data["finish"] == "cancelled"
    assert first.until("done").data["finish"] == "cancelled"


def test_a_turn_is_stopped_when_its_caller_is_gone(sori: Sori) -> None:
    stream = ask(sori, SLOWLY + " 그만둘게요")
    stream.until("answer_delta")
    stream.close()
    gone(sori, "그만둘게요")


def test_a_turn_of_a_caller_that_wants_the_whole_answer_is_stopped_too(sori: Sori) -> None:
    import http.client
    import json

    connection = http.client.HTTPConnection("127.0.0.1", sori.port)
    given = {"authorization": f"Bearer {sori.token}", "content-type": "application/json"}
    connection.request("POST", "/v1/agent/chat", body=json.dumps({"text": SLOWLY + " 끊을게요"}), headers=given)
    until = time.monotonic() + LIMIT_S
    while time.monotonic() < until and not any("끊을게요" in str(each.body) for each in sori.model.chats):
        time.sleep(0.01)
    connection.close()
    gone(sori, "끊을게요")


def test_a_turn_that_is_to_be_kept_goes_on(sori: Sori) -> None:
    stream = ask(sori, SLOWLY + " 계속해 주세요", keep=True)
    turn = stream.headers["x-sori-turn"]
    stream.until("answer_delta")
    stream.close()
    follower = sori.stream("GET", f"/v1/turns/{turn}/events")
    seen = [next(iter(follower)) for _ in range(8)]
    assert any(each.kind == "answer_delta" for each in seen)
    sori.call("POST", f"/v1/turns/{turn}/stop", {})
    assert follower.until("done").data["finish"] == "cancelled"


def test_one_of_two_followers_answers_a_question_and_the_other_sees_it(sori: Sori) -> None:
    stream = ask(sori, ASKING, can_ask=True)
    turn = stream.headers["x-sori-turn"]
    other = sori.stream("GET", f"/v1/turns/{turn}/events")
    question = stream.until("ask").data
    assert (question["tool"], question["arguments"]) == ("remember", {"fact": FACT})
    assert other.until("ask").data["question"] == question["question"]
    answer = {"question": question["question"], "choice": "yes"}
    assert sori.call("POST", f"/v1/turns/{turn}/answers", answer)[0] == 204
    status, refused = sori.call("POST", f"/v1/turns/{turn}/answers", answer)
    assert (status, refused["error"]["reason"]) == (409, "question_over")
    assert other.until("answered").data["outcome"] == "yes"
    assert text_of(stream.rest()) == "다 했어요."
    _, memory = sori.call("GET", "/v1/memory")
    assert FACT in str(memory)


def test_a_program_with_safe_tools_consents_to_nothing_in_turns_of_others(sori: Sori) -> None:
    stream = ask(sori, ASKING + " 다른 프로그램은 빠지세요", can_ask=True)
    turn = stream.headers["x-sori-turn"]
    answer = {"question": stream.until("ask").data["question"], "choice": "yes"}
    status, refused = sori.call("POST", f"/v1/turns/{turn}/answers", answer, token=sori.confined)
    assert (status, refused["error"]["reason"]) == (403, "not_permitted")
    assert sori.call("POST", f"/v1/turns/{turn}/answers", {**answer, "choice": "no"})[0] == 204
    assert stream.until("answered").data["outcome"] == "no"


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("DELETE", "/v1/conversations/{conversation}", None),
        ("PATCH", "/v1/conversations/{conversation}", {"title": "x"}),
        ("POST", "/v1/conversations/{conversation}/open", {}),
        ("POST", "/v1/memory/facts", {"place": {}, "text": "x"}),
        ("POST", "/v1/memory/forget", {"place": {}, "words": "x"}),
        ("POST", "/v1/memory/undo", {}),
        ("POST", "/v1/timers/dismiss", {}),
        ("DELETE", "/v1/timers/1", None),
        ("PATCH", "/v1/timers/1", {"name": "x"}),
        ("POST", "/v1/timers/1/skip", {}),
        ("POST", "/v1/timers/1/undo", {}),
        ("GET", "/v1/calls?limit=1", None),
        ("GET", "/v1/calls/1", None),
        ("GET", "/v1/egress", None),
        ("GET", "/v1/kept", None),
        ("POST", "/v1/agents/switch", {"agent": "sori"}),
        ("PUT", "/v1/settings/voice.speed", {"value": 2.0}),
        ("DELETE", "/v1/settings/voice.speed", None),
        ("POST", "/v1/voice/stop", {}),
        ("POST", "/v1/mcp/x/restart", {}),
        ("DELETE", "/v1/weights/whisper-base", None),
    ],
)
def test_a_program_without_the_right_changes_nothing(sori: Sori, method: str, path: str, body: object) -> None:
    path = path.format(conversation=sori.new_conversation())
    status, refused = sori.call(method, path, body, token=sori.confined)
    assert (status, refused["error"]["reason"]) == (403, "not_granted")


def test_facts_are_remembered_found_and_forgotten(sori: Sori) -> None:
    fact = {"place": {}, "text": "사용자의 고양이 이름은 나비다."}
    assert sori.call("POST", "/v1/memory/facts", fact)[0] == 200
    assert "나비" in str(sori.call("GET", "/v1/memory"))
    assert "나비" in str(sori.call("POST", "/v1/memory/find", {"place": {}, "words": "고양이"}))
    assert "나비" in str(sori.call("POST", "/v1/memory/forget", {"place": {}, "words": "고양이"}))
    assert "나비" not in str(sori.call("GET", "/v1/memory"))


def test_a_program_with_safe_tools_is_asked_nothing_and_remembers_nothing(sori: Sori) -> None:
    before = sori.call("GET", "/v1/memory")[1]
    events = ask(sori, ASKING + " 저는 프로그램이에요", token=sori.confined, can_ask=True).rest()
    assert not any(each.kind == "ask" for each in events)
    offered = [each["function"]["name"] for each in sori.model.chats[-1].body.get("tools", ())]
    assert "remember" not in offered
    assert sori.call("GET", "/v1/memory")[1] == before


def test_who_follows_a_conversation_sees_what_others_say_in_it(sori: Sori) -> None:
    conversation = sori.new_conversation()
    follower = sori.stream("GET", f"/v1/conversations/{conversation}/events", token=sori.confined)
    picture = follower.until("conversation_opened").data
    assert (picture["conversation"], picture["messages"]) == (conversation, [])
    ask(sori, "안녕하세요, 저 여기 있어요", conversation=conversation).rest()
    added = follower.until("message_added").data
    assert added["message"]["text"] == "안녕하세요, 저 여기 있어요"
    text = ""
    for each in follower:
        packet = each.data.get("packet", {})
        text += packet.get("text", "") if packet.get("type") == "answer_delta" else ""
        if packet.get("type") == "done":
            break
    assert text == ANSWER


def test_who_comes_back_gets_a_complete_picture(sori: Sori) -> None:
    first = ask(sori, "안녕하세요, 다시 올게요")
    first.rest()
    conversation = first.headers["x-sori-conversation"]
    follower = sori.stream("GET", f"/v1/conversations/{conversation}/events")
    picture = follower.until("conversation_opened").data
    assert [each["text"] for each in picture["messages"]] == ["안녕하세요, 다시 올게요", ANSWER]


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/v1/conversations/unknown/messages", None, 404),
        ("GET", "/v1/conversations/unknown/events", None, 404),
        ("PATCH", "/v1/conversations/unknown", {"title": "x"}, 404),
        ("POST", "/v1/agent/chat", {"text": "안녕", "conversation": "unknown"}, 404),
        ("GET", "/v1/turns/unknown/events", None, 404),
        ("POST", "/v1/agent/chat", {"text": "   "}, 400),
        ("POST", "/v1/agent/chat", {}, 400),
        ("POST", "/v1/agent/chat", {"text": "안녕", "categories": ["restricted"]}, 400),
        ("DELETE", "/v1/timers/unknown", None, 204),
        ("POST", "/v1/memory/facts", {"place": {}, "text": " "}, 400),
        ("POST", "/v1/memory/forget", {"place": {}, "words": ""}, 400),
    ],
)
def test_what_does_not_exist_is_told(sori: Sori, method: str, path: str, body: object, status: int) -> None:
    found, told = sori.call(method, path, body)
    assert found == status
    assert told is None or told["error"]["message"]
