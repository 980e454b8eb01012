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
from assistant.host.places import PROJECT, RESOURCES
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


QUOTED = re.compile(r"“[^”]*”|‘[^’]*’|`[^`]*`")
FORMAL = re.compile(r"[가-힣]*(?:습니다|십시오|습니까|시다)(?![가-힣])|[가-힣]*[가-힣](?:니다|니까)(?![가-힣])")
FINAL_B = 17
"""Of a Hangul syllable, the number of the final consonant ㅂ: 합, 입."""


def formal_endings(text: str) -> list[str]:
    """The words that end a sentence in the formal register (``합니다``), outside of quotations.

    A word before a comma is an item of a list of spoken forms, such as those of ``resources/about``.
    """
    found = []
    for each in FORMAL.finditer(QUOTED.sub("", text)):
        word, after = each.group(), each.string[each.end() : each.end() + 1]
        before = word[:-2][-1:]
        polite = word.endswith(("십시오", "시다")) or (ord(before) - ord("가")) % 28 == FINAL_B
        if polite and after != ",":
            found.append(word)
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("파일을 읽을 수 없습니다: {reason}", ["없습니다"]),
        ("종류는 무엇이든 됩니다 (여러 번)", ["됩니다"]),
        ("이름은 {name}입니다", ["입니다"]),
        ("다시 시도하십시오.", ["시도하십시오"]),
        ("실행하시겠습니까? [y/N]", ["실행하시겠습니까"]),
        ("같이 봅시다!", ["봅시다"]),
        ("무엇을 합니까?", ["합니까"]),
        ("뒤에 있는 것이 최신입니다):", ["최신입니다"]),
        ("파일을 읽을 수 없어요: {reason}", []),
        ("글이라서 그러니까 다시 물어봐요", []),
        ("느리니까 기다려요", []),
        ("어머니다운 말씀이에요", []),
        ("“알겠습니다”라고 말해 보세요", []),
        ("줘, 주십시오, 다오, 부탁합니다, 부탁해", []),
        ("`입니다`로 끝나는 말", []),
        ("다시 다녀와요", []),
        ("몹시 다쳐서 쉬어요", []),
    ],
)
def test_the_formal_register_is_told_from_other_words(text: str, found: list[str]) -> None:
    assert formal_endings(text) == found


KOREAN_TEXTS = [
    *sorted((TRANSLATIONS / "ko").rglob("*.[tp]o*")),
    RESOURCES / "about" / "ko.toml",
    *sorted((RESOURCES / "page").iterdir()),
    PROJECT / "assistant" / "setup" / "old_python.py",
    PROJECT / "README.ko.md",
    PROJECT / "docs" / "settings.ko.md",
]
"""What people read in Korean. ``resources/prompts`` is read by models alone."""


WORDED_BY_REQUIREMENTS = re.findall(r'"([^"|]*[가-힣][^"|]*)"', (PROJECT / "docs/requirements.md").read_text("utf-8"))
"""Sentences that a requirement fixes word by word."""


@pytest.mark.parametrize("path", KOREAN_TEXTS, ids=lambda path: path.name)
def test_korean_speaks_to_people_in_one_register(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for fixed in WORDED_BY_REQUIREMENTS:
        text = text.replace(fixed, "")
    lines = text.splitlines()
    assert [(number, found) for number, line in enumerate(lines, 1) if (found := formal_endings(line))] == []


def test_korean_texts_call_the_product_by_its_korean_name() -> None:
    texts = load_texts("ko")
    assert {key for key in texts.keys if re.search(r"(?<![\w(/.-])Sori(?![\w)/-])", texts.raw(key))} == set()


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
