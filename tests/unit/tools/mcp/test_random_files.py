"""Whatever a file of servers contains, it is read or named; nothing else happens."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from assistant.core.errors import SettingsError
from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.mcp_json import Configuration, McpFile, parse
from assistant.tools.mcp.other_apps.reading import read_text
from assistant.tools.mcp.showing import command_line, quoted, shown_url

pytestmark = pytest.mark.long

TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(
        ["npx", "http://a", "https://[", "${A}", "${input:a}", "${", "stdio", "sse", "\0", "\ud800", "a" * 80]
    ),
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.just(10**400), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=6,
)
KEYS = ["command", "args", "env", "cwd", "url", "serverUrl", "headers", "type", "disabled", "timeout_s", "category"]
SERVERS = st.dictionaries(
    TEXTS, st.one_of(VALUES, st.dictionaries(st.sampled_from(KEYS), st.one_of(TEXTS, VALUES))), max_size=3
)
DOCUMENTS = st.one_of(
    VALUES,
    st.dictionaries(st.sampled_from(["mcpServers", "servers", "context_servers", "mcp", "projects"]), SERVERS),
)
QUICK = settings(
    max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def check(found: Configuration) -> None:
    for entry in found.entries:
        assert bool(entry.command) != bool(entry.url)
        assert len(entry.fingerprint) == 64
        assert (shown_url(entry.url) + command_line(entry)).isprintable()
    assert all(each.error.problem for each in found.problems)


@given(DOCUMENTS)
@QUICK
def test_any_json_is_read_or_named(document: object) -> None:
    text = json.dumps(document)
    check(parse(text))
    check(read_text(text, home=Path("/home/me"), project=Path("/work")))


@given(st.text(alphabet='{}[]",:/* \n\\ua1', max_size=60))
@QUICK
def test_any_text_is_read_or_named(text: str) -> None:
    check(parse(text))
    check(read_text(text, home=Path("/home/me")))


@given(st.dictionaries(TEXTS, VALUES, max_size=3), SERVERS)
@QUICK
def test_writing_keeps_all_other_keys(tmp_path: Path, others: dict[str, Any], servers: dict[str, Any]) -> None:
    file = McpFile(tmp_path / "mcp.json")
    before = json.dumps({**others, "mcpServers": servers})
    file.path.write_text(before)
    entry = ServerEntry(name="added", command="a")
    try:
        file.put(entry)
    except SettingsError:
        assert file.path.read_text() == before
        return
    after = json.loads(file.path.read_text(encoding="utf-8"))
    assert json.dumps(after.pop("mcpServers")) == json.dumps({**servers, "added": {"command": "a"}})
    assert json.dumps(after) == json.dumps({key: each for key, each in others.items() if key != "mcpServers"})


@pytest.mark.parametrize("letters", ["a\\'$\u202e\n ", "é\u0301가ㄱ"])
@QUICK
@given(st.data())
def test_two_words_never_look_the_same(letters: str, data: st.DataObject) -> None:
    words = st.text(alphabet=letters + "x", max_size=5)
    one, other = data.draw(words), data.draw(words)
    assert (quoted(one) == quoted(other)) == (one == other)
