"""What a model is sent, byte for byte: ``tests/data/context/composed.json`` holds what was composed once.

Servers reuse what they have read as far as a prompt begins with the same bytes, so no change here goes unnoticed.
"""

import json
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import Any

from assistant.agent.context.context import compose, encoded_files
from assistant.agent.context.prompts import load_prompts
from assistant.agent.context.small_form import as_plain_text, small_prompt
from assistant.core.messages import Attachment, Completion, Message, Role, ToolUse
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.llm.backend import ToolSchema
from tests.fakes.clock import START

PROMPTS = Path(__file__).parents[4] / "resources" / "prompts"
COMPOSED = Path(__file__).parents[3] / "data" / "context" / "composed.json"
TOOLS = (
    ToolSchema(
        name="set_timer",
        description="Sets a timer. It rings.",
        parameters={"type": "object", "properties": {"minutes": {"type": "integer"}}, "required": ["minutes"]},
    ),
    ToolSchema(name="look", description="Looks around.", parameters={"type": "object", "properties": {}}),
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


def composed(language: Language, texts: Texts, *, small: bool, summary: str, max_size: int) -> dict[str, Any]:
    prompts, messages = load_prompts(PROMPTS, language), history()
    prompt, tools = small_prompt(prompts.small, TOOLS) if small else (prompts.system, "")
    context = compose(
        prompt,
        messages,
        texts,
        START,
        tools=tools,
        summary=summary,
        files=encoded_files(messages),
        max_size=max_size,
        dated=not small,
        notes=not small,
    )
    sent = as_plain_text(context.messages, texts) if small else context.messages
    return {
        "system": context.system,
        "messages": [asdict(message) for message in sent],
        "size": context.size,
        "dropped": context.dropped,
    }


def test_what_a_model_is_sent_is_the_same_bytes_as_ever(all_texts: dict[Language, Texts]) -> None:
    made = {
        f"{language}, {'small' if small else 'large'}, {'summary' if summary else 'no summary'}, {max_size}": composed(
            language, texts, small=small, summary=summary, max_size=max_size
        )
        for language, texts in all_texts.items()
        for small in (False, True)
        for summary in ("", "- 첫째\n- second")
        for max_size in (80_000, 17_000, 100)
    }
    assert json.loads(json.dumps(made)) == json.loads(COMPOSED.read_text(encoding="utf-8"))
