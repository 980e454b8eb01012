"""The llama.cpp server reuses what it has read of a conversation, by its own count (C-08)."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from assistant.agent.agent_request import AgentRequest
from assistant.agent.context.prompts import load_prompts
from assistant.agent.model_choice import ModelChoice
from assistant.agent.opening import Opening
from assistant.agent.profile import AgentProfile, MemoryScope
from assistant.agent.summaries.summarizer import History
from assistant.core.errors import ProviderError
from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Message, Role, Summary
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.host.places import RESOURCES
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelDelta, ModelMessage, ModelRequest, ProviderBackend, TextDelta, Usage
from assistant.llm.backend_needs import BackendNeeds
from assistant.llm.embedded.embedded_slots import EmbeddedSlots
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.server import EmbeddedServer, model_file
from assistant.llm.providers.local import LocalBackend
from assistant.llm.retry import Retries
from assistant.llm.router import BackendRegistry
from assistant.tools.runner import ToolRunner
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import MemoryLedger

QUESTIONS = ("What is the capital of France?", "And of Italy?", "Which is larger?", "Thank you.")


@pytest.mark.models
async def test_the_server_reads_little_more_than_what_is_new(model_path: Callable[[str], Path], tmp_path: Path) -> None:
    texts = load_texts("en")
    weights = tmp_path / "some-model.gguf"
    weights.symlink_to(model_file(model_path(PLACEHOLDER_MODEL)))
    # As Sori's own server: its connections are not reused, because llama.cpp closes one that is idle for 5 s.
    backend = LocalBackend(
        BackendNeeds(
            ledger=MemoryLedger(),
            key_of=lambda _: "",
            embedded_model=weights,
            settings=LiveSettings(Settings(llm=LlmSettings(context_tokens=2048))),
        )
    )
    server = backend.embedded
    await backend.prepare(provider := Provider(name="own", kind="local"))
    profile = AgentProfile(name="sori", memory=frozenset({MemoryScope.CONVERSATION}), tools=())
    opening = Opening(
        request=AgentRequest(profile=profile, history=await History.given(())),
        settings=Settings(language="en"),
        texts=texts,
        tools=ToolRunner((), texts),
        prompts=load_prompts(RESOURCES / "prompts", "en"),
        clock=FakeClock(),
        parameters_of=lambda _: None,
    )
    llm = LlmSettings(max_output_tokens=4, temperature=0.0)
    messages: list[Message] = []
    counts: list[Usage] = []
    for question in QUESTIONS:
        messages.append(Message(role=Role.USER, text=question))
        talk = History(
            conversation="c",
            messages=tuple(messages),
            files={},
            summary=Summary(),
            count=len(messages),
            unsummarised=len(messages),
        )
        choice = ModelChoice(provider=provider, model=server.model_name)
        model = await replace(opening, request=replace(opening.request, history=talk)).opened(choice, backend)
        request = model.request(llm, model.fitting(llm, 80_000))
        deltas = [delta async for delta in backend.stream(provider, request)]
        counts += [delta for delta in deltas if isinstance(delta, Usage)]
        messages.append(Message(role=Role.ASSISTANT, text="".join(getattr(delta, "text", "") for delta in deltas)))
    read = await EmbeddedSlots(server.base_url, server.key).count_tokens(request.system)
    await backend.close()
    reused = [after.cached / before.input for before, after in pairwise(counts)]
    assert len(reused) == len(QUESTIONS) - 1
    assert min(reused) >= 0.9
    # The server also counts the tokens of a text: those of the system prompt are a part of what it read at first.
    assert counts[0].input / 2 < read < counts[0].input


@pytest.mark.models
async def test_a_llama_cpp_server_that_the_user_runs_reads_a_conversation_once(
    model_path: Callable[[str], Path], tmp_path: Path
) -> None:
    server = EmbeddedServer(model_path(PLACEHOLDER_MODEL), threads=1, context_tokens=512)
    provider = Provider(name="mine", kind="local", base_url=await server.start())
    needs = BackendNeeds(ledger=MemoryLedger(), key_of=lambda _: server.key, embedded_model=tmp_path / "none")
    registry = BackendRegistry.discovered(needs)
    backend = registry.backend_for(provider)
    question = ModelMessage(role="user", text="The quick brown fox jumps over the lazy dog near the river bank. " * 5)
    asked = ModelRequest(
        model=server.model_name, system="Be brief.", messages=(question,), temperature=0.0, max_output_tokens=4
    )
    deltas = await _answer(backend, provider, asked)
    said = "".join(delta.text for delta in deltas if isinstance(delta, TextDelta))
    further = (ModelMessage(role="assistant", text=said), ModelMessage(role="user", text="And then?"))
    again = replace(asked, messages=(question, *further))
    (first,) = [delta for delta in deltas if isinstance(delta, Usage)]
    (second,) = [delta for delta in await _answer(backend, provider, again) if isinstance(delta, Usage)]
    await registry.close()
    await server.stop()
    assert first.cached == 0
    assert second.cached >= 0.9 * first.input


async def _answer(backend: ProviderBackend, provider: Provider, request: ModelRequest) -> list[ModelDelta]:
    """The whole answer. llama.cpp's server may close a connection unanswered, so transient errors are retried."""
    retries = Retries()
    while True:
        try:
            return [delta async for delta in backend.stream(provider, request)]
        except ProviderError as error:
            pause = retries.after(error)
            if pause is None:
                raise
            retries = pause.retries
