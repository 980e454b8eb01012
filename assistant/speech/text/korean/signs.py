"""Korean words for mathematical and other signs."""

import re
from typing import Final

from assistant.core.hangul import final_of
from assistant.speech.text.korean.marks import AFTER_WORD, TOPIC, word
from assistant.speech.text.vocabulary import listed

_OPERAND: Final = r"[\w가-힣.,)\]²³%°π√^{}]"
_GREEK: Final = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψωΓΔΘΛΞΠΣΦΨΩ",
        listed(
            "알파 베타 감마 델타 엡실론 제타 에타 세타 요타 카파 람다 뮤 뉴 크시 오미크론 파이 로 "
            "시그마 타우 입실론 파이 카이 프시 오메가 감마 델타 세타 람다 크시 파이 시그마 파이 프시 "
            "오메가"
        ),
        strict=True,
    )
)
_HANJA: Final = dict(
    zip(
        "美中日韓北南英佛獨露伊大小男女前現故新舊外內上下無有人年月時分金木水火土山川天地父母子生死黨軍與野檢警靑對反親非",
        "미중일한북남영불독러이대소남여전현고신구외내상하무유인년월시분금목수화토산천천지부모자생사당군여야검경청대반친비",
        strict=True,
    )
)
_JAMO: Final = dict(
    zip(
        "ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎㄲㄸㅃㅆㅉㅏㅑㅓㅕㅗㅛㅜㅠㅡㅣㅐㅔㅒㅖㅘㅙㅚㅝㅞㅟㅢ",
        listed(
            "기역 니은 디귿 리을 미음 비읍 시옷 이응 지읒 치읓 키읔 티읕 피읖 히읗 쌍기역 쌍디귿 쌍비읍 "
            "쌍시옷 쌍지읒 아 야 어 여 오 요 우 유 으 이 애 에 얘 예 와 왜 외 워 웨 위 의"
        ),
        strict=True,
    )
)
_LAUGHTER: Final = re.compile("[ㅋㅎㅠㅜㅡㅇㄷㄱㄴㅅㅂㅊㅁ]{2,}|(?<=[가-힣])[ㅋㅎㅠㅜ]|[ㅋㅎㅠㅜ](?=[!.~]|$)")
_COMPARED: Final = re.compile(
    r"([\w가-힣.%]{1,30})\s?(<=|>=|≤|≥|<|>)\s?([\w가-힣.%]{1,30}?)(?:(인|일)(?=\s)|(?=\s|$|[.,!?)]))"
)
_BOUND: Final = re.compile(
    r"(?<![^\s(])(<=|>=|[<>≤≥])(\d+(?:[.,]\d+)*\s?(?:%p?|°C|℃|[A-Za-z]{1,3}(?![A-Za-z])|"
    r"시간|개월|만\s?원|[분초일년개명원점도살세회번배건권])?)(?:이?([에예]요|야))?"
)
"""A sign before a number that touches only the number, as in "오차는 <5%예요". Between two operands it compares."""
_BOUNDS: Final = {"<": "미만", ">": "초과", "<=": "이하", "≤": "이하", ">=": "이상", "≥": "이상"}
_MENU: Final = re.compile(r"(?<=[가-힣])\s?>\s?(?=[가-힣])")
_MEASURED: Final = re.compile("[A-Za-z0-9]")
_COMPARISONS: Final = {
    "<": ("작다", "작은"),
    ">": ("크다", "큰"),
    "<=": ("작거나 같다", "작거나 같은"),
    ">=": ("크거나 같다", "크거나 같은"),
    "≤": ("작거나 같다", "작거나 같은"),
    "≥": ("크거나 같다", "크거나 같은"),
}
_OVER: Final = re.compile(r"(\([^()∕]{1,60}\)|[^\s∕가-힣]{1,60})∕(\([^()∕]{1,60}\)|[^\s∕가-힣]{1,60})")
_POWER: Final = re.compile(r"\^\(?(-?\d{1,10}(?:\.\d{1,5})?|[A-Za-z]{1,10})\)?")
_POWERS: Final = {"2": " 제곱", "3": " 세제곱"}
_MINUS: Final = re.compile(r"(?<=[\w)])\s-\s(?=[\d(]|[a-zA-Z]\b)|(?<=[\d)])-(?=\d[\d.]{0,10}\s?=)")
_GRADE: Final = re.compile(r"\b([A-DF])([+-])(?![\w+])")
_OPERATORS: Final = (
    (re.compile(rf"(?<={_OPERAND})\s?[×✕]\s?(?=[\w(√])"), " 곱하기 "),
    (
        re.compile(r"(?<=\d)\s?[*]\s?(?=[\d(])|(?<=\d)\s[xX]\s(?=\d)|(?<=\d)[xX](?=\d)|(?<=[a-z)])\s[*]\s(?=[a-z(\d])"),
        " 곱하기 ",
    ),
    (re.compile(r"\b(Ctrl|Control|Alt|Shift|Cmd|Command|Option|Fn|Win)\s?\+\s?", re.IGNORECASE), r"\1 "),
    (re.compile(r"\s?÷\s?"), " 나누기 "),
    (re.compile(r"(?<=[\w)가-힣])(?:\s\+\s|\+)(?=[\w(가-힣√])"), " 더하기 "),
    (_MINUS, " 빼기 "),
    (re.compile(r"\s?(?:!=|≠)\s?"), f"{AFTER_WORD}{TOPIC} 같지 않다 "),
    (re.compile(r"\s?(?:≈|≒|≃)\s?"), f"{TOPIC} 약 "),
    (re.compile(r"\s?={1,3}\s?(?=\S)"), f"{TOPIC} "),
    (re.compile("√"), " 루트 "),
    (re.compile("∞"), " 무한대 "),
    (re.compile("∑"), " 시그마 "),
    (re.compile("∫"), " 인티그럴 "),
    (re.compile("±"), " 플러스마이너스 "),
    (re.compile("∴"), " 따라서 "),
)
_NAMED: Final = {
    "&": " 앤 ",
    "%": " 퍼센트 ",
    "°": "도 ",
    "@": " 골뱅이 ",
    "#": " 샵 ",
    "+": " 플러스 ",
    "§": " 조 ",
    "$": " 달러 ",
    "₩": " 원 ",
    "€": " 유로 ",
    "£": " 파운드 ",
    "¢": " 센트 ",
    "¥": " 엔 ",
    "×": " 곱하기 ",
}
_HASHTAG: Final = re.compile(r"#(?=[가-힣A-Za-z])")


