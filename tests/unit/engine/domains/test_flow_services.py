"""The requests for services of guided flows, on real files."""

import json
from pathlib import Path

import pytest

from assistant.core.errors import SoriError
from assistant.core.records.flow_services import FlowServiceState
from assistant.core.service.requests.guided import flow_services as rq
from assistant.engine.domains.guided.flow_services import FlowServices
from assistant.engine.rooms.flow_services import services_of
from assistant.flows.loading.approvals import FlowApprovals
from assistant.host.places import Places
from assistant.host.texts import load_texts
from tests.fakes.clock import FakeClock
from tests.fakes.front.asking import ask


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


@pytest.fixture
def desk(places: Places) -> FlowServices:
    services = services_of(places, FakeClock())
    return FlowServices(services, FlowApprovals(places.flow_approvals), load_texts("ko"), lambda: "ko")


async def test_a_service_of_ones_own_is_made_checked_changed_and_allowed(desk: FlowServices, places: Places) -> None:
    made = await ask(desk, rq.MakeFlowService(service="orders"))
    assert (made.state, made.title, made.own, made.fault) == (FlowServiceState.ON, "orders", True, None)
    assert await ask(desk, rq.CheckFlowService(service="orders")) == ()
    logic = places.flows / "orders" / "logic.py"
    logic.write_text(f"{logic.read_text('utf-8')}\n# changed\n", "utf-8")
    listed = {each.name: each for each in await ask(desk, rq.ReloadFlowServices())}
    waiting = listed["orders"]
    assert waiting.state is FlowServiceState.WAITING
    assert waiting.fault is not None
    assert "sori flows reload orders" in waiting.fault.remedy
    files = await ask(desk, rq.ShowFlowServiceFiles(service="orders"))
    assert (files.allowed, files.changed, files.added, files.removed) == (False, ("logic.py",), (), ())
    logic.write_text(f"{logic.read_text('utf-8')}\n# changed again\n", "utf-8")
    with pytest.raises(SoriError, match="not those that were shown"):
        await ask(desk, rq.AllowFlowService(service="orders", digest=files.digest))
    files = await ask(desk, rq.ShowFlowServiceFiles(service="orders"))
    allowed = await ask(desk, rq.AllowFlowService(service="orders", digest=files.digest))
    assert allowed.state is FlowServiceState.ON
    assert "logic.py" in json.loads(places.flow_approvals.read_text("utf-8"))["orders"]


async def test_a_fault_has_the_path_of_its_file_and_words_for_the_user(desk: FlowServices, places: Places) -> None:
    await ask(desk, rq.MakeFlowService(service="orders"))
    card = places.flows / "orders" / "agents" / "chat" / "card.json"
    card.write_text("[]", "utf-8")
    await ask(desk, rq.ReloadFlowServices())
    fault, _ = sorted(await ask(desk, rq.CheckFlowService(service="orders")), key=lambda each: each.fatal)
    assert (fault.file, fault.line, fault.fatal) == (str(card), 1, False)
    assert "카드" in fault.message
    assert fault.remedy


@pytest.mark.parametrize("service", ["nothing", "../orders", "transfer", ""])
async def test_only_ones_own_service_can_be_allowed(desk: FlowServices, service: str) -> None:
    with pytest.raises(SoriError):
        await ask(desk, rq.ShowFlowServiceFiles(service=service))
    with pytest.raises(SoriError):
        await ask(desk, rq.AllowFlowService(service=service, digest=""))


@pytest.mark.parametrize("service", ["minimal", "Orders", "my-orders", "주문"])
async def test_a_name_that_cannot_be_used_is_refused_with_a_remedy(desk: FlowServices, service: str) -> None:
    with pytest.raises(SoriError) as refused:
        await ask(desk, rq.MakeFlowService(service=service))
    assert refused.value.values["remedy"]
