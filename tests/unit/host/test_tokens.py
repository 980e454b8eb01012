import json
import stat
from pathlib import Path

import pytest

from assistant.core.errors import SoriError
from assistant.core.permissions import Category
from assistant.core.service.callers import Caller
from assistant.core.service.request import Right
from assistant.host.tokens import CODE_S, TokenFile
from tests.fakes.clock import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def tokens(tmp_path: Path, clock: FakeClock) -> TokenFile:
    return TokenFile(tmp_path / "http-tokens.json", clock)


def test_a_token_is_known_again_with_what_it_was_granted(tokens: TokenFile) -> None:
    granted = frozenset({Category.SAFE, Category.SENSITIVE})
    token = tokens.add(Caller(name="편집기", right=Right.MANAGE, categories=granted))
    caller = tokens.caller_of(token)
    assert caller is not None
    assert (caller.name, caller.right, caller.categories) == ("편집기", Right.MANAGE, granted)
    assert caller.grant.allows(Right.MANAGE)
    assert not caller.grant.allows(Right.OWN)


def test_a_token_without_grants_has_safe_tools_only_and_changes_no_settings(tokens: TokenFile) -> None:
    caller = tokens.caller_of(tokens.add(Caller(name="editor")))
    assert caller is not None
    assert caller.grant.categories == {Category.SAFE}
    assert not caller.grant.allows(Right.MANAGE)


def test_the_file_holds_no_token_and_is_readable_by_its_owner_alone(tokens: TokenFile, tmp_path: Path) -> None:
    token = tokens.add(Caller(name="editor"))
    path = tmp_path / "http-tokens.json"
    assert token not in path.read_text()
    assert token.removeprefix("sori_") not in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_file_that_others_could_read_is_closed_to_them_with_the_next_change(
    tokens: TokenFile, tmp_path: Path
) -> None:
    tokens.add(Caller(name="editor"))
    path = tmp_path / "http-tokens.json"
    path.chmod(0o644)
    tokens.add(Caller(name="phone"))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "wrong",
    ["", " ", "sori_", "sori_x", "sori_ㅋㅋ", "\udcff", "0" * 5000, "Bearer", "\0", "null"],
)
def test_a_wrong_token_belongs_to_nobody(tokens: TokenFile, wrong: str) -> None:
    tokens.add(Caller(name="editor"))
    assert tokens.caller_of(wrong) is None
    assert tokens.exchange(wrong) is None


def test_the_hash_in_the_file_is_no_token(tokens: TokenFile, tmp_path: Path) -> None:
    tokens.add(Caller(name="editor"))
    (hashed,) = json.loads((tmp_path / "http-tokens.json").read_text())
    assert tokens.caller_of(hashed) is None


def test_a_revoked_token_is_worthless_at_once_also_in_another_process(tokens: TokenFile, tmp_path: Path) -> None:
    token, other = tokens.add(Caller(name="editor")), tokens.add(Caller(name="phone"))
    assert tokens.caller_of(token) is not None
    assert TokenFile(tmp_path / "http-tokens.json", FakeClock()).revoke("editor")
    assert tokens.caller_of(token) is None
    assert tokens.caller_of(other) is not None
    assert not tokens.revoke("editor")


@pytest.mark.parametrize("name", ["", " ", " a", "a ", "\n", "a\nb", "a\x1b[31mb", "\u200b", "x" * 65])
def test_a_name_that_cannot_be_shown_on_one_line_is_refused(tokens: TokenFile, name: str) -> None:
    with pytest.raises(SoriError) as refused:
        tokens.add(Caller(name=name))
    assert refused.value.reason == "token_name"


@pytest.mark.parametrize("name", ["a", "편집기", "Open WebUI", "x" * 64, "🙂", "VS Code (집)"])
def test_other_names_are_taken(tokens: TokenFile, name: str) -> None:
    assert tokens.caller_of(tokens.add(Caller(name=name))) is not None


def test_a_name_has_one_token(tokens: TokenFile) -> None:
    tokens.add(Caller(name="editor"))
    with pytest.raises(SoriError) as refused:
        tokens.add(Caller(name="editor"))
    assert refused.value.reason == "token_exists"


def test_a_code_is_no_token_and_is_exchanged_once(tokens: TokenFile) -> None:
    code = tokens.add_code(Caller(name="browser", right=Right.MANAGE))
    assert tokens.caller_of(code) is None
    assert tokens.all() == ()
    given = tokens.exchange(code)
    assert given is not None
    assert tokens.caller_of(given[0]) == given[1]
    assert given[1].right is Right.MANAGE
    assert tokens.exchange(code) is None


def test_a_second_browser_gets_a_name_of_its_own(tokens: TokenFile) -> None:
    for _ in range(3):
        assert tokens.exchange(tokens.add_code(Caller(name="browser"))) is not None
    assert [each.name for each in tokens.all()] == ["browser", "browser 2", "browser 3"]


def test_a_code_is_worth_nothing_after_five_minutes(tokens: TokenFile, clock: FakeClock) -> None:
    code = tokens.add_code(Caller(name="browser"))
    clock.advance(CODE_S)
    assert tokens.exchange(code) is None


def test_a_token_cannot_be_exchanged(tokens: TokenFile) -> None:
    assert tokens.exchange(tokens.add(Caller(name="editor"))) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        '{"a": 1}',
        '{"a": {}}',
        '{"HASH": {"name": "x", "right": "own", "categories": [], "added_at": ""}}',
    ],
)
def test_a_damaged_file_lets_nobody_in(tokens: TokenFile, tmp_path: Path, text: str) -> None:
    token = tokens.add(Caller(name="editor"))
    path = tmp_path / "http-tokens.json"
    (hashed,) = json.loads(path.read_text())
    path.write_text(text.replace("HASH", hashed))
    assert tokens.caller_of(token) is None


def test_a_damaged_file_is_kept_beside_the_new_one(tokens: TokenFile, tmp_path: Path) -> None:
    path = tmp_path / "http-tokens.json"
    path.write_text("{ not JSON")
    assert tokens.damage
    assert tokens.caller_of(tokens.add(Caller(name="editor"))) is not None
    assert path.with_name("http-tokens.json.damaged").read_text() == "{ not JSON"


@pytest.mark.parametrize(
    ("key", "until"),
    [
        ("비밀", ""),
        ("é" * 64, ""),
        ("", ""),
        ("0" * 64, "2026-01-01T00:00:00"),
        ("0" * 64, "2026-01-01"),
        ("0" * 64, "내일"),
        ("0" * 64, "tomorrow"),
    ],
)
def test_an_entry_in_another_form_keeps_nobody_else_out(
    tokens: TokenFile, tmp_path: Path, key: str, until: str
) -> None:
    token, path = tokens.add(Caller(name="editor")), tmp_path / "http-tokens.json"
    entries = json.loads(path.read_text(encoding="utf-8"))
    (entry,) = entries.values()
    changed = {**entries, key: {**entry, "name": "x", "until": until}}
    path.write_text(json.dumps(changed, ensure_ascii=False), encoding="utf-8")
    found = tokens.caller_of(token)
    assert found is not None
    assert found.name == "editor"
    assert tokens.caller_of("wrong") is None
    tokens.add(Caller(name="another"))
