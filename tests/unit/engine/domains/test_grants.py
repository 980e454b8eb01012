"""What was allowed is listed and taken back: for good in its file, and in the conversation where it was allowed."""

from collections import defaultdict
from pathlib import Path

import pytest

from assistant.core.errors import ErrorCode, SoriError
from assistant.core.service.grant import Grant
from assistant.core.service.request import Right
from assistant.core.service.requests.grants import ForgetGrants, ListGrants, SwitchTools
from assistant.engine.domains.grants import LastingDecisions
from assistant.tools.grants import GrantFile, GrantScope
from tests.fakes.front.asking import ask


@pytest.fixture
def granted() -> defaultdict[str, set[str]]:
    return defaultdict(set)


@pytest.fixture
def domain(tmp_path: Path, granted: defaultdict[str, set[str]]) -> LastingDecisions:
    file = GrantFile(tmp_path / "grants.json")
    file.add(GrantScope(kind="server", name="web"))
    granted["a"] |= {"conversation:run_command", "conversation:write_file"}
    granted["b"] |= {"conversation:run_command"}
    return LastingDecisions(file, lambda: ("set_timer", "mcp_web_read"), lambda conversation: granted[conversation])


async def test_tools_are_switched_off_and_on_and_stay_so(domain: LastingDecisions, tmp_path: Path) -> None:
    off = await ask(domain, SwitchTools(tools=("mcp_web_read", "set_timer"), on=False))
    assert off.off == ("mcp_web_read", "set_timer")
    kept = LastingDecisions(GrantFile(tmp_path / "grants.json"), tuple)  # After a restart, and its server has gone.
    assert (await ask(kept, ListGrants())).off == off.off
    assert (await ask(kept, SwitchTools(tools=("mcp_web_read",), on=True))).off == ("set_timer",)
    with pytest.raises(SoriError):
        await ask(domain, SwitchTools(tools=("set_timer", "set_tmer"), on=True))
    assert (await ask(domain, ListGrants())).off == ("set_timer",)


async def test_each_conversation_lists_its_own(domain: LastingDecisions) -> None:
    here = {each: (await ask(domain, ListGrants(conversation=each))).here for each in ("", "a", "b", "c")}
    run, write = "conversation:run_command", "conversation:write_file"
    assert here == {"": (), "a": (run, write), "b": (run,), "c": ()}


async def test_what_is_taken_back_in_one_conversation_stays_in_the_others(
    domain: LastingDecisions, granted: defaultdict[str, set[str]]
) -> None:
    left = await ask(domain, ForgetGrants(keys=("conversation:run_command", "server:web"), conversation="a"))
    assert (left.here, left.always) == (("conversation:write_file",), ())
    assert granted["b"] == {"conversation:run_command"}


@pytest.mark.parametrize("conversation", ["", "c"])
async def test_what_was_not_allowed_there_is_refused_and_nothing_changes(
    domain: LastingDecisions, granted: defaultdict[str, set[str]], conversation: str
) -> None:
    with pytest.raises(SoriError):
        await ask(domain, ForgetGrants(keys=("server:web", "conversation:run_command"), conversation=conversation))
    assert (await ask(domain, ListGrants())).always == ("server:web",)
    assert granted["b"] == {"conversation:run_command"}


async def test_a_token_without_the_right_sees_and_changes_nothing(domain: LastingDecisions) -> None:
    grant = Grant(rights=frozenset(Right) - {Right.OWN})
    for request in (ListGrants(conversation="a"), ForgetGrants(keys=("server:web",))):
        with pytest.raises(SoriError) as raised:
            await ask(domain, request, grant)
        assert raised.value.code is ErrorCode.PERMISSION
