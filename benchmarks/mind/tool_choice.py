"""Share of requests for which a model chooses the right tool, or none, with the right arguments.

120 Korean and English utterances of ``tool_choice_utterances.jsonl``, half of them without a tool, go through Sori's
chat engine with the built-in tools, each in a conversation of its own. A message that names its model is never a plain
command, so this measures the model alone. A second figure includes plain commands, as in real use. Every second
utterance is held out: prompts were tuned only on the others.

The baseline alternates with it on the same server: the form in which Sori formerly asked every model (``former_form``).
It works only with the embedded server.

    python benchmarks/mind/tool_choice.py [--provider NAME/MODEL] [--home DIR] [--half tuned|held-out] [--errors]
        [--no-former]
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
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from assistant.agent.run import packets_of
from assistant.chat.commands import Intent, Recognised
from assistant.chat.turn_request import TurnRequest
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.machine.states import TurnId
from assistant.core.packets import AnswerDelta, Failure, ToolCall
from assistant.core.settings import Language, LlmSettings, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.places import Places, default_home, models_folder
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.llm.providers.local import LocalBackend
from assistant.speech.text.language import language_of
from assistant.tools.builtin.calculator import evaluate
from assistant.tools.builtin.schedule.clock import clock_tools
from assistant.tools.tool import ToolError
from benchmarks.mind import former_form
from tests.fakes.asking.served_call import served_call
from tests.fakes.clock import FakeClock
from tests.fakes.system.volume import FakeVolume

MODEL = "embedded/qwen2.5-coder-1.5b"
CHOICE_AIM, ARGUMENTS_AIM = 0.85, 0.80
LONGEST_TOKENS = 64
UTTERANCES = Path(__file__).with_name("tool_choice_utterances.jsonl")
TOOL_OF = {
    Intent.TIME: "current_time",
    Intent.DATE: "current_time",
    Intent.DAY: "current_time",
    Intent.TIMER_SET: "set_timer",
    Intent.TIMER_LIST: "list_timers",
    Intent.TIMER_CANCEL: "cancel_timers",
    Intent.VOLUME_SET: "set_volume",
    Intent.VOLUME_GET: "get_volume",
}

Call = tuple[str, dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Utterance:
    """A user's utterance, with the right tool and arguments."""

    text: str
    language: Language
    held_out: bool
    tool: str | None
    wanted: dict[str, Any]


@dataclass(slots=True)
class Arm:
    """One way of asking, and its results."""

    name: str
    answers: list[tuple[Utterance, Call | None, float]] = field(default_factory=list)

    def row(self, utterances: Sequence[Utterance]) -> tuple[float, float]:
        """Print this arm's line of the table; returns the shares of right choices and right arguments."""
        told = [each for each in self.answers if each[0] in utterances]
        chosen = [each for each in told if (each[1][0] if each[1] else None) == each[0].tool]
        called = [(said, call) for said, call, _ in chosen if call]
        right = [said for said, call in called if fits(said, call[1])]
        false = sum(1 for said, call, _ in told if call and said.tool is None)
        missed = sum(1 for said, call, _ in told if call is None and said.tool)
        choice, arguments = len(chosen) / max(1, len(told)), len(right) / max(1, len(called))
        middle = statistics.median(seconds for *_, seconds in told) if told else 0.0
        print(
            f"  {self.name:22} choice {choice:6.1%}   arguments {arguments:6.1%} of {len(called):3}"
            f"   called for nothing {false:2}   not called {missed:2}   median {middle:5.2f} s"
        )
        return choice, arguments


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if an aim is missed."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--provider", default=MODEL, help="provider or provider/model; by default the embedded one")
    parser.add_argument("--home", type=Path, default=default_home(), help="the folder with config.toml and the models")
    parser.add_argument("--half", choices=("tuned", "held-out"), help="only this half of the utterances")
    parser.add_argument("--errors", action="store_true", help="show what went wrong in the tuned half")
    parser.add_argument("--no-former", action="store_true", help="leave the former form out")
    chosen = parser.parse_args(arguments)
    utterances = [each for each in _utterances() if chosen.half is None or each.held_out == (chosen.half == "held-out")]
    os.environ.setdefault("SORI_MODELS", str(models_folder(chosen.home)))
    ours, commands, former = Arm("ours"), Arm("ours, as one meets it"), Arm("former form")
    arms = [ours, commands] if chosen.no_former else [ours, commands, former]
    for language in ("ko", "en"):
        asyncio.run(_measure(chosen, language, [each for each in utterances if each.language == language], arms))
    if chosen.errors:
        _print_errors(ours)
    return _print_table(arms, utterances)


def _print_errors(arm: Arm) -> None:
    for said, call, _ in arm.answers:
        right = (call[0] if call else None) == said.tool and (call is None or fits(said, call[1]))
        if not said.held_out and not right:
            print(f"  {said.text} → {call}, wanted {said.tool} {said.wanted}")


def _print_table(arms: Sequence[Arm], utterances: Sequence[Utterance]) -> int:
    halves = {
        "all": utterances,
        "tuned on": [each for each in utterances if not each.held_out],
        "held out": [each for each in utterances if each.held_out],
        "Korean": [each for each in utterances if each.language == "ko"],
        "English": [each for each in utterances if each.language == "en"],
    }
    shares: dict[str, tuple[float, float]] = {}
    for name, some in halves.items():
        if some:
            print(f"{name}: {len(some)} utterances")
            shares[name], *_ = [arm.row(some) for arm in arms]
    choice, right = shares["held out" if halves["held out"] else "all"]
    print(f"aims on what was held out: choice {CHOICE_AIM:.0%}, arguments {ARGUMENTS_AIM:.0%}")
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    return int(choice < CHOICE_AIM or right < ARGUMENTS_AIM)


