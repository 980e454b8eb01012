"""What people are to each other, in Korean and English words. Pure.

A word stands for one or more relations: 동생 is a younger brother or a younger sister. Two words may mean the same
person if they share one.
"""

from collections import defaultdict
from collections.abc import Mapping
from typing import Final

_WORDS: Final = {
    "mother": "엄마 어머니 어머님 모친 마미 mom mum mother mommy mummy mama",
    "father": "아빠 아버지 아버님 부친 dad father daddy papa",
    "wife": "아내 와이프 집사람 마누라 wife",
    "husband": "남편 신랑 husband hubby",
    "elder brother": "형 형님 오빠 큰형 작은형 큰오빠 작은오빠 brother big_brother older_brother elder_brother",
    "elder sister": "누나 누님 언니 큰누나 작은누나 큰언니 작은언니 sister big_sister older_sister elder_sister",
    "younger brother": "동생 남동생 막내동생 brother little_brother younger_brother",
    "younger sister": "동생 여동생 막내동생 sister little_sister younger_sister",
    "son": "아들 son",
    "elder son": "큰아들 son older_son",
    "younger son": "작은아들 son younger_son",
    "daughter": "딸 daughter",
    "elder daughter": "큰딸 daughter older_daughter",
    "younger daughter": "작은딸 daughter younger_daughter",
    "father's mother": "할머니 할머님 친할머니 grandma grandmother granny nana",
    "mother's mother": "할머니 할머님 외할머니 grandma grandmother granny nana",
    "father's father": "할아버지 할아버님 친할아버지 grandpa grandfather granddad",
    "mother's father": "할아버지 할아버님 외할아버지 grandpa grandfather granddad",
    "wife's mother": "장모 장모님 mother_in_law mother-in-law",
    "wife's father": "장인 장인어른 father_in_law father-in-law",
    "husband's mother": "시어머니 시어머님 시엄마 mother_in_law mother-in-law",
    "husband's father": "시아버지 시아버님 시아빠 father_in_law father-in-law",
    "mother's sister": "이모 이모님 큰이모 작은이모 aunt auntie aunty",
    "father's sister": "고모 고모님 큰고모 작은고모 aunt auntie aunty",
    "uncle's wife": "숙모 외숙모 큰엄마 큰어머니 작은엄마 작은어머니 aunt auntie aunty",
    "father's brother": "삼촌 큰아버지 큰아빠 작은아버지 작은아빠 uncle",
    "mother's brother": "삼촌 외삼촌 uncle",
    "aunt's husband": "이모부 고모부 uncle",
    "nephew": "조카 nephew",
    "niece": "조카 niece",
    "cousin": "사촌 cousin",
    "grandson": "손자 grandson",
    "granddaughter": "손녀 granddaughter",
    "son-in-law": "사위 son_in_law son-in-law",
    "daughter-in-law": "며느리 daughter_in_law daughter-in-law",
    "girlfriend": "여자친구 여친 애인 girlfriend",
    "boyfriend": "남자친구 남친 애인 boyfriend",
    "boss": "상사 보스 boss manager",
    "friend": "친구 friend",
    "colleague": "동료 직장동료 colleague coworker co-worker",
    "teacher": "선생님 쌤 teacher",
    "landlord": "집주인 landlord landlady",
    "neighbour": "이웃 neighbour neighbor",
}
"""The words for each relation; ``_`` stands for a space."""


def _by_word() -> Mapping[str, frozenset[str]]:
    found: defaultdict[str, set[str]] = defaultdict(set)
    for relation, words in _WORDS.items():
        for word in words.split():
            found[word.replace("_", "")].add(relation)
    return {word: frozenset(relations) for word, relations in found.items()}


_BY_WORD: Final = _by_word()

ADDRESSES: Final = frozenset(
    {
        *("elder brother", "elder sister", "mother's sister", "father's sister", "uncle's wife"),
        *("father's brother", "mother's brother"),
    }
)
"""Relations whose Korean word follows a name as a title: 철수 형. With another word it is somebody else: 철수 동생."""
_TITLES: Final = """
사원 주임 대리 과장 차장 부장 팀장 실장 본부장 이사 상무 전무 사장 대표 회장 총무 원장 소장 점장 선배 후배
교수 박사 선생 쌤 강사 조교 변호사 의사 간호사 약사 기사 목사 신부 수녀 스님 집사 권사 장로
아저씨 아줌마 아주머니 사모 professor prof doctor dr coach pastor
"""
TITLES: Final = frozenset(_TITLES.split())
"""Titles that stand beside a name. They tell 김 대리 from 김 과장, and name nobody alone."""


def relations_of(word: str) -> frozenset[str]:
    """The relations for which a word stands; none for other words.

    Args:
        word: in lower case, without spaces.
    """
    return _BY_WORD.get(word, frozenset())
