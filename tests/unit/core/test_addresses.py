import pytest

from assistant.core.addresses import is_local_host, is_web_address, origin


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "[::1]", "localhost", "api.localhost"])
def test_loopback_is_this_machine(host: str) -> None:
    assert is_local_host(host)


@pytest.mark.parametrize("host", ["192.168.0.2", "10.0.0.1", "api.example.com", "localhost.example.com", "0.0.0.0", ""])
def test_everything_else_is_not(host: str) -> None:
    assert not is_local_host(host)


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (("https", "api.example.com", None), "https://api.example.com:443"),
        (("http", "api.example.com", None), "http://api.example.com:80"),
        (("http", "::1", 8080), "http://[::1]:8080"),
        (("http", "[::1]", 8080), "http://[::1]:8080"),
    ],
)
def test_an_origin_names_scheme_host_and_port(parts: tuple[str, str, int | None], shown: str) -> None:
    assert origin(*parts) == shown


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:8080/v1", "HTTPS://api.example.com", "http://[::1]:1234/v1", "http://모델.한국/v1"]
)
def test_a_request_can_be_sent_to_a_host_over_http(address: str) -> None:
    assert is_web_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "localhost:1234/v1",
        "ftp://example.com",
        "http://",
        "http:///v1",
        "http://:8080/v1",
        "http://127.0.0.1:99999/v1",
        "http://127.0.0.1:0/v1",
        "http://example.com:port/v1",
        "http://[::1/v1",
        "http://exam ple.com/v1",
        "http://example.com\n/v1",
    ],
)
def test_no_request_can_be_sent_anywhere_else(address: str) -> None:
    assert not is_web_address(address)
