"""An engine in a process of its own that is killed at any instant, and what must be true afterwards.

The process talks with a scripted model: questions, notes by a tool, timers and facts on request, facts that the model
proposes. It reports what was acknowledged through a pipe. ``check`` compares the folder with these reports.
"""

import contextlib
import itertools
import json
import os
import queue
import re
import select
import signal
import sqlite3
import sys
import time
import tomllib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.core import packets as pk
from assistant.core import updates as up
from assistant.core.messages import Role
from assistant.core.service.events import Delivery
from assistant.core.service.requests.conversations import FollowConversation
from assistant.core.service.requests.turns import BeginTurn
from assistant.engine.thread import EngineThread
from assistant.host.places import Places
from tests.e2e.conversation.running_engine import TEXTS, settings_for
from tests.fakes.model_server.script import RecordedRequest, Reply, ScriptedCall
from tests.fakes.model_server.server import serve_in_thread
from tests.fakes.sound.portaudio import FakePortAudio

PERSONA = "차분하게 답한다.\n" * 200
_KINDS = ("질문", "메모", "사실", "이야기", "타이머")
_LIMIT_S = 60.0


@dataclass(slots=True)
class Acknowledged:
    """What an engine has told its user so far.

    Attributes:
        questions: texts of stored messages by id.
        answers: whole texts of finished answers.
        notes: texts of saved notes by title.
        facts: facts that were told as remembered.
        timers: ids of timers that were shown.
    """

    questions: dict[str, str] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)
    facts: list[str] = field(default_factory=list)
    timers: set[str] = field(default_factory=set)

    def take(self, report: dict[str, Any]) -> None:
        """Add one report of the process."""
        match report:
            case {"question": identity, "text": text}:
                self.questions[identity] = text
            case {"answer": text}:
                self.answers.append(text)
            case {"note": title, "text": text}:
                self.notes[title] = text
            case {"fact": text}:
                self.facts.append(text)
            case {"timer": identity}:
                self.timers.add(identity)

    def __str__(self) -> str:
        kinds = {"questions": self.questions, "answers": self.answers, "notes": self.notes, "facts": self.facts}
        return ", ".join(f"{len(each)} {name}" for name, each in {**kinds, "timers": self.timers}.items())

    @property
    def count(self) -> int:
        """How many things were acknowledged."""
        return len(self.questions) + len(self.answers) + len(self.notes) + len(self.facts) + len(self.timers)


def note_text(number: str) -> str:
    """The text of the note with a number: long enough that it is not written at once."""
    return f"메모 {number}의 내용입니다.\n" * 300


def reply_to(request: RecordedRequest) -> Reply:
    """What the scripted model says."""
    messages = request.body["messages"]
    said = str(messages[-1]["content"])
    number = (re.findall(r"\d+", said) or ["0"])[-1]
    if messages[-1]["role"] == "tool":
        return Reply(text="저장했어요.")
    if not request.body.get("tools"):
        return Reply(text=f"- 나는 대구 {number}동에 살아")
    if "메모" in said:
        arguments = json.dumps({"title": f"메모 {number}", "text": note_text(number)}, ensure_ascii=False)
        return Reply(text="", tool_calls=(ScriptedCall(name="create_note", arguments=arguments, id=f"call_{number}"),))
    return Reply(text=f"답 {number}: " + "그렇군요. " * 20, tokens_per_second=400)


def request_of(number: int) -> str:
    """The user's message with a number."""
    match _KINDS[number % len(_KINDS)]:
        case "메모":
            return f"회의 내용을 메모 {number}로 저장해 줘"
        case "사실":
            return f"내 사물함 {number}의 색은 파랑 {number}이라고 기억해 줘"
        case "이야기":
            return f"나는 대구 {number}동에 살아"
        case "타이머":
            return f"{number % 50 + 5}분 타이머 맞춰 줘"
        case _:
            return f"오늘 기분이 어떤지 {number}번 말해 줄래"


