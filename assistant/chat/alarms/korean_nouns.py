"""Turns what somebody said that they are to be told into the words of a reminder: ``출국이라고`` into ``출국``.

An order and a noun are quoted by the same ending. After a vowel it is 라고 for both: ``가라고``, ``회의라고``. So verbs
that end in a vowel are known by their endings. 으라고 and a final ㄹ belong to verbs only. After a final consonant,
이라고 belongs to nouns, but for a few verbs.
"""

import re

from assistant.core.hangul import FINALS, final_of, open_syllables, vowel_of

_RIEUL = 8
"""The final consonant ㄹ in Unicode's order."""
_A, _EO, _AE, _E, _YEO, _WA, _WEO, _O, _U, _I = 0, 4, 1, 5, 6, 9, 14, 8, 13, 20
"""Vowels in Unicode's order."""

_SHORT_VERBS = "가오보자사싸쓰끄켜타내주차깨빼재매세떼메베캐패펴피치지서두푸꾸추트뜨뛰쉬쥐되"
_VERBS = (
    "하|되|시키|챙기|버리|마시|보내|지우|키우|치우|비우|채우|피우|재우|깨우|배우|세우|태우|싸우|외우|때우|데우|바꾸|꾸미|가꾸|"
    "올리|내리|돌리|빌리|드리|두드리|기다리|그리|말리|달리|알리|살리|흘리|꾸리|누르|고르|부르|오르|자르|바르|따르|들르|서두르|머무르|"
    "치르|주무르|문지르|지키|옮기|남기|넘기|맡기|벗기|씻기|안기|즐기|당기|맞추|멈추|갖추|낮추|감추|늦추|비추|만나|떠나|일어나|지나|"
    "끝내|건네|꺼내|던지|만지|고치|마치|합치|펼치|가르치|부치|데치|담그|잠그|모으|나누|다투|다니|견디|버티|모이|보이|조이|"
    "붙이|먹이|끓이|줄이|높이|움직이|녹이|기울이|들이|숙이"
)
_NOUNS_IN_I = "고양|호랑|어린|볶|걸|놀|먹|쌍둥|막둥|잡|미닫|여닫|맏|높|길|깊|넓|받|돋|맞|집들|나들"
_JOINING = open_syllables(_A, _EO, _AE, _E, _YEO, _WA, _WEO)
_VERB = re.compile(
    rf"(?:^|\s)[{_SHORT_VERBS}]$|(?:{_VERBS})$|(?:을|를)\s+\S+$|[{_JOINING}](?:가|오|보|주|두|놓|내)$|[밝익식굳잡앉눕입맞막읽]히$"
)
"""A stem that ends in a vowel: one syllable, a known ending, after an object, or joined to another verb (물어보)."""


def _pairs(words: str) -> dict[str, str]:
    """Forms and stems."""
    return dict(pair.split("-") for pair in words.split())


_CHANGED = _pairs("들으-듣 걸으-걷 물으-묻 실으-싣 지으-짓 부으-붓 이으-잇 저으-젓 도우-돕 구우-굽 누우-눕 주우-줍")
_CHANGED_FORMS = _pairs(
    "해-하 돼-되 써-쓰 꺼-끄 떠-뜨 켜-켜 펴-펴 담가-담그 잠가-잠그 모아-모으 따라-따르 들러-들르 골라-고르 잘라-자르"
    " 발라-바르 불러-부르 눌러-누르 서둘러-서두르 도와-돕 구워-굽 누워-눕 주워-줍 지어-짓 부어-붓"
)


def reminder_noun(words: str) -> str:
    """What the user is reminded of, as a noun: ``엄마한테 전화하라고`` becomes ``엄마한테 전화하기``."""
    words = words.strip()
    if found := re.search(r"^(.*\S)야 ?(?:[한된]다고|하는 ?(?:거|것|걸)|할 ?(?:거|것|걸))$", words):
        return f"{_stem(found[1])}기"
    if found := re.search(r"^(.*\S)(?:자고|도록|게)$", words):
        return f"{found[1]}기"
    if found := re.search(r"^(.*\S)는 ?(?:거|것|걸)$", words):
        return f"{found[1]}기"
    if found := re.search(r"^(.*\S) ?(?:거|것|걸)$", words):
        return _before_thing(found[1].rstrip()) or words
    if words.endswith("한다고"):
        return f"{words.removesuffix('한다고')}하기"
    if words.endswith("있다고"):
        return f"{words.removesuffix('다고')}음"
    if words.endswith("다고"):
        return words.removesuffix("고")
    return _quoted(words.removesuffix("라고")) if words.endswith("라고") else words


def _quoted(words: str) -> str:
    """The noun of what stands before 라고."""
    for changed, stem in _CHANGED.items():
        if re.search(rf"(?:^|\s){changed}$", words):
            return f"{words.removesuffix(changed)}{stem}기"
    if words.endswith("으") and final_of(words[:-1]):
        return f"{words[:-1]}기"
    if final_of(words) == _RIEUL or _VERB.search(words):
        return f"{words}기"
    if words.endswith("이") and final_of(words[:-1]) and not re.search(rf"(?:{_NOUNS_IN_I})이$", words):
        return words[:-1]
    return words


def _stem(form: str) -> str:
    """The stem of a verb in the form before 야: ``챙겨`` gives ``챙기``, ``가져와`` ``가져오``, ``먹어`` ``먹``."""
    for changed, stem in _CHANGED_FORMS.items():
        if re.search(rf"(?:^|\s){changed}$", form) or (changed in ("해", "돼") and form.endswith(changed)):
            return f"{form.removesuffix(changed)}{stem}"
    if re.search("[아어여]$", form) and final_of(form[:-1]):
        return form[:-1]
    vowel = vowel_of(form)
    stems = {_WA: _O, _WEO: _U, _YEO: _I}
    return f"{form[:-1]}{chr(ord(form[-1]) + (stems[vowel] - vowel) * FINALS)}" if vowel in stems else form


def _before_thing(words: str) -> str:
    """The noun of a verb in the form before 거, as in ``먹을`` and ``살``; empty if it is none."""
    if words.endswith("을") and final_of(words[:-1]):
        return f"{words[:-1]}기"
    if final_of(words) == _RIEUL:
        return f"{words[:-1]}{chr(ord(words[-1]) - _RIEUL)}기"
    return ""