def with_bounds_in_words(text: str) -> str:
    """Put the word of a bound behind its number, as people say it: ``<5%`` becomes 5% 미만. Runs before all others."""
    return _BOUND.sub(_bound, text)


def _bound(found: re.Match[str]) -> str:
    sign, number, ending = found.groups()
    bound = _BOUNDS[sign]
    copula = "" if not ending else ("이" if final_of(bound[-1]) else "") + ("야" if ending == "야" else "예요")
    return f"{number} {bound}{copula.replace('이예', '이에')}"


def with_operators_in_words(text: str) -> str:
    """Replace operators between numbers and letters. This runs before the numbers are read."""
    text = _GRADE.sub(lambda found: f"{found.group(1)} {'플러스' if found.group(2) == '+' else '마이너스'} ", text)
    text = _COMPARED.sub(_compared, _MENU.sub(", ", text))
    text = _OVER.sub(r"\2분의 \1", text)
    for sign, words in _OPERATORS:
        text = sign.sub(words, text)
    text = text.replace("²", "^2").replace("³", "^3")
    return _POWER.sub(_power, text)


def _compared(found: re.Match[str]) -> str:
    first, sign, second, is_attribute = found.groups()
    if not _MEASURED.search(first + second):
        return f"{first}, {second}{is_attribute or ''}"
    plain, attribute = _COMPARISONS[sign]
    if is_attribute:
        return f"{first}가 {second}보다 {attribute}"
    return f"{first}{TOPIC} {second}보다 {plain}"


def _power(found: re.Match[str]) -> str:
    return word(_POWERS.get(found.group(1)) or f"의 {found.group(1)} 제곱")


def with_signs_in_words(text: str) -> str:
    """Replace the remaining signs. This runs after numbers and Latin letters are read."""
    text = _HASHTAG.sub(" 해시태그 ", text)
    text = _LAUGHTER.sub(" ", text)
    return "".join(_named(letter) for letter in text)


def _named(letter: str) -> str:
    if letter in _GREEK:
        return word(_GREEK[letter])
    if letter in _JAMO:
        return word(_JAMO[letter])
    return _NAMED.get(letter) or _HANJA.get(letter, letter)
