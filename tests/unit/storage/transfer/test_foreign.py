"""Exports of other programs, in the forms that they have been seen in."""

from typing import Any

import pytest

from assistant.core.messages import Role
from assistant.storage.transfer.chatgpt import from_chatgpt, is_chatgpt
from assistant.storage.transfer.claude import from_claude, is_claude
from assistant.storage.transfer.librechat import from_librechat, is_librechat
from assistant.storage.transfer.lm_studio import from_lm_studio, is_lm_studio
from assistant.storage.transfer.open_webui import from_open_webui, is_open_webui
from assistant.storage.transfer.portable import Fields, InvalidContentError, seconds, time_of


def node(identity: str, parent: str | None, role: str, parts: list[Any], **others: Any) -> dict[str, Any]:
    message = {
        "id": identity,
        "author": {"role": role, "name": None, "metadata": {}},
        "content": {"content_type": "text", "parts": parts},
        "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
        "recipient": "all",
        **others,
    }
    return {"id": identity, "message": message, "parent": parent, "children": []}


def chatgpt(**others: Any) -> dict[str, Any]:
    nodes: list[dict[str, Any]] = [
        {"id": "root", "message": None, "parent": None, "children": ["system"]},
        node("system", "root", "system", [""]),
        node("question", "system", "user", ["강릉은 어때?"]),
        node("dropped", "question", "assistant", ["an earlier answer"]),
        node("search", "question", "assistant", ['search("강릉")'], recipient="browser"),
        node("result", "search", "tool", ["<html>"]),
        node(
            "thinking",
            "result",
            "assistant",
            [],
            content={"content_type": "thoughts", "thoughts": [{"summary": "Sea", "content": "바다를 떠올린다."}]},
        ),
        node("answer", "thinking", "assistant", ["바다가 ", "좋아요."]),
        node(
            "photo",
            "answer",
            "user",
            [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1"}, "여기는?"],
            content={
                "content_type": "multimodal_text",
                "parts": [{"content_type": "image_asset_pointer", "asset_pointer": "file-service://file-1"}, "여기는?"],
            },
        ),
        node("hidden", "photo", "user", ["about me"], metadata={"is_visually_hidden_from_conversation": True}),
    ]
    for number, each in enumerate(nodes):
        if each["message"]:
            each["message"]["create_time"] = 1_700_000_001.0 + number
    return {
        "id": "c-1",
        "conversation_id": "c-1",
        "title": "강릉",
        "create_time": 1_700_000_000.25,
        "current_node": "hidden",
        "mapping": {each["id"]: each for each in nodes},
        **others,
    }


def test_the_current_branch_of_a_chatgpt_conversation_is_taken() -> None:
    taken = from_chatgpt(chatgpt())
    assert [(each.role, each.text) for each in taken.messages] == [
        (Role.USER, "강릉은 어때?"),
        (Role.ASSISTANT, "바다가 \n\n좋아요."),
        (Role.USER, "여기는?"),
    ]
    answer = taken.messages[1]
    assert (answer.provider, answer.model, answer.reasoning) == ("chatgpt", "gpt-4o", "바다를 떠올린다.")
    assert (taken.title, taken.titled_by, taken.left_out) == ("강릉", "user", 1)
    assert {each.conversation for each in taken.messages} == {taken.id}
    assert from_chatgpt(chatgpt()) == taken


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("서울이에요 \ue200cite\ue202turn0search1\ue202turn0news2\ue201.", "서울이에요."),
        ("See the study【12†source】.", "See the study."),
        ("See it【4:0†guide.pdf】 and【3†L1-L9】.", "See it and."),
        ('\ue200entity\ue202["city","강릉","도시"]\ue201에 가요.', "강릉에 가요."),
        ('Visit \ue200entity\ue202["place", "Seoul", "city"]\ue201 soon', "Visit Seoul soon"),
        ("\ue200navlist\ue202News\ue202turn0news1\ue201Done", "Done"),
        ("【속보】 눈이 와요", "【속보】 눈이 와요"),
        ("a [1] b † c", "a [1] b † c"),
    ],
)
def test_an_answer_is_taken_as_it_is_read(written: str, read: str) -> None:
    export = chatgpt()
    export["mapping"]["answer"]["message"]["content"]["parts"] = [written]
    export["mapping"]["question"]["message"]["content"]["parts"] = [written]
    assert [each.text for each in from_chatgpt(export).messages[:2]] == [written, read]


def test_without_a_current_node_the_branch_of_the_newest_message_is_taken() -> None:
    value = chatgpt(current_node=None)
    value["mapping"]["dropped"]["message"]["create_time"] = 1_800_000_000
    assert [each.text for each in from_chatgpt(value).messages] == ["강릉은 어때?", "an earlier answer"]


