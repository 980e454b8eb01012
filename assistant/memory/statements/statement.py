"""What one line states, and the words that both languages share."""

import re
from dataclasses import dataclass

ONE_VALUE = {
    "생일": "birthday",
    "생신": "birthday",
    "birthday": "birthday",
    "date of birth": "birthday",
    "이름": "name",
    "성함": "name",
    "별명": "nickname",
    "name": "name",
    "나이": "age",
    "연세": "age",
    "age": "age",
    "전화번호": "phone number",
    "휴대폰번호": "phone number",
    "핸드폰번호": "phone number",
    "연락처": "phone number",
    "phone number": "phone number",
    "number": "number",
    "번호": "number",
    "이메일": "email",
    "메일주소": "email",
    "email": "email",
    "email address": "email",
    "주소": "address",
    "집주소": "address",
    "address": "address",
    "직업": "job",
    "job": "job",
    "occupation": "job",
    "직책": "position",
    "직급": "position",
    "키": "height",
    "height": "height",
    "몸무게": "weight",
    "체중": "weight",
    "weight": "weight",
    "혈액형": "blood type",
    "blood type": "blood type",
    "신발사이즈": "shoe size",
    "발사이즈": "shoe size",
    "shoe size": "shoe size",
    "고향": "hometown",
    "hometown": "hometown",
    "국적": "nationality",
    "집주인": "landlord",
    "landlord": "landlord",
    "팀장": "boss",
    "사장": "boss",
    "boss": "boss",
    "manager": "boss",
    "담임": "class teacher",
    "담임선생님": "class teacher",
    "결혼기념일": "wedding day",
    "wedding day": "wedding day",
    "wedding anniversary": "wedding day",
    "결혼식": "wedding",
    "wedding": "wedding",
    "예약": "appointment",
    "appointment": "appointment",
    "비행기": "flight",
    "항공편": "flight",
    "flight": "flight",
    "출근시간": "start of work",
    "퇴근시간": "end of work",
    "기상시간": "wake time",
    "mbti": "mbti",
}
"""Attributes that have one value at a time, with the same id in both languages."""

MANY = frozenset(
    {
        "친구", "동료", "직원", "조카", "사촌", "이웃", "학생", "제자", "동생", "남동생", "여동생", "언니", "누나",
        "형", "오빠", "아이", "딸", "아들", "강아지", "고양이", "개", "물고기", "새",
        "friend", "colleague", "coworker", "cousin", "nephew", "niece", "neighbour", "neighbor", "student", "brother",
        "sister", "child", "kid", "daughter", "son", "dog", "cat", "pet", "fish", "bird",
    }
)  # fmt: skip
"""People and animals of whom somebody may have several. Another name then means another one of them."""

MOST = frozenset({"제일", "가장", "최애", "favourite", "favorite"})
"""Words that leave room for one value only, such as in a favourite colour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """An attribute and its value.

    Attributes:
        about: whose attribute it is and which one, with every word that limits it, such as "on weekdays".
        value: the value without particles, articles, spaces and case.
        single: whether the attribute has one value at a time.
        changed: whether the line says that the value is new, such as with "now".
    """

    about: str
    value: str
    single: bool = False
    changed: bool = False


_UNITS = re.compile(r"\d+\s*(?:cm|kg|km|m|g|살|세|years?|pounds?|센티|킬로|mm|%)")
_DAYS = re.compile(
    r"\d-\d|\d\s*[월일시분]|\d:\d\d|[월화수목금토일]요일"
    r"|\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b\d+\s*(?:am|pm)\b|o'clock"
)
_COLOUR = re.compile(
    r"(?:흰|검은|검정|빨간|빨강|파란|파랑|초록|노란|노랑|회|은|분홍|보라)색?"
    r"|red|blue|green|white|black|silver|gr[ea]y|yellow|pink|purple"
)


def kind_of(value: str) -> str:
    """What a value is: a time, a quantity, a colour, a number or words. Values of two kinds do not contradict."""
    if _DAYS.search(value):
        return "time"
    if _UNITS.search(value):
        return "quantity"
    if _COLOUR.fullmatch(value):
        return "colour"
    return "number" if re.fullmatch(r"[\d\s.-]+", value) else "words"


def attribute(words: list[str], kind: str = "") -> tuple[str, bool, bool]:
    """The attribute that a subject names.

    Args:
        words: the words of the subject, without particles and words for the speaker.
        kind: what tells this attribute of the subject from others, such as its place; empty for what it is.

    Returns:
        Its id, whether it has one value at a time, and whether it may belong to several people or animals.
    """
    most = next((word for word in words if word in MOST), "")
    holders = words
    for length in (3, 2, 1):
        for end in (" ".join(words[-length:]), "".join(words[-length:])):
            if length <= len(words) and end in ONE_VALUE:
                holders = words[:-length]
                several = bool(holders) and holders[-1] in MANY
                return "/".join((*holders, ONE_VALUE[end], kind)), not kind, several
    return "/".join((*(word for word in words if word not in MOST), most and "most", kind)), bool(most), False
