"""A turn whose tool makes a file: the file is kept with the conversation and shown, and no model reads it."""

import pytest

from assistant.agent.context.model_form import encoded_files
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, MadeFile, Role
from assistant.core.packets import Status, ToolResult, to_line
from assistant.core.permissions import Category
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.taint import taint_of
from assistant.tools.tool import Tool, ToolOutput
from tests.fakes.asking.turns import turn_packets
from tests.fakes.backend import FakeBackend, calls, says
from tests.fakes.pictures import drawn, encoded
from tests.unit.conftest import MakeWorld

PICTURE = encoded(drawn())


def painting(timeout_s: float | None = 300.0) -> Tool:
    async def run(_: dict[str, object], _call: RunningCall) -> ToolOutput:
        made = Attachment(mime_type="image/png", name="cat.png", data=PICTURE)
        return ToolOutput(text="Saved as /p/cat.png", files=(MadeFile(attachment=made, path="/p/cat.png"),))

    return Tool(
        name="paint",
        description="",
        parameters={"type": "object"},
        category=Category.SAFE,
        idempotent=False,
        run=run,
        timeout_s=timeout_s,
    )


@pytest.fixture
def texts(all_texts: dict[Language, Texts]) -> Texts:
    return all_texts["ko"]


async def test_a_made_file_is_shown_and_stored_and_not_sent_to_a_model(make_world: MakeWorld, texts: Texts) -> None:
    backend = FakeBackend(calls(("paint", {})), says("그렸어요"))
    world = make_world(backend)
    world.answerer.exchange.tools = ToolRunner((painting(),), texts)
    packets = [each async for each in turn_packets(world.engine, "t", world.conversation, "고양이 그려 줘")]

    (result,) = [each for each in packets if isinstance(each, ToolResult)]
    assert [each.attachment.read() for each in result.files] == [PICTURE]
    told = to_line(result, conversation="c", turn=TurnId("t"))["files"]
    assert told == [{"name": "cat.png", "mime_type": "image/png", "size": len(PICTURE), "path": "/p/cat.png"}]

    stored = await world.store.messages(world.conversation)
    (kept,) = [message for message in stored if message.role is Role.TOOL]
    assert [(each.name, each.read()) for each in kept.attachments] == [("cat.png", PICTURE)]
    assert encoded_files(stored) == {}
    assert not taint_of(stored, lambda _: painting()).outside
    assert all(not message.attachments for request in backend.requests for message in request.messages)


@pytest.mark.parametrize(("timeout_s", "announced"), [(300.0, True), (None, False)])
async def test_a_slow_tool_is_announced(
    make_world: MakeWorld, texts: Texts, timeout_s: float | None, announced: bool
) -> None:
    world = make_world(FakeBackend(calls(("paint", {})), says("그렸어요")))
    world.answerer.exchange.tools = ToolRunner((painting(timeout_s),), texts)
    packets = [each async for each in turn_packets(world.engine, "t", world.conversation, "고양이 그려 줘")]
    statuses = [each.detail for each in packets if isinstance(each, Status) and each.status == "long_tool"]
    assert bool(statuses) is announced
    assert all("5분" in each for each in statuses)
