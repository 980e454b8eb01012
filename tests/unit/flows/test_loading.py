"""Services from files: made from the template, allowed, loaded, changed, and broken in every way."""

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.records.flow_services import FlowServiceState
from assistant.flows.events import EventType
from assistant.flows.loading.approvals import FileChanges, FlowApprovals
from assistant.flows.loading.faults import ServiceFaultError
from assistant.flows.loading.services import KnownService, Services, UnknownServiceError
from assistant.flows.loading.template import TEMPLATES
from assistant.flows.manifest import Manifest, ServiceHome
from assistant.flows.orchestrator import CoreOrchestrator, FlowTurn
from assistant.flows.steps import TurnSteps
from assistant.host.places import PROJECT, Places
from assistant.host.texts import load_texts
from assistant.storage.identities import new_id
from assistant.tools.auditing import CallContext
from assistant.tools.runner import ToolRunner
from tests.fakes.clock import FakeClock
from tests.fakes.flows.model import ScriptedModel
from tests.fakes.flows.stores import MemoryStore

TEXTS = load_texts("ko")
BUILT_IN = PROJECT / "assistant" / "flows" / "services"


class Shelf:
    """The services of a user."""

    def __init__(self, home: Path) -> None:
        self.places = Places(home)
        self.approvals = FlowApprovals(self.places.flow_approvals)
        built_in = home / "built-in"  # The templates alone, so that a test loads no other service.
        for each in TEMPLATES:
            shutil.copytree(BUILT_IN / each, built_in / each, ignore=shutil.ignore_patterns("__pycache__"))
        self.services = self.with_built_in(built_in)
        self.told: list[tuple[str, bool]] = []
        self.services.changed.add(lambda name, manifest: self.told.append((name, manifest is not None)))

    def with_built_in(self, built_in: Path) -> Services:
        def home(data: Path) -> ServiceHome:
            return ServiceHome(data=data, clock=FakeClock())

        return Services(self.places.flows, self.places.flow_data, self.approvals, home, built_in)

    def edit(self, name: str, file: str, change: Callable[[str], str]) -> int:
        """Change a file of a service; returns the first line that differs."""
        path = self.places.flows / name / file
        before = path.read_text("utf-8") if path.exists() else ""
        after = change(before)
        path.write_text(after, "utf-8")
        lines = zip([*before.splitlines(), ""], [*after.splitlines(), ""], strict=False)
        return next((number for number, (old, new) in enumerate(lines, start=1) if old != new), 0)

    async def allow(self, name: str) -> KnownService:
        return await self.services.allow(self.services.offer(name))

    def known(self, name: str) -> KnownService:
        (found,) = (each for each in self.services.known if each.name == name and each.own)
        return found


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


async def talk(manifest: Manifest, *said: tuple[str, list[str | Exception]]) -> list[str]:
    store, model = MemoryStore(), ScriptedModel([])
    orchestrator = CoreOrchestrator(manifest, store, TEXTS, FakeClock(), new_id)
    steps = TurnSteps(runner=ToolRunner([], TEXTS), ledger=store, context=CallContext(conversation="s"))
    answers = []
    for text, replies in said:
        model.replies = replies
        turn = FlowTurn(session="s", message=text, language="ko", model=model, steps=steps)
        events = [event async for event in orchestrator.run(turn)]
        assert events[-1].event is EventType.DONE
        answers.append(events[-1].payload["message"])
    return answers


async def test_a_service_is_made_from_the_template_and_talks(shelf: Shelf) -> None:
    made = await shelf.services.make("my_orders")
    assert (made.state, made.fault) == (FlowServiceState.ON, None)
    assert made.manifest is not None
    assert made.manifest.wants("My orders 시작해 줘.")
    assert not made.manifest.wants("내 주문 시작해 줘")
    answers = await talk(made.manifest, ("my orders 시작", []), ("안녕", ["안녕하세요."]), ("그만", []))
    assert answers == ["무엇이든 말씀해 보세요. 끝내려면 “그만”이라고 하세요.", "안녕하세요.", "대화를 마칠게요."]
    assert await shelf.services.check("my_orders") == ()
    assert shelf.told == [("my_orders", True)]
    assert (shelf.places.flow_data / "my_orders").is_dir()


@pytest.mark.parametrize("name", ["Orders", "1st", "class", "주문", "a b", "../x", "", "minimal", "form"])
async def test_a_name_that_cannot_be_used_makes_nothing(shelf: Shelf, name: str) -> None:
    with pytest.raises(ServiceFaultError):
        await shelf.services.make(name)
    assert not shelf.places.flows.exists()


