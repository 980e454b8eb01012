"""Where the token of a bot is sent."""

import pytest

from assistant.app.telegram_line import TELEGRAM_API, NoLine
from assistant.core.errors import SoriError
from tests.fakes.ledger import MemoryLedger


@pytest.mark.parametrize(
    "server",
    [
        "http://example.com",
        "http://192.168.0.9:8081",
        "http://127.0.0.1.example.com",
        "ftp://127.0.0.1",
        "example.com",
        "https://",
        "https://exa mple.com",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "//127.0.0.1",
    ],
)
async def test_the_token_goes_nowhere_unencrypted_and_to_no_address_that_is_none(server: str) -> None:
    with pytest.raises(SoriError, match="Bot API") as refused:
        await NoLine().bot_of("1:a", MemoryLedger(), server)
    assert refused.value.reason == "telegram_server"


def test_without_a_server_it_is_telegrams_own() -> None:
    assert TELEGRAM_API.startswith("https://")
