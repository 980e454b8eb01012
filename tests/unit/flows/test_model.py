"""The model of a conversation, as the agents of a flow ask it."""

from assistant.agent.exchange import AgentExchange
from assistant.core.live_settings import LiveSettings
from assistant.core.records.usage import Exchange
from assistant.core.settings import Language, LlmSettings, Provider, Settings
from assistant.core.texts import Texts
from assistant.flows.model import TurnModel
from assistant.llm.backend import ModelMessage
from assistant.tools.runner import ToolRunner
from tests.fakes.backend import FakeBackend, says
from tests.fakes.clock import FakeClock

ASKED = (ModelMessage(role="user", text="엄마한테 오만 원 보내 줘"),)


async def test_agents_ask_the_model_of_the_conversation(all_texts: dict[Language, Texts]) -> None:
    used: list[Exchange] = []

    async def keep(exchange: Exchange) -> None:
        used.append(exchange)

    backend = FakeBackend(says('{"to": "엄마"}'), says("엄마께 보낼까요?"))
    exchange = AgentExchange(
        router=backend,
        live=LiveSettings(Settings(llm=LlmSettings(), providers=(Provider(name="mine", kind="openai"),))),
        texts=all_texts["ko"],
        tools=ToolRunner((), all_texts["ko"]),
        clock=FakeClock(),
        prompts_in={},
        keep=keep,
    )
    schema = {"type": "object", "properties": {"to": {"type": "string"}}, "required": ["to"]}
    model = TurnModel(aside=exchange.aside(), conversation="c1", model="mine/chosen")
    assert await model.complete("Fill.", ASKED, language="ko", schema=schema, purpose="flow") == '{"to": "엄마"}'
    assert (
        "".join([piece async for piece in model.stream("Say.", ASKED, language="ko", purpose="flow")])
        == "엄마께 보낼까요?"
    )
    filled, said = backend.requests
    assert (filled.model, filled.schema, filled.system, filled.messages) == ("chosen", schema, "Fill.", ASKED)
    assert (said.schema, said.answer_language, said.purpose, said.aside) == (None, "ko", "flow", True)
    assert {each.conversation for each in used} == {"c1"}
