import pytest

from assistant.speech.tts.kokoro_english import english_symbols
from assistant.speech.tts.kokoro_korean import korean_symbols
from assistant.speech.tts.kokoro_symbols import NUMBER, numbers_of


def test_every_symbol_has_a_number_of_its_own() -> None:
    assert len(set(NUMBER.values())) == len(NUMBER) == 114
    assert all(0 < number < 178 for number in NUMBER.values())


def test_what_the_model_does_not_know_is_left_out() -> None:
    assert numbers_of("a한b\ud800") == [NUMBER["a"], NUMBER["b"]]


@pytest.mark.parametrize(
    ("written", "symbols"),
    [
        ("가구", "kaɡu"),
        ("아버지.", "abɒʥi."),
        ("시간", "ɕiɡan"),
        ("학교, 그렇죠", "hakjo, kɯɾɒʨʰo"),
        ("값이 없던 학교", "kapɕi ɒptɒn hakjo"),
        ("국밥도 닫자", "kukpapto taʨa"),
        ("빨리, 달려!", "palli, talljɒ!"),
        ("희망의 의자?", "himaŋe ɰiʥa?"),
    ],
)
def test_korean_is_written_as_it_sounds(written: str, symbols: str) -> None:
    assert korean_symbols(written) == symbols


def test_all_symbols_of_korean_are_known_to_the_model() -> None:
    said = korean_symbols("".join(chr(letter) for letter in range(ord("가"), ord("힣") + 1, 7)) + " 「가」 ~ ⋯")
    assert set(said) <= set(NUMBER)


@pytest.mark.parametrize(
    ("written", "symbols"),
    [
        ("Hello there! How is it?", "həlˈO ðˈɛɹ! hˌW ɪz ɪt?"),
        ("A little table", "ə lˈɪTᵊl tˈAbᵊl"),
        ("Mr. Smith's choice, I say", "mˌɪstəɹ smˈɪθz ʧˈYs, ˌI sˈA"),
    ],
)
def test_english_has_kokoros_own_letters_and_keeps_its_stops(written: str, symbols: str) -> None:
    plain = str.maketrans("", "", "ˈˌ")
    assert english_symbols(written).translate(plain) == symbols.translate(plain)


def test_all_symbols_of_english_are_known_to_the_model() -> None:
    said = english_symbols(
        "The quick brown fox's jumps over a lazy dog; beige vision, bottle, button, nurse, cure, ear."
    )
    assert set(said) <= set(NUMBER)