class Reporter:
    """Reports the engine's acknowledgements to the process that will kill it.

    Args:
        pipe: file descriptor to write to.
    """

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self._texts: dict[str, str] = {}
        self._calls: dict[str, dict[str, Any]] = {}
        self._timers: set[str] = set()
        self.over: queue.Queue[str] = queue.Queue()

    def report(self, **values: Any) -> None:
        """Write one report. A line is shorter than what a pipe takes at once."""
        os.write(self._pipe, (json.dumps(values, ensure_ascii=False) + "\n").encode())

    def take(self, delivery: Delivery) -> None:
        """Take an event of the engine."""
        match delivery.event:
            case up.MessageAdded(message=message) if message.role is Role.USER:
                self.report(question=message.id, text=message.text)
            case up.MemoryChanged(change=change) if not change.removed:
                self.report(fact=change.text)
            case up.TimersChanged(timers=timers):
                for timer in timers:
                    if timer.id not in self._timers:
                        self._timers.add(timer.id)
                        self.report(timer=timer.id)
            case up.PacketEmitted(turn=turn, packet=packet):
                self._take_packet(turn, packet)
            case _:
                pass

    def _take_packet(self, turn: str, packet: pk.Packet) -> None:
        match packet:
            case pk.AnswerDelta(text=text):
                self._texts[turn] = self._texts.get(turn, "") + text
            case pk.ToolCall(id=identity, arguments=arguments):
                self._calls[identity] = dict(arguments)
                # The text after a tool is a message of its own.
                self._texts.pop(turn, None)
            case pk.ToolResult(id=identity, name="create_note", is_error=False):
                called = self._calls[identity]
                self.report(note=called["title"], text=called["text"][:40])
            case pk.Done(finish=finish):
                if finish != "failed" and turn in self._texts:
                    self.report(answer=self._texts[turn])
                self.over.put(turn)
            case _:
                pass


def converse(home: Path, base_url: str, pipe: int, first: int, at_call: tuple[str, int] | None) -> None:
    """Talk until the process is killed.

    Args:
        home: the user's folder.
        base_url: address of the scripted model.
        pipe: file descriptor for the reports.
        first: number of the first message.
        at_call: the call that kills the process, counted from the first conversation.
    """
    sys.modules["sounddevice"] = FakePortAudio([]).module()
    reporter = Reporter(pipe)
    engine = EngineThread(home, settings_for(base_url), TEXTS)
    connection = engine.connect(reporter.take, name="test")
    opened: queue.Queue[Any] = queue.Queue()
    connection.ask(FollowConversation(), opened.put)
    engine.start()
    conversation = opened.get(timeout=_LIMIT_S).conversation
    if at_call is not None:
        kill_at_call(*at_call)
    reporter.report(ready=True)
    for number in itertools.count(first):
        turn = connection.new_turn()
        begin = BeginTurn(turn=turn, conversation=conversation, text=request_of(number))
        connection.ask(begin, lambda _: None)
        reporter.over.get(timeout=_LIMIT_S)


@contextmanager
def model_in_a_process() -> Iterator[str]:
    """Serve the scripted model in a process of its own, so that this one has a single thread and may fork."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with serve_in_thread(reply_to) as server:
            os.write(writing, server.base_url.encode())
            os.close(writing)
            signal.pause()
        os._exit(0)
    os.close(writing)
    try:
        with os.fdopen(reading) as answer:
            yield answer.read()
    finally:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def kill_at_call(name: str, number: int) -> None:
    """Kill this process at the call with a number, before it of ``fsync`` and after it of ``rename``."""
    counted = itertools.count(1)

    def kill_if_due() -> None:
        if next(counted) == number:
            os.kill(os.getpid(), signal.SIGKILL)

    fsync, rename = os.fsync, Path.replace

    def dying_fsync(descriptor: int) -> None:
        kill_if_due()
        fsync(descriptor)

    def dying_rename(path: Path, target: Path) -> Path:
        moved = rename(path, target)
        kill_if_due()
        return moved

    if name == "fsync":
        os.fsync = dying_fsync  # type: ignore[assignment]
    else:
        Path.replace = dying_rename  # type: ignore[assignment, method-assign]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """When a process is killed.

    Attributes:
        first: number of its first message.
        after_s: seconds from its first conversation to the kill.
        at_call: ``fsync`` or ``rename`` and the number of the call at which it dies earlier; ``None`` for no such call.
    """

    first: int
    after_s: float
    at_call: tuple[str, int] | None


def talk_and_die(home: Path, base_url: str, acknowledged: Acknowledged, kill: Kill) -> None:
    """Start an engine in a new process, kill it, and collect what it acknowledged.

    Args:
        home: the user's folder.
        base_url: address of the scripted model.
        acknowledged: takes the reports.
        kill: when it is killed.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.close(reading)
            converse(home, base_url, writing, kill.first, kill.at_call)
        os._exit(1)
    os.close(writing)
    buffer = b""
    deadline = time.monotonic() + _LIMIT_S
    ready = False
    while (left := deadline - time.monotonic()) > 0 and select.select([reading], [], [], left)[0]:
        piece = os.read(reading, 65536)
        if not piece:
            break
        buffer += piece
        if not ready and b'"ready"' in buffer:
            ready, deadline = True, time.monotonic() + kill.after_s
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    while piece := os.read(reading, 65536):
        buffer += piece
    os.close(reading)
    if not os.WIFSIGNALED(status):
        raise AssertionError(f"the engine ended by itself: {status}")
    for line in buffer.split(b"\n")[:-1]:
        acknowledged.take(json.loads(line))


