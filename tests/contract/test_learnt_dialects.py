"""What a server has refused is not sent to it again, not even by the next process; what does not hold is forgotten."""

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.backend import ModelRequest, ProviderBackend
from assistant.llm.router import BackendRegistry
from tests.fakes.backend_bench import REQUEST, WIRES, needs, text_of
from tests.fakes.model_server.server import ModelServer, RecordedRequest, Reply, refusal

ASKED = replace(REQUEST, tools=(), temperature=0.5, max_output_tokens=64)
THINKING = replace(ASKED, temperature=None, reasoning=True)


class Memory:
    """Implements ``ModelMemory`` without a disk."""

    def __init__(self) -> None:
        self.facts: dict[tuple[str, str, str], Mapping[str, Any]] = {}

    def recall(self, api: str, server: str, model: str) -> Mapping[str, Any] | None:
        return self.facts.get((api, server, model))

    def learn(self, api: str, server: str, model: str, facts: Mapping[str, Any]) -> None:
        self.facts.pop((api, server, model), None)
        if facts:
            self.facts[api, server, model] = facts


@dataclass(frozen=True)
class Case:
    """A request, and a server that refuses a part of it.

    Attributes:
        refused: whether a request has that part.
        words: of the refusal.
    """

    kind: str
    request: ModelRequest
    refused: Callable[[dict[str, Any]], bool]
    words: str


CASES = {
    "openai temperature": Case(
        "openai", ASKED, lambda body: "temperature" in body, "Unsupported parameter: 'temperature' is not supported."
    ),
    "openai longest answer": Case(
        "openai",
        ASKED,
        lambda body: "max_completion_tokens" in body,
        "Unrecognized request argument supplied: max_completion_tokens",
    ),
    "openai role": Case(
        "openai",
        ASKED,
        lambda body: body["messages"][0]["role"] == "system",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
    ),
    "openai effort": Case(
        "openai",
        THINKING,
        lambda body: body.get("reasoning_effort") == "medium",
        "Unsupported value: 'reasoning_effort' does not support 'medium'. Supported values are: 'low', 'high'.",
    ),
    "anthropic temperature": Case(
        "anthropic", ASKED, lambda body: "temperature" in body, "temperature: Extra inputs are not permitted"
    ),
    "anthropic thinking": Case(
        "anthropic",
        replace(THINKING, max_output_tokens=4096),
        lambda body: body.get("thinking", {}).get("type") == "enabled",
        "thinking.type.enabled is not supported for this model. Use thinking.type.adaptive.",
    ),
    "google thinking": Case(
        "google",
        THINKING,
        lambda body: "thinking_budget" in str(body),
        "Thinking budget is not supported for this model.",
    ),
}


@asynccontextmanager
async def process(kind: str, memory: Memory) -> AsyncIterator[ProviderBackend]:
    """What a process begins with: nothing but the memory."""
    router = BackendRegistry.discovered(replace(needs(), learnt=memory))
    try:
        yield router.backend_for(Provider(name="mine", kind=kind))
    finally:
        await router.close()


async def ask(backend: ProviderBackend, case: Case, server: ModelServer) -> str:
    provider = Provider(name="mine", kind=case.kind, base_url=server.base_url)
    return text_of([delta async for delta in backend.stream(provider, case.request)])


@pytest.mark.parametrize("name", CASES)
async def test_the_next_process_does_not_send_what_was_refused(name: str) -> None:
    case, memory = CASES[name], Memory()

    def answer(asked: RecordedRequest) -> Reply:
        return refusal(400, case.words) if case.refused(asked.body) else Reply(text="Yes.")

    async with ModelServer(answer, wire=WIRES[case.kind]()) as server:
        requests = []
        for _ in range(2):
            async with process(case.kind, memory) as backend:
                assert await ask(backend, case, server) == "Yes."
                requests.append(len(server.chats))
        assert requests == [2, 3]


@pytest.mark.parametrize("name", ["openai role", "openai effort", "anthropic thinking", "google thinking"])
async def test_what_does_not_hold_any_more_is_forgotten(name: str) -> None:
    case, memory = CASES[name], Memory()
    changed = False

    def answer(asked: RecordedRequest) -> Reply:
        # First it refuses one form, then whatever was learnt in its place.
        if case.refused(asked.body) is not changed:
            return refusal(400, case.words)
        return Reply(text="Yes.")

    async with ModelServer(answer, wire=WIRES[case.kind]()) as server:
        async with process(case.kind, memory) as backend:
            assert await ask(backend, case, server) == "Yes."
        changed = True
        async with process(case.kind, memory) as backend:
            assert await ask(backend, case, server) == "Yes."
        before = len(server.chats)
        async with process(case.kind, memory) as backend:
            assert await ask(backend, case, server) == "Yes."
        assert len(server.chats) == before + 1


@pytest.mark.parametrize("facts", [{"role": 7}, {"thinking": "loud"}, {"max_tokens": "many"}, {"nonsense": True}])
@pytest.mark.parametrize("kind", ["openai", "anthropic", "google"])
async def test_facts_of_another_make_are_not_believed(kind: str, facts: dict[str, Any]) -> None:
    class Strange(Memory):
        def recall(self, api: str, server: str, model: str) -> Mapping[str, Any] | None:
            return facts

    case = Case(kind, ASKED, lambda _: False, "")
    async with ModelServer([Reply(text="Yes.")], wire=WIRES[kind]()) as server, process(kind, Strange()) as backend:
        assert await ask(backend, case, server) == "Yes."


@pytest.mark.parametrize("kind", ["openai", "anthropic", "google"])
async def test_a_refusal_that_is_about_something_else_is_told_at_once(kind: str) -> None:
    case = next(case for case in CASES.values() if case.kind == kind)
    memory, broken = Memory(), False

    def answer(asked: RecordedRequest) -> Reply:
        if broken or case.refused(asked.body):
            return refusal(400, "The picture cannot be read." if broken else case.words)
        return Reply(text="Yes.")

    async with ModelServer(answer, wire=WIRES[kind]()) as server:
        async with process(kind, memory) as backend:
            await ask(backend, case, server)
        broken, before, kept = True, len(server.chats), dict(memory.facts)
        async with process(kind, memory) as backend:
            with pytest.raises(ProviderError) as raised:
                await ask(backend, case, server)
        assert raised.value.code is ErrorCode.INVALID_REQUEST
        assert len(server.chats) == before + 1
        assert memory.facts == kept
