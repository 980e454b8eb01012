"""The symbols that Kokoro-82M v1.0 knows, with their token numbers.

Source: ``vocab`` in the model's ``config.json``.
"""

from typing import Final

PAD: Final = 0
"""Token before the first symbol and after the last."""
LONGEST: Final = 510
"""Maximum number of symbols in one inference."""

_NUMBERS: Final = (
    '1; 2: 3, 4. 5! 6? 9— 10… 11" 12( 13) 14“ 15” 17\u0303 18ʣ 19ʥ 20ʦ 21ʨ 22ᵝ 23ꭧ 24A 25I 31O 33Q 35S 36T 39W 41Y 42ᵊ '
    "43a 44b 45c 46d 47e 48f 50h 51i 52j 53k 54l 55m 56n 57o 58p 59q 60r 61s 62t 63u 64v 65w 66x 67y 68z 69ɑ 70ɐ 71ɒ "
    "72æ 75β 76ɔ 77ɕ 78ç 80ɖ 81ð 82ʤ 83ə 85ɚ 86ɛ 87ɜ 90ɟ 92ɡ 99ɥ 101ɨ 102ɪ 103ʝ 110ɯ 111ɰ 112ŋ 113ɳ 114ɲ 115ɴ 116ø "
    "118ɸ 119θ 120œ 123ɹ 125ɾ 126ɻ 128ʁ 129ɽ 130ʂ 131ʃ 132ʈ 133ʧ 135ʊ 136ʋ 138ʌ 139ɣ 140ɤ 142χ 143ʎ 147ʒ 148ʔ 156ˈ "
    "157ˌ 158ː 162ʰ 164ʲ 169↓ 171→ 172↗ 173↘ 177ᵻ"
)

NUMBER: Final = {" ": 16, **{entry[-1]: int(entry[:-1]) for entry in _NUMBERS.split(" ")}}
"""Token number by symbol."""


def numbers_of(symbols: str) -> list[int]:
    """Token numbers of the symbols; unknown symbols are dropped."""
    return [NUMBER[each] for each in symbols if each in NUMBER]
