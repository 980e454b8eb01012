"""Share of answers in the question's language, short enough to be spoken, without placeholders and markup.

60 Korean and 30 English questions of ``answer_language_prompts.txt`` go through Sori's chat engine with the built-in
tools, each in a conversation of its own. The baseline runs beside it on the same server: the form in which Sori
formerly asked every model (``former_form``), with the server's text unchanged. The questions were not used for tuning.

    python benchmarks/mind/answer_language.py [--provider NAME/MODEL] [--home DIR] [--every N] [--no-former] [--show]
"""

import argparse
import asyncio
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta, Failure
from assistant.core.settings import Language, LlmSettings, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.places import Places, default_home, models_folder
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.llm.providers.local import LocalBackend
from assistant.speech.text.language import language_of
from benchmarks.mind import former_form
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume

MODEL = "embedded/qwen2.5-coder-1.5b"
AIM = 0.95
LONGEST_TOKENS = 72
PATIENT_S = 300.0
PROMPTS = Path(__file__).with_name("answer_language_prompts.txt")

_OTHER_SCRIPT = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_PLACEHOLDER = re.compile(r"\[[^\]\n]{0,12}(이름|성함|name)[^\]\n]{0,6}\]|[○◯]{2}|OO\s?님", re.IGNORECASE)
_MARK = re.compile(r"보낸 시각|\[sent|<context|</?tool|\"arguments\"|→|사용자가 여기서")
_SENTENCE = re.compile(r"[^.!?。\n]+[.!?。\n]?")


@dataclass(slots=True)
class Arm:
    """One way of asking, and its answers."""

    name: str
    answers: list[tuple[Language, str, float]] = field(default_factory=list)

    def row(self, language: Language) -> float:
        """Print this arm's line; returns the share of answers in the language."""
        told = [(text, seconds) for each, text, seconds in self.answers if each == language]
        right = [text for text, _ in told if language_of(text, "") == language and not _OTHER_SCRIPT.search(text)]
        short = [text for text, _ in told if len(_SENTENCE.findall(text.strip())) <= 3]
        named, marked = (sum(1 for text, _ in told if found.search(text)) for found in (_PLACEHOLDER, _MARK))
        share = len(right) / len(told)
        print(
            f"  {self.name:12} in the language {share:6.1%} of {len(told)}   at most three sentences"
            f" {len(short) / len(told):6.1%}   placeholders {named}   marks and markup {marked}"
            f"   median {statistics.median(seconds for _, seconds in told):5.2f} s"
        )
        return share


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if the share of answers in the language misses the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--provider", default=MODEL, help="provider or provider/model; by default the embedded one")
    parser.add_argument("--home", type=Path, default=default_home(), help="the folder with config.toml and the models")
    parser.add_argument("--every", type=int, default=1, help="only every so many-th question")
    parser.add_argument("--no-former", action="store_true", help="leave the former form out")
    parser.add_argument("--show", action="store_true", help="print the answers")
    chosen = parser.parse_args(arguments)
    os.environ.setdefault("SORI_MODELS", str(models_folder(chosen.home)))
    questions = PROMPTS.read_text(encoding="utf-8").splitlines()[:: chosen.every]
    arms = [Arm("ours")] if chosen.no_former else [Arm("ours"), Arm("former form")]
    shares: list[float] = []
    for language in ("ko", "en"):
        asked = [each for each in questions if language_of(each, "en") == language]
        asyncio.run(_measure(chosen, language, asked, arms))
        print("Korean" if language == "ko" else "English")
        ours, *_ = [arm.row(language) for arm in arms]
        shares.append(ours)
    print(f"aim: {AIM:.0%} in the language; load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(min(shares) < AIM)


async def _measure(
    chosen: argparse.Namespace, language: Language, questions: Sequence[str], arms: Sequence[Arm]
) -> None:
    file = Places(chosen.home).config
    own = read_settings(file) if file.exists() else Settings()
    name, _, model = chosen.provider.partition("/")
    llm = LlmSettings(
        provider=name,
        model=model,
        max_output_tokens=LONGEST_TOKENS,
        first_byte_timeout_s=PATIENT_S,
        total_timeout_s=PATIENT_S,
    )
    settings = Settings(language=language, llm=llm, providers=own.providers, models=own.models)
    with tempfile.TemporaryDirectory() as folder:
        chat = await build_chat(
            Path(folder), LiveSettings(settings), load_texts(language), clock=FakeClock(), volume=FakeVolume()
        )
        try:
            for question in questions:
                for arm in arms:
                    began = time.perf_counter()
                    text = await (_ours if arm is arms[0] else _former)(chat, chosen.provider, language, question)
                    arm.answers.append((language, text, time.perf_counter() - began))
                    if chosen.show:
                        print(f"    {arm.name}: {question} → {text!r}", flush=True)
        finally:
            await chat.close()


async def _ours(chat: Chat, reference: str, _: Language, question: str) -> str:
    conversation = await chat.storage.conversations.create()
    request = TurnRequest(
        turn=TurnId("1"), conversation=conversation, text=question, origin=Origin.TEXT, model=reference, aloud=True
    )
    text = ""
    async with aclosing(packets_of(chat.answers.engine.turn(request))) as packets:
        async for packet in packets:
            match packet:
                case AnswerDelta():
                    text += packet.text
                case Failure():
                    raise RuntimeError(packet.message)
                case _:
                    pass
    return text


async def _former(chat: Chat, _: str, language: Language, question: str) -> str:
    backend = chat.models.router.backend_for(chat.answers.answerer.choice.provider)
    if not isinstance(backend, LocalBackend) or chat.answers.answerer.choice.provider.base_url:
        raise SystemExit("the former form is asked of the embedded server only: give --no-former")
    tools = chat.answers.answerer.exchange.tools.offered()
    return (await former_form.ask(backend, language, question, tools, LONGEST_TOKENS)).text


if __name__ == "__main__":
    sys.exit(main())
