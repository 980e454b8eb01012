"""A file that a tool makes can be read by the reference that its packet tells, while the turn runs and afterwards."""

from functools import partial
from typing import Any

from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core import packets as pk
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.messages import Attachment, MadeFile
from assistant.core.permissions import Category
from assistant.storage.attachments import part_of
from assistant.storage.database import Database
from assistant.tools.calling import RunningCall
from assistant.tools.tool import Tool, ToolOutput
from tests.fakes.backend import FakeBackend, calls, says
from tests.unit.conftest import MakeWorld


async def draw(_: dict[str, Any], _call: RunningCall) -> ToolOutput:
    made = tuple(
        MadeFile(attachment=Attachment(mime_type="image/png", name=f"{at}.png", data=bytes([at])), path="/p")
        for at in range(2)
    )
    return ToolOutput(text="drawn", files=made)


async def test_the_packet_of_a_made_file_names_the_stored_one(make_world: MakeWorld, database: Database) -> None:
    tool = Tool(
        name="draw",
        description="draw",
        parameters={"type": "object"},
        category=Category.SAFE,
        idempotent=True,
        run=draw,
    )
    world = make_world(FakeBackend(calls(("draw", {}), ("draw", {})), says("네.")), tools=(tool,))
    request = TurnRequest(
        turn=TurnId("t"), conversation=world.conversation, text="그림 두 장 그려요", origin=Origin.TEXT
    )
    results = [each async for each in packets_of(world.engine.turn(request)) if isinstance(each, pk.ToolResult)]
    references = [each.reference for result in results for each in result.files]
    assert len({*references}) == 4
    for at, reference in enumerate(references):
        found = await database.read(partial(part_of, reference=reference, offset=0, length=9))
        assert found is not None
        assert found[0].read() == bytes([at % 2])
