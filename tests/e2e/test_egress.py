"""No request leaves without a row: every connection of a process, seen by Python's audit hook, has one before it."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from assistant.core.records.egress import DataClass, Egress
from assistant.host.clock import SystemClock
from assistant.storage.database import Database
from assistant.storage.records.egress import EgressStore
from tests.fakes.backend_bench import KEY, KINDS, WIRES
from tests.fakes.model_server.script import RecordedRequest
from tests.fakes.model_server.server import ModelServer, Reply, ScriptedCall, serve_in_thread
from tests.fakes.pictures import drawn, encoded
from tests.fakes.weights.weights_server import WeightsServer, weights_server

ROOT = Path(__file__).parents[2]
LIMIT_S = 100.0
TOOL_ROUND = (Reply(text="", tool_calls=(ScriptedCall(name="current_time"),)), Reply(text="세 시예요."))
RESULTS = ('"role": "tool"', '"tool_result"', '"functionResponse"')
"""How the APIs mark a tool's result."""


@dataclass
class Stage:
    """A home whose providers are scripted servers, one of each kind."""

    home: Path
    weights: WeightsServer
    servers: dict[str, ModelServer] = field(default_factory=dict)

    def run(self, *commands: list[str], url: str = "", rogue: str = "") -> dict[str, Any]:
        """Run command lines in one watched process."""
        given = {"database": str(self.home / "sori.db"), "commands": commands, "url": url, "rogue": rogue}
        environment = {
            **{name: value for name, value in os.environ.items() if "proxy" not in name.lower()},
            "SORI_HOME": str(self.home),
            "SORI_MODELS": str(self.home / "models"),
            "PYTHONPATH": str(ROOT),
            "MINE_API_KEY": KEY,
        }
        program = [sys.executable, "-m", "tests.e2e.audited_session", json.dumps(given)]
        done = subprocess.run(
            program, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=LIMIT_S, check=False
        )
        assert done.returncode == 0, done.stderr
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    def rows(self) -> tuple[Egress, ...]:
        async def read() -> tuple[Egress, ...]:
            database = await Database.open(self.home / "sori.db", SystemClock())
            found = await EgressStore(database, SystemClock()).rows(local=True)
            await database.close()
            return found

        return asyncio.run(read())


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[Stage]:
    home = tmp_path / "home"
    home.mkdir()
    with ExitStack() as stack:
        stage = Stage(home, stack.enter_context(weights_server()))
        settings = 'language = "ko"\n[llm]\nmodel = "scripted-model"\n'
        for kind in KINDS:
            server = stack.enter_context(serve_in_thread(_script, wire=WIRES[kind]()))
            stage.servers[kind] = server
            settings += f'[[providers]]\nname = "{kind}"\nkind = "{kind}"\nbase_url = "{server.base_url}"\n'
            settings += 'api_key_env = "MINE_API_KEY"\n'
        (home / "config.toml").write_text(settings, encoding="utf-8")
        yield stage


def _script(request: RecordedRequest) -> Reply:
    """A tool is asked for first; once its result has come, the answer."""
    said = json.dumps(request.body)
    return TOOL_ROUND[any(word in said for word in RESULTS)]


def test_every_connection_has_a_row_before_it_and_every_request_one(stage: Stage, tmp_path: Path) -> None:
    picture = tmp_path / "a.png"
    picture.write_bytes(encoded(drawn(64, 64), "PNG"))
    stage.weights.files["a.bin"] = b"weights" * 1000
    chats = [
        ["chat", "--provider", kind, "--model", "scripted-model", "--image", str(picture), "세계 시간 이야기를 해 줘"]
        for kind in KINDS
    ]
    lists = [["providers", "--models", kind] for kind in KINDS]
    found = stage.run(*chats, *lists, ["doctor", "--online"], url=stage.weights.url("a.bin"))

    assert found["unrecorded"] == []
    assert len(found["connections"]) >= 2 * len(KINDS) + 1
    rows = stage.rows()
    for kind, server in stage.servers.items():
        mine = [row for row in rows if row.provider == kind]
        assert len(mine) == len(server.requests), kind
        assert {row.destination for row in mine} == {server.base_url[: len(mine[0].destination)]}
        answers = [row.data for row in mine if row.purpose == "answer"]
        assert (DataClass.CONVERSATION, DataClass.IMAGE) in answers
        assert (DataClass.CONVERSATION, DataClass.IMAGE, DataClass.TOOL_RESULT) in answers
        assert sum(row.purpose == "list_models" for row in mine) >= 2
    downloads = [row for row in rows if row.purpose == "download"]
    assert len(downloads) == len(stage.weights.requests)


def test_a_request_behind_the_ledgers_back_would_be_seen(stage: Stage) -> None:
    stage.weights.files["a.bin"] = b"x"
    assert stage.run(rogue=stage.weights.url("a.bin"))["unrecorded"]
