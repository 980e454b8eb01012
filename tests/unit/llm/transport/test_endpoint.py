import pytest

from assistant.core.errors import ErrorCode, ProviderError
from assistant.core.settings import Provider
from assistant.llm.transport.endpoint import endpoint_of
from tests.fakes.ledger import MemoryLedger


@pytest.mark.parametrize(
    "provider",
    [
        Provider(name="mine", kind="openai"),
        Provider(name="mine", kind="openai", api_key_env="MINE_KEY"),
        Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1", api_key_env="MINE_KEY"),
    ],
)
def test_a_missing_key_is_noticed_before_anything_is_sent(provider: Provider) -> None:
    with pytest.raises(ProviderError) as raised:
        endpoint_of(provider, "", MemoryLedger(), base_url="https://api.example.org/v1")
    assert raised.value.code is ErrorCode.AUTHENTICATION
    assert raised.value.message_key == "error.api_key_missing"


def test_a_server_of_ones_own_needs_no_key() -> None:
    provider = Provider(name="mine", kind="openai", base_url="http://127.0.0.1:1/v1")
    assert endpoint_of(provider, "", MemoryLedger()).key == ""


def test_blanks_around_a_key_are_not_part_of_it() -> None:
    assert (
        endpoint_of(Provider(name="mine", kind="openai"), " sk-1\n", MemoryLedger(), base_url="https://x/v1").key
        == "sk-1"
    )