async def test_nothing_of_a_service_runs_that_the_user_has_not_allowed(shelf: Shelf) -> None:
    await shelf.services.make("orders")
    mark = shelf.places.home / "it-ran"
    shelf.edit("orders", "manifest.py", lambda text: f"{text}\nopen({str(mark)!r}, 'w').close()\n")
    await shelf.services.load()
    await shelf.services.check("orders")
    known = shelf.known("orders")
    assert (known.state, known.manifest) == (FlowServiceState.WAITING, None)
    assert known.fault is not None
    assert known.fault.key == "changed"
    assert not mark.exists()
    assert shelf.approvals.changes(shelf.services.offer("orders")) == FileChanges(changed=("manifest.py",))
    assert (await shelf.allow("orders")).state is FlowServiceState.ON
    assert mark.exists()
    assert shelf.told == [("orders", True), ("orders", False), ("orders", True)]


async def test_files_that_nobody_allowed_are_not_imported_by_those_that_are(shelf: Shelf) -> None:
    await shelf.services.make("orders")
    offered = shelf.services.offer("orders")
    shelf.edit("orders", "later.py", lambda _: "x = 1")
    shelf.edit("orders", "manifest.py", lambda text: f"import sori_flows.orders.later\n{text}")
    assert (await shelf.services.allow(offered)).state is FlowServiceState.WAITING
    assert "sori_flows.orders.later" not in sys.modules


async def test_a_reload_replaces_the_code_and_imports_of_both_kinds_work(shelf: Shelf) -> None:
    await shelf.services.make("orders")
    shelf.edit("orders", "extra.py", lambda _: 'WORDS = "새 글이에요."')
    shelf.edit(
        "orders",
        "messages.py",
        lambda text: text.replace('"대화를 마칠게요."', "WORDS").replace(
            "from assistant.flows.messages", "from sori_flows.orders.extra import WORDS\nfrom assistant.flows.messages"
        ),
    )
    shelf.edit("orders", "manifest.py", lambda text: text.replace("sori_flows.orders.logic", ".logic"))
    path = list(sys.path)
    manifest = (await shelf.allow("orders")).manifest
    assert manifest is not None
    assert manifest.messages("ko", "ended") == "새 글이에요."
    assert sys.path == path


async def test_a_service_that_is_gone_is_no_longer_used(shelf: Shelf) -> None:
    await shelf.services.make("orders")
    (shelf.places.flows / "orders").rename(shelf.places.home / "elsewhere")
    await shelf.services.load()
    assert shelf.told[-1] == ("orders", False)
    with pytest.raises(UnknownServiceError):
        shelf.services.offer("orders")