def faults(home: Path, acknowledged: Acknowledged) -> list[str]:
    """What is lost, half written or damaged in the folder of a killed engine; empty if nothing is."""
    places = Places(home)
    return [
        *_database_faults(places.database, acknowledged),
        *_note_faults(places.notes, acknowledged),
        *_memory_faults(places, acknowledged),
        *_settings_faults(places),
    ]


def _database_faults(path: Path, acknowledged: Acknowledged) -> Iterator[str]:
    with closing(sqlite3.connect(path)) as database:
        for check, good in (("integrity_check", [("ok",)]), ("foreign_key_check", [])):
            found = database.execute(f"PRAGMA {check}").fetchall()
            if found != good:
                yield f"{check}: {found[:3]}"
        texts = dict(database.execute("SELECT id, text FROM messages").fetchall())
        timers = {row[0] for row in database.execute("SELECT id FROM timers")}
        done = [row[0] for row in database.execute("SELECT arguments FROM audit WHERE outcome = 'done'")]
    yield from (f"question {text!r} is lost" for key, text in acknowledged.questions.items() if texts.get(key) != text)
    stored = set(texts.values())
    yield from (f"answer {text[:20]!r} is lost" for text in acknowledged.answers if text.strip() not in _plain(stored))
    yield from (f"timer {each} is lost" for each in acknowledged.timers - timers)
    for title in acknowledged.notes:
        if not any(title in arguments for arguments in done):
            yield f"the call that made {title!r} is not in the audit log"


def _plain(texts: set[str]) -> set[str]:
    return {text.strip() for text in texts}


def _note_faults(folder: Path, acknowledged: Acknowledged) -> Iterator[str]:
    for title in acknowledged.notes:
        if not (folder / f"{title}.md").is_file():
            yield f"note {title!r} is lost"
    for path in folder.glob("*.md") if folder.is_dir() else ():
        number = path.stem.rpartition(" ")[2]
        if path.read_text(encoding="utf-8") != note_text(number):
            yield f"{path.name} is not whole"


def _memory_faults(places: Places, acknowledged: Acknowledged) -> Iterator[str]:
    files = [places.personal_memory, *places.workspaces.rglob("memory.md")]
    lines = [line for path in files if path.is_file() for line in path.read_text(encoding="utf-8").splitlines()]
    yield from (f"memory line {line!r} is not whole" for line in lines if line and not line.startswith("- "))
    # A later fact of the same attribute replaces an earlier one, which is no loss.
    newest = {re.sub(r"\d+", "", fact): fact for fact in acknowledged.facts}
    yield from (f"fact {fact!r} is lost" for fact in newest.values() if not any(fact in line for line in lines))


def _settings_faults(places: Places) -> Iterator[str]:
    for path in [*places.workspaces.rglob("*.toml"), *places.home.glob("*.toml")]:
        try:
            tomllib.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            yield f"{path.name}: {error}"
    for path in places.workspaces.rglob("persona.md"):
        if path.read_text(encoding="utf-8") not in {PERSONA, ""}:
            yield f"{path} is not whole"