@pytest.mark.parametrize(
    "gone", ["current_node", "id", "create_time", "title", "children", "current_node id create_time"]
)
def test_a_chatgpt_conversation_without_some_fields_loses_no_message(gone: str) -> None:
    value = chatgpt()
    for name in gone.split():
        for place in (
            value,
            *value["mapping"].values(),
            *(each["message"] or {} for each in value["mapping"].values()),
        ):
            place.pop(name, None)
    if "id" in gone.split():
        del value["conversation_id"]
    taken = from_chatgpt(value)
    assert [each.text for each in taken.messages] == ["강릉은 어때?", "바다가 \n\n좋아요.", "여기는?"]
    assert len({each.id for each in taken.messages}) == 3
    assert from_chatgpt(value) == taken


def test_a_current_node_that_is_not_there_loses_no_message() -> None:
    assert len(from_chatgpt(chatgpt(current_node="elsewhere")).messages) == 3


def test_what_was_said_by_voice_is_taken_and_what_cannot_be_taken_is_counted() -> None:
    value = chatgpt()
    spoken: Any = {"content_type": "audio_transcription", "text": "들려?", "direction": "in"}
    value["mapping"]["photo"]["message"]["content"]["parts"] = [spoken, {"content_type": "audio_asset_pointer"}]
    value["mapping"]["answer"]["message"]["content"]["content_type"] = "execution_output"
    taken = from_chatgpt(value)
    assert [each.text for each in taken.messages] == ["강릉은 어때?", "들려?"]
    assert taken.left_out == 2


def test_a_circle_of_nodes_is_no_conversation() -> None:
    value = chatgpt()
    value["mapping"]["system"]["parent"] = "answer"
    with pytest.raises(InvalidContentError):
        from_chatgpt(value)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"mapping": {"a": [1]}, "current_node": "a"}, "mapping.a"),
        ({"title": 3}, "title"),
    ],
)
def test_the_place_of_an_unknown_form_is_named(change: dict[str, Any], place: str) -> None:
    with pytest.raises(InvalidContentError) as caught:
        from_chatgpt(chatgpt(**change))
    assert caught.value.place == place


def claude(**others: Any) -> dict[str, Any]:
    said = [
        ("1", "human", "강릉은 어때?", "0"),
        ("2", "assistant", "an earlier answer", "1"),
        ("3", "assistant", "바다가 좋아요.", "1"),
        ("4", "human", "문서를 봐 줘", "3"),
    ]
    messages: list[dict[str, Any]] = [
        {
            "uuid": uuid,
            "sender": sender,
            "text": text,
            "content": [{"type": "text", "text": text}],
            "created_at": f"2026-02-14T10:0{uuid}:22.000000Z",
            "attachments": [],
            "files": [],
            "parent_message_uuid": parent,
        }
        for uuid, sender, text, parent in said
    ]
    messages[2]["content"].insert(0, {"type": "thinking", "thinking": "바다를 떠올린다."})
    messages[2]["content"].append({"type": "tool_use", "name": "search", "input": {}})
    messages[3]["attachments"] = [
        {"file_name": "여행.txt", "file_type": "txt", "file_size": 9, "extracted_content": "강릉"},
        {"file_name": "a.pdf", "file_size": 9},
    ]
    messages[3]["files"] = [{"file_name": "sea.png"}]
    return {
        "uuid": "c-1",
        "name": "강릉",
        "created_at": "2026-02-14T10:00:00Z",
        "chat_messages": messages,
        "current_leaf_message_uuid": "4",
        **others,
    }


def test_the_current_branch_of_a_claude_conversation_is_taken() -> None:
    taken = from_claude(claude())
    assert [(each.role, each.text) for each in taken.messages] == [
        (Role.USER, "강릉은 어때?"),
        (Role.ASSISTANT, "바다가 좋아요."),
        (Role.USER, "문서를 봐 줘"),
    ]
    assert taken.messages[1].reasoning == "바다를 떠올린다."
    assert [(each.name, each.read()) for each in taken.messages[2].attachments] == [("여행.txt", "강릉".encode())]
    assert (taken.title, taken.left_out) == ("강릉", 2)


def test_an_older_claude_export_without_branches_is_taken_in_its_order() -> None:
    value = claude(current_leaf_message_uuid=None)
    for each in value["chat_messages"]:
        del each["parent_message_uuid"], each["content"]
    assert [each.text for each in from_claude(value).messages] == [
        "강릉은 어때?",
        "an earlier answer",
        "바다가 좋아요.",
        "문서를 봐 줘",
    ]


def test_a_claude_export_that_names_no_last_message_ends_at_the_newest_one() -> None:
    value = claude(current_leaf_message_uuid=None)
    assert from_claude(value) == from_claude(claude())
    value["chat_messages"][1]["parent_message_uuid"] = "of a message that is not there"
    assert len(from_claude(value).messages) == 4


def test_a_claude_message_of_an_unknown_sender_names_its_place() -> None:
    value = claude()
    value["chat_messages"][2]["sender"] = "robot"
    with pytest.raises(InvalidContentError) as caught:
        from_claude(value)
    assert caught.value.place == "chat_messages[2].sender"


def said(taken: Any) -> list[tuple[Role, str]]:
    return [(each.role, each.text) for each in taken.messages]


TALK = [(Role.USER, "강릉은 어때?"), (Role.ASSISTANT, "바다가 좋아요.")]


