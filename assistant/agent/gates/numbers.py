"""Number words in Korean and English, for the slots of plain commands and for evidence in requests."""

_SINO_DIGITS = ("", "일", "이", "삼", "사", "오", "육", "칠", "팔", "구")
_NATIVE_ONES = ("", "하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉")
_NATIVE_COUNTING = {"하나": "한", "둘": "두", "셋": "세", "넷": "네"}
"""These four have another form before a counter (한 시간, 두 분)."""
_NATIVE_TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
_EN_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_EN_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def spoken_numbers(language: str) -> tuple[tuple[str, int], ...]:
    """Every way to say a number from 0 to 999 (native Korean to 99) in words, with its value.

    Korean words are written without spaces. Some words are the beginning of other words, so the caller must choose the
    one that fits.
    """
    return _korean() if language == "ko" else _english()


def sino_korean(value: int) -> str:
    """A number from 1 to 999 in Sino-Korean: 삼십, 백이십오."""
    hundreds, tens, ones = value // 100, value // 10 % 10, value % 10
    text = "" if not hundreds else ("" if hundreds == 1 else _SINO_DIGITS[hundreds]) + "백"
    text += "" if not tens else ("" if tens == 1 else _SINO_DIGITS[tens]) + "십"
    return text + _SINO_DIGITS[ones]


def _korean() -> tuple[tuple[str, int], ...]:
    sino = [(sino_korean(value), value) for value in range(1, 1000)]
    native = [
        (_NATIVE_TENS[value // 10] + form, value)
        for value in range(1, 100)
        for form in {_NATIVE_ONES[value % 10], _NATIVE_COUNTING.get(_NATIVE_ONES[value % 10], "")}
        if form or value % 10 == 0
    ]
    return (*sino, *sorted(native), ("스무", 20), ("영", 0), ("공", 0))


def _english() -> tuple[tuple[str, int], ...]:
    below_hundred = [(_english_below_hundred(value), value) for value in range(100)]
    hundreds = []
    for value in range(100, 1000):
        rest = value % 100
        starts = [f"{_EN_SMALL[value // 100]} hundred", *(["a hundred"] if value < 200 else [])]
        ends = [""] if not rest else [f" {_english_below_hundred(rest)}", f" and {_english_below_hundred(rest)}"]
        hundreds += [(start + end, value) for start in starts for end in ends]
    return (*below_hundred, *hundreds, ("a", 1), ("an", 1))


def _english_below_hundred(value: int) -> str:
    if value < len(_EN_SMALL):
        return _EN_SMALL[value]
    tens, ones = divmod(value, 10)
    return _EN_TENS[tens] + (f" {_EN_SMALL[ones]}" if ones else "")
