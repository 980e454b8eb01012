"""Time to the first text in the second turn of a long conversation, compared with the first: the prompt cache.

A conversation of 8,000 characters goes through Sori's chat engine to Sori's own llama.cpp server with real weights
(SmolLM2-135M under another name, so that the placeholder's limits do not apply). Each round begins with a fresh server
process. The benchmark compares the time to the first text of an answer:

- cold: the whole conversation is read;
- second turn: the same conversation with one more question; the server has already read its beginning;
- cold second turn: the same second turn in a fresh process without a cache;
- read ahead: the same second turn in a fresh process that has read the conversation ahead, as it does at the start and
  while the user speaks.

    python benchmarks/mind/prompt_cache.py [--rounds 3] [--home DIR]
"""

import argparse
import asyncio
import os
import statistics
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.core.live_settings import LiveSettings
from assistant.core.settings import LlmSettings, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.model_store import open_store
from assistant.host.places import default_home
from assistant.host.texts import load_texts
from assistant.llm.embedded.own_models import PLACEHOLDER_MODEL
from assistant.llm.embedded.server import model_file
from benchmarks.mind.first_text import Answer, ask

AIM = 0.3
MODEL = "some-model"
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


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if the second turn misses the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--home", type=Path, default=default_home(), help="the folder with the models")
    chosen = parser.parse_args(arguments)
    store = open_store(chosen.home)
    store.ensure([PLACEHOLDER_MODEL])
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder) / "models" / MODEL
        own.mkdir(parents=True)
        (own / "weights.gguf").symlink_to(model_file(store.path(PLACEHOLDER_MODEL)))
        os.environ["SORI_MODELS"] = str(own.parent)
        ratio = asyncio.run(_measure(Path(folder), chosen.rounds))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(ratio > AIM)


async def _measure(folder: Path, rounds: int) -> float:
    cold, second, afresh, ahead = list[Answer](), list[Answer](), list[Answer](), list[Answer]()
    for number in range(rounds):
        home = folder / f"home{number}"
        async with _serving(home) as chat:
            conversation = await chat.storage.conversations.create()
            cold.append(await ask(chat, conversation, _long_message()))
            second.append(await ask(chat, conversation, QUESTION))
        # The same conversation in fresh processes, without the second answer.
        async with _serving(home) as chat:
            afresh.append(await ask(chat, conversation, QUESTION))
        async with _serving(home) as chat:
            await chat.answers.answerer.read_ahead(conversation)
            ahead.append(await ask(chat, conversation, QUESTION))
    print(f"{CHARACTERS} characters of conversation, first text in seconds, median of {rounds}")
    arms = (("cold", cold), ("second turn", second), ("cold second turn", afresh), ("read ahead", ahead))
    for name, answers in arms:
        middle = statistics.median(each.first_text_s for each in answers)
        tokens = f"{answers[-1].cached} of {answers[-1].read} tokens were in the cache"
        print(f"  {name:17} {middle:7.2f}   {tokens}")
    print(f"second turn over cold: {_ratio(second, cold):.3f} (aim {AIM}); over it cold: {_ratio(second, afresh):.3f}")
    print(f"read ahead over it cold: {_ratio(ahead, afresh):.3f}")
    return _ratio(second, cold)


def _ratio(ours: Sequence[Answer], others: Sequence[Answer]) -> float:
    return statistics.median(our.first_text_s / other.first_text_s for our, other in zip(ours, others, strict=True))


@asynccontextmanager
async def _serving(home: Path) -> AsyncIterator[Chat]:
    """Sori's chat with a fresh, loaded embedded server."""
    llm = LlmSettings(
        model=MODEL,
        context_tokens=CONTEXT_TOKENS,
        first_byte_timeout_s=PATIENT_S,
        total_timeout_s=PATIENT_S,
        max_output_tokens=ANSWER_TOKENS,
        temperature=0.0,
    )
    chat = await build_chat(home, LiveSettings(Settings(language="en", llm=llm)), load_texts("en"))
    try:
        await chat.answers.answerer.exchange.backend(chat.answers.answerer.choice)
        yield chat
    finally:
        await chat.close()


def _long_message() -> str:
    text = "Here is what I wrote in my diary. "
    number = 0
    while len(text) < CHARACTERS:
        number += 1
        text += f"Day {number}. {SENTENCES[number % len(SENTENCES)]}"
    return text[:CHARACTERS]


if __name__ == "__main__":
    sys.exit(main())
