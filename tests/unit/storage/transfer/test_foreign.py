"""Exports of ChatGPT and Claude, in the forms that they have been seen in."""

from typing import Any

import pytest

from assistant.core.messages import Role
from assistant.storage.transfer.chatgpt import from_chatgpt
from assistant.storage.transfer.claude import from_claude
from assistant.storage.transfer.portable import InvalidContentError


def node(identity: str, parent: str | None, role: str, parts: list[Any], **others: Any) -> dict[str, Any]:
    message = {
        "id": identity,
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": 1_700_000_000.5 + len(identity),
        "content": {"content_type": "text", "parts": parts},
        "metadata": {"model_slug": "gpt-4o"} if role == "assistant" else {},
        "recipient": "all",
        **others,
    }
    return {"id": identity, "message": message, "parent": parent, "children": []}


def chatgpt(**others: Any) -> dict[str, Any]:
    nodes = [
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


def test_without_a_current_node_the_branch_of_the_newest_message_is_taken() -> None:
    value = chatgpt(current_node=None)
    for key, child in (("question", "dropped"), ("answer", "photo")):
        value["mapping"][key]["children"] = [child]
    value["mapping"]["dropped"]["message"]["create_time"] = 1_800_000_000
    assert [each.text for each in from_chatgpt(value).messages] == ["강릉은 어때?", "an earlier answer"]


def test_a_circle_of_nodes_is_no_conversation() -> None:
    value = chatgpt()
    value["mapping"]["system"]["parent"] = "answer"
    with pytest.raises(InvalidContentError):
        from_chatgpt(value)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"conversation_id": None, "id": None}, "id"),
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


def test_a_claude_message_of_an_unknown_sender_names_its_place() -> None:
    value = claude()
    value["chat_messages"][2]["sender"] = "robot"
    with pytest.raises(InvalidContentError) as caught:
        from_claude(value)
    assert caught.value.place == "chat_messages[2].sender"
