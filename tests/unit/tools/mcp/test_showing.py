"""The user sees exactly what an entry starts or reaches."""

import shlex
import shutil
import subprocess
from itertools import combinations

import pytest

from assistant.tools.mcp.entries import ServerEntry
from assistant.tools.mcp.showing import HIDDEN, command_line, in_one_line, masked, masked_variable, quoted, shown_url

ODD_WORDS = [
    "",
    " ",
    "a b",
    "a\tb",
    "a\nb",
    "a\\tb",
    "$'a\\tb'",
    "it's",
    "$(rm -rf ~)",
    "\x1b[2K\rnpx",
    "safe\u202egpj.exe",
    "safegpj.exe",
    "a\u200bb",
    "ab",
    "a\u3164b",
    "ㅤ",
    "a\ufe0fb",
    "\ud800",
    "\U000e0041",
    "אב",
    "민수",
    "é",
]


def test_a_plain_command_is_shown_as_it_would_be_typed() -> None:
    entry = ServerEntry(name="a", command="npx", arguments=("-y", "@scope/server@1.2", "/home/my notes"))
    assert command_line(entry) == "npx -y @scope/server@1.2 '/home/my notes'"


def test_different_words_never_look_the_same() -> None:
    shown = [quoted(each) for each in ODD_WORDS]
    assert all(one != other for one, other in combinations(shown, 2))


@pytest.mark.parametrize("word", ODD_WORDS)
def test_nothing_invisible_is_printed(word: str) -> None:
    for shown in (quoted(word), in_one_line(word)):
        assert shown.isprintable()
        assert not set(shown) & set("\u202e\u200b\u3164\ufe0f")
    # Letters from right to left may change the order of a command.
    assert "א" not in quoted(word)


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash to read the words")
def test_a_shell_reads_what_is_shown_as_it_is() -> None:
    words = [each for each in ODD_WORDS if each.isascii()]
    line = " ".join(map(quoted, words))
    read = subprocess.run(["bash", "-c", f"printf '%s\\0' {line}"], capture_output=True, check=True).stdout
    assert read.decode().split("\0")[:-1] == words


def test_words_without_odd_characters_are_quoted_as_usual() -> None:
    assert shlex.split(quoted("it's a b")) == ["it's a b"]


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://example.org/mcp?x=1", "https://example.org/mcp?x=1"),
        ("http://127.0.0.1:8000/mcp", "http://127.0.0.1:8000/mcp"),
        ("http://[::1]:8000/mcp", "http://[::1]:8000/mcp"),
        ("https://github.com:password@evil.org/", f"https://{HIDDEN}@evil.org/"),
        ("https://gіthub.com/", "https://xn--gthub-n2e.com/"),
        ("https://한국.kr/", "https://xn--3e0b707e.kr/"),
        ("https://a.org/\u202egpj", "https://a.org/\\u202egpj"),
        ("https://" + "가" * 70 + ".kr/", "https://" + "\\uac00" * 70 + ".kr/"),
        ("https://${HOST}/mcp", "https://${HOST}/mcp"),
        ("https://me:password@${HOST}/mcp", f"https://{HIDDEN}@${{HOST}}/mcp"),
    ],
)
def test_an_address_shows_the_true_computer_and_no_password(url: str, shown: str) -> None:
    assert shown_url(url) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("", ""),
        ("secret", HIDDEN),
        ("${TOKEN}", "${TOKEN}"),
        ("${env:TOKEN}", "${env:TOKEN}"),
        ("Bearer ${TOKEN}", "Bearer ${TOKEN}"),
        ("Bearer secret", HIDDEN),
        ("${TOKEN}secret", HIDDEN),
        ("${TOKEN:-secret}", HIDDEN),
    ],
)
def test_values_that_may_be_secrets_are_hidden(value: str, shown: str) -> None:
    assert masked(value) == masked_variable("TOKEN", value) == shown


@pytest.mark.parametrize("name", ["PATH", "LD_PRELOAD", "NODE_OPTIONS", "PYTHONPATH", "GIT_SSH_COMMAND", "https_proxy"])
def test_variables_that_decide_which_code_runs_are_shown(name: str) -> None:
    assert masked_variable(name, "--require /tmp/bad.js") == "'--require /tmp/bad.js'"
