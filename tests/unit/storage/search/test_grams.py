import random
import re

import pytest

from assistant.storage.search.grams import Clause, clauses_of_run, grams_of_text
from assistant.storage.search.passages import INITIALS, WHOLE, WORDS, Query, composed

WORDS_OF_TEXTS = [
    *(
        "강릉은",
        "강릉",
        "바다가",
        "단풍놀이",
        "불닭볶음면",
        "불닭",
        "볶음면",
        "할",
        "수",
        "있다",
        "ㅋㅋ",
        "ㄱ",
        "값",
        "닭이",
    ),
    *("달기", "르아", "은이", "가", "릉", "Python", "café", "Éa", "ß", "İi", "日本", "🌊", "a"),
]


def clauses(query: Query, rank: int) -> set[Clause]:
    return {clause for run in query.forms[rank] for clause in clauses_of_run(run)}


def admitted(text: str, query: str, rank: int) -> bool:
    grams = grams_of_text(text)
    return all(any(gram in grams for gram in clause) for clause in clauses(Query(query), rank))


def random_text(chance: random.Random) -> str:
    pieces = [chance.choice(WORDS_OF_TEXTS) + chance.choice(["", " ", "  ", "\n"]) for _ in range(chance.randint(1, 6))]
    return "".join(pieces)


def typed(chance: random.Random, text: str) -> str:
    """A part of the text as somebody may type it: spaces, initial consonants, an unfinished syllable."""
    start = chance.randrange(len(text))
    letters = list(text[start : start + chance.randint(1, 7)])
    for at, letter in enumerate(letters):
        if "가" <= letter <= "힣" and chance.random() < 0.2:
            letters[at] = INITIALS[(ord(letter) - ord("가")) // 588]
        elif chance.random() < 0.15:
            letters[at] = chance.choice([" ", ""])
    last = letters.pop()
    if "가" <= last <= "힣" and chance.random() < 0.3:
        last = chr(ord(last) - (ord(last) - ord("가")) % 28)
    return "".join((*letters, last))


@pytest.mark.long
def test_a_text_that_a_query_finds_satisfies_the_clauses_of_its_rank() -> None:
    matched = 0
    for seed in range(1500):
        chance = random.Random(seed)
        text = random_text(chance)
        query = typed(chance, text) if chance.random() < 0.8 else random_text(chance)
        if rank := Query(query).rank(text):
            matched += 1
            assert admitted(text, query, rank), (query, text)
    assert matched > 700


def test_letters_that_the_search_takes_for_the_same_have_the_same_gram() -> None:
    letters = "".join(each for each in map(chr, range(0x41, 0x250)) if composed(each) == each)
    for letter in letters:
        same = [each for each in letters if re.fullmatch(re.escape(letter), each, re.IGNORECASE)]
        grams = [frozenset(each for each in grams_of_text(one)) for one in same]
        assert len(set(grams)) == 1, same


@pytest.mark.parametrize(
    ("text", "query", "rank"),
    [
        ("강원 바다", "강릉", WORDS),
        ("바다 강가", "강바다", WORDS),
        ("강원 바다", "ㄱㄹ", WORDS),
        ("가라 누리", "ㄱㄹㄴ", WORDS),
        ("단풍 겨울", "겨울 단풍", WHOLE),
        ("단풍놀이와 강릉", "단풍놀이 강릉", WHOLE),
        ("불닭볶음면", "불닭 볶음면", WHOLE),
        ("the rapist", "therapist", WORDS),
        ("내일 이라크 기록을 세워", "내일 세워", WHOLE),
    ],
)
def test_a_text_without_the_words_is_not_looked_at(text: str, query: str, rank: int) -> None:
    assert not admitted(text, query, rank)