def replaced(before: str, after: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        assert before in text
        return text.replace(before, after)

    return change


HANDLER_WITHOUT_DONE = """
from assistant.flows.handler import BaseFlowHandler
class BadHandler(BaseFlowHandler):
    async def run(self, context):
        if False:
            yield None
"""
BROKEN: dict[str, tuple[str, Callable[[str], str], str]] = {
    "no YAML": ("project.yaml", replaced("titles:", "titles: ["), "project_yaml"),
    "not UTF-8": ("project.yaml", replaced("version: 1.0.0", "version: 1.0.0\n- x"), "project_yaml"),
    "an unknown entry": ("project.yaml", replaced("version", "verison"), "project_unknown"),
    "no Korean title": ("project.yaml", replaced("  ko: bad\n", ""), "project_title"),
    "another name": ("project.yaml", replaced("name: bad", "name: good"), "project_name"),
    "no path of a class": ("project.yaml", replaced("flows.router.BadRouter", "BadRouter"), "project_class"),
    "a class that is missing": ("project.yaml", replaced("router.BadRouter", "router.OtherRouter"), "no_class"),
    "an agent without a folder": ("project.yaml", replaced("  - chat", "  - chat\n  - other"), "no_agent_file"),
    "a syntax error": ("logic.py", replaced("def wants(", "def wants(("), "syntax"),
    "an exception": ("logic.py", replaced("from typing import Final\n", "from typing import Final\n1 / 0\n"), "failed"),
    "a module that is missing": (
        "logic.py",
        replaced("from typing import Final\n", "from typing import Final\nimport no_such_module\n"),
        "failed",
    ),
    "an end of the process": (
        "logic.py",
        replaced("from typing import Final\n", "from typing import Final\nraise SystemExit\n"),
        "failed",
    ),
    "a text in one language": (
        "messages.py",
        replaced('        "ended": "That is the end of it.",\n', ""),
        "lone_text",
    ),
    "other placeholders": ("messages.py", replaced("That is the end of it.", "{name}"), "failed"),
    "no end of a turn": ("flows/handlers.py", lambda _: HANDLER_WITHOUT_DONE, "no_done"),
    "a DONE of its own": (
        "flows/handlers.py",
        lambda text: f"{text}\n\ndef end():\n    return FlowEvent(EventType.DONE, {{}})\n",
        "hand_made_done",
    ),
    "no manifest": ("manifest.py", replaced("def manifest(", "def manifesto("), "no_manifest"),
    "a manifest that raises": (
        "manifest.py",
        replaced("    return Manifest(", "    raise OSError\n    return M("),
        "failed",
    ),
    "a router to nowhere": ("flows/router.py", replaced('"CHAT": "chat"', '"CHAT": "talk"'), "failed"),
    "another agent": ("manifest.py", replaced('"chat": BadChat}', '"talk": BadChat}'), "differs"),
    "another title": ("logic.py", replaced('"en": "bad"', '"en": "worse"'), "differs"),
}


@pytest.mark.parametrize(("file", "change", "key"), BROKEN.values(), ids=BROKEN)
async def test_a_broken_service_is_off_with_its_file_and_line_and_the_others_run(
    shelf: Shelf, file: str, change: Callable[[str], str], key: str
) -> None:
    await shelf.services.make("bad")
    await shelf.services.make("good")
    shelf.edit("bad", file, change)
    broken = await shelf.allow("bad")
    await shelf.services.load()
    assert (broken.state, broken.manifest) == (FlowServiceState.OFF, None)
    assert broken.fault is not None
    assert broken.fault.key == key
    assert broken.fault.file.endswith((".py", ".yaml"))
    assert shelf.known("good").state is FlowServiceState.ON
    for language in ("ko", "en"):
        texts = load_texts(language)
        assert texts(f"flow_service.fault.{key}", **broken.fault.values)
        assert texts(f"flow_service.remedy.{key}", **broken.fault.values)


@pytest.mark.parametrize(
    ("case", "line_of"),
    [
        ("an unknown entry", "verison"),
        ("a class that is missing", "OtherRouter"),
        ("a syntax error", "wants(("),
        ("an exception", "1 / 0"),
        ("a module that is missing", "no_such_module"),
        ("no end of a turn", "class BadHandler"),
        ("a DONE of its own", "EventType.DONE, {}"),
        ("a manifest that raises", "raise OSError"),
        ("another title", "titles:"),
    ],
)
async def test_the_line_of_a_fault_is_the_one_that_is_wrong(shelf: Shelf, case: str, line_of: str) -> None:
    file, change, _ = BROKEN[case]
    await shelf.services.make("bad")
    shelf.edit("bad", file, change)
    fault = (await shelf.allow("bad")).fault
    assert fault is not None
    lines = (shelf.places.flows / "bad" / fault.file).read_text("utf-8").splitlines()
    assert line_of in lines[fault.line - 1]


@pytest.mark.parametrize("file", ["project.yaml", "manifest.py", "messages.py", "state/models.py", "flows/router.py"])
async def test_a_file_that_is_missing_is_named(shelf: Shelf, file: str) -> None:
    await shelf.services.make("bad")
    (shelf.places.flows / "bad" / file).unlink()
    fault = (await shelf.allow("bad")).fault
    assert fault is not None
    assert (fault.key, fault.file) == ("no_file", file)


async def test_a_service_with_the_name_of_one_of_sori_is_off_and_that_one_stays(shelf: Shelf) -> None:
    await shelf.services.make("orders")
    (shelf.places.flows / "orders").rename(shelf.places.flows / "minimal")
    await shelf.services.load()
    fault = shelf.known("minimal").fault
    assert fault is not None
    assert fault.key == "taken"
    assert [each.state for each in shelf.services.known if not each.own and each.name == "minimal"] == ["template"]


async def test_a_link_is_no_file_of_a_service(shelf: Shelf) -> None:
    await shelf.services.make("orders")
    (shelf.places.flows / "orders" / "more.py").symlink_to("/etc/hostname")
    await shelf.services.load()
    fault = shelf.known("orders").fault
    assert fault is not None
    assert (fault.key, fault.file) == ("link", "more.py")


async def test_a_service_that_hangs_is_off(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.flows.loading.services._LONGEST_LOAD_S", 0.05)
    await shelf.services.make("good")
    await shelf.services.make("bad")
    shelf.edit("bad", "logic.py", lambda text: f"import time\ntime.sleep(0.3)\n{text}")
    fault = (await shelf.allow("bad")).fault
    assert fault is not None
    assert fault.key == "too_slow"


async def test_a_damaged_file_of_approvals_allows_nothing(shelf: Shelf) -> None:
    await shelf.services.make("orders")
    shelf.places.flow_approvals.write_text("{")
    await shelf.services.load()
    assert shelf.known("orders").state is FlowServiceState.WAITING


CHECKED: dict[str, tuple[str, Callable[[str], str], str]] = {
    "an agent without a card": ("agents/chat/card.json", lambda _: "{}", "bad_card"),
    "a card that is no JSON": ("agents/chat/card.json", lambda _: "{", "bad_card"),
    "a Korean text in a handler": (
        "flows/handlers.py",
        replaced('self._say(context, "begun")', '"시작할게요"'),
        "literal",
    ),
    "an English text in a handler": ("flows/handlers.py", replaced('self._say(context, "ended")', '"Bye"'), "literal"),
    "a text with a value": (
        "flows/handlers.py",
        replaced('self._say(context, "ended")', 'f"{context.now}!"'),
        "literal",
    ),
    "a label": ("flows/handlers.py", replaced('self._say(context, "label_chat")', '"writing"'), "literal"),
    "the user's message by hand": (
        "agents/chat/agent.py",
        replaced("stage: {context.state.stage}", "{context.user_message}"),
        "added_message",
    ),
    "another service": (
        "flows/router.py",
        replaced("\n\nclass", "\nfrom sori_flows.other.logic import wants\n\nclass"),
        "other_service",
    ),
    "a service of Sori": (
        "flows/router.py",
        replaced("\n\nclass", "\nimport assistant.flows.services.transfer.logic\n\nclass"),
        "other_service",
    ),
    "a hook that nobody handles": (
        "flows/handlers.py",
        replaced('"ended"))', '"ended"), hooks=[{"type": "ended", "data": {}}])'),
        "no_hook_handler",
    ),
}


@pytest.mark.parametrize(("file", "change", "key"), CHECKED.values(), ids=CHECKED)
async def test_a_check_names_what_is_missing_with_its_file(
    shelf: Shelf, file: str, change: Callable[[str], str], key: str
) -> None:
    await shelf.services.make("orders")
    line = shelf.edit("orders", file, change)
    faults = [each for each in await shelf.services.check("orders") if each.key != "changed"]
    assert [(each.key, each.file, each.fatal) for each in faults] == [(key, file, False)]
    if file.endswith(".py"):
        assert abs(faults[0].line - line) <= 1
    assert load_texts("en")(f"flow_service.fault.{key}", **faults[0].values)


async def test_a_handler_to_which_no_scenario_leads_is_named(shelf: Shelf) -> None:
    await shelf.services.make("orders")
    line = shelf.edit("orders", "project.yaml", lambda text: f"{text}  lost: flows.handlers.OrdersHandler\n")
    shelf.edit(
        "orders", "manifest.py", replaced('{"chat": OrdersHandler}', '{"chat": OrdersHandler, "lost": OrdersHandler}')
    )
    await shelf.allow("orders")
    (fault,) = await shelf.services.check("orders")
    assert (fault.key, fault.file, fault.line) == ("no_route", "project.yaml", line)


async def test_the_services_of_sori_keep_the_rules(shelf: Shelf) -> None:
    services = shelf.with_built_in(BUILT_IN)
    await services.load()
    states = {each.name: (each.state, each.fault) for each in services.known}
    assert [states.pop(each) for each in ("minimal", "form")] == [(FlowServiceState.TEMPLATE, None)] * 2
    assert states == dict.fromkeys(states, (FlowServiceState.ON, None))
    for each in services.known:
        assert (each.name, await services.check(each.name)) == (each.name, ())


def test_the_approvals_keep_the_digest_of_each_file(shelf: Shelf) -> None:
    folder = shelf.places.flows / "orders"
    folder.mkdir(parents=True)
    (folder / "a.py").write_text("1")
    (folder / ".hidden").write_text("1")
    shelf.approvals.allow(shelf.services.offer("orders"))
    assert list(json.loads(shelf.places.flow_approvals.read_text())["orders"]) == ["a.py"]
