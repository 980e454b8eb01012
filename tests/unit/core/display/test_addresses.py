"""Where a link leads, and why to look twice."""

import pytest

from assistant.core.display.addresses import Doubt, shows_itself, target_of
from tests.fakes.hostile import ADDRESSES

D = Doubt
CASES = (
    ("https://example.com/", "", "example.com", ()),
    ("HTTPS://Example.COM/", "Example.com", "example.com", ()),
    ("https://example.com:443/", "", "example.com", ()),
    ("http://example.com:8443/", "", "example.com:8443", ()),
    ("https://www.example.com/a", "example.com", "www.example.com", ()),
    ("https://example.com/a", "read more", "example.com", ()),
    ("https://example.com/a", "설명서 보기", "example.com", ()),
    ("https://example.com/a", "version 2.0", "example.com", ()),
    ("https://evil.example/", "https://google.com/login", "evil.example", (D.OTHER_HOST,)),
    ("https://evil.example/", "google.com", "evil.example", (D.OTHER_HOST,)),
    ("https://evil.example/", "네이버.한국", "evil.example", (D.OTHER_HOST,)),
    ("https://google.com.evil.example/", "google.com", "google.com.evil.example", (D.OTHER_HOST,)),
    ("https://google.com@evil.example/", "", "evil.example", (D.SIGN_IN,)),
    ("https://user:word@example.com/", "", "example.com", (D.SIGN_IN,)),
    ("https://аpple.com/", "", "xn--pple-43d.com", (D.MIXED_LETTERS,)),
    ("https://xn--pple-43d.com/", "", "xn--pple-43d.com", (D.MIXED_LETTERS,)),
    ("https://gıthub.com/", "", "xn--gthub-n4a.com", (D.MIXED_LETTERS,)),
    ("https://naver한.com/", "", "xn--naver-w50y.com", (D.MIXED_LETTERS,)),
    ("https://한글.kr/", "한글.kr", "xn--bj0bj06e.kr", (D.FOREIGN_LETTERS,)),
    ("https://日本語.jp/", "", "xn--wgv71a119e.jp", (D.FOREIGN_LETTERS,)),
    ("https://ｅxample.com/", "", "example.com", ()),
    ("http://2130706433/", "", "2130706433", (D.NUMBER, D.OWN_NETWORK)),
    ("http://0x7f000001/", "", "0x7f000001", (D.NUMBER, D.OWN_NETWORK)),
    ("http://0177.0.0.1/", "", "0177.0.0.1", (D.NUMBER, D.OWN_NETWORK)),
    ("http://192.168.0.1/", "", "192.168.0.1", (D.NUMBER, D.OWN_NETWORK)),
    ("http://8.8.8.8/", "", "8.8.8.8", (D.NUMBER,)),
    ("http://[::1]/", "", "[::1]", (D.NUMBER, D.OWN_NETWORK)),
    ("http://localhost:11434/", "", "localhost:11434", (D.OWN_NETWORK,)),
    ("http://printer.local/", "", "printer.local", (D.OWN_NETWORK,)),
)


@pytest.mark.parametrize(("address", "words", "host", "doubts"), CASES)
def test_an_address_is_told_as_the_network_knows_it(
    address: str, words: str, host: str, doubts: tuple[Doubt, ...]
) -> None:
    target = target_of(address, words)
    assert target is not None
    assert (target.host, target.doubts) == (host, doubts)


@pytest.mark.parametrize(
    "address",
    [
        *ADDRESSES,
        "https://evil.example\\@google.com/",
        "https://evil.example/\u202emoc",
        "https://evil .example/",
        "https://ex%61mple.com/",
        "https://example.com:99999/",
        "https://[::1/",
        "https://\u2066.example/",
        "",
    ],
)
def test_what_is_no_web_page_leads_nowhere(address: str) -> None:
    target = target_of(address)
    assert target is None or target.address.casefold().startswith(("http://", "https://"))
    assert target is None or target.host


@pytest.mark.parametrize(
    ("address", "words", "seen"),
    [
        ("https://example.com/a", "https://example.com/a", True),
        ("https://example.com/", "example.com", True),
        ("https://example.com/a", "example.com", False),
        ("https://example.com/a", "here", False),
        ("https://a@example.com/", "https://a@example.com/", False),
        ("http://localhost/", "http://localhost/", False),
    ],
)
def test_only_a_whole_address_has_been_read(address: str, words: str, seen: bool) -> None:
    target = target_of(address, words)
    assert target is not None
    assert shows_itself(target, words) is seen
