"""How well the catalogue finds tools, how many tokens it saves, and whether a small model then chooses the right tool.

62 further tools, as servers of the Model Context Protocol and plugins have them, stand beside the built-in ones. Their
descriptions are English (36), Korean (14), or English with search words of both languages (12). Of the 150 requests 74
are held out: they were written after the last change of the search, and nothing was changed for them.

    python benchmarks/mind/catalogue.py [--misses] [--model embedded/NAME --requests N --language ko|en]

With ``--model`` the same requests are answered with the catalogue and with all tools in the prompt, in turn,
by Sori's own chat engine.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.agent.context.tokens import tokens_of_tools
from assistant.core.live_settings import LiveSettings
from assistant.core.permissions import LOCAL_ASSISTANT, Category
from assistant.core.settings import Language, LlmSettings, Settings
from assistant.engine.chat_wiring import build_chat
from assistant.host.places import default_home, models_folder
from assistant.host.texts import load_texts
from assistant.tools.calling import RunningCall
from assistant.tools.catalogue import choice
from assistant.tools.catalogue.choice import SELECTED, selected_by
from assistant.tools.catalogue.enabled import Enabled
from assistant.tools.catalogue.search import search
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Baseline, Tool
from benchmarks.mind.tool_choice import first_call
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume
from tests.unit.tools.test_registry import TOOLS

FOLDER = Path(__file__).parent
AIM = 0.9


async def _done(_: dict[str, Any], _call: RunningCall) -> str:
    return "done"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A request, and the tool that it needs; an empty name for none."""

    text: str
    tool: str
    held_out: bool = False

    @property
    def language(self) -> Language:
        """The language of the request."""
        return "en" if self.text.isascii() else "ko"


@dataclass(slots=True)
class Arm:
    """One way of offering tools to a model, and what it called."""

    name: str
    most: int
    calls: list[tuple[Wanted, str, float]] = field(default_factory=list)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if the aim is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--misses", action="store_true", help="show what was not found, of the requests not held out")
    parser.add_argument("--model", default="", help="also ask this model, such as embedded/qwen2.5-coder-1.5b")
    parser.add_argument("--requests", type=int, default=24, help="how many held-out requests the model gets")
    parser.add_argument("--language", choices=("ko", "en"), default="ko", help="the language of these requests")
    parser.add_argument("--home", type=Path, default=default_home(), help="the folder with the models")
    chosen = parser.parse_args(arguments)
    # No call has an effect.
    tools = (*(replace(tool, run=_done) for tool in TOOLS), *_further_tools())
    requests = _requests()
    print(f"{len(tools)} tools, {len(requests)} requests")
    recall = _print_recall(tools, requests, misses=chosen.misses)
    _print_selection(tools, requests)
    _print_tokens(tools)
    if chosen.model:
        os.environ.setdefault("SORI_MODELS", str(models_folder(chosen.home)))
        some = _some(requests, chosen.requests, chosen.language)
        _print_choices(asyncio.run(_ask_model(chosen.model, tools, some, chosen.language)))
    print(f"aim: recall@5 of {AIM:.0%} of the held-out requests; load average {os.getloadavg()[0]:.1f}")
    return int(recall < AIM)


def _further_tools() -> tuple[Tool, ...]:
    rows = map(json.loads, (FOLDER / "catalogue_tools.jsonl").read_text(encoding="utf-8").splitlines())
    return tuple(
        Tool(
            name=row["name"],
            description=row["description"],
            parameters={"type": "object", "properties": {name: {"type": "string"} for name in row["parameters"]}},
            category=Category.SAFE,
            idempotent=True,
            run=_done,
            search_words=tuple(row.get("search_words", ())),
        )
        for row in rows
    )


def _requests() -> list[Wanted]:
    rows = map(json.loads, (FOLDER / "catalogue_requests.jsonl").read_text(encoding="utf-8").splitlines())
    return [Wanted(row["text"], row["tool"], row.get("held_out", False)) for row in rows]


def _others(tools: Sequence[Tool]) -> list[Tool]:
    return [tool for tool in tools if tool.baseline is Baseline.NONE]


def _print_recall(tools: Sequence[Tool], requests: Sequence[Wanted], *, misses: bool) -> float:
    """Print how often the wanted tool is among the first; returns the recall@5 of the held-out requests."""
    shares = dict[str, float]()
    others = _others(tools)
    for name, some in _parts(requests).items():
        ranks, took = [], []
        for wanted in some:
            began = time.perf_counter()
            found = [each.tool.name for each in search(wanted.text, others)]
            took.append(time.perf_counter() - began)
            ranks.append(found.index(wanted.tool) if wanted.tool in found else len(others))
            if misses and ranks[-1] >= 5 and not wanted.held_out:
                print(f"  not found: {wanted.text} → {wanted.tool}, found {found[:3]}")
        first, three, five = (sum(rank < most for rank in ranks) / len(ranks) for most in (1, 3, 5))
        shares[name] = five
        median_ms = statistics.median(took) * 1000
        print(f"  {name:18} {len(some):3}  recall@1 {first:6.1%}  @3 {three:6.1%}  @5 {five:6.1%}  {median_ms:5.1f} ms")
    return shares["held out"]


