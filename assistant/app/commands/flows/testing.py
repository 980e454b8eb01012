"""``sori flows test``: plays the dialogues in the folder ``tests`` of a service, for those who write it.

A dialogue is a text file. A line ``> …`` is what the user says, ``model: …`` is a reply of the model to it, and all
other lines are what Sori answers. ``now: …`` and ``language: …`` before them set the time and the language. Engine and
gate are real. Sori's own tools only tell what they were called with, and nothing is kept.
"""

import asyncio
import json
import sys
import tempfile
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from assistant.core.permissions import Category, Permissions
from assistant.core.settings import Language
from assistant.core.texts import Texts
from assistant.flows.loading.approvals import FlowApprovals
from assistant.flows.loading.services import Services
from assistant.host.clock import SystemClock
from assistant.host.places import Places
from assistant.host.texts import load_texts
from assistant.llm.backend import ModelMessage
from assistant.storage.conversations import ConversationStore
from assistant.storage.database import Database
from assistant.storage.flows import FlowStore
from assistant.storage.identities import new_id
from assistant.tools.auditing import CallContext
from assistant.tools.calling import RunningCall
from assistant.tools.registry import tool_schemas
from assistant.tools.runner import ToolRunner
from assistant.tools.tool import Tool

if TYPE_CHECKING:
    from assistant.flows.manifest import Manifest, ServiceHome


@dataclass(slots=True)
class _Exchange:
    """What the user says, in which line; what Sori should answer; the replies of the model."""

    said: str
    line: int
    answer: list[str] = field(default_factory=list)
    replies: list[str] = field(default_factory=list)


def run(places: Places, texts: Texts, name: str) -> int:
    """Play all dialogues of a service; returns the exit status: 1 if one goes otherwise, or there is none."""

    async def play(folder: Path) -> int:
        clock = _StillClock()

        def home(data: Path) -> "ServiceHome":
            from assistant.flows.manifest import ServiceHome

            return ServiceHome(data=data, clock=clock)

        services = Services(places.flows, folder, FlowApprovals(places.flow_approvals), home)
        await services.load()
        found = next((each for each in services.known if each.name == name and each.manifest), None)
        if found is None or found.manifest is None:
            print(texts("cli.flows.cannot_run", name=name), file=sys.stderr)
            return 1
        database = await Database.open(folder / "sori.db", clock)
        try:
            conversations = await ConversationStore.open(database, clock)
            player = _Player(found.manifest, FlowStore(database, clock), clock, texts)
            files = await asyncio.to_thread(_dialogues, found.folder)
            differing = {path: await player.differs(files[path], await conversations.create()) for path in files}
        finally:
            await database.close()
        failed = {path: told for path, told in differing.items() if told}
        for path, told in failed.items():
            print(f"{path}:{told}")
        print(texts("cli.flows.tested", count=len(files), failed=len(failed)))
        return int(bool(failed) or not files)

    with tempfile.TemporaryDirectory(prefix="sori-flows-") as folder:
        return asyncio.run(play(Path(folder)))


def _dialogues(folder: Path) -> dict[Path, str]:
    return {path: path.read_text("utf-8") for path in sorted((folder / "tests").glob("*.txt"))}


@dataclass(frozen=True, slots=True)
class _Player:
    """Plays dialogues with one service."""

    manifest: "Manifest"
    store: FlowStore
    clock: "_StillClock"
    texts: Texts

    async def differs(self, text: str, session: str) -> str:
        """Where a dialogue first goes otherwise than it is written: its line and the words; empty if nowhere."""
        from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn
        from assistant.flows.steps import TurnSteps

        settings, exchanges = _read(text)
        self.clock.time = datetime.fromisoformat(settings["now"]).astimezone() if "now" in settings else None
        language: Language = "en" if settings.get("language") == "en" else "ko"
        words = load_texts(language)
        service = CoreOrchestrator(self.manifest, self.store, words, self.clock, new_id)
        tools = ToolRunner([_telling(name, schema) for name, schema in tool_schemas().items()], words)
        gate = self.manifest.gate(tools, Permissions(categories=frozenset(Category)), self.store, words)
        steps = TurnSteps(runner=gate, ledger=self.store, context=CallContext(conversation=session))
        for each in exchanges:
            model = _Script(each.replies)
            turn = FlowTurn(session=session, message=each.said, language=language, model=model, steps=steps)
            events = [event async for event in service.run(turn)]
            answer = str(events[-1].payload["message"])
            if answer.split() != " ".join(each.answer).split() or each.replies:
                told = self.texts("cli.flows.otherwise", said=each.said, answer=answer, replies=len(each.replies))
                return f"{each.line}: {told}"
        return ""


def _read(text: str) -> tuple[dict[str, str], list[_Exchange]]:
    settings: dict[str, str] = {}
    exchanges: list[_Exchange] = []
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        key, _, value = line.partition(":")
        if line.startswith(">"):
            exchanges.append(_Exchange(line[1:].strip(), number))
        elif not line or line.startswith("#"):
            continue
        elif not exchanges:
            settings[key] = value.strip()
        elif key == "model":
            exchanges[-1].replies.append(value.strip())
        else:
            exchanges[-1].answer.append(line)
    return settings, exchanges


def _telling(name: str, schema: dict[str, Any]) -> Tool:
    """A tool with the name and the arguments of one of Sori's, which only tells its call."""

    async def run(arguments: dict[str, Any], _: RunningCall) -> str:
        return f"{name} {json.dumps(arguments, ensure_ascii=False)}"

    return Tool(name=name, description=name, parameters=schema, category=Category.SAFE, idempotent=True, run=run)


class _StillClock(SystemClock):
    """The computer's clock, or one that stands at ``time``."""

    time: datetime | None = None

    @override
    def now(self) -> datetime:
        return self.time or super().now()


class _Script:
    """Implements ``FlowModel`` by written replies. One that is not written is an exception, which a check shows."""

    def __init__(self, replies: list[str]) -> None:
        self._replies = replies

    async def complete(
        self,
        system: str,  # noqa: ARG002
        messages: Sequence[ModelMessage],
        *,
        language: Language,  # noqa: ARG002
        schema: dict[str, Any] | None = None,  # noqa: ARG002
        purpose: str,  # noqa: ARG002
    ) -> str:
        if not self._replies:
            raise RuntimeError(f"no reply of the model is written for {messages[-1].text!r}")
        return self._replies.pop(0)

    async def stream(
        self, system: str, messages: Sequence[ModelMessage], *, language: Language, purpose: str
    ) -> AsyncIterator[str]:
        yield await self.complete(system, messages, language=language, purpose=purpose)
