"""Measures what a model proposes to remember, and what the rules let through.

Each sentence names words that a remembered line must contain; a sentence without such words must leave nothing. A model
may propose only if it invents nothing: a wrong line in a memory is worse than a missing one.

Usage: python -m benchmarks.mind.remembering [--model REFERENCE] [--sentences FILE]
"""

import argparse
import asyncio
import json
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from assistant.agent.model_choice import EMBEDDED, choose_model
from assistant.agent.remembering.proposals import LONGEST_LINE, MOST_LINES, accepted, may_state_fact, scope_of
from assistant.agent.remembering.rememberer import proposal_request
from assistant.core.live_settings import LiveSettings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.places import Places, default_home, models_folder
from assistant.host.settings_file import read_settings
from assistant.host.texts import load_texts
from assistant.speech.text.language import language_of

SENTENCES = Path(__file__).with_name("remembering_sentences.jsonl")
_LIMIT_S = 120.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the measurement and print one line for each sentence and the totals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default=EMBEDDED.name, help="reference of the model")
    parser.add_argument("--sentences", type=Path, default=SENTENCES)
    chosen = parser.parse_args(arguments)
    cases = [json.loads(line) for line in chosen.sentences.read_text(encoding="utf-8").splitlines() if line.strip()]
    return asyncio.run(_measure(chosen.model, cases))


async def _measure(reference: str, cases: Sequence[dict[str, object]]) -> int:
    home = default_home()
    settings = read_settings(Places(home).config)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "models").symlink_to(models_folder(home))
        chat = await build_chat(Path(folder), LiveSettings(settings), load_texts("ko"))
        try:
            right = wrong = missed = stopped = 0
            for case in cases:
                said, wanted = str(case["said"]), [str(each) for each in case["facts"]]  # type: ignore[attr-defined]
                began = time.monotonic()
                reply = await _reply(chat, reference, said) if may_state_fact(said) else ""
                lines = accepted(reply, said)
                found = [any(word in line for line in lines) for word in wanted]
                bad = [line for line in lines if not any(word in line for word in wanted)]
                proposed = [line for line in reply.splitlines() if line.strip().startswith("-")]
                right, missed, wrong = right + sum(found), missed + found.count(False), wrong + len(bad)
                stopped += len(proposed) - len(lines)
                seconds = time.monotonic() - began
                scopes = ", ".join(scope_of(line, said) for line in lines)
                print(f"{seconds:5.1f} s  {said}\n         kept {list(lines)} [{scopes}]  reply {reply!r}")
            print(f"right {right}, missed {missed}, wrong {wrong}, stopped by the rules {stopped}")
        finally:
            await chat.close()
    return 0


async def _reply(chat: Chat, reference: str, said: str) -> str:
    choice = choose_model(chat.basis.live.current, reference)
    asked = proposal_request(choice.model, said, load_texts(language_of(said, "ko")))
    conversation = await chat.storage.conversations.create()
    aside = chat.answers.exchange.aside()
    return await aside.ask(conversation, choice, asked, MOST_LINES * LONGEST_LINE, _LIMIT_S)


if __name__ == "__main__":
    raise SystemExit(main())