def _parts(requests: Sequence[Wanted]) -> dict[str, list[Wanted]]:
    held_out = [each for each in requests if each.held_out]
    return {
        "seen": [each for each in requests if not each.held_out],
        "held out": held_out,
        "held out, Korean": [each for each in held_out if each.language == "ko"],
        "held out, English": [each for each in held_out if each.language == "en"],
    }


def _print_selection(tools: Sequence[Tool], requests: Sequence[Wanted]) -> None:
    """Print how often a request selects its tool, and how often one that needs no further tool selects any."""
    others = _others(tools)
    held_out = [each for each in requests if each.held_out]
    right = sum(each.tool in {tool.name for tool in selected_by(each.text, others, SELECTED)} for each in held_out)
    rows = (FOLDER / "tool_choice_utterances.jsonl").read_text(encoding="utf-8").splitlines()
    plain = [json.loads(row)["text"] for row in rows]
    false = sum(bool(selected_by(text, others, SELECTED)) for text in plain)
    print(f"  selected before the inference: {right} of {len(held_out)} held-out requests select the right tool")
    print(f"  {false} of {len(plain)} requests that need no further tool select one")


def _print_tokens(tools: Sequence[Tool]) -> None:
    texts = load_texts("en")
    runner = ToolRunner(tools, texts).permitted(LOCAL_ASSISTANT, enabled=Enabled())
    print(f"  tokens of the tools (estimated): all {tokens_of_tools(runner.offered())}", end="")
    print(f", with the catalogue {tokens_of_tools(runner.offer().tools)}", end="")
    print(f", for a small model {tokens_of_tools(runner.offer(small=True, beside=True).tools)}")


def _some(requests: Sequence[Wanted], most: int, language: Language) -> list[Wanted]:
    """Held-out requests and as many usual ones, evenly spread."""
    held_out = [each for each in requests if each.held_out and each.language == language]
    rows = map(json.loads, (FOLDER / "tool_choice_utterances.jsonl").read_text(encoding="utf-8").splitlines())
    plain = [each for row in rows if (each := Wanted(row["text"], row["tool"] or "")).language == language]
    half = max(1, most // 2)
    pairs = zip(held_out[:: max(1, len(held_out) // half)][:half], plain[:: len(plain) // half][:half], strict=False)
    return [each for pair in pairs for each in pair]


async def _ask_model(model: str, tools: Sequence[Tool], requests: Sequence[Wanted], language: Language) -> list[Arm]:
    """Ask both arms each request in turn. Each has a server of its own, which keeps its prompt."""
    name, _, rest = model.partition("/")
    llm = LlmSettings(provider=name, model=rest, max_output_tokens=64, first_byte_timeout_s=300, total_timeout_s=300)
    arms = [Arm("catalogue", choice.SMALL_MOST), Arm("all tools", len(tools))]
    texts = load_texts(language)
    async with AsyncExitStack() as stack:
        chats = []
        for arm in arms:
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            live = LiveSettings(Settings(language=language, llm=llm))
            chat = await build_chat(Path(folder), live, texts, clock=FakeClock(), volume=FakeVolume())
            stack.push_async_callback(chat.close)
            offered = [replace(tool, baseline=Baseline.ALL) if arm.most >= len(tools) else tool for tool in tools]
            chat.answers.answerer.exchange.tools = ToolRunner(offered, texts)
            chats.append(chat)
        for number, wanted in enumerate(requests):
            pairs = list(zip(arms, chats, strict=True))
            for arm, chat in pairs if number % 2 else pairs[::-1]:
                # Sori never offers a small model so many tools.
                usual, choice.SMALL_MOST = choice.SMALL_MOST, arm.most
                began = time.perf_counter()
                call = await first_call(chat, model, wanted.text)
                called = "" if call is None else call[0]
                choice.SMALL_MOST = usual
                arm.calls.append((wanted, called, time.perf_counter() - began))
    return arms


def _print_choices(arms: Sequence[Arm]) -> None:
    for wanted, called, _ in arms[0].calls:
        print(f"    {wanted.text} → {called or '-'} (wanted {wanted.tool or '-'})")
    for arm in arms:
        further = [each for each in arm.calls if each[0].held_out]
        usual = [each for each in arm.calls if each not in further]
        for name, some in (("further tools", further), ("usual requests", usual)):
            right = sum(wanted.tool == called for wanted, called, _ in some)
            median = statistics.median([seconds for *_, seconds in some] or [0.0])
            print(f"  {arm.name:10} {name:15} right {right} of {len(some)}, median {median:.1f} s")


if __name__ == "__main__":
    raise SystemExit(main())
