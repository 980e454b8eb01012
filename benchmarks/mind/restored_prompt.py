"""Time to the first text in a fresh process, with and without a prompt state restored from disk.

A conversation of eight turns, with Sori's own system prompt and tools, goes through the chat engine to the embedded
server with the model that ``--model`` names. Every measurement runs in a Python process with its own server and asks
the same next question. The two arms alternate:

- read anew: no state is kept on disk (``kept_prompts = 0``), so the whole prompt is read;
- restored: an earlier process has answered in this conversation and ended normally.

The benchmark compares the time from the question to the first text, with a loaded model. Neither arm reads ahead. Each
round has its own conversation and home.

    python benchmarks/mind/restored_prompt.py [--rounds 3] [--model qwen2.5-coder-1.5b] [--home DIR]
"""

import argparse
import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.core.live_settings import LiveSettings
from assistant.core.messages import Message, Role
from assistant.engine.chat_wiring import build_chat
from assistant.host.places import Places, default_home, models_folder
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from benchmarks.mind.first_text import Answer, ask

AIM = 0.2
PATIENT_S = 600
SAID = """
Good morning! What should I pack for a weekend on Jeju in November?

Jeju is mild but windy in November, about 10 to 16 degrees. Take a light coat that keeps the wind out, a jumper,
good shoes for the lava trails, and an umbrella, because showers come quickly from the sea.

Is it worth climbing Hallasan on the first day?

If you land before nine, yes. The Seongpanak trail takes about nine hours up and down, and rangers stop you at the
shelter after noon in winter. Book the permit beforehand, and take water, for there is none above the shelter.

And if it rains?

Then go to the Manjanggul lava tube or a museum instead, and keep the mountain for the second day. The tube stays at
eleven degrees whatever the weather, so the coat is useful there too.

제주에서 꼭 먹어 봐야 할 음식 세 가지만 알려 줘.

고기국수, 갈치조림, 그리고 흑돼지구이를 추천해요. 고기국수는 아침에 먹기 좋고, 갈치조림은 동문시장 근처에 잘하는
집이 많아요. 흑돼지는 저녁에 멜젓과 함께 드셔 보세요.

렌터카를 빌리는 게 나을까, 버스를 타는 게 나을까?

한라산과 동쪽 해안만 가실 거라면 급행 버스로도 충분해요. 오름이나 작은 카페를 여러 곳 들르실 계획이라면 렌터카가
훨씬 편해요. 주말에는 값이 오르니 미리 예약해 두세요.

How long does the bus from the airport to Seongsan take?

The express bus 111 takes about an hour and a quarter from the airport to Seongsan, and leaves every 30 to 45
minutes. The last one in the evening leaves at about half past eight.

Could you write that into a short plan for two days?

Day one: land early, climb Hallasan by Seongpanak, dinner with black pork in the city. Day two: express bus to
Seongsan, the sunrise peak, the lava tube after lunch, noodles at the market, and the evening flight home.

What would it cost for two people, roughly?

About 600,000 won without the flights: 180,000 for a simple hotel, 150,000 for meals, 40,000 for buses and tickets,
and the rest for a taxi to the trail and for what you bring home.
"""
MESSAGES = tuple(" ".join(message.split()) for message in SAID.split("\n\n"))
"""A conversation of eight turns: the user's messages and the answers, alternating."""

QUESTION = "Thank you. In one sentence: what was the first thing that I asked you about?"
CONFIG = """language = "en"

[llm]
model = "{model}"
first_byte_timeout_s = {patient}
total_timeout_s = {patient}
max_output_tokens = 12
temperature = 0.0
kept_prompts = {kept}
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if the restored arm misses the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b", help="a folder of the models' folder")
    parser.add_argument("--home", type=Path, default=default_home(), help="the folder with the models")
    parser.add_argument("--one", nargs=3, metavar=("HOME", "CONVERSATION", "TEXT"), help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    if chosen.one:
        home, conversation, text = chosen.one
        print(json.dumps(asdict(asyncio.run(_ask(Path(home), conversation, text)))))
        return 0
    os.environ["SORI_MODELS"] = str(models_folder(chosen.home))
    ratio = _measure(chosen.rounds, chosen.model)
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(ratio > AIM)


def _measure(rounds: int, model: str) -> float:
    anew, restored = list[Answer](), list[Answer]()
    size = 0
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds):
            # Both arms have the same conversation, but different states on the disk.
            for kept, answers in ((0, anew), (8, restored)):
                home = Path(folder) / f"home{number}-{kept}"
                home.mkdir()
                config = CONFIG.format(model=model, patient=PATIENT_S, kept=kept)
                Places(home).config.write_text(config, encoding="utf-8")
                conversation = asyncio.run(_conversation(home))
                _process(home, conversation, "And is the sea warm enough to swim?")
                size = max([size, *(file.stat().st_size for file in home.glob("prompt-states/*"))])
                answers.append(_process(home, conversation, QUESTION))
    print(f"{model}, system prompt, tools, {len(MESSAGES) // 2 + 1} turns; first text in seconds, median of {rounds}")
    for name, answers in (("read anew", anew), ("restored", restored)):
        middle = statistics.median(each.first_text_s for each in answers)
        print(f"  {name:10} {middle:7.2f}   {answers[-1].cached} of {answers[-1].read} tokens were in the cache")
    ratio = statistics.median(our.first_text_s / other.first_text_s for our, other in zip(restored, anew, strict=True))
    print(f"restored over read anew: {ratio:.3f} (aim {AIM}); the file has {size / 1e6:.0f} MB")
    return ratio


def _process(home: Path, conversation: str, text: str) -> Answer:
    """Ask a question in a process of its own."""
    command = [sys.executable, __file__, "--one", str(home), conversation, text]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    return Answer(**json.loads(done.stdout.splitlines()[-1]))


async def _conversation(home: Path) -> str:
    """Store a conversation of eight turns and return its id."""
    chat = await build_chat(home, LiveSettings(read_settings(Places(home).config)), load_texts("en"))
    conversation = await chat.storage.conversations.create()
    for number, text in enumerate(MESSAGES):
        role = Role.ASSISTANT if number % 2 else Role.USER
        await chat.storage.conversations.add(conversation, Message(role=role, text=text))
    await chat.close()
    return conversation


async def _ask(home: Path, conversation: str, text: str) -> Answer:
    chat = await build_chat(home, LiveSettings(read_settings(Places(home).config)), load_texts("en"))
    try:
        await chat.answers.answerer.exchange.backend(chat.answers.answerer.choice)
        return await ask(chat, conversation, text)
    finally:
        await chat.close()


if __name__ == "__main__":
    sys.exit(main())
