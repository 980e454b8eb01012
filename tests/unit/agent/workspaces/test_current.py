from pathlib import Path

from assistant.agent.workspaces.current import CurrentAgent
from assistant.core.records.agents import AgentId


def test_the_current_agent_is_kept_for_the_next_start(tmp_path: Path) -> None:
    path = tmp_path / "current-agent.toml"
    assert CurrentAgent(path).get() == AgentId()
    CurrentAgent(path).set(AgentId(workspace="집", name="요리사"))
    assert CurrentAgent(path).get() == AgentId(workspace="집", name="요리사")


def test_a_file_that_names_no_agent_is_not_used(tmp_path: Path) -> None:
    path = tmp_path / "current-agent.toml"
    for text in ("name = 3", "workspace = '../..'", "name = ["):
        path.write_text(text, "utf-8")
        assert CurrentAgent(path).get() == AgentId()
