import unicodedata

import pytest

from assistant.storage.search.passages import LENGTH, SPACED, STEMS, WHOLE, WORDS, Query

RANKED = [
    # partial words
    ("단풍", "설악산 단풍놀이", WHOLE),
    ("놀이", "설악산 단풍놀이", WHOLE),
    ("단풍 설악산", "설악산 단풍놀이", WORDS),
    ("설악산 단풍", "설악산 단풍놀이", WHOLE),
    ("단풍 겨울", "설악산 단풍놀이", 0),
    # particles
    ("강릉에서", "강릉에 가자", STEMS),
    ("강릉에서", "강릉은 멀다", STEMS),
    ("강릉은", "강릉에서 만나", STEMS),
    ("강릉을", "강릉", STEMS),
    ("강릉으로", "강릉까지 두 시간", STEMS),
    ("강릉에서는", "강릉에서도", STEMS),
    ("강릉에서", "강릉에서 만나", WHOLE),
    ("강릉에서 커피를", "강릉은 커피가 유명해", STEMS),
    ("친구에게", "친구한테 줬어", STEMS),
    ("집에서", "집중", 0),
    ("강릉에서", "강원도에서", 0),
    # forms of 하다 and 되다
    ("재배한", "딸기를 재배하는 집", WHOLE),
    ("재배한", "딸기 재배", STEMS),
    ("재배하는", "딸기 재배", STEMS),
    ("예약했던", "호텔 예약", STEMS),
    ("예약해줘", "예약됐어", STEMS),
    ("취소된", "예약 취소", STEMS),
    ("재배한", "딸기를 재배한 집", WHOLE),
    ("대한", "한국", 0),
    ("역할", "역사", 0),
    # spacing
    ("불닭 볶음면", "불닭볶음면 먹자", WORDS),
    ("불닭볶음면", "불닭 볶음면 먹자", SPACED),
    ("불 닭 볶음면", "불닭 볶음면 먹자", WORDS),
    ("할수있다", "나는 할 수 있다", SPACED),
    ("할 수 있다", "나는 할수있다", WORDS),
    ("불닭볶음면", "불닭\n볶음면", SPACED),
    ("therapist", "the rapist", 0),
    # unfinished syllables
    ("강르", "강릉 바다", WHOLE),
    ("강ㄹ", "강릉 바다", WHOLE),
    ("가", "강릉 바다", WHOLE),
    ("강릉ㅂ", "강릉바다", WHOLE),
    ("강릉 ㅂ", "강릉 바다", WHOLE),
    ("단푸", "단풍", WHOLE),
    ("갈", "가릉", WHOLE),
    ("강릉엣", "강릉에서", WHOLE),
    ("가릉", "강릉", 0),
    ("강르", "강원", 0),
    # initial consonants
    ("ㄱㄹ", "강릉 바다", WHOLE),
    ("ㄱㄹ ㅂㄷ", "강릉 바다", WHOLE),
    ("ㄱㄹㅂㄷ", "강릉 바다", SPACED),
    ("ㄱㄴ", "강릉 바다", 0),
    ("ㅂㄷㅂㅇㅁ", "불닭볶음면", WHOLE),
    ("ㅂㄷㅂㅇㅁ", "불닭 볶음", 0),
    ("ㅋㅋ", "재밌다 ㅋㅋㅋ", WHOLE),
    ("ㅃㅃ", "빵빵", WHOLE),
    ("ㅏ", "아", 0),
    # other letters
    ("colour", "What COLOUR?", WHOLE),
    ("COL", "what colour?", WHOLE),
    ("cafe", "Le Café", WHOLE),
    ("python 설치", "Python을 설치해 줘", WORDS),
    ("100%", "100 percent", 0),
    (".", "no full stop", 0),
    ("[", "a [b]", WHOLE),
    (unicodedata.normalize("NFD", "한글"), "한글 문서", WHOLE),
    ("한글", unicodedata.normalize("NFD", "한글 문서"), WHOLE),
    ("  ", "anything", 0),
]


@pytest.mark.parametrize(("query", "text", "rank"), RANKED)
def test_a_query_ranks_a_text(query: str, text: str, rank: int) -> None:
    assert Query(query).rank(text) == rank


@pytest.mark.parametrize(
    ("query", "text", "marked"),
    [
        ("강르", "바다는  강릉이지", ["강릉"]),
        ("강릉에서", "바다는 강릉은", ["강릉"]),
        ("불닭볶음면", "오늘 불닭 볶음면", ["불닭 볶음면"]),
        ("바다 강릉", "강릉 앞 바다", ["강릉", "바다"]),
        ("강릉 강", "강릉", ["강릉"]),
        ("강릉", "가" * 300 + "강릉" + "나" * 300, ["강릉"]),
        ("강릉", "가" * 300 + "강릉", ["강릉"]),
        ("없음", "강릉", []),
    ],
)
def test_a_passage_marks_what_matched(query: str, text: str, marked: list[str]) -> None:
    passage = Query(query).passage(text)
    assert [passage.text[start:end] for start, end in passage.marks] == marked
    assert len(passage.text.strip("…")) <= LENGTH
    assert passage.text.startswith("…") == (len(text) > LENGTH)
