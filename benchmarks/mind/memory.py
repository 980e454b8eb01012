"""Measures what Sori knows in a later conversation of what the user said in earlier ones.

Each case of ``memory_conversations.jsonl`` has one or more sessions. Each session is a conversation of its own. The
question comes in a new conversation, so the answer can come from a memory only. Kinds: a single fact, an update, a
time, a preference, and something that was never said. About half of the facts are said with a request to remember;
without a model that may remember by itself (``can_propose``), the other half is lost, and the score shows it.

Usage: python -m benchmarks.mind.memory [--model REFERENCE] [--kinds fact,update] [--language ko] [--held-out]
"""

import argparse
import asyncio
import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assistant.agent.model_choice import EMBEDDED
from assistant.agent.run import packets_of
from assistant.chat.turn_request import TurnRequest
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.packets import AnswerDelta, Status
from assistant.core.settings import Language
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.places import Places, default_home, models_folder
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts

CASES = Path(__file__).with_name("memory_conversations.jsonl")
HELD_OUT = Path(__file__).with_name("memory_held_out.jsonl")
"""Cases that no wording was chosen for."""
_NOT_KNOWN = {
    "ko": (
        "모르",
        "모릅",
        "알 수 없",
        "알지 못",
        "없어요",
        "없습니다",
        "말씀해 주",
        "말씀하신 적",
        "알려 주",
        "알려주",
    ),
    "en": ("know", "have no", "n't have", "not have", "no information", "not sure", "n't told", "not told", "tell me"),
}

Ask = Callable[[str, str], Awaitable[str]]
"""Sends a message to a conversation and returns the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One scripted case.

    Attributes:
        id: its name.
        language: of everything that is said.
        kind: fact, update, time, preference or unknown.
        sessions: what the user says in each earlier conversation.
        question: what the user asks in the last one.
        answer: words of which a right answer contains at least one.
        wrong: words that no right answer contains.
        unknown: whether a right answer says that Sori does not know.
    """

    id: str
    language: Language
    kind: str
    sessions: list[list[str]]
    question: str
    answer: list[str]
    wrong: list[str]
    unknown: bool


def read_cases(path: Path = CASES) -> list[Case]:
    """The cases of a file."""
    return [Case(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def is_right(case: Case, answer: str) -> bool:
    """Whether an answer is right: it has the words and no wrong ones, or says that Sori does not know."""
    said = answer.casefold()
    if any(word.casefold() in said for word in case.wrong):
        return False
    wanted = _NOT_KNOWN[case.language] if case.unknown else case.answer
    return any(word.casefold() in said for word in wanted)


async def play(case: Case, begin: Callable[[], Awaitable[str]], ask: Ask) -> str:
    """Play a case and return the answer to its question.

    Args:
        case: the case.
        begin: begins a conversation and returns its id.
        ask: sends a message.
    """
    for session in case.sessions:
        conversation = await begin()
        for said in session:
            await ask(conversation, said)
    return await ask(await begin(), case.question)


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the cases, print each answer, and print a table of the right ones."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=EMBEDDED.name, help="reference of the model")
    parser.add_argument("--kinds", default="", help="only these kinds, separated by commas")
    parser.add_argument("--language", default="", choices=["", "ko", "en"])
    parser.add_argument("--most", type=int, default=0, help="at most so many cases of each kind and language")
    parser.add_argument("--held-out", action="store_true", help="play the held-out cases instead")
    chosen = parser.parse_args(arguments)
    kinds, taken, cases = set(filter(None, chosen.kinds.split(","))), defaultdict[tuple[str, str], int](int), []
    for case in read_cases(HELD_OUT if chosen.held_out else CASES):
        taken[case.kind, case.language] += 1
        wanted = (not kinds or case.kind in kinds) and chosen.language in ("", case.language)
        if wanted and (not chosen.most or taken[case.kind, case.language] <= chosen.most):
            cases.append(case)
    asyncio.run(_measure(chosen.model, cases))
    return 0


async def _measure(reference: str, cases: Sequence[Case]) -> None:
    right = defaultdict[str, list[bool]](list)
    for language in dict.fromkeys(case.language for case in cases):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            (home / "models").symlink_to(models_folder(default_home()))
            settings = replace(read_settings(Places(default_home()).config), language=language)
            chat = await build_chat(home, LiveSettings(settings), load_texts(language))
            try:
                for case in cases:
                    if case.language == language:
                        answer = await _answer_to(chat, home, reference, case)
                        right[case.kind].append(is_right(case, answer))
                        mark = "right" if right[case.kind][-1] else "WRONG"
                        print(f"{mark}  {case.id}: {case.question} -> {' '.join(answer.split())[:160]}", flush=True)
            finally:
                await chat.close()
    for kind, results in right.items():
        print(f"{kind:12} {sum(results):3} of {len(results)}")
    everything = [each for results in right.values() for each in results]
    print(f"{'all':12} {sum(everything):3} of {len(everything)}")


async def _answer_to(chat: Chat, home: Path, reference: str, case: Case) -> str:
    """Play one case with empty memories."""
    shutil.rmtree(Places(home).personal_memory.parent, ignore_errors=True)
    shutil.rmtree(Places(home).workspaces, ignore_errors=True)

    async def begin() -> str:
        conversation = await chat.storage.conversations.create()
        await chat.storage.conversations.choose_model(conversation, reference)
        return conversation

    async def ask(conversation: str, said: str) -> str:
        turn = chat.answers.engine.new_turn()
        answer = ""
        request = TurnRequest(turn=turn, conversation=conversation, text=said, origin=Origin.TEXT)
        async for packet in packets_of(chat.answers.engine.turn(request)):
            if isinstance(packet, AnswerDelta):
                answer += packet.text
            elif isinstance(packet, Status) and packet.status == "asked_again":
                answer = ""
        await chat.answers.rememberer.remember(conversation)
        return answer

    return await play(case, begin, ask)


if __name__ == "__main__":
    raise SystemExit(main())
