import httpx2
import pytest

from assistant.core.errors import StorageError
from assistant.core.records.egress import DataClass, Egress
from assistant.llm.backend import ModelAttachment, ModelMessage, ModelRequest
from assistant.llm.transport.recorded_requests import data_classes, errand, recorded
from tests.fakes.ledger import MemoryLedger
from tests.fakes.model_server.server import ModelServer

PLAIN = ModelRequest(model="m", system="", messages=(ModelMessage(role="user", text="hi"),))


def asking(*messages: ModelMessage) -> ModelRequest:
    return ModelRequest(model="m", system="", messages=messages)


def client(ledger: MemoryLedger) -> httpx2.AsyncClient:
    return httpx2.AsyncClient(trust_env=False, event_hooks={"request": [recorded(ledger, "mine")]})


def test_a_request_holds_what_its_messages_hold() -> None:
    files = [ModelAttachment(mime_type=each, data="aa") for each in ("IMAGE/png", "audio/wav", "application/pdf")]
    asked = ModelMessage(role="user", text="look", attachments=tuple(files))
    assert data_classes(PLAIN) == (DataClass.CONVERSATION,)
    assert data_classes(asking(asked)) == (
        DataClass.CONVERSATION,
        DataClass.IMAGE,
        DataClass.AUDIO,
        DataClass.DOCUMENT,
    )
    result = ModelMessage(role="tool", text="3", tool_call_id="a", attachments=(files[0],))
    assert data_classes(asking(asked, result))[-1] is DataClass.TOOL_RESULT
    told = ModelMessage(role="user", text="{}", documents=1)
    assert DataClass.DOCUMENT in data_classes(asking(told))
    assert data_classes(asking(result)) == (DataClass.CONVERSATION, DataClass.IMAGE, DataClass.TOOL_RESULT)


async def test_a_request_is_written_down_with_its_destination_size_and_purpose_and_nothing_else_of_its_address() -> (
    None
):
    ledger = MemoryLedger()
    async with ModelServer() as server, client(ledger) as http:
        root = server.base_url.removesuffix("/v1")
        with errand("list_models"):
            await http.get(f"{server.base_url}/models?key=secret")
        with errand("answer", PLAIN):
            await http.post(f"{root}/v1/elsewhere", json={"a": 1}, headers={"Authorization": "Bearer secret"})
    assert ledger.rows == [
        Egress(destination=root, local=True, purpose="list_models", provider="mine", shape="GET /v1/models"),
        Egress(
            destination=root,
            local=True,
            purpose="answer",
            provider="mine",
            size=7,
            data=(DataClass.CONVERSATION,),
            shape="POST /v1/elsewhere; a: 1",
        ),
    ]
    assert "secret" not in repr(ledger.rows)


async def test_what_nobody_named_is_taken_for_a_conversation() -> None:
    ledger = MemoryLedger()
    async with ModelServer() as server, client(ledger) as http:
        with errand("list_models"):
            pass
        await http.get(f"{server.base_url}/models")
    assert [(each.purpose, each.data) for each in ledger.rows] == [("answer", (DataClass.CONVERSATION,))]


async def test_what_cannot_be_written_down_is_not_sent() -> None:
    ledger = MemoryLedger()
    ledger.broken = True
    async with ModelServer() as server, client(ledger) as http:
        with pytest.raises(StorageError) as caught:
            await http.get(f"{server.base_url}/models")
        assert server.connections == 0
    assert caught.value.message_key == "error.egress_unrecorded"
