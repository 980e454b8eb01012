"""What a turn costs beside the model and the tools: from the request to the last packet, with everything stored.

The model answers at once, in the process. The database is on this disk, and a finished turn is durable, so each turn
waits for the disk. Each question is asked once, because words that were looked up before cost less. The baseline is one
durable write of the same texts into a database with one plain table, measured between the turns. Both are printed for
the first turns of a conversation and for turns after 30 others.

    python -m benchmarks.mind.turn_overhead [--turns 60]
"""

import argparse
import asyncio
import json
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from pathlib import Path

from assistant.chat.turn_request import TurnRequest
from assistant.core.live_settings import LiveSettings
from assistant.core.machine.effects import Origin
from assistant.core.packets import Done
from assistant.core.settings import LlmSettings, Provider, Settings
from assistant.engine.chat_wiring import Chat, build_chat
from assistant.host.texts import load_texts
from assistant.llm.backend import Finish, Finished, ModelDelta, ModelRequest, ProviderBackend, TextDelta, Usage

AIM_S = 0.005
_BEFORE = 30
_FOLDER = Path(__file__).parent
_ANSWER = "따뜻한 국수는 어떠세요? 비가 오는 날에 잘 어울려요."


class _Instant(ProviderBackend):
    """A backend whose model answers at once."""

    def backend_for(self, _provider: Provider) -> ProviderBackend:
        return self

    async def stream(self, provider: Provider, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        del provider, request
        for word in _ANSWER.split(" "):
            yield TextDelta(text=f"{word} ")
        yield Usage(input=100, output=10, total=110)
        yield Finished(reason=Finish.STOP)

    async def read_ahead(self, provider: Provider, compose: Callable[[], Awaitable[ModelRequest]]) -> None:
        """Nothing is read ahead."""

    async def close(self) -> None:
        """Nothing is open."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; returns 1 if the median of a turn is above the aim."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--turns", type=int, default=60)
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_measure(Path(folder), chosen.turns))


async def _measure(folder: Path, turns: int) -> int:
    settings = Settings(
        language="ko",
        llm=LlmSettings(provider="mine", model="big-model"),
        providers=(Provider(name="mine", kind="openai", base_url="http://127.0.0.1:9/v1"),),
    )
    chat = await build_chat(folder / "home", LiveSettings(settings), load_texts("ko"))
    chat.answers.answerer.exchange.router = _Instant()
    plain = _PlainDatabase(folder / "plain.db")
    conversation = await chat.storage.conversations.create()
    questions = _questions(chat)
    await _turn(chat, conversation, next(questions))
    first: list[float] = []
    baseline: list[float] = []
    for _ in range(turns):
        first.append(await _turn(chat, await chat.storage.conversations.create(), next(questions)))
        baseline.append(await asyncio.to_thread(plain.write))
    for _ in range(_BEFORE):
        await _turn(chat, conversation, next(questions))
    later: list[float] = []
    for _ in range(turns):
        later.append(await _turn(chat, conversation, next(questions)))
        baseline.append(await asyncio.to_thread(plain.write))
    await chat.close()
    plain.close()
    print(f"{'ms':>24} {'p50':>7} {'p95':>7}")
    for name, times in (("first turn", first), (f"after {_BEFORE} turns", later), ("two plain writes", baseline)):
        print(f"{name:>24} {statistics.median(times) * 1000:7.2f} {_p95(times) * 1000:7.2f}")
    worst = max(statistics.median(first), statistics.median(later))
    print(f"ratio to the plain writes: {worst / statistics.median(baseline):.2f}; aim: {AIM_S * 1000:.0f} ms a turn")
    return int(worst > AIM_S)


def _questions(chat: Chat) -> Iterator[str]:
    """Questions and requests in both languages, each once, without plain commands."""
    texts = (_FOLDER / "answer_language_prompts.txt").read_text(encoding="utf-8").splitlines()
    requests = (_FOLDER / "catalogue_requests.jsonl").read_text(encoding="utf-8").splitlines()
    for text in dict.fromkeys((*texts, *(json.loads(line)["text"] for line in requests))):
        if chat.answers.commands.recognize(text, "ko") is None:
            yield text


async def _turn(chat: Chat, conversation: str, question: str) -> float:
    request = TurnRequest(
        turn=chat.answers.engine.new_turn(), conversation=conversation, text=question, origin=Origin.TEXT, can_ask=True
    )
    begun = time.perf_counter()
    chat.answers.board.begin(request)
    packets = [emitted.packet async for emitted in chat.answers.board.follow(request.turn)]
    taken = time.perf_counter() - begun
    last = packets[-1]
    if not isinstance(last, Done) or last.finish != "complete":
        raise RuntimeError(f"the turn did not succeed: {packets}")
    return taken


class _PlainDatabase:
    """Writes question and answer durably into one table, as simply as can be."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE messages (text TEXT)")

    def write(self) -> float:
        """Write both, each in a transaction, and return the seconds."""
        begun = time.perf_counter()
        for text in (_ANSWER, _ANSWER):
            with self._connection:
                self._connection.execute("INSERT INTO messages VALUES (?)", (text,))
        return time.perf_counter() - begun

    def close(self) -> None:
        """Close the database."""
        self._connection.close()


def _p95(times: Sequence[float]) -> float:
    return sorted(times)[min(len(times) * 95 // 100, len(times) - 1)]


if __name__ == "__main__":
    sys.exit(main())
