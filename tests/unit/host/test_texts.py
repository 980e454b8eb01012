import ast
import re
import string
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from assistant.core.errors import ErrorCode
from assistant.core.texts import Texts, flatten
from assistant.host.places import PROJECT
from assistant.host.texts import TRANSLATIONS, load_texts


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_both_languages_have_the_same_texts() -> None:
    assert load_texts("ko").keys == load_texts("en").keys


PARTICLES = {"copula", "to", "topic", "subject", "object", "with"}
"""Fields that Korean texts may have beside: particles whose form depends on the word before them."""

IN_KOREAN_PROMPTS = {"context.result": {"question"}}
"""By key of a text for a model, fields that only the Korean one has: small models need the question beside a result."""


def fields_by_key(language: str) -> dict[str, set[str]]:
    catalogue: dict[str, str] = {}
    for path in (TRANSLATIONS / language).glob("*.toml"):
        catalogue |= flatten(tomllib.loads(path.read_text(encoding="utf-8")))
    return {key: fields(text) for key, text in catalogue.items()}


def test_a_text_has_the_same_fields_in_both_languages() -> None:
    korean, english = fields_by_key("ko"), fields_by_key("en")
    assert {key: found - PARTICLES - IN_KOREAN_PROMPTS.get(key, set()) for key, found in korean.items()} == english


LAST_SOUND_IS_A_VOWEL = {"timer", "timers", "memory", "needed"}
"""Fields whose values all end alike: with 타이머, or with a unit of bytes."""
JOSA = re.compile(
    r"(?<!\{)\{(?P<field>\w+)\}[’']?(?:은|는|이|가|을|를|과|와|으로|로|이나|나|이에요|예요|이라는|라는)(?![가-힣])"
    r"|\S[은이을와]\([는가를과]\)|\(으\)로"
)


def test_no_korean_particle_depends_on_a_word_that_is_filled_in() -> None:
    texts = load_texts("ko")
    found = {(key, each.group("field")) for key in texts.keys for each in JOSA.finditer(texts.raw(key))}
    assert not {(key, field) for key, field in found if field not in LAST_SOUND_IS_A_VOWEL}


@pytest.mark.parametrize("language", ["ko", "en"])
def test_every_kind_of_error_has_words(language: str) -> None:
    texts = load_texts(language)
    assert {f"error.{code.value}" for code in ErrorCode} <= texts.keys


def named_message_keys() -> set[str]:
    """Every ``message_key="…"`` in the program."""
    found: set[str] = set()
    for path in (PROJECT / "assistant").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.keyword) and node.arg == "message_key" and isinstance(node.value, ast.Constant):
                found.add(str(node.value.value))
    return found - {""}


@pytest.mark.long
def test_every_message_key_in_the_program_has_words() -> None:
    assert {f"error.{key}" for key in named_message_keys()} <= load_texts("ko").keys


def test_a_key_in_two_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "a.toml").write_text('[x]\ny = "1"')
    (tmp_path / "ko" / "b.toml").write_text('x.y = "2"')
    with pytest.raises(ValueError, match=r"b\.toml.*x\.y"):
        load_texts("ko", tmp_path).keys  # noqa: B018 - reads every file


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "a.toml").write_text("x = ")
    with pytest.raises(ValueError, match=r"a\.toml"):
        load_texts("ko", tmp_path)("x")


def test_a_text_is_found_in_any_table_of_any_file(tmp_path: Path) -> None:
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "a.toml").write_text('top = "0"\n[x]\ny.z = "1"\n[x.w]\nv = "2"\n')
    (tmp_path / "ko" / "b.toml").write_text('p.q.r = "3"\n[x.u]\nv = "4"\n["s.t"]\nv = "5"\n')
    keys = ("top", "x.y.z", "x.w.v", "p.q.r", "x.u.v", "s.t.v")
    assert [load_texts("ko", tmp_path)(key) for key in keys] == ["0", "1", "2", "3", "4", "5"]
    with pytest.raises(KeyError):
        load_texts("ko", tmp_path)("x.y")


def test_only_the_file_of_a_text_is_parsed(tmp_path: Path) -> None:
    (tmp_path / "ko").mkdir()
    (tmp_path / "ko" / "a.toml").write_text('[x]\ny = "1"\n')
    (tmp_path / "ko" / "b.toml").write_text("[z]\ny = broken\n")
    assert load_texts("ko", tmp_path)("x.y") == "1"


def test_many_threads_may_look_a_text_up_first(tmp_path: Path) -> None:
    (tmp_path / "ko").mkdir()
    lines = "\n".join(f'word_{number} = "낱말 {number}"' for number in range(2000))
    (tmp_path / "ko" / "a.toml").write_text(f"[a]\n{lines}\n", encoding="utf-8")
    for _ in range(5):
        texts, together = load_texts("ko", tmp_path), threading.Barrier(4)

        def look_up(texts: Texts = texts, together: threading.Barrier = together) -> str:
            together.wait()
            return texts("a.word_7")

        with ThreadPoolExecutor(4) as threads:
            assert [each.result() for each in [threads.submit(look_up) for _ in range(4)]] == ["낱말 7"] * 4