def open_webui(**others: Any) -> dict[str, Any]:
    nodes = [
        ("1", None, "user", "강릉은 어때?"),
        ("2", "1", "assistant", "an earlier answer"),
        ("3", "1", "assistant", "바다가 좋아요."),
    ]
    messages: dict[str, dict[str, Any]] = {
        key: {"id": key, "parentId": parent, "role": role, "content": text, "timestamp": 1_700_000_000 + int(key)}
        for key, parent, role, text in nodes
    }
    messages["1"] |= {"files": [{"type": "image", "url": "data:"}]}
    messages["3"] |= {"model": "qwen3:8b"}
    chat = {"title": "강릉", "history": {"messages": messages, "currentId": "3"}, "messages": []}
    return {"id": "w-1", "user_id": "u", "title": "강릉", "chat": chat, "created_at": 1_700_000_000, **others}


def test_the_shown_branch_of_an_open_webui_chat_is_taken() -> None:
    taken = from_open_webui(open_webui())
    assert said(taken) == TALK
    assert (taken.title, taken.left_out, taken.messages[1].model) == ("강릉", 1, "qwen3:8b")
    assert taken.messages[0].created_at
    old = open_webui(chat={"messages": [{"role": "user", "content": "강릉은 어때?"}], "title": "옛"})
    assert said(from_open_webui(old)) == TALK[:1]


def librechat(**others: Any) -> dict[str, Any]:
    messages: list[dict[str, Any]] = [
        {"messageId": "a", "parentMessageId": "0", "text": "강릉은 어때?", "isCreatedByUser": True, "sender": "User"},
        {"messageId": "b", "parentMessageId": "a", "text": "an earlier answer", "isCreatedByUser": False},
        {
            "messageId": "c",
            "parentMessageId": "a",
            "text": "",
            "content": [
                {"type": "think", "think": "바다를 떠올린다."},
                {"type": "text", "text": {"value": "바다가 좋아요."}},
            ],
            "isCreatedByUser": False,
            "model": "claude",
        },
    ]
    for number, each in enumerate(messages):
        each["createdAt"] = f"2026-02-14T10:0{number}:00.000Z"
    return {"conversationId": "l-1", "endpoint": "anthropic", "title": "강릉", "messages": messages, **others}


def test_the_newest_branch_of_a_librechat_conversation_is_taken() -> None:
    taken = from_librechat(librechat())
    assert said(taken) == TALK
    assert taken.messages[1].reasoning == "바다를 떠올린다."
    first, *answers = librechat()["messages"]
    assert said(from_librechat(librechat(messages=[{**first, "children": answers}]))) == TALK


def lm_studio(**others: Any) -> dict[str, Any]:
    text = {"type": "text", "text": "강릉은 어때?"}
    asked = {"type": "singleStep", "role": "user", "content": [text, {"type": "file", "fileIdentifier": "f"}]}
    steps = [
        {
            "type": "contentBlock",
            "content": [{"type": "text", "text": "바다를 떠올린다."}],
            "style": {"type": "thinking"},
        },
        {"type": "contentBlock", "content": [{"type": "text", "text": "바다가 좋아요."}]},
        {"type": "debugInfoBlock", "debugInfo": "x"},
    ]
    earlier = {"type": "multiStep", "role": "assistant", "steps": []}
    answer = {"type": "multiStep", "role": "assistant", "steps": steps, "senderInfo": {"senderName": "qwen3"}}
    messages = [
        {"versions": [asked], "currentlySelected": 0},
        {"versions": [earlier, answer], "currentlySelected": 1},
    ]
    return {"name": "강릉", "createdAt": 1_700_000_000_123, "messages": messages, **others}


def test_the_shown_versions_of_an_lm_studio_conversation_are_taken() -> None:
    taken = from_lm_studio(lm_studio())
    assert said(taken) == TALK
    assert (taken.messages[1].model, taken.messages[1].reasoning) == ("qwen3", "바다를 떠올린다.")
    assert taken.left_out == 1
    assert taken.created_at.startswith("2023-11-1")
    broken = lm_studio()
    broken["messages"][1]["currentlySelected"] = 9
    with pytest.raises(InvalidContentError) as caught:
        from_lm_studio(broken)
    assert caught.value.place == "messages[1].currentlySelected"


def test_each_program_is_told_from_the_others() -> None:
    tests = (is_chatgpt, is_claude, is_open_webui, is_librechat, is_lm_studio)
    for number, value in enumerate((chatgpt(), claude(), open_webui(), librechat(), lm_studio())):
        assert [fits(value) for fits in tests] == [number == each for each in range(len(tests))]
    others: tuple[Any, ...] = (
        {},
        [],
        "x",
        {"messages": []},
        {"messages": [{"role": "user"}]},
        {"chat": {}},
        {"mapping": []},
    )
    for other in others:
        assert not any(fits(other) for fits in tests[:4])


@pytest.mark.parametrize("time", [10**400, -(10**400), 1e308, float("nan"), float("inf"), "9" * 400, True, {}])
def test_an_impossible_time_is_none(time: object) -> None:
    assert time_of(seconds(Fields({"time": time}, ""), "time")) == ""
