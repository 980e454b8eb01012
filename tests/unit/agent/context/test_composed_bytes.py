"""What a model is sent, byte for byte: ``tests/data/context/composed.json`` holds what was composed once.

Servers reuse what they have read as far as a prompt begins with the same bytes, so no change here goes unnoticed.
"""

import asyncio
import json
from dataclasses import asdict
from datetime import timedelta
from itertools import product
from pathlib import Path
from typing import Any

from assistant.agent.agent_request import AgentRequest
from assistant.agent.context.model_form import encoded_files
from assistant.agent.context.prompts import load_prompts
from assistant.agent.model_choice import EMBEDDED, ModelChoice
from assistant.agent.opening import Opening
from assistant.agent.profile import AgentProfile
from assistant.agent.summaries.summarizer import History
from assistant.core.messages import Attachment, Completion, Message, Role, Summary, ToolUse
from assistant.core.permissions import Category
from assistant.core.settings import Language, Provider, Settings
from assistant.core.texts import Texts
from assistant.host.texts import load_texts
from assistant.tools.calling import RunningCall
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Baseline, Tool
from tests.fakes.backend import FakeBackend
from tests.fakes.clock import START, FakeClock

PROMPTS = Path(__file__).parents[4] / "assistant" / "resources" / "prompts"
COMPOSED = Path(__file__).parents[3] / "data" / "context" / "composed.json"
VENDOR = Provider(name="vendor", kind="openai")


async def _run(_: dict[str, Any], _call: RunningCall) -> str:
    raise AssertionError("no tool runs here")


def tool(name: str, description: str, parameters: dict[str, Any]) -> Tool:
    category = Category.SAFE
    return Tool(
        name=name,
        description=description,
        parameters=parameters,
        category=category,
        idempotent=True,
        run=_run,
        baseline=Baseline.ALL,
    )


TOOLS = (
    tool(
        "set_timer",
        "Sets a timer. It rings.",
        {"type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]},
    ),
    tool("look", "Looks around.", {"type": "object", "properties": {}}),
)


def history() -> list[Message]:
    picture = Attachment(mime_type="image/png", name="창.png", data=b"picture")
    letter = Attachment(mime_type="application/pdf", name="letter.pdf", data=b"letter")
    use = ToolUse(id="c1", name="set_timer", arguments={"minutes": 5})
    later = START + timedelta(hours=2)
    return [
        Message(role=Role.USER, text="안녕, 오늘 뭐 해?", created_at=START.isoformat()),
        Message(role=Role.ASSISTANT, text="Nothing much. " * 40),
        Message(role=Role.USER, text="Set a timer for five minutes, 부탁해.", created_at=START.isoformat()),
        Message(role=Role.ASSISTANT, text="", tool_uses=(use,), signatures=({"s": "t"},)),
        Message(role=Role.TOOL, text="rings at 3:10", tool_use_id="c1"),
        Message(
            role=Role.ASSISTANT, text="맞췄어요. 5분 뒤에 울려요.", completion=Completion.INTERRUPTED, heard="맞췄어요."
        ),
        Message(role=Role.USER, text="이 사진 봐 줘.", created_at=later.isoformat(), attachments=(picture, letter)),
        Message(role=Role.ASSISTANT, text="A window, and", completion=Completion.INCOMPLETE),
        Message(role=Role.USER, text="그리고?", created_at=later.isoformat()),
        Message(role=Role.ASSISTANT, text="그만", completion=Completion.CANCELLED, superseded=True),
        Message(role=Role.ASSISTANT, text="", tool_uses=(ToolUse(id="c2", name="look"),)),
    ]


async def composed(language: Language, texts: Texts, *, small: bool, summary: str, max_size: int) -> dict[str, Any]:
    messages = history()
    talk = History(
        conversation="c",
        messages=tuple(messages),
        files=encoded_files(messages),
        summary=Summary(text=summary),
        count=len(messages),
        unsummarised=len(messages),
    )
    profile = AgentProfile(name="sori", tools={each.name for each in TOOLS})
    opening = Opening(
        request=AgentRequest(profile=profile, history=talk),
        settings=Settings(language=language),
        texts=texts,
        tools=ToolRunner(TOOLS, texts),
        prompts=load_prompts(PROMPTS, language),
        clock=FakeClock(),
        parameters_of=lambda _: 1.5e9,
    )
    choice = ModelChoice(provider=EMBEDDED, model="mine") if small else ModelChoice(provider=VENDOR, model="m")
    model = await opening.opened(choice, FakeBackend())
    context = model.compose(max_size)
    return {
        "system": context.system,
        "messages": [asdict(message) for message in model.worded(context.messages)],
        "size": context.size,
        "dropped": context.dropped,
    }


async def all_composed(all_texts: dict[Language, Texts]) -> dict[str, Any]:
    made = {}
    for language, texts in all_texts.items():
        for small, summary, max_size in product((False, True), ("", "- 첫째\n- second"), (80_000, 17_000, 100)):
            name = f"{language}, {'small' if small else 'large'}, {'summary' if summary else 'no summary'}, {max_size}"
            made[name] = await composed(language, texts, small=small, summary=summary, max_size=max_size)
    return made


async def test_what_a_model_is_sent_is_the_same_bytes_as_ever(all_texts: dict[Language, Texts]) -> None:
    made = await all_composed(all_texts)
    assert json.loads(json.dumps(made)) == json.loads(COMPOSED.read_text(encoding="utf-8")), (
        "after an intended change: python -m tests.unit.agent.context.test_composed_bytes"
    )


if __name__ == "__main__":
    composed_now = asyncio.run(all_composed({"ko": load_texts("ko"), "en": load_texts("en")}))
    COMPOSED.write_text(json.dumps(composed_now, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
