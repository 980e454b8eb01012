"""What a server's process gets of the user's environment."""

import pytest

from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.environment import MissingVariableError, expanded, process_environment, referenced

USERS = {"HOME": "/home/me", "PATH": "/bin", "OPENAI_API_KEY": "secret", "TOKEN": "t", "EMPTY": "", "TERM": "() { :; }"}


def test_no_key_of_the_user_reaches_a_server() -> None:
    entry = ServerEntry(name="a", command="a", environment={"MODE": "x", "PATH": "/opt"})
    assert process_environment(entry, USERS) == {"HOME": "/home/me", "PATH": "/opt", "MODE": "x"}


def test_references_are_filled_everywhere() -> None:
    local = ServerEntry(
        name="a",
        command="${HOME}/run",
        arguments=("--key=${env:TOKEN}", "$TOKEN", "${NONE:-fallback}", "${EMPTY:-full}", "${EMPTY}"),
        environment={"KEY": "${TOKEN}"},
        folder="${HOME}",
    )
    filled = expanded(local, USERS)
    assert filled.command == "/home/me/run"
    assert filled.arguments == ("--key=t", "$TOKEN", "fallback", "full", "")
    assert filled.environment == {"KEY": "t"}
    assert filled.folder == "/home/me"
    far = ServerEntry(name="b", url="http://${HOST:-localhost}/mcp", headers={"Authorization": "Bearer ${TOKEN}"})
    assert expanded(far, USERS).url == "http://localhost/mcp"
    assert expanded(far, USERS).headers == {"Authorization": "Bearer t"}


def test_a_value_is_not_expanded_again() -> None:
    entry = ServerEntry(name="a", command="${A}")
    assert expanded(entry, {"A": "${B}", "B": "secret"}).command == "${B}"


def test_a_variable_that_is_not_set_is_named() -> None:
    with pytest.raises(MissingVariableError) as caught:
        expanded(ServerEntry(name="a", command="a", arguments=("${NOWHERE}",)), USERS)
    assert caught.value.name == "NOWHERE"


def test_the_variables_that_a_server_gets_to_see_are_told() -> None:
    entry = ServerEntry(name="a", url="http://a/${TOKEN}", headers={"X": "${env:KEY} ${TOKEN}"})
    assert referenced(entry) == ("TOKEN", "KEY")
