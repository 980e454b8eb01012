"""How much sooner the second turn of a long conversation begins than the first: the embedded server's prompt cache.

A conversation of 8,000 characters goes through Sori's chat engine to a llama.cpp server of Sori's own with real weights
(SmolLM2-135M, under another name, so that the placeholder's own limits do not shorten anything). Each round begins with
a fresh process. What is compared is the time to the first text of an answer:

- cold: the whole conversation is read;
- second turn: the same conversation with a question more, whose beginning the server has read already;
- cold second turn: that same second turn, asked of a fresh process, as if nothing were kept.

    python benchmarks/prompt_cache.py [--rounds 3] [--home DIR]
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from assistant.app.chat_wiring import Chat, build_chat
from assistant.app.models import ModelStore
from assistant.app.places import default_home
from assistant.app.texts import load_texts
from assistant.core.packets import AnswerDelta, Done, Failure
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.core.states import TurnId
from assistant.llm.embedded import EmbeddedServer, model_file
from assistant.llm.providers.local import PLACEHOLDER_MODEL

AIM = 0.3
CHARACTERS = 8_000
CONTEXT_TOKENS = 8_192
ANSWER_TOKENS = 12
PATIENT_S = 600.0
SENTENCES = (
    "The ferry to the island leaves at half past nine in the morning and comes back at five. ",
    "On the way there is a lighthouse that was built long ago by fishermen from the north. ",
    "Most visitors bring their own lunch, because the only restaurant closes early in winter. ",
    "My grandmother used to say that the sea is kindest in October, when the wind turns. ",
    "We walked along the beach until it grew dark, and then we looked for the stars together. ",
)
QUESTION = "Now answer in one sentence: what did my grandmother say?"


@dataclass(frozen=True, slots=True)
class Answer:
    """When an answer began, and what the server had in its cache of the prompt."""

    first_text_s: float
    read: int
    cached: int


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 when the second turn is later than the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--home", type=Path, default=default_home(), help="the folder with the models")
    chosen = parser.parse_args(arguments)
    store = ModelStore(chosen.home)
    store.ensure([PLACEHOLDER_MODEL])
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "some-model.gguf"
        model.symlink_to(model_file(store.path(PLACEHOLDER_MODEL)))
        ratio = asyncio.run(_measure(model, Path(folder), chosen.rounds))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(ratio > AIM)


async def _measure(model: Path, folder: Path, rounds: int) -> float:
    cold, second, afresh = list[Answer](), list[Answer](), list[Answer]()
    for number in range(rounds):
        home = folder / f"home{number}"
        conversation = ""
        async with _serving(model, home) as chat:
            conversation = await chat.conversations.create()
            cold.append(await _ask(chat, conversation, _long_message()))
            second.append(await _ask(chat, conversation, QUESTION))
        async with _serving(model, home) as chat:
            # The same conversation, whose second answer nobody has read before.
            afresh.append(await _ask(chat, conversation, QUESTION))
    print(f"{CHARACTERS} characters of conversation, first text in seconds, median of {rounds}")
    for name, answers in (("cold", cold), ("second turn", second), ("cold second turn", afresh)):
        middle = statistics.median(each.first_text_s for each in answers)
        tokens = f"{answers[-1].cached} of {answers[-1].read} tokens were in the cache"
        print(f"  {name:17} {middle:7.2f}   {tokens}")
    ratios = [
        statistics.median(after.first_text_s / before.first_text_s for after, before in zip(second, other, strict=True))
        for other in (cold, afresh)
    ]
    print(f"second turn over cold: {ratios[0]:.3f}; over the same turn cold: {ratios[1]:.3f} (aim {AIM})")
    return ratios[0]


@asynccontextmanager
async def _serving(model: Path, home: Path) -> AsyncIterator[Chat]:
    """Sori's chat with a fresh embedded server."""
    server = EmbeddedServer(model, context_tokens=CONTEXT_TOKENS)
    base_url = await server.start()
    provider = Provider(name="bench", kind="local", base_url=base_url, api_key=server.key)
    llm = LlmSettings(
        provider="bench",
        model=server.model_name,
        first_byte_timeout_s=PATIENT_S,
        total_timeout_s=PATIENT_S,
        max_output_tokens=ANSWER_TOKENS,
        temperature=0.0,
    )
    chat = await build_chat(home, Settings(language="en", llm=llm, providers=(provider,)), load_texts("en"))
    try:
        await chat.warm_up()
        yield chat
    finally:
        await chat.close()
        await server.stop()


async def _ask(chat: Chat, conversation: str, text: str) -> Answer:
    began, first = time.perf_counter(), 0.0
    usage: dict[str, int] = {}
    async with aclosing(chat.engine.run(TurnId(1), conversation, text)) as packets:
        async for packet in packets:
            match packet:
                case AnswerDelta() if not first:
                    first = time.perf_counter() - began
                case Failure():
                    raise RuntimeError(packet.message)
                case Done():
                    usage = packet.usage
                case _:
                    pass
    return Answer(first, usage.get("input", 0), usage.get("cached", 0))


def _long_message() -> str:
    text = "Here is what I wrote in my diary. "
    number = 0
    while len(text) < CHARACTERS:
        number += 1
        text += f"Day {number}. {SENTENCES[number % len(SENTENCES)]}"
    return text[:CHARACTERS]


if __name__ == "__main__":
    sys.exit(main())