def _utterances() -> list[Utterance]:
    rows = [json.loads(line) for line in UTTERANCES.read_text(encoding="utf-8").splitlines()]
    return [
        Utterance(
            text=row["text"],
            language="ko" if language_of(row["text"], "en") == "ko" else "en",
            held_out=bool(number % 2),
            tool=row["tool"],
            wanted={key: value for key, value in row.items() if key not in ("text", "tool")},
        )
        for number, row in enumerate(rows)
    ]


async def _measure(chosen: argparse.Namespace, language: Language, said: Sequence[Utterance], arms: list[Arm]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = _settings(chosen, language)
        chat = await build_chat(
            Path(folder), LiveSettings(settings), load_texts(language), clock=FakeClock(), volume=FakeVolume()
        )
        try:
            for utterance in said:
                await _one(chat, chosen.provider, utterance, arms)
        finally:
            await chat.close()


def _settings(chosen: argparse.Namespace, language: Language) -> Settings:
    file = Places(chosen.home).config
    own = read_settings(file) if file.exists() else Settings()
    name, _, model = chosen.provider.partition("/")
    llm = LlmSettings(
        provider=name, model=model, max_output_tokens=LONGEST_TOKENS, first_byte_timeout_s=300.0, total_timeout_s=300.0
    )
    return Settings(language=language, llm=llm, providers=own.providers, models=own.models)


async def _one(chat: Chat, reference: str, said: Utterance, arms: list[Arm]) -> None:
    ours, met, *former = arms
    began = time.perf_counter()
    call = await first_call(chat, reference, said.text)
    seconds = time.perf_counter() - began
    ours.answers.append((said, call, seconds))
    command = chat.answers.commands.recognize(said.text, said.language)
    met.answers.append((said, _as_call(command), 0.0) if command else (said, call, seconds))
    for arm in former:
        backend = chat.models.router.backend_for(chat.answers.answerer.choice.provider)
        if not isinstance(backend, LocalBackend) or chat.answers.answerer.choice.provider.base_url:
            raise SystemExit("the former form is asked of the embedded server only: give --no-former")
        began = time.perf_counter()
        reply = await former_form.ask(
            backend, said.language, said.text, chat.answers.answerer.exchange.tools.offered(), LONGEST_TOKENS
        )
        arm.answers.append((said, reply.call, time.perf_counter() - began))


async def first_call(chat: Chat, reference: str, text: str) -> Call | None:
    """The model's first call, ``None`` if it answers in words. The rest of the turn is not awaited."""
    conversation = await chat.storage.conversations.create()
    request = TurnRequest(
        turn=TurnId("1"), conversation=conversation, text=text, origin=Origin.TEXT, model=reference, aloud=True
    )
    async with aclosing(packets_of(chat.answers.engine.turn(request))) as packets:
        async for packet in packets:
            match packet:
                case ToolCall():
                    return packet.name, packet.arguments
                case AnswerDelta():
                    return None
                case Failure():
                    raise RuntimeError(packet.message)
                case _:
                    pass
    return None


def _as_call(command: Recognised) -> Call:
    """Convert a plain command to the equivalent call."""
    if command.intent is Intent.TIMER_SET:
        return "set_timer", {"seconds": command.duration_s, "name": command.name}
    if command.alarm is not None and command.alarm.said.after_s is not None:
        # A reminder in two hours does what a timer of two hours does.
        return "set_timer", {"seconds": command.alarm.said.after_s, "name": command.alarm.what}
    arguments: dict[str, Any] = {"percent": command.percent, "name": command.name, "all_timers": command.all}
    return TOOL_OF.get(command.intent, command.intent.value), arguments


def fits(said: Utterance, arguments: dict[str, Any]) -> bool:
    """Whether the arguments of the right tool match the utterance."""
    wanted = said.wanted
    try:
        match said.tool:
            case "set_timer":
                seconds = sum(
                    float(arguments.get(unit) or 0) * length
                    for unit, length in (("hours", 3600), ("minutes", 60), ("seconds", 1))
                )
                return abs(seconds - float(wanted["seconds"])) < 1 and _named(wanted, arguments)
            case "cancel_timers":
                every = bool(arguments.get("all_timers")) or not arguments.get("name")
                return every if wanted.get("all") else _named(wanted, arguments)
            case "current_time":
                return _same_zone(arguments.get("timezone"), wanted.get("timezone"))
            case "calculate":
                return abs(float(evaluate(str(arguments["expression"]))) - float(wanted["value"])) < 1e-6
            case "set_volume":
                return int(arguments["percent"]) == int(wanted["percent"])
            case _:
                return True
    except (ToolError, KeyError, TypeError, ValueError):
        return False


def _named(wanted: dict[str, Any], arguments: dict[str, Any]) -> bool:
    return str(wanted.get("name", "")).casefold() in str(arguments.get("name") or "").casefold()


def _same_zone(said: str | None, wanted: str | None) -> bool:
    if not wanted or not said:
        return not wanted and not said
    clock = FakeClock()
    (tool,) = clock_tools(clock)
    return f"{clock.now().astimezone(ZoneInfo(wanted)):%H:%M}" in _told(tool.run({"timezone": said}, served_call()))


def _told(running: Any) -> str:
    """Run a tool that never waits, and return its result."""
    try:
        running.send(None)
    except StopIteration as said:
        return str(said.value)
    return ""


if __name__ == "__main__":
    sys.exit(main())
