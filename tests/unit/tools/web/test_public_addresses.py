import pytest

from assistant.tools.tool import ToolError
from assistant.tools.web.public_addresses import checked_address, is_public, resolve


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "64:ff9b::808:808"])
def test_public_addresses(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "address",
    [
        *(
            "127.0.0.1",
            "10.1.2.3",
            "172.16.0.1",
            "192.168.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
        ),
        *(
            "255.255.255.255",
            "192.0.2.1",
            "198.18.0.1",
            "::",
            "::1",
            "fe80::1%eth0",
            "fc00::1",
            "ff02::1",
            "2001:db8::1",
        ),
        *("::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "::ffff:169.254.169.254"),
    ],
)
def test_addresses_of_this_computer_its_network_and_reserved_ones(address: str) -> None:
    assert not is_public(address)


async def test_one_private_address_among_public_ones_is_enough_to_refuse() -> None:
    async def mixed(host: str, port: int) -> list[str]:
        return ["8.8.8.8", "192.168.0.1"]

    with pytest.raises(ToolError, match="page_not_public"):
        await checked_address("mixed.example", 443, resolve=mixed)


async def test_names_of_this_computer_are_refused_in_every_spelling() -> None:
    for host in ("localhost", "127.1", "2130706433", "0x7f.1"):
        with pytest.raises(ToolError):
            await checked_address(host, 80)


async def test_a_name_without_an_address_is_explained() -> None:
    with pytest.raises(ToolError, match="page_unreachable"):
        await resolve("nothing.invalid", 80)
